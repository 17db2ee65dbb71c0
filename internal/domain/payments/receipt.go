package payments

import (
	"cmp"
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
)

// Receipt statuses: OPEN → IDENTIFIED or RETURNED.
const (
	ReceiptOpen       credit.ReceiptStatus = "OPEN"
	ReceiptIdentified credit.ReceiptStatus = "IDENTIFIED"
	ReceiptReturned   credit.ReceiptStatus = "RETURNED"
)

// Events of entries on 2130.
const (
	entryReceiptRecorded   = "RECEIPT_RECORDED"
	entryReceiptIdentified = "RECEIPT_IDENTIFIED"
	entryReceiptReturned   = "RECEIPT_RETURNED"
)

// RecordReceipt records money that reached the lender's account from an unknown sender (F39).
// Result is the *Receipt.
type RecordReceipt struct {
	Amount    money.Amount  `json:"amount"`
	Method    credit.Method `json:"method"`   // CHECK, WIRE, CASH or OTHER
	Received  calendar.Date `json:"received"` // None: today
	Reference string        `json:"reference"`
	Note      string        `json:"note"`
}

func (RecordReceipt) Name() string { return "receipt.record" }

// Keys requests nothing: the money has no known owner.
func (RecordReceipt) Keys(*credit.State, credit.Env) credit.Keys { return credit.Keys{} }

func (RecordReceipt) Admit(*credit.State, credit.Env) *credit.Rejection { return nil }

func (c RecordReceipt) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	day := c.Received
	if day == calendar.None {
		day = e.Today()
	}
	switch {
	case c.Amount <= 0 || c.Amount > credit.MaxTransfer:
		return credit.Changes{}, credit.ValidationFailed.Because("The amount received is outside the limits of a payment.")
	case !c.Method.Can().ByHand:
		return credit.Changes{}, credit.ValidationFailed.Because("The method of money received must be CHECK, WIRE, CASH or OTHER.")
	case day > e.Today():
		return credit.Changes{}, credit.InvalidEffectiveDate.Because("Money already received cannot have a future effective date.")
	}
	d := credit.NewDraft(s, e)
	r := &credit.Receipt{
		ID: d.IDs.Next(credit.PrefixReceipt), Amount: c.Amount, Method: c.Method, Received: day, Reference: c.Reference, Note: c.Note,
		Status: ReceiptOpen, CreatedAt: e.Now, Version: 1,
	}
	d.Receipts.Add(r.ID, r)
	d.Entry(entryReceiptRecorded, r.ID, day, ledger.Posting{Account: ledger.Cash, Amount: r.Amount}, unidentified(-r.Amount))
	return d.Done(r, true), nil
}

// unidentified is a posting on 2130. It names nobody, even when cleared: the account is the
// sum of what has no known owner.
func unidentified(amount money.Amount) ledger.Posting {
	return ledger.Posting{Account: ledger.UnidentifiedReceipts, Amount: amount}
}

// IdentifyReceipt assigns a receipt to its owner (F39): it becomes a payment, as RecordPayment
// makes one, as of the day it was received. It cannot pay what a merchant has to collect
// itself (F33). Result is the *Payment.
type IdentifyReceipt struct {
	Receipt    string   `json:"receipt"`
	IfMatch    []string `json:"if_match,omitzero"`
	Order      string   `json:"order"` // exactly one of Order, Invoice, Company
	Invoice    string   `json:"invoice"`
	Company    int64    `json:"company_id"`
	Memo       string   `json:"memo"`
	HoldExcess bool     `json:"hold_excess"`
}

func (IdentifyReceipt) Name() string { return "receipt.identify" }

// WritesOwners implements credit.OwnersWriter.
func (IdentifyReceipt) WritesOwners(credit.Env) bool { return true }

// Keys requests the receipt, and in the same round whoever it pays for. Its date decides only
// which histories that needs, and loading rounds are limited.
func (c IdentifyReceipt) Keys(s *credit.State, e credit.Env) credit.Keys {
	r := s.Receipts[c.Receipt]
	if r == nil {
		r = &credit.Receipt{Received: e.Today()}
	}
	k := c.payment(r).Keys(s, e)
	k.Receipts = []string{c.Receipt}
	return k
}

// payment is the receipt as a payment to record.
func (c IdentifyReceipt) payment(r *credit.Receipt) RecordPayment {
	return RecordPayment{
		Order: c.Order, Invoice: c.Invoice, Company: c.Company, Amount: r.Amount, Method: r.Method, ScheduledDate: calendar.None,
		EffectiveDate: r.Received, Reference: r.Reference, Memo: cmp.Or(c.Memo, r.Note), HoldExcess: c.HoldExcess,
	}
}

func (c IdentifyReceipt) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	r := s.Receipts[c.Receipt]
	if r == nil || !e.Actor.Operator {
		return noReceipt()
	}
	return c.payment(r).Admit(s, e)
}

func noReceipt() *credit.Rejection { return credit.NotFound.Because("There is no such receipt.") }

func (c IdentifyReceipt) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Receipts[c.Receipt]
	if r := mayEnd(old, c.IfMatch, ReceiptIdentified); r != nil {
		return credit.Changes{}, r
	}
	pay := c.payment(old)
	o := s.Orders[pay.orderKey(s)]
	if r := pay.refuse(s, e, o); r != nil {
		return credit.Changes{}, r
	}
	if o != nil && o.External {
		return credit.Changes{}, credit.ValidationFailed.Because("The merchant collects this order itself and must remit what reaches the lender.")
	}
	d := credit.NewDraft(s, e)
	p := pay.received(d, o, func(p *credit.Payment) { identified(d, p) })
	x := d.Receipts.Edit(old.ID)
	x.Status, x.Payment, x.EndedAt = ReceiptIdentified, p.ID, e.Now
	return d.Done(p, true), nil
}

// mayEnd requires that a receipt is still open.
func mayEnd(r *credit.Receipt, ifMatch []string, to credit.ReceiptStatus) *credit.Rejection {
	if x := credit.MatchVersion(ifMatch, r.Version); x != nil {
		return x
	}
	if r.Status != ReceiptOpen {
		return credit.InvalidTransition.With(fmt.Sprintf("A receipt that is %s stays so.", r.Status), map[string]any{"from": string(r.Status), "to": string(to)})
	}
	return nil
}

// identified books that money without a known owner is a company's.
func identified(d *credit.Draft, p *credit.Payment) {
	d.Entry(entryReceiptIdentified, p.ID, p.EffectiveDate, unidentified(p.Amount),
		ledger.Posting{Account: ledger.PaymentsPending, Amount: -p.Amount, Dimensions: lending.PendingDims(d, p)})
}

// ReturnReceipt records that unidentified money was sent back to its sender, by a wire or a
// check outside of the rails. Result is the *Receipt.
type ReturnReceipt struct {
	Receipt   string   `json:"receipt"`
	IfMatch   []string `json:"if_match,omitzero"`
	Reference string   `json:"reference"` // of the wire or check that sent it back
}

func (ReturnReceipt) Name() string { return "receipt.return" }

// Keys requests the receipt.
func (c ReturnReceipt) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Receipts: []string{c.Receipt}}
}

func (c ReturnReceipt) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if s.Receipts[c.Receipt] == nil || !e.Actor.Operator {
		return noReceipt()
	}
	return nil
}

func (c ReturnReceipt) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Receipts[c.Receipt]
	if r := mayEnd(old, c.IfMatch, ReceiptReturned); r != nil {
		return credit.Changes{}, r
	}
	if c.Reference == "" {
		return credit.Changes{}, credit.ValidationFailed.Because("Give the wire or check number of the return.")
	}
	d := credit.NewDraft(s, e)
	x := d.Receipts.Edit(old.ID)
	x.Status, x.BackReference, x.EndedAt = ReceiptReturned, c.Reference, e.Now
	d.Entry(entryReceiptReturned, x.ID, e.Today(), unidentified(x.Amount), ledger.Posting{Account: ledger.Cash, Amount: -x.Amount})
	return d.Done(x, false), nil
}
