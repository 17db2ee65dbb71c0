package credit

import (
	"strconv"

	"tenor/internal/calendar"
	"tenor/internal/money"
	"tenor/internal/schedule"
)

// EventType names an event that merchants can subscribe to.
type EventType string

// Event types that the commands emit (product: Events).
const (
	OrderCreatedEvent         EventType = "order.created"
	OrderUpdatedEvent         EventType = "order.updated"
	OrderAuthorizedEvent      EventType = "order.authorized"
	OrderCapturedEvent        EventType = "order.captured"
	OrderCanceledEvent        EventType = "order.canceled"
	OrderRefundedEvent        EventType = "order.refunded"
	OrderReturnedEvent        EventType = "order.returned"
	AuthorizationExpiring     EventType = "order.authorization_expiring"
	PaymentCreatedEvent       EventType = "payment.created"
	PaymentSucceededEvent     EventType = "payment.succeeded"
	PaymentReturnedEvent      EventType = "payment.returned"
	PaymentRefundedEvent      EventType = "payment.refunded"
	PaymentCanceledEvent      EventType = "payment.canceled"
	InstallmentDueEvent       EventType = "installment.due"
	InstallmentPaidEvent      EventType = "installment.paid"
	ScheduleUpdatedEvent      EventType = "schedule.updated"
	CompanyCreatedEvent       EventType = "company.created"
	CompanyUpdatedEvent       EventType = "company.updated"
	CompanyStatusChangedEvent EventType = "company.status_changed"
	CreditLineChangedEvent    EventType = "company.credit_line_changed"
	InvoiceIssuedEvent        EventType = "invoice.issued"
	InvoicePaidEvent          EventType = "invoice.paid"
	InvoicePastDueEvent       EventType = "invoice.past_due"
	ClawbackCreatedEvent      EventType = "clawback.created"
)

// Event is one fact for the outside, written in the commit of its cause.
// Sequence counts the events of its object from 1 without gaps (EV1).
type Event struct {
	ID       string // evt_…
	Type     EventType
	Object   ObjectRef
	Sequence int64
	Company  int64  // 0 if none
	Merchant string // who may read it; "" = every merchant linked to the company
	// Data is the object after the change: *Order, *Payment, *Company, *Invoice,
	// or an InstallmentFact, ScheduleFact, ClawbackFact.
	Data any
	// Previous holds the members that changed, by their JSON name, with their old
	// values as they would have been written.
	Previous map[string]any
}

// ObjectRef names the object of an event.
type ObjectRef struct {
	Type string // order, payment, company, invoice
	ID   string
}

// InstallmentFact is the data of installment.* events.
type InstallmentFact struct {
	Order  *Order
	Loan   *schedule.Loan
	Number int
	Day    calendar.Date // business date of the event
}

// ScheduleFact is the data of schedule.updated.
type ScheduleFact struct {
	Order *Order
	Loan  *schedule.Loan
	Day   calendar.Date
}

// ClawbackFact is the data of clawback.created: what the merchant owes back.
type ClawbackFact struct {
	Order  *Order
	Refund Refund
	Amount money.Amount
}

// fact is an event before its sequence is drawn.
type fact struct {
	kind     EventType
	object   ObjectRef
	data     func(*draft) any // called when all records are final
	previous map[string]any
}

func (d *draft) orderEvent(kind EventType, key string, previous map[string]any) {
	d.orderQuietly(key)
	d.facts = append(d.facts, fact{kind, ObjectRef{"order", key}, func(d *draft) any { return d.orders[key] }, previous})
}

func (d *draft) orderFact(kind EventType, key string, data func(*draft) any) {
	d.orderQuietly(key)
	d.facts = append(d.facts, fact{kind, ObjectRef{"order", key}, data, nil})
}

func (d *draft) paymentEvent(kind EventType, id string, previous map[string]any) {
	d.facts = append(d.facts, fact{kind, ObjectRef{"payment", id}, func(d *draft) any { return d.payments[id] }, previous})
}

func (d *draft) invoiceEvent(kind EventType, id string, previous map[string]any) {
	d.facts = append(d.facts, fact{kind, ObjectRef{"invoice", id}, func(d *draft) any { return d.invoices[id] }, previous})
}

func (d *draft) companyEvent(kind EventType, id int64, previous map[string]any) {
	d.facts = append(d.facts, fact{kind, ObjectRef{"company", strconv.FormatInt(id, 10)}, func(d *draft) any { return d.companies[id] }, previous})
}

// writeEvents draws each event's sequence from its object, in the order in which
// the facts came up. The data show the objects as the command leaves them.
func (d *draft) writeEvents() {
	for _, f := range d.facts {
		e := Event{ID: d.ids.next(prefixEvent), Type: f.kind, Object: f.object, Data: f.data(d), Previous: f.previous}
		switch f.object.Type {
		case "order":
			o := d.orders[f.object.ID]
			o.EventSeq++
			e.Sequence, e.Company, e.Merchant = o.EventSeq, o.Company, o.Merchant
		case "payment":
			p := d.payments[f.object.ID]
			p.EventSeq++
			e.Sequence, e.Company, e.Merchant = p.EventSeq, p.Company, d.readerOf(p)
		case "invoice":
			i := d.invoices[f.object.ID]
			i.EventSeq++
			e.Sequence, e.Company, e.Merchant = i.EventSeq, i.Company, i.Merchant
		case "company":
			id, _ := strconv.ParseInt(f.object.ID, 10, 64)
			c := d.companies[id]
			c.EventSeq++
			e.Sequence, e.Company = c.EventSeq, id
		}
		d.c.Events = append(d.c.Events, e)
	}
}

// readerOf is the merchant that may read a payment: the one that recorded it, or
// whose order it names; "-" if it is the operator's alone.
func (d *draft) readerOf(p *Payment) string {
	if p.Order != "" {
		return d.peekOrder(p.Order).Merchant
	}
	if p.Merchant != "" {
		return p.Merchant
	}
	return OperatorOnly
}

// OperatorOnly stands as an event's Merchant if no merchant may read it.
const OperatorOnly = "-"

// eventSeq is the sequence of an object's last event, 0 before the first.
func (s *State) eventSeq(o ObjectRef) int64 {
	switch o.Type {
	case "order":
		if x := s.Orders[o.ID]; x != nil {
			return x.EventSeq
		}
	case "payment":
		if x := s.Payments[o.ID]; x != nil {
			return x.EventSeq
		}
	case "invoice":
		if x := s.Invoices[o.ID]; x != nil {
			return x.EventSeq
		}
	case "company":
		id, _ := strconv.ParseInt(o.ID, 10, 64)
		if x := s.Companies[id]; x != nil {
			return x.EventSeq
		}
	}
	return 0
}
