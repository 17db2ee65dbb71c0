package lending

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Play applies a money event to the loans it concerns and posts the effects. An event that
// sorts after everything applied so far continues from the stored figures; any other is
// replayed from the first event (F34). Both give the same figures.
//
// first, if not nil, is called after what was due before the event has been posted and before
// the event itself is. A payment books its receipt there.
func Play(d *credit.Draft, company int64, orders []string, e schedule.Event, first func()) {
	if first == nil {
		first = func() {}
	}
	e = recovery(d, ServeBefore(d, company, orders, e))
	if replays(d, company, orders, e) {
		replay(d, company, orders, &e, first)
		return
	}
	p := portfolio(d, company, ActiveNow(d, company, orders))
	found := p.Clone()
	postEffects(d, company, schedule.Event{}, p.Advance(e.Date))
	first()
	effects := p.Apply(e)
	effects = append(effects, p.Advance(d.On)...) // all of it caused by the event, or by the calendar
	posted := postEffects(d, company, e, effects)
	remember(d, e, company, posted)
	finishLoans(d, company, found, p)
}

// recovery makes money that is dated before a charge-off and recorded after it count on the
// day of the charge-off: it never changes what was charged off (F34). A company-level payment
// skips such orders.
func recovery(d *credit.Draft, e schedule.Event) schedule.Event {
	if e.Kind != schedule.EventPayment {
		return e
	}
	if e.Order != "" {
		e.Date = max(e.Date, d.Orders.Peek(e.Order).Servicing.ChargedOff)
		return e
	}
	e.Scope = slices.DeleteFunc(slices.Clone(e.Scope), func(key string) bool { return e.Date < d.Orders.Peek(key).Servicing.ChargedOff })
	return e
}

// Replays reports whether the stored figures cannot simply be continued. Keys calls it too, so
// that the histories are loaded when the decision needs them.
func Replays(s *credit.State, company int64, orders []string, e schedule.Event) bool {
	x := s.Companies[company]
	return x != nil && x.Pools(s.Credits[company]) ||
		replaysOn(func(key string) (*credit.Order, *schedule.Loan) { return s.Orders[key], s.Loans[key] }, s.Credits[company], orders, e)
}

// replays is Replays on the state as this command has changed it.
func replays(d *credit.Draft, company int64, orders []string, e schedule.Event) bool {
	return d.Companies.Peek(company).Pools(d.Credits(company)) || replaysOn(d.Standing, d.Credits(company), orders, e)
}

func replaysOn(at func(string) (*credit.Order, *schedule.Loan), credits []credit.Credit, orders []string, e schedule.Event) bool {
	if e.Kind == schedule.EventReturn || e.Kind == schedule.EventPaymentRefund || e.Kind == schedule.EventReversal {
		return true
	}
	for _, key := range orders {
		o, l := at(key)
		switch {
		case l == nil || o == nil:
			continue
		case e.Date < l.AsOf:
			return true
		case len(l.Prepaid) > 0:
			return true // a rebate changes the records of the payments that had prepaid
		case e.Kind == schedule.EventRefund && (o.External || e.Amount > l.UnpaidPrincipal()):
			return true // whose money the excess is, and what the merchant holds, is a sum over the history (F13.4)
		}
	}
	for _, c := range credits {
		if c.Hold && slices.Contains(orders, c.Order) {
			return true // held money is paid on due dates and changes its payment's record
		}
	}
	return false
}

// Active leaves out the orders that a company-level payment cannot change when the stored
// figures are continued: nothing is owed or prepaid on them, and they have no credit.
func Active(s *credit.State, company int64, orders []string) []string {
	return activeOf(func(key string) (*credit.Order, *schedule.Loan) { return s.Orders[key], s.Loans[key] }, s.Credits[company], orders)
}

// ActiveNow is Active in the draft.
func ActiveNow(d *credit.Draft, company int64, orders []string) []string {
	return activeOf(d.Standing, d.Credits(company), orders)
}

func activeOf(at func(string) (*credit.Order, *schedule.Loan), open []credit.Credit, orders []string) []string {
	if len(orders) < 2 {
		return orders
	}
	credits := map[string]bool{}
	for _, c := range open {
		credits[c.Order] = true
	}
	kept := make([]string, 0, len(orders))
	for _, key := range orders {
		if _, l := at(key); credits[key] || l != nil && (credit.Owed(l) != credit.Receivable{} || l.Carried != 0 || len(l.Prepaid) > 0 || credit.Owes(l)) {
			kept = append(kept, key)
		}
	}
	return kept
}

// portfolio copies loans and the company's open credits.
func portfolio(d *credit.Draft, company int64, orders []string) *schedule.Portfolio {
	p := &schedule.Portfolio{}
	for _, key := range orders {
		p.Loans = append(p.Loans, d.LoanOf(key).Clone())
	}
	slices.SortFunc(p.Loans, func(a, b *schedule.Loan) int {
		return cmp.Or(cmp.Compare(a.CapturedAt, b.CapturedAt), cmp.Compare(a.Key, b.Key))
	})
	for _, c := range d.Credits(company) {
		p.Credits = append(p.Credits, c.Credit)
	}
	return p
}

// postEffects posts the effects of one event, or of passing days, in order. Accruals are not
// stored with an event, since they belong to their period.
func postEffects(d *credit.Draft, company int64, e schedule.Event, effects []schedule.Effect) []credit.Posted {
	p := Poster{D: d, Company: company, Event: e}
	posted := []credit.Posted{}
	for _, f := range effects {
		x := p.effect(f)
		if f.Kind != schedule.EffectAccrued {
			posted = append(posted, x)
		}
	}
	return posted
}

// PaymentOf is the payment whose money an event moves, "" if none.
func PaymentOf(e schedule.Event) string {
	switch e.Kind {
	case schedule.EventPayment:
		return e.ID
	case schedule.EventPaymentRefund, schedule.EventReturn, schedule.EventCreditUse:
		if strings.HasPrefix(e.Payment, credit.PrefixPayment) { // else it is credit of a merchant's refund (F36)
			return e.Payment
		}
	}
	return ""
}

// remember stores a money event, its effects and the entries that post them in every history
// that it belongs to.
func remember(d *credit.Draft, e schedule.Event, company int64, posted []credit.Posted) {
	PutMoney(d, credit.MoneyEvent{Event: e, Company: company, Touches: touched(d, e, company, posted), Posted: posted, At: d.Env.Now})
}

// PutMoney replaces a money event in the draft.
func PutMoney(d *credit.Draft, e credit.MoneyEvent) {
	for i := range d.Changes.Money {
		if d.Changes.Money[i].ID == e.ID {
			d.Changes.Money[i] = e
			return
		}
	}
	d.Changes.Money = append(d.Changes.Money, e)
}

// touched lists the histories that an event belongs to.
func touched(d *credit.Draft, e schedule.Event, company int64, posted []credit.Posted) []string {
	var first, keys []string
	if pay := PaymentOf(e); pay != "" && d.Payments.Peek(pay).Order == "" {
		first = append(first, credit.AccountKey(company))
	}
	if e.Order != "" {
		first = append(first, e.Order)
	}
	if pay := d.Payments.Peek(PaymentOf(e)); e.Kind == schedule.EventCreditUse && pay != nil && pay.Order != "" && pay.Order != e.Order {
		keys = append(keys, pay.Order) // whose money it is
	}
	for _, x := range posted {
		for _, key := range append(ordersOf(x.Effect.Parts), x.Effect.Order) {
			if key != "" && !slices.Contains(first, key) {
				keys = append(keys, key)
			}
		}
	}
	slices.Sort(keys)
	return append(first, slices.Compact(keys)...)
}

func ordersOf(parts []schedule.Part) []string {
	var keys []string
	for _, p := range parts {
		keys = append(keys, p.Order)
	}
	return keys
}

// finishLoans writes the results of a portfolio: loans, credits, the company's sums, the
// orders' financing status, invoices and events.
func finishLoans(d *credit.Draft, company int64, was, now *schedule.Portfolio) {
	finishOwed(d, company, was, now)
	if sum := finishCredits(d, company, was.Credits, now.Credits); sum != d.Companies.Peek(company).Credit {
		d.Companies.Edit(company).Credit = sum
	}
}

// finishOwed is finishLoans if no credit has moved.
func finishOwed(d *credit.Draft, company int64, was, now *schedule.Portfolio) {
	outstanding := d.Companies.Peek(company).Outstanding
	for i, l := range now.Loans {
		if asBefore(d, was.Loans[i], l) {
			continue
		}
		outstanding = outstanding.Add(creditUsed(d, l)).Sub(creditUsed(d, was.Loans[i]))
		putLoan(d, l)
		finishOrder(d, was.Loans[i], l)
	}
	if outstanding != d.Companies.Peek(company).Outstanding {
		d.Companies.Edit(company).Outstanding = outstanding
	}
}

// creditUsed is what a loan uses of its company's line. On an unfunded order, what is owed
// besides principal is the merchant's (F33).
func creditUsed(d *credit.Draft, l *schedule.Loan) money.Amount {
	if d.Orders.Peek(l.Key).Terms.Unfunded {
		return l.UnpaidPrincipal()
	}
	return l.Used()
}

// serveTheDay is the business date as of which a loan is shown: the date that the books have
// reached, or a later one that the order has already been served to.
func serveTheDay(d *credit.Draft, l *schedule.Loan) calendar.Date { return max(d.On, l.AsOf) }

// asBefore reports whether a loan is unchanged in everything that is reported or that a later
// event continues from. The day to which it is accrued may differ: a later event recomputes
// that.
func asBefore(d *credit.Draft, was, now *schedule.Loan) bool {
	today := serveTheDay(d, now)
	return sameLoan(was, now) && Financing(d.Orders.Peek(now.Key), now, today) == d.Orders.Peek(now.Key).Financing &&
		len(newlyOverdue(d, was, now, today)) == 0
}

func sameLoan(a, b *schedule.Loan) bool {
	return a.Current == b.Current && a.ChargedOff == b.ChargedOff && a.Carried == b.Carried && a.Refunded == b.Refunded && a.Waived == b.Waived &&
		slices.Equal(a.Rows, b.Rows) && slices.Equal(a.Fees, b.Fees) && slices.Equal(a.Prepaid, b.Prepaid) && sameAccrual(a, b)
}

// sameAccrual reports whether two states of a loan have earned the same in the current period
// by the day of the later one. They may differ by less than a cent that no row shows yet.
func sameAccrual(a, b *schedule.Loan) bool {
	if a.AsOf < b.AsOf {
		p := schedule.Portfolio{Loans: []*schedule.Loan{a.Clone()}}
		p.Advance(b.AsOf)
		a = p.Loans[0]
	}
	return a.AsOf > b.AsOf || a.Slices == b.Slices && a.Earned == b.Earned && a.EarnedFrom == b.EarnedFrom
}

// newlyOverdue lists the rows that are overdue today and were not on the date of the loan's
// previous version, with the relief that the order had then.
func newlyOverdue(d *credit.Draft, was, now *schedule.Loan, today calendar.Date) []int {
	var rows []int
	o := d.Orders.Peek(now.Key)
	then, relief := schedule.Relief{}, o.Relief(now)
	if stored := d.State.Orders[now.Key]; stored != nil {
		then = stored.Relief(was)
	}
	for i := range now.Rows {
		if then.Late(was.Rows[i], was.AsOf) == 0 && relief.Late(now.Rows[i], today) > 0 && !d.Told[overdueKey(now, i)] {
			rows = append(rows, i+1)
		}
	}
	return rows
}

func overdueKey(l *schedule.Loan, i int) string { return l.Key + "/" + strconv.Itoa(i) }

// putLoan puts a loan's newest version in the changes.
func putLoan(d *credit.Draft, l *schedule.Loan) {
	for i := range d.Changes.Loans {
		if d.Changes.Loans[i].Key == l.Key {
			d.Changes.Loans[i] = l
			return
		}
	}
	d.Changes.Loans = append(d.Changes.Loans, l)
}

// finishCredits writes the changed credits and returns the company's sum.
func finishCredits(d *credit.Draft, company int64, was, now []schedule.Credit) money.Amount {
	sum := money.Amount(0)
	left := map[string]bool{}
	for _, c := range now {
		left[c.Source] = true
		sum = sum.Add(c.Amount)
		if old := find(was, c.Source); old == nil || *old != c {
			d.PutCredit(timedCredit(d, company, c))
		}
	}
	for _, c := range was {
		if !left[c.Source] {
			c.Amount = 0
			d.PutCredit(credit.Credit{Company: company, Credit: c})
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

// finishOrder updates an order to match its loan and emits events.
func finishOrder(d *credit.Draft, was, now *schedule.Loan) {
	today := serveTheDay(d, now)
	o := d.Orders.Edit(now.Key)
	if status := Financing(o, now, today); status != o.Financing {
		lateness(d, o, status)
		o.Financing = status
		if !d.Tells(o.Key) {
			d.OrderEvent(credit.OrderUpdatedEvent, o.Key)
		}
	}
	for n := was.Current; n < now.Current && now.ChargedOff == was.ChargedOff; n++ {
		if now.Rows[n-1].Unpaid() > 0 {
			installmentEvent(d, credit.InstallmentDueEvent, now, n)
		}
	}
	for _, n := range newlyOverdue(d, was, now, today) {
		installmentEvent(d, credit.InstallmentOverdueEvent, now, n)
		if d.Told == nil {
			d.Told = map[string]bool{}
		}
		d.Told[overdueKey(now, n-1)] = true
	}
	for i := range now.Rows {
		if now.Rows[i].PaidOn != calendar.None && was.Rows[i].PaidOn == calendar.None {
			installmentEvent(d, credit.InstallmentPaidEvent, now, now.Rows[i].Number)
		}
	}
	if RowsChanged(was, now) {
		o.Revision = revised(d, o)
		d.OrderFact(credit.ScheduleUpdatedEvent, o.Key, func(d *credit.Draft) any {
			return credit.ScheduleFact{Order: d.Orders.Peek(now.Key), Loan: now, Day: today}
		})
	}
	unpropose(o, now, today)
	currentLoan(d, o.Key)
	settleInvoice(d, o, was, now)
}

func installmentEvent(d *credit.Draft, kind credit.EventType, l *schedule.Loan, number int) {
	today := serveTheDay(d, l)
	d.OrderFact(kind, l.Key, func(d *credit.Draft) any {
		return credit.InstallmentFact{Order: d.Orders.Peek(l.Key), Loan: l, Number: number, Day: today}
	})
}

// revised is the next revision of an order's schedule: one per command, however often it
// changes the rows.
func revised(d *credit.Draft, o *credit.Order) int {
	if was := d.State.Orders[o.Key]; was != nil {
		return was.Revision + 1
	}
	return o.Revision + 1
}

// RowsChanged reports whether an amount or a date of the schedule has changed: a new revision
// (SC6). Payments on unchanged rows do not count.
func RowsChanged(was, now *schedule.Loan) bool {
	for i := range now.Rows {
		a, b := was.Rows[i], now.Rows[i]
		if a.DueDate != b.DueDate || a.Principal != b.Principal || a.Charge != b.Charge || a.Canceled != b.Canceled {
			return true
		}
	}
	return false
}

// Financing is the order's financing_status on a business date (F18).
func Financing(o *credit.Order, l *schedule.Loan, today calendar.Date) credit.FinancingStatus {
	return credit.FinancingStatus(o.View(l, today).Status)
}
