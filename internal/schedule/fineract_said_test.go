package schedule

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"tenor/internal/calendar"
)

// said plays a step that the scenario's authors did not put into a form.
func (p *player) said(st step) string {
	pause := regexp.MustCompile(`DELINQUENCY PAUSE with startDate: "(.*)" and endDate: "(.*)"`)
	resume := regexp.MustCompile(`initiate a DELINQUENCY RESUME with startDate: "(.*)"`)
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

// shows compares what a free step shows.
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
	d, err := time.Parse("02 January 2006", long)
	if err != nil {
		panic(err)
	}
	return day(d.Format(time.DateOnly))
}
