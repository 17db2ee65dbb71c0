package portal

import (
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/ui/design"
)

// emitting maps commands that emit events, or change a status, to the operations that submit
// them.
var emitting = map[string][]string{
	"order.create":   {"createOrder"},
	"order.update":   {"updateOrder"},
	"order.partial":  {"capturePart"},
	"order.extend":   {"extendOrder"},
	"order.refund":   {"refundOrder"},
	"order.service":  {"serviceOrder"},
	"payment.record": {"recordPayment"},
	"payment.refund": {"refundPayment"},
	"payment.return": {"returnPayment"},
	"payment.cancel": {"cancelPayment"},
	"company.create": {"createCompany"},
	"company.update": {"updateCompany", "setCreditLine", "linkCompany", "unlinkCompany", "holdCompany", "releaseCompany", "closeCompany"},
	"webhook.test":   {"testWebhook"},

	"payment_method.remove":    {"removePaymentMethod"},
	"payment_method.verify":    {"verifyPaymentMethod"},
	"payment_method.add":       {"addPaymentMethod"},
	"company.autopay":          {"setAutopay"},
	"order.autopay":            {"setOrderAutopay"},
	"credit.send":              {"sendCredit"},
	"credit.ask":               {"requestCredit"},
	"payment.refund_pay":       {"payRefund"},
	"payment.reverse":          {"reversePayment"},
	"order.resume":             {"resumeCollection"},
	"fee.waive":                {"waiveFee"},
	"order.hold":               {"holdOrder"},
	"order.charge_off":         {"chargeOffOrder"},
	"company.report":           {"reportCompany"},
	"company.withdraw_report":  {"withdrawReport"},
	"screening.decide":         {"confirmScreening", "clearScreening"},
	"order.reverse_charge_off": {"reverseChargeOff"},
	"receipt.identify":         {"identifyReceipt"},
	"order.revise":             {"reviseSchedule"},
	"checkout.create":          {"createCheckout"},
	"checkout.complete":        {"completeCheckout"},
	"checkout.end":             {"expireCheckout"},
	"application.submit":       {"createApplication"},
	"application.decide":       {"approveApplication", "declineApplication"},
	"application.request":      {"requestInformation"},
	"application.withdraw":     {"withdrawApplication"},
	"application.document":     {"addApplicationDocument"},
}

// unasked are the commands that emit events but are not submitted by an operation: they come from
// the clock, banks, processors, data sources and the buyer's pages.
var unasked = []string{"checkout.accept", "checkout.service", "application.facts", "application.service", "transfer.service", "transfer.reject", "transfer.return", "card.complete", "card.dispute", "payout.run", "credit.service", "payment.free_held", "screening.record"}

// eventTypes returns the types of the catalog, sorted.
func (s *site) eventTypes() []string {
	var list []string
	for _, r := range s.config.Events {
		for _, t := range r.Always {
			list = append(list, string(t))
		}
		for _, t := range r.When {
			list = append(list, string(t.Event))
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func eventLink(t credit.EventType) navLink { return navLink{string(t), "/docs/events/" + string(t)} }

// emissions returns the events that an operation emits.
func (s *site) emissions(id string) []emission {
	var out []emission
	for _, r := range s.config.Events {
		if !slices.Contains(emitting[r.Command], id) {
			continue
		}
		e := emission{Doing: r.Operation}
		for _, t := range r.Always {
			e.Always = append(e.Always, eventLink(t))
		}
		for _, t := range r.When {
			e.Sometimes = append(e.Sometimes, conditional{eventLink(t.Event), t.Condition})
		}
		if len(e.Always)+len(e.Sometimes) > 0 {
			out = append(out, e)
		}
	}
	return out
}

// eventView is the page of one event type.
type eventView struct {
	Type       string
	Text       []node // when it occurs, and what to do with it
	Causes     []cause
	Since      string
	Object     string // kind of the object that it is about
	Example    string // JSON
	Recorded   bool   // the example is a real event, and not the contract's, which has every member
	Fields     []field
	Schema     string // JSON Schema
	Neighbours []navLink
}

// Shown returns the example in color.
func (v eventView) Shown() design.Code {
	return design.Code{Title: "Payload", Language: "json", Text: v.Example, Calm: true}
}

// Plan returns the schema in color.
func (v eventView) Plan() design.Code {
	return design.Code{Title: "JSON Schema", Language: "json", Text: v.Schema, Calm: true}
}

// cause is an operation that emits an event.
type cause struct {
	Doing      string
	Command    string
	Always     bool
	Condition  string
	Operations []navLink
}

// eventsView lists the catalog by kind of object.
type eventsView struct{ Groups []eventGroup }

type eventGroup struct {
	Name  string // prefix of the types: order
	Title string // Orders
	Rows  []eventRow
}

type eventRow struct {
	navLink
	Summary string
}

func (s *site) eventPages() []*page {
	pages := []*page{{
		path: "/docs/events", title: "Events", kind: "Page", summary: "Every event type, when it comes and what it carries.", template: "events",
		view: func() any { return s.eventsView() },
	}}
	for _, t := range s.eventTypes() {
		pages = append(pages, &page{
			path: "/docs/events/" + t, title: t, kind: "Event", summary: s.eventSummary(t), template: "event", beside: eventGroupOf(t),
			text: "event webhook " + strings.ReplaceAll(t, ".", " ") + " " + plainText(s.eventText[t].nodes),
			view: func() any { return s.eventView(t) },
		})
	}
	return pages
}

// eventGroupOf returns what an event is about.
func eventGroupOf(t string) string {
	name, _, _ := strings.Cut(t, ".")
	return name
}

// many returns the heading for several of something, in the words of the contract's tags: order
// is Orders.
func many(name string) string { return capital(several(name)) }

// eventSummary returns the first sentence of a type's description.
func (s *site) eventSummary(t string) string { return firstLine(plainText(s.eventText[t].nodes)) }

func (s *site) eventsView() eventsView {
	var v eventsView
	for _, t := range s.eventTypes() {
		name, _, _ := strings.Cut(t, ".")
		if n := len(v.Groups); n == 0 || v.Groups[n-1].Name != name {
			v.Groups = append(v.Groups, eventGroup{Name: name, Title: many(name)})
		}
		g := &v.Groups[len(v.Groups)-1]
		g.Rows = append(g.Rows, eventRow{navLink{t, "/docs/events/" + t}, s.eventSummary(t)})
	}
	return v
}

func (s *site) eventView(t string) eventView {
	v := eventView{Type: t, Text: s.eventText[t].nodes, Causes: s.causes(t), Since: s.since(t)}
	for _, h := range s.contract.hooks {
		if h.kind != t {
			continue
		}
		example := eventExample(t, h.example)
		if e := s.examples[t]; e.answer.kind != absent {
			example, v.Recorded = e.answer, true
		}
		v.Example, v.Object = example.pretty(), example.at("object", "type").text
		v.Fields, v.Schema = s.contract.answerFields(h.schema), s.contract.standalone(h.schema).pretty()
	}
	group, _, _ := strings.Cut(t, ".")
	for _, other := range s.eventTypes() {
		if strings.HasPrefix(other, group+".") {
			v.Neighbours = append(v.Neighbours, navLink{other, "/docs/events/" + other})
		}
	}
	return v
}

// eventExample adapts the contract's example, which many types share, to one type: it sets the
// type, and the object to match its data.
func eventExample(t string, v value) value {
	data := v.at("data", "object")
	kind, _, _ := strings.Cut(t, ".")
	id := data.get("id")
	switch kind {
	case "order":
		id = data.get("key")
	case "installment", "schedule", "clawback":
		kind, id = "order", data.get("order_key")
	}
	return v.with("type", textValue(t)).with("object", value{kind: object, members: []member{{"type", textValue(kind)}, {"id", id}}})
}

// causes returns what emits a type.
func (s *site) causes(t string) []cause {
	var out []cause
	for _, r := range s.config.Events {
		c := cause{Doing: r.Operation, Command: r.Command, Always: slices.Contains(r.Always, credit.EventType(t))}
		for _, w := range r.When {
			if string(w.Event) == t {
				c.Condition = w.Condition
			}
		}
		if !c.Always && c.Condition == "" {
			continue
		}
		for _, id := range emitting[r.Command] {
			if op := s.contract.find(id); op != nil {
				c.Operations = append(c.Operations, navLink{op.name(), "/docs/api/" + id})
			}
		}
		out = append(out, c)
	}
	return out
}
