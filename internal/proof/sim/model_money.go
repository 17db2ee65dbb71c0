package sim

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/payments"
)

// loan is a captured order of a plan without charge, as its money events leave it. Rows before
// cur are due.
type loan struct {
	key  string
	at   time.Time
	rows []row
	cur  int
	owed []debt // money that had left the house and is owed at once (F16)
}

type row struct {
	due                     calendar.Date
	target, principal, paid int64
}

type debt struct {
	id           string
	day          calendar.Date
	amount, paid int64
}

// share is a part of a payment's money: on a row, or on a debt if row is 0.
type share struct {
	order  string
	row    int
	debt   string
	amount int64
	use    int // index into funds.uses
}

// used is one application of a payment's money to orders. What refunds of an order have freed of
// it is not freed again (F13.4).
type used struct {
	source string
	freed  map[string]int64 // by order
}

// credits are what is left of a payment or an order refund.
type credits struct {
	source, order string
	hold          bool
	amount        int64
}

// funds is a company's replayed money.
type funds struct {
	loans     []*loan // in order of capture
	credits   []*credits
	paid      map[string][]share // by payment, in the order in which it was used
	uses      []used
	merchants map[string]bool  // payments whose money merchants hold
	room      map[string]int64 // by payment: how much its own refunds leave for order refunds to free
	today     calendar.Date
}

// moneyEvent is one fact that moves money, with its effective date.
type moneyEvent struct {
	kind           string
	day            calendar.Date
	seq            int
	id             string // of the payment, or of the event itself
	order, payment string
	amount         int64
	hold, external bool
	held           bool // by a merchant (F41.4)
	scope          []string
}

// exact reports whether the model computes an order's loan: its plan has no charge, and no
// payment ties it to an order that has one.
func (m *Model) exact(o *order) bool {
	if !o.term.plain() {
		return false
	}
	if !m.tied(o.company) {
		return true
	}
	for _, key := range m.Orders() {
		if x := m.order(key); x.company == o.company && x.captured > 0 && !x.term.plain() {
			return false
		}
	}
	return true
}

// tied reports whether the company has had a payment for all of its orders.
func (m *Model) tied(company int64) bool {
	for _, id := range m.Payments() {
		if p := m.payment(id); p.company == company && p.order == "" {
			return true
		}
	}
	return false
}

// loans replays the money of a company, or of one order if nothing ties them.
func (m *Model) loans(company int64, only string) map[string]*loan {
	if m.tied(company) {
		only = ""
	}
	all := map[string]*loan{}
	for _, l := range m.replay(company, only).loans {
		all[l.key] = l
	}
	return all
}

// replay is the definition of every figure: all money events ordered by date, then by recording,
// without returned payments (F34). The last day is that of the newest fact.
func (m *Model) replay(company int64, only string) *funds {
	return recall(&m.purses, fmt.Sprint(company, only), func() *funds { return m.play(company, only) })
}

func (m *Model) play(company int64, only string) *funds {
	events := m.moneyEvents(company, only)
	slices.SortStableFunc(events, func(a, b moneyEvent) int { return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.seq, b.seq)) })
	p := &funds{paid: map[string][]share{}, merchants: map[string]bool{}, room: map[string]int64{}}
	for _, e := range events {
		switch e.kind {
		case "payment":
			p.room[e.id] += e.amount
		case "payment refund":
			p.room[e.payment] -= e.amount
		}
	}
	for _, e := range events {
		p.advance(e.day)
		switch e.kind {
		case "capture":
			p.capture(m.order(e.order))
		case "payment":
			p.pay(e)
		case "refund":
			p.refund(e)
		case "payment refund":
			p.refundPayment(e)
		case "return":
			if e.amount > 0 && e.order != "" {
				p.assess(e, e.amount)
			}
		}
	}
	p.advance(m.facts[len(m.facts)-1].day)
	return p
}

// moneyEvents collects the facts that move money of a company, or of one order.
func (m *Model) moneyEvents(company int64, only string) []moneyEvent {
	var events []moneyEvent
	for _, key := range m.Orders() {
		if o := m.order(key); o.company == company && o.captured > 0 && (only == "" || only == key) {
			events = append(events, moneyEvent{kind: "capture", day: o.captureDay, order: key})
			for _, r := range o.refunds {
				events = append(events, moneyEvent{kind: "refund", day: m.facts[r.fact].day, seq: r.fact, id: refundID(r.fact), order: key, amount: r.amount, external: o.external})
			}
		}
	}
	for _, id := range m.Payments() {
		if p := m.payment(id); p.company == company && (only == "" || p.order == only) {
			events = append(events, m.eventsOf(p)...)
		}
	}
	return events
}

// refundID names the credit of an order refund in the model.
func refundID(fact int) string { return "refund " + time.Duration(fact).String() }

// eventsOf returns a payment's events. For a returned payment only the return remains.
func (m *Model) eventsOf(p *payment) []moneyEvent {
	var events []moneyEvent
	refunded := int64(0)
	paid := p.amount - p.never
	for i, f := range m.facts {
		switch c := f.command.(type) {
		case payments.RecordPayment:
			if f.id == p.id {
				events = append(events, moneyEvent{kind: "payment", day: p.day, seq: i, id: p.id, order: p.order, amount: paid, hold: p.hold, held: p.held, scope: m.reach(p, i)})
			}
		case payments.RefundPayment:
			if c.Payment != p.id {
				continue
			}
			amount := p.given[i]
			refunded += amount
			if amount > 0 {
				events = append(events, moneyEvent{kind: "payment refund", day: f.day, seq: i, id: refundID(i), order: f.debtor, payment: p.id, amount: amount})
			}
		case payments.ReturnPayment:
			if c.Payment == p.id {
				if !p.held {
					refunded = 0 // it has not left the house
				}
				return []moneyEvent{{kind: "return", day: f.day, seq: i, id: refundID(i), order: f.debtor, payment: p.id, amount: refunded}}
			}
		}
	}
	return events
}

// reach lists the orders that a payment may pay: its own order, or those of the company that were
// captured before it was recorded and are not externally managed; with a merchant's token only
// that merchant's (F12).
func (m *Model) reach(p *payment, at int) []string {
	if p.order != "" {
		return []string{p.order}
	}
	earlier := Model{location: m.location, facts: m.facts[:at], seen: m.seen}
	var keys []string
	for _, key := range earlier.Orders() {
		o := earlier.order(key)
		if o.company == p.company && o.captured > 0 && !o.external && (p.merchant == "" || p.merchant == o.merchant) {
			keys = append(keys, key)
		}
	}
	return keys
}

func (p *funds) capture(o *order) {
	l := &loan{key: o.key, at: o.capturedAt}
	principal, _ := o.term.rows(o.captured)
	for k, amount := range principal {
		l.rows = append(l.rows, row{due: o.term.due(o.captureDay, k+1), target: o.term.level(o.captured), principal: amount})
	}
	p.loans = append(p.loans, l)
	slices.SortFunc(p.loans, func(a, b *loan) int { return cmp.Or(a.at.Compare(b.at), cmp.Compare(a.key, b.key)) })
}

// advance lets days pass one by one: rows fall due, then held money pays them.
func (p *funds) advance(to calendar.Date) {
	if p.today == 0 {
		p.today = to - 1
	}
	for ; p.today < to; p.today++ {
		for _, l := range p.loans {
			if l.cur < len(l.rows) && l.rows[l.cur].due == p.today+1 {
				l.cur++
				p.useHeld(l)
			}
		}
	}
}

func (p *funds) useHeld(l *loan) {
	for _, c := range p.credits {
		if c.hold && c.order == l.key && c.amount > 0 {
			p.begin(c.source)
			c.amount = p.payDue([]*loan{l}, c.source, c.amount)
			l.spread()
		}
	}
}

func (p *funds) pay(e moneyEvent) {
	var loans []*loan
	for _, l := range p.loans {
		if slices.Contains(e.scope, l.key) {
			loans = append(loans, l)
		}
	}
	p.merchants[e.id] = e.held
	p.begin(e.id)
	left := p.payDue(loans, e.id, e.amount)
	if !e.hold {
		left = p.payFuture(loans, e.id, left)
	}
	for _, l := range loans {
		l.spread()
	}
	p.keep(credits{e.id, e.order, e.hold && e.order != "", left})
}

// payDue pays what is due, oldest first: debts before rows, earlier captures before later ones.
// It returns what is left.
func (p *funds) payDue(loans []*loan, source string, left int64) int64 {
	for left > 0 {
		var oldest *loan
		at, debtAt, day := 0, false, calendar.Date(0)
		for _, l := range loans {
			for i := range l.owed {
				if d := &l.owed[i]; d.paid < d.amount && (oldest == nil || d.day < day) {
					oldest, at, debtAt, day = l, i, true, d.day
				}
			}
			for i := range l.rows[:l.cur] {
				if r := &l.rows[i]; r.paid < r.principal && (oldest == nil || r.due < day) {
					oldest, at, debtAt, day = l, i, false, r.due
				}
			}
		}
		if oldest == nil {
			return left
		}
		s := share{order: oldest.key, use: len(p.uses) - 1}
		if debtAt {
			d := &oldest.owed[at]
			s.debt, s.amount = d.id, min(left, d.amount-d.paid)
			d.paid += s.amount
		} else {
			r := &oldest.rows[at]
			s.row, s.amount = at+1, min(left, r.principal-r.paid)
			r.paid += s.amount
		}
		p.paid[source] = append(p.paid[source], s)
		left -= s.amount
	}
	return 0
}

// payFuture pays future rows in order of their dates: each up to its level payment, the last
// whatever is owed.
func (p *funds) payFuture(loans []*loan, source string, left int64) int64 {
	for left > 0 {
		var next *loan
		at := 0
		for _, l := range loans {
			k := l.open()
			if k >= 0 && (next == nil || l.rows[k].due < next.rows[at].due) {
				next, at = l, k
			}
		}
		if next == nil {
			return left
		}
		r := &next.rows[at]
		x := min(left, next.future())
		if at < len(next.rows)-1 {
			x = min(x, r.target-r.paid)
		}
		r.paid += x
		left -= x
		next.spread()
		p.paid[source] = append(p.paid[source], share{next.key, at + 1, "", x, len(p.uses) - 1})
	}
	return 0
}
