package statement

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

func TestDollars(t *testing.T) {
	for text, want := range map[string]string{"0.00": "$0.00", "1.05": "$1.05", "999.00": "$999.00", "1200.00": "$1,200.00", "1234567.89": "$1,234,567.89"} {
		if got := Dollars(money.MustParse(text)); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	if got := Dollars(-money.MustParse("1200.00")); got != "-$1,200.00" {
		t.Error(got)
	}
}

func TestDay(t *testing.T) {
	if got := Day(calendar.Of(2027, 2, 3)); got != "Feb 3, 2027" {
		t.Error(got)
	}
	if got := Day(calendar.None); got != "" {
		t.Error(got)
	}
}

func hostile() Paper {
	i := &credit.Invoice{Number: "INV-1", DueDate: calendar.Of(2026, 7, 15), AmountDue: 124235, Paid: 20706, Status: credit.InvoiceOpen,
		Lines: []credit.InvoiceLine{{Description: "<script>alert(1)</script> & “long” " + strings.Repeat("very ", 60), Amount: 120000, Date: calendar.Of(2026, 1, 15)}}}
	o := &credit.Order{Key: "ord_1", MerchantOrderID: "PO-7781", CaptureDate: calendar.Of(2026, 1, 15)}
	return InvoicePaper(i, o, &credit.Company{Name: "Alder <b>Kitchens</b> ☃"}, "Lender", "Harbor Supply")
}

// A page escapes names, and contains the figures.
func TestHTML(t *testing.T) {
	var b bytes.Buffer
	if err := hostile().HTML(&b); err != nil {
		t.Fatal(err)
	}
	page := b.String()
	for _, bad := range []string{"<script", "<b>", "http://", "https://"} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, want := range []string{"&lt;script&gt;", "$1,035.29", "-$207.06", "Jul 15, 2026", `<th scope="col"`, `<div class="scroll" tabindex="0"><table>`, "overflow-wrap: anywhere"} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q", want)
		}
	}
}

// The same paper gives the same PDF bytes, on as many pages as needed.
func TestPDF(t *testing.T) {
	p := hostile()
	for range 200 {
		p.Tables[0].Rows = append(p.Tables[0].Rows, []string{"Jan 1, 2026", "a line", "$1.00"})
	}
	var a, b bytes.Buffer
	if err := p.PDF(&a); err != nil {
		t.Fatal(err)
	}
	if err := p.PDF(&b); err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(a.Bytes(), []byte("%PDF-")) || !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Errorf("%d and %d bytes that differ, or no PDF", a.Len(), b.Len())
	}
	n := bytes.Count(a.Bytes(), []byte("/Type /Page\n"))
	if n < 4 {
		t.Errorf("%d pages for 200 lines", n)
	}
	text := onPaper(t, p)
	if heads := strings.Count(text, "Date What Amount"); heads != n {
		t.Errorf("the columns are named on %d of %d pages", heads, n)
	}
	if rows := strings.Count(text, "Jan 1, 2026 a line $1.00"); rows != 200 {
		t.Errorf("%d of 200 lines", rows)
	}
}

// Wide text continues below: nothing is cut off, neither words nor a name without a space,
// and a text longer than a page continues on the next.
func TestPDFIsWhole(t *testing.T) {
	if got := strings.Count(onPaper(t, hostile()), "very"); got != 60 {
		t.Errorf("%d of 60 words", got)
	}
	p := hostile()
	p.Tables[0].Rows = [][]string{{"Jan 1, 2026", strings.Repeat("W", 500), "-$1,234,567,890.12"}, {"", strings.Repeat("word ", 5000), "$1.00"}}
	text := onPaper(t, p)
	if w, words := strings.Count(text, "W")-strings.Count(text, "What"), strings.Count(text, "word"); w != 500 || words != 5000 {
		t.Errorf("%d of 500 letters, %d of 5000 words", w, words)
	}
	if !strings.Contains(text, "-$1,234,567,890.12") {
		t.Error("an amount is broken")
	}
	p.Tables[0].Columns[2].Width, p.Tables[0].Rows = .05, [][]string{{"", "the most that there is", Dollars(money.Amount(math.MinInt64 + 1))}}
	if text := onPaper(t, p); !strings.Contains(text, "-$92,233,720,368,547,758.07") {
		t.Errorf("an amount is broken in a narrow column: %s", text)
	}
}

// A payout's advice adds up: captures minus deductions are what is paid, and it shows the
// trace, the discount given back and the carried amount (F38).
func TestPayoutPaper(t *testing.T) {
	x := &credit.Payout{ID: "po_1", Date: calendar.Of(2026, 4, 7), Gross: 500_00, Discount: 15_00, Refunds: 20_00, Repaid: 30_00, Clawback: 291_00, Collected: 10_00, Net: 194_00, Status: credit.PayoutSettled, Transfer: "trf_1"}
	orders := map[string]*credit.Order{
		"ord_1": {Key: "ord_1", MerchantOrderID: "PO-7781", Refunds: []credit.Refund{{ID: "rfd_1", Discount: 9_00}}}, "ord_2": {Key: "ord_2", Discount: 15_00},
	}
	lines := []*credit.PayoutLine{
		{Kind: credit.LineCapture, Order: "ord_2", Source: "ord_2", Gross: 500_00, Discount: 15_00, Amount: 465_00, Due: x.Date},
		{Kind: credit.LineClawback, Order: "ord_1", Source: "rfd_1", Amount: 291_00, Netted: 291_00, Due: x.Date},
	}
	facts := FactsOf(lines, orders, nil, 9_00)
	facts.Trace = "0000017"
	p := PayoutPaper(x, lines, "Harbor Credit", "Harbor Supply", facts)
	sum := money.Amount(0)
	for _, r := range p.Tables[0].Rows {
		sum = sum.Add(money.MustParse(strings.NewReplacer("$", "", ",", "").Replace(r[1])))
	}
	if sum != x.Net || p.Tables[0].Total[1] != Dollars(x.Net) {
		t.Errorf("the rows come to %s, paid out %q", sum, p.Tables[0].Total)
	}
	for _, table := range p.Tables {
		for _, c := range table.Columns {
			if c.Name == "" {
				t.Errorf("%s: a column has no name", table.Caption)
			}
		}
	}
	for form, text := range map[string]string{"page": onPage(t, p), "PDF": onPaper(t, p)} {
		for _, want := range []string{
			"Captured $500.00", "Discount -$15.00", "Refunded before payout -$20.00", "Clawbacks -$291.00", "Collected by you -$10.00", "Paid out $194.00",
			"Discount given back $9.00, for refunds, in these figures", "Carried $9.00, still owed after it", "Trace number 0000017", "CLAWBACK PO-7781 Apr 7, 2026 -$291.00 $291.00", "CAPTURE ord_2",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in\n%s", form, want, text)
			}
		}
	}
}

// The discount given back by a refund is shown once, however many payouts its clawback is
// netted from: each shows its share, and the shares add up (F13.6, F38).
func TestDiscountOfAClawbackInParts(t *testing.T) {
	orders := map[string]*credit.Order{"ord_1": {Key: "ord_1", Refunds: []credit.Refund{{ID: "rfd_1", Amount: 1_00, Discount: 10}, {ID: "rfd_2", Amount: 50, Discount: 5}}}}
	line := func(id string, refund string, amount money.Amount) *credit.PayoutLine { // the first one is what was left at the end
		return &credit.PayoutLine{ID: id, Kind: credit.LineClawback, Order: "ord_1", Source: refund, Amount: amount, Netted: amount, Payout: "po_1", Version: 1}
	}
	parts := []*credit.PayoutLine{line("pol_1", "rfd_1", 45), line("pol_3", "rfd_1", 22), line("pol_4", "rfd_1", 23), line("pol_2", "rfd_2", 45)}
	for _, test := range []struct {
		in   []*credit.PayoutLine
		want money.Amount
	}{
		{parts[1:2], 2}, {parts[2:3], 3}, {parts[:1], 5}, {parts[:3], 10}, {parts[3:], 5}, {parts, 15},
		{[]*credit.PayoutLine{{ID: "pol_9", Kind: credit.LineClawback, Source: "ent_1", Amount: 90, Netted: 90}}, 0}, // it names no order
	} {
		if got := FactsOf(test.in, orders, parts, 0).DiscountReturned; got != test.want {
			t.Errorf("%d lines from %s on: %s, must be %s", len(test.in), test.in[0].ID, got, test.want)
		}
	}
}

// A clawback whose debit is returned waits again: what it had given before, and what it
// gives afterwards, are shares of the one discount, and what a payout has shown never
// changes.
func TestDiscountOfAClawbackThatCameBack(t *testing.T) {
	orders := map[string]*credit.Order{"ord_1": {Key: "ord_1", Refunds: []credit.Refund{{ID: "rfd_1", Amount: 1_00, Discount: 10}}}}
	line := func(id string, amount money.Amount, by string, version int) *credit.PayoutLine {
		return &credit.PayoutLine{ID: id, Kind: credit.LineClawback, Order: "ord_1", Source: "rfd_1", Amount: amount, Payout: by, Version: version}
	}
	netted, debited := line("pol_2", 22, "po_1", 1), line("pol_1", 68, "trf_1", 4)
	again, part, last := line("pol_3", 68, "", 1), line("pol_4", 23, "po_2", 1), line("pol_3", 45, "po_3", 3)
	for _, test := range []struct {
		why   string
		in    *credit.PayoutLine
		parts []*credit.PayoutLine
		want  money.Amount
	}{
		{"a part is netted", netted, []*credit.PayoutLine{line("pol_1", 68, "", 2), netted}, 2},
		{"the rest is debited", netted, []*credit.PayoutLine{debited, netted}, 2},
		{"the debit comes back", netted, []*credit.PayoutLine{debited, netted, again}, 2},
		{"the same, at the end", netted, []*credit.PayoutLine{debited, netted, last, part}, 2},
		{"a part of what came back", part, []*credit.PayoutLine{debited, netted, line("pol_3", 45, "", 2), part}, 3},
		{"the same, at the end", part, []*credit.PayoutLine{debited, netted, last, part}, 3},
		{"what was left", last, []*credit.PayoutLine{debited, netted, last, part}, 5},
		{"and netted at last", line("pol_5", 45, "po_3", 2), []*credit.PayoutLine{debited, netted, line("pol_3", 45, "trf_2", 3), part, line("pol_5", 45, "po_3", 2)}, 5},
	} {
		if got := FactsOf([]*credit.PayoutLine{test.in}, orders, test.parts, 0).DiscountReturned; got != test.want {
			t.Errorf("%s: %s, must be %s", test.why, got, test.want)
		}
	}
}

// A name is legible on a PDF whatever its letters: those that the fonts have are unchanged,
// other Latin ones lose their marks, and the rest is visibly missing.
func TestPDFNames(t *testing.T) {
	for name, want := range map[string]string{
		"Müller & Söhne €5": "M\xfcller & S\xf6hne \x805", "Łódź Győr Ğ": "L\xf3dz Gyor G", "Cafe\u0301": "Caf\xe9", "a. b.": "a. b.", "مرحبا": "?????", "株式会社": "????", "ﬁne": "fine",
	} {
		p := Paper{Title: "Paper", Subtitle: "[" + name + "]"}
		if text := onPaper(t, p); !strings.Contains(text, "["+want+"]") {
			t.Errorf("%q: %q", name, text)
		}
	}
}
