package console

import (
	"cmp"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/signin"
	"tenor/internal/ui/design"
)

// comparison is a table of what an act would change: before and after.
type comparison struct {
	*visit
	design.Table
}

func (c *comparison) text(key, before, after string) {
	before, after = cmp.Or(before, "–"), cmp.Or(after, "–")
	c.Rows = append(c.Rows, design.Row{Cells: []design.Cell{{Text: c.say(key)}, {Text: before, Soft: true}, {Text: after, Strong: before != after}}})
}

func (c *comparison) amount(key string, before, after money.Amount) {
	c.text(key, c.language().Money(before), c.language().Money(after))
}

// changes is what an act would change: statuses and amounts before and after, the notices it owes,
// and its postings.
func (v *visit) changes(f *signin.Foreseen, x *subject) []titled {
	day := v.desk().Zone.Date(f.At)
	company := x.company
	was, wasLoan, wasApplication := f.State.Companies[company], f.State.Loans[x.order], f.State.Application(x.application)
	wasMerchant, wasMember, wasPolicy := f.State.Merchants[x.merchant], f.State.StaffMember(x.member), f.State.TheLender().Settings.Approvals
	f.State.Apply(f.Changes)
	if a := f.State.Application(x.application); a != nil && company == 0 {
		company = a.Company
	}
	is, isLoan := f.State.Companies[company], f.State.Loans[x.order]
	c := &comparison{v, design.Table{Caption: v.say("act.changes"), Columns: []design.Column{{Text: v.say("act.what")}, {Text: v.say("act.before"), Number: true}, {Text: v.say("act.after"), Number: true}}, Empty: &design.Empty{Text: v.say("act.nothing")}}}
	c.application(wasApplication, f.State.Application(x.application))
	c.loan(wasLoan, isLoan, day)
	c.payouts(wasMerchant, f.State.Merchants[x.merchant])
	c.member(wasMember, f.State.StaffMember(x.member))
	c.policy(wasPolicy, f.State.TheLender().Settings.Approvals)
	c.line(was, is)
	out := []titled{{ID: "changes", Title: v.say("act.changes"), Table: c.Table}}
	if len(f.Changes.Notices) > 0 {
		out = append(out, titled{ID: "notices", Title: v.say("act.notices"), Table: v.noticeTable(f.Changes.Notices, nil)})
	}
	entries := make([]store.EntryRow, len(f.Changes.Entries))
	for i, e := range f.Changes.Entries {
		entries[i] = store.EntryRow{Entry: e}
	}
	return append(out, titled{ID: "postings", Title: v.say("act.postings"), Table: v.entryTable(entries, &design.Empty{Text: v.say("act.unposted")})})
}

func (c *comparison) loan(was, is *schedule.Loan, day calendar.Date) {
	if was == nil || is == nil {
		return
	}
	a, b := was.View(max(day, was.AsOf)), is.View(max(day, is.AsOf))
	c.amount("orders.left", a.Remaining, b.Remaining)
	c.amount("order.next", a.NextDueAmount, b.NextDueAmount)
	c.text("orders.due", c.dayOr(a.NextDueDate), c.dayOr(b.NextDueDate))
	c.amount("col.charge", a.Charge, b.Charge)
	if x, y := unpaidFees(was), unpaidFees(is); x != y {
		c.amount("col.fees", x, y)
	}
}

func unpaidFees(l *schedule.Loan) (sum money.Amount) {
	for _, f := range l.Fees {
		sum = sum.Add(f.Unpaid())
	}
	return sum
}

// payouts compares whether a merchant is paid.
func (c *comparison) payouts(was, is *credit.Merchant) {
	if was != nil && is != nil && was.Account.HeldReason != is.Account.HeldReason {
		c.text("merchant.hold", was.Account.HeldReason, is.Account.HeldReason)
	}
}

// member compares a staff member's roles and status.
func (c *comparison) member(was, is *credit.StaffMember) {
	if was == nil || is == nil {
		return
	}
	c.text("people.roles", c.roles(was.Roles), c.roles(is.Roles))
	c.text("people.status", c.named("status", was.Status), c.named("status", is.Status))
}

// policy compares what takes two people.
func (c *comparison) policy(was, is permit.Policy) {
	if was.Required != is.Required {
		c.text("policy.required", c.say(yes(was.Required)), c.say(yes(is.Required)))
	}
	for _, p := range limited() {
		if a, b := was.Limit(p), is.Limit(p); a != b {
			c.amount("policy."+string(p), a, b)
		}
	}
}

// line compares a company; one that an act would open has nothing before.
func (c *comparison) line(was, is *credit.Company) {
	if is == nil {
		return
	}
	if was == nil {
		was = &credit.Company{}
	}
	if was.Status != is.Status {
		c.text("orders.company", c.named("company", string(was.Status)), c.named("company", string(is.Status)))
	}
	if was.Tier != is.Tier {
		c.text("company.tier", was.Tier, is.Tier)
	}
	c.amount("act.limit", was.Limit, is.Limit)
	c.amount("act.available", was.Available(), is.Available())
}

// application compares an application and the notice that it owes.
func (c *comparison) application(was, is *credit.Application) {
	if was == nil || is == nil {
		return
	}
	c.text("orders.status", c.named("application", was.Status), c.named("application", is.Status))
	if before, after := c.duty(was.Duty), c.duty(is.Duty); before != after {
		c.text("company.notice", before, after)
	}
}

// duty is the notice that an application owes, a dash if it owes none.
func (c *comparison) duty(n *credit.NoticeDuty) string {
	if n == nil {
		return "–"
	}
	return worded(strings.ToLower(string(n.Kind))) + ", " + c.say("application.notice.due", c.dayOr(n.DueOn))
}

// named is the text of a status, a dash if there is none.
func (c *comparison) named(texts, status string) string {
	if status == "" {
		return "–"
	}
	return c.say(texts + "." + status)
}
