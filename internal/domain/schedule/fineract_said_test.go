package schedule

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// said plays a step that the scenario's authors left in free text.
func (p *player) said(st step) string {
	pause := regexp.MustCompile(`DELINQUENCY PAUSE with startDate: "(.*)" and endDate: "(.*)"`)
	resume := regexp.MustCompile(`initiate a DELINQUENCY RESUME with startDate: "(.*)"`)
	batch := regexp.MustCompile(`rescheduleLoan from "(.*?)" to "(.*?)"`)
	silent := regexp.MustCompile(`^(Admin runs .*job.*|Admin can successfully set Fraud flag.*|Loan marked as charged-off on .*|` +
		`On Loan Transactions tab the "Repayment" Transaction .* is reverted|Delinquency-actions have the following data:|` +
		`Installment level delinquency event has correct data|Initiating a DELINQUENCY RESUME on a non-active loan results an error.*|` +
		`Loan's actualMaturityDate is .*|Charge-off undo is not possible on .*)$`)
	switch {
	case pause.MatchString(st.Text):
		m := pause.FindStringSubmatch(st.Text)
		p.held = append(p.held, Span{longDay(m[1]), longDay(m[2])})
		return ""
	case resume.MatchString(st.Text):
		p.held[len(p.held)-1].To = longDay(resume.FindStringSubmatch(st.Text)[1])
		return ""
	case strings.Contains(st.Text, "creates a Loan re-amortization"):
		return p.reamortize()
	case strings.Contains(st.Text, "Loan reschedule with"):
		r := st.Table[0]
		if text(r, "extraTerms")+text(r, "newInterestRate")+text(r, "graceOnPrincipal")+text(r, "graceOnInterest") != "" {
			return "the number of rows or the rate changes"
		}
		return p.reschedule(longDay(text(r, "rescheduleFromDate")), longDay(text(r, "adjustedDueDate")))
	case batch.MatchString(st.Text):
		m := batch.FindStringSubmatch(st.Text)
		return p.reschedule(longDay(m[1]), longDay(m[2]))
	case strings.HasPrefix(st.Text, "Admin waives"):
		i := slices.IndexFunc(p.deeds, func(d deed) bool { return d.kind == "CHARGE" })
		return p.record("WAIVER", p.today.String(), Event{Kind: EventWaiver, FeeID: p.deeds[i].id})
	case silent.MatchString(st.Text):
		return ""
	case strings.HasPrefix(st.Text, "Loan Transactions tab has") && slices.Contains([]string{"Accrual", "Chargeback"}, text(st.Table[0], "Transaction Type")):
		return ""
	}
	return p.shows(st)
}

// reschedule moves the row that is due on a day, and the rows after it (F4).
func (p *player) reschedule(from, to calendar.Date) string {
	k := slices.IndexFunc(p.portfolio.Loans[0].Rows, func(r Row) bool { return r.DueDate == from })
	return p.record("RESCHEDULE", p.today.String(), Event{Kind: EventReschedule, Installment: k + 1, Due: to})
}

// reamortize spreads what is unpaid over the remaining rows (F9).
func (p *player) reamortize() string {
	level, overdue, err := p.portfolio.Loans[0].Reamortized()
	if err != nil {
		return err.Error()
	}
	return p.record("RE_AMORTIZE", p.today.String(), Event{Kind: EventReamortize, Amount: overdue, Level: level})
}

// movedBy is the principal that a reamortization on a day has taken out of rows due by then.
func (p *player) movedBy(on calendar.Date) money.Amount {
	sum := money.Amount(0)
	for i, r := range p.portfolio.Loans[0].Rows {
		if r.DueDate <= on {
			sum += p.base.Rows[i].Principal - r.Principal
		}
	}
	return sum
}

// shows compares what a free-text step shows.
func (p *player) shows(st step) string {
	missed := "there is no step like: " + st.Text
	switch {
	case strings.HasPrefix(st.Text, "INSTALLMENT level delinquency is null"):
		missed = p.expectRanges(nil)
	case strings.HasPrefix(st.Text, "LoanAccountDelinquencyRangeDataV1 has"):
		missed = differs("range", rangeOf(p.lateDays()), strings.Split(st.Text, `"`)[1])
	case st.Text == "Loan has 1000 total overdue amount":
		missed = differs("past due", p.view().PastDue, cents("1000.00"))
	case st.Text == "Loan's all installments have obligations met":
		missed = differs("remaining", p.view().Remaining, 0)
	case strings.HasPrefix(st.Text, "Loan charge transaction") && strings.Contains(st.Text, "CHARGED_OFF"):
		before := p.view().Remaining
		if missed = p.record("CHARGE", p.today.String(), Event{Kind: EventFee, Fee: ReturnedPaymentFee, Amount: 1000}); missed == "" {
			missed = differs("a fee after the charge-off", p.view().Remaining-before, 0)
		}
	default:
		return missed
	}
	p.compared++
	return missed
}

// longDay reads "16 October 2023".
func longDay(long string) calendar.Date {
	d, err := time.Parse("2 January 2006", long)
	if err != nil {
		panic(err)
	}
	return day(d.Format(time.DateOnly))
}
