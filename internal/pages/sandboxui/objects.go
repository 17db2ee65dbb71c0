package sandboxui

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/ui/design"
)

// reads returns the API path at which objects of a type are read.
func reads(kind string) string {
	return map[string]string{
		"order": "/v1/order/", "company": "/v2/companies/", "checkout": "/v1/checkouts/", "payment": "/payment/", "payout": "/v1/payouts/",
		"application": "/v1/applications/", "invoice": "/v1/invoices/", "webhook": "/v1/webhooks/",
	}[kind]
}

// kindOf returns the type of an object from its ID, "" if the pages do not show that type.
func kindOf(id string) string {
	prefix, _, found := strings.Cut(id, "_")
	if !found {
		if _, err := strconv.ParseInt(id, 10, 64); err == nil && len(id) == 10 {
			return "company"
		}
		return ""
	}
	return map[string]string{"ord": "order", "chk": "checkout", "pay": "payment", "po": "payout", "app": "application", "inv": "invoice", "whk": "webhook"}[prefix]
}

// objectPath returns the path of an object's page, "" if there is none.
func objectPath(kind, id string) string {
	if reads(kind) == "" || id == "" {
		return ""
	}
	return "/sandbox/objects/" + url.PathEscape(kind) + "/" + url.PathEscape(id)
}

// objectView is the page of one object.
type objectView struct {
	Kind, ID string
	Calls    string // the API call that reads it
	Amount   string
	Badges   []design.Badge
	Links    []related // to the objects it belongs to
	Schedule []paymentRow
	JSON     *design.JSON
	Raw      design.Code
	Days     []day
	Back     *design.Link
	Recorded bool // as last seen by a scenario, and not the current state
}

// related is another object, by name and with its page.
type related struct{ Kind, Name, Href string }

// paymentRow is an installment of an order.
type paymentRow struct {
	Title, Due, Amount string
	Badge              design.Badge
}

// finder returns what is known about another object, and its page's path; "" if it has none.
type finder func(kind, id string) (said json.RawMessage, href string)

// objectOf creates the page of an object from an API response.
func (s *Screens) objectOf(kind, id string, raw json.RawMessage, find finder) objectView {
	m := objectView{Kind: kind, ID: id, Calls: "GET " + reads(kind) + id, Raw: design.Code{Title: s.say("object.raw"), Text: string(raw)}}
	if tree, ok := design.ReadJSON(raw); ok && len(raw) <= maxTree {
		m.JSON = &tree
	}
	var x thing
	_ = json.Unmarshal(raw, &x) // missing members are not shown
	m.Amount = x.amount()
	for _, status := range []string{x.Status, x.Financing} {
		if status != "" && status != "NONE" {
			m.Badges = append(m.Badges, statusOf(status))
		}
	}
	var members map[string]json.RawMessage
	_ = json.Unmarshal(raw, &members)
	for _, name := range []string{"company_id", "order_key", "parent_key", "checkout_id", "invoice_id"} {
		to := strings.Trim(string(members[name]), `"`)
		if k := kindOf(to); k != "" && to != id {
			if said, at := find(k, to); at != "" {
				m.Links = append(m.Links, related{s.say("kind." + k), calledBy(said, to, nil), at})
			}
		}
	}
	return m
}

// maxTree is the size of the largest document that is shown as a tree, in bytes.
const maxTree = 256 << 10

// inWords converts an API word to plain words: ON_HOLD is on hold.
func inWords(status string) string {
	return strings.ToLower(strings.ReplaceAll(status, "_", " "))
}

// statusOf returns a status as a badge.
func statusOf(status string) design.Badge {
	b := design.Badge{Text: inWords(status)}
	switch status {
	case "CAPTURED", "APPROVED", "ACTIVE", "PAID", "PAID_OFF", "SUCCEEDED", "SETTLED", "COMPLETED", "ACCEPTED":
		b.Tone = design.Good
	case "OVERDUE", "CHARGED_OFF", "FAILED", "RETURNED", "DECLINED", "SUSPENDED", "PAST_DUE":
		b.Tone = design.Bad
	case "ON_HOLD", "IN_REVIEW", "PENDING", "SENT", "DUE", "PARTIALLY_PAID":
		b.Tone = design.Warn
	}
	return b
}

func (s *Screens) objectPage(v *visit) {
	kind, id := v.r.PathValue("kind"), v.r.PathValue("id")
	at := reads(kind)
	if at == "" {
		s.failure(v.w, v.r, http.StatusNotFound)
		return
	}
	var raw json.RawMessage
	if err := v.get(at+url.PathEscape(id), &raw); err != nil {
		v.refused(err)
		return
	}
	m := s.objectOf(kind, id, raw, v.find)
	if kind == "order" {
		m.Schedule = v.schedule(id)
	}
	if kind == "order" || kind == "company" {
		path := "/v1/order/" + url.PathEscape(id) + "/events?limit=100"
		if kind == "company" {
			path = pathOf("companies", id, "events") + "?limit=100"
		}
		var events list[event]
		if v.get(path, &events) == nil { // a token that may not read them shows only the object
			m.Days = s.days(events.Data, v.names(events.Data), id)
		}
	}
	m.Back = &design.Link{Text: s.say("home.title"), Href: "/sandbox"}
	v.page("object", frame{Title: s.nameOf(kind, raw, id, nil), Path: "/sandbox", Main: m})
}

// find requests another object from the API. One that the token may not read is called by its
// key.
func (v *visit) find(kind, id string) (said json.RawMessage, href string) {
	_ = v.get(reads(kind)+url.PathEscape(id), &said)
	return said, objectPath(kind, id)
}

// schedule returns the installments of an order, if the token may read them.
func (v *visit) schedule(key string) (rows []paymentRow) {
	var said struct {
		Installments []installment `json:"installments"`
	}
	_ = v.get(schedulePath(key), &said)
	for _, x := range said.Installments {
		rows = append(rows, paymentRow{v.screens.say("object.installment", x.Number), shortDay(x.DueDate), dollars(x.Amount), statusOf(x.Status)})
	}
	return rows
}

// calledBy returns what people call a known object.
func calledBy(said json.RawMessage, id string, names map[string]string) string {
	var x thing
	_ = json.Unmarshal(said, &x)
	x.ID = id
	return x.called(names)
}

// nameOf returns what a page calls an object.
func (s *Screens) nameOf(kind string, raw json.RawMessage, id string, names map[string]string) string {
	if kind == "payout" {
		if name := calledBy(raw, id, names); name != id {
			return s.say("object.payout", name)
		}
	}
	return s.say("kind."+kind) + " " + calledBy(raw, id, names)
}

// detailOf distinguishes an object from others with the same name: which installments a payment
// pays, and when.
func (s *Screens) detailOf(kind string, raw json.RawMessage) string {
	if kind != "payment" {
		return ""
	}
	var x thing
	_ = json.Unmarshal(raw, &x)
	var paid []string
	for _, a := range x.Allocations {
		if n := s.say("story.installment", a.Installment); !slices.Contains(paid, n) {
			paid = append(paid, n)
		}
	}
	return joined(strings.Join(paid, ", "), shortDay(cmp.Or(x.Effective, x.Scheduled)))
}
