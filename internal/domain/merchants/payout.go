package merchants

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// PayMerchant combines what waits for a merchant into a payout: at most MaxLines lines that
// add to it and as many of each side that reduces it, with clawbacks and collected money
// netted and the rest carried over (F32). It makes none if nothing that adds to a payout
// waits, while payouts are held or no account is known, and on days when banks are closed.
// Captures that would bring the lender's exposure to the merchant above its limit wait
// (F41.12). If a merchant owes more lines than are loaded, and the loaded ones amount to less
// than it is owed, they are merged instead, and the command must be submitted again. Result is
// the *Payout, or the *Merchant if none was made.
type PayMerchant struct {
	Merchant string `json:"merchant"`
	// Names are the names compared with the sanctions list for this payout (F29): none is made
	// if the merchant now has others. nil: any.
	Names []string `json:"names,omitzero"`
}

func (PayMerchant) Name() string { return "payout.run" }

// Keys requests the merchant with its position and waiting lines, then the debit of its
// clawbacks and, above its limit, the orders whose captures wait.
func (c PayMerchant) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := merchantKeys(c.Merchant)
	k.Positions = []string{c.Merchant}
	if m := s.Merchants[c.Merchant]; m != nil && m.Debit != "" {
		k.Transfers = []string{m.Debit}
	}
	if aboveLimit(s, c.Merchant) {
		for _, l := range waitingCaptures(s, c.Merchant) {
			k.Orders = append(k.Orders, l.Order)
		}
	}
	return k
}

func merchantKeys(id string) credit.Keys {
	return credit.Keys{Merchants: []string{id}, Waiting: []string{id}}
}

func (c PayMerchant) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	return lending.AdmitMerchant(s, c.Merchant)
}

func (c PayMerchant) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	m := s.Merchants[c.Merchant]
	if m.Account.Bank == nil || m.Account.HeldReason != "" || m.Account.Screened.Review != "" || !e.Today().IsBankingDay() ||
		c.Names != nil && !slices.Equal(c.Names, m.Names()) {
		return credit.Changes{Result: m}, nil
	}
	d := credit.NewDraft(s, e)
	due := dueLines(d, c.Merchant)
	if mergeOwed(d, c.Merchant, due) {
		noteOwed(d, c.Merchant)
		return d.Done(m, false), nil
	}
	if aboveLimit(s, m.ID) {
		due = withinLimit(d, m, due)
	}
	p := &credit.Payout{ID: d.IDs.Next(credit.PrefixPayout), Merchant: m.ID, Status: credit.PayoutPending, Date: e.Today(), CreatedAt: e.Now, UpdatedAt: e.Now, Version: 1}
	if !include(d, p, due) {
		return credit.Changes{Result: m}, nil
	}
	d.Payouts.Add(p.ID, p)
	netAll(d, p, due)
	noteOwed(d, c.Merchant)
	d.PayoutEvent(credit.PayoutCreatedEvent, p.ID)
	if p.Net == 0 { // nothing to send
		p.Status, p.SettledAt = credit.PayoutSettled, e.Now
		d.PayoutEvent(credit.PayoutSettledEvent, p.ID)
		return d.Done(p, true), nil
	}
	p.Transfer = instruct(d, &credit.Transfer{Kind: credit.TransferPayout, Merchant: m.ID, Payout: p.ID, Amount: p.Net, Entry: "PAYOUT"})
	return d.Done(p, true), nil
}

// dueLines lists a merchant's waiting lines whose day has come.
func dueLines(d *credit.Draft, merchant string) []*credit.PayoutLine {
	var out []*credit.PayoutLine
	for _, id := range d.State.Waiting[merchant] {
		if l := d.Lines.Peek(id); l.Due <= d.Env.Today() && l.Waits() && l.Left() >= 0 {
			out = append(out, l)
		}
	}
	return out
}

// include puts the lines that add to the payout into it, as many as one transfer can carry,
// and reports whether there were any. The others wait for the day's next payout.
func include(d *credit.Draft, p *credit.Payout, due []*credit.PayoutLine) bool {
	found, sum := false, money.Amount(0)
	for _, l := range due {
		if l.Kind.Owes() || sum.Add(l.Amount) > credit.MaxTransfer {
			continue
		}
		found, sum = true, sum.Add(l.Amount)
		p.Gross, p.Discount, p.Refunds = p.Gross.Add(l.Gross), p.Discount.Add(l.Discount), p.Refunds.Add(l.Refunds)
		if l.Kind != credit.LineCapture {
			p.Repaid = p.Repaid.Add(l.Amount)
		}
		d.Lines.Edit(l.ID).Payout = p.ID
	}
	p.Net = p.Gross.Sub(p.Discount).Sub(p.Refunds).Add(p.Repaid)
	return found
}

// netAll deducts everything that the merchant owes from the payout, as far as it goes:
// clawbacks, including those of an unsent debit, which it cancels; then what the merchant has
// collected; then clawbacks that a debit in progress is for, so that its money does not come
// too late; finally what was written off (F32, F41.9).
func netAll(d *credit.Draft, p *credit.Payout, due []*credit.PayoutLine) {
	u := cancelClawback(d, p.Merchant)
	take := func(kind credit.PayoutLineKind, a ledger.Account, event string, moving bool) money.Amount {
		sum := net(d, p, due, kind, a, event, moving)
		p.Net = p.Net.Sub(sum)
		return sum
	}
	p.Clawback = take(credit.LineClawback, ledger.ClawbackReceivable, credit.EntryClawbackNetted, false)
	p.Collected = take(credit.LineCollected, ledger.DueFromMerchant, credit.EntryCollectedNetted, false)
	p.Clawback = p.Clawback.Add(take(credit.LineClawback, ledger.ClawbackReceivable, credit.EntryClawbackNetted, true))
	back := recover(d, p)
	p.Clawback, p.Net = p.Clawback.Add(back), p.Net.Sub(back)
	if u != nil {
		debitAgain(d, u)
	}
}

// net deducts what the merchant owes of a kind from the payout, oldest first, as far as it
// goes: with moving, what a debit in progress is for, else the rest.
func net(d *credit.Draft, p *credit.Payout, due []*credit.PayoutLine, kind credit.PayoutLineKind, a ledger.Account, event string, moving bool) money.Amount {
	sum := money.Amount(0)
	for _, l := range due {
		l = d.Lines.Peek(l.ID) // may be the rest of a line that was taken in part
		part := min(l.Amount, p.Net.Sub(sum))
		if l.Kind != kind || !l.Waits() || moving != (l.Netted != 0) || part <= 0 {
			continue
		}
		take(d, l, part, p.ID)
		d.Entry(event, p.ID, d.Env.Today(), payments.MerchantLine(ledger.MerchantPayable, part, p.Merchant), payments.OwnLine(a, -part, l))
		sum = sum.Add(part)
	}
	d.Settled(p.Merchant, sum)
	return sum
}

// take ends a line, or part of it, by what took it: a payout, a transfer, an entry. A part
// becomes a line of its own, so that each line is in at most one payout; the rest keeps
// waiting.
func take(d *credit.Draft, l *credit.PayoutLine, part money.Amount, by string) *credit.PayoutLine {
	l = d.Lines.Edit(l.ID)
	if part < l.Amount {
		l.Amount = l.Amount.Sub(part)
		if l.Netted != 0 {
			l.Netted = l.Amount // the debit in progress is for this
		}
		taken := *l
		taken.Amount = part
		at := l.At
		l = d.AddLine(taken)
		l.At = at // of the line it was part of
	}
	l.Netted, l.Payout = l.Amount, by
	if l.Kind == credit.LineCollected && l.Company != 0 {
		l.NextAt = d.Env.Now // this command does not load its company (F41.4)
	}
	return l
}

// instruct creates a merchant's transfer, to be sent at the next cut-off and settled on the
// following banking day (F22).
func instruct(d *credit.Draft, t *credit.Transfer) string {
	t.ID, t.Rail, t.Status, t.ReleaseOn = d.IDs.Next(credit.PrefixTransfer), credit.ACH, credit.TransferQueued, calendar.None
	t.SendOn = d.Env.Today().NextBankingDay()
	t.SettlesOn = t.SendOn.AddBankingDays(1)
	t.NextAt = d.Env.Zone.At(t.SendOn, credit.CutOffHour, 0)
	t.CreatedAt, t.UpdatedAt, t.Version = d.Env.Now, d.Env.Now, 1
	return d.Transfers.Add(t.ID, t).ID
}
