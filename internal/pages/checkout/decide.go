package checkout

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// refresh makes the browser reload after some seconds.
func (v *visit) refresh(seconds int, step string) {
	v.W.Header().Set("Refresh", strconv.Itoa(seconds)+"; url="+v.path(step))
}

// decisionPage is page 4: the decision, or that it is pending.
func (v *visit) decisionPage() error {
	if err := v.config.Desk.Stage(v.x.Checkout); err != nil {
		return err
	}
	a := v.application
	if a.Status == credit.ApplicationSubmitted {
		v.refresh(2, "decision")
		return v.show(http.StatusOK, page{Shell: v.shell(2, v.Say("deciding.title")), Outcome: &design.Outcome{
			Badge: design.Badge{Text: v.Say("deciding.badge")}, Title: v.Say("deciding.title"), Text: v.Say("deciding.text"),
			Points: []design.Point{{Icon: "clock", Text: v.Say("deciding.wait")}, {Icon: "history", Text: v.Say("deciding.kept")}},
			Acts:   []design.Button{v.link("deciding.look", "decision", design.Outline)},
		}})
	}
	c, total := v.company, v.x.Checkout.Amount
	o := &design.Outcome{Badge: design.Badge{Tone: design.Good, Text: v.Say("approved.badge")}, Title: v.Say("approved.title", c.Name), Figure: v.Money(c.Limit)}
	p := page{Shell: v.shell(2, v.Say("approved.badge")), Outcome: o, After: v.Say("approved.after", v.Day(v.Desk.Zone.Date(v.x.Checkout.ExpiresAt)), v.Session.Masked())}
	if a.Decision.CounterOffer {
		o.Points = []design.Point{{Icon: "mail", Text: v.Say("approved.counter", v.Money(a.Requested))}}
	}
	if c.Available() < total {
		o.Text = v.Say("approved.small", v.Money(total))
		p.Acts = []design.Button{v.link("go", "line", design.Primary), v.link("back.shop", "leave", design.Ghost)}
		return v.show(http.StatusOK, p)
	}
	o.Text = v.Say("approved.text", v.x.Merchant.Name)
	o.Meter = &design.Meter{Used: c.Limit.Sub(c.Available()).Add(total), Limit: c.Limit, Figures: []design.Figure{
		{Label: v.Say("approved.this"), Value: v.Money(total)}, {Label: v.Say("approved.left"), Value: v.Money(c.Available().Sub(total))},
	}}
	p.Next = []design.Next{
		{Text: v.Say("approved.1"), Detail: v.planNames()}, {Text: v.Say("approved.2"), Detail: v.Say("approved.2.more")},
		{Text: v.Say("approved.3"), Detail: v.Say("approved.3.more")},
	}
	p.Acts = []design.Button{v.link("approved.go", "terms", design.Primary), v.link("back.shop", "leave", design.Ghost)}
	return v.show(http.StatusOK, p)
}

// planNames describes the offers in one line.
func (v *visit) planNames() string {
	var single, many []string
	for _, o := range v.offers() {
		if o.Disclosure.Count == 1 {
			single = append(single, v.planName(o))
		} else {
			many = append(many, strconv.Itoa(o.Disclosure.Count))
		}
	}
	counts := strings.Join(many, ", ")
	if n := len(many); n > 1 {
		counts = v.Say("or", strings.Join(many[:n-1], ", "), many[n-1])
	}
	switch {
	case len(many) == 0:
		return strings.Join(single, " · ")
	case len(single) == 0:
		return v.Say("plan.many", counts)
	}
	return v.Say("plan.list", strings.Join(single, " · "), counts)
}

// decideHour is the hour until which a person decides on a banking day.
const decideHour = 17

// by returns the day by whose end a person has looked at an application; None if that is over.
func (v *visit) by(a *credit.Application) calendar.Date {
	zone := v.Desk.Zone
	from := a.CreatedAt
	if !a.CompleteAt.IsZero() {
		from = a.CompleteAt
	}
	day := zone.Date(from).AddBankingDays(1)
	if !v.Desk.Now().Before(zone.At(day, decideHour, 0)) {
		return calendar.None
	}
	return day
}

// reviewPage is page P: a person is reviewing the application.
func (v *visit) reviewPage() error { return v.showReview(http.StatusOK, "") }

func (v *visit) showReview(status int, problem string) error {
	a := v.application
	o := &design.Outcome{Badge: design.Badge{Tone: design.Warn, Text: v.Say("review.badge")}, Title: v.Say("review.title"), Text: v.Say("review.text")}
	p := page{Shell: v.shell(2, v.Say("review.badge")), Outcome: o}
	o.Points = []design.Point{{Icon: "mail", Text: v.Say("review.mail", v.Session.Masked())}, {Icon: "shopping-cart", Text: v.Say("review.cart")}}
	if a == nil || a.Status == credit.ApplicationSubmitted {
		o.Acts = []design.Button{v.link("back.shop", "leave", design.Outline)}
	}
	if a == nil { // a company that the lender is still reviewing
		return v.show(status, p)
	}
	if a.Status == credit.ApplicationSubmitted {
		v.refresh(10, "review")
		o.Title, o.Text = v.Say("review.long"), v.Say("review.long.text")
		return v.show(status, p)
	}
	if day := v.by(a); day != calendar.None {
		o.Title = v.Say("review.by", v.Day(day))
	}
	if n := len(a.Requests); n > 0 && a.Status == credit.ApplicationRequested {
		r := a.Requests[n-1]
		o.Badge.Text, o.Title = v.Say("wanted.badge"), v.Say("wanted.title", v.Day(r.Due))
		o.Text = v.Say("wanted.text", r.What)
	}
	if n := len(a.Documents); n > 0 {
		p.Notices = []design.Notice{{Tone: design.Good, Icon: "circle-check", Title: v.Say("files.have", n), Text: v.Say("files.have.text"), Spoken: design.Status}}
	}
	p.Form = &pages.Form{Action: v.path("review"), Files: true, Groups: []pages.Group{{Legend: v.Say("files.title"), Lead: v.Say("files.lead"), Parts: []pages.Part{
		pages.FieldPart(design.Field{Name: "file", Label: v.Say("files.label"), Hint: v.Say("files.hint"), Type: "file", Error: problem, Required: true, Width: design.TwoThirds}),
	}}}}
	p.Form.Acts = []design.Button{{Text: v.Say("files.go"), Emphasis: design.Primary, Icon: "upload"}, v.link("back.shop", "leave", design.Ghost)}
	p.Summary = p.Form.Summary()
	return v.show(status, p)
}

// attach accepts a file for the application's reviewer.
func (v *visit) attach() error {
	if v.application == nil || v.application.Status == credit.ApplicationSubmitted {
		return v.next()
	}
	paper, why, err := v.Upload()
	if err != nil {
		return err
	}
	if why != "" {
		return v.showReview(wrong, v.Say(why))
	}
	err = v.Desk.Attach(v.Ctx(), v.application.ID, paper, v.Address)
	if r := pages.Refused(err); r != nil && r.Code == credit.LimitExceeded.Code {
		return v.showReview(wrong, v.Say("files.enough"))
	} else if r == nil && err != nil {
		return err
	}
	return v.next()
}

// declinedPage is page D: no blame, no guessed reasons.
func (v *visit) declinedPage() error {
	o := &design.Outcome{
		Badge: design.Badge{Text: v.Say("declined.badge")}, Title: v.Say("declined.title"), Text: v.Say("declined.text"),
		Points: []design.Point{{Icon: "mail", Text: v.Say("declined.mail", v.Session.Masked())}, {Icon: "lock", Text: v.Say("declined.lock", v.x.Merchant.Name)}},
		Acts:   []design.Button{pages.Primary(v.Say("back.shop")), v.link("help", "help", design.Ghost)},
	}
	if a := v.application; a != nil && !a.Consents.ElectronicRecords {
		o.Points[0] = design.Point{Icon: "mail", Text: v.Say("declined.post")}
	}
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.Say("declined.badge")), Outcome: o, Post: v.path("leave")})
}

// linePage is page I: the line is not sufficient.
func (v *visit) linePage() error {
	c, total := v.company, v.x.Checkout.Amount
	available := max(c.Available(), 0)
	o := &design.Outcome{
		Badge: design.Badge{Tone: design.Warn, Text: v.Say("line.badge")}, Title: v.Say("line.title", v.Money(available), v.Money(total)), Text: v.Say("line.text"),
		Meter: &design.Meter{Used: min(max(c.Limit.Sub(available), 0), c.Limit), Limit: c.Limit, Figures: []design.Figure{
			{Label: v.Say("line.used"), Value: v.Money(max(c.Limit.Sub(available), 0))}, {Label: v.Say("line.available"), Value: v.Money(available)},
		}},
	}
	leave := design.Button{Text: v.Say("back.shop"), Emphasis: design.Ghost}
	if v.may("higher") {
		o.Acts = []design.Button{v.link("line.ask", "higher", design.Primary), leave}
	} else {
		leave.Emphasis = design.Primary
		o.Acts, o.Points = []design.Button{leave}, []design.Point{{Icon: "users", Text: v.Say("line.owner", c.Name)}}
	}
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.Say("line.badge")), Outcome: o, Post: v.path("leave")})
}

// unavailablePage is page N: the company may not buy now.
func (v *visit) unavailablePage() error {
	return v.show(http.StatusOK, page{Shell: v.shell(0, v.Say("unavailable.badge")), Post: v.path("leave"), Outcome: &design.Outcome{
		Badge: design.Badge{Text: v.Say("unavailable.badge")}, Title: v.Say("unavailable.title", v.company.Name), Text: v.withReach(v.Say("unavailable.text", v.Ask())),
		Acts: []design.Button{pages.Primary(v.Say("back.shop")), v.link("help", "help", design.Ghost)},
	}})
}

// ownerPage is page O: someone else must accept.
func (v *visit) ownerPage() error {
	o := &design.Outcome{
		Badge: design.Badge{Tone: design.Warn, Text: v.Say("owner.badge")}, Title: v.Say("owner.title"), Text: v.Say("owner.text", v.company.Name) + " " + v.Say("owner.can"),
		Points: []design.Point{{Icon: "clock", Text: v.Say("owner.until", v.Day(v.Desk.Zone.Date(v.x.Checkout.ExpiresAt)))}},
		Acts:   []design.Button{{Text: v.Say("owner.go"), Emphasis: design.Primary, Icon: "mail"}, v.link("back.shop", "leave", design.Ghost)},
	}
	p := page{Shell: v.shell(0, v.Say("owner.badge")), Outcome: o, Post: v.path("owner")}
	if n := v.Draft["asked"]; n != "" {
		o.Acts = o.Acts[1:]
		o.Acts[0].Emphasis = design.Primary
		became := v.Say("owner.asked.text")
		o.Badge = design.Badge{Tone: design.Good, Text: v.Say("owner.asked")}
		if n == "0" {
			became, o.Badge = v.Say("owner.nobody", v.Ask()), design.Badge{Tone: design.Warn, Text: v.Say("owner.unasked")}
		}
		o.Text = v.Say("owner.text", v.company.Name) + " " + became
	}
	return v.show(http.StatusOK, p)
}

// askOwners mails the owners, once.
func (v *visit) askOwners() error {
	who := v.Session.Masked()
	if c, err := v.Desk.Contact(v.Ctx(), v.Person); err == nil && c.Name() != "" {
		who = c.Name()
	}
	if v.Draft["asked"] == "" {
		n, err := v.Desk.AskOwners(v.Ctx(), v.x, v.company, who, v.Address)
		if err != nil {
			return err
		}
		if err := v.Keep(buyer.Draft{"asked": strconv.Itoa(n)}); err != nil && !errors.Is(err, buyer.ErrRaced) {
			return err
		}
	}
	return v.to("owner")
}
