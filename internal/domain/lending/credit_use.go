package lending

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// SetCreditUse records a company's choice about its credit. Before consent ends, credit pays
// what is due today, and autopay takes over the items it had left to credit.
func SetCreditUse(d *credit.Draft, x *credit.Company, on bool) {
	var left []credit.Use
	for _, key := range ActiveNow(d, x.ID, d.State.Accounts[x.ID]) {
		Serve(d, key) // what was already due follows the previous choice
		d.Orders.Edit(key)
	}
	if !on && d.SharesCredit(x.ID) {
		left = d.Uses(x.ID, func(o *credit.Order) calendar.Date { return collectedTo(d, o) })
	}
	x.Servicing.CreditUse = credit.CreditUse{On: on, By: d.Env.Actor.Client, At: d.Env.Now}
	x.JointReplay = x.JointReplay || on
	for _, u := range left {
		collectAgain(d, u.Ref)
	}
}

// collectedTo is the date up to which autopay has handled an order.
func collectedTo(d *credit.Draft, o *credit.Order) calendar.Date {
	return max(d.On, o.Servicing.CollectedFor)
}

// collectAgain lets autopay collect an installment again that it was already built for.
func collectAgain(d *credit.Draft, ref schedule.Ref) {
	l := d.LoanOf(ref.Order)
	if ref.Installment == 0 {
		return // a fee comes with the next installment
	}
	before := schedule.Collection(l.Rows[ref.Installment-1].DueDate) - 1
	if o := d.Orders.Peek(ref.Order); o.Servicing.CollectedFor > before {
		d.Orders.Edit(ref.Order).Servicing.CollectedFor = before
	}
}

// ties reports whether a company's orders are tied together and the command sees all of them.
// They are then served together.
func ties(d *credit.Draft, company int64) bool {
	return d.Companies.Peek(company).JointReplay && d.SeesAccount(company)
}

// ServeAccount brings all orders of a company that share money up to today, date by date and
// together. For each date it posts what falls due, lets pooled credit pay what is due, then
// does the rest of the daily run (F37, steps 3 to 8). A fee of that run is paid on the same
// date. Serving one order alone would replay it with the others and take them past the dates
// of their own runs.
func ServeAccount(d *credit.Draft, company int64) {
	if d.Serving {
		return
	}
	d.Serving = true
	keys, after := d.State.Accounts[company], map[string]calendar.Date{}
	for _, key := range keys {
		o := d.Orders.Peek(key)
		after[key] = max(o.Servicing.ServedTo, o.CaptureDate)
	}
	fresh, today := creditSince(d, company), d.Env.Today()
	for {
		date, run := nextRun(d, keys, after)
		if fresh != calendar.None && (date == calendar.None || fresh < date) {
			date, run = fresh, nil
		}
		if date == calendar.None || date > today {
			break
		}
		if fresh == date {
			fresh = calendar.None
		}
		d.On = date
		bring(d, company)
		for _, key := range run {
			serveDay(d, key, date)
			d.Orders.Edit(key) // records that it has been served
			after[key] = date
		}
		useCredit(d, company)
	}
	d.On = today
	bring(d, company)
	for _, key := range keys {
		d.Served[key] = true
	}
	d.Serving = false
}

// nextRun is the next date on which any of the orders has something to do, and those orders.
func nextRun(d *credit.Draft, keys []string, after map[string]calendar.Date) (date calendar.Date, run []string) {
	date = calendar.None
	for _, key := range keys {
		o, l := d.Standing(key)
		next := d.NextDate(o, l, after[key])
		if next == calendar.None || date != calendar.None && next > date {
			continue
		}
		if next != date {
			date, run = next, nil
		}
		run = append(run, key)
	}
	return date, run
}

// bring posts everything due on all orders of a company by the date that the books have
// reached, and lets credit pay it.
func bring(d *credit.Draft, company int64) {
	for _, key := range d.State.Accounts[company] {
		catchUp(d, key)
	}
	useCredit(d, company)
}

// creditSince is the business date since which credit has been due for a check, None if none
// is. What it pays is booked on that date, whenever the scheduler ran.
func creditSince(d *credit.Draft, company int64) calendar.Date {
	since := calendar.None
	if !d.Companies.Peek(company).Servicing.CreditUse.On {
		return since
	}
	for _, x := range d.Usable(company) {
		if !x.NextAt.IsZero() && !x.NextAt.After(d.Env.Now) {
			since = credit.Sooner(since, d.Env.Zone.Date(x.NextAt))
		}
	}
	if since == calendar.None {
		return since
	}
	for _, key := range d.State.Accounts[company] {
		since = max(since, d.Orders.Peek(key).Servicing.ServedTo) // it was checked by then
	}
	return since
}

// useCredit lets the company's credit pay what is due on its orders: one money event per
// source and order, so that the credit goes back with its source (F16, F36).
func useCredit(d *credit.Draft, company int64) {
	uses := d.Uses(company, func(*credit.Order) calendar.Date { return d.On })
	for i := 0; i < len(uses); {
		e := schedule.Event{
			Kind: schedule.EventCreditUse, ID: d.IDs.Next(credit.PrefixUse), Date: d.On, Seq: NextSeq(d, company), Order: uses[i].Ref.Order, Payment: uses[i].Source,
		}
		for ; i < len(uses) && uses[i].Source == e.Payment && uses[i].Ref.Order == e.Order; i++ {
			e.Amount, e.Earmark = e.Amount.Add(uses[i].Amount), append(e.Earmark, uses[i].Ref)
		}
		Play(d, company, []string{e.Order}, e, nil)
	}
}

// Promised reports whether a credit is to pay what autopay was not built for, or what is due.
func Promised(d *credit.Draft, x credit.Credit) bool {
	return slices.ContainsFunc(d.Uses(x.Company, func(o *credit.Order) calendar.Date { return collectedTo(d, o) }), func(u credit.Use) bool { return u.Source == x.Source })
}
