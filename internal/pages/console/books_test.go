package console

import (
	"encoding/csv"
	"html"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/ui/design"
)

// The home page's figures and bars are those of the books, whatever day it is: each bar is what the
// orders behind it have captured.
func TestFigures(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	b, _, _ := r.enrolled("vic@lender.example", permit.Viewer)
	b.shows(Prefix, "Outstanding principal", "$1,200.00", "1 order", "Due in 7 days", "0.0 % of principal", "4.8 %", "$1,200.00 of $25,000.00", "Owed to merchants", "Week of Jan 12, 2026: $1,200.00, 1 order", "Week of Oct 20, 2025: $0.00, no orders")
	links := regexp.MustCompile(`href="(/console/orders\?captured_from=[^"]*)" aria-label="Week of ([^:]*): ([^,]*(?:,[0-9]{3})*\.[0-9]{2}), (no|1) orders?"`).FindAllStringSubmatch(b.body, -1)
	if len(links) != chartWeeks {
		t.Fatalf("%d bars", len(links))
	}
	for i, x := range links {
		if b.get(html.UnescapeString(x[1])); strings.Count(b.body, `name="captured_`) != 2 {
			t.Errorf("the week of %s: the list does not say what it is narrowed to", x[2])
		}
		if rows := strings.Count(b.body, "/console/orders/"+o.Key+`"`); (rows > 0) != (i == chartWeeks-1) || (rows > 0) != (x[4] == "1") {
			t.Errorf("the week of %s shows %s orders and leads to %d", x[2], x[4], rows)
		}
	}
	r.wall = r.wall.AddDate(0, 0, 8*7)
	if b, _, _ = r.enrolled("val@lender.example", permit.Viewer); b.get(Prefix) != http.StatusOK || !strings.Contains(b.body, "Week of Jan 12, 2026: $1,200.00, 1 order") || strings.Contains(b.body, "Week of Oct") {
		t.Error("after eight weeks the bar has not moved")
	}
	b.shows(Prefix, "$0.00", "no orders")
	dev, _, _ := r.enrolled("dev@lender.example", permit.Developer)
	if dev.get(Prefix); strings.Contains(dev.body, "Outstanding") || strings.Contains(dev.body, "Originations") {
		t.Error("a developer sees how the business goes")
	}
	for x, want := range map[money.Amount]money.Amount{0: 300_00, 300_00: 300_00, 300_01: 600_00, 700_00: 1500_00, 1500_01: 3000_00, 77_000_00: 150_000_00} {
		if got := ceiling(x); got != want || got%3 != 0 {
			t.Errorf("the axis for %s ends at %s, want %s", x, got, want)
		}
	}
	for x, want := range map[money.Amount]string{0: "0", 500_00: "500", 1500_00: "1.5k", 20_000_00: "20k", 1_500_000_00: "1.5M"} {
		if got := short(x); got != want {
			t.Errorf("%s is written %s", x, got)
		}
	}
}

// The trial balance of any day is what the entries until then sum up to, and leads to postings that
// sum up to it. Money that the lender puts in takes two people where they are wanted.
func TestLedger(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	finn, key, _ := r.enrolled("finn@lender.example", permit.Finance)
	first := r.desk.Zone.Date(r.wall)
	for range 6 {
		r.wall = r.wall.Add(5 * 24 * time.Hour)
		r.act(credit.Actor{Client: "system", Operator: true}, paid(o))
	}
	finn.does(Prefix+"/code", Prefix+"/sign-in", "email", "finn@lender.example", "password", password)
	finn.does(Prefix, Prefix+"/code", "code", r.code(key))
	m := design.Language("en-US").Money
	for day := first.AddDays(-1); day <= r.desk.Zone.Date(r.wall); day++ {
		sums := map[ledger.Account]money.Amount{}
		if err := r.desk.Store.View(t.Context(), func(v store.View) error {
			return store.EachEntry(v, func(e store.EntryRow) error {
				for _, x := range e.Postings {
					if e.BookDate <= day {
						sums[x.Account] = sums[x.Account].Add(x.Amount)
					}
				}
				return nil
			})
		}); err != nil {
			t.Fatal(err)
		}
		finn.shows(Prefix+"/ledger?date="+day.String(), "Difference", m(0))
		for a, sum := range sums {
			at := strconv.Itoa(int(a))
			if linked := strings.Contains(finn.body, Prefix+"/ledger/"+at+"?"); linked != (sum != 0) {
				t.Errorf("%s, account %s: shown: %v, its sum is %s", day, at, linked, sum)
			}
		}
		finn.shows(Prefix+"/ledger/1000?from="+first.String()+"&to="+day.AddDays(1).String(), "Balance after")
		if day > first {
			finn.shows(Prefix+"/ledger/1100?from="+first.AddDays(1).String()+"&to="+day.String(), m(sums[ledger.LoanPrincipal]), m(money.MustParse("1200.00")))
		}
	}
	if code := finn.get(Prefix + "/ledger/1100?from=2020-01-01"); code != http.StatusRequestEntityTooLarge {
		t.Errorf("six years of postings: %d", code)
	}
	finn.shows(Prefix+"/ledger/1100", o.Key, "/console/orders/"+o.Key+"/ledger")
	if code := finn.get(Prefix + "/ledger.csv"); code != http.StatusOK || !strings.Contains(finn.body, "1100") {
		t.Errorf("the file: %d", code)
	}
	for _, path := range []string{"/ledger?date=2126-01-01", "/ledger?date=x", "/ledger/1", "/ledger/x", "/ledger/1000?from=2026-02-01&to=2026-01-01", "/ledger/act/burn"} {
		if code := finn.get(Prefix + path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
	finn.acts("/ledger", "fund", "amount", "50000.00", "side", "IN", "reference", "first funding", "reason", "agreed by the board")
	finn.shows(Prefix+"/ledger", "$50,000.00")
	finn.acts("/ledger", "close-month", "month", "2026-01-01", "reason", "reconciled with the bank")
	finn.shows(Prefix+"/ledger", "The books at the end of", "No month has ended that is not closed.")
	if code, _ := finn.fill(Prefix+"/ledger/act/close-month", "month", "2026-01-01", "reason", "again"); code != 422 {
		t.Errorf("a month is closed twice: %d", code)
	}
	r.two("100.00")
	click := finn.preview(Prefix+"/ledger/act/fund", "amount", "70000.00", "side", "OUT", "reference", "back", "reason", "agreed by the board")
	if click == nil {
		finn.does(Prefix+"/ledger/act/fund", Prefix+"/again?to="+Prefix+"/ledger/act/fund", "code", r.code(key))
		click = finn.preview(Prefix+"/ledger/act/fund", "amount", "70000.00", "side", "OUT", "reference", "back", "reason", "agreed by the board")
	}
	if _, to := finn.post(Prefix+"/ledger/act/fund", click...); !strings.HasPrefix(to, Prefix+"/approvals/apv_") {
		t.Errorf("taking cash out alone: to %s", to)
	}
	finn.shows(Prefix, "Waits for a second person", "Asked for by Ada Novak", "/console/approvals/apv_")
}

// An auditor follows an act: from the object to the log, to the row with its reason and what
// changed, and downloads it; the download is a row itself. Nobody else reads the log.
func TestAudit(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	id := strconv.FormatInt(o.Company, 10)
	una, _, _ := r.enrolled("una@lender.example", permit.Underwriter)
	una.acts("/companies/"+id, "hold", "message", "", "reason", "=returned mail")
	if code := una.get(Prefix + "/audit"); code != http.StatusForbidden {
		t.Errorf("an underwriter reads the log: %d", code)
	}
	if una.get(Prefix + "/companies/" + id); strings.Contains(una.body, "/console/audit") {
		t.Error("an underwriter is led to the log")
	}
	aud, _, _ := r.enrolled("aud@lender.example", permit.Auditor)
	aud.shows(Prefix+"/companies/"+id, "/console/audit?company="+id)
	aud.shows(Prefix+"/audit?company="+id, "Company update", "Ada Novak", "Done")
	row := regexp.MustCompile(`/console/audit/[0-9]+`).FindString(aud.body)
	aud.shows(row, "=returned mail", "Status", "APPROVED", "ON_HOLD", "192.0.2.1", companyPath(o.Company))
	aud.shows(Prefix+"/audit?command=order.create", "Order create", o.Key)
	aud.shows(Prefix+"/audit?object="+o.Key+"&from=2026-01-15&to=2026-01-15", "Order create")
	for _, path := range []string{"?from=banana", "?company=x", "?object=ord_0", "?from=2026-01-16"} {
		aud.shows(Prefix+"/audit"+path, "No rows match.")
	}
	if code := aud.get(Prefix + "/audit.csv?company=" + id); code != http.StatusOK {
		t.Fatalf("the file: %d", code)
	}
	rows, err := csv.NewReader(strings.NewReader(aud.body)).ReadAll()
	if err != nil || len(rows) < 2 || rows[1][5] != "company.update" || rows[1][8] != "'=returned mail" {
		t.Errorf("the file: %q, %v", rows, err)
	}
	aud.shows(Prefix+"/audit", "Personal data read")
	r.pages.exported = 1
	if aud.get(Prefix + "/audit.csv"); !strings.HasSuffix(aud.body, "rows: narrow the filter.\n") {
		t.Error("a file that is cut off does not say so")
	}
	if _, err := csv.NewReader(strings.NewReader(aud.body)).ReadAll(); err == nil {
		t.Error("a file that is cut off can be taken for whole")
	}
	for _, path := range []string{"/audit/0", "/audit/x", "/audit/999999", "/audit/9223372036854775807"} {
		if code := aud.get(Prefix + path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// paidOut is the payout of an order, six days later.
func (r *rig) paidOut(o *credit.Order) *credit.Payout {
	r.t.Helper()
	system := credit.Actor{Client: "system", Operator: true}
	r.act(system, merchants.SetMerchantAccount{Merchant: o.Merchant, Bank: &credit.BankAccount{Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte("sealed"), Fingerprint: "f"}})
	r.wall = r.wall.Add(6 * 24 * time.Hour)
	return r.act(system, merchants.PayMerchant{Merchant: o.Merchant}).(*credit.Payout)
}

// Payouts are listed with what they pay for. Whoever holds a merchant's payouts needs nobody; whoever
// releases them needs a second person where two are wanted.
func TestPayouts(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	at := "/merchants/" + o.Merchant
	finn, _, _ := r.enrolled("finn@lender.example", permit.Finance)
	finn.shows(Prefix+"/payouts", "No payouts match.")
	finn.shows(Prefix+at, "=Harbor &amp; Sons", "Payouts run", "$1,164.00", o.Key)
	x := r.paidOut(o)
	finn, key, _ := r.enrolled("gil@lender.example", permit.Finance)
	finn.shows(Prefix+"/payouts?payout=PENDING", "=Harbor &amp; Sons", x.ID, "$1,200.00", "$1,164.00", "Pending")
	finn.shows(Prefix+"/payouts/"+x.ID, "$1,164.00", "Capture", o.Key, "/console"+at, "To =Harbor &amp; Sons on Jan 21, 2026")
	finn.acts(at, "hold-payouts", "reason", "account is checked")
	finn.shows(Prefix+at, "Payouts on hold", "account is checked", "Its payouts are on hold already.")
	r.two("100.00")
	release := Prefix + at + "/act/release-payouts"
	r.wall = r.wall.Add(6 * time.Minute)
	finn.does(release, Prefix+"/again?to="+release, "code", r.code(key))
	click := finn.preview(release, "reason", "account is right")
	for _, text := range []string{"account is checked", "Ask for approval: Release payouts"} {
		if !strings.Contains(finn.body, text) {
			t.Errorf("the preview lacks %q", text)
		}
	}
	if _, to := finn.post(release, click...); !strings.HasPrefix(to, Prefix+"/approvals/apv_") {
		t.Errorf("released alone: to %s", to)
	}
	finn.shows(Prefix+"/payouts?payout=FAILED&merchant=x", "No payouts match.")
	if code := finn.get(Prefix + "/payouts.csv"); code != http.StatusOK {
		t.Fatalf("the file: %d", code)
	}
	rows, err := csv.NewReader(strings.NewReader(finn.body)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][2] != "'=Harbor & Sons" || rows[1][11] != x.Net.String() {
		t.Errorf("the file: %q, %v", rows, err)
	}
	for _, path := range []string{"/payouts/po_01KAG7N5B3D1F9H7K5M3P1R9T7", "/payouts/x", "/merchants/x"} {
		if code := finn.get(Prefix + path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}
