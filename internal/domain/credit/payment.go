package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// finishHolds updates companies' amounts on hold to match their payments (F26).
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

// finishOther counts what a company owes on 1130 without an order against its line (F41.7).
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

// Refundable is what can still be refunded of a payment: its amount less what has been
// refunded and what refunds of its orders have freed, which is credit or goes back through
// the merchant (F41.3). It is zero if the payment has not arrived or was returned.
func (p *Payment) Refundable() money.Amount {
	if !p.HasComeIn() {
		return 0
	}
	return max(0, p.Amount.Sub(p.Refunded).Sub(p.Freed))
}

// HasComeIn reports whether a payment is money from the company that has arrived.
func (p *Payment) HasComeIn() bool {
	return p.Direction == "IN" && (p.Status == PaymentSucceeded || p.Status == PaymentPartiallyRefunded)
}

// ConsumerDays is how many days the holder of a consumer account has to return a debit as
// unauthorized (F22, F41.3).
const ConsumerDays = 60

// consumer reports whether an account counts as a consumer's: it is one, or only a merchant
// claims that it is not (F41.3).
func (m *PaymentMethod) consumer() bool {
	return m.Bank != nil && (m.Bank.HolderType == "CONSUMER" || !m.Consented())
}

// ReversalReason is what was wrong with a debit that the lender reverses. No other reason
// allows a reversing entry (F22).
type ReversalReason string

// Reversal is the refund by which the lender reversed a payment, false if it did not.
func (p *Payment) Reversal() (PaymentRefund, bool) {
	for _, r := range p.Refunds {
		if r.Reversal != "" {
			return r, true
		}
	}
	return PaymentRefund{}, false
}

// Reversed reports whether the lender reversed a payment. A bank may return it as well.
func (p *Payment) Reversed() bool {
	_, reversed := p.Reversal()
	return reversed
}

// Receipt is money that reached account 1000 and whose owner is unknown (F39). While OPEN it
// is on 2130.
type Receipt struct {
	ID            string // rcp_…
	Amount        money.Amount
	Method        Method        // CHECK, WIRE, CASH or OTHER
	Received      calendar.Date // day the bank received it: the effective date of the payment it is identified as
	Reference     string        // what it arrived with
	Note          string        // what is known about it
	Status        ReceiptStatus
	Payment       string // IDENTIFIED: the payment it became
	BackReference string // RETURNED: of the wire that sent it back
	CreatedAt     time.Time
	EndedAt       time.Time // zero while OPEN
	Version       int
}

// ReceiptStatus is one of the statuses of a receipt.
type ReceiptStatus string

// RefundAt is the index of a refund among a payment's, -1 if absent.
func (p *Payment) RefundAt(id string) int {
	return slices.IndexFunc(p.Refunds, func(r PaymentRefund) bool { return r.ID == id })
}

// Open reports whether a refund is still owed and thus on 2110.
func (r PaymentRefund) Open() bool { return r.Status == RefundPending || r.Status == RefundFailed }

// ByHand reports whether a refund is owed that only a person pays (PayRefund): it failed, or
// the original money did not come through a rail.
func (r PaymentRefund) ByHand() bool {
	return r.Status == RefundFailed || r.Status == RefundPending && r.Transfer == ""
}

// InTransit is what is on 2110 for a payment: refunds that have not arrived, or all of a
// returned credit until it has.
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

// owedSince is the instant since which money of a payment is on 2110.
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

// Credits lists a company's open credits in the draft. The caller must not modify the list: it
// is the state's as long as the command has changed none.
func (d *Draft) Credits(company int64) []Credit {
	if !slices.ContainsFunc(d.Changes.Credits, func(c Credit) bool { return c.Company == company }) {
		return d.State.Credits[company]
	}
	return slices.DeleteFunc(d.CreditsOf(company), func(c Credit) bool { return c.Amount == 0 })
}

// CreditsOf lists a company's credits in the draft, closed ones included.
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

// Add adds an amount paid on an item.
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

// Mandated reports whether autopay debits an account for a merchant's orders on the merchant's
// word alone: neither the company nor an owner in her own session told the lender to debit it.
// What the merchant states about an authorization is not consent (F41.8).
func (c *Company) Mandated(merchant, method string) bool {
	own := c.Servicing.Autopay
	return !(own.Enabled && own.Method == method) && slices.ContainsFunc(c.Servicing.Mandates, func(m Mandate) bool { return m.Merchant == merchant && m.Person == "" })
}

// Asker is the merchant that requested a debit, or on whose word alone autopay made it; "" if
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

// Harm is a returned or disputed debit that counts against a merchant.
type Harm struct {
	On      calendar.Date `json:"on"`
	Company int64         `json:"company_id"`
}

// Transfers settle at this time of their settlement date, in the business zone; same-day ones
// after the day's last settlement.
const (
	settlementHour, settlementMinute = 8, 30
	sameDayHour                      = 18
)

// CutOff is when the file of a banking day is built.
func CutOff(z calendar.Zone, d calendar.Date) time.Time { return z.At(d, CutOffHour, 0) }

// SameDay reports whether an ACH transfer settles on the day of its file (F22).
func (t *Transfer) SameDay() bool { return t.Rail.Can().SameDay && t.SettlesOn == t.SendOn }

// SettlesAt is when a transfer settles if it is sent in time.
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

// Original is the first attempt of a debit: itself if it is not a retry.
func (d *Draft) Original(p *Payment) *Payment {
	if p.Original == "" {
		return p
	}
	return d.Payments.Peek(p.Original)
}

// Reasons for suspending a company or pausing its autopay, besides return codes.
const (
	ReturnedPayments = "returned_payments"
	ComplianceReview = "compliance_review"
)
