package credit

import (
	"cmp"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// CreditUse is a company's word on whether its credit pays what is due on any of its
// orders (F36), with who gave it last.
type CreditUse struct {
	On bool      `json:"on"`
	By string    `json:"by"` // client that said so
	At time.Time `json:"at"`
}

// pools reports that a company has credit that pays what is due on any of its orders, by
// its consent (F36). Its orders are then served and replayed together.
func (c *Company) pools(open []Credit) bool { return c.Servicing.CreditUse.On && len(open) > 0 }

// setCreditUse notes what a company says about its credit. Before it says no, credit pays
// what is due today, and autopay takes back what it had left to credit.
func (d *Draft) setCreditUse(x *Company, on bool) {
	var left []use
	for _, key := range d.active(x.ID, d.State.Accounts[x.ID]) {
		d.serve(key) // what was due before goes by what was said before
		d.Orders.Edit(key)
	}
	if !on && d.sharesCredit(x.ID) {
		left = d.uses(x.ID, d.collectedTo)
	}
	x.Servicing.CreditUse = CreditUse{On: on, By: d.Env.Actor.Client, At: d.Env.Now}
	x.JointReplay = x.JointReplay || on
	for _, u := range left {
		d.collectAgain(u.ref)
	}
}

// collectedTo is up to which date autopay has dealt with an order.
func (d *Draft) collectedTo(o *Order) calendar.Date {
	return max(d.on, o.Servicing.CollectedFor)
}

// collectAgain lets autopay collect an installment for which it was built already.
func (d *Draft) collectAgain(ref schedule.Ref) {
	l := d.LoanOf(ref.Order)
	if ref.Installment == 0 {
		return // a fee comes with the next installment
	}
	before := schedule.Collection(l.Rows[ref.Installment-1].DueDate) - 1
	if o := d.Orders.Peek(ref.Order); o.Servicing.CollectedFor > before {
		d.Orders.Edit(ref.Order).Servicing.CollectedFor = before
	}
}

// sharesCredit reports that a company pools its credit and that the command sees all of
// its orders.
func (d *Draft) sharesCredit(company int64) bool {
	return d.Companies.Peek(company).pools(d.credits(company)) && d.seesAccount(company)
}

// ties reports that a company's orders are tied together, and that the command sees all of
// them: then they are served together.
func (d *Draft) ties(company int64) bool {
	return d.Companies.Peek(company).JointReplay && d.seesAccount(company)
}

// seesAccount reports that the command has asked for all orders of a company with their
// histories.
func (d *Draft) seesAccount(company int64) bool {
	if d.Env.asked == nil || !slices.Contains(d.Env.asked.Accounts, company) {
		return false
	}
	asked := make(map[string]bool, len(d.Env.asked.History))
	for _, key := range d.Env.asked.History {
		asked[key] = true
	}
	return !slices.ContainsFunc(d.State.Accounts[company], func(key string) bool { return !asked[key] })
}

// serveAccount brings all orders of a company that share money to today, date by date and
// together: on each date what falls due is posted, credit that is pooled pays what is due,
// then the daily run goes on (F37, steps 3 to 8). A fee of that run is paid on the same
// date. An order alone would be replayed with the others, and take them past the dates of
// their own runs.
func (d *Draft) serveAccount(company int64) {
	if d.serving {
		return
	}
	d.serving = true
	keys, after := d.State.Accounts[company], map[string]calendar.Date{}
	for _, key := range keys {
		o := d.Orders.Peek(key)
		after[key] = max(o.Servicing.ServedTo, o.CaptureDate)
	}
	fresh, today := d.creditSince(company), d.Env.Today()
	for {
		date, run := d.nextRun(keys, after)
		if fresh != calendar.None && (date == calendar.None || fresh < date) {
			date, run = fresh, nil
		}
		if date == calendar.None || date > today {
			break
		}
		if fresh == date {
			fresh = calendar.None
		}
		d.on = date
		d.bring(company)
		for _, key := range run {
			d.serveDay(key, date)
			d.Orders.Edit(key) // it notes that it has been served
			after[key] = date
		}
		d.useCredit(company)
	}
	d.on = today
	d.bring(company)
	for _, key := range keys {
		d.served[key] = true
	}
	d.serving = false
}

// nextRun is the next date on which orders have something to be done, and which.
func (d *Draft) nextRun(keys []string, after map[string]calendar.Date) (date calendar.Date, run []string) {
	date = calendar.None
	for _, key := range keys {
		o, l := d.standing(key)
		next := d.nextDate(o, l, after[key])
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

// bring posts what has become due on all orders of a company by the date to which the
// books come, and lets credit pay it.
func (d *Draft) bring(company int64) {
	for _, key := range d.State.Accounts[company] {
		d.catchUp(key)
	}
	d.useCredit(company)
}

// creditSince is the business date since which credit waits to be looked at, None if none
// does. So what it pays is of that date, whenever the scheduler ran.
func (d *Draft) creditSince(company int64) calendar.Date {
	since := calendar.None
	if !d.Companies.Peek(company).Servicing.CreditUse.On {
		return since
	}
	for _, x := range d.usable(company) {
		if !x.NextAt.IsZero() && !x.NextAt.After(d.Env.Now) {
			since = sooner(since, d.Env.Zone.Date(x.NextAt))
		}
	}
	if since == calendar.None {
		return since
	}
	for _, key := range d.State.Accounts[company] {
		since = max(since, d.Orders.Peek(key).Servicing.ServedTo) // it has been looked at by then
	}
	return since
}

// useCredit lets the company's credit pay what is due on its orders: one money event for
// each source and order, so that the credit goes back with its source (F16, F36).
func (d *Draft) useCredit(company int64) {
	uses := d.uses(company, func(*Order) calendar.Date { return d.on })
	for i := 0; i < len(uses); {
		e := schedule.Event{
			Kind: schedule.EventCreditUse, ID: d.IDs.Next(prefixUse), Date: d.on, Seq: d.nextSeq(company), Order: uses[i].ref.Order, Payment: uses[i].source,
		}
		for ; i < len(uses) && uses[i].source == e.Payment && uses[i].ref.Order == e.Order; i++ {
			e.Amount, e.Earmark = e.Amount.Add(uses[i].amount), append(e.Earmark, uses[i].ref)
		}
		d.play(company, []string{e.Order}, e, nil)
	}
}

// use is what credit of a source pays of an item.
type use struct {
	source string
	ref    schedule.Ref
	amount money.Amount
}

// uses shares the company's credit out on what is unpaid on its orders and due by the date
// that until gives for each: the oldest credit first, items in the order of the waterfall
// (F12). It leaves what is on its way to be paid, orders that a merchant manages or that
// are charged off, and everything of a company whose money may not move.
func (d *Draft) uses(company int64, until func(*Order) calendar.Date) []use {
	x := d.Companies.Peek(company)
	open := d.usable(company)
	if !x.Servicing.CreditUse.On || len(open) == 0 || moneyMayMove(x) != nil {
		return nil
	}
	var items []openItem
	for _, key := range d.State.Accounts[company] {
		if o, l := d.standing(key); !o.External && !l.ChargedOff {
			items = append(items, d.uncovered(o, l, until(o), nil)...)
		}
	}
	slices.SortStableFunc(items, func(a, b openItem) int { return cmp.Compare(a.due, b.due) }) // orders stand by capture
	var uses []use
	held := make([]money.Amount, len(open)) // of each, what its merchant holds: it pays that merchant's orders alone (F41.4)
	for i := range open {
		held[i] = open[i].Amount.Sub(d.sendable(open[i]))
	}
	for _, it := range items {
		for i := range open {
			same := held[i] > 0 && d.Orders.Peek(it.ref.Order).Merchant == d.heldOwner(d.Payments.Peek(open[i].Source)).Merchant
			part := min(it.unpaid, open[i].Amount)
			if !same {
				part = min(part, open[i].Amount.Sub(held[i]))
			}
			if part <= 0 {
				continue
			}
			uses = append(uses, use{open[i].Source, it.ref, part})
			it.unpaid, open[i].Amount = it.unpaid.Sub(part), open[i].Amount.Sub(part)
			if same {
				held[i] = held[i].Sub(min(held[i], part))
			}
		}
	}
	return uses
}

// usable are a company's credits that may pay what is due on any order, oldest first: not
// what is held for an order that owes.
func (d *Draft) usable(company int64) []Credit {
	list := slices.DeleteFunc(slices.Clone(d.credits(company)), func(x Credit) bool {
		l := d.LoanOf(x.Order)
		return x.Hold && l != nil && owes(l)
	})
	slices.SortStableFunc(list, func(a, b Credit) int { return cmp.Compare(a.Date, b.Date) })
	return list
}

// promised reports that credit is to pay what autopay was not built for, or what is due.
func (d *Draft) promised(x Credit) bool {
	return slices.ContainsFunc(d.uses(x.Company, d.collectedTo), func(u use) bool { return u.source == x.Source })
}

// finishCreditUse lets credit of companies that pool it be looked at now if a command may
// have left some that can pay something: it has made credit or opened items, and did not
// see all orders.
func (d *Draft) finishCreditUse() {
	var touched []int64
	for _, c := range d.Changes.Credits {
		touched = append(touched, c.Company)
	}
	for _, l := range d.Changes.Loans {
		touched = append(touched, d.Orders.Peek(l.Key).Company)
	}
	for _, c := range d.Changes.Companies {
		if was := d.State.Companies[c.ID]; was != nil && (was.Servicing.CreditUse != c.Servicing.CreditUse || moneyMayMove(was) != nil) {
			touched = append(touched, c.ID)
		}
	}
	slices.Sort(touched)
	for _, id := range slices.Compact(touched) {
		x := d.Companies.Peek(id)
		if !x.pools(d.credits(id)) || moneyMayMove(x) != nil {
			continue
		}
		if d.sharesCredit(id) && len(d.uses(id, func(*Order) calendar.Date { return d.Env.Today() })) == 0 {
			continue
		}
		d.lookNow(id)
	}
}

// lookNow brings a company's credit up for the scheduler, but for credit that waits for a
// person or that a merchant holds: that has no instant of its own. Credit that is held for
// an order comes up too: whether the order owes is not asked here, because only a command
// that sees all orders may know it, whatever else is loaded beside it.
func (d *Draft) lookNow(company int64) {
	list := slices.Clone(d.credits(company))
	slices.SortStableFunc(list, func(a, b Credit) int { return cmp.Compare(a.Date, b.Date) })
	for _, x := range list {
		if x.NextAt.IsZero() && x.Waits != CreditHeldByMerchant {
			continue
		}
		if x.NextAt.IsZero() || x.NextAt.After(d.Env.Now) {
			x.NextAt = d.Env.Now
			d.putCredit(x)
		}
		return
	}
}
