package thief

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// Score is the lender's loss in cents, by kind (see the package). Costs are what bank and
// processor charged; they are not part of the loss.
type Score struct {
	Over, Sent, Twice, Elsewhere, Debt, Hidden int64
	Costs                                      int64
}

// Loss is the total.
func (s Score) Loss() int64 { return s.Over + s.Sent + s.Twice + s.Elsewhere + s.Debt + s.Hidden }

func (s Score) String() string {
	return fmt.Sprintf("over the line %d, sent to buyers %d, twice %d, elsewhere %d, merchants' debt %d, hidden %d", s.Over, s.Sent, s.Twice, s.Elsewhere, s.Debt, s.Hidden)
}

// glance is what the lender's books hold at an instant, as far as the score needs it.
type glance struct {
	companies map[int64]*credit.Company
	merchants map[string]*credit.Merchant
	orders    map[string]*credit.Order
	loans     map[string]*schedule.Loan
	payments  map[string]*credit.Payment
	methods   map[string]*credit.PaymentMethod
	transfers []*credit.Transfer
	lines     []*credit.PayoutLine
	other     map[int64]int64 // 1130 by company
	costs     int64
}

func (w *world) glance() *glance {
	w.t.Helper()
	g := &glance{
		companies: map[int64]*credit.Company{}, merchants: map[string]*credit.Merchant{}, orders: map[string]*credit.Order{},
		loans: map[string]*schedule.Loan{}, payments: map[string]*credit.Payment{}, methods: map[string]*credit.PaymentMethod{}, other: map[int64]int64{},
	}
	err := w.db.View(context.Background(), func(v store.View) error {
		merchants, err := store.AllMerchants(v)
		for _, m := range merchants {
			g.merchants[m.ID] = m
		}
		return errors.Join(err,
			store.EachOf(v, store.CompanyNoun, func(c *credit.Company) error { g.companies[c.ID] = c; return nil }),
			store.EachOrder(v, func(o *credit.Order, l *schedule.Loan) error {
				g.orders[o.Key] = o
				if l != nil {
					g.loans[o.Key] = l
				}
				return nil
			}),
			store.EachOf(v, store.PaymentNoun, func(p *credit.Payment) error { g.payments[p.ID] = p; return nil }),
			store.EachOf(v, store.MethodNoun, func(m *credit.PaymentMethod) error { g.methods[m.ID] = m; return nil }),
			store.EachOf(v, store.TransferNoun, func(t *credit.Transfer) error { g.transfers = append(g.transfers, t); return nil }),
			store.EachOf(v, store.PayoutLineNoun, func(l *credit.PayoutLine) error { g.lines = append(g.lines, l); return nil }),
			store.EachBalance(v, g.balance))
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return g
}

func (g *glance) balance(k ledger.BalanceKey, x int64) error {
	switch k.Account {
	case ledger.OtherReceivable:
		if o := g.orders[k.Order]; o != nil {
			g.other[o.Company] += x
		} else {
			g.other[k.Company] += x
		}
	case ledger.CardCost, ledger.ACHCost:
		g.costs += x
	}
	return nil
}

// used is what a company uses of its line: unpaid principal of funded orders, 1130, reservations,
// and principal that is paid with money that a merchant still has. The last part is a lower
// bound.
func (g *glance) used(company int64) int64 {
	c := g.companies[company]
	sum := int64(c.Reserved) + g.other[company]
	for key, l := range g.loans {
		if o := g.orders[key]; o.Company == company && !o.Terms.Unfunded {
			sum += unpaid(l)
		}
	}
	for _, x := range g.held(company) {
		sum += max(0, min(x.principal, x.open-x.rest))
	}
	return sum
}

// held is a company's money that merchants have reported, for an order or for the company.
type held struct {
	principal, rest int64 // what it pays: principal, and everything else
	open            int64 // of it on 1210
}

func (g *glance) held(company int64) map[string]held {
	all := map[string]held{}
	for _, p := range g.payments {
		if p.Company != company || !p.FromMerchant || p.Direction != "IN" || p.Status == credit.PaymentReturned {
			continue
		}
		x := all[p.Order+p.Merchant]
		principal := g.principalOf(p)
		x.principal += principal
		x.rest += int64(p.Unapplied) - principal
		for _, a := range p.Allocations {
			x.rest += int64(a.Principal + a.Charge + a.Fee)
		}
		all[p.Order+p.Merchant] = x
	}
	for _, l := range g.lines {
		if l.Company == company && l.Kind == credit.LineCollected && l.Payout == "" {
			x := all[l.Order+l.Merchant]
			x.open += int64(l.Left())
			all[l.Order+l.Merchant] = x
		}
	}
	return all
}

func unpaid(l *schedule.Loan) int64 {
	sum := int64(0)
	for _, r := range l.Rows {
		sum += int64(r.Principal - r.PaidPrincipal)
	}
	return sum
}

// principalOf is what a payment pays on principal of funded orders.
func (g *glance) principalOf(p *credit.Payment) int64 {
	sum := int64(0)
	for _, a := range p.Allocations {
		if o := g.orders[a.Order]; o != nil && !o.Terms.Unfunded {
			sum += int64(a.Principal)
		}
	}
	return sum
}

// away reports whether money has left for its receiver and has not come back.
func away(t *credit.Transfer) bool {
	return t.Status == credit.TransferSent || t.Status == credit.TransferSettled
}

// buyer is what has left for a company, and what has come from it: by its debits and charges, by
// what staff received, and by what merchants reported and the lender now has. A debit that was
// returned after its refund is on 1130 and counts as received.
func (g *glance) buyer(company int64) (sent, received int64) {
	for _, t := range g.transfers {
		switch {
		case t.Company != company:
		case t.Kind == credit.TransferRefund || t.Kind == credit.TransferCredit:
			if away(t) {
				sent += int64(t.Amount)
			}
		case t.Kind == credit.TransferPayment && t.Status == credit.TransferSettled:
			received += int64(t.Amount)
		case t.Kind == credit.TransferPayment && t.Rail == credit.Card && t.Status == credit.TransferSent && t.Reference != "":
			received += int64(t.Amount)
		}
	}
	for _, p := range g.payments {
		if p.Company == company && p.Transfer == "" && p.Direction == "IN" && !p.FromMerchant && p.Status != credit.PaymentReturned {
			received += int64(p.Amount)
		}
	}
	for _, l := range g.lines {
		switch {
		case l.Company != company:
		case l.Kind == credit.LineCollected:
			received += int64(l.Netted)
		case l.Kind == credit.LineRepaid:
			received -= int64(l.Amount)
		}
	}
	return sent, received + g.other[company]
}

// elsewhere is what has left for a company's accounts beyond what was debited from them.
func (g *glance) elsewhere(company int64) int64 {
	of := map[string]int64{}
	for _, t := range g.transfers {
		m := g.methods[t.Method]
		if t.Company != company || m == nil || m.Bank == nil {
			continue
		}
		switch {
		case (t.Kind == credit.TransferRefund || t.Kind == credit.TransferCredit) && away(t):
			of[m.Bank.Fingerprint] += int64(t.Amount)
		case t.Kind == credit.TransferPayment && !t.SettledAt.IsZero():
			of[m.Bank.Fingerprint] -= int64(t.Amount)
		}
	}
	sum := int64(0)
	for _, x := range of {
		sum += max(0, x)
	}
	return sum
}

// twice is what payments have given back beyond their amount, and what orders owe beyond what was
// captured and not refunded, with their charge (RF7).
func (g *glance) twice() int64 {
	sum := int64(0)
	for _, p := range g.payments {
		if p.Direction == "IN" {
			sum += max(0, int64(p.Refunded-p.Amount))
		}
	}
	for key, l := range g.loans {
		o := g.orders[key]
		charge := int64(o.Terms.TotalOfPayments - o.Captured)
		sum += max(0, unpaid(l)-charge-int64(o.Captured-o.Refunded))
	}
	return sum
}

// owes is what a merchant owes (1200 and 1210), less what it is owed (2000).
func (g *glance) owes(merchant string) int64 {
	sum := int64(0)
	for _, l := range g.lines {
		switch {
		case l.Merchant != merchant || l.Payout != "":
		case l.Kind == credit.LineClawback || l.Kind == credit.LineCollected:
			sum += int64(l.Left())
		default:
			sum -= int64(l.Amount)
		}
	}
	return max(0, sum)
}

// netted is all that a merchant has ever paid of what it owed.
func (g *glance) netted(merchant string) int64 {
	sum := int64(0)
	for _, l := range g.lines {
		if l.Merchant == merchant && (l.Kind == credit.LineClawback || l.Kind == credit.LineCollected) {
			sum += int64(l.Netted)
		}
	}
	return sum
}

// meter keeps the score of a world, call by call.
type meter struct {
	w     *world
	last  *glance
	score Score
	why   []string // what contributed to it
	given map[string]map[calendar.Date]int64
	late  map[row]map[calendar.Date]bool // days on which a row was seen unpaid after its due date
	held  map[row]bool
}

// row is an installment of an order.
type row struct {
	order  string
	number int
}

func newMeter(w *world) *meter {
	return &meter{w: w, last: w.glance(), given: map[string]map[calendar.Date]int64{}, late: map[row]map[calendar.Date]bool{}, held: map[row]bool{}}
}

// after checks what a call, or time, has changed.
func (m *meter) after(who, what string) {
	old, now := m.last, m.w.glance()
	m.last = now
	was := m.score
	m.score.Costs = now.costs
	m.lines(old, now, who)
	for id := range now.companies {
		sent, received := now.buyer(id)
		before := int64(0)
		if old.companies[id] != nil {
			before, _ = old.buyer(id)
		}
		if sent > before {
			m.score.Sent += max(0, min(sent-received, sent-before))
		}
	}
	elsewhere := int64(0)
	for id := range now.companies {
		elsewhere += now.elsewhere(id)
	}
	m.score.Elsewhere = max(m.score.Elsewhere, elsewhere)
	m.score.Twice = max(m.score.Twice, now.twice())
	m.debts(old, now, who)
	m.hidden(now)
	if m.score.Loss() > was.Loss() {
		m.why = append(m.why, fmt.Sprintf("%s %s %s: %s", m.w.clock.Now().In(m.w.zone.Location()).Format("2006-01-02 15:04"), who, what, m.score))
	}
}

// lines: only a bank return takes a line above its limit. What staff request is not measured.
func (m *meter) lines(old, now *glance, who string) {
	if who == "operator" {
		return
	}
	back := map[int64]int64{}
	for id, p := range now.payments {
		if x := old.payments[id]; p.Status == credit.PaymentReturned && (x == nil || x.Status != credit.PaymentReturned) {
			back[p.Company] += int64(p.Amount)
		}
	}
	for id, c := range now.companies {
		if old.companies[id] != nil {
			m.score.Over += max(0, now.used(id)-back[id]-max(int64(c.Limit), old.used(id)))
		}
	}
}

// debts: no merchant's request takes what it owes above its cap (F41.6).
func (m *meter) debts(old, now *glance, who string) {
	today := m.w.today()
	for id := range now.merchants {
		if m.given[id] == nil {
			m.given[id] = map[calendar.Date]int64{}
		}
		m.given[id][today] += max(0, now.netted(id)-old.netted(id))
		month := int64(0)
		for day, x := range m.given[id] {
			if day+30 >= today {
				month += x
			}
		}
		if who == id {
			m.score.Debt += max(0, now.owes(id)-max(10_000_00, 2*month, old.owes(id)))
		}
	}
}

// hidden: a row seen unpaid on too many days after its due date has had its consequences: its
// company cannot order. Unfunded orders have no consequences for others.
func (m *meter) hidden(now *glance) {
	today := m.w.today()
	for key, l := range now.loans {
		o := now.orders[key]
		c := now.companies[o.Company]
		for i, r := range l.Rows {
			at := row{key, i}
			if r.DueDate >= today || r.PaidPrincipal >= r.Principal || o.Terms.Unfunded {
				continue
			}
			if m.late[at] == nil {
				m.late[at] = map[calendar.Date]bool{}
			}
			m.late[at][today] = true
			if len(m.late[at]) > 30+2*10 && c.Status == credit.CompanyApproved && !m.held[at] {
				m.held[at] = true
				m.score.Hidden += int64(r.Principal - r.PaidPrincipal)
			}
		}
	}
}

// lost reports whether the lender has lost something, or whether its writer, its scheduler or a
// call has broken: in that case a merchant's token has stopped the lender.
func (w *world) lost() bool { return w.meter.score.Loss() > 0 || len(w.broken) > 0 }

// nothing fails the test if the lender has lost something.
func (w *world) nothing(t testing.TB) {
	t.Helper()
	if w.lost() {
		t.Errorf("the lender has lost %d: %s\n%s\n%s\nwhat was asked:\n%s", w.meter.score.Loss(), w.meter.score, strings.Join(w.meter.why, "\n"),
			strings.Join(w.broken, "\n"), strings.Join(tail(w.log, 60), "\n"))
	}
}

func tail(list []string, n int) []string { return slices.Clone(list[max(0, len(list)-n):]) }
