package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// finishHolds brings what companies have on hold in step with their payments (F26).
func (d *Draft) finishHolds() {
	for _, p := range d.Changes.Payments {
		delta := p.OnHold
		if was := d.State.Payments[p.ID]; was != nil {
			delta = delta.Sub(was.OnHold)
		}
		if delta != 0 {
			c := d.Companies.Edit(p.Company)
			c.OnHold = c.OnHold.Add(delta)
		}
	}
}

// finishOther lets what a company owes on 1130 without an order take its line (F41.7).
func (d *Draft) finishOther() {
	for _, e := range d.Changes.Entries {
		for _, p := range e.Postings {
			if p.Account == ledger.OtherReceivable && p.Order == "" && p.Company != 0 {
				x := d.Companies.Edit(p.Company)
				x.Outstanding = x.Outstanding.Add(p.Amount)
			}
		}
	}
}

// Refundable is what is left of a payment to go back: not what has gone back, and not what
// refunds of its orders have freed, which is credit or goes back through the merchant
// (F41.3). Nothing of one that has not come in, or that was returned.
func (p *Payment) Refundable() money.Amount {
	if !p.HasComeIn() {
		return 0
	}
	return max(0, p.Amount.Sub(p.Refunded).Sub(p.Freed))
}

// HasComeIn reports whether a payment is money of the company's that has come in.
func (p *Payment) HasComeIn() bool {
	return p.Direction == "IN" && (p.Status == PaymentSucceeded || p.Status == PaymentPartiallyRefunded)
}

// ConsumerDays are the days in which the holder of a consumer's account can have a debit
// returned as unauthorized (F22, F41.3).
const ConsumerDays = 60

// consumer reports whether an account counts as a consumer's: it is one, or only a merchant
// says that it is not (F41.3).
func (m *PaymentMethod) consumer() bool {
	return m.Bank != nil && (m.Bank.HolderType == "CONSUMER" || !m.Consented())
}

// ReversalReason is what was wrong with a debit that the lender reverses. There is no
// other reason for a reversing entry (F22).
type ReversalReason string

// Reversal is the refund by which the lender has reversed a payment, false if it has not.
func (p *Payment) Reversal() (PaymentRefund, bool) {
	for _, r := range p.Refunds {
		if r.Reversal != "" {
			return r, true
		}
	}
	return PaymentRefund{}, false
}

// Reversed reports whether the lender has reversed a payment. A bank may return it besides.
func (p *Payment) Reversed() bool {
	_, reversed := p.Reversal()
	return reversed
}

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

// RefundAt is the place of a refund among a payment's, -1 if it is not there.
func (p *Payment) RefundAt(id string) int {
	return slices.IndexFunc(p.Refunds, func(r PaymentRefund) bool { return r.ID == id })
}

// Open reports whether a refund is still owed: it stands on 2110.
func (r PaymentRefund) Open() bool { return r.Status == RefundPending || r.Status == RefundFailed }

// ByHand reports whether a refund is owed and that nothing pays it unless a person does
// (PayRefund): it has failed, or its money came outside of a rail.
func (r PaymentRefund) ByHand() bool {
	return r.Status == RefundFailed || r.Status == RefundPending && r.Transfer == ""
}

// InTransit is what stands on 2110 for a payment: refunds that have not arrived, or of
// credit that is sent back all of it until it has.
func (p *Payment) InTransit() money.Amount {
	if p.Direction == "OUT" {
		if p.Status == PaymentPending {
			return p.Amount
		}
		return 0
	}
	sum := money.Amount(0)
	for _, r := range p.Refunds {
		if r.Open() {
			sum = sum.Add(r.Amount)
		}
	}
	return sum
}

// owedSince is the instant since which money of a payment stands on 2110.
func (p *Payment) owedSince() time.Time {
	if p.Direction == "OUT" && p.Status == PaymentPending {
		return p.CreatedAt
	}
	for _, r := range p.Refunds { // oldest first
		if r.Open() {
			return r.CreatedAt
		}
	}
	return time.Time{}
}

// RefundStatus is the status of the refund that a transfer sends.
func (t *Transfer) RefundStatus() RefundStatus {
	switch {
	case t.Status == TransferFailed || t.Status == TransferReturned:
		return RefundFailed
	case t.Status == TransferCanceled:
		return RefundCanceled
	case t.Status == TransferSettled || t.Rail.Can().Answer && t.Answered():
		return RefundSettled
	}
	return RefundPending
}

// Credits lists a company's open credits as this command leaves them. The list is not to
// be changed: as long as the command has moved none it is that of the state.
func (d *Draft) Credits(company int64) []Credit {
	if !slices.ContainsFunc(d.Changes.Credits, func(c Credit) bool { return c.Company == company }) {
		return d.State.Credits[company]
	}
	return slices.DeleteFunc(d.CreditsOf(company), func(c Credit) bool { return c.Amount == 0 })
}

// CreditsOf lists a company's credits as this command leaves them.
func (d *Draft) CreditsOf(company int64) []Credit {
	out := slices.Clone(d.State.Credits[company])
	for _, c := range d.Changes.Credits {
		if i := slices.IndexFunc(out, func(x Credit) bool { return x.Source == c.Source }); i >= 0 {
			out[i] = c
		} else {
			out = append(out, c)
		}
	}
	return out
}

// Add counts what was paid of an item.
func (a *Allocation) Add(item schedule.Item, amount money.Amount) {
	switch item {
	case schedule.ItemCharge:
		a.Charge = a.Charge.Add(amount)
	case schedule.ItemPrincipal:
		a.Principal = a.Principal.Add(amount)
	case schedule.ItemOther:
		a.Fee, a.Other = a.Fee.Add(amount), a.Other.Add(amount)
	default:
		a.Fee = a.Fee.Add(amount)
	}
}

// Mandated reports whether a merchant's word alone lets autopay debit an account for its orders:
// the company has not told the lender itself to debit it, and no owner has in her own session. What the merchant says of an
// authorization is no consent (F41.8).
func (c *Company) Mandated(merchant, method string) bool {
	own := c.Servicing.Autopay
	return !(own.Enabled && own.Method == method) && slices.ContainsFunc(c.Servicing.Mandates, func(m Mandate) bool { return m.Merchant == merchant && m.Person == "" })
}

// Asker is the merchant that asked for a debit, or under whose word alone autopay made it; "" if
// the lender or the company itself did.
func (d *Draft) Asker(p *Payment) string {
	if !p.Autopay {
		return p.Merchant
	}
	if o := d.Orders.Peek(p.Order); o != nil && d.Companies.Peek(p.Company).Mandated(o.Merchant, p.MethodID) {
		return o.Merchant
	}
	return ""
}

// Harm is a debit that came back, or was disputed, and counts against a merchant.
type Harm struct {
	On      calendar.Date `json:"on"`
	Company int64         `json:"company_id"`
}

// Transfers settle at this time of their settlement date, in the business zone; those of
// the same day when the day's last settlement is over.
const (
	settlementHour, settlementMinute = 8, 30
	sameDayHour                      = 18
)

// CutOff is when the file of a banking day is made.
func CutOff(z calendar.Zone, d calendar.Date) time.Time { return z.At(d, CutOffHour, 0) }

// SameDay reports whether an ACH transfer settles on the day of its file (F22).
func (t *Transfer) SameDay() bool { return t.Rail.Can().SameDay && t.SettlesOn == t.SendOn }

// SettlesAt is when a transfer settles, if it is sent in time.
func (t *Transfer) SettlesAt(z calendar.Zone) time.Time {
	if t.SameDay() {
		return z.At(t.SettlesOn, sameDayHour, 0)
	}
	return z.At(t.SettlesOn, settlementHour, settlementMinute)
}

// BankingDayBefore is the last banking day before a date.
func BankingDayBefore(d calendar.Date) calendar.Date {
	for d--; !d.IsBankingDay(); d-- {
	}
	return d
}

// Original is the first attempt of a debit: itself if it is that.
func (d *Draft) Original(p *Payment) *Payment {
	if p.Original == "" {
		return p
	}
	return d.Payments.Peek(p.Original)
}

// Why a company is suspended, or its autopay paused, besides a return code.
const (
	ReturnedPayments = "returned_payments"
	ComplianceReview = "compliance_review"
)
