package lending

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// ServiceOrder does everything that time has made due on an order. It ends its authorization,
// or warns that it will expire (F14); it processes the business dates up to today one by one
// (F37); at the cut-off it builds the autopay debit of the next collection date (F12, F22);
// and it notifies the company's owners of what is due or late. It is idempotent. Nothing waits
// for it: a command that moves money serves the order first.
type ServiceOrder struct {
	Order string `json:"order"`
}

func (ServiceOrder) Name() string { return "order.service" }

// WritesOwners implements credit.OwnersWriter.
func (ServiceOrder) WritesOwners(credit.Env) bool { return true }

// Keys requests the order with its loan, then for its company's autopay method.
func (c ServiceOrder) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := MoneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventFee, Date: credit.Latest})
	if o := s.Orders[c.Order]; o != nil {
		k.Methods = AutopayMethod(s, o.Company)
	}
	return k
}

func (c ServiceOrder) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return AdmitOrder(s, e, c.Order)
}

func (c ServiceOrder) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	old := s.Orders[c.Order]
	switch {
	case old.Status == credit.OrderAuthorized && !e.Now.Before(old.ExpiresAt):
		cancelOrder(d, d.Orders.Edit(c.Order), "authorization_expired")
	case old.Status == credit.OrderAuthorized && !e.Now.Before(credit.WarnAt(old)) && !old.WarnedFor.Equal(old.ExpiresAt):
		d.Orders.Edit(c.Order).WarnedFor = old.ExpiresAt
		d.OrderEvent(credit.AuthorizationExpiring, c.Order)
	case old.Captured > 0:
		Serve(d, c.Order)
		buildAutopay(d, c.Order)
		remind(d, c.Order)
	}
	timedAgain(d, old)
	if len(d.Changes.Orders) == 0 {
		return credit.Changes{Result: old}, nil
	}
	return d.Done(d.Orders.Peek(c.Order), false), nil
}

// ServeBefore serves the orders that a money event concerns before the event is applied, and
// gives the event a recording order after whatever that produced.
func ServeBefore(d *credit.Draft, company int64, orders []string, e schedule.Event) schedule.Event {
	if d.Serving {
		return e
	}
	if ties(d, company) {
		orders = d.State.Accounts[company]
	} else {
		orders = ActiveNow(d, company, orders)
	}
	for _, key := range orders {
		Serve(d, key)
	}
	if e.Seq != 0 && e.Seq != d.Companies.Peek(company).MoneySeq {
		e.Seq = NextSeq(d, company)
	}
	return e
}

// Serve brings an order with a loan up to today: for each date what falls due, then that
// date's daily run (F37). So the books never depend on when the scheduler ran.
func Serve(d *credit.Draft, key string) {
	o, l := d.Standing(key)
	if d.Served[key] || d.Serving || o == nil || l == nil {
		return
	}
	if ties(d, o.Company) {
		ServeAccount(d, o.Company)
		return
	}
	d.Serving = true
	serveOne(d, key)
	for i := 0; i < len(d.Changes.Loans); i++ { // a replay also touches orders that share money with it
		if other := d.Changes.Loans[i].Key; d.Orders.Peek(other).Company == o.Company && !d.Served[other] {
			serveOne(d, other)
		}
	}
	d.Serving = false
}

func serveOne(d *credit.Draft, key string) {
	d.Served[key] = true
	o, l := d.Standing(key)
	after, today := max(o.Servicing.ServedTo, o.CaptureDate), d.Env.Today()
	if !remembers(d, o) {
		after = max(after, l.AsOf-1) // an earlier date would need its history
	}
	for date := d.NextDate(o, l, after); date != calendar.None && date <= today; {
		d.On = date
		catchUp(d, key)
		serveDay(d, key, date)
		o, l = d.Standing(key)
		date = d.NextDate(o, l, date)
	}
	d.On = today
	catchUp(d, key)
}

// remembers reports whether the command has asked for what a replay of an order needs.
func remembers(d *credit.Draft, o *credit.Order) bool {
	if !d.Env.AsksHistory(o.Key) {
		return false
	}
	return !d.Companies.Peek(o.Company).JointReplay || d.SeesAccount(o.Company)
}

// catchUp posts what is due by the date that the books have reached, and updates the statuses
// that depend on the date. If credit held for the order pays something, a replay does that, so
// that no credit moves here: a company may have as many credits as orders.
func catchUp(d *credit.Draft, key string) {
	o, l := d.Standing(key)
	if standsStill(d, l) {
		return
	}
	was := &schedule.Portfolio{Loans: []*schedule.Loan{l}, Credits: heldFor(d, o)}
	now := was.Clone()
	effects := now.Advance(d.On)
	if len(effects) > 0 && replays(d, o.Company, []string{key}, schedule.Event{Kind: schedule.EventFee, Date: d.On}) {
		replay(d, o.Company, []string{key}, nil, func() {})
		return
	}
	postEffects(d, o.Company, schedule.Event{}, effects)
	finishOwed(d, o.Company, was, now)
}

// heldFor lists the credit held for an order's due dates.
func heldFor(d *credit.Draft, o *credit.Order) (held []schedule.Credit) {
	for _, c := range d.Credits(o.Company) {
		if c.Hold && c.Order == o.Key {
			held = append(held, c.Credit)
		}
	}
	return held
}

// standsStill reports whether no day up to the date that the books have reached changes
// anything reported about an order. It looks at the loan alone: credit held for the order pays
// on a due date, and that shows on the loan.
func standsStill(d *credit.Draft, l *schedule.Loan) bool {
	p := schedule.Portfolio{Loans: []*schedule.Loan{l.Clone()}}
	return len(p.Advance(d.On)) == 0 && asBefore(d, l, p.Loans[0])
}

// timedAgain updates an order's NextAt even if nothing else of it has changed.
func timedAgain(d *credit.Draft, old *credit.Order) {
	x := *d.Orders.Peek(old.Key)
	if d.Timed(&x); !x.NextAt.Equal(old.NextAt) {
		d.Orders.Edit(old.Key)
	}
}
