package statement

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// epoch dates PDF files: the paper states its own date, and the same paper must give the
// same bytes.
func epoch() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// Dollars formats an amount for people: $1,200.00, with a leading minus sign.
func Dollars(a money.Amount) string {
	sign := ""
	if a < 0 {
		sign, a = "-", -a
	}
	whole, cents, _ := strings.Cut(a.String(), ".")
	var b strings.Builder
	for i, r := range whole {
		if i > 0 && (len(whole)-i)%3 == 0 {
			b.WriteByte(',')
		}
		b.WriteRune(r)
	}
	return sign + "$" + b.String() + "." + cents
}

// Day formats a date for people: Feb 3, 2027.
func Day(d calendar.Date) string {
	if d == calendar.None {
		return ""
	}
	year, month, day := d.Civil()
	return month.String()[:3] + " " + strconv.Itoa(day) + ", " + strconv.Itoa(year)
}

// words returns a kind's text for people.
func (k Kind) words() string {
	switch k {
	case Purchase:
		return "Purchases"
	case Charge:
		return "Finance charge"
	case Fee:
		return "Fees"
	case Payment:
		return "Payments"
	case Refund:
		return "Refunds by merchants"
	case Reversal:
		return "Payments that came back"
	}
	return "Adjustments"
}

// key is a company's number as shown to people.
func key(id int64) string { return strconv.FormatInt(id, 10) }

// Lender is the sender of the papers.
type Lender struct {
	Name    string
	Contact string // how to reach it, "" if not set
}

// Notice is a statement's text about a company's rights. Counsel must review the texts.
type Notice struct{ Kind, Text string }

// Notices returns those on each statement of a company.
func Notices(l Lender) []Notice {
	contact := "Ask " + l.Name + " about anything on this statement."
	if l.Contact != "" {
		contact = "Ask " + l.Name + " about anything on this statement: " + l.Contact + "."
	}
	return []Notice{
		{"PAYOFF", "You may pay an order off at any time without a penalty. The balances above are not payoff amounts, because charge goes on from day to day: ask for a quote, which is good through a date."},
		{"CONTACT", contact},
		{"ERROR", "If you think that a line of this statement is wrong, or that a debit was not authorized, tell us within 60 days of its date, with the order and the amount. We look into it and answer in writing."},
		{"DISPUTE", "If goods have not come or are not as agreed, ask the merchant first, and tell us. While a dispute is looked into we can hold the order: it is not debited then, no late fee is charged, and the days do not count as late."},
	}
}

// Paper is the statement for people.
func (x *Company) Paper(lender Lender) Paper {
	line := x.Company
	p := Paper{
		Title:    "Statement",
		Subtitle: line.Name + ", " + Day(x.From) + " to " + Day(x.To),
		Facts: []Fact{
			{"Account", key(line.ID)}, {"Lender", lender.Name},
			{"Opening balance", Dollars(x.Opening)}, {"Closing balance", Dollars(x.Closing)},
			{"Unapplied credit", Dollars(x.Unapplied)},
			{"Credit limit", Dollars(line.Limit)}, {"Available", Dollars(line.Available())},
			{"Reserved", Dollars(line.Reserved)}, {"Outstanding", Dollars(line.Outstanding)}, {"On hold", Dollars(line.OnHold)},
			{"Finance charge this year", Dollars(x.YearCharge)}, {"Fees this year", Dollars(x.YearFees)},
		},
	}
	sums := Table{Caption: "Summary", Columns: []Column{{"What", false, .7}, {"Amount", true, .3}}}
	sums.Rows = append(sums.Rows, []string{"Opening balance", Dollars(x.Opening)})
	for _, k := range Kinds() {
		if x.Totals[k] != 0 {
			sums.Rows = append(sums.Rows, []string{k.words(), Dollars(x.Totals[k])})
		}
	}
	sums.Total = []string{"Closing balance", Dollars(x.Closing)}
	lines := Table{Caption: "Activity", Columns: []Column{
		{"Date", false, .13}, {"For", false, .13}, {"What", false, .21}, {"By", false, .17}, {"Order", false, .2}, {"Amount", true, .16},
	}}
	for _, l := range x.Lines {
		by := string(l.Method)
		if l.State == Undone && l.Kind == Payment {
			by += ", came back"
		}
		lines.Rows = append(lines.Rows, []string{Day(l.Date), Day(l.Value), l.Kind.words(), by, x.number(l.Order), Dollars(l.Amount)})
	}
	p.Tables = []Table{sums, ordersTable(x.Orders), lines}
	if t, some := x.creditTable(); some {
		p.Tables = append(p.Tables, t)
	}
	p.Tables = append(p.Tables, x.dueTable(), x.lateTable())
	for _, n := range Notices(lender) {
		p.Notes = append(p.Notes, n.Text)
	}
	return p
}

// number is the merchant's own number of an order, or its key if there is none.
func (x *Company) number(key string) string {
	for _, o := range x.Orders {
		if o.Order.Key == key && o.Order.MerchantOrderID != "" {
			return o.Order.MerchantOrderID
		}
	}
	return key
}

func (x *Company) dueTable() Table {
	t := Table{Caption: "Due in the next " + strconv.Itoa(DueDays) + " days", Columns: []Column{{"Date", false, .2}, {"Order", false, .4}, {"Installment", true, .2}, {"Amount", true, .2}}}
	sum := money.Amount(0)
	for _, d := range x.Due {
		sum = sum.Add(d.Amount)
		t.Rows = append(t.Rows, []string{Day(d.Date), x.number(d.Order), strconv.Itoa(d.Installment), Dollars(d.Amount)})
	}
	t.Total = []string{"Total", "", "", Dollars(sum)}
	return t
}

func (x *Company) lateTable() Table {
	t := Table{Caption: "Past due", Columns: []Column{{"Days", false, .7}, {"Amount", true, .3}}}
	sum := money.Amount(0)
	for _, b := range x.PastDue {
		days := strconv.Itoa(b.From) + " or more"
		if b.To > 0 {
			days = strconv.Itoa(b.From) + " to " + strconv.Itoa(b.To)
		}
		sum = sum.Add(b.Amount)
		t.Rows = append(t.Rows, []string{days, Dollars(b.Amount)})
	}
	t.Total = []string{"Total", Dollars(sum)}
	return t
}

func ordersTable(orders []Order) Table {
	t := Table{Caption: "Orders", Columns: []Column{
		{"Number", false, .17}, {"Merchant", false, .2}, {"Captured", false, .13}, {"Status", false, .11}, {"Amount", true, .13}, {"Opening", true, .13}, {"Remaining", true, .13},
	}}
	for _, o := range orders {
		number := o.Order.MerchantOrderID
		if number == "" {
			number = o.Order.Key
		}
		t.Rows = append(t.Rows, []string{
			number, o.Merchant, Day(o.Order.CaptureDate), string(o.Order.Financing), Dollars(o.Order.Captured), Dollars(o.Opening), Dollars(o.Closing),
		})
	}
	return t
}

// InvoicePaper is an invoice for people.
func InvoicePaper(i *credit.Invoice, o *credit.Order, company *credit.Company, lender, merchant string) Paper {
	p := Paper{
		Title:    "Invoice " + i.Number,
		Subtitle: company.Name,
		Facts: []Fact{
			{"Invoice", i.Number}, {"Order", o.Key}, {"Merchant", merchant}, {"Merchant's order", o.MerchantOrderID}, {"Lender", lender},
			{"Issued", Day(o.CaptureDate)}, {"Due", Day(i.DueDate)}, {"Status", string(i.Status)},
		},
	}
	t := Table{Caption: "Lines", Columns: []Column{{"Date", false, .18}, {"What", false, .58}, {"Amount", true, .24}}}
	for _, l := range i.Lines {
		t.Rows = append(t.Rows, []string{Day(l.Date), l.Description, Dollars(l.Amount)})
	}
	t.Rows = append(t.Rows, []string{"", "Paid", Dollars(-i.Paid)})
	t.Total = []string{"", "Balance", Dollars(i.AmountDue.Sub(i.Paid))}
	p.Tables = []Table{t}
	return p
}

// PayoutFacts is what a payout's own record does not contain.
type PayoutFacts struct {
	Trace            string            // of its file entry at the bank, "" if not sent
	DiscountReturned money.Amount      // for the refunds included
	Carried          money.Amount      // what the merchant still owed after it
	Numbers          map[string]string // the merchant's own numbers of orders, by key
}

// FactsOf collects the facts of a payout with its lines. Orders are those of the lines, and
// parts all lines of these orders: a clawback may be netted from several payouts.
func FactsOf(lines []*credit.PayoutLine, orders map[string]*credit.Order, parts []*credit.PayoutLine, carried money.Amount) PayoutFacts {
	f := PayoutFacts{Carried: carried, Numbers: map[string]string{}}
	for _, l := range lines {
		o := orders[l.Order]
		if o != nil {
			f.Numbers[l.Order] = o.MerchantOrderID
		}
		switch {
		case o == nil:
		case l.Kind == credit.LineCapture:
			f.DiscountReturned = f.DiscountReturned.Add(o.Discount.Sub(l.Discount))
		case l.Kind == credit.LineClawback:
			for _, r := range o.Refunds {
				if r.ID == l.Source {
					before, whole := beforePart(l, parts)
					share := money.Cumulative(r.Discount, before.Add(l.Amount), whole).Sub(money.Cumulative(r.Discount, before, whole))
					f.DiscountReturned = f.DiscountReturned.Add(share)
				}
			}
		}
	}
	return f
}

// beforePart returns how much of a clawback had been taken before a part of it, and the
// whole. The part that waited, the first one, is what was left at the end. If it was
// debited and the debit was returned, the same amount waits again as another part, of which
// others may be taken.
func beforePart(l *credit.PayoutLine, parts []*credit.PayoutLine) (before, whole money.Amount) {
	of := slices.DeleteFunc(slices.Clone(parts), func(x *credit.PayoutLine) bool { return x.Kind != l.Kind || x.Source != l.Source })
	slices.SortFunc(of, func(a, b *credit.PayoutLine) int { return cmp.Compare(a.ID, b.ID) })
	for len(of) > 0 {
		n := 1
		for n < len(of) && !waited(of[n]) {
			n++
		}
		taken := append(slices.Clone(of[1:n]), of[0])
		if of = of[n:]; len(of) > 0 && taken[n-1].Debited() {
			taken = taken[:n-1] // the last one was returned, and waits again as of[0]
		}
		for _, x := range taken {
			if x.ID == l.ID {
				before = whole
			}
			whole = whole.Add(x.Amount)
		}
	}
	if whole == 0 { // only the line is known
		whole = l.Amount
	}
	return before, whole
}

// waited reports whether a line has waited, or still waits: one that was made from a part
// ended when it was made, in its first version.
func waited(l *credit.PayoutLine) bool { return l.Payout == "" || l.Version > 1 }

// PayoutPaper is a payout for the merchant (F38).
func PayoutPaper(x *credit.Payout, lines []*credit.PayoutLine, lender, merchant string, more PayoutFacts) Paper {
	p := Paper{
		Title: "Payout " + x.ID, Subtitle: merchant,
		Facts: []Fact{{"Date", Day(x.Date)}, {"Status", string(x.Status)}, {"Lender", lender}, {"Transfer", x.Transfer}, {"Trace number", more.Trace},
			{"Discount given back", Dollars(more.DiscountReturned) + ", for refunds, in these figures"}, {"Carried", Dollars(more.Carried) + ", still owed after it"},
		},
	}
	sums := Table{Caption: "Summary", Columns: []Column{{"What", false, .7}, {"Amount", true, .3}}, Rows: [][]string{
		{"Captured", Dollars(x.Gross)}, {"Discount", Dollars(-x.Discount)}, {"Refunded before payout", Dollars(-x.Refunds)},
		{"Repaid to you", Dollars(x.Repaid)}, {"Clawbacks", Dollars(-x.Clawback)}, {"Collected by you", Dollars(-x.Collected)},
	}, Total: []string{"Paid out", Dollars(x.Net)}}
	t := Table{Caption: "Lines", Columns: []Column{{"What", false, .16}, {"Order", false, .4}, {"Due", false, .14}, {"Amount", true, .15}, {"Netted", true, .15}}}
	for _, l := range lines {
		amount := l.Amount
		if l.Kind.Owes() {
			amount = -amount
		}
		t.Rows = append(t.Rows, []string{string(l.Kind), cmp.Or(more.Numbers[l.Order], l.Order), Day(l.Due), Dollars(amount), Dollars(l.Netted)})
	}
	p.Tables = []Table{sums, t}
	return p
}
