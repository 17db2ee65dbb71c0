package schedule

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// player plays one scenario: its steps become money events of one loan, which are replayed
// after each step up to the scenario's business date.
type player struct {
	sc       scenario
	terms    *Terms // nil if no plan of ours gives the rows, which are then in base
	base     *Loan
	created  step
	given    bool   // the rows shown first are input
	rows     bool   // rows are compared
	uses     bool   // so are transactions and fees, and how money was used
	at       int    // step being played, counted from 1
	future   string // prepayment rule set by the scenario, "" for its default
	today    calendar.Date
	start    calendar.Date
	events   []Event
	deeds    []deed              // what the scenario calls transactions, in recording order
	joined   map[string][]string // ids of further events of a deed, besides its own
	held     []Span
	compared int

	portfolio *Portfolio // current state
	effects   []Effect
}

// deed is a transaction of the scenario.
type deed struct {
	kind     string // name in the scenario's journals
	id       string // of the event; "" for the disbursement
	date     calendar.Date
	due      calendar.Date // of a fee, as in the scenario
	amount   money.Amount
	undone   bool
	returned bool            // charged back: it stays in the scenario's list
	was      portions        // when it was undone
	moved    [3]money.Amount // what it changed when recorded: principal, charge and fees, credit
}

// portions is how an amount was used.
type portions struct{ principal, charge, fees, credit money.Amount }

// play plays a scenario within limits. It returns the first difference from the scenario, ""
// if there was none; the player is then at that step.
func play(sc scenario, limits []limit) (*player, string) {
	p := &player{sc: sc, rows: true, uses: true, joined: map[string][]string{}}
	p.given = slices.ContainsFunc(limits, func(l limit) bool { return l.level == rowsGiven })
	for i, st := range sc.Steps {
		p.at = i + 1
		for _, l := range limits {
			if l.step == p.at && l.level == restOff {
				return p, ""
			}
			if l.step == p.at && l.level != rowsGiven {
				p.rows, p.uses = false, l.level == rowsOff
			}
		}
		if missed := p.step(st); missed != "" {
			return p, missed
		}
	}
	return p, ""
}

func (p *player) step(st step) string {
	if strings.HasPrefix(st.Op, "expect_") {
		return p.expect(st)
	}
	switch st.Op {
	case "business_date":
		p.today = day(st.Date)
		return p.replay()
	case "create_loan":
		p.created = st
		return ""
	case "disburse":
		return p.disburse(st)
	case "set_future_allocation":
		p.future = st.Rule
		return ""
	case "raw":
		return p.said(st)
	}
	if p.portfolio == nil {
		return st.Op + " before the loan"
	}
	return p.money(st)
}

// money plays a step that moves money.
func (p *player) money(st step) string {
	if st.Op != "charge" && p.future != "" && p.future != "NEXT_INSTALLMENT" {
		return "prepayments goes to " + p.future
	}
	switch st.Op {
	case "payment", "repayment":
		return p.record("REPAYMENT", st.Date, Event{Kind: EventPayment, Amount: cents(st.Amount)})
	case "merchant_issued_refund":
		return p.record("MERCHANT_ISSUED_REFUND", st.Date, Event{Kind: EventRefund, Amount: cents(st.Amount)})
	case "payout_refund", "refund":
		return p.record("PAYOUT_REFUND", st.Date, Event{Kind: EventRefund, Amount: cents(st.Amount)})
	case "charge_off":
		return p.record("CHARGE_OFF", st.Date, Event{Kind: EventChargeOff, Amount: p.view().Remaining})
	case "payoff":
		return p.record("REPAYMENT", st.Date, Event{Kind: EventPayment, Amount: p.portfolio.Loans[0].Payoff(day(st.Date)).Total})
	case "charge":
		if st.Amount == "" {
			st.Amount = p.share(st.Type)
		}
		on := min(day(st.Due), p.today) // a fee due later is owed from the day on which it is known
		missed := p.record("CHARGE", on.String(), Event{Kind: EventFee, Fee: ReturnedPaymentFee, Installment: p.rowOf(day(st.Due)), Amount: cents(st.Amount)})
		p.deeds[len(p.deeds)-1].due = day(st.Due)
		return missed
	case "credit_balance_refund":
		return p.sendBack(st)
	case "undo":
		return p.undo(st)
	case "chargeback":
		return p.chargeBack(st)
	}
	return "there is no " + st.Op
}

// share is a fee in percent of principal and charge, as in the scenarios.
func (p *player) share(kind string) string {
	n, _ := strconv.Atoi(strings.Fields(strings.TrimPrefix(kind, "processing fee "))[0])
	v := p.view()
	return money.MulDiv(v.Principal+v.Charge, int64(n), 100).String()
}

// rowOf is the row whose period contains a day. A down payment has no period.
func (p *player) rowOf(d calendar.Date) int {
	l := p.portfolio.Loans[0]
	for i, r := range l.Rows {
		if d <= r.DueDate && r.DueDate > p.start {
			return i + 1
		}
	}
	return len(l.Rows)
}

// record adds an event and replays.
func (p *player) record(kind, date string, e Event) string {
	e.Seq, e.Order, e.Date = int64(len(p.events)+2), "o", day(date)
	e.ID = fmt.Sprintf("%s-%d", strings.ToLower(kind), e.Seq)
	if kind != "CHARGE" && e.Date > p.today {
		return fmt.Sprintf("%s on %s, which has not come", kind, date)
	}
	p.events = append(p.events, e)
	before := p.balances()
	if missed := p.replay(); missed != "" {
		return missed
	}
	d := deed{kind: kind, id: e.ID, date: e.Date, amount: e.Amount}
	for i, b := range p.balances() {
		d.moved[i] = b - before[i]
	}
	p.deeds = append(p.deeds, d)
	return ""
}

// balances is the unpaid principal, the unpaid charge and fees, and the credit.
func (p *player) balances() [3]money.Amount {
	l := p.portfolio.Loans[0]
	owed := l.View(p.today)
	credit := money.Amount(0)
	for _, c := range p.portfolio.Credits {
		credit += c.Amount
	}
	return [3]money.Amount{l.UnpaidPrincipal(), owed.Remaining - l.UnpaidPrincipal(), credit}
}

// disburse creates the loan. A down payment that the product takes automatically is a payment
// on that day.
func (p *player) disburse(st step) string {
	if p.portfolio != nil || p.base != nil {
		return "a second disbursement"
	}
	p.start = day(st.Date)
	if missed := p.lay(cents(st.Amount)); missed != "" {
		return missed
	}
	p.deeds = append(p.deeds, deed{kind: "DISBURSEMENT", date: p.start, amount: cents(st.Amount)})
	if missed := p.replay(); missed != "" {
		return missed
	}
	if strings.Contains(p.created.Product, "DOWNPAYMENT_AUTO") {
		return p.record("DOWN_PAYMENT", st.Date, Event{Kind: EventPayment, Amount: p.base.Rows[0].Principal})
	}
	return ""
}

// lay lays out the rows: those of a plan of ours, after a down payment of a quarter if there
// is one, or those shown first.
func (p *player) lay(principal money.Amount) string {
	c := p.created
	n, err := strconv.Atoi(c.Installments)
	if err != nil {
		return err.Error()
	}
	terms := Terms{Plan: Zero, Principal: principal, Installments: n, CaptureDate: p.start}
	rate := percentRate(decimals(c.Rate))
	switch {
	case rate > 0 && c.InterestType == "FLAT":
		terms.Plan, terms.MonthlyFeeRate = FlatFee, rate/12
	case rate > 0:
		terms.Plan, terms.AnnualRate = Amortized, rate
	case n == 1 && (c.Every == "30" || strings.HasPrefix(c.Product, "LP1 default")):
		terms.Plan = Net30
	}
	if strings.Contains(c.Product, "DAILY") && !strings.Contains(c.Product, "360_30") {
		terms.DayCount = Actual365
	}
	if rate > 0 && p.given {
		terms.LevelPayment = cents(text(p.shownFirst()[0], "due"))
	}
	down := strings.Contains(c.Product, "DOWNPAYMENT")
	if !down && (rate > 0 || !p.given) && (c.EveryUnit != "DAYS" || terms.Plan == Net30) {
		p.terms = &terms
		_, err := New("o", 0, terms)
		return errorText(err)
	}
	if rate > 0 {
		return "charge on rows that no plan of ours has"
	}
	p.base = loanOfRows(p.start-1, p.inputRows(principal, n, down))
	return ""
}

// inputRows are rows without charge that no plan of ours creates.
func (p *player) inputRows(principal money.Amount, n int, down bool) []givenRow {
	var rows []givenRow
	if p.given {
		for _, r := range p.shownFirst() {
			rows = append(rows, givenRow{Due: text(r, "date"), Amount: text(r, "principal")})
		}
		return rows
	}
	if down {
		rows = append(rows, givenRow{Due: p.start.String(), Amount: money.MulDiv(principal, 1, 4).String()})
		principal -= money.MulDiv(principal, 1, 4)
	}
	every, _ := strconv.Atoi(p.created.Every)
	level := money.MulDiv(principal, 1, int64(n))
	for k := 1; k <= n; k++ {
		due := p.start.AddMonths(every * k)
		if p.created.EveryUnit == "DAYS" {
			due = p.start.AddDays(every * k)
		}
		if k == n {
			level = principal
		}
		principal -= level
		rows = append(rows, givenRow{Due: due.String(), Amount: level.String()})
	}
	return rows
}

// shownFirst are the rows of the first schedule shown, without disbursements.
func (p *player) shownFirst() []map[string]*string {
	i := slices.IndexFunc(p.sc.Steps, func(st step) bool { return st.Op == "expect_schedule" })
	if i < 0 {
		return []map[string]*string{{}}
	}
	return installments(p.sc.Steps[i].Rows)
}

func installments(rows []map[string]*string) []map[string]*string {
	return slices.DeleteFunc(slices.Clone(rows), func(r map[string]*string) bool { return r["nr"] == nil || r["outstanding"] == nil })
}

func errorText(err error) string {
	if err != nil {
		return err.Error()
	}
	return ""
}

// replay computes the loan's current state. A plan of ours is replayed by Replay. Input rows
// have no capture that could create them, so the same is done here: events in the order of
// (date, recording), without those that a return removes.
func (p *player) replay() string {
	if p.terms == nil && p.base == nil {
		return ""
	}
	var events []Event
	for _, e := range p.events {
		if e.Date <= p.today {
			events = append(events, e)
		}
	}
	if p.terms != nil {
		events = append(events, Event{Kind: EventCapture, ID: "o", Order: "o", Seq: 1, Date: p.start, Terms: *p.terms})
		p.portfolio, p.effects = Replay(events, max(p.today, p.start))
	} else {
		p.replayRows(events)
	}
	return errorText(p.portfolio.Loans[0].Check())
}

func (p *player) replayRows(events []Event) {
	gone := map[string]bool{}
	for _, e := range events {
		if e.Kind == EventReturn {
			gone[e.Payment] = true
		}
	}
	events = slices.DeleteFunc(events, func(e Event) bool {
		return gone[e.ID] || e.Kind == EventPaymentRefund && gone[e.Payment]
	})
	slices.SortStableFunc(events, func(a, b Event) int {
		return cmp.Or(cmp.Compare(a.Date, b.Date), cmp.Compare(a.Seq, b.Seq))
	})
	p.portfolio, p.effects = &Portfolio{Loans: []*Loan{p.base.Clone()}}, nil
	for _, e := range events {
		p.effects = append(p.effects, p.portfolio.Apply(e)...)
	}
	p.effects = append(p.effects, p.portfolio.Advance(max(p.today, p.start))...)
}

// sendBack sends credit back, oldest first (F36).
func (p *player) sendBack(st step) string {
	left := cents(st.Amount)
	for _, c := range slices.Clone(p.portfolio.Credits) {
		x := min(left, c.Amount)
		if x == 0 {
			continue
		}
		if missed := p.record("CREDIT_BALANCE_REFUND", st.Date, Event{Kind: EventPaymentRefund, Payment: c.Source, Amount: x}); missed != "" {
			return missed
		}
		p.join(left < cents(st.Amount))
		left -= x
	}
	if left > 0 {
		return fmt.Sprintf("%s more is sent back than there is credit", left)
	}
	return ""
}

// join merges two deeds that sent credit back into one: there a refund's credit is one sum,
// here it keeps the payments that the money came from (F13.4).
func (p *player) join(more bool) {
	if n := len(p.deeds); more {
		last := p.deeds[n-1]
		p.deeds = p.deeds[:n-1]
		p.joined[p.deeds[n-2].id] = append(p.joined[p.deeds[n-2].id], last.id)
		d := &p.deeds[n-2]
		d.amount += last.amount
		for i := range d.moved {
			d.moved[i] += last.moved[i]
		}
	}
}

// undo takes a payment back as if it had never been made (F16).
func (p *player) undo(st step) string {
	d := p.find(st)
	if d == nil {
		return "what is undone is not there"
	}
	if d.kind != "REPAYMENT" && d.kind != "DOWN_PAYMENT" {
		return "a " + d.kind + " is undone"
	}
	d.was, d.undone = p.portions(d.id), true
	return p.takeBack(d.id)
}

// find finds the nth transaction of a kind on a day. The scenarios count a lower-case
// "repayment" from the first day on.
func (p *player) find(st step) *deed {
	nth, _ := strconv.Atoi(st.Nth)
	kind := strings.ToUpper(strings.ReplaceAll(st.Type, " ", "_"))
	for i := range p.deeds {
		d := &p.deeds[i]
		fits := d.kind == kind || kind == "TRANSACTION_MADE" && d.kind != "CHARGE" && d.kind != "RETURN"
		if !fits || st.Type != "repayment" && d.date != day(st.Date) {
			continue
		}
		if nth--; nth == 0 && !d.undone {
			return d
		}
	}
	return nil
}

// takeBack returns a payment. What had been sent out of it is owed (F16).
func (p *player) takeBack(payment string) string {
	out := money.Amount(0)
	for _, e := range p.events {
		if e.Kind == EventPaymentRefund && e.Payment == payment {
			out += e.Amount
		}
	}
	if missed := p.record("RETURN", p.today.String(), Event{Kind: EventReturn, Payment: payment, Amount: out}); missed != "" {
		return missed
	}
	return ""
}

// chargeBack is a return of the whole payment, or otherwise a refund of part of it (F35).
func (p *player) chargeBack(st step) string {
	nth, _ := strconv.Atoi(st.PaymentNr)
	var payments, downs []*deed
	for i := range p.deeds {
		switch d := &p.deeds[i]; d.kind {
		case "REPAYMENT":
			payments = append(payments, d)
		case "DOWN_PAYMENT":
			downs = append(downs, d)
		}
	}
	if len(payments) == 0 {
		payments = downs
	}
	if nth > len(payments) {
		return "what is charged back is not there"
	}
	d, missed := payments[nth-1], ""
	if d.was, d.returned = p.portions(d.id), true; cents(st.Amount) == d.amount {
		missed = p.takeBack(d.id)
	} else {
		missed = p.record("RETURN", p.today.String(), Event{Kind: EventPaymentRefund, Payment: d.id, Amount: cents(st.Amount)})
	}
	back := &p.deeds[len(p.deeds)-1]
	back.kind, back.amount = "CHARGEBACK", cents(st.Amount)
	return missed
}

// portions is how an event's money is currently used.
func (p *player) portions(id string) portions {
	var out portions
	for _, e := range p.effects {
		if e.Cause != id && !slices.Contains(p.joined[id], e.Cause) {
			continue
		}
		switch e.Kind {
		case EffectApplied, EffectRefunded, EffectReopened, EffectChargedOff:
			out.principal += sum(e.Parts, ItemPrincipal)
			out.charge += sum(e.Parts, ItemCharge)
			out.fees += sum(e.Parts, ItemFee) + sum(e.Parts, ItemOther)
			out.credit += e.Credit
		}
	}
	return out
}

func (p *player) view() View { return p.portfolio.Loans[0].View(max(p.today, p.start)) }
