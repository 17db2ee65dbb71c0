package accountpages

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/office/buyer"
	"tenor/internal/pages"
	"tenor/internal/ui/design"
)

// wish is a payment to choose: its purpose and amount.
type wish struct {
	Value, Text, Detail string
	Amount              money.Amount
}

// Purposes of a payment, other than a number of installments.
const (
	payLate   = "late"   // everything late
	paySoon   = "soon"   // everything due in the next thirty days
	payOff    = "payoff" // everything
	payOther  = "other"  // a custom amount
	soonDays  = 30
	mostSteps = 6 // installments that can be chosen one by one
)

// wishes returns the possible payments: for one order, or for all of them. arrives is the day the
// payment arrives.
func (v *visit) wishes(b *buyer.Book, o *buyer.Owed, arrives calendar.Date) (out []wish) {
	add := func(value, text, detail string, a money.Amount) {
		if a > 0 && !slices.ContainsFunc(out, func(w wish) bool { return w.Amount == a }) {
			out = append(out, wish{value, text, detail, a})
		}
	}
	if o == nil {
		soon := b.Today.AddDays(soonDays)
		add(payLate, v.Say("pay.late"), "", unmet(b, arrives))
		add(paySoon, v.Say("pay.soon", v.Day(soon)), "", rest(b, arrives, func(o *buyer.Owed) money.Amount { return dueBy(o, soon) }))
		add(payOff, v.Say("pay.off"), v.Say("pay.off.more", v.Day(arrives)), rest(b, arrives, func(o *buyer.Owed) money.Amount { return o.Payoff(arrives) }))
		return out
	}
	add(payLate, v.Say("pay.late"), "", o.Rest(late(o).Sum, arrives))
	sum, rows := money.Amount(0), o.Rows()
	for i, r := range rows {
		if sum = sum.Add(r.Outstanding); i >= mostSteps || i == len(rows)-1 {
			break
		}
		text := v.Say("pay.one", v.Day(r.DueDate))
		if i > 0 {
			text = v.Say("pay.many", i+1, v.Day(r.DueDate))
		}
		add(strconv.Itoa(i+1), text, "", o.Rest(sum, arrives))
	}
	add(payOff, v.Say("pay.off.order", orderName(o.Order)), v.Say("pay.off.more", v.Day(arrives)), o.Rest(o.Payoff(arrives), arrives))
	return out
}

// rest adds up an amount over all orders, less what arrives by a day.
func rest(b *buyer.Book, arrives calendar.Date, of func(*buyer.Owed) money.Amount) (sum money.Amount) {
	for _, o := range b.Open() {
		sum = sum.Add(o.Rest(of(o), arrives))
	}
	return sum
}

// unmet returns the late amount that nothing in transit pays by a day.
func unmet(b *buyer.Book, arrives calendar.Date) money.Amount {
	return rest(b, arrives, func(o *buyer.Owed) money.Amount { return late(o).Sum })
}

// dueBy returns what is due on an order by a day, including what is late.
func dueBy(o *buyer.Owed, day calendar.Date) (sum money.Amount) {
	for _, r := range o.Rows() {
		if r.DueDate <= day {
			sum = sum.Add(r.Outstanding)
		}
	}
	return sum
}

// pay asks what to pay, and from which account.
func (v *visit) pay() error {
	q := v.R.URL.Query()
	return v.showPay(http.StatusOK, cmp.Or(v.Answer("order"), q.Get("order")), cmp.Or(v.Answer("what"), q.Get("what")), pages.Problems{})
}

func (v *visit) showPay(status int, order, what string, wrong pages.Problems) error {
	b, err := v.book()
	if err != nil {
		return err
	}
	o := b.Order(order)
	if order != "" && (o == nil || o.Loan == nil || o.Order.External) {
		return v.stop(http.StatusNotFound, "lost")
	}
	title := v.Say("pay.title")
	if o != nil {
		title = v.Say("pay.title.order", orderName(o.Order))
	}
	p := page{Shell: v.shell("payments", title), Title: design.Title{Text: title}}
	_, arrives := v.Desk.Settles()
	all := v.wishes(b, o, arrives)
	accounts := v.payAccounts(b)
	switch {
	case len(all) == 0:
		p.Title.Lead, p.Acts = v.Say("pay.nothing"), []design.Button{v.link("a.home", "", design.Primary)}
		return v.show(status, p)
	case len(accounts) == 0:
		p.Title.Lead, p.Acts = v.Say("pay.account.none", v.Ask()), []design.Button{v.link("a.home", "", design.Outline)}
		if v.owns() {
			p.Acts = append([]design.Button{v.link("banks.add", "/banks/add", design.Primary)}, p.Acts...)
		}
		return v.show(status, p)
	}
	p.Title.Lead = v.Say("pay.lead", v.Day(arrives))
	p.Notices = v.comingNotices(b, arrives)
	c := &choosing{Action: Prefix + "/pay", Acts: []design.Button{pages.Primary(v.Say("pay.go")), v.back("")}}
	c.Cards = []design.Choices{v.wishChoices(all, what, wrong), v.accountChoices(accounts, v.Answer("account"), wrong)}
	if o != nil {
		c.Hidden = []hidden{{"order", order}}
	}
	p.Summary = design.Summarize(c.Cards[0], c.Cards[1])
	p.Sections = []section{{Choices: c}}
	return v.show(status, p)
}

// comingNotices shows payments in transit: earlier arrivals are deducted, later ones are not.
func (v *visit) comingNotices(b *buyer.Book, arrives calendar.Date) (out []design.Notice) {
	first, later := money.Amount(0), money.Amount(0)
	for _, o := range b.Open() {
		for _, open := range o.Order.Servicing.Open {
			if open.On <= arrives {
				first = first.Add(open.Amount)
			} else {
				later = later.Add(open.Amount)
			}
		}
	}
	for _, x := range []struct {
		sum  money.Amount
		says string
	}{{first, "pay.less"}, {later, "pay.twice"}} {
		if x.sum > 0 {
			out = append(out, design.Notice{Icon: "clock", Text: v.Say("a.coming", v.Money(x.sum)) + " " + v.Say(x.says)})
		}
	}
	return out
}

func (v *visit) wishChoices(all []wish, what string, wrong pages.Problems) design.Choices {
	c := design.Choices{Name: "what", Legend: v.Say("pay.what"), Error: wrong["what"]}
	for _, w := range all {
		c.Choices = append(c.Choices, design.Choice{Value: w.Value, Text: w.Text, Detail: w.Detail, Figure: v.Money(w.Amount), Chosen: w.Value == what})
	}
	c.Choices = append(c.Choices, design.Choice{Value: payOther, Text: v.Say("pay.other"), Detail: v.Say("pay.other.more"), Chosen: what == payOther, Asks: []design.Field{{
		Name: "amount", Label: v.Say("pay.amount"), Hint: v.Say("pay.amount.hint"), Error: wrong["amount"], Value: v.Answer("amount"), Prefix: "$", InputMode: "decimal", Autocomplete: "off", Digits: true, Max: 20, Required: true, Width: design.Half,
	}}})
	if !slices.ContainsFunc(c.Choices, func(x design.Choice) bool { return x.Chosen }) {
		c.Choices[0].Chosen = true
	}
	return c
}

// payAccounts returns the accounts from which she may pay.
func (v *visit) payAccounts(b *buyer.Book) (out []*credit.PaymentMethod) {
	for _, m := range b.Methods {
		if m.Bank != nil && m.Usable() && (v.owns() || m.Consented()) {
			out = append(out, m)
		}
	}
	return out
}

func (v *visit) accountChoices(all []*credit.PaymentMethod, chosen string, wrong pages.Problems) design.Choices {
	c := design.Choices{Name: "account", Legend: v.Say("pay.from"), Error: wrong["account"]}
	for _, m := range all {
		c.Choices = append(c.Choices, design.Choice{Value: m.ID, Text: capital(v.Account(m)), Icon: "landmark", Chosen: m.ID == chosen || len(all) == 1})
	}
	return c
}

// choosePay saves what to pay, and redirects to the confirmation page.
func (v *visit) choosePay() error {
	order, what := v.Answer("order"), v.Answer("what")
	b, err := v.book()
	if err != nil {
		return err
	}
	o := b.Order(order)
	if order != "" && (o == nil || o.Loan == nil || o.Order.External) {
		return v.stop(http.StatusNotFound, "lost")
	}
	_, arrives := v.Desk.Settles()
	wrong, all := pages.Problems{}, v.wishes(b, o, arrives)
	amount := money.Amount(0)
	if i := slices.IndexFunc(all, func(w wish) bool { return w.Value == what }); i >= 0 {
		amount = all[i].Amount
	} else if what != payOther {
		wrong["what"] = v.Say("pay.wrong.what")
	} else {
		amount = v.ownAmount(b, o, arrives, wrong)
	}
	account := v.Answer("account")
	if !slices.ContainsFunc(v.payAccounts(b), func(m *credit.PaymentMethod) bool { return m.ID == account }) {
		wrong["account"] = v.Say("pay.wrong.account")
	}
	if len(wrong) > 0 {
		return v.showPay(pages.Wrong, order, what, wrong)
	}
	if err := v.Keep(buyer.Draft{
		"pay_for": strconv.FormatInt(v.company.ID, 10), "pay_order": order, "pay_amount": amount.String(), "pay_method": account, "pay_once": buyer.Random(16),
	}); err != nil {
		return err
	}
	return v.to("/pay/check")
}

// ownAmount parses a custom amount: at most the total payoff.
func (v *visit) ownAmount(b *buyer.Book, o *buyer.Owed, arrives calendar.Date, wrong pages.Problems) money.Amount {
	most := rest(b, arrives, func(o *buyer.Owed) money.Amount { return o.Payoff(arrives) })
	if o != nil {
		most = o.Rest(o.Payoff(arrives), arrives)
	}
	amount, ok := pages.Dollars(v.Answer("amount"))
	if !ok || amount > most {
		wrong["amount"] = v.Say("pay.wrong.amount", v.Money(most))
	}
	return amount
}

// begun returns the chosen payment, false if there is none.
func (v *visit) begun(b *buyer.Book) (order *buyer.Owed, amount money.Amount, m *credit.PaymentMethod, ok bool) {
	d := v.Draft
	amount, err := money.Parse(d["pay_amount"])
	order, m = b.Order(d["pay_order"]), b.Method(d["pay_method"])
	ok = err == nil && amount > 0 && d["pay_for"] == strconv.FormatInt(v.company.ID, 10) && m != nil && m.Usable() && (d["pay_order"] == "" || order != nil)
	return order, amount, m, ok
}

// checkPay shows what a payment will pay, before it is made.
func (v *visit) checkPay() error { return v.showCheck(http.StatusOK, "") }

func (v *visit) showCheck(status int, problem string) error {
	b, err := v.book()
	if err != nil {
		return err
	}
	o, amount, m, ok := v.begun(b)
	if !ok {
		return v.to("/pay")
	}
	sent, arrives := v.Desk.Settles()
	key := ""
	if o != nil {
		key = o.Order.Key
	}
	shares, rest := b.Split(key, amount, arrives)
	t := v.splitTable(shares, rest)
	c := &choosing{
		Action: Prefix + "/pay/check", Hidden: []hidden{{"payment", v.Draft["pay_once"]}}, Acts: []design.Button{pages.Primary(v.Say("a.pay.amount", v.Money(amount))), v.back("/pay?order=" + key)},
		Terms:  []string{v.Say("pay.terms", v.lender(), v.Money(amount), v.Account(m), v.Day(sent), v.Day(arrives)), v.Say("pay.terms.back", v.Ask())},
		Checks: []design.Check{{Name: "agree", Text: v.Say("pay.agree"), Error: problem, Required: true}},
	}
	return v.show(status, page{
		Shell: v.shell("payments", v.Say("pay.check")), Title: design.Title{Text: v.Say("a.pay.amount", v.Money(amount)), Lead: v.Say("pay.check.lead", v.Account(m), v.Day(arrives))},
		Summary:  design.Summarize(c.Checks[0]),
		Sections: []section{{Head: design.Heading{ID: "split", Text: v.Say("pay.split")}, Text: v.Say("pay.split.text"), Table: &t}, {Choices: c}},
	})
}

// splitTable shows what a payment pays, order by order.
func (v *visit) splitTable(shares []buyer.Share, rest money.Amount) design.Table {
	t := design.Table{Caption: v.Say("pay.split"), Columns: []design.Column{
		{Text: v.Say("a.col.order")}, {Text: v.Say("a.col.fees"), Number: true, From: "sm"}, {Text: v.Say("dates.charge"), Number: true, From: "sm"},
		{Text: v.Say("dates.principal"), Number: true, From: "sm"}, {Text: v.Say("dates.payment"), Number: true},
	}}
	sum := money.Amount(0)
	for _, x := range shares {
		sum = sum.Add(x.Sum())
		detail := v.Say("pay.left", v.Money(x.Left))
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: orderName(x.Owed.Order), Detail: detail}, {Text: v.Money(x.Fees)}, {Text: v.Money(x.Charge)}, {Text: v.Money(x.Principal)}, {Text: v.Money(x.Sum()), Strong: true},
		}})
	}
	if rest > 0 {
		sum = sum.Add(rest)
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{{Text: v.Say("pay.rest"), Detail: v.Say("pay.rest.text")}, {}, {}, {}, {Text: v.Money(rest), Strong: true}}})
	}
	t.Foot = []design.Cell{{Text: v.Say("pay.sum")}, {}, {}, {}, {Text: v.Money(sum), Strong: true}}
	return t
}

// confirmPay makes the payment, once: two clicks make one, even if the response to the first was
// lost.
func (v *visit) confirmPay() error {
	b, err := v.book()
	if err != nil {
		return err
	}
	o, amount, m, ok := v.begun(b)
	if !ok {
		return v.to("/payments")
	}
	if v.Answer("payment") != v.Draft["pay_once"] { // another tab has chosen another one meanwhile
		return v.showCheck(http.StatusConflict, v.Say("pay.wrong.other"))
	}
	if v.Answer("agree") != "yes" {
		return v.showCheck(pages.Wrong, v.Say("pay.wrong.agree"))
	}
	order := ""
	if o != nil {
		order = o.Order.Key
	}
	_, err = v.Desk.Pay(v.Ctx(), v.Person.ID, v.company.ID, order, amount, m.ID, "account-"+v.Draft["pay_once"], v.Address)
	if r := pages.Refused(err); err != nil && (r == nil || r.Code != credit.DuplicateExternalID.Code) {
		text, ok := v.refused(err)
		if !ok { // it is unknown whether it was made: repeating it makes no second one
			return err
		}
		return v.showCheck(http.StatusConflict, text)
	}
	if err := v.Keep(clean(nil)); err != nil {
		return err
	}
	return v.done("/payments", "paid")
}
