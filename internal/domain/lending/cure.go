package lending

import "tenor/internal/domain/credit"

// lateness counts a company's late orders as one of them becomes late or ceases to be. When
// none is left, a suspension for lateness ends on its own (F26), unless a name of the company
// is under review (F29). Whether the money that paid is good is checked at the end of the
// command.
func lateness(d *credit.Draft, o *credit.Order, now credit.FinancingStatus) {
	if (o.Financing == credit.FinancingOverdue) == (now == credit.FinancingOverdue) || !o.Suspends() {
		return
	}
	c := d.Companies.Edit(o.Company)
	if now == credit.FinancingOverdue {
		c.Servicing.Late++
		return
	}
	c.Servicing.Late--
	if now == credit.FinancingChargedOff { // nobody has paid
		d.LiftLateness(c)
		return
	}
	if d.Cured == nil {
		d.Cured = map[string]bool{}
	}
	d.Cured[o.Key] = true
}
