package credit

import (
	"cmp"
	"fmt"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Receipt is money that has reached account 1000 and of which nobody knows whose it is
// (F39). While it is OPEN it stands on 2130.
type Receipt struct {
	ID            string // rcp_…
	Amount        money.Amount
	Method        Method        // CHECK, WIRE, CASH or OTHER
	Received      calendar.Date // day on which the bank had it: the effective date of the payment that it turns out to be
	Reference     string        // what came with it
	Note          string        // what is known of it
	Status        ReceiptStatus
	Payment       string // IDENTIFIED: the payment that it was
	BackReference string // RETURNED: of the wire that has sent it back
	CreatedAt     time.Time
	EndedAt       time.Time // zero while it is OPEN
	Version       int
}

// ReceiptStatus is one of the statuses of a receipt.
type ReceiptStatus string

// Receipt statuses: OPEN → IDENTIFIED or RETURNED.
const (
	ReceiptOpen       ReceiptStatus = "OPEN"
	ReceiptIdentified ReceiptStatus = "IDENTIFIED"
	ReceiptReturned   ReceiptStatus = "RETURNED"
)

// Events of entries on 2130.
const (
	entryReceiptRecorded   = "RECEIPT_RECORDED"
	entryReceiptIdentified = "RECEIPT_IDENTIFIED"
	entryReceiptReturned   = "RECEIPT_RETURNED"
)

// RecordReceipt records money that has reached the lender's account from somebody whom
// nobody can name yet (F39). Result is the *Receipt.
type RecordReceipt struct {
	Amount    money.Amount  `json:"amount"`
	Method    Method        `json:"method"`   // CHECK, WIRE, CASH or OTHER
	Received  calendar.Date `json:"received"` // None: today
	Reference string        `json:"reference"`
	Note      string        `json:"note"`
}

func (RecordReceipt) Name() string { return "receipt.record" }

// Keys asks for nothing: the money is nobody's yet.
func (RecordReceipt) Keys(*State, Env) Keys { return Keys{} }

func (RecordReceipt) Admit(*State, Env) *Rejection { return nil }

func (c RecordReceipt) Decide(s *State, e Env) (Changes, *Rejection) {
	day := c.Received
	if day == calendar.None {
		day = e.Today()
	}
	switch {
	case c.Amount <= 0 || c.Amount > MaxTransfer:
		return Changes{}, ValidationFailed.Because("What was received has an amount that no payment can have.")
	case !c.Method.Can().ByHand:
		return Changes{}, ValidationFailed.Because("Money that comes in by itself is a CHECK, WIRE, CASH or OTHER.")
	case day > e.Today():
		return Changes{}, InvalidEffectiveDate.Because("Money already received cannot take effect on a later day.")
	}
	d := NewDraft(s, e)
	r := &Receipt{
		ID: d.IDs.Next(prefixReceipt), Amount: c.Amount, Method: c.Method, Received: day, Reference: c.Reference, Note: c.Note,
		Status: ReceiptOpen, CreatedAt: e.Now, Version: 1,
	}
	d.Receipts.Add(r.ID, r)
	d.Entry(entryReceiptRecorded, r.ID, day, ledger.Posting{Account: ledger.Cash, Amount: r.Amount}, unidentified(-r.Amount))
	return d.Done(r, true), nil
}

// unidentified is a line on 2130. It names nobody, also when it is cleared: the account
// is the sum of what is nobody's.
func unidentified(amount money.Amount) ledger.Posting {
	return ledger.Posting{Account: ledger.UnidentifiedReceipts, Amount: amount}
}

// IdentifyReceipt says whose money a receipt was (F39): it becomes a payment, as
// RecordPayment makes one, of the day on which it was received. What a merchant has to
// collect itself (F33) it cannot pay. Result is the *Payment.
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

// WritesOwners makes it an OwnersWriter.
func (IdentifyReceipt) WritesOwners(Env) bool { return true }

// Keys asks for the receipt, and with it for whom it pays: its day decides only which
// histories that needs, and rounds of loading are few.
func (c IdentifyReceipt) Keys(s *State, e Env) Keys {
	r := s.Receipts[c.Receipt]
	if r == nil {
		r = &Receipt{Received: e.Today()}
	}
	k := c.payment(r).Keys(s, e)
	k.Receipts = []string{c.Receipt}
	return k
}

// payment is the receipt as a payment that is recorded.
func (c IdentifyReceipt) payment(r *Receipt) RecordPayment {
	return RecordPayment{
		Order: c.Order, Invoice: c.Invoice, Company: c.Company, Amount: r.Amount, Method: r.Method, ScheduledDate: calendar.None,
		EffectiveDate: r.Received, Reference: r.Reference, Memo: cmp.Or(c.Memo, r.Note), HoldExcess: c.HoldExcess,
	}
}

func (c IdentifyReceipt) Admit(s *State, e Env) *Rejection {
	r := s.Receipts[c.Receipt]
	if r == nil || !e.Actor.Operator {
		return noReceipt()
	}
	return c.payment(r).Admit(s, e)
}

func noReceipt() *Rejection { return NotFound.Because("There is no such receipt.") }

func (c IdentifyReceipt) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Receipts[c.Receipt]
	if r := old.mayEnd(c.IfMatch, ReceiptIdentified); r != nil {
		return Changes{}, r
	}
	pay := c.payment(old)
	o := s.Orders[pay.orderKey(s)]
	if r := pay.refuse(s, e, o); r != nil {
		return Changes{}, r
	}
	if o != nil && o.External {
		return Changes{}, ValidationFailed.Because("The merchant collects this order itself: what reaches the lender for it is the merchant's to remit.")
	}
	d := NewDraft(s, e)
	p := pay.received(d, o, func(p *Payment) { d.identified(p) })
	x := d.Receipts.Edit(old.ID)
	x.Status, x.Payment, x.EndedAt = ReceiptIdentified, p.ID, e.Now
	return d.Done(p, true), nil
}

// mayEnd asks that a receipt is still open.
func (r *Receipt) mayEnd(ifMatch []string, to ReceiptStatus) *Rejection {
	if x := MatchVersion(ifMatch, r.Version); x != nil {
		return x
	}
	if r.Status != ReceiptOpen {
		return InvalidTransition.With(fmt.Sprintf("A receipt that is %s stays so.", r.Status), map[string]any{"from": string(r.Status), "to": string(to)})
	}
	return nil
}

// identified books that money which had been nobody's is a company's.
func (d *Draft) identified(p *Payment) {
	d.Entry(entryReceiptIdentified, p.ID, p.EffectiveDate, unidentified(p.Amount),
		ledger.Posting{Account: ledger.PaymentsPending, Amount: -p.Amount, Dimensions: d.pendingDims(p)})
}

// ReturnReceipt records that money which nobody could place was sent back to its sender,
// by a wire or a check outside of the rails. Result is the *Receipt.
type ReturnReceipt struct {
	Receipt   string   `json:"receipt"`
	IfMatch   []string `json:"if_match,omitzero"`
	Reference string   `json:"reference"` // of the wire or check that has sent it back
}

func (ReturnReceipt) Name() string { return "receipt.return" }

// Keys asks for the receipt.
func (c ReturnReceipt) Keys(*State, Env) Keys { return Keys{Receipts: []string{c.Receipt}} }

func (c ReturnReceipt) Admit(s *State, e Env) *Rejection {
	if s.Receipts[c.Receipt] == nil || !e.Actor.Operator {
		return noReceipt()
	}
	return nil
}

func (c ReturnReceipt) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Receipts[c.Receipt]
	if r := old.mayEnd(c.IfMatch, ReceiptReturned); r != nil {
		return Changes{}, r
	}
	if c.Reference == "" {
		return Changes{}, ValidationFailed.Because("Say by which wire or check it was sent back.")
	}
	d := NewDraft(s, e)
	x := d.Receipts.Edit(old.ID)
	x.Status, x.BackReference, x.EndedAt = ReceiptReturned, c.Reference, e.Now
	d.Entry(entryReceiptReturned, x.ID, e.Today(), unidentified(x.Amount), ledger.Posting{Account: ledger.Cash, Amount: -x.Amount})
	return d.Done(x, false), nil
}
