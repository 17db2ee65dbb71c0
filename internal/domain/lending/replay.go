package lending

import (
	"cmp"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// historyKeys requests what a replay of an event needs: the orders' own histories, or the
// whole account once company-level payments have tied its orders together. For tied orders the
// account is always needed, to see whether one of them must be served first.
func historyKeys(s *credit.State, company int64, orders []string, e schedule.Event) credit.Keys {
	x := s.Companies[company]
	switch {
	case x == nil:
		return credit.Keys{}
	case !Replays(s, company, orders, e):
		if x.JointReplay {
			return credit.Keys{Accounts: []int64{company}}
		}
		return credit.Keys{}
	case x.JointReplay:
		return credit.AccountKeys(s, company)
	}
	return credit.Keys{History: orders}
}

// replay reruns the histories of the orders with one more event (nil if only days have
// passed), and posts the difference to the ledger's balance, today, for its own date (F34).
func replay(d *credit.Draft, company int64, orders []string, e *schedule.Event, first func()) {
	ReplayWith(d, company, orders, e, nil, first)
}

// ReplayWith is replay with events that are withdrawn from the history (true), or that count
// again (false). In that case first is called before anything is reposted.
func ReplayWith(d *credit.Draft, company int64, orders []string, e *schedule.Event, flags map[string]bool, first func()) {
	if d.Companies.Peek(company).JointReplay {
		orders = tied(d, company)
	}
	kept := Recorded(d, company, orders)
	for i, k := range kept {
		if returned, ok := flags[k.ID]; ok {
			kept[i].Returned, kept[i].GoneAt = returned, 0
			if returned {
				kept[i].GoneAt = d.Env.Now.UnixMicro()
			} else {
				kept[i].Posted = nil // the return's entry took it back: it is posted again
			}
			PutMoney(d, kept[i])
		}
	}
	events := make([]schedule.Event, 0, len(kept)+1)
	for _, k := range kept {
		if !k.Returned || k.Kind != schedule.EventReturn && k.Kind != schedule.EventPaymentRefund { // else it has been withdrawn
			events = append(events, k.Event)
		}
	}
	if e != nil {
		events = append(events, *e)
	}
	was := portfolio(d, company, orders)
	was.Credits = own(was.Credits, kept)
	to := d.On
	for _, l := range was.Loans {
		to = max(to, l.AsOf) // an order served further than the others stays there
	}
	now, effects := schedule.Replay(events, to)
	postPeriods(d, company, was, now, effects)
	by := byCause(effects)
	steps := []func(){func() { repostChanged(d, company, kept, e, flags, by) }, first, func() {
		if e != nil {
			postNew(d, company, kept, *e, by[e.ID])
		}
	}}
	switch {
	case flags != nil:
		steps[0], steps[1] = steps[1], steps[0]
	case e != nil && freed(effects, e.ID): // its receipt must be booked before a refund takes it off again
		steps = append(steps[1:], steps[0])
	}
	for _, step := range steps {
		step()
	}
	finishLoans(d, company, withForeign(d, company, kept, was), withForeign(d, company, kept, now))
	settlePayments(d, company, orders, kept)
}

// freed reports whether a merchant's refund frees money of a payment (F13.4).
func freed(effects []schedule.Effect, payment string) bool {
	return slices.ContainsFunc(effects, func(f schedule.Effect) bool {
		return slices.ContainsFunc(f.Shares, func(s schedule.Share) bool { return s.Payment == payment })
	})
}

// tied lists a company's orders that are replayed together. An order captured after the date
// that the books have reached is left out: a replay that continues to its capture would take
// the others there before their daily runs (F37).
func tied(d *credit.Draft, company int64) []string {
	return slices.DeleteFunc(slices.Clone(d.State.Accounts[company]), func(key string) bool {
		return d.Orders.Peek(key).CaptureDate > d.On && len(d.State.History[key]) == 1
	})
}

// byCause groups effects by the event that caused them; accruals belong to their period and
// are left out.
func byCause(effects []schedule.Effect) map[string][]schedule.Effect {
	by := map[string][]schedule.Effect{}
	for _, f := range effects {
		if f.Kind != schedule.EffectAccrued {
			by[f.Cause] = append(by[f.Cause], f)
		}
	}
	return by
}

// historyOf merges the events of orders and of the company's own account, without duplicates,
// in recording order.
func historyOf(d *credit.Draft, company int64, orders []string) []credit.MoneyEvent {
	var all []credit.MoneyEvent
	seen := map[string]bool{}
	for _, key := range append([]string{credit.AccountKey(company)}, orders...) {
		for _, e := range d.State.History[key] {
			if !seen[e.ID] {
				seen[e.ID] = true
				all = append(all, e)
			}
		}
	}
	slices.SortStableFunc(all, func(a, b credit.MoneyEvent) int { return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID)) })
	return all
}

// Recorded is the history in the draft.
func Recorded(d *credit.Draft, company int64, orders []string) []credit.MoneyEvent {
	all := historyOf(d, company, orders)
	at := make(map[string]int, len(all))
	for i, e := range all {
		at[e.ID] = i
	}
	keys := append([]string{credit.AccountKey(company)}, orders...)
	for _, e := range d.Changes.Money {
		if i, ok := at[e.ID]; ok {
			all[i] = e
		} else if slices.ContainsFunc(e.Touches, func(key string) bool { return slices.Contains(keys, key) }) {
			all = append(all, e)
		}
	}
	return all
}

// own keeps the credits that the replayed events created.
func own(credits []schedule.Credit, kept []credit.MoneyEvent) []schedule.Credit {
	return slices.DeleteFunc(slices.Clone(credits), func(c schedule.Credit) bool { return !made(kept, c.Source) })
}

func made(kept []credit.MoneyEvent, source string) bool {
	event, _ := schedule.SourceParts(source)
	return slices.ContainsFunc(kept, func(e credit.MoneyEvent) bool { return e.ID == event })
}

// withForeign adds the company's credits from outside the replayed histories, so that the
// company's sum is complete.
func withForeign(d *credit.Draft, company int64, kept []credit.MoneyEvent, p *schedule.Portfolio) *schedule.Portfolio {
	for _, c := range d.Credits(company) {
		if !made(kept, c.Source) {
			p.Credits = append(p.Credits, c.Credit)
		}
	}
	return p
}

// postPeriods posts, period by period, the difference between the charge earned and what has
// been posted. The earliest part counts as already posted: the rest is posted for the days on
// which the replay recognized it, and what is taken back for the last such day.
func postPeriods(d *credit.Draft, company int64, was, now *schedule.Portfolio, effects []schedule.Effect) {
	type period struct {
		order  string
		number int
	}
	accruals := map[period][]schedule.Effect{}
	for _, f := range effects {
		if f.Kind == schedule.EffectAccrued {
			of := period{f.Order, f.Period}
			accruals[of] = append(accruals[of], f)
		}
	}
	p := Poster{D: d, Company: company}
	for i, l := range now.Loans {
		for k, row := range l.Rows {
			delta := row.Recognised.Sub(was.Loans[i].Rows[k].Recognised)
			if delta == 0 {
				continue
			}
			for _, f := range lastAccruals(accruals[period{l.Key, row.Number}], delta, min(row.DueDate, serveTheDay(d, l))) {
				p.accrued(l.Key, row.Number, f.Amount, f.Date)
			}
		}
	}
}

// lastAccruals are the last accruals of a period that add up to a sum, oldest first. A
// negative sum, and whatever no accrual explains, is put on the last day, or on the given day
// if there is none.
func lastAccruals(accruals []schedule.Effect, sum money.Amount, day calendar.Date) []schedule.Effect {
	if n := len(accruals); n > 0 {
		day = accruals[n-1].Date
	}
	var out []schedule.Effect
	for _, f := range slices.Backward(accruals) {
		if f.Amount = min(f.Amount, sum); f.Amount > 0 {
			sum -= f.Amount
			out = append(out, f)
		}
	}
	slices.Reverse(out)
	if sum != 0 {
		out = append(out, schedule.Effect{Amount: sum, Date: day})
	}
	return out
}

// repostChanged compares the posted effects of each event with those of the replay: what
// differs is reversed and posted again. Effects of a returned payment are taken back by the
// return's own entry.
func repostChanged(d *credit.Draft, company int64, kept []credit.MoneyEvent, e *schedule.Event, flags map[string]bool, by map[string][]schedule.Effect) {
	for _, k := range kept {
		if k.Kind == schedule.EventCapture || k.Kind == schedule.EventReturn || k.Returned && !flags[k.ID] {
			continue
		}
		if e != nil && e.Kind == schedule.EventReturn && PaymentOf(k.Event) == e.Payment {
			k.Returned = true
			PutMoney(d, k)
			continue
		}
		if k.Withdrawn {
			continue // it reduces its payment, and has no effects of its own
		}
		same := 0
		for same < min(len(k.Posted), len(by[k.ID])) && sameEffect(k.Posted[same].Effect, by[k.ID][same]) {
			same++
		}
		if e != nil && e.Kind == schedule.EventReversal && e.ChargeOff == k.ID {
			k.Returned = true
		}
		if same < max(len(k.Posted), len(by[k.ID])) {
			repost(d, company, k, same, by[k.ID])
		}
	}
}

// postNew posts and stores the event that the replay was made for.
func postNew(d *credit.Draft, company int64, kept []credit.MoneyEvent, e schedule.Event, effects []schedule.Effect) {
	switch {
	case e.Kind == schedule.EventReturn:
		remember(d, e, company, []credit.Posted{postReturn(d, company, kept, e, effects)})
		return
	case e.Withdrawn:
		remember(d, e, company, []credit.Posted{postWithdrawn(d, company, e)})
		return
	}
	remember(d, e, company, postEffects(d, company, e, effects))
}

// settlePayments updates the records of replayed payments to match what their money pays now.
func settlePayments(d *credit.Draft, company int64, orders []string, kept []credit.MoneyEvent) {
	by := bySource(Recorded(d, company, orders))
	for _, k := range kept {
		if k.Kind != schedule.EventPayment {
			continue
		}
		old := d.Payments.Peek(k.ID)
		next := *old
		settlePaid(d, &next, by[k.ID])
		if next.Unapplied != old.Unapplied || next.Freed != old.Freed || !slices.Equal(next.Allocations, old.Allocations) {
			settlePaid(d, d.Payments.Edit(k.ID), by[k.ID])
		}
	}
}

func sameEffect(a, b schedule.Effect) bool {
	return slices.Equal(a.Parts, b.Parts) && slices.Equal(a.Shares, b.Shares) && a.Kind == b.Kind && a.Cause == b.Cause && a.Date == b.Date && a.Source == b.Source &&
		a.Order == b.Order && a.Period == b.Period && a.Amount == b.Amount && a.Credit == b.Credit
}

// repost reverses what an event had posted, except the effects that are unchanged, and posts
// the new ones.
func repost(d *credit.Draft, company int64, k credit.MoneyEvent, same int, effects []schedule.Effect) {
	p := Poster{D: d, Company: company, Event: k.Event}
	for _, old := range k.Posted[same:] {
		reverseEntry(d, p, old)
	}
	k.Posted = slices.Clone(k.Posted[:same])
	PutMoney(d, k) // the sum of what the merchant holds must not include what was reversed
	k.Posted = append(k.Posted, postEffects(d, company, k.Event, effects[same:])...)
	k.Touches = touched(d, k.Event, company, k.Posted)
	PutMoney(d, k)
}

// reverseEntry books the exact negation of an effect's entries (LG4). They are recreated from
// the effect, which determines them and their order.
func reverseEntry(d *credit.Draft, p Poster, old credit.Posted) {
	n := len(d.Changes.Entries)
	p.again = &old
	for _, key := range old.Nonaccrual {
		d.Mixed[key] = true
	}
	p.effect(old.Effect)
	for i := n; i < len(d.Changes.Entries); i++ {
		x := &d.Changes.Entries[i]
		original := *x
		original.ID = old.Entries[i-n]
		*x = original.Reversal(x.ID, d.Env.Today())
	}
}
