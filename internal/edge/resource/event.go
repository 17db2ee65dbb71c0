package resource

import (
	"fmt"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Event is the envelope of an event. T is the resource that it carries. A reader that does
// not know the type yet uses an AnyEvent.
type Event[T any] struct {
	ID         string       `json:"id" doc:"ID of the event; the webhook-id of its deliveries." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	Type       string       `json:"type" doc:"What happened." example:"order.captured"`
	CreatedAt  time.Time    `json:"created_at" doc:"When it happened." example:"2026-01-15T16:00:00Z"`
	APIVersion string       `json:"api_version" doc:"API version of the payload." example:"2026-11-23"`
	Sequence   int64        `json:"sequence" minimum:"1" doc:"Sequence number within the object, without gaps; lower than the last one seen means stale." example:"4"`
	Object     EventObject  `json:"object" doc:"Object it happened to."`
	Data       EventData[T] `json:"data" doc:"Payload."`
	Request    EventRequest `json:"request" doc:"The request that caused it, if made by the reader."`
}

// AnyEvent is an event whose resource has not been decoded.
type AnyEvent = Event[jsontext.Value]

// EventObject identifies the object of an event.
type EventObject struct {
	Type string `json:"type" enum:"order,payment,company,invoice,payout,webhook,checkout,application" doc:"Kind of the object." example:"order"`
	ID   string `json:"id" doc:"Its ID; for an order, its key." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
}

// EventData is the content of an event.
type EventData[T any] struct {
	Object             T                         `json:"object" doc:"The resource after the change."`
	PreviousAttributes map[string]jsontext.Value `json:"previous_attributes" doc:"Changed members with their old values."`
}

// EventRequest identifies the request that caused an event.
type EventRequest struct {
	ID             *string `json:"id" nullable:"true" doc:"The X-Request-Id; null if the reader did not send it." example:"req_01KB0A4E7W0Q2S4V6X8Z0B2D4F"`
	IdempotencyKey *string `json:"idempotency_key" nullable:"true" doc:"The Idempotency-Key of the request." example:"capture-PO-10042"`
}

// InstallmentNotice is the resource of installment.* events.
type InstallmentNotice struct {
	OrderKey    string      `json:"order_key" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	CompanyID   int64       `json:"company_id" doc:"Company that owes it." example:"4821073356"`
	Currency    string      `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Installment Installment `json:"installment" doc:"The installment in its current state."`
}

// Clawback is the resource of clawback.created: what the merchant owes for a refund of an
// order that has already been paid out.
type Clawback struct {
	OrderKey string       `json:"order_key" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Amount   money.Amount `json:"amount" doc:"What the merchant owes: the refund less the returned discount." example:"291.00"`
	Currency string       `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Refund   Refund       `json:"refund" doc:"The refund."`
}

// EncodeEvent encodes the payload of an event as every reader gets it: in webhooks, in the
// list of events and in the store. at is the instant of the commit's batch, by is who
// caused it. The request is named only to the merchant that made it: events of a company go
// to every linked merchant, and an Idempotency-Key often contains an order number. It fails
// only on data of a kind that events do not carry.
func EncodeEvent(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
	previous, err := previousAttributes(e.Previous)
	if err != nil {
		return nil, fmt.Errorf("encode event %s: %w", e.ID, err)
	}
	h := head{e, at, "", "", previous}
	if own := e.Merchant != "" && e.Merchant == by.Merchant; own || e.Merchant == credit.OperatorOnly && by.Operator {
		h.requestID, h.key = by.RequestID, by.Key
	}
	switch d := e.Data.(type) {
	case *credit.Order:
		return encodeEvent(h, NewOrder(d))
	case *credit.Payment:
		return encodeEvent(h, NewPayment(d))
	case *credit.Company:
		// Every linked merchant reads the event; whom else the company buys from is only
		// for the operator.
		delete(h.previous, "merchants")
		return encodeEvent(h, newCompany(d))
	case *credit.Invoice:
		return encodeEvent(h, NewInvoice(d))
	case *credit.Checkout:
		return encodeEvent(h, eventCheckout(d))
	case *credit.Application:
		return encodeEvent(h, NewApplication(d))
	case *credit.Payout:
		return encodeEvent(h, NewPayout(d))
	case *credit.Endpoint:
		return encodeEvent(h, NewWebhook(d, "")) // never a secret: a receiver stores what it is sent
	case credit.InstallmentFact:
		notice, err := newInstallmentNotice(d)
		if err != nil {
			return nil, fmt.Errorf("encode event %s: %w", e.ID, err)
		}
		return encodeEvent(h, notice)
	case credit.ScheduleFact:
		return encodeEvent(h, NewSchedule(d.Order, d.Loan, d.Day))
	case credit.ClawbackFact:
		return encodeEvent(h, newClawback(d))
	}
	return nil, fmt.Errorf("encode event %s: data of kind %T", e.ID, e.Data)
}

// EventResource returns an empty event of the type for events with this name, such as
// Event[Order], for the contract and for readers. The second result is false for a name
// whose events come from elsewhere.
func EventResource(t credit.EventType) (any, bool) {
	switch object, _, _ := strings.Cut(string(t), "."); object {
	case "order":
		return Event[Order]{}, true
	case "payment":
		return Event[Payment]{}, true
	case "installment":
		return Event[InstallmentNotice]{}, true
	case "schedule":
		return Event[Schedule]{}, true
	case "company":
		return Event[Company]{}, true
	case "invoice":
		return Event[Invoice]{}, true
	case "clawback":
		return Event[Clawback]{}, true
	case "payout":
		return Event[Payout]{}, true
	case "webhook":
		return Event[Webhook]{}, true
	case "checkout":
		return Event[Checkout]{}, true
	case "application":
		return Event[Application]{}, true
	}
	return nil, false
}

// head is the envelope without the resource.
type head struct {
	credit.Event
	at             time.Time
	requestID, key string
	previous       map[string]jsontext.Value
}

func encodeEvent[T any](h head, object T) ([]byte, error) {
	return Encode(&Event[T]{
		ID: h.ID, Type: string(h.Type), CreatedAt: instant(h.at), APIVersion: APIVersion, Sequence: h.Sequence,
		Object:  EventObject{Type: h.Object.Type, ID: h.Object.ID},
		Data:    EventData[T]{Object: object, PreviousAttributes: h.previous},
		Request: EventRequest{ID: text(h.requestID), IdempotencyKey: text(h.key)},
	})
}

func newInstallmentNotice(f credit.InstallmentFact) (InstallmentNotice, error) {
	s := NewSchedule(f.Order, f.Loan, f.Day)
	if f.Number < 1 || f.Number > len(s.Installments) {
		return InstallmentNotice{}, fmt.Errorf("order %s has no installment %d", f.Order.Key, f.Number)
	}
	return InstallmentNotice{OrderKey: s.OrderKey, CompanyID: f.Order.Company, Currency: s.Currency, Installment: s.Installments[f.Number-1]}, nil
}

func newClawback(f credit.ClawbackFact) Clawback {
	return Clawback{OrderKey: f.Order.Key, Amount: f.Amount, Currency: string(f.Order.Currency), Refund: newRefund(&f.Refund)}
}
