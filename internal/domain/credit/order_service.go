package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// ServiceOrder does all that time has brought to an order: it ends its
// authorization, or warns of the end (F14); it goes through the business dates up to
// today one by one (F37); and at the cut-off it builds the autopay debit of the next
// collection date (F12, F22), and tells the company's owners what is due or late. It does nothing twice. Nothing waits for it: a command
// that moves money serves the order first.
type ServiceOrder struct {
	Order string `json:"order"`
}

func (ServiceOrder) Name() string { return "order.service" }

// WritesOwners makes it an OwnersWriter.
func (ServiceOrder) WritesOwners(Env) bool { return true }

// Keys asks for the order with its loan, then for its company's autopay method.
func (c ServiceOrder) Keys(s *State, _ Env) Keys {
	k := moneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventFee, Date: latest})
	if o := s.Orders[c.Order]; o != nil {
		k.Methods = autopayMethod(s, o.Company)
	}
	return k
}

// latest stands for the date of an event that sorts after all others.
const latest calendar.Date = 1<<31 - 1

func (c ServiceOrder) Admit(s *State, e Env) *Rejection { return AdmitOrder(s, e, c.Order) }

func (c ServiceOrder) Decide(s *State, e Env) (Changes, *Rejection) {
	d := NewDraft(s, e)
	old := s.Orders[c.Order]
	switch {
	case old.Status == OrderAuthorized && !e.Now.Before(old.ExpiresAt):
		d.cancel(d.Orders.Edit(c.Order), "authorization_expired")
	case old.Status == OrderAuthorized && !e.Now.Before(warnAt(old)) && !old.WarnedFor.Equal(old.ExpiresAt):
		d.Orders.Edit(c.Order).WarnedFor = old.ExpiresAt
		d.OrderEvent(AuthorizationExpiring, c.Order)
	case old.Captured > 0:
		d.serve(c.Order)
		d.buildAutopay(c.Order)
		d.remind(c.Order)
	}
	d.timedAgain(old)
	if len(d.Changes.Orders) == 0 {
		return Changes{Result: old}, nil
	}
	return d.Done(d.Orders.Peek(c.Order), false), nil
}

// expiryWarning is how long before its end an authorization is warned of (F14).
const expiryWarning = 5 * Day

func warnAt(o *Order) time.Time { return o.ExpiresAt.Add(-expiryWarning) }

// due reports that time has brought something to an order that has a loan.
func (o *Order) due(now time.Time) bool {
	return o != nil && o.Captured > 0 && !o.NextAt.IsZero() && !o.NextAt.After(now)
}

// serveBefore serves the orders that a money event concerns before the event is
// played, and lets the event be recorded after what that has brought.
func (d *Draft) serveBefore(company int64, orders []string, e schedule.Event) schedule.Event {
	if d.serving {
		return e
	}
	if d.ties(company) {
		orders = d.State.Accounts[company]
	} else {
		orders = d.active(company, orders)
	}
	for _, key := range orders {
		d.serve(key)
	}
	if e.Seq != 0 && e.Seq != d.Companies.Peek(company).MoneySeq {
		e.Seq = d.nextSeq(company)
	}
	return e
}

// serve brings an order with a loan to today: date by date what falls due, then what
// the daily run of that date does (F37). So the books never depend on when the
// scheduler ran.
func (d *Draft) serve(key string) {
	o, l := d.standing(key)
	if d.served[key] || d.serving || o == nil || l == nil {
		return
	}
	if d.ties(o.Company) {
		d.serveAccount(o.Company)
		return
	}
	d.serving = true
	d.serveOne(key)
	for i := 0; i < len(d.Changes.Loans); i++ { // a replay has touched orders that share money with it
		if other := d.Changes.Loans[i].Key; d.Orders.Peek(other).Company == o.Company && !d.served[other] {
			d.serveOne(other)
		}
	}
	d.serving = false
}

func (d *Draft) serveOne(key string) {
	d.served[key] = true
	o, l := d.standing(key)
	after, today := max(o.Servicing.ServedTo, o.CaptureDate), d.Env.Today()
	if !d.remembers(o) {
		after = max(after, l.AsOf-1) // an earlier date would need its history
	}
	for date := d.nextDate(o, l, after); date != calendar.None && date <= today; {
		d.on = date
		d.catchUp(key)
		d.serveDay(key, date)
		o, l = d.standing(key)
		date = d.nextDate(o, l, date)
	}
	d.on = today
	d.catchUp(key)
}

// remembers reports that the command has asked for what a replay of an order needs.
func (d *Draft) remembers(o *Order) bool {
	if d.Env.asked == nil || !slices.Contains(d.Env.asked.History, o.Key) {
		return false
	}
	return !d.Companies.Peek(o.Company).JointReplay || d.seesAccount(o.Company)
}

// nextDate is the first business date after one on which something falls due on a
// loan, or on which its daily run has something to do; None if there is none.
func (d *Draft) nextDate(o *Order, l *schedule.Loan, after calendar.Date) calendar.Date {
	next := d.servesNext(o, l, after)
	if !alive(l) {
		return next
	}
	for i := range l.Rows {
		if due := l.Rows[i].DueDate; due > after {
			if next == calendar.None || due < next {
				next = due
			}
			break
		}
	}
	return next
}

// alive reports that the passing of due dates can still change a loan.
func alive(l *schedule.Loan) bool {
	return owed(l) != Receivable{} || l.Carried != 0 || len(l.Prepaid) > 0 || owes(l)
}

// catchUp posts what has become due by the date to which the books come, and brings
// the statuses that follow from the date up to it. What is held for the order makes a
// replay of what it pays, so that here no credit moves: a company may have as much of it
// as orders.
func (d *Draft) catchUp(key string) {
	o, l := d.standing(key)
	if d.standsStill(l) {
		return
	}
	was := &schedule.Portfolio{Loans: []*schedule.Loan{l}, Credits: d.heldFor(o)}
	now := was.Clone()
	effects := now.Advance(d.on)
	if len(effects) > 0 && d.replays(o.Company, []string{key}, schedule.Event{Kind: schedule.EventFee, Date: d.on}) {
		d.replay(o.Company, []string{key}, nil, func() {})
		return
	}
	d.postEffects(o.Company, schedule.Event{}, effects)
	d.finishOwed(o.Company, was, now)
}

// heldFor lists the credit that is held for an order's due dates.
func (d *Draft) heldFor(o *Order) (held []schedule.Credit) {
	for _, c := range d.credits(o.Company) {
		if c.Hold && c.Order == o.Key {
			held = append(held, c.Credit)
		}
	}
	return held
}

// standsStill reports that no day up to the date to which the books come changes anything
// of an order that anybody is told of. It looks at the loan alone: credit that is held for
// the order pays on a due date, and that shows on the loan.
func (d *Draft) standsStill(l *schedule.Loan) bool {
	p := schedule.Portfolio{Loans: []*schedule.Loan{l.Clone()}}
	return len(p.Advance(d.on)) == 0 && d.asBefore(l, p.Loans[0])
}

// timed notes on an order to which date it has been served, and when time alone next
// changes it.
func (d *Draft) timed(o *Order) {
	if d.served[o.Key] {
		o.Servicing.ServedTo = d.Env.Today()
	}
	o.NextAt = d.nextAt(o)
}

// timedAgain moves an order's NextAt although nothing else of it has changed.
func (d *Draft) timedAgain(old *Order) {
	x := *d.Orders.Peek(old.Key)
	if d.timed(&x); !x.NextAt.Equal(old.NextAt) {
		d.Orders.Edit(old.Key)
	}
}

// nextAt is when time alone next changes an order (zero: never): the warning and the
// end of its authorization; later the next date on which something falls due or the
// daily run has something to do, the cut-off at which autopay is built, and the day on which
// the company's owners are told of what is due or late. The
// cut-off counts whether or not autopay is on: that is the company's.
func (d *Draft) nextAt(o *Order) time.Time {
	switch {
	case o.Status == OrderAuthorized && o.WarnedFor.Equal(o.ExpiresAt):
		return o.ExpiresAt
	case o.Status == OrderAuthorized:
		return warnAt(o)
	case o.Captured == 0:
		return time.Time{}
	}
	l := d.LoanOf(o.Key)
	if l == nil {
		return o.NextAt // a change that has nothing to do with its loan
	}
	var next time.Time
	if date := d.nextDate(o, l, max(o.Servicing.ServedTo, o.CaptureDate)); date != calendar.None {
		next = d.Env.Zone.Start(date)
	}
	if collection := nextCollection(o, l); collection != calendar.None {
		if at := cutOff(d.Env.Zone, bankingDayBefore(collection)); next.IsZero() || at.Before(next) {
			next = at
		}
	}
	if at := d.remindsAt(o, l); !at.IsZero() && (next.IsZero() || at.Before(next)) {
		next = at
	}
	return next
}
