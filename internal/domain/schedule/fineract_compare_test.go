package schedule

import (
	"fmt"
	"slices"
	"strings"

	"tenor/internal/domain/money"
)

// expect compares what a scenario shows with the loan's current state.
func (p *player) expect(st step) string {
	if p.portfolio == nil {
		return p.expectBefore(st)
	}
	missed := ""
	switch st.Op {
	case "expect_schedule":
		missed = p.expectSchedule(st)
	case "expect_total":
		missed = p.expectTotal(st)
	case "expect_transactions":
		missed = p.expectTransactions(st)
	case "expect_charges":
		missed = p.expectCharges(st)
	case "expect_status":
		missed = p.expectStatus(st.Status)
	case "expect_outstanding":
		missed = differs("outstanding", p.view().Remaining, cents(st.Amount))
	case "expect_overpaid":
		missed = differs("overpaid", p.balances()[2], cents(st.Amount))
	case "expect_journal":
		missed = p.expectJournal(st)
	case "expect_delinquency":
		missed = p.expectDelinquency(st)
	case "expect_delinquency_data":
		missed = p.expectDelinquencyData(st)
	case "expect_pause_periods":
		missed = p.expectPauses(st.Rows)
	default:
		return "there is no " + st.Op
	}
	p.compared++
	return missed
}

// expectBefore compares what is shown before the loan exists: the rows that a disbursement on
// the application day would create.
func (p *player) expectBefore(st step) string {
	switch st.Op {
	case "expect_schedule", "expect_total":
		q := &player{sc: p.sc, created: p.created, given: p.given, rows: true, uses: true, today: p.today, start: p.today}
		q.created.Product = strings.ReplaceAll(q.created.Product, "_AUTO", "")
		if missed := q.lay(cents(p.created.Principal)); missed != "" {
			return missed
		}
		if missed := q.replay(); missed != "" {
			return missed
		}
		missed := q.expect(st)
		p.compared += q.compared
		return missed
	case "expect_status":
		if st.Status == "Approved" {
			return ""
		}
	}
	return st.Op + " before the loan"
}

func differs[T comparable](what string, got, want T) string {
	if got != want {
		return fmt.Sprintf("%s is %v here, %v there", what, got, want)
	}
	return ""
}

// first is the first text that is not empty.
func first(texts ...string) string {
	for _, t := range texts {
		if t != "" {
			return t
		}
	}
	return ""
}

// shown are a row's figures in the scenario's columns.
type shown struct {
	date, paidOn                                                          string
	principal, charge, fees, due, paid, early, late, outstanding, balance money.Amount
}

func (p *player) expectSchedule(st step) string {
	rows := installments(st.Rows)
	if !p.rows {
		p.compared--
		return ""
	}
	ours := p.shownRows()
	if len(rows) != len(ours) {
		return fmt.Sprintf("%d rows here, %d there", len(ours), len(rows))
	}
	for i, r := range rows {
		there := shown{date: text(r, "date"), paidOn: text(r, "paid_date")}
		there.principal, _ = value(r, "principal")
		there.charge, _ = value(r, "interest")
		there.fees, _ = value(r, "fees", "penalties")
		there.due, _ = value(r, "due")
		there.paid, _ = value(r, "paid")
		there.early, _ = value(r, "in_advance")
		there.late, _ = value(r, "late")
		there.outstanding, _ = value(r, "outstanding")
		there.balance, _ = value(r, "balance")
		here := ours[i]
		if there.due == 0 {
			there.paidOn = "" // nothing is left of the row, so nothing is paid here
		}
		if p.refunded() { // a refund is shown there as paid, here it takes principal off (F13)
			here = shown{date: here.date, charge: here.charge, fees: here.fees, outstanding: here.outstanding}
			there = shown{date: there.date, charge: there.charge, fees: there.fees, outstanding: there.outstanding}
		}
		if there.fees != 0 { // whether a fee counts as early or late there differs between products
			here.early, here.late, there.early, there.late = 0, 0, 0, 0
		}
		if here != there {
			return fmt.Sprintf("row %d is %+v here, %+v there", i+1, here, there)
		}
	}
	return ""
}

func (p *player) refunded() bool { return p.portfolio.Loans[0].Refunded > 0 }

func (p *player) shownRows() []shown {
	var rows []shown
	for _, r := range p.view().Rows {
		s := shown{
			date: r.DueDate.String(), principal: r.Principal, charge: r.Charge, fees: r.Fees, due: r.Amount + r.Fees,
			paid: r.Paid, outstanding: r.Outstanding, balance: r.Remaining,
		}
		s.early, s.late, s.paidOn = p.timing(r)
		rows = append(rows, s)
	}
	return rows
}

// timing is what was paid on a row before and after its due date, and the day of the last
// payment if it is paid in full.
func (p *player) timing(r RowView) (early, late money.Amount, last string) {
	for _, e := range p.effects {
		if e.Kind != EffectApplied && e.Kind != EffectCreditApplied {
			continue
		}
		for _, part := range e.Parts {
			switch {
			case part.Installment != r.Number:
				continue
			case e.Date < r.DueDate:
				early += part.Amount
			case e.Date > r.DueDate:
				late += part.Amount
			}
			last = e.Date.String()
		}
	}
	if r.Outstanding > 0 {
		last = ""
	}
	return early, late, last
}

func (p *player) expectTotal(st step) string {
	outstanding, _ := value(st.Row, "outstanding")
	missed := differs("outstanding", p.view().Remaining, outstanding)
	if !p.uses || missed != "" {
		return missed
	}
	var sum shown
	for _, r := range p.shownRows() {
		sum.principal += r.principal
		sum.charge += r.charge
		sum.fees += r.fees
		sum.due += r.due
		sum.paid += r.paid
		sum.early += r.early
		sum.late += r.late
	}
	here := []money.Amount{sum.principal, sum.charge, sum.fees, sum.due, sum.paid, sum.early, sum.late}
	for i, keys := range [][]string{{"principal"}, {"interest"}, {"fees", "penalties"}, {"due"}, {"paid"}, {"in_advance"}, {"late"}} {
		if p.refunded() && i != 1 && i != 2 || i > 4 && sum.fees > 0 {
			continue
		}
		if there, ok := value(st.Row, keys...); ok && here[i] != there {
			return differs("total "+keys[0], here[i], there)
		}
	}
	return ""
}

// used is a transaction in the scenario's columns.
type used struct {
	date, kind                                       string
	amount, principal, charge, fees, credit, balance money.Amount
	undone                                           bool
}

// expectTransactions compares the list of transactions: day, kind, amount, how it was used,
// and the remaining principal. Accruals are ledger entries here.
func (p *player) expectTransactions(st step) string {
	if !p.uses {
		p.compared--
		return ""
	}
	rows := slices.DeleteFunc(slices.Clone(st.Rows), func(r map[string]*string) bool { return text(r, "transaction_type") == "Accrual" })
	ours := p.used()
	if len(rows) != len(ours) {
		return fmt.Sprintf("%d transactions here, %d there", len(ours), len(rows))
	}
	credits := slices.ContainsFunc(rows, func(r map[string]*string) bool { return text(r, "overpayment") != "" })
	for i, r := range rows {
		there := used{date: text(r, "transaction_date"), undone: text(r, "reverted") == "true"}
		there.kind = strings.ToUpper(strings.NewReplacer(" ", "_", "-", "_").Replace(text(r, "transaction_type")))
		there.amount, _ = value(r, "amount")
		there.principal, _ = value(r, "principal")
		there.charge, _ = value(r, "interest")
		there.fees, _ = value(r, "fees", "penalties")
		there.credit, _ = value(r, "overpayment")
		there.balance, _ = value(r, "loan_balance")
		here := ours[i]
		if here.undone && text(r, "reverted") == "" { // stated in a separate step
			there.undone = true
		}
		if here.undone || text(r, "loan_balance") == "" {
			here.balance, there.balance = 0, 0
		}
		if !credits {
			here.credit = 0
		}
		if here != there {
			return fmt.Sprintf("transaction %d is %+v here, %+v there", i+1, here, there)
		}
	}
	return ""
}

// used lists the transactions by day. What was undone is shown as it was then.
func (p *player) used() []used {
	deeds := slices.DeleteFunc(slices.Clone(p.deeds), func(d deed) bool {
		return slices.Contains([]string{"CHARGE", "RETURN", "WAIVER", "RESCHEDULE"}, d.kind) || d.date > p.today
	})
	slices.SortStableFunc(deeds, func(a, b deed) int { return int(a.date) - int(b.date) })
	var list []used
	balance := money.Amount(0)
	for _, d := range deeds {
		u := p.portions(d.id)
		switch {
		case d.kind == "DISBURSEMENT":
			u, balance = portions{}, d.amount
		case d.undone:
			u = d.was
		case d.returned:
			u = d.was
			balance -= u.principal
		case d.kind == "CHARGEBACK":
			u = portions{principal: d.moved[0], fees: d.moved[1], credit: -d.moved[2]}
			balance += u.principal
		case d.kind == "CREDIT_BALANCE_REFUND":
			balance += u.principal
		case d.kind == "RE_AMORTIZE": // it is shown there with what it moved, and without a balance
			d.amount = p.movedBy(d.date)
			list = append(list, used{date: d.date.String(), kind: d.kind, amount: d.amount, principal: d.amount})
			continue
		case d.kind == "CHARGE_OFF":
			d.amount = u.principal + u.charge + u.fees
			balance -= u.principal
		default:
			balance -= u.principal
		}
		list = append(list, used{d.date.String(), d.kind, d.amount, u.principal, u.charge, u.fees, u.credit, balance, d.undone})
	}
	return list
}

func (p *player) expectCharges(st step) string {
	if !p.uses {
		p.compared--
		return ""
	}
	var here, there []string
	for _, f := range p.portfolio.Loans[0].Fees {
		due := f.Date
		for _, d := range p.deeds {
			if d.id == f.ID {
				due = d.due
			}
		}
		here = append(here, fmt.Sprintf("%s %s paid %s left %s", due, f.Amount, f.Paid, f.Unpaid()))
	}
	for _, r := range st.Rows {
		due, _ := value(r, "Due")
		paid, _ := value(r, "Paid")
		left, _ := value(r, "Outstanding")
		waived, _ := value(r, "Waived")
		due -= waived // a waived part is no longer part of the fee
		there = append(there, fmt.Sprintf("%s %s paid %s left %s", text(r, "Due as of"), due, paid, left))
	}
	slices.Sort(here)
	slices.Sort(there)
	return differs("fees", strings.Join(here, "; "), strings.Join(there, "; "))
}

func (p *player) expectStatus(there string) string {
	here := "ACTIVE"
	if b := p.balances(); p.view().Remaining == 0 {
		if here = "CLOSED_OBLIGATIONS_MET"; b[2] > 0 {
			here = "OVERPAID"
		}
	}
	there = strings.ToUpper(there)
	if there == "CLOSED (OBLIGATIONS MET)" {
		there = "CLOSED_OBLIGATIONS_MET"
	}
	return differs("status", here, there)
}

// expectJournal compares what a transaction did to the receivables and to credit. Its other
// legs, suspense there and cash or clearing here, follow from the balance.
func (p *player) expectJournal(st step) string {
	if st.Transaction == "ACCRUAL" { // a fee is income here when assessed, there later
		p.compared--
		return ""
	}
	nth := 0
	for i, earlier := range p.sc.Steps[:p.at] {
		if earlier.Op == st.Op && earlier.Transaction == st.Transaction && earlier.Date == st.Date && i < p.at-1 && !p.moneyBetween(i) {
			nth++
		}
	}
	for _, d := range p.deeds {
		if d.kind != st.Transaction || d.date != day(st.Date) {
			continue
		}
		if nth--; nth >= 0 {
			continue
		}
		here, there := p.posted(d), entry{}
		for _, r := range st.Rows {
			debit, _ := value(r, "debit")
			credit, _ := value(r, "credit")
			there.add(text(r, "code"), debit-credit)
		}
		return differs(st.Transaction+" entry", here, there)
	}
	return "there is no " + st.Transaction + " of " + st.Date
}

// moneyBetween reports whether anything happened between a step and the current one, in which
// case the scenario shows its journals again.
func (p *player) moneyBetween(i int) bool {
	return slices.ContainsFunc(p.sc.Steps[i:p.at], func(st step) bool { return !strings.HasPrefix(st.Op, "expect_") })
}

// entry is what an entry debits (+) or credits (−): loans, charge and fees receivable, the
// borrower's credit, losses and recoveries, waived income.
type entry struct{ principal, receivable, credit, loss, income money.Amount }

func (e *entry) add(code string, x money.Amount) {
	switch code {
	case "112601":
		e.principal += x
	case "112603":
		e.receivable += x
	case "l1":
		e.credit += x
	case "744007", "744037", "744008":
		e.loss += x
	case "404001", "404008":
		e.income += x
	}
}

// posted is the entry that results from a transaction's effects.
func (p *player) posted(d deed) entry {
	u := p.portions(d.id)
	if d.returned {
		u = d.was
	}
	switch {
	case d.undone:
		return entry{}
	case d.kind == "DISBURSEMENT":
		return entry{principal: d.amount}
	case d.kind == "CHARGEBACK":
		return entry{principal: d.moved[0], receivable: d.moved[1], credit: -d.moved[2]}
	case d.kind == "CREDIT_BALANCE_REFUND":
		return entry{principal: u.principal, receivable: u.charge + u.fees, credit: u.credit}
	case d.kind == "CHARGE_OFF":
		return entry{principal: -u.principal, receivable: -u.charge - u.fees, loss: u.principal, income: u.charge + u.fees}
	case p.lostBefore(d.id):
		return entry{loss: -u.principal - u.charge - u.fees, credit: -u.credit}
	}
	return entry{principal: -u.principal, receivable: -u.charge - u.fees, credit: -u.credit}
}

// lostBefore reports whether an event comes after the charge-off.
func (p *player) lostBefore(id string) bool {
	lost := false
	for _, e := range p.effects {
		if e.Kind == EffectChargedOff {
			lost = true
		}
		if e.Cause == id {
			return lost
		}
	}
	return false
}
