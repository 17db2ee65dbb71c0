package console

import (
	"encoding/csv"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/schedule"
	"tenor/internal/ui/design"
)

// lent sells to a company week after week: two orders of five are paid, the others are not.
func (r *rig) lent(orders int) {
	r.t.Helper()
	o, _ := r.sold()
	shop := credit.Actor{Client: "shop", Merchant: o.Merchant}
	for i := range orders {
		r.wall = r.wall.AddDate(0, 0, 3)
		x := r.act(shop, lending.CreateOrder{Company: o.Company, Amount: money.Amount(100_00 + 7*i), Installments: []int{3, 6, 12}[i%3], Authorize: true, MerchantOrderID: "W-" + strconv.Itoa(i)}).(*credit.Order)
		r.act(shop, lending.UpdateOrder{Order: x.Key, Status: credit.OrderCaptured})
		if i%5 < 2 {
			r.act(credit.Actor{Client: "system", Operator: true}, paid(x))
		}
	}
}

var dollars = regexp.MustCompile(`-?\$([0-9,]+\.[0-9]{2})`)

// amountsIn are the amounts in a text.
func amountsIn(text string) (out []money.Amount) {
	for _, x := range dollars.FindAllStringSubmatch(text, -1) {
		out = append(out, money.MustParse(strings.ReplaceAll(x[1], ",", "")))
	}
	return out
}

// rowsOf are the cells of the rows of the page's table.
func (b *browser) rowsOf(caption string) (out [][]string) {
	_, table, _ := strings.Cut(b.body, `aria-label="`+strings.ReplaceAll(caption, "+", "&#43;")+`"`)
	table, _, _ = strings.Cut(table, "</table>")
	_, table, _ = strings.Cut(table, "<tbody")
	for _, row := range strings.Split(table, "<tr")[1:] {
		var cells []string
		for _, c := range regexp.MustCompile(`(?s)<t[hd][^>]*>(.*?)</t[hd]>`).FindAllStringSubmatch(row, -1) {
			cells = append(cells, html.UnescapeString(strings.TrimSpace(regexp.MustCompile(`<[^>]*>`).ReplaceAllString(c[1], " "))))
		}
		out = append(out, cells)
	}
	return out
}

// walked sums the last amount of each row of a list, page after page.
func (b *browser) walked(path, caption string) (rows int, sum money.Amount) {
	b.t.Helper()
	for path != "" {
		if code := b.get(path); code != http.StatusOK {
			b.t.Fatalf("%s: %d", path, code)
		}
		for _, row := range b.rowsOf(caption) {
			if list := amountsIn(row[len(row)-1]); len(list) == 1 {
				rows, sum = rows+1, sum.Add(list[0])
			}
		}
		next := regexp.MustCompile(`href="([^"]*after=[^"]*)"`).FindStringSubmatch(b.body)
		if path = ""; next != nil {
			path = html.UnescapeString(next[1])
		}
	}
	return rows, sum
}

// Each bucket of days past due is what the loans show, each bar leads to orders that add up to it, and
// the file has what the page shows.
func TestPortfolio(t *testing.T) {
	r := newRig(t)
	r.lent(64)
	b, _, _ := r.enrolled("finn@lender.example", permit.Finance)
	today := r.desk.Zone.Date(r.wall)
	want, orders := map[credit.Bucket]money.Amount{}, map[credit.Bucket]int{}
	if err := r.desk.Store.View(t.Context(), func(v store.View) error {
		return store.EachOrder(v, func(o *credit.Order, l *schedule.Loan) error {
			if l != nil && l.UnpaidPrincipal() > 0 {
				bucket, principal := compliance.ProvisionPart(o, l, today)
				want[bucket] = want[bucket].Add(principal)
				orders[bucket]++
			}
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	m := design.Language("en-US").Money
	b.get(Prefix + "/reports")
	report := b.body
	months := b.rowsOf("Principal by days past due at month ends")
	filled := 0
	for i, bucket := range credit.Buckets() {
		if want[bucket] > 0 {
			filled++
		}
		bar := regexp.MustCompile(`href="/console/reports/aging/` + string(bucket) + `".*?` + regexp.QuoteMeta(m(want[bucket])) + `</span>`)
		if !bar.MatchString(report) {
			t.Errorf("%s does not show %s", bucket, want[bucket])
		}
		if got := months[0][1+i]; got != m(want[bucket]) {
			t.Errorf("the table shows %s in %s, the loans %s", got, bucket, want[bucket])
		}
		title := "Orders: " + b.pages.texts.Say("bucket."+string(bucket))
		if rows, sum := b.walked(Prefix+"/reports/aging/"+string(bucket), title); rows != orders[bucket] || sum != want[bucket] {
			t.Errorf("%s leads to %d orders with %s, want %d with %s", bucket, rows, sum, orders[bucket], want[bucket])
		}
	}
	if filled < 5 || orders[credit.BucketCurrent] < 10 {
		t.Fatalf("only %d buckets are filled: %v", filled, orders)
	}
	b.get(Prefix + "/reports/files/portfolio.csv")
	file, err := csv.NewReader(strings.NewReader(b.last.Body.String())).ReadAll()
	if err != nil || len(file) != len(months)+1 {
		t.Fatalf("%d rows in the file, %d on the page: %v", len(file), len(months), err)
	}
	for i, row := range file[1:] {
		shown := months[len(months)-1-i]
		for k, amount := range row[1:] {
			if m(money.MustParse(amount)) != shown[1+k] {
				t.Errorf("on %s the file has %s, the page %s", row[0], amount, shown[1+k])
			}
		}
	}
	ada, _, _ := r.enrolled("ada@lender.example", permit.Auditor)
	ada.shows(Prefix+"/audit", "Personal data read")
	vic, _, _ := r.enrolled("vic@lender.example", permit.Viewer)
	if vic.get(Prefix+"/reports/files/portfolio.csv") != http.StatusForbidden || vic.get(Prefix+"/reports") != http.StatusOK || strings.Contains(vic.body, ".csv") {
		t.Error("a viewer gets the file, or no report")
	}
}

// The forecast of each week is what falls due, times what was collected of the last 90 days, less what
// merchants are owed; each bar leads to installments that add up to what is due.
func TestCash(t *testing.T) {
	r := newRig(t)
	r.lent(64)
	b, _, _ := r.enrolled("finn@lender.example", permit.Finance)
	today := r.desk.Zone.Date(r.wall)
	due, unpaid, scheduled, payouts := map[calendar.Date]money.Amount{}, money.Amount(0), money.Amount(0), money.Amount(0)
	if err := r.desk.Store.View(t.Context(), func(v store.View) error {
		balances, err := v.TrialBalance(store.BookFilter{From: calendar.None, To: calendar.None})
		payouts = -balances[2000]
		if err != nil {
			return err
		}
		return store.EachOrder(v, func(_ *credit.Order, l *schedule.Loan) error {
			if l == nil {
				return nil
			}
			for _, x := range l.Rows {
				due[x.DueDate] = due[x.DueDate].Add(x.Unpaid())
				if ago := x.DueDate.DaysUntil(today); ago >= 1 && ago <= 90 {
					unpaid, scheduled = unpaid.Add(x.Unpaid()), scheduled.Add(x.Amount())
				}
			}
			return nil
		})
	}); err != nil {
		t.Fatal(err)
	}
	b.get(Prefix + "/reports/cash")
	weeks := b.rowsOf("Cash by week in numbers")
	if len(weeks) != 17 || scheduled == 0 || unpaid == 0 || unpaid == scheduled {
		t.Fatalf("%d weeks; %s of %s unpaid", len(weeks), unpaid, scheduled)
	}
	links := regexp.MustCompile(`href="(/console/reports/due\?[^"]*)" aria-label`).FindAllStringSubmatch(b.body, -1)
	if len(links) != 13 {
		t.Fatalf("%d bars of weeks to come", len(links))
	}
	from := today
	for i, link := range links {
		to := from.AddDays((7 - int(from.Weekday())) % 7) // through Sunday
		sum := money.Amount(0)
		for day := from; day <= to; day++ {
			sum = sum.Add(due[day])
		}
		expected := money.MulDiv(sum, int64(scheduled-unpaid), int64(scheduled))
		got := weeks[4+i]
		paidOut := amountsIn(got[4])[0]
		payouts = payouts.Sub(paidOut)
		m := design.Language("en-US").Money
		if got[1] != m(sum) || got[2] != m(expected) || paidOut != 0 && i > 1 || got[5] != m(expected.Sub(paidOut)) {
			t.Errorf("the week from %s: %q, want %s due, %s collected, %s paid out", from, got, sum, expected, paidOut)
		}
		if _, listed := b.walked(html.UnescapeString(link[1]), "Installments due"); listed != sum {
			t.Errorf("the week from %s leads to %s, due are %s", from, listed, sum)
		}
		from = to + 1
	}
	if payouts != 0 {
		t.Errorf("%s more is owed to merchants than the weeks pay out", payouts)
	}
	b.shows(Prefix+"/reports/collections", "No debit has come back today.", "Unauthorized", "0.5 %")
	if n := strings.Count(b.body, "Within the limit"); n != 6 { // in a column, and below the name where there is no room for one
		t.Errorf("%d times within the limit", n)
	}
	b.shows(Prefix+"/reports/exposure", "Harbor", "100.0 %", "of $25,000.00")
	for _, path := range []string{"/reports/banana", "/reports/aging/banana", "/reports/due?from=banana", "/reports/due?from=2026-02-02&to=2026-01-01", "/reports/files/banana.csv"} {
		if code := b.get(Prefix + path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
	for _, after := range []string{"%00", "2026-01-01", "x.y.z", "2026-02-30.a.1"} { // a place that cannot be read is the beginning
		if code := b.get(Prefix + "/reports/aging/CURRENT?after=" + after); code != http.StatusOK || !strings.Contains(b.body, "W-63") && !strings.Contains(b.body, "W-60") {
			t.Errorf("after %s: %d", after, code)
		}
	}
}
