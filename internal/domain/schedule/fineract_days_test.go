package schedule

import (
	"fmt"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// grace is the number of days that the scenarios deduct before they report delinquency. Here
// days past due count from the due date (F10).
const grace = 3

// expectDelinquency compares the day from which a loan is delinquent there with the due date
// of the oldest row past due here.
func (p *player) expectDelinquency(st step) string {
	if st.Range == "NO_DELINQUENCY" {
		return differs("delinquent", p.lateDays() > 0, false)
	}
	if missed := differs("delinquent since", p.oldest().String(), st.Date); missed != "" {
		return missed
	}
	return differs("range", rangeOf(p.lateDays()), st.Range)
}

// oldest is the due date of the oldest row past due, plus the grace days.
func (p *player) oldest() calendar.Date {
	for _, r := range p.view().Rows {
		if r.DueDate < p.today && r.Outstanding > 0 {
			return r.DueDate.AddDays(grace)
		}
	}
	return calendar.None
}

// lateDays are the days past due after deducting holds and grace.
func (p *player) lateDays() int {
	return max(0, p.portfolio.Loans[0].DPDRelieved(p.today, Relief{Held: p.held})-grace)
}

// rangeOf is the scenarios' name for a number of days past due.
func rangeOf(days int) string {
	switch {
	case days < 1:
		return "NO_DELINQUENCY"
	case days < 4:
		return "RANGE_1"
	case days < 31:
		return "RANGE_3"
	case days < 61:
		return "RANGE_30"
	case days < 91:
		return "RANGE_60"
	}
	return "RANGE_90"
}

func (p *player) expectDelinquencyData(st step) string {
	if st.Level == "INSTALLMENT" {
		return p.expectRanges(st.Rows)
	}
	r := st.Rows[0]
	past, _ := value(r, "delinquentAmount")
	since := first(p.oldest().String(), "null")
	return first(
		differs("past due amount", p.view().PastDue, past),
		differs("days past due", fmt.Sprint(p.portfolio.Loans[0].DPD(p.today)), text(r, "pastDueDays")),
		differs("days without holds", fmt.Sprint(p.lateDays()), text(r, "delinquentDays")),
		differs("delinquent since", since, text(r, "delinquentDate")),
	)
}

// expectRanges compares what is past due in each of the scenarios' ranges. Single rows have no
// grace.
func (p *player) expectRanges(rows []map[string]*string) string {
	here, there := map[string]money.Amount{}, map[string]money.Amount{}
	for i, r := range p.portfolio.Loans[0].Rows {
		days := Relief{Held: p.held}.Late(r, p.today)
		if name := rangeOf(days); name != "NO_DELINQUENCY" {
			here[name] += p.view().Rows[i].Outstanding
		}
	}
	for _, r := range rows {
		v, _ := value(r, "Amount")
		there[text(r, "Range")] += v
	}
	return differs("ranges", fmt.Sprint(here), fmt.Sprint(there))
}

func (p *player) expectPauses(rows []map[string]*string) string {
	var here, there []string
	for _, s := range p.held {
		here = append(here, fmt.Sprintf("%s %s %t", s.From, s.To, s.From <= p.today && p.today <= s.To))
	}
	for _, r := range rows {
		there = append(there, fmt.Sprintf("%s %s %s", text(r, "pausePeriodStart"), text(r, "pausePeriodEnd"), text(r, "active")))
	}
	return differs("holds", strings.Join(here, "; "), strings.Join(there, "; "))
}
