package statement

import (
	"strconv"
	"strings"
	"time"

	"tenor/internal/calendar"
	"tenor/internal/credit"
	"tenor/internal/money"
)

// epoch dates PDF files: the paper itself says of when it is, and the same paper is to
// give the same bytes.
func epoch() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// Dollars writes an amount for people: $1,200.00, with a minus sign before it.
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

// Day writes a date for people: Feb 3, 2027.
func Day(d calendar.Date) string {
	if d == calendar.None {
		return ""
	}
	year, month, day := d.Civil()
	return month.String()[:3] + " " + strconv.Itoa(day) + ", " + strconv.Itoa(year)
}

// words are the kinds for people.
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

// Paper is the statement for people.
func (x *Company) Paper(lender string) Paper {
	line := x.Company
	p := Paper{
		Title:    "Statement",
		Subtitle: line.Name + ", " + Day(x.From) + " to " + Day(x.To),
		Facts: []Fact{
			{"Account", strconv.FormatInt(line.ID, 10)}, {"Lender", lender},
			{"Opening balance", Dollars(x.Opening)}, {"Closing balance", Dollars(x.Closing)},
			{"Unapplied credit", Dollars(x.Unapplied)},
			{"Credit limit", Dollars(line.Limit)}, {"Available", Dollars(line.Available())},
			{"Reserved", Dollars(line.Reserved)}, {"On hold", Dollars(line.OnHold)},
			{"Finance charge this year", Dollars(x.YearCharge)}, {"Fees this year", Dollars(x.YearFees)},
		},
	}
	sums := Table{Caption: "Summary", Columns: []Column{{"", false, .7}, {"Amount", true, .3}}}
	sums.Rows = append(sums.Rows, []string{"Opening balance", Dollars(x.Opening)})
	for _, k := range Kinds() {
		if x.Totals[k] != 0 {
			sums.Rows = append(sums.Rows, []string{k.words(), Dollars(x.Totals[k])})
		}
	}
	sums.Total = []string{"Closing balance", Dollars(x.Closing)}
	lines := Table{Caption: "Activity", Columns: []Column{{"Date", false, .14}, {"For", false, .14}, {"What", false, .22}, {"Order", false, .34}, {"Amount", true, .16}}}
	for _, l := range x.Lines {
		lines.Rows = append(lines.Rows, []string{Day(l.Date), Day(l.Value), l.Kind.words(), l.Order, Dollars(l.Amount)})
	}
	p.Tables = []Table{sums, ordersTable(x.Orders), lines}
	p.Notes = []string{
		"You may pay an order off at any time without a penalty; ask for its payoff amount.",
		"Tell us within 60 days if a line of this statement is wrong or a debit was not authorized.",
	}
	return p
}

func ordersTable(orders []Order) Table {
	t := Table{Caption: "Orders", Columns: []Column{
		{"Order", false, .34}, {"Number", false, .16}, {"Captured", false, .14}, {"Amount", true, .12}, {"Opening", true, .12}, {"Closing", true, .12},
	}}
	for _, o := range orders {
		t.Rows = append(t.Rows, []string{
			o.Order.Key, o.Order.MerchantOrderID, Day(o.Order.CaptureDate), Dollars(o.Order.Captured), Dollars(o.Opening), Dollars(o.Closing),
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

// PayoutPaper is a payout for the merchant (F38).
func PayoutPaper(x *credit.Payout, lines []*credit.PayoutLine, lender, merchant string, carried money.Amount) Paper {
	p := Paper{
		Title: "Payout " + x.ID, Subtitle: merchant,
		Facts: []Fact{{"Date", Day(x.Date)}, {"Status", string(x.Status)}, {"Lender", lender}, {"Transfer", x.Transfer}},
	}
	sums := Table{Caption: "Summary", Columns: []Column{{"", false, .7}, {"Amount", true, .3}}, Rows: [][]string{
		{"Captured", Dollars(x.Gross)}, {"Discount", Dollars(-x.Discount)}, {"Refunded before payout", Dollars(-x.Refunds)},
		{"Repaid to you", Dollars(x.Repaid)}, {"Clawbacks", Dollars(-x.Clawback)}, {"Collected by you", Dollars(-x.Collected)},
	}, Total: []string{"Paid out", Dollars(x.Net)}}
	if carried != 0 {
		sums.Rows = append(sums.Rows, []string{"Carried to the next payout", Dollars(-carried)})
	}
	t := Table{Caption: "Lines", Columns: []Column{{"What", false, .16}, {"Order", false, .4}, {"Due", false, .14}, {"Amount", true, .15}, {"Netted", true, .15}}}
	for _, l := range lines {
		amount := l.Amount
		if l.Kind.Owes() {
			amount = -amount
		}
		t.Rows = append(t.Rows, []string{string(l.Kind), l.Order, Day(l.Due), Dollars(amount), Dollars(l.Netted)})
	}
	p.Tables = []Table{sums, t}
	return p
}
