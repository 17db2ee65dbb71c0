package accountpages

import (
	"net/http"
	"strconv"
	"unicode"
	"unicode/utf8"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
)

// home is the first page: the line and the next payment side by side, then orders, then payments
// and autopay.
type home struct {
	Available, Of, Ask        string
	AskHref                   string
	Meter                     design.Meter
	Next, NextText            string
	NextLinks                 []design.Link
	OrdersHead, PaymentsHead  design.Heading
	Orders                    design.Table
	Payments                  []item
	NoPayments                string
	AutopayHead               design.Heading
	Accounts                  []item
	Debits                    []debit
	DebitsTitle, AutopayText  string
	AutopayLink               *design.Link
	LineTitle, NextTitle, Per string
}

// debit is an upcoming autopay debit.
type debit struct{ Day, Order, Amount string }

// Lists of the first page are short.
const (
	homeOrders   = 5
	homePayments = 5
	homeDebits   = 3
)

func (v *visit) home() error {
	b, err := v.book()
	if err != nil {
		return err
	}
	c := b.Company
	h := &home{
		LineTitle: v.Say("a.available"), Available: v.Money(max(c.Available(), 0)), Of: v.Say("a.of", v.Money(c.Limit)),
		Meter: design.Meter{Used: max(c.Outstanding, 0), Held: max(c.Reserved, 0), Limit: c.Limit, Legend: true, Figures: []design.Figure{
			{Label: v.Say("a.used"), Value: v.Money(c.Outstanding)}, {Label: v.Say("a.reserved"), Value: v.Money(c.Reserved)},
		}},
		OrdersHead:   design.Heading{ID: "orders", Text: v.Say("a.tab.orders")},
		PaymentsHead: design.Heading{ID: "payments", Text: v.Say("a.recent"), Link: &design.Link{Text: v.Say("a.all.payments"), Href: Prefix + "/payments"}},
		Orders:       v.orderTable(b, b.Orders[:min(homeOrders, len(b.Orders))], true), Payments: v.paymentItems(b, homePayments, false), NoPayments: v.Say("a.payments.none"),
		NextTitle: v.Say("a.next"),
	}
	if c.OnHold > 0 { // without it the figures would not add up to the line
		h.Meter.Figures = append(h.Meter.Figures, design.Figure{Label: v.Say("a.clearing"), Value: v.Money(c.OnHold)})
	}
	if n := len(b.Orders); n > homeOrders {
		h.OrdersHead.Link = &design.Link{Text: v.Say("a.all.orders", n), Href: Prefix + "/orders"}
	}
	if v.owns() && c.Status == credit.CompanyApproved {
		h.Ask, h.AskHref = v.Say("a.more"), Prefix+"/line"
	}
	v.next(h, b)
	if err := v.homeAutopay(h, b); err != nil {
		return err
	}
	notices := v.warnings(b)
	nameless, err := v.nameless(c)
	if err != nil {
		return err
	}
	if nameless != nil {
		notices = append(notices, *nameless)
	}
	today := v.Day(b.Today)
	return v.show(http.StatusOK, page{
		Shell: v.shell("home", v.Say("a.tab.home")), Title: design.Title{Text: c.Name, Lead: v.weekday(b.Today) + ", " + today}, Notices: notices, Home: h,
	})
}

// nameless asks a visitor for her name once she has colleagues, who need it.
func (v *visit) nameless(c *credit.Company) (*design.Notice, error) {
	if len(c.Servicing.People) < 2 {
		return nil, nil
	}
	who, err := v.Desk.Contact(v.Ctx(), v.Person)
	if err != nil || who.Name() != "" {
		return nil, err
	}
	return &design.Notice{
		Icon: "user", Title: v.Say("a.nameless"), Text: v.Say("you.nameless"), Act: &design.Button{Text: v.Say("you.name.add"), Href: Prefix + "/you/name", Emphasis: design.Outline},
	}, nil
}

// weekday returns the name of a day of the week.
func (v *visit) weekday(d calendar.Date) string {
	return v.Say("weekday." + strconv.Itoa(int(d.Weekday())))
}

// next shows what is due next, and the available actions.
func (v *visit) next(h *home, b *buyer.Book) {
	next := b.Next(1)
	if len(next) == 0 {
		h.Next, h.NextText = v.Say("a.nothing"), v.Say("a.nothing.text")
		return
	}
	x := next[0]
	h.Next = v.Money(x.Row.Outstanding)
	due := x.Row.DueDate
	h.NextText = v.Say("a.next.due", orderName(x.Owed.Order), v.weekday(due), v.Day(due))
	if m := b.Method(b.Company.AutopayOf(x.Owed.Order.Merchant).Method); m != nil && v.debits(b, x.Owed.Order) {
		if on := x.Row.CollectionDate; on == due {
			h.NextText += " " + v.Say("a.next.same")
		} else {
			h.NextText += " " + v.Say("a.next.debited", v.weekday(on), v.Day(on))
		}
	}
	if x.Owed.Coming > 0 {
		h.NextText += " " + v.Say("a.coming", v.Money(x.Owed.Coming))
	}
	past, _ := b.PastDue()
	if past > 0 {
		h.NextText += " " + v.Say("a.next.besides", v.Money(past))
	}
	if !v.pays() {
		return
	}
	if past == 0 { // otherwise the late amount is paid first, with the button next to it
		h.NextLinks = []design.Link{{Text: v.Say("a.pay.now"), Href: Prefix + "/pay?order=" + x.Owed.Order.Key}}
	}
	h.NextLinks = append(h.NextLinks, design.Link{Text: v.Say("a.pay.all"), Href: Prefix + "/pay"})
}

// debits reports whether autopay debits the installments of an order.
func (v *visit) debits(b *buyer.Book, o *credit.Order) bool {
	a := b.Company.AutopayOf(o.Merchant)
	m := b.Method(a.Method)
	return a.Enabled && m != nil && m.Usable() && b.Company.AutopayPaused() == "" && !o.External
}

// warnings returns the problems, the worst first.
func (v *visit) warnings(b *buyer.Book) (out []design.Notice) {
	c := b.Company
	if sum, days := b.PastDue(); sum > 0 {
		n := design.Notice{Tone: design.Bad, Heading: "late", Figure: v.Money(sum), Badge: &design.Badge{Tone: design.Bad, Text: v.days(days)}, Text: v.lateText(b)}
		_, arrives := v.Desk.Settles()
		if left := unmet(b, arrives); v.pays() && left > 0 { // otherwise it is already on its way, and pressing would pay it twice
			n.Act = &design.Button{Text: v.Say("a.pay.amount", v.Money(left)), Emphasis: design.Primary, Href: Prefix + "/pay?what=late"}
		}
		out = append(out, n)
	}
	if c.Servicing.Unsigned {
		n := design.Notice{Tone: design.Warn, Icon: "file-pen-line", Title: v.Say("a.unsigned"), Text: v.Say("a.unsigned.text")}
		if v.owns() {
			n.Act = &design.Button{Text: v.Say("a.unsigned.go"), Href: Prefix + "/sign", Emphasis: design.Outline}
		}
		out = append(out, n)
	}
	if c.Status != credit.CompanyApproved {
		out = append(out, design.Notice{Tone: design.Warn, Icon: "circle-alert", Title: v.Say("a.status." + string(c.Status)), Text: v.Say("a.status.text", v.Ask())})
	}
	if c.AutopayPaused() != "" {
		out = append(out, design.Notice{Tone: design.Warn, Icon: "landmark", Title: v.Say("a.paused"), Text: v.Say("a.paused.text", v.Ask())})
	}
	if sum := b.Credit(); sum > 0 {
		out = append(out, design.Notice{Icon: "badge-dollar-sign", Title: v.Say("a.credit", v.Money(sum)), Text: v.Say("a.credit.text", v.Ask())})
	}
	for _, m := range b.Methods {
		if m.Status == credit.MethodUnverified && m.Verification != nil && v.owns() {
			out = append(out, design.Notice{
				Tone: design.Warn, Icon: "landmark", Title: v.Say("a.prove", v.Account(m)), Text: v.Say("a.prove.text", v.Day(m.Verification.ExpiresOn)),
				Act: &design.Button{Text: v.Say("a.prove.go"), Href: Prefix + "/banks/verify?account=" + m.ID, Emphasis: design.Outline},
			})
		}
	}
	return out
}

// lateness is an order's late amount, the fees in it, and since when.
type lateness struct {
	Sum, Fees money.Amount
	Since     calendar.Date
}

func late(o *buyer.Owed) (x lateness) {
	for _, r := range o.View.Rows {
		if r.Status != schedule.RowOverdue {
			continue
		}
		if x.Sum == 0 {
			x.Since = r.DueDate
		}
		x.Sum, x.Fees = x.Sum.Add(r.Outstanding), x.Fees.Add(r.Fees)
	}
	return x
}

func (v *visit) days(n int) string {
	if n == 1 {
		return v.Say("a.late.day")
	}
	return v.Say("a.late.days", n)
}

// lateText says what is late, order by order, and why a debit was returned.
func (v *visit) lateText(b *buyer.Book) string {
	text := ""
	add := func(sentence string) {
		if text != "" {
			text += " "
		}
		text += sentence
	}
	for _, o := range b.Open() {
		switch x := late(o); {
		case x.Sum == 0:
		case x.Fees > 0:
			add(v.Say("a.late.fees", orderName(o.Order), v.Money(x.Sum), v.Day(x.Since), v.Money(x.Fees)))
		default:
			add(v.Say("a.late.order", orderName(o.Order), v.Money(x.Sum), v.Day(x.Since)))
		}
	}
	if coming := b.Coming(); coming > 0 {
		add(v.Say("a.coming", v.Money(coming)))
	}
	return text
}

// homeAutopay shows the next autopay debits, account by account.
func (v *visit) homeAutopay(h *home, b *buyer.Book) error {
	h.AutopayHead = design.Heading{ID: "autopay", Text: v.Say("repay.later")}
	h.AutopayHead.Badge = &design.Badge{Text: v.Say("a.off")}
	seen := map[string]bool{}
	for _, o := range b.Open() {
		if !v.debits(b, o.Order) {
			continue
		}
		m := b.Method(b.Company.AutopayOf(o.Order.Merchant).Method)
		if !seen[m.ID] {
			seen[m.ID] = true
			x := item{Icon: "landmark", Text: capital(v.Account(m))}
			if v.owns() {
				x.Acts = []act{{Text: v.Say("people.change"), Label: v.Say("repay.later"), Href: Prefix + "/autopay"}}
			}
			h.Accounts = append(h.Accounts, x)
		}
	}
	for _, x := range b.Next(50) {
		if len(h.Debits) < homeDebits && v.debits(b, x.Owed.Order) {
			h.Debits = append(h.Debits, debit{v.Language.Day(x.Row.CollectionDate), orderName(x.Owed.Order), v.Money(x.Row.Outstanding)})
		}
	}
	on := false
	for _, id := range b.Company.Linked {
		on = on || b.Company.AutopayOf(id).Enabled
	}
	switch {
	case b.Company.AutopayPaused() != "":
		h.AutopayHead.Badge = &design.Badge{Tone: design.Warn, Text: v.Say("a.paused")}
	case on:
		h.AutopayHead.Badge = &design.Badge{Tone: design.Good, Text: v.Say("a.on")}
	}
	h.DebitsTitle, h.AutopayText = v.Say("a.debits"), v.Say("a.autopay.off")
	if on {
		h.AutopayText = v.Say("a.autopay.text")
	}
	if v.owns() {
		h.AutopayLink = &design.Link{Text: v.Say("a.autopay.change"), Href: Prefix + "/autopay"}
	}
	return nil
}

// capital capitalizes the first letter of a text.
func capital(s string) string {
	r, n := utf8.DecodeRuneInString(s)
	return string(unicode.ToUpper(r)) + s[n:]
}
