package console

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/buyer"
	"tenor/internal/office/signin"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// orderAct is something that staff can do with an order: a page that shows what would change, and
// a button that does it.
type orderAct struct {
	name       string
	permission permit.Permission
	amount     bool // takes an amount
	possible   func(*credit.Order, *schedule.Loan) bool
	command    func(o *credit.Order, match []string, amount money.Amount, reason string) credit.Command
}

// orderActs are the acts of an order's page, the usual one first.
func orderActs() []orderAct {
	return []orderAct{
		{"refund", permit.Refund, true, func(o *credit.Order, _ *schedule.Loan) bool { return o.Captured > o.Refunded },
			func(o *credit.Order, match []string, amount money.Amount, reason string) credit.Command {
				return lending.RefundOrder{Order: o.Key, IfMatch: match, Amount: &amount, Reason: reason}
			}},
		{"cancel", permit.CancelOrders, false, func(o *credit.Order, _ *schedule.Loan) bool {
			return o.Status == credit.OrderCreated || o.Status == credit.OrderAuthorized
		},
			func(o *credit.Order, match []string, _ money.Amount, reason string) credit.Command {
				return lending.UpdateOrder{Order: o.Key, IfMatch: match, Status: credit.OrderCanceled, Reason: reason}
			}},
		{"extend", permit.CancelOrders, false, func(o *credit.Order, _ *schedule.Loan) bool { return o.Status == credit.OrderAuthorized && !o.Extended },
			func(o *credit.Order, match []string, _ money.Amount, _ string) credit.Command {
				return lending.ExtendOrder{Order: o.Key, IfMatch: match}
			}},
		{"charge-off", permit.ChargeOff, false, func(o *credit.Order, _ *schedule.Loan) bool { return o.Financing == credit.FinancingOverdue },
			func(o *credit.Order, match []string, _ money.Amount, reason string) credit.Command {
				return lending.ChargeOffOrder{Order: o.Key, IfMatch: match, Reason: reason}
			}},
	}
}

// acting is one visit to the page of an act.
type acting struct {
	orderAct
	book   *orderBook
	amount money.Amount
	reason string
	wrong  map[string]string
}

// findAct finds the order and the act of the address; nil if there is none, and the answer is
// written.
func (v *visit) findAct() (*acting, error) {
	x, err := v.findOrder(v.r.PathValue("key"), "")
	if err != nil {
		return nil, err
	}
	for _, a := range orderActs() {
		if x == nil || a.name != v.r.PathValue("act") {
			continue
		}
		if v.visitor.May(a.permission) == permit.None {
			return nil, v.refuse(a.permission)
		}
		return &acting{orderAct: a, book: x, amount: x.order.Captured.Sub(x.order.Refunded), wrong: map[string]string{}}, nil
	}
	return nil, v.bare(http.StatusNotFound, "lost")
}

// act shows an act's page, without anything filled in.
func (v *visit) act() error {
	a, err := v.findAct()
	if a == nil || err != nil {
		return err
	}
	return v.showAct(http.StatusOK, a, nil)
}

// doAct shows what an act would change, and does it if that is what was seen.
func (v *visit) doAct() error {
	a, err := v.findAct()
	if a == nil || err != nil {
		return err
	}
	if a.reason = v.answer("reason"); a.reason == "" {
		a.wrong["reason"] = v.say("act.reason.missing")
	}
	if a.orderAct.amount {
		if a.amount, err = money.Parse(v.answer("amount")); err != nil || a.amount <= 0 {
			a.wrong["amount"] = v.say("act.amount.wrong")
		}
	}
	if len(a.wrong) > 0 {
		return v.showAct(pages.Wrong, a, nil)
	}
	f, err := v.desk().Foresee(v.r.Context(), v.visitor, v.given(a, strconv.Itoa(a.book.order.Version)))
	if refused := (*credit.Rejection)(nil); errors.As(err, &refused) {
		a.wrong["reason"] = refused.Detail
		return v.showAct(pages.Wrong, a, nil)
	}
	if err != nil {
		return err
	}
	// What is done is what the page has shown: another amount is shown first, and another version
	// is refused. A second click names the version of the first, and is answered as that was.
	version, amount, shown := strings.Cut(v.answer("seen"), " ")
	if !shown || amount != a.amount.String() || f.Takes && !v.desk().Fresh(v.visitor.Session) {
		return v.showAct(http.StatusOK, a, &f)
	}
	approval, err := v.desk().Act(v.r.Context(), v.visitor, v.given(a, version))
	switch refused := (*credit.Rejection)(nil); {
	case errors.As(err, &refused):
		a.wrong["reason"] = refused.Detail
		return v.showAct(pages.Wrong, a, &f)
	case errors.Is(err, buyer.ErrRaced):
		return v.to("/orders/" + a.book.order.Key)
	case err != nil:
		return err
	case approval != "":
		return v.to("/approvals/" + approval)
	}
	return v.to("/orders/" + a.book.order.Key + "?did=" + a.name)
}

// seen names what a page has shown of an act.
func (a *acting) seen() string {
	return strconv.Itoa(a.book.order.Version) + " " + a.amount.String()
}

// given is the act as the member gives it, on a version of the order.
func (v *visit) given(a *acting, version string) signin.Act {
	match := []string{`"` + version + `"`}
	return signin.Act{Command: a.command(a.book.order, match, a.amount, a.reason), Reason: a.reason, Address: v.address, Once: v.answer("once")}
}

// showAct shows the form, and beside it what would change once that is known.
func (v *visit) showAct(status int, a *acting, f *signin.Foreseen) error {
	o, at := a.book.order, Prefix+"/orders/"+a.book.order.Key
	form := &pages.Form{Action: at + "/act/" + a.name, Once: v.answer("once")}
	if form.Once == "" {
		form.Once = buyer.Random(32)
	}
	g := pages.Group{}
	if a.orderAct.amount {
		g.Parts = append(g.Parts, pages.FieldPart(design.Field{
			Name: "amount", Label: v.say("orders.amount"), Value: v.typed("amount", a.amount.String()), Error: a.wrong["amount"], InputMode: "decimal", Prefix: "$", Digits: true, Required: true, Max: pages.MaxAnswer,
			Hint: v.say("act.amount.hint", v.language().Money(o.Captured.Sub(o.Refunded))),
		}))
	}
	g.Parts = append(g.Parts, pages.FieldPart(design.Field{Name: "reason", Label: v.say("act.reason"), Hint: v.say("act.reason.hint"), Value: a.reason, Error: a.wrong["reason"], Required: true, Max: pages.MaxAnswer}))
	form.Groups = []pages.Group{g}
	name := v.say("act." + a.name)
	p := page{
		Shell:  v.shell("orders", name),
		Crumbs: []design.Link{{Text: v.say("orders.title"), Href: Prefix + "/orders"}, {Text: number(o), Href: at}, {Text: name}},
		Title:  design.Title{Text: v.say("act."+a.name+".title", number(o)), Lead: v.say("act.lead", v.company(a.book.book, o.Company), merchantName(a.book.book, o.Merchant))},
		Form:   form, Summary: form.Summary(), Beside: true,
	}
	back := design.Button{Text: v.say("act.back"), Href: at, Emphasis: design.Ghost}
	preview := design.Button{Text: v.say("act.preview"), Emphasis: design.Primary}
	switch {
	case f == nil:
		form.Acts = []design.Button{preview, back}
	case f.Takes && !v.desk().Fresh(v.visitor.Session):
		p.Notice = &design.Notice{Icon: "lock", Title: v.say("act.again"), Text: v.say("act.again.text")}
		form.Acts = []design.Button{{Text: v.say("again.go"), Href: Prefix + "/again?to=" + form.Action, Emphasis: design.Primary}, back}
	default:
		done := v.say("act."+a.name+".go", v.language().Money(a.amount))
		if f.Takes {
			p.Notice = &design.Notice{Icon: "users", Title: v.say("act.two"), Text: v.say("act.two.text")}
			done = v.say("act.ask", done)
		}
		form.Acts = []design.Button{{Text: done, Emphasis: design.Primary, Name: "seen", Value: a.seen()}, {Text: v.say("act.preview"), Emphasis: design.Outline, Name: "seen", Value: "-"}, back}
	}
	if f != nil {
		p.Tables = v.changes(f, o.Company, o.Key)
	}
	return v.show(status, p)
}

// typed is what was typed into a field, or its first value.
func (v *visit) typed(name, first string) string {
	if v.r.Method == http.MethodPost {
		return v.answer(name)
	}
	return first
}

// changes is what an act would change: amounts before and after, and its postings.
func (v *visit) changes(f *signin.Foreseen, company int64, order string) []titled {
	m, day := v.language().Money, v.desk().Zone.Date(f.At)
	was, wasLoan := f.State.Companies[company], f.State.Loans[order]
	f.State.Apply(f.Changes)
	is, isLoan := f.State.Companies[company], f.State.Loans[order]
	t := design.Table{Caption: v.say("act.changes"), Columns: []design.Column{{Text: v.say("act.what")}, {Text: v.say("act.before"), Number: true}, {Text: v.say("act.after"), Number: true}}, Empty: &design.Empty{Text: v.say("act.nothing")}}
	row := func(key string, before, after money.Amount) {
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: v.say(key)}, {Text: m(before), Soft: true}, {Text: m(after), Strong: before != after}}})
	}
	if wasLoan != nil && isLoan != nil {
		a, b := wasLoan.View(max(day, wasLoan.AsOf)), isLoan.View(max(day, isLoan.AsOf))
		row("orders.left", a.Remaining, b.Remaining)
		row("order.next", a.NextDueAmount, b.NextDueAmount)
		row("col.charge", a.Charge, b.Charge)
	}
	if was != nil && is != nil {
		row("act.limit", was.Limit, is.Limit)
		row("act.available", was.Available(), is.Available())
	}
	entries := make([]store.EntryRow, len(f.Changes.Entries))
	for i, e := range f.Changes.Entries {
		entries[i] = store.EntryRow{Entry: e}
	}
	return []titled{{ID: "changes", Title: v.say("act.changes"), Table: t}, {ID: "postings", Title: v.say("act.postings"), Table: v.entryTable(entries, &design.Empty{Text: v.say("act.unposted")})}}
}
