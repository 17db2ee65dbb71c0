package credit

import (
	"cmp"
	"slices"

	"tenor/internal/ledger"
	"tenor/internal/money"
	"tenor/internal/schedule"
)

// historyKeys asks for what a replay of an event needs: the orders' own history,
// or the whole account once company-level payments have tied its orders together.
func historyKeys(s *State, company int64, orders []string, e schedule.Event) Keys {
	x := s.Companies[company]
	if x == nil || !replays(s, company, orders, e) {
		return Keys{}
	}
	if x.Shared {
		return Keys{Accounts: []int64{company}}
	}
	return Keys{History: orders}
}

// replay runs the histories of the orders again with one more event (nil for
// none, when only days have passed), and posts the difference to what the ledger
// holds, today, for its own date (F34).
func (d *draft) replay(company int64, orders []string, e *schedule.Event, first func()) []schedule.Effect {
	if d.s.Companies[company].Shared {
		orders = d.s.Accounts[company]
	}
	kept := d.history(orders)
	events := make([]schedule.Event, 0, len(kept)+1)
	for _, k := range kept {
		events = append(events, k.Event)
	}
	if e != nil {
		events = append(events, *e)
	}
	was := d.portfolio(company, orders)
	was.Credits = own(was.Credits, kept)
	now, effects := schedule.Replay(events, d.e.Today())
	d.postPeriods(company, was, now, effects)
	by := byCause(effects)
	d.repostChanged(company, kept, e, by)
	first()
	if e != nil {
		d.postNew(company, kept, *e, by[e.ID])
	}
	d.settleLoans(company, d.withForeign(company, kept, was), d.withForeign(company, kept, now))
	d.settlePayments(company, kept)
	if e == nil {
		return nil
	}
	return by[e.ID]
}

// byCause groups effects by the event that caused them; accruals belong to their
// period and are left out.
func byCause(effects []schedule.Effect) map[string][]schedule.Effect {
	by := map[string][]schedule.Effect{}
	for _, f := range effects {
		if f.Kind != schedule.EffectAccrued {
			by[f.Cause] = append(by[f.Cause], f)
		}
	}
	return by
}

// history merges the events of orders, each once, in order of recording.
func (d *draft) history(orders []string) []MoneyEvent {
	var all []MoneyEvent
	for _, key := range orders {
		for _, e := range d.s.History[key] {
			if !slices.ContainsFunc(all, func(x MoneyEvent) bool { return x.ID == e.ID && x.Kind == e.Kind }) {
				all = append(all, e)
			}
		}
	}
	slices.SortFunc(all, func(a, b MoneyEvent) int { return cmp.Compare(a.Seq, b.Seq) })
	return all
}

// own keeps the credits that the replayed events made.
func own(credits []schedule.Credit, kept []MoneyEvent) []schedule.Credit {
	return slices.DeleteFunc(slices.Clone(credits), func(c schedule.Credit) bool { return !made(kept, c.Source) })
}

func made(kept []MoneyEvent, source string) bool {
	return slices.ContainsFunc(kept, func(e MoneyEvent) bool { return e.ID == source })
}

// withForeign adds the company's credits from outside the replayed histories, so
// that the company's sum is whole.
func (d *draft) withForeign(company int64, kept []MoneyEvent, p *schedule.Portfolio) *schedule.Portfolio {
	for _, c := range d.s.Credits[company] {
		if !made(kept, c.Source) {
			p.Credits = append(p.Credits, c.Credit)
		}
	}
	return p
}

// postPeriods posts, period by period, what the charge earned differs from what
// has been posted, for the day on which the replay last recognised some of it.
func (d *draft) postPeriods(company int64, was, now *schedule.Portfolio, effects []schedule.Effect) {
	p := poster{d: d, company: company}
	for i, l := range now.Loans {
		for k, row := range l.Rows {
			delta := row.Recognised.Sub(was.Loans[i].Rows[k].Recognised)
			if delta == 0 {
				continue
			}
			value := min(row.DueDate, d.e.Today())
			for _, f := range effects {
				if f.Kind == schedule.EffectAccrued && f.Order == l.Key && f.Period == row.Number {
					value = f.Date
				}
			}
			p.accrued(l.Key, row.Number, delta, value)
		}
	}
}

// repostChanged compares, event by event, the effects that have been posted with
// those of the replay: what differs is reversed and posted anew. What a returned
// payment had done is taken back by the return's own entry.
func (d *draft) repostChanged(company int64, kept []MoneyEvent, e *schedule.Event, by map[string][]schedule.Effect) {
	for _, k := range kept {
		if k.Kind == schedule.EventCapture || k.Kind == schedule.EventReturn || k.Returned {
			continue
		}
		if e != nil && e.Kind == schedule.EventReturn && paymentOf(k.Event) == e.Payment {
			k.Returned = true
			d.c.Money = append(d.c.Money, k)
			continue
		}
		if !sameEffects(k.Posted, by[k.ID]) {
			d.repost(company, k, by[k.ID])
		}
	}
}

// postNew posts and remembers the event that the replay was made for.
func (d *draft) postNew(company int64, kept []MoneyEvent, e schedule.Event, effects []schedule.Effect) {
	posted := []Posted{}
	if e.Kind == schedule.EventReturn {
		posted = append(posted, Posted{Entry: d.postReturn(company, kept, e, effects)})
	} else {
		posted = d.postEffects(company, e, effects)
	}
	d.remember(e, company, touched(e, effects), posted)
}

// settlePayments brings the records of replayed payments in line with their
// effects, where these changed.
func (d *draft) settlePayments(company int64, kept []MoneyEvent) {
	for _, k := range kept {
		if k.Kind == schedule.EventPayment && !k.Returned && d.payments[k.ID] != nil {
			d.settlePayment(d.payments[k.ID])
		}
	}
}

func sameEffects(posted []Posted, now []schedule.Effect) bool {
	if len(posted) != len(now) {
		return false
	}
	for i := range posted {
		if !sameEffect(posted[i].Effect, now[i]) {
			return false
		}
	}
	return true
}

func sameEffect(a, b schedule.Effect) bool {
	return slices.Equal(a.Parts, b.Parts) && a.Kind == b.Kind && a.Cause == b.Cause && a.Date == b.Date && a.Source == b.Source &&
		a.Order == b.Order && a.Period == b.Period && a.Amount == b.Amount && a.Credit == b.Credit
}

// repost reverses what an event had posted and posts its effects anew.
func (d *draft) repost(company int64, k MoneyEvent, effects []schedule.Effect) {
	p := poster{d: d, company: company, event: k.Event}
	if pay := paymentOf(k.Event); pay != "" {
		d.payment(pay)
	}
	for _, old := range k.Posted {
		if old.Entry != "" {
			d.reverse(p, old)
		}
	}
	k.Posted = d.postEffects(company, k.Event, effects)
	k.Touches = touched(k.Event, effects)
	d.c.Money = append(d.c.Money, k)
}

// reverse books the exact negation of an entry (LG4). The entry is made again
// from its effect, which determines it.
func (d *draft) reverse(p poster, old Posted) {
	n := len(d.c.Entries)
	p.effect(old.Effect)
	for i := n; i < len(d.c.Entries); i++ {
		x := &d.c.Entries[i]
		original := *x
		original.ID = old.Entry
		*x = original.Reversal(x.ID, d.e.Today())
	}
}

// postReturn books the money of a returned payment going back: its items open
// again, its credit falls, and what had left the house is owed on 1130 (F16).
func (d *draft) postReturn(company int64, kept []MoneyEvent, e schedule.Event, effects []schedule.Effect) string {
	pay := d.payment(e.Payment)
	p := poster{d: d, company: company, event: e, payment: pay.ID}
	sums := map[ledger.Dimensions]map[ledger.Account]money.Amount{}
	add := func(l ledger.Posting) {
		if sums[l.Dimensions] == nil {
			sums[l.Dimensions] = map[ledger.Account]money.Amount{}
		}
		sums[l.Dimensions][l.Account] = sums[l.Dimensions][l.Account].Add(l.Amount)
	}
	for _, k := range kept {
		if paymentOf(k.Event) != pay.ID || k.Kind == schedule.EventReturn {
			continue
		}
		for _, old := range k.Posted {
			sign := money.Amount(1)
			if old.Effect.Kind == schedule.EffectReopened {
				sign = -1
			}
			for _, l := range p.lines(old.Effect.Parts, sign) {
				add(l)
			}
			switch old.Effect.Kind {
			case schedule.EffectApplied:
				add(p.creditLine(old.Effect.Credit))
			case schedule.EffectCreditApplied:
				add(p.creditLine(-total(old.Effect.Parts)))
			case schedule.EffectReopened:
				add(p.creditLine(-old.Effect.Credit))
			}
		}
	}
	for _, f := range effects {
		for _, l := range p.lines(f.Parts, +1) {
			add(l)
		}
	}
	return d.entry("PAYMENT_RETURNED", e.ID, e.Date, append(sorted(sums), d.returnLine(p, pay))...)
}

// returnLine is the money that left: our cash, or what the merchant owed us.
func (d *draft) returnLine(p poster, pay *Payment) ledger.Posting {
	out := p.line(ledger.Cash, -pay.Amount, pay.Order)
	if pay.FromMerchant {
		out.Account = ledger.DueFromMerchant
		if pay.Order == "" {
			out.Merchant = pay.Merchant
		}
	}
	return out
}

// sorted lists summed lines in a fixed order.
func sorted(sums map[ledger.Dimensions]map[ledger.Account]money.Amount) []ledger.Posting {
	var out []ledger.Posting
	for dim, accounts := range sums { //archtest:sorted-below
		for a, amount := range accounts { //archtest:sorted-below
			out = append(out, ledger.Posting{Account: a, Amount: amount, Dimensions: dim})
		}
	}
	slices.SortFunc(out, func(a, b ledger.Posting) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Installment, b.Installment), cmp.Compare(a.Account, b.Account))
	})
	return out
}

// settlePayment shows on a payment what its effects have paid and what is left
// of it as credit.
func (d *draft) settlePayment(pay *Payment) {
	pay.Allocations = allocations(d.effectsOf(pay))
	pay.Unapplied = 0
	for _, c := range d.creditsOf(pay.Company) {
		if c.Source == pay.ID {
			pay.Unapplied = c.Amount
		}
	}
}

// creditsOf lists a company's credits as this command leaves them.
func (d *draft) creditsOf(company int64) []Credit {
	out := slices.Clone(d.s.Credits[company])
	for _, c := range d.c.Credits {
		if i := slices.IndexFunc(out, func(x Credit) bool { return x.Source == c.Source }); i >= 0 {
			out[i] = c
		} else {
			out = append(out, c)
		}
	}
	return out
}

// effectsOf lists a payment's effects, those of this command over the stored ones.
func (d *draft) effectsOf(pay *Payment) []schedule.Effect {
	var effects []schedule.Effect
	seen := map[string]bool{}
	take := func(e MoneyEvent) {
		if seen[e.ID] || paymentOf(e.Event) != pay.ID || e.Returned || e.Kind == schedule.EventReturn {
			return
		}
		seen[e.ID] = true
		for _, p := range e.Posted {
			effects = append(effects, p.Effect)
		}
	}
	for i := len(d.c.Money) - 1; i >= 0; i-- {
		take(d.c.Money[i])
	}
	for _, key := range d.historyOf(pay) {
		for _, e := range d.s.History[key] {
			take(e)
		}
	}
	return effects
}

func (d *draft) historyOf(pay *Payment) []string {
	if pay.Order != "" {
		return []string{pay.Order}
	}
	return d.s.Accounts[pay.Company]
}

// allocations sums parts per order and row, in the schedule's order.
func allocations(effects []schedule.Effect) []Allocation {
	var out []Allocation
	for _, e := range effects {
		sign := money.Amount(1)
		if e.Kind == schedule.EffectReopened {
			sign = -1
		}
		for _, p := range e.Parts {
			i := slices.IndexFunc(out, func(a Allocation) bool { return a.Order == p.Order && a.Installment == p.Installment })
			if i < 0 {
				i = len(out)
				out = append(out, Allocation{Order: p.Order, Installment: p.Installment})
			}
			switch p.Item {
			case schedule.ItemCharge:
				out[i].Charge = out[i].Charge.Add(sign * p.Amount)
			case schedule.ItemPrincipal:
				out[i].Principal = out[i].Principal.Add(sign * p.Amount)
			default:
				out[i].Fee = out[i].Fee.Add(sign * p.Amount)
			}
		}
	}
	out = slices.DeleteFunc(out, func(a Allocation) bool { return a.Fee == 0 && a.Charge == 0 && a.Principal == 0 })
	slices.SortFunc(out, func(a, b Allocation) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Installment, b.Installment))
	})
	return out
}
