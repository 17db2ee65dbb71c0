package credit

import (
	"cmp"
	"slices"

	"tenor/internal/calendar"
	"tenor/internal/money"
	"tenor/internal/schedule"
)

// remember keeps a money event with the effects that it has and the entries that
// post them.
func (d *draft) remember(e schedule.Event, company int64, touches []string, posted []Posted) {
	d.c.Money = append(d.c.Money, MoneyEvent{Event: e, Company: company, Touches: touches, Posted: posted, At: d.e.Now})
}

// play applies a money event to the loans that it concerns and posts what comes
// of it. An event that sorts after all that has been applied goes on from the
// stored figures; any other is replayed from the first event (F34). Both give
// the same figures.
//
// first, if not nil, is called after what was due before the event has been
// posted and before the event itself is: there a payment books its receipt.
func (d *draft) play(company int64, orders []string, e schedule.Event, first func()) []schedule.Effect {
	if first == nil {
		first = func() {}
	}
	if replays(d.s, company, orders, e) {
		return d.replay(company, orders, &e, first)
	}
	p := d.portfolio(company, orders)
	found := p.Clone()
	post := poster{d: d, company: company}
	for _, f := range p.Advance(min(e.Date, d.e.Today())) {
		d.postAlone(post, f)
	}
	first()
	effects := p.Apply(e)
	posted := d.postEffects(company, e, effects)
	for _, f := range p.Advance(d.e.Today()) {
		d.postAlone(post, f)
	}
	d.remember(e, company, touched(e, effects), posted)
	d.settleLoans(company, found, p)
	return effects
}

// replays reports that the stored figures cannot simply go on. Keys asks it too,
// so that the histories are there when the decision needs them.
func replays(s *State, company int64, orders []string, e schedule.Event) bool {
	if e.Kind == schedule.EventReturn || e.Kind == schedule.EventPaymentRefund {
		return true
	}
	for _, key := range orders {
		if l := s.Loans[key]; l != nil && e.Date < l.AsOf {
			return true
		}
	}
	for _, c := range s.Credits[company] {
		if c.Hold && slices.Contains(orders, c.Order) {
			return true // held money is paid on due dates and changes its payment's record
		}
	}
	return false
}

// portfolio gathers copies of loans and the company's open credits.
func (d *draft) portfolio(company int64, orders []string) *schedule.Portfolio {
	p := &schedule.Portfolio{}
	for _, key := range orders {
		p.Loans = append(p.Loans, d.loanOf(key).Clone())
	}
	slices.SortFunc(p.Loans, func(a, b *schedule.Loan) int {
		return cmp.Or(cmp.Compare(a.CapturedAt, b.CapturedAt), cmp.Compare(a.Key, b.Key))
	})
	for _, c := range d.s.Credits[company] {
		p.Credits = append(p.Credits, c.Credit)
	}
	return p
}

// postAlone posts an effect that no event of its own caused: the charge of a
// period that ended.
func (d *draft) postAlone(p poster, e schedule.Effect) {
	if e.Kind == schedule.EffectAccrued {
		p.accrued(e.Order, e.Period, e.Amount, e.Date)
		return
	}
	p.effect(e)
}

// postEffects posts the effects of one event in their order; accruals are not
// kept with the event, since they belong to their period.
func (d *draft) postEffects(company int64, e schedule.Event, effects []schedule.Effect) []Posted {
	p := poster{d: d, company: company, event: e}
	var posted []Posted
	for _, f := range effects {
		if f.Kind == schedule.EffectAccrued {
			p.accrued(f.Order, f.Period, f.Amount, f.Date)
			continue
		}
		posted = append(posted, Posted{Effect: f, Entry: p.effect(f)})
	}
	return posted
}

// paymentOf names the payment whose money an event moves, "" if none.
func paymentOf(e schedule.Event) string {
	switch e.Kind {
	case schedule.EventPayment:
		return e.ID
	case schedule.EventPaymentRefund, schedule.EventReturn:
		return e.Payment
	}
	return ""
}

// touched lists the orders of an event and its effects, the event's own first.
func touched(e schedule.Event, effects []schedule.Effect) []string {
	var keys []string
	for _, f := range effects {
		if f.Order != "" {
			keys = append(keys, f.Order)
		}
		for _, p := range f.Parts {
			keys = append(keys, p.Order)
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if e.Order != "" {
		keys = slices.DeleteFunc(keys, func(k string) bool { return k == e.Order })
		keys = append([]string{e.Order}, keys...)
	}
	return keys
}

// settleLoans writes what a portfolio has become: loans, credits, the company's
// sums, the orders' financing status, invoices, and the events that tell.
func (d *draft) settleLoans(company int64, was, now *schedule.Portfolio) {
	x := d.s.Companies[company]
	outstanding := x.Outstanding
	if c, ok := d.companies[company]; ok {
		outstanding = c.Outstanding
	}
	for i, l := range now.Loans {
		if sameLoan(was.Loans[i], l) {
			continue
		}
		outstanding = outstanding.Add(l.UnpaidPrincipal()).Sub(was.Loans[i].UnpaidPrincipal())
		d.putLoan(l)
		d.settleOrder(was.Loans[i], l)
	}
	credit := d.settleCredits(company, was.Credits, now.Credits)
	if outstanding != x.Outstanding || credit != x.Credit {
		c := d.company(company)
		c.Outstanding, c.Credit = outstanding, credit
	}
}

// sameLoan reports that nothing of a loan has changed but the day to which it is
// accrued, which a later event finds again by itself.
func sameLoan(a, b *schedule.Loan) bool {
	return a.Current == b.Current && a.Carried == b.Carried && a.Refunded == b.Refunded && a.Waived == b.Waived &&
		slices.Equal(a.Rows, b.Rows) && slices.Equal(a.Fees, b.Fees) && slices.Equal(a.Prepaid, b.Prepaid)
}

// putLoan puts a loan's newest version into the changes.
func (d *draft) putLoan(l *schedule.Loan) {
	for i := range d.c.Loans {
		if d.c.Loans[i].Key == l.Key {
			d.c.Loans[i] = l
			return
		}
	}
	d.c.Loans = append(d.c.Loans, l)
}

// settleCredits writes the credits that changed and returns the company's sum.
func (d *draft) settleCredits(company int64, was, now []schedule.Credit) money.Amount {
	sum := money.Amount(0)
	left := map[string]money.Amount{}
	for _, c := range now {
		left[c.Source] = c.Amount
		sum = sum.Add(c.Amount)
		if old := find(was, c.Source); old == nil || old.Amount != c.Amount {
			d.putCredit(Credit{Company: company, Credit: c})
		}
	}
	for _, c := range was {
		if _, ok := left[c.Source]; !ok {
			c.Amount = 0
			d.putCredit(Credit{Company: company, Credit: c})
		}
	}
	return sum
}

func find(credits []schedule.Credit, source string) *schedule.Credit {
	for i := range credits {
		if credits[i].Source == source {
			return &credits[i]
		}
	}
	return nil
}

func (d *draft) putCredit(c Credit) {
	for i := range d.c.Credits {
		if d.c.Credits[i].Source == c.Source {
			d.c.Credits[i] = c
			return
		}
	}
	d.c.Credits = append(d.c.Credits, c)
}

// settleOrder brings an order in line with its loan and tells what changed.
func (d *draft) settleOrder(was, now *schedule.Loan) {
	o := d.peekOrder(now.Key)
	today := d.e.Today()
	if status := financing(now, today); status != o.Financing {
		previous := map[string]any{"financing_status": o.Financing}
		d.order(now.Key).Financing = status
		d.orderEvent(OrderUpdatedEvent, now.Key, previous)
	}
	for n := was.Current; n < now.Current; n++ {
		if now.Rows[n-1].Unpaid() > 0 {
			d.installmentEvent(InstallmentDueEvent, now, n, today)
		}
	}
	for i := range now.Rows {
		if now.Rows[i].PaidOn != calendar.None && was.Rows[i].PaidOn == calendar.None {
			d.installmentEvent(InstallmentPaidEvent, now, now.Rows[i].Number, today)
		}
	}
	if rowsChanged(was, now) {
		d.order(now.Key).Revision++
		d.orderFact(ScheduleUpdatedEvent, now.Key, func(d *draft) any {
			return ScheduleFact{Order: d.orders[now.Key], Loan: now, Day: today}
		})
	}
	d.settleInvoice(o, now)
}

func (d *draft) installmentEvent(kind EventType, l *schedule.Loan, number int, day calendar.Date) {
	d.orderFact(kind, l.Key, func(d *draft) any {
		return InstallmentFact{Order: d.orders[l.Key], Loan: l, Number: number, Day: day}
	})
}

// rowsChanged reports that an amount of the schedule is another than before:
// a new revision (SC6). Money paid on rows as they stood changes none.
func rowsChanged(was, now *schedule.Loan) bool {
	for i := range now.Rows {
		a, b := was.Rows[i], now.Rows[i]
		if a.Principal != b.Principal || a.Charge != b.Charge || a.Canceled != b.Canceled {
			return true
		}
	}
	return false
}

// financing is the order's financing_status on a business date (F18).
func financing(l *schedule.Loan, today calendar.Date) FinancingStatus {
	return FinancingStatus(l.View(today).Status)
}
