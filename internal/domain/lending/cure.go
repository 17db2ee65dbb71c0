package lending

import "tenor/internal/domain/credit"

// lateness counts a company's orders that are late, as one of them becomes so or is no
// more. When none is, a suspension for lateness ends by itself (F26), unless a name of the
// company is being looked into (F29): then it waits for that. Whether what has paid is good
// is known when the command has come to its end.
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
