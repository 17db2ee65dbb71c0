package credit

import (
	"fmt"
	"slices"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// SendCredit sends unapplied credit back to a company, oldest first (F36): what a
// payment has left goes back as a refund of it, what a merchant's refund has left as a
// payment with direction OUT. Result is the first payment that was made or refunded.
type SendCredit struct {
	Company int64         `json:"company_id"`
	Amount  *money.Amount `json:"amount"`            // nil: all that may be sent
	Method  string        `json:"payment_method_id"` // "": the original one, card first
}

func (SendCredit) Name() string { return "credit.send" }

// Keys asks for what sending credit needs.
func (c SendCredit) Keys(s *State, _ Env) Keys {
	k := creditKeys(s, c.Company)
	if c.Method != "" {
		k.Methods = append(k.Methods, c.Method)
	}
	return k
}

// creditKeys asks for the company's whole account, then for the accounts from which its
// payments came and the transfers that charged its cards.
func creditKeys(s *State, company int64) Keys {
	k := accountKeys(s, company)
	k.Companies = []int64{company}
	for _, x := range s.Credits[company] {
		if p := x.Payment(); p != "" {
			k.Payments = append(k.Payments, p)
		}
	}
	for _, p := range paymentsOf(s, company) {
		if p.MethodID != "" {
			k.Methods, k.Transfers = append(k.Methods, p.MethodID), append(k.Transfers, p.Transfer)
		}
	}
	return k
}

// paymentsOf lists the payments in a company's loaded histories, newest first.
func paymentsOf(s *State, company int64) []*Payment {
	var list []*Payment
	for _, key := range append([]string{AccountKey(company)}, s.Accounts[company]...) {
		for _, e := range s.History[key] {
			if p := s.Payments[e.ID]; e.Kind == schedule.EventPayment && p != nil && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	slices.SortFunc(list, func(a, b *Payment) int { return strings.Compare(b.ID, a.ID) })
	return list
}

func (c SendCredit) Admit(s *State, e Env) *Rejection { return admitAccount(s, e, c.Company) }

func (c SendCredit) Decide(s *State, e Env) (Changes, *Rejection) {
	if r := MoneyMayLeave(s.Companies[c.Company]); r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	for _, key := range d.active(c.Company, s.Accounts[c.Company]) {
		d.serve(key)
	}
	var open []Credit
	sum, again, lost := money.Amount(0), money.Amount(0), false // again: what its payer can call back as well
	for _, x := range d.credits(c.Company) {
		if d.creditWait(x, e.Actor.Operator) != "" {
			continue
		}
		if d.recallableNow(x) {
			with := again.Add(d.sendable(x))
			if !e.Actor.Operator && d.Companies.Peek(c.Company).sendsTooMuch(with, e.Today()) {
				continue // together it would be too much
			}
			again = with
		}
		if m, _ := d.creditWay(x, c.Method, 1); m == nil {
			lost = true // its account is gone: staff give another
			continue
		}
		open, sum = append(open, x), sum.Add(d.sendable(x))
	}
	if lost && sum == 0 {
		return Changes{}, PaymentMethodRequired.Because("The account that the credit's money came from is gone, or there was none; staff may give another.")
	}
	amount := sum
	if c.Amount != nil {
		amount = *c.Amount
	}
	if amount > sum || amount <= 0 {
		return Changes{}, CreditExceeded.With(fmt.Sprintf("%s of credit can be sent.", sum), map[string]any{"sendable_amount": sum})
	}
	var first *Payment
	for _, x := range open {
		part := min(amount, d.sendable(x))
		if part == 0 {
			break
		}
		amount = amount.Sub(part)
		p := d.sendCredit(x, part, c.Method)
		if p == nil {
			return Changes{}, PaymentMethodRequired.Because("The card's charge does not take all of the credit back; staff may give an account.")
		}
		if first == nil {
			first = p
		}
	}
	return d.Done(first, first.Direction == "OUT"), nil
}

// moneyMayMove refuses to move money of a company that is suspended for compliance
// (F23, F26).
func moneyMayMove(x *Company) *Rejection {
	if x.Servicing.Frozen != "" || x.Servicing.Screened.Stopped || x.Status == CompanySuspended && (x.StatusCode == complianceReview || x.StatusCode == SanctionsMatch) {
		return CompanyNotEligible.With("No money of a company under review is moved.", map[string]any{"company_status": string(x.Status)})
	}
	return nil
}

// MoneyMayLeave is moneyMayMove for what a company is to get: that waits for the decision
// on a screening too, and after it for the comparison of a name that the company has
// taken meanwhile (F29).
func MoneyMayLeave(x *Company) *Rejection {
	if id := x.Servicing.Screened.Review; id != "" {
		return ScreeningWaits(id)
	}
	if x.Servicing.Screened.Unscreened && UnderSanctions(x) {
		return CompanyNotEligible.Because("A name of the company has not been compared with the sanctions list yet.")
	}
	return moneyMayMove(x)
}

// creditWait says why a credit is not ours to send today, "" if it is: it waits for due
// dates of an order on which something is owed, a merchant holds it, or the money that
// made it is not good yet (F36). Staff may send what a bank can still have returned; time,
// which comes with an operator's rights, may not (F41.3).
func (d *Draft) creditWait(x Credit, staff bool) CreditWait {
	unripe := d.Companies.Peek(x.Company).Servicing.Unripe
	if strings.HasPrefix(x.Source, prefixPayment) {
		p := d.Payments.Peek(x.Source)
		l := d.LoanOf(x.Order)
		switch {
		case d.sendable(x) == 0:
			return CreditHeldByMerchant
		case x.Hold && l != nil && owes(l), d.promised(x):
			return CreditOwed
		case slices.Contains(unripe, p.ID), !staff && (d.returnable(x) || d.withheld(x)):
			return CreditUnripe
		}
		return ""
	}
	if d.promised(x) {
		return CreditOwed
	}
	switch pay := x.Payment(); {
	case pay != "" && slices.Contains(unripe, pay), pay == "" && len(unripe) > 0, !staff && (d.returnable(x) || d.withheld(x)):
		return CreditUnripe
	}
	return ""
}

// earlyCredit is how much credit of consumers' money, made by refunds of orders, goes back to
// a company in any sixty days before the debits behind it can no longer be returned (F41.3).
const earlyCredit money.Amount = 500_00

// returnable reports that a consumer's bank may still return the debit whose money a credit
// is, and that more than earlyCredit would go back meanwhile (F41.3).
func (d *Draft) returnable(x Credit) bool {
	p := d.Payments.Peek(x.Payment())
	if p == nil || d.Env.Today() > returnableUntil(d.Transfers.Peek(p.Transfer), d.Methods.Peek(p.MethodID)) {
		return false
	}
	return p.ID == x.Source || x.Amount.Add(d.sentEarly(x.Company)) > earlyCredit
}

// withheld reports that the payer can still call back the money that a credit is made of, and
// that more than its line has been paid in that way, or would have gone back of it (F24).
func (d *Draft) withheld(x Credit) bool {
	c := d.Companies.Peek(x.Company)
	return d.recallableNow(x) && (c.recallable(x.Payment()).Withheld || c.sendsTooMuch(d.sendable(x), d.Env.Today()))
}

// recallableNow reports that the payer can still call back the money that a credit is made of.
func (d *Draft) recallableNow(x Credit) bool {
	r := d.Companies.Peek(x.Company).recallable(x.Payment())
	return r != nil && d.Env.Today() <= r.Until
}

// sentEarly is what has gone back to a company of such money in the last sixty days.
func (d *Draft) sentEarly(company int64) money.Amount {
	sum := money.Amount(0)
	for _, s := range d.Companies.Peek(company).Servicing.SentEarly {
		if s.On > d.Env.Today().AddDays(-consumerDays) {
			sum = sum.Add(s.Amount)
		}
	}
	return sum
}

// noteEarly notes that consumers' money goes back before its debit is final.
func (d *Draft) noteEarly(x Credit, amount money.Amount) {
	p := d.Payments.Peek(x.Payment())
	if p == nil || d.Env.Today() > returnableUntil(d.Transfers.Peek(p.Transfer), d.Methods.Peek(p.MethodID)) {
		return
	}
	v := &d.Companies.Edit(x.Company).Servicing
	v.SentEarly = append(slices.DeleteFunc(slices.Clone(v.SentEarly), func(s SentEarly) bool { return s.On <= d.Env.Today().AddDays(-consumerDays) }),
		SentEarly{On: d.Env.Today(), Amount: amount})
}

// sendCredit sends a part of one credit back, to the account given or where it came
// from. It returns the payment that is refunded or made, nil if there is no account.
func (d *Draft) sendCredit(x Credit, amount money.Amount, method string) *Payment {
	m, charge := d.creditWay(x, method, amount)
	if m == nil {
		return nil
	}
	if strings.HasPrefix(x.Source, prefixPayment) {
		p := d.Payments.Edit(x.Source)
		d.giveBack(p, amount, "credit sent back", m, charge)
		return p
	}
	d.noteEarly(x, amount)
	id := d.IDs.Next(prefixPayment)
	p := d.Payments.Add(id, &Payment{
		ID: id, Company: x.Company, Order: x.Order, Amount: amount, Currency: money.USD, Status: PaymentPending, Method: m.Type, Direction: "OUT",
		EffectiveDate: calendar.None, Attempt: 1, MethodID: m.ID, CreatedAt: d.Env.Now, UpdatedAt: d.Env.Now, Version: 1, Merchant: d.Env.Actor.Merchant,
	})
	t := d.sendBack(&Transfer{Kind: TransferCredit, Company: x.Company, Payment: p.ID, Amount: amount}, m, charge)
	p.Transfer, p.ScheduledDate = t.ID, t.SettlesOn
	d.paymentEvent(PaymentCreatedEvent, p.ID)
	d.play(x.Company, []string{x.Order}, schedule.Event{
		Kind: schedule.EventPaymentRefund, ID: p.ID, Date: d.Env.Today(), Seq: d.nextSeq(x.Company), Order: x.Order, Payment: x.Source, Amount: amount,
	}, nil)
	return p
}

// creditWay is where credit goes: back to the account or the card's charge that its money
// came from (F41.2). Staff may give another account of the company. It is nil if there is
// none: then the credit waits as owed.
func (d *Draft) creditWay(x Credit, given string, amount money.Amount) (m *PaymentMethod, charge *Transfer) {
	if p := d.Payments.Peek(x.Payment()); p != nil {
		m, charge = d.wayBack(p, amount)
	}
	if given == "" || m != nil && m.ID == given {
		return m, charge
	}
	if m = d.Methods.Peek(given); d.Env.Actor.Operator && m != nil && m.Company == x.Company && m.Type.Can().Credit && m.Usable() {
		return m, nil
	}
	return nil, nil
}

// sendable is the part of a credit that no merchant holds (F36).
func (d *Draft) sendable(x Credit) money.Amount {
	if p := d.Payments.Peek(x.Source); p != nil {
		return x.Amount.Sub(min(x.Amount, p.HeldExcess()))
	}
	return x.Amount
}

// Payment is the payment whose money a credit is, "" if none is known.
func (x Credit) Payment() string {
	if _, payment := schedule.SourceParts(x.Source); strings.HasPrefix(payment, prefixPayment) {
		return payment
	}
	return ""
}

// creditCameBack restores the credit that a payment OUT did not deliver. receipt books
// money that has come back, nil if it had not left.
func (d *Draft) creditCameBack(t *Transfer, f *Failure, status PaymentStatus, receipt func()) {
	p := d.Payments.Edit(t.Payment)
	p.Status, p.Failure = status, f
	if status == PaymentFailed {
		d.paymentEvent(PaymentFailedEvent, p.ID)
	} else {
		d.paymentEvent(PaymentReturnedEvent, p.ID)
	}
	orders := []string{p.Order}
	d.serveBefore(p.Company, orders, schedule.Event{})
	if receipt == nil {
		receipt = func() {}
	}
	d.replayWith(p.Company, orders, nil, map[string]bool{p.ID: true}, receipt)
	d.cameBack(p)
}
