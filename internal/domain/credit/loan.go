package credit

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// play applies a money event to the loans that it concerns and posts what comes
// of it. An event that sorts after all that has been applied goes on from the
// stored figures; any other is replayed from the first event (F34). Both give
// the same figures.
//
// first, if not nil, is called after what was due before the event has been
// posted and before the event itself is: there a payment books its receipt.
func (d *Draft) play(company int64, orders []string, e schedule.Event, first func()) {
	if first == nil {
		first = func() {}
	}
	e = d.recovery(d.serveBefore(company, orders, e))
	if d.replays(company, orders, e) {
		d.replay(company, orders, &e, first)
		return
	}
	p := d.portfolio(company, d.active(company, orders))
	found := p.Clone()
	d.postEffects(company, schedule.Event{}, p.Advance(e.Date))
	first()
	effects := p.Apply(e)
	effects = append(effects, p.Advance(d.on)...) // all of it caused by the event, or by the calendar
	posted := d.postEffects(company, e, effects)
	d.remember(e, company, posted)
	d.finishLoans(company, found, p)
}

// recovery lets money that is dated before a charge-off and recorded after it count on
// the day of the charge-off: it never changes what was charged off (F34). A payment of
// the company passes such orders by.
func (d *Draft) recovery(e schedule.Event) schedule.Event {
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

// replays reports that the stored figures cannot simply go on. Keys asks it too,
// so that the histories are there when the decision needs them.
func replays(s *State, company int64, orders []string, e schedule.Event) bool {
	x := s.Companies[company]
	return x != nil && x.pools(s.Credits[company]) ||
		replaysOn(func(key string) (*Order, *schedule.Loan) { return s.Orders[key], s.Loans[key] }, s.Credits[company], orders, e)
}

// replays is the same question of what this command has made of the state.
func (d *Draft) replays(company int64, orders []string, e schedule.Event) bool {
	return d.Companies.Peek(company).pools(d.credits(company)) || replaysOn(d.standing, d.credits(company), orders, e)
}

// standing is an order with its loan as the command leaves them so far.
func (d *Draft) standing(key string) (*Order, *schedule.Loan) {
	return d.Orders.Peek(key), d.LoanOf(key)
}

func replaysOn(at func(string) (*Order, *schedule.Loan), credits []Credit, orders []string, e schedule.Event) bool {
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

// Active leaves out the orders that a payment for the company cannot change where
// the stored figures go on: nothing is owed on them or prepaid, and no credit is
// theirs.
func Active(s *State, company int64, orders []string) []string {
	return activeOf(func(key string) (*Order, *schedule.Loan) { return s.Orders[key], s.Loans[key] }, s.Credits[company], orders)
}

func (d *Draft) active(company int64, orders []string) []string {
	return activeOf(d.standing, d.credits(company), orders)
}

func activeOf(at func(string) (*Order, *schedule.Loan), open []Credit, orders []string) []string {
	if len(orders) < 2 {
		return orders
	}
	credits := map[string]bool{}
	for _, c := range open {
		credits[c.Order] = true
	}
	kept := make([]string, 0, len(orders))
	for _, key := range orders {
		if _, l := at(key); credits[key] || l != nil && (owed(l) != Receivable{} || l.Carried != 0 || len(l.Prepaid) > 0 || owes(l)) {
			kept = append(kept, key)
		}
	}
	return kept
}

// owes reports that a row or a fee is unpaid.
func owes(l *schedule.Loan) bool {
	return slices.ContainsFunc(l.Rows, func(r schedule.Row) bool { return r.Unpaid() != 0 }) || l.UnpaidFees() != 0
}

// portfolio gathers copies of loans and the company's open credits.
func (d *Draft) portfolio(company int64, orders []string) *schedule.Portfolio {
	p := &schedule.Portfolio{}
	for _, key := range orders {
		p.Loans = append(p.Loans, d.LoanOf(key).Clone())
	}
	slices.SortFunc(p.Loans, func(a, b *schedule.Loan) int {
		return cmp.Or(cmp.Compare(a.CapturedAt, b.CapturedAt), cmp.Compare(a.Key, b.Key))
	})
	for _, c := range d.credits(company) {
		p.Credits = append(p.Credits, c.Credit)
	}
	return p
}

// postEffects posts the effects of one event, or of days that passed, in their
// order. Accruals are not kept with an event, since they belong to their period.
func (d *Draft) postEffects(company int64, e schedule.Event, effects []schedule.Effect) []Posted {
	p := poster{d: d, company: company, event: e}
	posted := []Posted{}
	for _, f := range effects {
		x := p.effect(f)
		if f.Kind != schedule.EffectAccrued {
			posted = append(posted, x)
		}
	}
	return posted
}

// PaymentOf names the payment whose money an event moves, "" if none.
func PaymentOf(e schedule.Event) string {
	switch e.Kind {
	case schedule.EventPayment:
		return e.ID
	case schedule.EventPaymentRefund, schedule.EventReturn, schedule.EventCreditUse:
		if strings.HasPrefix(e.Payment, prefixPayment) { // else it is credit of a merchant's refund (F36)
			return e.Payment
		}
	}
	return ""
}

// AccountKey is the name under which a company's own history is kept: the events
// of company-level payments, whether or not they touched an order.
func AccountKey(company int64) string { return strconv.FormatInt(company, 10) }

// remember keeps a money event with the effects that it has and the entries that
// post them, in every history that it belongs to.
func (d *Draft) remember(e schedule.Event, company int64, posted []Posted) {
	d.putMoney(MoneyEvent{Event: e, Company: company, Touches: d.touched(e, company, posted), Posted: posted, At: d.Env.Now})
}

func (d *Draft) putMoney(e MoneyEvent) {
	for i := range d.Changes.Money {
		if d.Changes.Money[i].ID == e.ID {
			d.Changes.Money[i] = e
			return
		}
	}
	d.Changes.Money = append(d.Changes.Money, e)
}

// touched lists the histories that an event belongs to.
func (d *Draft) touched(e schedule.Event, company int64, posted []Posted) []string {
	var first, keys []string
	if pay := PaymentOf(e); pay != "" && d.Payments.Peek(pay).Order == "" {
		first = append(first, AccountKey(company))
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

// finishLoans writes what a portfolio has become: loans, credits, the company's
// sums, the orders' financing status, invoices, and the events that tell.
func (d *Draft) finishLoans(company int64, was, now *schedule.Portfolio) {
	d.finishOwed(company, was, now)
	if sum := d.finishCredits(company, was.Credits, now.Credits); sum != d.Companies.Peek(company).Credit {
		d.Companies.Edit(company).Credit = sum
	}
}

// finishOwed is finishLoans where no credit has moved.
func (d *Draft) finishOwed(company int64, was, now *schedule.Portfolio) {
	outstanding := d.Companies.Peek(company).Outstanding
	for i, l := range now.Loans {
		if d.asBefore(was.Loans[i], l) {
			continue
		}
		outstanding = outstanding.Add(d.used(l)).Sub(d.used(was.Loans[i]))
		d.putLoan(l)
		d.finishOrder(was.Loans[i], l)
	}
	if outstanding != d.Companies.Peek(company).Outstanding {
		d.Companies.Edit(company).Outstanding = outstanding
	}
}

// used is what a loan takes of its company's line. What is owed on an unfunded order beside
// its principal is the merchant's (F33).
func (d *Draft) used(l *schedule.Loan) money.Amount {
	if d.Orders.Peek(l.Key).Terms.Unfunded {
		return l.UnpaidPrincipal()
	}
	return l.Used()
}

// day is the business date for which a loan is told: that to which the books have
// come, or for an order that has been served to a later one already, that one.
func (d *Draft) day(l *schedule.Loan) calendar.Date { return max(d.on, l.AsOf) }

// asBefore reports that nothing of a loan has changed that anybody is told of, or that a
// later event goes on from. The day to which it is accrued may have: a later event finds
// that by itself.
func (d *Draft) asBefore(was, now *schedule.Loan) bool {
	today := d.day(now)
	return sameLoan(was, now) && Financing(d.Orders.Peek(now.Key), now, today) == d.Orders.Peek(now.Key).Financing &&
		len(d.newlyOverdue(was, now, today)) == 0
}

func sameLoan(a, b *schedule.Loan) bool {
	return a.Current == b.Current && a.ChargedOff == b.ChargedOff && a.Carried == b.Carried && a.Refunded == b.Refunded && a.Waived == b.Waived &&
		slices.Equal(a.Rows, b.Rows) && slices.Equal(a.Fees, b.Fees) && slices.Equal(a.Prepaid, b.Prepaid) && sameAccrual(a, b)
}

// sameAccrual reports that two states of a loan have earned the same in the running
// period by the day of the later one: less than a cent may lie between them, which no row
// shows yet.
func sameAccrual(a, b *schedule.Loan) bool {
	if a.AsOf < b.AsOf {
		p := schedule.Portfolio{Loans: []*schedule.Loan{a.Clone()}}
		p.Advance(b.AsOf)
		a = p.Loans[0]
	}
	return a.AsOf > b.AsOf || a.Slices == b.Slices && a.Earned == b.Earned && a.EarnedFrom == b.EarnedFrom
}

// newlyOverdue lists the rows that are overdue today and were not on the day to
// which the loan's last version stood, with the relief that the order had then.
func (d *Draft) newlyOverdue(was, now *schedule.Loan, today calendar.Date) []int {
	var rows []int
	o := d.Orders.Peek(now.Key)
	then, relief := schedule.Relief{}, o.Relief(now)
	if stored := d.State.Orders[now.Key]; stored != nil {
		then = stored.Relief(was)
	}
	for i := range now.Rows {
		if then.Late(was.Rows[i], was.AsOf) == 0 && relief.Late(now.Rows[i], today) > 0 && !d.told[overdueKey(now, i)] {
			rows = append(rows, i+1)
		}
	}
	return rows
}

func overdueKey(l *schedule.Loan, i int) string { return l.Key + "/" + strconv.Itoa(i) }

// putLoan puts a loan's newest version into the changes.
func (d *Draft) putLoan(l *schedule.Loan) {
	for i := range d.Changes.Loans {
		if d.Changes.Loans[i].Key == l.Key {
			d.Changes.Loans[i] = l
			return
		}
	}
	d.Changes.Loans = append(d.Changes.Loans, l)
}

// finishCredits writes the credits that changed and returns the company's sum.
func (d *Draft) finishCredits(company int64, was, now []schedule.Credit) money.Amount {
	sum := money.Amount(0)
	left := map[string]bool{}
	for _, c := range now {
		left[c.Source] = true
		sum = sum.Add(c.Amount)
		if old := find(was, c.Source); old == nil || *old != c {
			d.putCredit(d.timedCredit(company, c))
		}
	}
	for _, c := range was {
		if !left[c.Source] {
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

func (d *Draft) putCredit(c Credit) {
	for i := range d.Changes.Credits {
		if d.Changes.Credits[i].Source == c.Source {
			d.Changes.Credits[i] = c
			return
		}
	}
	d.Changes.Credits = append(d.Changes.Credits, c)
}

// finishOrder brings an order in line with its loan and tells what changed.
func (d *Draft) finishOrder(was, now *schedule.Loan) {
	today := d.day(now)
	o := d.Orders.Edit(now.Key)
	if status := Financing(o, now, today); status != o.Financing {
		d.lateness(o, status)
		o.Financing = status
		if !d.tells(o.Key) {
			d.OrderEvent(OrderUpdatedEvent, o.Key)
		}
	}
	for n := was.Current; n < now.Current && now.ChargedOff == was.ChargedOff; n++ {
		if now.Rows[n-1].Unpaid() > 0 {
			d.installmentEvent(InstallmentDueEvent, now, n)
		}
	}
	for _, n := range d.newlyOverdue(was, now, today) {
		d.installmentEvent(InstallmentOverdueEvent, now, n)
		if d.told == nil {
			d.told = map[string]bool{}
		}
		d.told[overdueKey(now, n-1)] = true
	}
	for i := range now.Rows {
		if now.Rows[i].PaidOn != calendar.None && was.Rows[i].PaidOn == calendar.None {
			d.installmentEvent(InstallmentPaidEvent, now, now.Rows[i].Number)
		}
	}
	if RowsChanged(was, now) {
		o.Revision = d.revised(o)
		d.orderFact(ScheduleUpdatedEvent, o.Key, func(d *Draft) any {
			return ScheduleFact{Order: d.Orders.Peek(now.Key), Loan: now, Day: today}
		})
	}
	unpropose(o, now, today)
	d.current(o.Key)
	d.settleInvoice(o, was, now)
}

func (d *Draft) installmentEvent(kind EventType, l *schedule.Loan, number int) {
	today := d.day(l)
	d.orderFact(kind, l.Key, func(d *Draft) any {
		return InstallmentFact{Order: d.Orders.Peek(l.Key), Loan: l, Number: number, Day: today}
	})
}

// revised is the next revision of an order's schedule: one for a command, however
// often it changes the rows.
func (d *Draft) revised(o *Order) int {
	if was := d.State.Orders[o.Key]; was != nil {
		return was.Revision + 1
	}
	return o.Revision + 1
}

// RowsChanged reports that an amount or a date of the schedule is another than before:
// a new revision (SC6). Money paid on rows as they stood changes none.
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
func Financing(o *Order, l *schedule.Loan, today calendar.Date) FinancingStatus {
	return FinancingStatus(o.View(l, today).Status)
}
