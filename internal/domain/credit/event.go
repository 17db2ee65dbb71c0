package credit

import (
	"cmp"
	"maps"
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// EventType names an event that merchants can subscribe to.
type EventType string

// Event types that the commands emit (docs/events.md).
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
	PaymentScheduledEvent     EventType = "payment.scheduled"
	PaymentSucceededEvent     EventType = "payment.succeeded"
	PaymentFailedEvent        EventType = "payment.failed"
	PaymentReturnedEvent      EventType = "payment.returned"
	PaymentRefundedEvent      EventType = "payment.refunded"
	PaymentCanceledEvent      EventType = "payment.canceled"
	InstallmentDueEvent       EventType = "installment.due"
	InstallmentPaidEvent      EventType = "installment.paid"
	InstallmentOverdueEvent   EventType = "installment.overdue"
	ScheduleUpdatedEvent      EventType = "schedule.updated"
	CompanyCreatedEvent       EventType = "company.created"
	CompanyUpdatedEvent       EventType = "company.updated"
	CompanyStatusChangedEvent EventType = "company.status_changed"
	CreditLineChangedEvent    EventType = "company.credit_line_changed"
	InvoiceIssuedEvent        EventType = "invoice.issued"
	InvoicePaidEvent          EventType = "invoice.paid"
	InvoicePastDueEvent       EventType = "invoice.past_due"
	ClawbackCreatedEvent      EventType = "clawback.created"
	PayoutCreatedEvent        EventType = "payout.created"
	PayoutSettledEvent        EventType = "payout.settled"
	PayoutFailedEvent         EventType = "payout.failed"
	WebhookTestEvent          EventType = "webhook.test"
	ApplicationSubmittedEvent EventType = "application.submitted"
	ApplicationUpdatedEvent   EventType = "application.updated"
	ApplicationDecidedEvent   EventType = "application.decided"
	CheckoutAcceptedEvent     EventType = "checkout.accepted"
	CheckoutCanceledEvent     EventType = "checkout.canceled"
	CheckoutExpiredEvent      EventType = "checkout.expired"
)

// Event is one fact for external readers, written in the commit that caused it.
// Sequence counts the events of its object from 1 without gaps (EV1).
type Event struct {
	ID       string // evt_…
	Type     EventType
	Object   ObjectRef
	Sequence int64
	At       time.Time // when it happened: the instant of the command
	Company  int64     // 0 if none
	Merchant string    // who may read it; "" = every merchant linked to the company
	// Readers are the merchants linked to the company after the command, sorted; nil if
	// Merchant names the reader.
	Readers []string
	// Data is the object after the change: *Order, *Payment, *Company, *Invoice, *Payout, a Record
	// or an InstallmentFact, ScheduleFact, ClawbackFact.
	Data any
	// Previous holds the members of the object that the command changed, by JSON name, with
	// their old values. It is empty if the object is new or Data is not the object.
	Previous map[string]any
}

// ReadBy lists the merchants that may read the event.
func (e *Event) ReadBy() []string {
	switch e.Merchant {
	case "":
		return e.Readers
	case OperatorOnly:
		return nil
	}
	return []string{e.Merchant}
}

// ObjectRef names the object of an event.
type ObjectRef struct {
	Type string // order, payment, company, invoice, payout, webhook, or a Noun
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

// fact is an event before its sequence is assigned.
type fact struct {
	kind   EventType
	object ObjectRef
	data   func(*Draft) any // called when all records are final; nil: the object itself
	extra  map[string]any   // previous values that the old records do not hold
}

func orderRef(key string) ObjectRef  { return ObjectRef{"order", key} }
func paymentRef(id string) ObjectRef { return ObjectRef{"payment", id} }
func invoiceRef(id string) ObjectRef { return ObjectRef{"invoice", id} }
func payoutRef(id string) ObjectRef  { return ObjectRef{"payout", id} }

// WebhookRef is a webhook endpoint as the object of an event.
func WebhookRef(id string) ObjectRef { return ObjectRef{"webhook", id} }
func companyRef(id int64) ObjectRef  { return ObjectRef{"company", strconv.FormatInt(id, 10)} }

// WebhookEvent emits an event about an endpoint.
func (d *Draft) WebhookEvent(kind EventType, id string) {
	d.facts = append(d.facts, fact{kind: kind, object: WebhookRef(id)})
}

// OrderEvent emits an event about an order.
func (d *Draft) OrderEvent(kind EventType, key string) {
	d.Orders.Edit(key)
	d.facts = append(d.facts, fact{kind: kind, object: orderRef(key)})
}

// LastEvent adds previous values to the last event emitted.
func (d *Draft) LastEvent(before map[string]any) { d.facts[len(d.facts)-1].extra = before }

// OrderFact emits an event about an order with data of its own.
func (d *Draft) OrderFact(kind EventType, key string, data func(*Draft) any) {
	d.Orders.Edit(key)
	d.facts = append(d.facts, fact{kind: kind, object: orderRef(key), data: data})
}

// PaymentEvent emits an event about a payment.
func (d *Draft) PaymentEvent(kind EventType, id string) {
	d.facts = append(d.facts, fact{kind: kind, object: paymentRef(id)})
}

// InvoiceEvent emits an event about an invoice.
func (d *Draft) InvoiceEvent(kind EventType, id string) {
	d.facts = append(d.facts, fact{kind: kind, object: invoiceRef(id)})
}

// PayoutEvent emits an event about a payout.
func (d *Draft) PayoutEvent(kind EventType, id string) {
	d.facts = append(d.facts, fact{kind: kind, object: payoutRef(id)})
}

// CompanyEvent emits an event about a company.
func (d *Draft) CompanyEvent(kind EventType, id int64) {
	d.facts = append(d.facts, fact{kind: kind, object: companyRef(id)})
}

// Tells reports whether an event already shows the order as the command leaves it.
func (d *Draft) Tells(key string) bool {
	return slices.ContainsFunc(d.facts, func(f fact) bool { return f.object == orderRef(key) && f.data == nil })
}

// writeEvents assigns each event the next sequence of its object, in the order in which the
// facts arose. The data show the objects as the command leaves them.
func (d *Draft) writeEvents(before map[ObjectRef]Previous) {
	for _, f := range d.facts {
		e := Event{ID: d.IDs.Next(prefixEvent), Type: f.kind, Object: f.object, At: d.Env.Now, Previous: map[string]any{}}
		d.place(&e)
		if f.data != nil {
			e.Data = f.data(d)
		} else {
			maps.Copy(e.Previous, before[f.object])
			maps.Copy(e.Previous, f.extra)
		}
		d.Changes.Events = append(d.Changes.Events, e)
	}
}

// place sets an event's sequence, owners and data from its object.
func (d *Draft) place(e *Event) {
	switch e.Object.Type {
	case "order":
		o := d.Orders.Edit(e.Object.ID)
		o.EventSeq++
		e.Sequence, e.Company, e.Merchant, e.Data = o.EventSeq, o.Company, o.Merchant, o
	case "payment":
		p := d.Payments.Edit(e.Object.ID)
		p.EventSeq++
		e.Sequence, e.Company, e.Merchant, e.Data = p.EventSeq, p.Company, d.readerOf(p), p
	case "invoice":
		i := d.Invoices.Edit(e.Object.ID)
		i.EventSeq++
		e.Sequence, e.Company, e.Merchant, e.Data = i.EventSeq, i.Company, i.Merchant, i
	case "company":
		id, _ := strconv.ParseInt(e.Object.ID, 10, 64)
		c := d.Companies.Edit(id)
		c.EventSeq++
		e.Sequence, e.Company, e.Readers, e.Data = c.EventSeq, id, c.Linked, c
	case "payout":
		x := d.Payouts.Edit(e.Object.ID)
		x.EventSeq++
		e.Sequence, e.Merchant, e.Data = x.EventSeq, x.Merchant, x
	case "webhook":
		x := d.Endpoints.Edit(e.Object.ID)
		x.EventSeq++
		e.Sequence, e.Merchant, e.Data = x.EventSeq, x.Merchant, x
	default:
		r := d.records[RecordKey{Noun(e.Object.Type), e.Object.ID}]
		h := r.Head()
		h.EventSeq++
		e.Sequence, e.Company, e.Merchant, e.Data = h.EventSeq, h.Company, cmp.Or(h.Merchant, OperatorOnly), r
	}
}

// readerOf is the merchant that may read a payment: the one that recorded it, or the owner of
// the order it names; "-" if only the operator may.
func (d *Draft) readerOf(p *Payment) string {
	if p.Order != "" {
		return d.Orders.Peek(p.Order).Merchant
	}
	if p.Merchant != "" {
		return p.Merchant
	}
	return OperatorOnly
}

// OperatorOnly is an event's Merchant if no merchant may read it.
const OperatorOnly = "-"

// EventSeq is the sequence of an object's last event, 0 before the first.
func (s *State) EventSeq(o ObjectRef) int64 {
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
	case "payout":
		if x := s.Payouts[o.ID]; x != nil {
			return x.EventSeq
		}
	case "webhook":
		if x := s.Endpoints[o.ID]; x != nil {
			return x.EventSeq
		}
	case "company":
		id, _ := strconv.ParseInt(o.ID, 10, 64)
		if x := s.Companies[id]; x != nil {
			return x.EventSeq
		}
	default:
		if x := s.Records[RecordKey{Noun(o.Type), o.ID}]; x != nil {
			return x.Head().EventSeq
		}
	}
	return 0
}
