package sandboxui

import (
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// remindDays is how long before a due date a company is reminded (docs/decisions.md, what wakes
// an order for a mail).
const remindDays = 5

// heldMoney is due for an order or for a company.
const heldMoney = "held money"

// next returns what is due first.
func (s *Screens) next(r *http.Request, c Clock) *nextView {
	kind, id, _ := cutLast(c.Next, " ")
	held := kind == heldMoney
	if held { // for an order or for a company
		kind = kindOf(id)
	}
	n := &nextView{At: s.business(c.NextAt), What: s.say("next.other")}
	if kind != "order" && kind != "company" {
		if kind == "transfer" {
			n.What = s.say("next.transfer")
		}
		return n
	}
	n.What = s.say("next." + kind)
	x := s.sessionOf(r)
	if x == nil {
		return n
	}
	var of thing
	if s.ask(r, x.token, http.MethodGet, reads(kind)+url.PathEscape(id), "", nil, &of) != nil { // it belongs to somebody else
		return n
	}
	n.What, n.Href = s.say("next."+kind+".called", of.called(nil)), objectPath(kind, id)
	if kind == "order" && !held {
		if what := s.awaited(r, x.token, of, c.NextAt); what != "" {
			n.What = what
		}
	}
	return n
}

// installment is a row of a schedule, as far as pages show it.
type installment struct {
	Number      int         `json:"number"`
	DueDate     string      `json:"due_date"`
	Collection  string      `json:"collection_date"`
	Amount      json.Number `json:"amount"`
	Outstanding json.Number `json:"amount_outstanding"`
	Status      string      `json:"status"`
}

// open reports whether part of it remains to be paid.
func (x installment) open() bool { return x.Status != "PAID" && x.Status != "CANCELED" }

// schedulePath returns the API path of an order's schedule.
func schedulePath(key string) string { return "/payments/schedule/" + url.PathEscape(key) }

// awaited describes what happens to an order at an instant, according to its terms and its
// schedule; "" if they do not say.
func (s *Screens) awaited(r *http.Request, token string, o thing, at time.Time) string {
	called := o.called(nil)
	if o.Status == "AUTHORIZED" {
		if at.Equal(o.ExpiresAt) {
			return s.say("next.order.expires", called)
		}
		return s.say("next.order.expiring", called)
	}
	var schedule struct {
		Installments []installment `json:"installments"`
	}
	if s.ask(r, token, http.MethodGet, schedulePath(o.Key), "", nil, &schedule) != nil {
		return ""
	}
	local := at.In(s.config.Zone)
	day := local.Format(time.DateOnly)
	reminded := time.Date(local.Year(), local.Month(), local.Day()+remindDays, 0, 0, 0, 0, time.UTC).Format(time.DateOnly)
	starts := local.Hour() == 0 && local.Minute() == 0
	for _, x := range schedule.Installments {
		switch {
		case !x.open():
		case starts && x.DueDate == day:
			return s.say("next.order.due", called, x.Number)
		case starts && x.DueDate == reminded:
			return s.say("next.order.reminder", called, x.Number)
		case !starts && x.Collection > day && o.Autopay: // the cut-off before it
			return s.say("next.order.autopay", called, x.Number)
		}
	}
	return ""
}
