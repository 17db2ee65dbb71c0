package verify

import (
	"cmp"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// schedules replays the money events of every loan, company by company, and compares loans,
// rows, fees and allocations with the result, and the ledger with the loans (F34, SC1 to
// SC5, PA4, PA7).
func schedules(r *run) error {
	touched, last, err := r.readMoney()
	if err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(r.companies)) {
		account := store.CompanyKey(id)
		s := credit.NewState()
		if err := r.view.Load(s, credit.Keys{Companies: []int64{id}, Accounts: []int64{id}}); err != nil {
			return err
		}
		if err := r.view.Load(s, credit.Keys{History: append([]string{account}, s.Accounts[id]...)}); err != nil {
			return err
		}
		if err := r.view.Load(s, credit.Keys{History: s.Accounts[id]}); err != nil {
			return err
		}
		if seq := r.companies[id].MoneySeq; seq != last[id] {
			r.broken("F34", "company "+account, "records %d money events, but the last has sequence %d", seq, last[id])
		}
		for _, key := range append(s.Accounts[id], account) {
			r.checkTouches(key, s.History[key], touched[key])
			delete(touched, key)
		}
		r.guard("F34", "company "+account, func() { r.replayCompany(id, s) })
		if err := r.each(0); err != nil {
			return err
		}
	}
	for _, key := range slices.Sorted(maps.Keys(touched)) {
		r.broken("F34", "order "+key, "has money events but no loan")
	}
	return nil
}

// readMoney lists the money events by history, and the last sequence of each company.
func (r *run) readMoney() (touched map[string][]string, last map[int64]int64, err error) {
	touched, last = map[string][]string{}, map[int64]int64{}
	r.moved = map[movedTo]paidParts{}
	err = store.EachMoney(r.view, func(q int64, e credit.MoneyEvent) error {
		if q < 1 || q > r.report.Seq {
			r.broken("F34", "money event "+e.ID, "refers to commit %d, which does not exist", q)
		}
		if o := r.orders[e.Order]; e.Order != "" && (o == nil || o.company != e.Company) {
			r.broken("AU1", "money event "+e.ID, "refers to order %s, which does not belong to company %d", e.Order, e.Company)
		}
		for _, key := range e.Touches {
			touched[key] = append(touched[key], e.ID)
		}
		last[e.Company] = max(last[e.Company], e.Seq)
		r.noteUse(e)
		return r.each(q)
	})
	return touched, last, err
}

// checkTouches checks that a history includes every event that belongs to it. It may also
// include one that affected it before a replay.
func (r *run) checkTouches(key string, found []credit.MoneyEvent, want []string) {
	ids := map[string]bool{}
	for _, e := range found {
		ids[e.ID] = true
	}
	for _, id := range want {
		if !ids[id] {
			r.broken("F34", "history "+key, "does not list money event %s", id)
		}
	}
}

// group is a set of loans that are replayed together.
type group struct {
	loans  []*schedule.Loan
	events []credit.MoneyEvent
	to     calendar.Date
}

// replayCompany replays the company's loans: each alone, or together once a company-level
// payment has tied them (F34).
func (r *run) replayCompany(id int64, s *credit.State) {
	var groups []*group
	if x := s.Companies[id]; x != nil && x.JointReplay {
		groups = []*group{r.groupOf(append([]string{store.CompanyKey(id)}, s.Accounts[id]...), s)}
	} else {
		for _, key := range s.Accounts[id] {
			groups = append(groups, r.groupOf([]string{key}, s))
		}
	}
	for _, g := range groups {
		r.checkWaived(g)
		r.checkLoans(g, s)
		r.guard("F34", "company "+store.CompanyKey(id), func() { r.compareReplay(g, s.Credits[id], s) })
	}
}

func (r *run) groupOf(keys []string, s *credit.State) *group {
	g := &group{to: calendar.None}
	seen := map[string]bool{}
	for _, key := range keys {
		if l := s.Loans[key]; l != nil {
			g.loans = append(g.loans, l)
			g.to = max(g.to, l.AsOf)
		}
		for _, e := range s.History[key] {
			if !seen[e.ID] {
				seen[e.ID] = true
				g.events = append(g.events, e)
				g.to = max(g.to, e.Date)
			}
		}
	}
	slices.SortFunc(g.loans, func(a, b *schedule.Loan) int {
		return cmp.Or(cmp.Compare(a.CapturedAt, b.CapturedAt), cmp.Compare(a.Key, b.Key))
	})
	slices.SortStableFunc(g.events, func(a, b credit.MoneyEvent) int {
		return cmp.Or(cmp.Compare(a.Seq, b.Seq), cmp.Compare(a.ID, b.ID))
	})
	return g
}

// checkLoans checks each stored loan by itself and against its order and ledger.
func (r *run) checkLoans(g *group, s *credit.State) {
	for _, l := range g.loans {
		object, o := "order "+l.Key, s.Orders[l.Key]
		if o == nil {
			r.broken("AU1", object, "has a loan but does not exist")
			continue
		}
		r.guard("SC1", object, func() {
			r.checkRows(object, l, g.events)
			if err := l.Check(); err != nil {
				r.broken("SC1", object, "%v", err)
			}
			if l.Terms.Principal != o.Captured || l.Terms.CaptureDate != o.CaptureDate {
				r.broken("SC1", object, "its loan is for %s on %s, but %s was captured on %s", l.Terms.Principal, l.Terms.CaptureDate, o.Captured, o.CaptureDate)
			}
			r.checkOwed(object, o, l)
		})
	}
}

// checkWaived compares the waived part of each fee with the postings of its waivers (PA7).
func (r *run) checkWaived(g *group) {
	posted := map[string]money.Amount{}
	for _, e := range g.events {
		for _, x := range e.Posted {
			for _, part := range x.Effect.Parts {
				if x.Effect.Kind == schedule.EffectWaived && part.Fee != "" {
					posted[part.Fee] += part.Amount
				}
			}
		}
	}
	for _, l := range g.loans {
		for _, f := range l.Fees {
			r.equal("PA7", "fee "+f.ID, "waived", f.Waived, posted[f.ID])
		}
	}
}

// checkRows checks what is paid of each row and fee, and the due dates and the level
// payment, which follow from the capture and later staff decisions, whatever was paid.
func (r *run) checkRows(object string, l *schedule.Loan, events []credit.MoneyEvent) {
	for _, row := range l.Rows {
		if row.PaidPrincipal < 0 || row.PaidCharge < 0 || row.PaidPrincipal > row.Principal || row.PaidCharge > row.Charge {
			r.broken("SC5", object, "row %d has %s of %s principal and %s of %s charge paid", row.Number, row.PaidPrincipal, row.Principal, row.PaidCharge, row.Charge)
		}
	}
	first, err := schedule.New(l.Key, l.CapturedAt, l.Terms)
	if err != nil || len(first.Rows) != len(l.Rows) {
		r.broken("SC1", object, "its terms do not produce its %d rows: %v", len(l.Rows), err)
		return
	}
	agreed := first
	if p, _ := schedule.Replay(decided(events, l.Key), l.AsOf); len(p.Loans) == 1 {
		agreed = p.Loans[0]
	}
	for i, row := range agreed.Rows {
		if l.Rows[i].DueDate != row.DueDate {
			r.broken("SC3", object, "row %d is due on %s, must be %s", row.Number, l.Rows[i].DueDate, row.DueDate)
		}
	}
	if agreed.Level != l.Level {
		r.broken("SC1", object, "its level payment is %s, must be %s", l.Level, agreed.Level)
	}
}

// decided returns the events of an order that determine its dates and its level payment.
func decided(events []credit.MoneyEvent, order string) []schedule.Event {
	var out []schedule.Event
	for _, e := range events {
		switch e.Kind {
		case schedule.EventCapture, schedule.EventReschedule, schedule.EventReamortize:
			if e.Order == order {
				out = append(out, e.Event)
			}
		}
	}
	return out
}

// compareReplay advances the stored loans to one day and compares them with the replay of
// all their events to that day.
func (r *run) compareReplay(g *group, credits []credit.Credit, s *credit.State) {
	events, made := make([]schedule.Event, 0, len(g.events)), map[string]bool{}
	for _, e := range g.events {
		if made[e.ID] = true; !withdrawn(e) {
			events = append(events, e.Event)
		}
	}
	want, effects := schedule.Replay(events, g.to)
	stored := &schedule.Portfolio{}
	for _, l := range g.loans {
		stored.Loans = append(stored.Loans, l.Clone())
	}
	for _, c := range credits {
		if event, _ := schedule.SourceParts(c.Source); made[event] {
			stored.Credits = append(stored.Credits, c.Credit)
		}
	}
	effects = known(effects, events, stored)
	stored.Advance(g.to)
	loans := map[string]*schedule.Loan{}
	for _, l := range stored.Loans {
		loans[l.Key] = l
	}
	for _, l := range want.Loans {
		if found := loans[l.Key]; found == nil {
			r.broken("F34", "order "+l.Key, "its events produce a loan that does not exist")
		} else {
			r.compareLoan(found, l)
		}
	}
	if len(stored.Loans) > len(want.Loans) {
		r.broken("F34", "order "+stored.Loans[0].Key, "has %d loans, but its events produce %d", len(stored.Loans), len(want.Loans))
	}
	r.compareCredits(stored.Credits, want.Credits)
	r.compareEffects(g, effects)
	r.compareAllocations(g, effects, s)
}

// known drops what the replay's later days have added to earlier events, such as held
// credit that pays a row on its due date: a loan as of an earlier day does not show it yet.
func known(effects []schedule.Effect, events []schedule.Event, stored *schedule.Portfolio) []schedule.Effect {
	at, loans := map[string]calendar.Date{}, map[string]*schedule.Loan{}
	for _, e := range events {
		at[e.ID] = e.Date
	}
	for _, l := range stored.Loans {
		loans[l.Key] = l
	}
	return slices.DeleteFunc(effects, func(f schedule.Effect) bool {
		l := loans[f.Order]
		return l != nil && f.Date > l.AsOf && f.Date > at[f.Cause]
	})
}

// compareLoan reports every column in which a loan, a row or a fee differs.
func (r *run) compareLoan(stored, want *schedule.Loan) {
	object := "order " + want.Key
	a, b := store.LoanRow{Loan: stored}, store.LoanRow{Loan: want}
	r.columns("F34", object, "loan", differences(&store.Loans, a, b))
	compareRows(r, object, &store.Installments, a.Installments(), b.Installments())
	compareRows(r, object, &store.Fees, a.FeeRows(), b.FeeRows())
}

func compareRows[T any](r *run, object string, t *store.Table[T], stored, want []T) {
	if len(stored) != len(want) {
		r.broken("F34", object, "has %d rows in %s, must be %d", len(stored), t.Name, len(want))
		return
	}
	for i := range want {
		r.columns("F34", object, t.Name, differences(t, stored[i], want[i]))
	}
}

// compareCredits compares open credits by the remaining amount of each source.
func (r *run) compareCredits(stored, want []schedule.Credit) {
	left := map[string]money.Amount{}
	for _, c := range stored {
		left[c.Source] = c.Amount
	}
	for _, c := range want {
		r.equal("PA6", "credit "+c.Source, "amount left", left[c.Source], c.Amount)
		delete(left, c.Source)
	}
	for _, source := range slices.Sorted(maps.Keys(left)) {
		r.broken("PA6", "credit "+source, "has %s left that no event accounts for", left[source])
	}
}

// compareEffects compares what each event has posted with what it causes today: the
// published waterfall must give the stored allocation (PA4).
func (r *run) compareEffects(g *group, effects []schedule.Effect) {
	by := map[string][]schedule.Effect{}
	for _, f := range effects {
		if f.Kind != schedule.EffectAccrued {
			by[f.Cause] = append(by[f.Cause], f)
		}
	}
	returned, reversed := map[string]bool{}, map[string]bool{}
	for _, e := range g.events {
		if e.Kind == schedule.EventReversal {
			reversed[e.ChargeOff] = true
		}
		if e.Kind == schedule.EventReturn && !e.Returned {
			if p := r.paid[e.Payment]; p == nil || returned[e.Payment] && !r.twice(p) || p.status != credit.PaymentReturned {
				r.broken("PA1", "money event "+e.ID, "is a return of payment %s, which has a second return or is not RETURNED", e.Payment)
			}
			returned[e.Payment] = true
		}
	}
	for _, e := range g.events {
		gone := e.Kind == schedule.EventPayment && returned[e.ID] || e.Kind == schedule.EventCreditUse && returned[e.Payment] || e.Kind == schedule.EventPaymentRefund && (returned[e.Payment] || r.notSent(e) || r.refunds[e.ID].status == credit.RefundCanceled) ||
			e.Kind == schedule.EventReturn && e.Returned && r.byCard(e.Payment) || e.Kind == schedule.EventChargeOff && reversed[e.ID]
		if gone != e.Returned {
			r.broken("PA1", "money event "+e.ID, "returned: %t, must be %t", e.Returned, gone)
		}
		if gone || e.Kind == schedule.EventCapture || e.Kind == schedule.EventReturn || e.Withdrawn {
			continue
		}
		stored := make([]schedule.Effect, len(e.Posted))
		for i, x := range e.Posted {
			stored[i] = x.Effect
		}
		if !slices.EqualFunc(stored, by[e.ID], sameEffect) {
			r.broken("PA4", "money event "+e.ID, "posted %d effects, which differ from the %d of its replay", len(stored), len(by[e.ID]))
		}
	}
}

// withdrawn reports whether an event no longer counts although no other event cancels it: a
// won card dispute, a refund or a payment OUT that did not arrive (F16, F36).
func withdrawn(e credit.MoneyEvent) bool {
	return e.Returned && (e.Kind == schedule.EventReturn || e.Kind == schedule.EventPaymentRefund)
}

// twice reports whether a payment was undone twice: the lender reversed it, and its bank
// also returned it (F16, F22).
func (r *run) twice(p *paymentFacts) bool {
	t := r.transfers[p.transfer]
	return p.reversed && t != nil && t.status == credit.TransferReturned
}

// byCard reports whether a payment is by card: only its return can be withdrawn.
func (r *run) byCard(payment string) bool {
	p := r.paid[payment]
	return p != nil && r.transfers[p.transfer] != nil && r.transfers[p.transfer].rail == credit.Card
}

// notSent reports whether credit sent as a payment OUT did not arrive.
func (r *run) notSent(e credit.MoneyEvent) bool {
	p := r.paid[e.ID]
	return p != nil && (p.status == credit.PaymentFailed || p.status == credit.PaymentReturned || p.status == credit.PaymentCanceled)
}

func sameEffect(a, b schedule.Effect) bool {
	return slices.Equal(a.Shares, b.Shares) && a.Kind == b.Kind && a.Cause == b.Cause && a.Date == b.Date && a.Source == b.Source && a.Order == b.Order &&
		a.Period == b.Period && a.Amount == b.Amount && a.Credit == b.Credit && slices.Equal(a.Parts, b.Parts)
}

// compareAllocations compares each payment's allocations with the effects of its money.
func (r *run) compareAllocations(g *group, effects []schedule.Effect, s *credit.State) {
	by, freed := map[string][]schedule.Effect{}, map[string]money.Amount{}
	for _, f := range effects {
		by[f.Source] = append(by[f.Source], f)
		for _, share := range f.Shares {
			freed[share.Payment] = freed[share.Payment].Add(share.Amount)
		}
	}
	for _, e := range g.events {
		p := s.Payments[e.ID]
		if e.Kind != schedule.EventPayment || p == nil || p.Status == credit.PaymentReturned {
			continue
		}
		r.equal("RF6", "payment "+p.ID, "amount freed by order refunds", p.Freed, freed[p.ID])
		want := allocations(by[p.ID], p.Order)
		if !slices.Equal(p.Allocations, want) && len(p.Allocations)+len(want) > 0 {
			r.broken("PA4", "payment "+p.ID, "has allocations %v, but its replay gives %v", p.Allocations, want)
		}
	}
}

// allocations sums what the money of a payment has paid, less what was reopened or rebated,
// per order and row.
func allocations(effects []schedule.Effect, own string) []credit.Allocation {
	type row struct {
		order  string
		number int
	}
	sums := map[row]*credit.Allocation{}
	for _, e := range effects {
		sign := money.Amount(1)
		if e.Kind == schedule.EffectReopened || e.Kind == schedule.EffectRebated {
			sign = -1
		}
		for _, p := range e.Parts {
			at := row{p.Order, p.Installment}
			if sums[at] == nil {
				sums[at] = &credit.Allocation{Order: p.Order, Installment: p.Installment, Elsewhere: own != "" && p.Order != own}
			}
			switch p.Item {
			case schedule.ItemCharge:
				sums[at].Charge += sign * p.Amount
			case schedule.ItemPrincipal:
				sums[at].Principal += sign * p.Amount
			case schedule.ItemOther:
				sums[at].Fee += sign * p.Amount
				sums[at].Other += sign * p.Amount
			default:
				sums[at].Fee += sign * p.Amount
			}
		}
	}
	var out []credit.Allocation
	for _, a := range sums {
		if a.Fee != 0 || a.Charge != 0 || a.Principal != 0 {
			out = append(out, *a)
		}
	}
	slices.SortFunc(out, func(a, b credit.Allocation) int {
		return cmp.Or(cmp.Compare(a.Order, b.Order), cmp.Compare(a.Installment, b.Installment))
	})
	return out
}
