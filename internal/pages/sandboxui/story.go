package sandboxui

import (
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"tenor/internal/domain/money"
	"tenor/internal/ui/design"
)

// event is an event as returned by the API.
type event struct {
	Type      string    `json:"type"`
	CreatedAt time.Time `json:"created_at"`
	Object    struct {
		Type string `json:"type"`
		ID   string `json:"id"`
	} `json:"object"`
	Data struct {
		Object   json.RawMessage            `json:"object"`
		Previous map[string]json.RawMessage `json:"previous_attributes"`
	} `json:"data"`
	Request struct {
		ID string `json:"id"` // "": not caused by a call of the reader's
	} `json:"request"`
}

// thing returns the event's object, as it was then.
func (e event) thing() (x thing) {
	_ = json.Unmarshal(e.Data.Object, &x) // missing members are not shown
	x.ID = e.Object.ID
	return x
}

// thing is what pages show of an object of any type: its name, and its amount.
type thing struct {
	Name            string      `json:"name"`
	Number          string      `json:"number"`
	URL             string      `json:"url"`  // of an endpoint
	Date            string      `json:"date"` // of the run that made a payout
	MerchantOrderID string      `json:"merchant_order_id"`
	OrderKey        string      `json:"order_key"`
	Key             string      `json:"key"`
	ID              string      `json:"id"`
	Status          string      `json:"status"`
	Financing       string      `json:"financing_status"`
	ExpiresAt       time.Time   `json:"authorization_expires_at"`
	Autopay         bool        `json:"autopay"`
	Effective       string      `json:"effective_date"` // of a payment
	Scheduled       string      `json:"scheduled_date"`
	Gross           json.Number `json:"gross"` // of a payout
	Discount        json.Number `json:"discount"`
	Amount          json.Number `json:"amount"`
	Net             json.Number `json:"net"`
	AmountDue       json.Number `json:"amount_due"`
	TotalAmount     json.Number `json:"total_amount"`
	CreditLine      struct {
		Limit json.Number `json:"limit"`
	} `json:"credit_line"`
	Installment struct {
		Number int         `json:"number"`
		Amount json.Number `json:"amount"`
	} `json:"installment"`
	Allocations []struct {
		Installment int `json:"installment"`
	} `json:"allocations"` // of a payment
}

// called returns what people call it, or the order that it belongs to. names are the known names
// of orders by key.
func (x thing) called(names map[string]string) string {
	for _, name := range []string{x.MerchantOrderID, names[x.Key], x.Name, x.Number, x.Key, names[x.OrderKey], x.OrderKey, bare(x.URL), shortDay(x.Date), x.ID} {
		if name != "" {
			return name
		}
	}
	return ""
}

// bare returns an address without its scheme.
func bare(address string) string {
	if _, rest, found := strings.Cut(address, "://"); found {
		return rest
	}
	return address
}

// shortDay formats a date of the API for people; anything else is unchanged.
func shortDay(date string) string {
	d, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return d.Format("Jan 2, 2006")
}

// amount returns its amount in dollars; "" if it has none.
func (x thing) amount() string {
	for _, n := range []json.Number{x.Installment.Amount, x.Amount, x.Net, x.AmountDue, x.TotalAmount, x.CreditLine.Limit} {
		if a, err := money.Parse(n.String()); err == nil {
			return design.English.Money(a)
		}
	}
	return ""
}

// day is the events of one business day, newest first.
type day struct {
	Title    string
	Date     string // for machines
	Timeline design.Timeline
}

// names returns the merchant's order numbers by key, from these events and the latest orders.
func (v *visit) names(events []event) map[string]string {
	out := map[string]string{}
	var orders list[orderRow]
	_ = v.get("/v1/orders?limit=100", &orders) // an order with an unknown number is called by its key
	for _, o := range orders.Data {
		out[o.Key] = o.MerchantOrderID
	}
	for _, e := range events {
		if x := e.thing(); e.Object.Type == "order" && x.MerchantOrderID != "" {
			out[e.Object.ID] = x.MerchantOrderID
		}
	}
	return out
}

// days groups events, oldest first, by business day. of is the object of the page, "" if there is
// none: its name is in the heading and not repeated on every line.
func (s *Screens) days(events []event, names map[string]string, of string) []day {
	var out []day
	for i := len(events) - 1; i >= 0; i-- {
		e := events[i]
		at := e.CreatedAt.In(s.config.Zone)
		title := at.Format("Monday, January 2, 2006")
		if n := len(out); n == 0 || out[n-1].Title != title {
			out = append(out, day{Title: title, Date: at.Format(time.DateOnly)})
		}
		entry, times := s.entry(e, at, names, of), 1
		for ; i > 0 && events[i-1].CreatedAt.Equal(e.CreatedAt) && s.entry(events[i-1], at, names, of) == entry; i-- {
			times++
		}
		if times > 1 {
			entry.Detail = joined(entry.Detail, s.say("story.times", times))
		}
		t := &out[len(out)-1].Timeline
		t.Entries = append(t.Entries, entry)
	}
	return out
}

// joined joins the non-empty parts of a line.
func joined(parts ...string) string {
	return strings.Join(slices.DeleteFunc(parts, func(p string) bool { return p == "" }), " · ")
}

// entry returns an event as a line: what happened, to what, and what changed.
func (s *Screens) entry(e event, at time.Time, names map[string]string, of string) design.Entry {
	icon, tone := look(e.Type)
	x := e.thing()
	var called, installment, differs string
	if e.Object.ID != of {
		called = x.called(names)
	}
	if n := x.Installment.Number; n > 0 {
		installment = s.say("story.installment", n)
	}
	if e.Object.ID == of || e.Object.Type == "company" || strings.HasSuffix(e.Type, ".updated") {
		differs = s.changed(e)
	}
	if differs == "" {
		differs = x.amount()
	}
	switch {
	case differs != "" && e.Object.Type == "company" && len(e.Data.Previous) == 0:
		differs = s.say("story.line", differs)
	case e.Object.Type == "payout" && e.Object.ID != of: // the day is in the heading
		called, differs = "", s.payout(x)
	}
	entry := design.Entry{
		Icon: icon, Tone: tone, Text: sentence(e.Type), Href: objectPath(e.Object.Type, e.Object.ID), Detail: joined(called, installment, differs),
		Time: at.Format("15:04"), Instant: e.CreatedAt.UTC().Format(time.RFC3339),
	}
	if e.Object.ID == of {
		entry.Href, entry.Text = "", sentence(strings.TrimPrefix(e.Type, e.Object.Type+".")) // there is one
	}
	if e.Request.ID != "" {
		entry.Link = &design.Link{Text: s.say("story.call"), Href: requestPath(e.Request.ID)}
	}
	return entry
}

// payout describes the net amount of a payout, and its origin.
func (s *Screens) payout(x thing) string {
	gross, err := money.Parse(x.Gross.String())
	less, err2 := money.Parse(x.Discount.String())
	net, err3 := money.Parse(x.Net.String())
	switch {
	case err != nil || err2 != nil || err3 != nil || gross == 0:
		return x.amount()
	case gross-less == net && less != 0:
		return s.say("story.payout.less", design.English.Money(net), design.English.Money(gross), design.English.Money(less))
	case gross == net:
		return x.amount()
	}
	return s.say("story.payout.of", design.English.Money(net), design.English.Money(gross))
}

// sentence converts an event type to words: order.captured is Order captured.
func sentence(kind string) string {
	text := strings.NewReplacer(".", " ", "_", " ").Replace(kind)
	r, n := utf8.DecodeRuneInString(text)
	return string(unicode.ToUpper(r)) + text[n:]
}

// look returns an event's icon: by what happened, otherwise by the object.
func look(kind string) (icon string, tone design.Tone) {
	object, what, _ := strings.Cut(kind, ".")
	switch what {
	case "paid", "succeeded", "settled", "approved", "accepted", "completed", "paid_off":
		return "circle-check", design.Good
	case "failed", "returned", "declined", "past_due", "overdue", "charged_off", "suspended", "disputed":
		return "circle-alert", design.Bad
	case "captured":
		return "package-check", design.Good
	case "canceled", "expired", "closed", "withdrawn":
		return "circle-x", design.Calm
	case "refunded":
		return "undo-2", design.Calm
	}
	switch object {
	case "order", "checkout":
		return "shopping-cart", design.Calm
	case "payment", "installment":
		return "badge-dollar-sign", design.Calm
	case "payout", "clawback":
		return "landmark", design.Calm
	case "invoice", "application":
		return "file-text", design.Calm
	case "company":
		return "building-2", design.Calm
	case "schedule":
		return "calendar-days", design.Calm
	case "webhook":
		return "webhook", design.Calm
	}
	return "circle-dot", design.Calm
}

const (
	eventPages = 10 // pages of a hundred events read at most for one page
	storyMost  = 12 // events of a move on the home page
	storyFew   = 6  // without a move
	storyOld   = 4  // before a move
	storyPast  = 7 * 24 * time.Hour
)

// eventsSince reads the events of a business day and later, oldest first; more means that some
// were not read.
func (v *visit) eventsSince(from time.Time) (all []event, more bool, err error) {
	query := url.Values{"limit": {"100"}, "created_from": {from.In(v.screens.config.Zone).Format(time.DateOnly)}}
	for range eventPages {
		var page struct {
			list[event]
			NextCursor string `json:"next_cursor"`
			HasMore    bool   `json:"has_more"`
		}
		if err := v.get("/v1/events?"+query.Encode(), &page); err != nil {
			return nil, false, err
		}
		all, more = append(all, page.Data...), page.HasMore
		if !page.HasMore {
			break
		}
		query.Set("cursor", page.NextCursor)
	}
	return all, more, nil
}

// story is the timeline of the home page: what happened when the clock moved, and before.
type story struct {
	Lead   string
	Moved  bool
	Gap    string // between the two; "": there is nothing before
	Since  []day
	Before []day
	Left   int // events not shown
	All    string
}

func (s *Screens) story(v *visit) (*story, error) {
	now := v.now
	moved, found := s.watch.moved()
	from := now.Add(-storyPast)
	if found {
		from = moved.From.Add(-storyPast)
	}
	events, more, err := v.eventsSince(from)
	if err != nil {
		return nil, err
	}
	named := v.names(events)
	events = acts(events)
	x := &story{All: "/sandbox/events?from=" + from.In(s.config.Zone).Format(time.DateOnly)}
	if !found {
		x.Lead = s.say("story.lead.still")
		x.Left = max(len(events)-storyFew, 0)
		x.Since = s.days(events[x.Left:], named, "")
		return x, nil
	}
	cut := slices.IndexFunc(events, func(e event) bool { return e.CreatedAt.After(moved.From) })
	if cut < 0 {
		cut = len(events)
	}
	since, before := events[cut:], events[:cut]
	took := s.span(time.Duration(moved.Days()) * 24 * time.Hour)
	x.Lead = s.say("story.lead.none", s.stretch(moved), took)
	if len(since) > 0 {
		x.Lead = s.say("story.lead", s.stretch(moved), took, s.many("story.events", len(since)))
	}
	if more {
		x.Lead = s.say("story.lead.more", x.Lead)
	}
	x.Moved = true
	x.Left = max(len(since)-storyMost, 0)
	x.Since = s.days(since[x.Left:], named, "")
	if x.Before = s.days(before[max(len(before)-storyOld, 0):], named, ""); len(x.Before) > 0 {
		x.Gap = s.say("story.gap", took)
	}
	return x, nil
}

// lineChanged is the event about a company's line, which most actions change.
const lineChanged = "company.credit_line_changed"

// acts drops the events that only show another event's effect on a company's line at the same
// moment: it is implied.
func acts(events []event) []event {
	moments := map[time.Time]int{}
	for _, e := range events {
		moments[e.CreatedAt]++
	}
	return slices.DeleteFunc(events, func(e event) bool { return e.Type == lineChanged && moments[e.CreatedAt] > 1 })
}

// stretch formats the range over which a clock was moved, with the years if they differ.
func (s *Screens) stretch(m move) string {
	from, to, form := m.From.In(s.config.Zone), m.To.In(s.config.Zone), "January 2"
	if from.Year() != to.Year() {
		form = "January 2, 2006"
	}
	return s.say("story.stretch", from.Format(form), to.Format(form))
}

// many returns the text for one or for many, and for none if it exists.
func (s *Screens) many(key string, n int) string {
	switch {
	case n == 1:
		return s.say(key + ".one")
	case n == 0 && s.site.texts[key+".none"] != "":
		return s.say(key + ".none")
	}
	return s.say(key+".many", strconv.Itoa(n))
}

// eventsView is the page of all events since a day.
type eventsView struct {
	From  string
	Days  []day
	More  bool
	Empty bool
}

func (s *Screens) eventsPage(v *visit) {
	from, err := time.ParseInLocation(time.DateOnly, v.r.URL.Query().Get("from"), s.config.Zone)
	if err != nil {
		from = v.now.Add(-storyPast)
	}
	events, more, err := v.eventsSince(from)
	if err != nil {
		v.refused(err)
		return
	}
	m := eventsView{From: from.In(s.config.Zone).Format(time.DateOnly), Days: s.days(events, v.names(events), ""), More: more, Empty: len(events) == 0}
	v.page("events", frame{Title: s.say("events.title"), Path: "/sandbox", Main: m})
}
