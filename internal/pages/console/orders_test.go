package console

import (
	"context"
	"encoding/csv"
	"html"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
)

// act submits a command as somebody else than the console's staff.
func (r *rig) act(by credit.Actor, c credit.Command) any {
	r.t.Helper()
	result, err := r.desk.Do(context.Background(), engine.Request{Command: c, Actor: by})
	if err != nil {
		r.t.Fatalf("%s: %v", c.Name(), err)
	}
	return result
}

// sold is a captured order of 1,200.00 and a canceled one of 80.00, of a merchant whose name would
// be a formula in a spreadsheet.
func (r *rig) sold() (captured, canceled *credit.Order) {
	r.t.Helper()
	system := credit.Actor{Client: "system", Operator: true}
	m := r.act(system, merchants.CreateMerchant{Title: "=Harbor & Sons", Settings: lending.DefaultSettings()}).(*credit.Merchant)
	c := r.act(system, lending.CreateCompany{Title: "Alder Kitchens", Email: "accounts@alder.example", Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("25000.00"), Merchants: []string{m.ID}}).(*credit.Company)
	shop := credit.Actor{Client: "shop", Merchant: m.ID}
	order := func(number, amount string) *credit.Order {
		return r.act(shop, lending.CreateOrder{Company: c.ID, Amount: money.MustParse(amount), Installments: 3, Authorize: true, MerchantOrderID: number,
			Cart: []credit.CartItem{{Name: "Shelf <oak>", SKU: "SH-1", Price: money.MustParse(amount), Quantity: 1}}}).(*credit.Order)
	}
	canceled = order("PO-2", "80.00")
	canceled = r.act(shop, lending.UpdateOrder{Order: canceled.Key, Status: credit.OrderCanceled}).(*credit.Order)
	captured = order("PO-1", "1200.00")
	return r.act(shop, lending.UpdateOrder{Order: captured.Key, Status: credit.OrderCaptured}).(*credit.Order), canceled
}

// two makes two people act together, with a limit for refunds.
func (r *rig) two(limit string) {
	r.t.Helper()
	on := true
	r.act(credit.Actor{Client: access.Console, Operator: true}, staff.SetPolicy{Required: &on, Limits: map[permit.Permission]money.Amount{permit.Refund: money.MustParse(limit)}})
}

// The list's address holds its filter; count and sum are those of the filter, and the file has the
// same rows. Its export is in the audit log.
func TestOrders(t *testing.T) {
	r := newRig(t)
	captured, canceled := r.sold()
	b, _, _ := r.enrolled("finn@lender.example", permit.Finance)
	at := Prefix + "/orders"
	for path, want := range map[string][]string{
		at:                                 {"PO-1", "PO-2", "$1,280.00", "=Harbor &amp; Sons", "Alder Kitchens", "Canceled"},
		at + "?status=CANCELED":            {"PO-2", "$80.00"},
		at + "?number=PO-1":                {"PO-1", "$1,200.00"},
		at + "?from=2026-01-16":            {"No orders match."},
		at + "?company=x":                  {"No orders match."},
		at + "?status=%3Cb%3E&from=banana": {"No orders match."},
		at + "?after=%00rubbish":           {"PO-1", "PO-2"},
	} {
		if code := b.get(path); code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
		for _, text := range want {
			if !strings.Contains(b.body, text) {
				t.Errorf("%s lacks %q", path, text)
			}
		}
	}
	if b.get(at + "?status=CANCELED"); strings.Contains(b.body, captured.Key) || !strings.Contains(b.body, canceled.Key) {
		t.Error("the filter lets other orders through")
	}
	if code := b.get(at + ".csv?status=CAPTURED"); code != http.StatusOK || !strings.Contains(b.last.Header().Get("Content-Disposition"), "attachment") {
		t.Fatalf("the file: %d %s", code, b.last.Header())
	}
	rows, err := csv.NewReader(strings.NewReader(b.body)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][0] != captured.Key || rows[1][2] != "'=Harbor & Sons" || rows[1][8] != "1200.00" {
		t.Errorf("the file: %q, %v", rows, err)
	}
	logged := 0
	if err := r.desk.Store.View(context.Background(), func(v store.View) error {
		rows, err := store.ListAudits(v, store.AuditFilter{Command: "personal_data.read"}, store.Latest, 10)
		logged = len(rows)
		return err
	}); err != nil || logged != 1 {
		t.Errorf("%d exports are in the audit log, %v", logged, err)
	}
	sue, _, _ := r.enrolled("sue@lender.example", permit.Support)
	if code := sue.get(at + ".csv"); code != http.StatusForbidden {
		t.Errorf("support exports: %d", code)
	}
	dev, _, _ := r.enrolled("dev@lender.example", permit.Developer)
	for _, path := range []string{at, at + "/" + captured.Key, Prefix + "/search?q=PO-1", Prefix + "/companies", Prefix + "/payments", companyPath(captured.Company), companyPath(captured.Company) + "/orders", Prefix + "/search?q=accounts@alder.example"} {
		if dev.get(path); strings.Contains(dev.body, "Alder Kitchens") {
			t.Errorf("a developer sees a company's name at %s", path)
		}
	}
	for _, tab := range []string{"/accounts", "/notices"} {
		if code := dev.get(companyPath(captured.Company) + tab); code != http.StatusNotFound {
			t.Errorf("a developer sees a company's %s: %d", tab, code)
		}
	}
}

// Every part of an order's page has its address; a wrong one has none.
func TestOrderPage(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	b, _, _ := r.enrolled("vic@lender.example", permit.Viewer)
	at := Prefix + "/orders/" + o.Key
	for path, want := range map[string][]string{
		at:               {"$1,200.00", "Alder Kitchens at =Harbor &amp; Sons", o.Key, "Order captured", "1100 Debit $1,200.00", "On time"},
		at + "/schedule": {"$396.03", "Upcoming"}, at + "/ledger": {"1100 Loan principal", "2000 Merchant payable"},
		at + "/payments": {"Nothing was paid."}, at + "/cart": {"Shelf &lt;oak&gt;", "SH-1"},
		at + "/explain": {"Remaining", "Level payments", "1100 Debit $1,200.00", "$1,164.00"},
	} {
		if code := b.get(path); code != http.StatusOK {
			t.Errorf("%s: %d", path, code)
		}
		for _, text := range want {
			if !strings.Contains(b.body, text) {
				t.Errorf("%s lacks %q", path, text)
			}
		}
	}
	if strings.Contains(b.body, "/act/") {
		t.Error("a viewer is offered acts")
	}
	for path, want := range map[string]int{at + "/everything": 404, at + "0": 404, at + "/act/refund": 403, at + "/act/burn": 404} {
		if code := b.get(path); code != want {
			t.Errorf("%s: %d, want %d", path, code, want)
		}
	}
}

// Anything is found by its identifier, and a single hit opens.
func TestSearch(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	p := r.act(credit.Actor{Client: "system", Operator: true}, paid(o)).(*credit.Payment)
	a := r.applied("00-0000003")
	b, _, _ := r.enrolled("vic@lender.example", permit.Viewer)
	company := strings.TrimPrefix(at(b, "accounts@alder.example"), Prefix+"/companies/")
	for text, want := range map[string]string{
		o.Key: "/orders/" + o.Key, "PO-1": "/orders/" + o.Key, " " + o.Invoice + " ": "/orders/" + o.Key, p.ID: "/payments/" + p.ID,
		o.Merchant: "/merchants/" + o.Merchant, company: "/companies/" + company, "Accounts@Alder.example": "/companies/" + company, a.ID: "/applications/" + a.ID,
	} {
		if got := at(b, text); got != Prefix+want {
			t.Errorf("%q leads to %s, want %s", text, got, Prefix+want)
		}
	}
	for _, text := range []string{"", "PO-9", "ord_", "<b>", "apv_01KAG7N5B3D1F9H7K5M3P1R9T7", "99999999999999999999", strings.Repeat("x", 5000)} {
		if at(b, text) != "" || b.last.Code != http.StatusOK {
			t.Errorf("%.20q: %d, to %s", text, b.last.Code, b.last.Header().Get("Location"))
		}
	}
}

func at(b *browser, text string) string {
	b.get(Prefix + "/search?q=" + strings.NewReplacer(" ", "%20", "<", "%3C", ">", "%3E", "@", "%40").Replace(text))
	return b.last.Header().Get("Location")
}

func paid(o *credit.Order) credit.Command {
	return payments.RecordPayment{Order: o.Key, Amount: money.MustParse("100.00"), Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None}
}

var onceField = regexp.MustCompile(`name="once" value="([^"]*)"`)
var seenField = regexp.MustCompile(`name="seen" value="([^"-][^"]*)"`)

var confirmField = regexp.MustCompile(`Type ([^<]+) to confirm`)

// preview fills in an act's form, and returns what a click on its button sends.
func (b *browser) preview(path string, pairs ...string) []string {
	b.t.Helper()
	if code := b.get(path); code != http.StatusOK {
		b.t.Fatalf("GET %s: %d", path, code)
	}
	once := onceField.FindStringSubmatch(b.body)[1]
	if code, to := b.post(path, append(pairs, "once", once)...); code != http.StatusOK {
		b.t.Fatalf("preview of %s: %d %s\n%s", path, code, to, b.body[strings.Index(b.body, "<main"):])
	}
	seen := seenField.FindStringSubmatch(b.body)
	if seen == nil {
		return nil
	}
	if typed := confirmField.FindStringSubmatch(b.body); typed != nil {
		pairs = append(pairs, "confirm", html.UnescapeString(typed[1]))
	}
	return append(pairs, "once", once, "seen", seen[1])
}

// Where nobody else looks, what takes two people elsewhere is typed before it is done; where two
// act together, the page says above which limit.
func TestTypedAmount(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	b, _, _ := r.enrolled("finn@lender.example", permit.Finance)
	path := Prefix + "/orders/" + o.Key + "/act/refund"
	click := b.preview(path, "amount", "1100.00", "reason", "all shelves but one")
	for _, text := range []string{"Refund $1,100.00 of PO-1", "Type 1100.00 to confirm"} {
		if !strings.Contains(b.body, text) {
			t.Errorf("the page lacks %q", text)
		}
	}
	form, typed := b.body, slices.Index(click, "confirm")+1
	for _, text := range []string{"", "1100", "PO-1"} {
		b.body = form
		click[typed] = text
		if code, _ := b.post(path, click...); code != 422 || !strings.Contains(b.body, "exactly as it is written") {
			t.Errorf("confirmed with %q: %d", text, code)
		}
	}
	b.shows(Prefix+"/orders/"+o.Key, "$1,200.00", "Refund…")
	b.body = form
	click[typed] = "1100.00"
	if code, to := b.post(path, click...); code != http.StatusSeeOther || !strings.HasSuffix(to, "?did=refund") {
		t.Errorf("confirmed: %d, to %s", code, to)
	}
	r.two("50.00")
	if b.preview(path, "amount", "60.00", "reason", "the last one"); !strings.Contains(b.body, "Above your limit of $50.00") || strings.Contains(b.body, "to confirm") {
		t.Error("the page does not say why a second person is due")
	}
}

// Within the limit a member refunds alone, after a page that shows what changes; twice the same
// click is one refund, and another amount than was shown is shown first.
func TestRefundAlone(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	r.two("500.00")
	b, _, _ := r.enrolled("finn@lender.example", permit.Finance)
	path := Prefix + "/orders/" + o.Key + "/act/refund"
	click := b.preview(path, "amount", "200.00", "reason", "one shelf returned")
	for _, text := range []string{"$24,000.00", "2000 Merchant payable", "Refund $200.00", "Loan principal"} {
		if !strings.Contains(b.body, text) {
			t.Errorf("the preview lacks %q", text)
		}
	}
	form := b.body
	for name, pairs := range map[string][]string{
		"no reason": {"amount", "200.00"}, "no amount": {"amount", "-5", "reason", "x"}, "too much": {"amount", "5000", "reason", "x"},
	} {
		b.body = form
		if code, _ := b.post(path, pairs...); code != 422 {
			t.Errorf("%s: %d", name, code)
		}
	}
	b.body = form
	if code, _ := b.post(path, append([]string{"amount", "300.00", "reason", "x"}, click[4:]...)...); code != http.StatusOK {
		t.Errorf("another amount than was shown: %d", code)
	}
	for range 2 {
		b.body = form
		if code, to := b.post(path, click...); code != http.StatusSeeOther || !strings.HasPrefix(to, Prefix+"/orders/"+o.Key) {
			t.Fatalf("refund: %d, to %s\n%s\n%v", code, to, b.body[strings.Index(b.body, "<main"):], click)
		}
	}
	b.get(Prefix + "/orders/" + o.Key + "?did=refund")
	if !strings.Contains(b.body, "The order is refunded.") || !strings.Contains(b.body, "$200.00") || strings.Contains(b.body, "$400.00") {
		t.Error("the order was not refunded once")
	}
	if b.get(Prefix + "/orders/" + o.Key + "?did=%3Cscript%3E"); strings.Contains(b.body, "script&gt;") {
		t.Error("the page says what its address says")
	}
}

// Above the limit a second person decides: not the maker, not without a fresh code, not somebody
// without the permission, and not on an order that has changed.
func TestRefundByTwo(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	r.two("100.00")
	finn, key, _ := r.enrolled("finn@lender.example", permit.Finance)
	gil, gils, _ := r.enrolled("gil@lender.example", permit.Finance)
	sue, _, _ := r.enrolled("sue@lender.example", permit.Support)
	path := Prefix + "/orders/" + o.Key + "/act/refund"
	ask := func() string {
		t.Helper()
		r.wall = r.wall.Add(6 * time.Minute)
		if click := finn.preview(path, "amount", "200.00", "reason", "returned"); click != nil {
			t.Error("above the limit, no fresh code is asked for")
		}
		again := Prefix + "/again?to=" + path
		finn.does(path, again, "code", r.code(key))
		click := finn.preview(path, "amount", "200.00", "reason", "returned")
		if !strings.Contains(finn.body, "Ask for approval: Refund $200.00") {
			t.Error("the button does not say that somebody else decides")
		}
		_, to := finn.post(path, click...)
		if !strings.HasPrefix(to, Prefix+"/approvals/apv_") {
			t.Fatalf("above the limit: to %s\n%s", to, finn.body)
		}
		return to
	}
	one := ask()
	if code, _ := finn.fill(one, "reason", "myself", "go", "approve"); code != 422 {
		t.Errorf("the maker approves: %d", code)
	}
	if code := sue.get(one); code != http.StatusOK || strings.Contains(sue.body, "Approve and do it") {
		t.Errorf("support is offered to approve: %d", code)
	}
	if code, _ := sue.post(one, "reason", "sure", "go", "approve"); code != http.StatusForbidden {
		t.Errorf("support approves: %d", code)
	}
	r.wall = r.wall.Add(6 * time.Minute)
	if gil.get(one); !strings.Contains(gil.body, "returned") || !strings.Contains(gil.body, o.Key) {
		t.Error("the checker does not see what was asked for")
	}
	if gil.get(one); !strings.Contains(gil.body, "/console/again?to="+one) || !strings.Contains(gil.body, "$24,000.00") {
		t.Error("the checker sees no preview, or no way to a fresh code")
	}
	if _, to := gil.post(one, "reason", "agreed", "go", "approve"); to != Prefix+"/again?to="+one {
		t.Errorf("without a fresh code: to %s", to)
	}
	gil.does(one, Prefix+"/again?to="+one, "code", r.code(gils))
	gil.does(one, one, "reason", "agreed by phone", "go", "approve")
	if gil.get(one); !strings.Contains(gil.body, "Approved") || !strings.Contains(gil.body, "agreed by phone") {
		t.Error("the approval does not say who agreed and why")
	}
	if gil.get(Prefix + "/orders/" + o.Key); !strings.Contains(gil.body, "Approved") || !strings.Contains(gil.body, "$200.00") {
		t.Error("the order's time line does not have the approval")
	}
	two := ask()
	r.act(credit.Actor{Client: "system", Operator: true}, paid(o))
	if gil.get(two); !strings.Contains(gil.body, "This cannot be approved any more") || strings.Contains(gil.body, "Approve and do it") {
		t.Error("a stale request is offered")
	}
	finn.does(two, two, "reason", "asked anew", "go", "end")
	if finn.get(Prefix + "/approvals"); !strings.Contains(finn.body, "Withdrawn") || !strings.Contains(finn.body, "Nothing waits for a second person.") {
		t.Error("the list does not say what has become of the requests")
	}
	for _, path := range []string{"/approvals/apv_01KAG7N5B3D1F9H7K5M3P1R9T7", "/approvals/x"} {
		if code := finn.get(Prefix + path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// Staff write notes where they look: whoever may help others writes them, everybody but developers
// reads them, also in the time line, and neither the log nor the file has their text. One form is one
// note.
func TestNotes(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	pay, a := r.act(credit.Actor{Client: "system", Operator: true}, paid(o)).(*credit.Payment), r.applied("00-0000003")
	sue, _, _ := r.enrolled("sue@lender.example", permit.Support)
	vic, _, _ := r.enrolled("vic@lender.example", permit.Viewer)
	dev, _, _ := r.enrolled("dev@lender.example", permit.Developer)
	const text = "Lupe <called>:\nshe pays on Friday"
	for _, path := range []string{"/orders/" + o.Key, "/companies/" + strconv.FormatInt(o.Company, 10), "/payments/" + pay.ID, "/applications/" + a.ID, "/merchants/" + o.Merchant} {
		at := Prefix + path + "/notes"
		sue.shows(at, "Nobody has written a note yet.")
		for wrong, says := range map[string]string{" \n ": "Write something.", strings.Repeat("é", maxNote+1): "at most 2000 characters"} {
			if code, _ := sue.fill(at, "text", wrong); code != http.StatusUnprocessableEntity || !strings.Contains(sue.body, says) {
				t.Errorf("%s takes %.9q: %d", at, wrong, code)
			}
		}
		sue.get(at)
		once := onceField.FindStringSubmatch(sue.body)[1]
		for range 2 {
			sue.post(at, "text", text, "once", once)
		}
		if sue.get(at); strings.Count(sue.body, "Lupe &lt;called&gt;") != 1 || !strings.Contains(sue.body, "Note by") {
			t.Errorf("%s does not show one note", at)
		}
		vic.get(Prefix + "/keys") // has a form with her key
		if code, _ := vic.post(at, "text", "x"); code != http.StatusForbidden || !strings.Contains(vic.body, "Support") || vic.get(at) != http.StatusOK || !strings.Contains(vic.body, "Friday") || strings.Contains(vic.body, "<textarea") {
			t.Errorf("%s: a viewer does not read it, or writes", at)
		}
		if dev.get(at); strings.Contains(dev.body, "Friday") {
			t.Errorf("%s shows a developer the note", at)
		}
		if path != "/merchants/"+o.Merchant {
			vic.shows(Prefix+path, "Friday", path+"/notes")
		}
	}
	if code := sue.get(Prefix + "/orders/ord_none/notes"); code != http.StatusNotFound {
		t.Errorf("notes about nothing: %d", code)
	}
	if err := r.desk.Store.View(t.Context(), func(v store.View) error {
		rows, err := store.ListAudits(v, store.AuditFilter{Command: staff.AddNote{}.Name()}, store.Latest, 50)
		if len(rows) != 5 {
			t.Errorf("%d notes in the log", len(rows))
		}
		for _, x := range rows {
			if strings.Contains(string(x.Payload), "Friday") {
				t.Error("the log has a note's text")
			}
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
}
