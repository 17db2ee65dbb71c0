package lending

import (
	"slices"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// remind notifies the company's owners which installment is due soon and, once per occurrence,
// that the order has become late. It sends neither while the automatic stay or a dispute
// forbids asking for money.
func remind(d *credit.Draft, key string) {
	o, l := d.Standing(key)
	if !d.Reminds(o, l) {
		return
	}
	x, today := d.Companies.Peek(o.Company), d.Env.Today()
	quiet := x.Report(credit.ReportBankruptcy) >= 0 || credit.Disputed(o, today)
	told := o.Servicing.Told
	for _, r := range l.Rows {
		if on := o.RemindsOn(r, today); on == calendar.None || on > today {
			continue
		}
		if told.Due = r.DueDate; !quiet {
			tellDue(d, o, l, r)
		}
	}
	if since, last := d.Late(o, l); since > told.Late {
		if told.Late = last; !quiet {
			tellLate(d, o.Company)
		}
	} else {
		told.Late = max(told.Late, last)
	}
	if told != o.Servicing.Told {
		d.Orders.Edit(key).Servicing.Told = told
	}
}

// tellDue notifies of an installment, unless credit or a pending debit pays it, and names the
// account that autopay will debit.
func tellDue(d *credit.Draft, o *credit.Order, l *schedule.Loan, r schedule.Row) {
	ref := schedule.Ref{Order: o.Key, Installment: r.Number}
	if !slices.ContainsFunc(d.Uncovered(o, l, r.DueDate, onTheWay(o)), func(it credit.OpenItem) bool { return it.Ref == ref }) {
		return
	}
	about := map[string]string{"of": o.Key, "row": strconv.Itoa(r.Number)}
	if m := AutopayOf(d, o); m != nil && credit.MoneyMayMove(d.Companies.Peek(o.Company)) == nil && !slices.Contains(o.Servicing.Stopped, ref) {
		about["from_account"] = m.ID
	}
	d.TellMoney(o.Company, "installment_due", "", credit.MaxMoneyMails, about)
}

// tellLate notifies owners once a day that something is late; the mail lists everything that
// is.
func tellLate(d *credit.Draft, company int64) {
	x := d.Companies.Peek(company)
	if !d.KnowsPeople(x) || x.Servicing.Told.Late == d.Env.Today() {
		return
	}
	if to := d.Readers(x, ""); len(to) > 0 {
		d.Companies.Edit(company).Servicing.Told.Late = d.Env.Today()
		d.Write(company, to, "past_due", nil)
	}
}
