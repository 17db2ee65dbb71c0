package payments

import (
	"fmt"
	"slices"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// SendCredit sends unapplied credit back to a company, oldest first (F36): the rest of a
// payment goes back as a refund of it, the rest of a merchant's refund as a payment with
// direction OUT. Result is the first payment that was created or refunded.
type SendCredit struct {
	Company int64         `json:"company_id"`
	Amount  *money.Amount `json:"amount"`            // nil: everything that may be sent
	Method  string        `json:"payment_method_id"` // "": the original one, card first
}

func (SendCredit) Name() string { return "credit.send" }

// Keys requests what sending credit needs.
func (c SendCredit) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := creditKeys(s, c.Company)
	if c.Method != "" {
		k.Methods = append(k.Methods, c.Method)
	}
	return k
}

// creditKeys requests the company's whole account, then the accounts that its payments came
// from and the transfers that charged its cards.
func creditKeys(s *credit.State, company int64) credit.Keys {
	k := credit.AccountKeys(s, company)
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
func paymentsOf(s *credit.State, company int64) []*credit.Payment {
	var list []*credit.Payment
	for _, key := range append([]string{credit.AccountKey(company)}, s.Accounts[company]...) {
		for _, e := range s.History[key] {
			if p := s.Payments[e.ID]; e.Kind == schedule.EventPayment && p != nil && !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	slices.SortFunc(list, func(a, b *credit.Payment) int { return strings.Compare(b.ID, a.ID) })
	return list
}

func (c SendCredit) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return lending.AdmitAccount(s, e, c.Company)
}

func (c SendCredit) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if r := credit.MoneyMayLeave(s.Companies[c.Company]); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	for _, key := range lending.ActiveNow(d, c.Company, s.Accounts[c.Company]) {
		lending.Serve(d, key)
	}
	var open []credit.Credit
	sum, again, lost := money.Amount(0), money.Amount(0), false // again: what its payer can also recall
	for _, x := range d.Credits(c.Company) {
		if creditWait(d, x, e.Actor.Operator) != "" {
			continue
		}
		if recallableNow(d, x) {
			with := again.Add(d.Sendable(x))
			if !e.Actor.Operator && lending.SendsTooMuch(d.Companies.Peek(c.Company), with, e.Today()) {
				continue // together they would exceed the limit
			}
			again = with
		}
		if m, _ := creditWay(d, x, c.Method, 1); m == nil {
			lost = true // its account is gone: staff must name another
			continue
		}
		open, sum = append(open, x), sum.Add(d.Sendable(x))
	}
	if lost && sum == 0 {
		return credit.Changes{}, credit.PaymentMethodRequired.Because("The account the money came from no longer exists, or there was none. The lender can name another account.")
	}
	amount := sum
	if c.Amount != nil {
		amount = *c.Amount
	}
	if amount > sum || amount <= 0 {
		return credit.Changes{}, credit.CreditExceeded.With(fmt.Sprintf("%s of credit can be sent.", sum), map[string]any{"sendable_amount": sum})
	}
	var first *credit.Payment
	for _, x := range open {
		part := min(amount, d.Sendable(x))
		if part == 0 {
			break
		}
		amount = amount.Sub(part)
		p := sendCredit(d, x, part, c.Method)
		if p == nil {
			return credit.Changes{}, credit.PaymentMethodRequired.Because("The card charge is too small to return all of the credit. The lender can name a bank account.")
		}
		if first == nil {
			first = p
		}
	}
	return d.Done(first, first.Direction == "OUT"), nil
}

// creditWait is why a credit cannot be sent today, "" if it can: it waits for due dates of an
// order that owes, a merchant holds it, or the money behind it is not good yet (F36). Staff
// may send what a bank can still have returned. The scheduler, which has an operator's rights
// too, may not (F41.3).
func creditWait(d *credit.Draft, x credit.Credit, staff bool) credit.CreditWait {
	unripe := d.Companies.Peek(x.Company).Servicing.Unripe
	if strings.HasPrefix(x.Source, credit.PrefixPayment) {
		p := d.Payments.Peek(x.Source)
		l := d.LoanOf(x.Order)
		switch {
		case d.Sendable(x) == 0:
			return credit.CreditHeldByMerchant
		case x.Hold && l != nil && credit.Owes(l), lending.Promised(d, x):
			return credit.CreditOwed
		case slices.Contains(unripe, p.ID), !staff && (returnable(d, x) || withheld(d, x)):
			return credit.CreditUnripe
		}
		return ""
	}
	if lending.Promised(d, x) {
		return credit.CreditOwed
	}
	switch pay := x.Payment(); {
	case pay != "" && slices.Contains(unripe, pay), pay == "" && len(unripe) > 0, !staff && (returnable(d, x) || withheld(d, x)):
		return credit.CreditUnripe
	}
	return ""
}

// returnable reports whether a consumer's bank may still return the debit behind a credit.
// Credit of a merchant's refund is exempt until more than EarlyCredit goes back (F41.3).
func returnable(d *credit.Draft, x credit.Credit) bool {
	p := d.Payments.Peek(x.Payment())
	if p == nil || d.Env.Today() > credit.ReturnableUntil(d.Transfers.Peek(p.Transfer), d.Methods.Peek(p.MethodID)) {
		return false
	}
	return p.ID == x.Source || x.Amount.Add(sentEarly(d, x.Company)) > lending.EarlyCredit
}

// withheld reports whether the payer can still recall the money behind a credit, and either
// its payment is withheld already or sending the credit would be too much (SendsTooMuch; F24).
func withheld(d *credit.Draft, x credit.Credit) bool {
	c := d.Companies.Peek(x.Company)
	return recallableNow(d, x) && (c.Recallable(x.Payment()).Withheld || lending.SendsTooMuch(c, d.Sendable(x), d.Env.Today()))
}

// recallableNow reports whether the payer can still recall the money behind a credit.
func recallableNow(d *credit.Draft, x credit.Credit) bool {
	r := d.Companies.Peek(x.Company).Recallable(x.Payment())
	return r != nil && d.Env.Today() <= r.Until
}

// sentEarly is how much of such money was sent back to a company in the last sixty days.
func sentEarly(d *credit.Draft, company int64) money.Amount {
	sum := money.Amount(0)
	for _, s := range d.Companies.Peek(company).Servicing.SentEarly {
		if s.On > d.Env.Today().AddDays(-credit.ConsumerDays) {
			sum = sum.Add(s.Amount)
		}
	}
	return sum
}

// noteEarly records that consumers' money goes back before its debit is final.
func noteEarly(d *credit.Draft, x credit.Credit, amount money.Amount) {
	p := d.Payments.Peek(x.Payment())
	if p == nil || d.Env.Today() > credit.ReturnableUntil(d.Transfers.Peek(p.Transfer), d.Methods.Peek(p.MethodID)) {
		return
	}
	v := &d.Companies.Edit(x.Company).Servicing
	v.SentEarly = append(slices.DeleteFunc(slices.Clone(v.SentEarly), func(s credit.SentEarly) bool { return s.On <= d.Env.Today().AddDays(-credit.ConsumerDays) }),
		credit.SentEarly{On: d.Env.Today(), Amount: amount})
}

// sendCredit sends part of one credit back, to the given account or where it came from. It
// returns the payment that is refunded or created, nil if there is no account.
func sendCredit(d *credit.Draft, x credit.Credit, amount money.Amount, method string) *credit.Payment {
	m, charge := creditWay(d, x, method, amount)
	if m == nil {
		return nil
	}
	if strings.HasPrefix(x.Source, credit.PrefixPayment) {
		p := d.Payments.Edit(x.Source)
		giveBack(d, p, amount, "credit sent back", m, charge)
		return p
	}
	noteEarly(d, x, amount)
	id := d.IDs.Next(credit.PrefixPayment)
	p := d.Payments.Add(id, &credit.Payment{
		ID: id, Company: x.Company, Order: x.Order, Amount: amount, Currency: money.USD, Status: credit.PaymentPending, Method: m.Type, Direction: "OUT",
		EffectiveDate: calendar.None, Attempt: 1, MethodID: m.ID, CreatedAt: d.Env.Now, UpdatedAt: d.Env.Now, Version: 1, Merchant: d.Env.Actor.Merchant,
	})
	t := sendBack(d, &credit.Transfer{Kind: credit.TransferCredit, Company: x.Company, Payment: p.ID, Amount: amount}, m, charge)
	p.Transfer, p.ScheduledDate = t.ID, t.SettlesOn
	d.PaymentEvent(credit.PaymentCreatedEvent, p.ID)
	lending.Play(d, x.Company, []string{x.Order}, schedule.Event{
		Kind: schedule.EventPaymentRefund, ID: p.ID, Date: d.Env.Today(), Seq: lending.NextSeq(d, x.Company), Order: x.Order, Payment: x.Source, Amount: amount,
	}, nil)
	return p
}

// creditWay is where credit goes: back to the account or card charge that its money came from
// (F41.2). Staff may name another account of the company. It is nil if there is none: the
// credit then stays owed.
func creditWay(d *credit.Draft, x credit.Credit, given string, amount money.Amount) (m *credit.PaymentMethod, charge *credit.Transfer) {
	if p := d.Payments.Peek(x.Payment()); p != nil {
		m, charge = wayBack(d, p, amount)
	}
	if given == "" || m != nil && m.ID == given {
		return m, charge
	}
	if m = d.Methods.Peek(given); d.Env.Actor.Operator && m != nil && m.Company == x.Company && m.Type.Can().Credit && m.Usable() {
		return m, nil
	}
	return nil, nil
}

// creditCameBack restores the credit that a payment OUT did not deliver. receipt books money
// that has come back; it is nil if the money had not left.
func creditCameBack(d *credit.Draft, t *credit.Transfer, f *credit.Failure, status credit.PaymentStatus, receipt func()) {
	p := d.Payments.Edit(t.Payment)
	p.Status, p.Failure = status, f
	if status == credit.PaymentFailed {
		d.PaymentEvent(credit.PaymentFailedEvent, p.ID)
	} else {
		d.PaymentEvent(credit.PaymentReturnedEvent, p.ID)
	}
	orders := []string{p.Order}
	lending.ServeBefore(d, p.Company, orders, schedule.Event{})
	if receipt == nil {
		receipt = func() {}
	}
	lending.ReplayWith(d, p.Company, orders, nil, map[string]bool{p.ID: true}, receipt)
	cameBack(d, p)
}
