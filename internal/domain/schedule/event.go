package schedule

import (
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// EventKind names a money event (F34).
type EventKind string

// The money events.
const (
	EventCapture       EventKind = "CAPTURE"        // adds a loan: Order, CapturedAt, Terms
	EventPayment       EventKind = "PAYMENT"        // money of the borrower: Amount, Order or "", Scope, Earmark, Hold
	EventReturn        EventKind = "RETURN"         // Payment came back; Amount = the part of it that had been sent out, owed on Order (the first loan if ""). Only through Replay
	EventRefund        EventKind = "REFUND"         // by the merchant: Order, Amount, WaiveCharge, ExternalExcess (F13)
	EventPaymentRefund EventKind = "PAYMENT_REFUND" // Amount of Payment, or of the credit that event Payment made, goes back (F35, F36)
	EventCreditUse     EventKind = "CREDIT_USE"     // Amount of the credit that event Payment made pays the items Earmark of Order, with the company's consent (F36)
	EventFee           EventKind = "FEE"            // Order, Fee, Installment, Amount; the fee's id is the event's
	EventWaiver        EventKind = "WAIVER"         // Order, FeeID: the unpaid part of the fee is waived
	EventReschedule    EventKind = "RESCHEDULE"     // Order: row Installment is due on Due, the following rows in months from there (F4)
	EventReamortize    EventKind = "REAMORTIZE"     // Order: the remaining rows are paid by Level, with Amount of principal that was overdue (F9)
	EventChargeOff     EventKind = "CHARGE_OFF"     // Order: accrual and fees stop, what is unpaid is charged off (F17). Amount is for the caller: no figure of the loan depends on it
	EventReversal      EventKind = "REVERSAL"       // Order, ChargeOff: the loan was never charged off (F34). Only through Replay
)

// Event is one money event. Events take effect in the order of (Date, Seq).
type Event struct {
	Kind           EventKind
	ID             string
	Date           calendar.Date // effective date
	Seq            int64         // order of recording
	Order          string
	Payment        string
	Amount         money.Amount
	Held           bool      `json:",omitzero"` // EventPayment: a merchant holds the money (F33); what a refund frees of it goes back through the merchant
	Withdrawn      bool      `json:",omitzero"` // EventPaymentRefund: Amount of Payment was never paid (F41.5). Only through Replay
	Sent           bool      `json:",omitzero"` // EventPaymentRefund: the lender sends it, although a merchant had collected it
	GoneAt         int64     `json:",omitzero"` // EventReturn, EventPaymentRefund: when it stopped counting, in µs since 1970: a dispute was won, or a refund did not arrive (F16, F36)
	Hold           bool      // excess waits for the order's due dates instead of paying future rows (F36)
	Scope          []string  // company-level payment: only these orders; nil = every loan
	Earmark        []Ref     // exactly these items first (F12); EventCreditUse: only these items
	WaiveCharge    bool      // full refund within 24 hours of capture, without payment (F13.7)
	ExternalExcess bool      // the refund's excess goes to the merchant, not to borrower credit (F33)
	Fee            FeeKind   // EventFee
	Installment    int       // EventFee, EventReschedule
	FeeID          string    // EventWaiver
	ChargeOff      string    `json:",omitzero"` // EventReversal: id of the charge-off
	Redated        []Redated `json:",omitzero"` // EventReversal: how payments counted before it
	CapturedAt     int64     // EventCapture
	Terms          Terms     // EventCapture
	// Due and Level are staff's decision about a schedule. A replay never changes it: the
	// level payment is not adjusted afterwards (F1).
	Due   calendar.Date `json:",omitzero"` // EventReschedule
	Level money.Amount  `json:",omitzero"` // EventReamortize; for FLAT_FEE the principal part
}

// Redated is how a payment counted while a loan was charged off, before the charge-off was
// reversed: later than it was made, or without reaching the loan (F34).
type Redated struct {
	ID    string
	Date  calendar.Date
	Scope []string
}

// Ref identifies an item of an order: a fee, or a row with its charge and principal.
type Ref struct {
	Order       string
	Installment int    // row; 0 for a fee
	Fee         string // id of the fee, "" for a row
}

// Item is what a Part pays.
type Item string

// The items.
const (
	ItemFee       Item = "FEE"
	ItemOther     Item = "OTHER" // a fee of kind OtherReceivable
	ItemCharge    Item = "CHARGE"
	ItemPrincipal Item = "PRINCIPAL"
)

// Part is one line of an allocation, in the order in which the money was used.
type Part struct {
	Order       string
	Item        Item
	Installment int    // row; for a fee the row that shows it
	Fee         string // id of the fee, "" otherwise
	Amount      money.Amount
	Lost        bool `json:",omitzero"` // the loan was already charged off: what is paid is a recovery (F17)
}

// EffectKind names a consequence of an event.
type EffectKind string

// The effects. Source is the payment or refund event whose money moves.
const (
	EffectAccrued       EffectKind = "ACCRUED"        // Amount of charge of Period of Order is earned; negative: taken back
	EffectApplied       EffectKind = "APPLIED"        // payment money: Parts paid, Credit became unapplied
	EffectCreditApplied EffectKind = "CREDIT_APPLIED" // credit of Source pays Parts: held credit on a due date, credit that a CREDIT_USE names, rebated prepaid fee
	EffectRefunded      EffectKind = "REFUNDED"       // merchant refund: Parts = principal taken off (ItemPrincipal) and items that the excess paid (charge, fees); Credit = rest
	EffectRebated       EffectKind = "REBATED"        // unearned flat fee: Amount = unpaid part (Source ""), or Parts = prepaid parts of Source that became Credit
	EffectWaived        EffectKind = "WAIVED"         // Parts: a fee, or accrued charge
	EffectReopened      EffectKind = "REOPENED"       // payment refund: Parts of Source reopened, Credit was taken from its credit
	EffectSpread        EffectKind = "SPREAD"         // Parts: principal of overdue rows that a reamortization has moved to the remaining rows
	EffectFee           EffectKind = "FEE"            // Parts: one fee is due
	EffectChargedOff    EffectKind = "CHARGED_OFF"    // Parts: everything unpaid, fees first, then charge and principal by row
)

// Effect is one consequence of an event, or of a passing day. The ledger posts effects and
// nothing else. It posts nothing for EffectSpread, which does not change what is owed.
type Effect struct {
	Kind   EffectKind
	Cause  string        // id of the money event; for held credit its Source; "" for accruals of the calendar
	Date   calendar.Date // value date
	Source string        // see kinds; "" if no borrower's money moves
	Order  string        // "" for effects of a company-level payment
	Period int           // EffectAccrued: number of the period
	Amount money.Amount  // EffectAccrued, EffectRebated
	Parts  []Part
	Credit money.Amount
	Shares []Share `json:",omitzero"` // EffectRefunded: whose money Credit is, latest payment first (F13.4)
}

// Share is what a merchant's refund has freed of one payment's money (F13.4).
type Share struct {
	Payment string
	Amount  money.Amount
	Held    bool // a merchant holds or held it: it goes back through the merchant and is not credit
}

// CreditSource is the source of the credit that a refund creates from a payment's money.
func CreditSource(refund, payment string) string { return refund + "/" + payment }

// SourceParts are the event and the payment of a credit's source. For the credit of a
// merchant's refund they are the refund and the payment the money came from, "" if unknown;
// for any other they are both the payment.
func SourceParts(source string) (event, payment string) {
	if event, payment, ok := strings.Cut(source, "/"); ok {
		return event, payment
	}
	return source, source
}

// partsTotal sums an allocation.
func partsTotal(parts []Part) money.Amount {
	sum := money.Amount(0)
	for _, p := range parts {
		sum = sum.Add(p.Amount)
	}
	return sum
}

// Applied is what is still applied of one source's money, in the order of use.
type Applied struct {
	Source string
	Parts  []Part
	Held   bool   // Event.Held of the payment
	Freed  []Part // principal that refunds of an order have freed of it, one part per order (F13.4)
}

// freedOn is what refunds of an order have freed of the source's money.
func (a *Applied) freedOn(order string) *money.Amount {
	for i := range a.Freed {
		if a.Freed[i].Order == order {
			return &a.Freed[i].Amount
		}
	}
	a.Freed = append(a.Freed, Part{Order: order})
	return &a.Freed[len(a.Freed)-1].Amount
}

// AppliedOf folds all effects of a source, oldest first, into what is still applied of it. A
// store that keeps effects needs nothing else: pass the result in Portfolio.Applied before a
// PAYMENT_REFUND of the source.
func AppliedOf(source string, effects []Effect) Applied {
	a := Applied{Source: source}
	for _, e := range effects {
		if e.Source != source {
			continue
		}
		switch e.Kind {
		case EffectApplied, EffectCreditApplied:
			a.Parts = append(a.Parts, e.Parts...)
		case EffectReopened, EffectRebated:
			for _, p := range e.Parts {
				a.take(p)
			}
		}
	}
	return a
}

// take removes a part, latest money first.
func (a *Applied) take(part Part) {
	for i := len(a.Parts) - 1; i >= 0 && part.Amount > 0; i-- {
		p := &a.Parts[i]
		if p.Order != part.Order || p.Item != part.Item || p.Installment != part.Installment || p.Fee != part.Fee {
			continue
		}
		x := min(p.Amount, part.Amount)
		p.Amount -= x
		part.Amount -= x
		if p.Amount == 0 {
			a.Parts = append(a.Parts[:i], a.Parts[i+1:]...)
		}
	}
}
