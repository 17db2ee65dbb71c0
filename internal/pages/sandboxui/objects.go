package sandboxui

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"tenor/internal/ui/design"
)

// reads are the paths of the API at which objects are read, by their type.
func reads(kind string) string {
	return map[string]string{
		"order": "/v1/order/", "company": "/v2/companies/", "checkout": "/v1/checkouts/", "payment": "/payment/", "payout": "/v1/payouts/",
		"application": "/v1/applications/", "invoice": "/v1/invoices/", "webhook": "/v1/webhooks/",
	}[kind]
}

// kindOf is the type of an object by its identifier, "" if the pages do not show such.
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

// objectPath is the page of an object, "" if there is none.
func objectPath(kind, id string) string {
	if reads(kind) == "" || id == "" {
		return ""
	}
	return "/sandbox/objects/" + url.PathEscape(kind) + "/" + url.PathEscape(id)
}

// objectView is the page of one object.
type objectView struct {
	Kind, ID string
	Calls    string // how the API is asked for it
	Amount   string
	Badges   []design.Badge
	Links    []design.Link // to what it is of
	JSON     *design.JSON
	Raw      design.Code
	Days     []day
	Back     *design.Link
	Recorded bool // it is what a scenario saw last, and not what is now
}

// objectOf is the page of an object of which the API has said something.
func (s *Screens) objectOf(kind, id string, raw json.RawMessage, link func(kind, id string) string) objectView {
	m := objectView{Kind: kind, ID: id, Calls: "GET " + reads(kind) + id, Raw: design.Code{Title: s.say("object.raw"), Text: string(raw)}}
	if tree, ok := design.ReadJSON(raw); ok && len(raw) <= maxTree {
		m.JSON = &tree
	}
	var x thing
	_ = json.Unmarshal(raw, &x) // what is not there is not shown
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
			if at := link(k, to); at != "" {
				m.Links = append(m.Links, design.Link{Text: s.say("kind."+k) + " " + to, Href: at})
			}
		}
	}
	return m
}

// maxTree is the largest document that is shown as a tree, in bytes.
const maxTree = 256 << 10

// statusOf is a status as a state. The word is that of the API.
func statusOf(status string) design.Badge {
	b := design.Badge{Text: status}
	switch status {
	case "CAPTURED", "APPROVED", "ACTIVE", "PAID", "PAID_OFF", "SUCCEEDED", "SETTLED", "COMPLETED", "ACCEPTED":
		b.Tone = design.Good
	case "OVERDUE", "CHARGED_OFF", "FAILED", "RETURNED", "DECLINED", "SUSPENDED", "PAST_DUE":
		b.Tone = design.Bad
	case "ON_HOLD", "IN_REVIEW", "PENDING", "SENT":
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
	m := s.objectOf(kind, id, raw, objectPath)
	if kind == "order" || kind == "company" {
		path := "/v1/order/" + url.PathEscape(id) + "/events?limit=100"
		if kind == "company" {
			path = pathOf("companies", id, "events") + "?limit=100"
		}
		var events list[event]
		if v.get(path, &events) == nil { // a token that may not read them sees the object alone
			m.Days = s.days(events.Data, v.names(events.Data), id)
		}
	}
	m.Back = &design.Link{Text: s.say("home.title"), Href: "/sandbox"}
	v.page("object", frame{Title: s.nameOf(kind, raw, id, nil), Path: "/sandbox", Main: m})
}

// nameOf is what a page calls an object.
func (s *Screens) nameOf(kind string, raw json.RawMessage, id string, names map[string]string) string {
	var x thing
	_ = json.Unmarshal(raw, &x)
	x.ID = id
	return s.say("kind."+kind) + " " + x.called(names)
}
