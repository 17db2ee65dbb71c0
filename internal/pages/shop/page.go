package shop

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/money"
	"tenor/internal/ports/facts/sandbox"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

//go:embed templates/*.html
var templateFiles embed.FS

// name is the shop's name.
const name = "Harbor Supply"

// proposed is the initial email address in the form.
const proposed = "avery@alderkitchens.example"

// site is what pages are made of.
type site struct {
	templates *template.Template
	assets    design.Assets
	script    string // address of the script that opens a modal checkout
	opener    web.Asset
}

//go:embed scripts/shop.js
var opener []byte

func newSite() (*site, error) {
	assets, err := design.LoadAssets("/shop/assets/")
	if err != nil {
		return nil, err
	}
	parts, err := design.Parts(design.English)
	if err != nil {
		return nil, err
	}
	pages, err := parts.ParseFS(templateFiles, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("shop: %w", err)
	}
	return &site{pages, assets, web.AssetPath("/shop/assets/", "shop.js", opener), web.NewAsset("text/javascript; charset=utf-8", opener)}, nil
}

// view is the data of a page. Each page has a template and uses what it needs.
type view struct {
	Shell    design.App
	Notice   *design.Notice
	Title    design.Title
	Products []product
	Merchant string // the seller, for the widget; "": none
	Script   string // opens a modal checkout
	Cart     cart
	Address  design.Address
	Charges  charges
	Lines    []design.Line // the sums
	Once     string
	Pay      design.Choices
	Fields   []design.Field
	Outcome  design.Outcome
	Answer   string // the API's response, unmodified
	Calls    []entry
	Events   []entry
	Source   int // lines of the server's source
	Act      *design.Button
	Acts     []design.Button
	Mode     *design.Field
	First    []sandbox.Outcome
	Others   []sandbox.Outcome
}

// entry is a line of the log.
type entry struct {
	Time, Instant string
	Badge         design.Badge
	What, Detail  string
	Key           string // of the related object
}

// page creates a view with what all pages have.
func (s *Shop) page(r *http.Request, title string, c cart) view {
	v := view{Cart: c, Source: bytes.Count(source, []byte("\n")), Script: s.site.script}
	if s.config.Merchant != nil {
		v.Merchant, _ = s.config.Merchant(r.Context()) // without one there is no widget
	}
	v.Shell = design.App{
		Page: design.Page{Title: title, Site: name, Assets: s.site.assets}, Brand: design.Brand{Name: name, Sub: "Sandbox shop", Href: "/shop", Calm: true}, Nav: "Shop",
		Acts: []design.Button{{Text: "Cart", Href: "/shop/cart", Icon: "shopping-cart", Tag: strconv.Itoa(c.Count()), Small: true}},
		Help: design.Sentence{Text: "A shop of the sandbox: nothing is sold here."},
	}
	for _, p := range products {
		v.Shell.Links = append(v.Shell.Links, design.Link{Text: p.Shelf, Href: "/shop#" + p.SKU})
	}
	if s.config.Clock != nil {
		now, _ := s.config.Clock(r.Context()) // even without a time it says that this is a sandbox
		v.Shell.Banner = &design.Banner{Time: now, Link: design.Link{Text: "move the clock", Href: "/sandbox"}}
	}
	return v
}

// send writes a page.
func (s *Shop) send(w http.ResponseWriter, r *http.Request, status int, page string, v view) {
	var b bytes.Buffer
	if err := s.site.templates.ExecuteTemplate(&b, page, v); err != nil {
		http.Error(w, "The page could not be made.", http.StatusInternalServerError)
		return
	}
	web.Send(w, r, status, b.Bytes())
}

// shelves shows the products.
func (s *Shop) shelves(w http.ResponseWriter, r *http.Request) {
	v := s.page(r, "Kitchen equipment", s.cartOf(r))
	v.Products = products
	v.Title = design.Title{Text: "Kitchen equipment", Lead: "Put something into the cart and pay for it over time, as a business buyer of yours would."}
	s.send(w, r, http.StatusOK, "shelves", v)
}

// cartPage shows the cart, and why a buyer came back, if so.
func (s *Shop) cartPage(w http.ResponseWriter, r *http.Request) {
	c := s.cartOf(r)
	s.keep(w, c)
	v := s.cartView(r, c)
	if reason := r.URL.Query().Get("reason"); reason != "" {
		v.Notice = &design.Notice{Tone: design.Warn, Icon: "circle-alert", Title: "Nothing was ordered", Text: because(reason), Spoken: design.Status}
	}
	s.send(w, r, http.StatusOK, "cart", v)
}

// because explains why a buyer came back. An unknown reason counts as leaving.
func because(reason string) string {
	switch reason {
	case "pending_review":
		return "Your application is in review. Your cart is kept; you will hear by e-mail."
	case "declined":
		return "Paying over time is not available for this order. Choose another way to pay."
	case "insufficient_credit":
		return "Your credit line is too small for this cart. Make the cart smaller or choose another way to pay."
	case "company_not_eligible":
		return "Your business cannot pay over time right now. Choose another way to pay."
	case "expired":
		return "The time for this checkout ran out. Your cart is as it was."
	}
	return "You left before you accepted. Your cart is as it was."
}

func (s *Shop) cartView(r *http.Request, c cart) view {
	v := s.page(r, "Cart", c)
	v.Title = design.Title{Text: "Your cart", Link: &design.Link{Text: "Keep shopping", Href: "/shop"}}
	x := c.Charges()
	v.Charges, v.Once = x, once()
	terms, inset := s.later(r, v.Merchant, x.GrandTotal)
	to := places[c.To]
	v.Address = design.Address{Icon: "truck", Name: to.Company, Lines: []string{to.Line()}, Change: "/shop/address", Label: "Deliver to"}
	things := strconv.Itoa(c.Count()) + " items"
	if c.Count() == 1 {
		things = "1 item"
	}
	v.Lines = []design.Line{{Text: things, Amount: x.Total}, {Text: "Shipping", Amount: x.Shipping}, {Text: "Tax", Amount: x.Tax}}
	v.Pay = design.Choices{Name: "pay", Legend: "Payment", Choices: []design.Choice{
		{Value: "later", Text: "Pay over time", Detail: strings.TrimSpace(terms + " Nothing due today."), Icon: "calendar-days", Chosen: true, Inset: inset},
		{Value: "card", Text: "Card", Detail: "Not in this sandbox", Icon: "credit-card", Disabled: true},
		{Value: "ach", Text: "Bank transfer", Detail: "Not in this sandbox", Icon: "landmark", Disabled: true},
	}}
	v.Fields = []design.Field{{
		Name: "email", Label: "Work e-mail", Hint: "The checkout starts with it. The sandbox’s mailbox gets what is sent there.", Type: "email", Autocomplete: "email", InputMode: "email", Value: proposed, Max: 200, Required: true, Width: design.TwoThirds,
	}}
	v.Mode = &design.Field{Name: "mode", Label: "How the checkout opens", LabelHidden: true, Form: "pay-form", Options: []design.Option{{Value: "redirect", Text: "Open by redirect"}, {Value: "modal", Text: "Open in a dialog"}, {Value: "link", Text: "Send a link by mail"}}}
	v.Act = &design.Button{Text: "Return without completing", Form: "pay-form", Name: "act", Value: "return"}
	for _, o := range sandbox.Outcomes() {
		switch o.EIN[len(o.EIN)-2:] {
		case "01", "03", "04":
			if o.Ready == 0 {
				v.First = append(v.First, o)
				continue
			}
		}
		if o.Ready == 0 {
			v.Others = append(v.Others, o)
		}
	}
	s.log(r, &v, c.ID)
	return v
}

// refused shows the cart with the API's refusal.
func (s *Shop) refused(w http.ResponseWriter, r *http.Request, c cart, err error) {
	title, text, status := told(err)
	var p *problem
	if errors.As(err, &p) && p.Code == "checkout_already_completed" { // bought in another tab
		title, text = "This cart has been ordered", "It is order "+p.OrderKey+". The cart is empty now."
		c = newCart()
	}
	s.keep(w, c)
	v := s.cartView(r, c)
	v.Shell.Failed = true
	if len(r.PostForm.Get("email")) <= 200 && len(v.Fields) > 0 {
		v.Fields[0].Value = r.PostForm.Get("email")
	}
	v.Notice = &design.Notice{Tone: design.Bad, Icon: "circle-alert", Title: title, Text: text, Spoken: design.Alert}
	s.send(w, r, status, "cart", v)
}

// told explains an error: the API's refusal, or that it could not be called.
func told(err error) (title, text string, status int) {
	var p *problem
	if !errors.As(err, &p) {
		return "The shop cannot reach Tenor", "Nothing was ordered. Try again in a moment.", http.StatusBadGateway
	}
	text = strings.TrimSpace(p.Detail + " (" + strconv.Itoa(p.Status) + " " + p.Code)
	if p.Checkout != "" {
		text += ", checkout_status " + p.Checkout
	}
	if text += ")"; p.RequestID != "" {
		text += " Request " + p.RequestID + "."
	}
	return p.Title, text, max(min(p.Status, 599), 400)
}

// sent says that mail was sent to the buyer.
func (s *Shop) sent(w http.ResponseWriter, r *http.Request) {
	c := s.cartOf(r)
	v := s.page(r, "Link sent", c)
	v.Outcome = design.Outcome{
		Badge: design.Badge{Tone: design.Good, Text: "Sent"}, Title: "The buyer has a link by mail", Text: "Whoever opens it goes through the checkout and comes back to this shop. The cart is kept until then.",
		Points: []design.Point{{Icon: "mail", Text: "In a sandbox, the mailbox shows it"}},
		Acts:   []design.Button{{Text: "Open the mailbox", Emphasis: design.Primary, Href: "/sandbox/mail"}, {Text: "Back to the cart", Href: "/shop/cart"}},
	}
	s.log(r, &v, c.ID)
	s.send(w, r, http.StatusOK, "outcome-page", v)
}

// bought is the page after a purchase. The log is that of the purchased cart.
func (s *Shop) bought(w http.ResponseWriter, r *http.Request, c cart, shown, id string, o order) {
	v := s.page(r, "Thank you", c)
	v.Outcome = design.Outcome{
		Badge: design.Badge{Tone: design.Good, Text: "Order " + strings.ToLower(o.Status)}, Title: "Thank you for your order of", Figure: design.English.Money(o.Amount),
		Text:   "Tenor confirmed it to the shop’s server. A visit to this address alone proves nothing.",
		Points: []design.Point{{Icon: "calendar-days", Text: "Payments begin when the order is captured, which a shop does when it ships"}},
		Keys:   []design.Key{{ID: "order-key", Label: "Order", Value: o.Key}, {ID: "checkout-key", Label: "Checkout", Value: id}},
		Acts:   []design.Button{{Text: "Keep shopping", Emphasis: design.Primary, Href: "/shop"}},
	}
	v.Shell.Page.Script = true // it copies a key
	v.Answer = indented(o.raw)
	s.log(r, &v, shown)
	s.send(w, r, http.StatusOK, "outcome-page", v)
}

// nothing is the page of a buyer who came back without accepting.
func (s *Shop) nothing(w http.ResponseWriter, r *http.Request, c cart, err error) {
	title, text, status := told(err)
	v := s.page(r, "Nothing was authorized", c)
	v.Outcome = design.Outcome{
		Badge: design.Badge{Tone: design.Bad, Text: "Not ordered"}, Title: "Nothing was authorized",
		Text:   "This is the address for buyers who have accepted, but arriving here proves nothing. The shop’s server asked Tenor, which says: " + title + " " + text,
		Points: []design.Point{{Icon: "package-check", Text: "Nothing is shipped, and nothing is owed"}},
		Acts:   []design.Button{{Text: "Back to the cart", Emphasis: design.Primary, Href: "/shop/cart"}},
	}
	s.log(r, &v, c.ID)
	s.send(w, r, status, "outcome-page", v)
}

// missing is the page for an unknown address, or for an invalid form.
func (s *Shop) missing(w http.ResponseWriter, r *http.Request, status int) {
	v := s.page(r, http.StatusText(status), s.cartOf(r))
	v.Outcome = design.Outcome{
		Badge: design.Badge{Tone: design.Bad, Text: strconv.Itoa(status)}, Title: "There is nothing here", Text: "The address leads nowhere, or a form came from another site.",
		Acts: []design.Button{{Text: "To the shop", Emphasis: design.Primary, Href: "/shop"}},
	}
	s.send(w, r, status, "outcome-page", v)
}

// indented formats a response for people.
func indented(raw []byte) string {
	var b bytes.Buffer
	if json.Indent(&b, raw, "", "  ") != nil {
		return ""
	}
	return b.String()
}

// log fills in what the server did and was told about a cart.
func (s *Shop) log(r *http.Request, v *view, cart string) {
	s.record.poll(r.Context(), s.server)
	calls, events := s.record.told(cart)
	for _, c := range calls {
		e := entry{Time: c.At.In(s.config.Zone).Format(time.TimeOnly), Instant: c.At.UTC().Format(time.RFC3339), What: c.Method + " " + c.Path, Detail: strconv.FormatInt(c.Took.Milliseconds(), 10) + " ms"}
		switch {
		case c.Status == 0:
			e.Badge, e.Detail = design.Badge{Tone: design.Bad, Text: "none"}, c.Detail
		case c.Status < 300:
			e.Badge = design.Badge{Tone: design.Good, Text: strconv.Itoa(c.Status)}
		default:
			e.Badge = design.Badge{Tone: design.Warn, Text: strconv.Itoa(c.Status)}
		}
		v.Calls = append(v.Calls, e)
	}
	for _, x := range events {
		v.Events = append(v.Events, entry{Time: x.CreatedAt.In(s.config.Zone).Format(time.TimeOnly), Instant: x.CreatedAt.UTC().Format(time.RFC3339), What: x.Type, Detail: x.Object.Type, Key: x.Object.ID})
	}
}

// Stepper returns the stepper of a cart line.
func (l line) Stepper() design.Stepper {
	return design.Stepper{Of: l.Name, Count: l.Quantity, Name: "act", Less: "less", More: "more"}
}

// Total returns the grand total of the cart.
func (v view) Total() money.Amount { return v.Charges.GrandTotal }
