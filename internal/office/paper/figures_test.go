package paper

import (
	"bytes"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/buyer"
	"tenor/internal/proof/suite"
)

var (
	rowOf  = regexp.MustCompile(`(?s)<tr><th scope="row">(.*?)</th>(.*?)</tr>`)
	cellOf = regexp.MustCompile(`(?s)<td[^>]*>(.*?)</td>`)
)

// line is a row of a page's table: its heading and its cells.
type line struct {
	name  string
	cells []string
}

// lines returns the rows of a page's table with a caption.
func lines(t tester, page, caption string) (out []line) {
	t.Helper()
	_, rest, found := strings.Cut(page, "<caption>"+caption+"</caption>")
	if !found {
		t.Fatalf("there is no table %q", caption)
	}
	body, _, _ := strings.Cut(rest, "</table>")
	for _, m := range rowOf.FindAllStringSubmatch(body, -1) {
		l := line{name: m[1]}
		for _, c := range cellOf.FindAllStringSubmatch(m[2], -1) {
			l.cells = append(l.cells, html.UnescapeString(c[1]))
		}
		out = append(out, l)
	}
	return out
}

// cents parses an amount as people write it, independently of the code that formats it.
func cents(t tester, text string) money.Amount {
	t.Helper()
	a, err := money.Parse(strings.NewReplacer("$", "", ",", "").Replace(text))
	if err != nil {
		t.Fatalf("%q is no amount: %v", text, err)
	}
	return a
}

func find(papers []buyer.Paper, kind, media string) buyer.Paper {
	return papers[slices.IndexFunc(papers, func(p buyer.Paper) bool { return p.Kind == kind && strings.HasPrefix(p.ContentType, media) })]
}

// checkFigures compares a disclosure's page with the disclosure, to the cent.
func checkFigures(t tester, in Input) {
	t.Helper()
	x := in.Disclosure
	in.Master = false
	page := string(find(made(t, in), credit.DocumentDisclosure, "text/html").Data)
	c, err := readKeys("en-US", "disclosure", x.Template)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		rowFunding: x.Funding.String(), rowItemization: x.Funding.String(), rowRecipient: x.Recipient.String(), rowCharge: x.FinanceCharge.String(),
		rowTotal: x.TotalPayments.String(), rowPayment: x.Payment.String(), rowAverage: x.Average.String(),
	}
	rows := lines(t, page, "Cost of this financing")
	for _, key := range form(x.Template) {
		i := slices.IndexFunc(rows, func(l line) bool { return l.name == c.say(key) })
		if i < 0 {
			t.Fatalf("%s: there is no row %s", x.Template, key)
		}
		if amount, ok := want[key]; ok && cents(t, rows[i].cells[0]).String() != amount {
			t.Errorf("%s: %s is %s instead of %s", x.Template, key, rows[i].cells[0], amount)
		}
		if rate := fmt.Sprintf("%d.%02d%%", x.APR/100, x.APR%100); key == rowAPR && rows[i].cells[0] != rate || key == rowCharge && !slices.Contains(form(x.Template), rowAPR) && !strings.Contains(rows[i].cells[1], rate) {
			t.Errorf("%s: %s says %q, and the APR is %s", x.Template, key, rows[i].cells, rate)
		}
		if key == rowTerm && !strings.HasPrefix(rows[i].cells[0], strconv.Itoa(x.TermMonths)+" month") {
			t.Errorf("the term is %s instead of %d", rows[i].cells[0], x.TermMonths)
		}
	}
	checkPayments(t, x, lines(t, page, "Payment schedule"))
}

// checkPayments compares the payments on a page with the rows of the schedule.
func checkPayments(t tester, x lending.Disclosure, rows []line) {
	t.Helper()
	if len(rows) != len(x.Rows)+1 || x.Count != len(x.Rows) {
		t.Fatalf("%d rows for %d payments", len(rows), len(x.Rows))
	}
	for i, r := range x.Rows {
		year, month, day := r.DueDate.Civil()
		got := rows[i].cells
		if due := fmt.Sprintf("%s %d, %d", month.String()[:3], day, year); rows[i].name != strconv.Itoa(r.Number) || got[0] != due {
			t.Errorf("payment %d is %s of %s instead of %s", r.Number, rows[i].name, got[0], due)
		}
		if cents(t, got[1]) != r.Principal || cents(t, got[2]) != r.Charge || cents(t, got[3]) != r.Amount {
			t.Errorf("payment %d is %v instead of %+v", r.Number, got, r)
		}
	}
	sum := rows[len(rows)-1].cells
	if cents(t, sum[1]) != x.Funding || cents(t, sum[2]) != x.FinanceCharge || cents(t, sum[3]) != x.TotalPayments {
		t.Errorf("the sums are %v", sum)
	}
}

// Every figure on a disclosure is the schedule's, whatever the plan, amount, day and state.
func TestFigures(t *testing.T) {
	for _, state := range []string{"WA", "CA", "NY", "UT", "GA", "FL", "KS", "MO", ""} {
		for _, amount := range []string{"100.00", "1200.00", "5000.00", "99999.99"} {
			for _, x := range []credit.OrderTerms{
				terms(schedule.Amortized, 6, "0.120000", state), terms(schedule.Amortized, 24, "0.240000", state), terms(schedule.FlatFee, 12, "0.015000", state),
				terms(schedule.Zero, 9, "", state), terms(schedule.Net30, 1, "", state), {Plan: schedule.Amortized, Installments: 6, AnnualRate: 120_000, DueDay: 1, State: state},
			} {
				checkFigures(t, input(disclosure(t, x, amount)))
			}
		}
	}
}

func TestFiguresOfAnyOffer(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		plan := rapid.SampledFrom([]schedule.Plan{schedule.Amortized, schedule.FlatFee, schedule.Zero, schedule.Net30}).Draw(t, "plan")
		x := credit.OrderTerms{Plan: plan, Installments: rapid.IntRange(1, 60).Draw(t, "n"), State: rapid.SampledFrom([]string{"CA", "NY", "MO", "TX"}).Draw(t, "state"), DueDay: rapid.IntRange(0, 28).Draw(t, "day")}
		switch plan {
		case schedule.Net30:
			x.Installments, x.DueDay = 1, 0
		case schedule.Amortized:
			x.AnnualRate = money.Rate(rapid.IntRange(1, 400_000).Draw(t, "rate"))
		case schedule.FlatFee:
			x.MonthlyFeeRate = money.Rate(rapid.IntRange(1, 30_000).Draw(t, "rate"))
		}
		s := lending.DefaultSettings()
		s.LateFeeRate, s.LateFeeCap = money.Rate(rapid.IntRange(0, 100_000).Draw(t, "late")), money.Amount(rapid.IntRange(0, 10_000).Draw(t, "cap"))
		on := calendar.Of(2026, 1, 1).AddDays(rapid.IntRange(0, 800).Draw(t, "on"))
		d, r := lending.Disclose(x, &s, money.Amount(rapid.IntRange(10_000, 300_000_000).Draw(t, "amount")), on)
		if r != nil {
			t.Skip(r)
		}
		checkFigures(t, input(d))
	})
}

// pdfText is the readable text of a PDF.
func pdfText(t *testing.T, data []byte) string {
	t.Helper()
	program := suite.Program(t, "poppler-utils", "pdftotext")
	file := filepath.Join(t.TempDir(), "paper.pdf")
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(program, "-layout", "-enc", "UTF-8", file, "-").CombinedOutput()
	if err != nil {
		t.Fatalf("pdftotext: %v\n%s", err, out)
	}
	return string(out)
}

// The PDF has the figures of the page: those of each row, and each payment on a line.
func TestPDFSaysTheSame(t *testing.T) {
	for _, x := range []credit.OrderTerms{
		terms(schedule.Amortized, 24, "0.240000", "NY"), terms(schedule.FlatFee, 12, "0.015000", "WA"), terms(schedule.Net30, 1, "", "UT"), terms(schedule.Zero, 9, "", "CA"),
	} {
		in := input(disclosure(t, x, "5000.00"))
		papers := made(t, in)
		text := strings.Join(strings.Fields(pdfText(t, find(papers, credit.DocumentDisclosure, "application/pdf").Data)), " ")
		page := string(find(papers, credit.DocumentDisclosure, "text/html").Data)
		for _, l := range lines(t, page, "Payment schedule") {
			if want := strings.Join(strings.Fields(l.name+" "+strings.Join(l.cells, " ")), " "); !strings.Contains(text, want) {
				t.Errorf("%s: the PDF lacks %q", x.Plan, want)
			}
		}
		for _, l := range lines(t, page, "Cost of this financing") {
			if !strings.Contains(text, strings.Fields(l.name)[0]+" ") || !strings.Contains(text, l.cells[0]) {
				t.Errorf("%s: the PDF lacks %s with %s", x.Plan, l.name, l.cells[0])
			}
		}
		agreement := strings.Join(strings.Fields(pdfText(t, find(papers, credit.DocumentAgreement, "application/pdf").Data)), " ")
		for _, want := range []string{"APR) is 0.00%", "finance charge of", "1. What this is", "Page 1 of 2"} {
			has := strings.Contains(agreement, want)
			if free := in.Disclosure.FinanceCharge == 0; strings.HasPrefix(want, "APR") && has != free || want == "finance charge of" && has == free || strings.Contains(want, "1") && !has {
				t.Errorf("%s: the agreement has %q: %v", x.Plan, want, has)
			}
		}
	}
}

// A long schedule continues on further pages, each with the column names.
func TestPDFOnPages(t *testing.T) {
	data := find(made(t, input(disclosure(t, terms(schedule.Amortized, 36, "0.120000", "WA"), "60000.00"))), credit.DocumentDisclosure, "application/pdf").Data
	if n := bytes.Count(data, []byte("/Type /Page\n")); n != 3 {
		t.Errorf("%d pages", n)
	}
	if n := strings.Count(pdfText(t, data), "Due date"); n != 2 {
		t.Errorf("the names of the columns stand on %d pages", n)
	}
}
