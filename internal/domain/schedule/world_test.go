package schedule

import (
	"cmp"
	"fmt"
	"slices"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// books posts effects by the rules of F39, as simply as possible, per order. Debits are
// positive.
type books map[string]money.Amount

func (b books) post(order string, account int, amount money.Amount) {
	if amount != 0 {
		b[fmt.Sprintf("%s %d", order, account)] += amount
	}
}

func (b books) get(order string, account int) money.Amount {
	return b[fmt.Sprintf("%s %d", order, account)]
}

// Company accounts are kept under the empty order.
const (
	principalAccount = 1100
	chargeAccount    = 1110
	feesAccount      = 1120
	otherAccount     = 1130
	merchantAccount  = 2000
	creditAccount    = 2100
	outAccount       = 2110
	lostAccount      = 9020
	pendingAccount   = 2120
	unearnedAccount  = 2200
	incomeAccount    = 4000
	feeIncome        = 4020
	concessions      = 5200
)

func accountOf(item Item) int {
	return map[Item]int{ItemPrincipal: principalAccount, ItemCharge: chargeAccount, ItemFee: feesAccount, ItemOther: otherAccount}[item]
}

// capture books a new loan.
func (b books) capture(l *Loan) {
	b.post(l.Key, principalAccount, l.Terms.Principal)
	b.post("", merchantAccount, -l.Terms.Principal)
	if l.flat() {
		for _, r := range l.Rows {
			b.post(l.Key, chargeAccount, r.Charge)
			b.post(l.Key, unearnedAccount, -r.Charge)
		}
	}
}

func (b books) effect(p *Portfolio, e Effect) {
	items := func(sign money.Amount) {
		for _, part := range e.Parts {
			account := accountOf(part.Item)
			if b.lost(part.Order) {
				account = lostAccount
			}
			b.post(part.Order, account, sign*part.Amount)
		}
	}
	total := partsTotal(e.Parts)
	switch e.Kind {
	case EffectAccrued:
		debit := chargeAccount
		if p.Loan(e.Order).flat() {
			debit = unearnedAccount
		}
		b.post(e.Order, debit, e.Amount)
		b.post(e.Order, incomeAccount, -e.Amount)
	case EffectApplied:
		b.post("", pendingAccount, total+e.Credit)
		items(-1)
		b.post("", creditAccount, -e.Credit)
	case EffectCreditApplied:
		b.post("", creditAccount, total)
		items(-1)
	case EffectRefunded:
		b.post("", merchantAccount, total+e.Credit)
		items(-1)
		b.post("", creditAccount, -e.Credit)
	case EffectRebated:
		b.post(e.Order, unearnedAccount, e.Amount+e.Credit)
		b.post(e.Order, chargeAccount, -e.Amount)
		b.post("", creditAccount, -e.Credit)
	case EffectWaived:
		b.post(e.Order, concessions, total)
		items(-1)
	case EffectReopened:
		items(1)
		b.post("", creditAccount, e.Credit)
		b.post("", outAccount, -total-e.Credit)
	case EffectFee:
		items(1)
		b.post(e.Order, feeIncome, -total)
	case EffectChargedOff:
		items(-1)
		b[e.Order+" lost"] = 1
		items(+1)
	}
}

// lost reports whether an order has been charged off.
func (b books) lost(order string) bool { return b[order+" lost"] == 1 }

// agree compares the books with the portfolio (SC4, F40.7).
func (b books) agree(p *Portfolio) error {
	credits := money.Amount(0)
	for _, c := range p.Credits {
		if c.Amount <= 0 {
			return fmt.Errorf("credit %+v", c)
		}
		credits += c.Amount
	}
	if -b.get("", creditAccount) != credits {
		return fmt.Errorf("2100 %s, credits %s", b.get("", creditAccount), credits)
	}
	for _, l := range p.Loans {
		fees, others := money.Amount(0), money.Amount(0)
		for _, f := range l.Fees {
			if f.Kind == OtherReceivable {
				others += f.Unpaid()
			} else {
				fees += f.Unpaid()
			}
		}
		charge, unearned := l.booked()
		if l.ChargedOff != b.lost(l.Key) {
			return fmt.Errorf("%s: charged off %t", l.Key, l.ChargedOff)
		}
		if l.ChargedOff {
			if got, all := b.get(l.Key, lostAccount), l.UnpaidPrincipal()+fees+others+charge; got != all || unearned != 0 {
				return fmt.Errorf("%s: %s of %s is charged off, %s unearned", l.Key, got, all, unearned)
			}
			continue
		}
		for account, expected := range map[int]money.Amount{
			principalAccount: l.UnpaidPrincipal(), feesAccount: fees, otherAccount: others,
			chargeAccount: charge, unearnedAccount: -unearned,
		} {
			if got := b.get(l.Key, account); got != expected {
				return fmt.Errorf("%s: %d is %s, want %s", l.Key, account, got, expected)
			}
		}
		if charge < 0 || unearned < 0 {
			return fmt.Errorf("%s: charge receivable %s, unearned %s", l.Key, charge, unearned)
		}
	}
	return nil
}

// booked is the expected balance of 1110 and 2200: posted unpaid charge, and the part of a
// flat fee that is not posted as income.
func (l *Loan) booked() (receivable, unearned money.Amount) {
	for i, r := range l.Rows {
		if l.flat() {
			receivable += r.Charge - r.PaidCharge
			unearned += r.Charge - r.Recognised
		} else {
			receivable += r.Recognised - r.PaidCharge
			if i+1 == l.Current {
				continue
			}
		}
	}
	return receivable - l.Waived, unearned
}

// amount draws from the whole range or from its small end: rapid's own integers are nearly all
// small.
func amount(t *rapid.T, label string, lo, hi int64) money.Amount {
	if rapid.Bool().Draw(t, label+" small") {
		return money.Amount(rapid.Int64Range(lo, hi).Draw(t, label))
	}
	part := int64(0)
	for range 6 {
		part = part*10 + rapid.SampledFrom([]int64{0, 1, 2, 3, 4, 5, 6, 7, 8, 9}).Draw(t, label+" digit")
	}
	return money.Amount(lo + (hi-lo)*part/999_999)
}

// drawTerms draws terms that are accepted.
func drawTerms(t *rapid.T, label string) Terms {
	for try := 0; ; try++ {
		terms := Terms{
			Plan:         rapid.SampledFrom([]Plan{Amortized, Amortized, FlatFee, FlatFee, Zero, Net30}).Draw(t, label+"plan"),
			Principal:    amount(t, label+"principal", 100, 2_500_000),
			Installments: rapid.IntRange(1, 12).Draw(t, label+"installments"),
			CaptureDate:  day("2026-01-01") + calendar.Date(rapid.IntRange(0, 90).Draw(t, label+"captured")),
		}
		switch terms.Plan {
		case Amortized:
			terms.AnnualRate = money.Rate(amount(t, label+"rate", 0, 600_000))
			terms.DayCount = rapid.SampledFrom([]DayCount{"", "", "", Thirty360US, Thirty360Bond, Actual365, ActualActual}).Draw(t, label+"count")
		case FlatFee:
			terms.MonthlyFeeRate = money.Rate(amount(t, label+"rate", 0, 200_000))
		case Net30:
			terms.Installments = 1
		}
		if rapid.IntRange(0, 3).Draw(t, label+"odd") == 0 {
			terms.DueDay = rapid.IntRange(1, 31).Draw(t, label+"due day")
		}
		terms.MonthEnd = rapid.IntRange(0, 2).Draw(t, label+"month end") == 0
		if _, err := New("", 0, terms); err == nil {
			return terms
		}
	}
}

// history is a random list of events in recording order. Dates are independent of it: a
// payment may be dated before events recorded earlier.
type history struct {
	events   []Event
	terms    map[string]Terms
	refunded map[string]money.Amount // by order
	left     map[string]money.Amount // by payment: not refunded
	payments []Event
	fees     []Event
}

func drawHistory(t *rapid.T, inOrder bool) *history {
	h := &history{terms: map[string]Terms{}, refunded: map[string]money.Amount{}, left: map[string]money.Amount{}}
	for i := range rapid.IntRange(1, 3).Draw(t, "loans") {
		key := string(rune('A' + i))
		h.terms[key] = drawTerms(t, key+" ")
		h.add(Event{Kind: EventCapture, ID: key, Order: key, Date: h.terms[key].CaptureDate,
			CapturedAt: int64(h.terms[key].CaptureDate) * 86400e6, Terms: h.terms[key]})
	}
	if inOrder {
		slices.SortStableFunc(h.events, func(a, b Event) int { return cmp.Compare(a.Date, b.Date) })
		for i := range h.events {
			h.events[i].Seq = int64(i + 1)
		}
	}
	now := h.events[len(h.events)-1].Date
	for _, e := range h.events {
		now = max(now, e.Date)
	}
	for range rapid.IntRange(1, 16).Draw(t, "events") {
		now += calendar.Date(rapid.IntRange(0, 40).Draw(t, "days"))
		h.draw(t, now, inOrder)
	}
	return h
}

// last is the latest date of any event.
func (h *history) last() calendar.Date {
	last := h.events[0].Date
	for _, e := range h.events {
		last = max(last, e.Date)
	}
	return last
}

func (h *history) add(e Event) {
	e.Seq = int64(len(h.events) + 1)
	if e.ID == "" {
		e.ID = fmt.Sprintf("e%d", e.Seq)
	}
	h.events = append(h.events, e)
	switch e.Kind {
	case EventPayment:
		h.payments = append(h.payments, e)
		h.left[e.ID] = e.Amount
	case EventFee:
		h.fees = append(h.fees, e)
	}
}

func (h *history) draw(t *rapid.T, now calendar.Date, inOrder bool) {
	order := string(rune('A' + rapid.IntRange(0, len(h.terms)-1).Draw(t, "order")))
	captured := h.terms[order].Principal
	kind := rapid.IntRange(0, 22).Draw(t, "kind")
	switch {
	case kind > 19:
		h.drawRevision(t, now, order)
	case kind < 11:
		h.drawPayment(t, now, order, inOrder)
	case kind < 14:
		if room := captured - h.refunded[order]; room > 0 {
			x := amount(t, "refund", 1, int64(room))
			if rapid.IntRange(0, 3).Draw(t, "all") == 0 {
				x = room
			}
			h.refunded[order] += x
			h.add(Event{Kind: EventRefund, Order: order, Date: now, Amount: x, WaiveCharge: x == captured && now <= h.terms[order].CaptureDate+1})
		}
	case kind < 16:
		if len(h.payments) > 0 && len(h.refunded) == 0 { // what a refund may have freed is not refunded again (F41.3)
			p := rapid.SampledFrom(h.payments).Draw(t, "payment")
			if h.left[p.ID] > 0 {
				x := amount(t, "part", 1, int64(h.left[p.ID]))
				h.left[p.ID] -= x
				h.add(Event{Kind: EventPaymentRefund, Order: cmp.Or(p.Order, "A"), Payment: p.ID, Date: now, Amount: x})
			}
		}
	case kind < 18:
		h.add(Event{Kind: EventFee, Order: order, Date: now, Fee: rapid.SampledFrom([]FeeKind{LateFeeKind, ReturnedPaymentFee}).Draw(t, "fee"),
			Installment: rapid.IntRange(1, h.terms[order].Installments).Draw(t, "row"), Amount: 2500})
	case kind < 19:
		if len(h.fees) > 0 {
			f := rapid.SampledFrom(h.fees).Draw(t, "waived")
			h.add(Event{Kind: EventWaiver, Order: f.Order, FeeID: f.ID, Date: now})
		}
	case rapid.IntRange(0, 2).Draw(t, "charge off") == 0:
		h.add(Event{Kind: EventChargeOff, Order: order, Date: now})
	case !inOrder && len(h.payments) > 0:
		p := rapid.SampledFrom(h.payments).Draw(t, "returned")
		gone := p.Amount - h.left[p.ID]
		h.left[p.ID] = 0
		if !slices.ContainsFunc(h.events, func(e Event) bool { return e.Kind == EventReturn && e.Payment == p.ID }) {
			h.add(Event{Kind: EventReturn, Order: cmp.Or(p.Order, "A"), Payment: p.ID, Date: now, Amount: gone})
		}
	}
}

func (h *history) drawPayment(t *rapid.T, now calendar.Date, order string, inOrder bool) {
	e := Event{Kind: EventPayment, Order: order, Date: now}
	e.Amount = amount(t, "amount", 1, int64(h.terms[order].Principal)/int64(rapid.IntRange(1, 8).Draw(t, "share"))*3/2+1)
	first := h.terms[order].CaptureDate
	if rapid.IntRange(0, 5).Draw(t, "cent") == 0 {
		e.Amount = 1
	}
	switch rapid.IntRange(0, 5).Draw(t, "payment") {
	case 0:
		e.Order, first = "", 0
		for _, terms := range h.terms {
			first = max(first, terms.CaptureDate)
		}
		if rapid.Bool().Draw(t, "scope") {
			e.Scope = []string{order, "A"}
		}
	case 1:
		e.Hold = true
	case 2:
		e.Earmark = []Ref{{Order: order, Installment: rapid.IntRange(1, h.terms[order].Installments).Draw(t, "row")}}
		if len(h.fees) > 0 {
			f := rapid.SampledFrom(h.fees).Draw(t, "fee")
			e.Earmark = append(e.Earmark, Ref{Order: order, Fee: f.ID})
		}
	}
	if !inOrder && rapid.Bool().Draw(t, "late") {
		e.Date = first + calendar.Date(rapid.IntRange(0, int(now-first)).Draw(t, "back"))
	}
	h.add(e)
}

// drawRevision moves rows that are not yet due, or spreads what is unpaid over them, based on
// the loan's current state.
func (h *history) drawRevision(t *rapid.T, now calendar.Date, order string) {
	p, _ := Replay(h.events, now)
	l := p.Loan(order)
	if l == nil || l.running() == nil {
		return
	}
	if rapid.Bool().Draw(t, "reamortize") {
		if level, overdue, err := l.Reamortized(); err == nil {
			h.add(Event{Kind: EventReamortize, Order: order, Date: now, Amount: overdue, Level: level})
		}
		return
	}
	k := rapid.IntRange(l.Current, len(l.Rows)).Draw(t, "moved row")
	first := max(l.start(k), now) + 1
	due := first + calendar.Date(rapid.IntRange(0, int(l.Rows[k-1].DueDate+92-first)).Draw(t, "moved to"))
	h.add(Event{Kind: EventReschedule, Order: order, Date: now, Installment: k, Due: due})
}
