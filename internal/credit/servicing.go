package credit

import (
	"tenor/internal/calendar"
	"tenor/internal/schedule"
)

// serveDay brings an order with a loan to the end of step 8 of the daily run of one
// business date: late fees, statuses, suspension, non-accrual, the proposal to charge
// off (F10, F17, F18, F37). What falls due by that date has been posted. A day that
// has been served changes nothing.
func (d *draft) serveDay(key string, day calendar.Date) {}

// servesNext is the first business date after one on which serveDay will have
// something to do if nothing else happens, None if there is none.
func (d *draft) servesNext(o *Order, l *schedule.Loan, after calendar.Date) calendar.Date {
	return calendar.None
}

// suspend makes a company SUSPENDED by rule, with its notice where F28 wants one. One
// that is suspended already keeps its first reason.
func (d *draft) suspend(company int64, code, message string) {
	if c := d.companies.edit(company); c.Status != CompanySuspended && c.Status != CompanyClosed {
		c.Status, c.StatusCode, c.StatusMessage = CompanySuspended, code, message
	}
}
