package console

import (
	"context"
	"encoding/base64"
	"encoding/csv"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/underwriting"
	"tenor/internal/office/alarm"
	"tenor/internal/office/buyer"
	"tenor/internal/office/signin"
	"tenor/internal/ports/facts"
)

// applied is an application for 10,000.00 that waits for a person.
func (r *rig) applied(ein string) *credit.Application {
	r.t.Helper()
	system := credit.Actor{Client: "system", Operator: true}
	secret := func(name string) credit.Secret { return credit.Secret{ID: name + ein, Sealed: []byte("sealed")} }
	form, err := r.desk.Keep(buyer.Form{Owners: []buyer.Owner{{FirstName: "Lupe", LastName: "Ruiz" + ein, Email: "lupe@ruiz.example", BirthDate: calendar.MustParse("1980-04-02"), Percent: 60, Control: true}}})
	if err != nil {
		r.t.Fatal(err)
	}
	a := r.act(system, onboarding.SubmitApplication{
		Kind: underwriting.New, Email: "mal" + ein, Form: form.ID, Contact: "contact" + ein, Requested: money.MustParse("10000.00"),
		LargestOwner: money.MustParseRate("0.6"), Consents: credit.Consents{CreditCheck: true, AcceptedAt: r.wall, Evidence: "evidence" + ein},
		Business: credit.Business{LegalName: "Ruiz Kitchens " + ein, EINLast4: "0003", FormedOn: calendar.MustParse("2012-03-01"), AnnualRevenue: money.MustParse("480000.00"), Industry: "=restaurants", EntityType: "LLC",
			Address: credit.CompanyAddress{Street: "27 Cannery Street", City: "Portland", State: "OR", PostalCode: "97209", Country: "US"}},
		Secrets: []credit.Secret{form, secret("contact"), secret("evidence")},
	}).(*credit.Application)
	return r.act(system, onboarding.RecordFacts{Application: a.ID, Inputs: underwriting.Inputs{
		FormedOn: calendar.None, BureauOn: calendar.None, RegistryFormedOn: calendar.MustParse("2019-06-01"), Identity: underwriting.IdentityProved, Registration: underwriting.RegistrationFound, Screening: underwriting.ScreeningClear,
	}, Sources: []credit.SourceAnswer{{Port: string(facts.Registry), Source: "state records", At: r.wall.Add(-72 * time.Hour), Tries: 1}, {Port: string(facts.Bureau), Tries: 3, Missing: underwriting.Silent}}}).(*credit.Application)
}

// Every act of every object asks the table of roles. None is done by a role that lacks its
// permission, whether by its page or by its form.
func TestEveryActAndRole(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	p, a := r.act(credit.Actor{Client: "system", Operator: true}, paid(o)).(*credit.Payment), r.applied("1")
	vic, _ := r.invite("vic@lender.example", "Vic Amann", permit.Viewer)
	objects := map[string]map[string]permit.Permission{
		"/orders/" + o.Key: {
			"capture": permit.CaptureOrders, "refund": permit.Refund, "cancel": permit.CancelOrders, "extend": permit.CancelOrders,
			"reschedule": permit.Service, "waive": permit.Service, "charge-off": permit.ChargeOff,
		},
		"/companies/" + strconv.FormatInt(o.Company, 10): {"release": permit.HoldCompanies, "hold": permit.HoldCompanies, "record": permit.Service, "line": permit.DecideCredit, "close": permit.DecideCredit},
		"/applications/" + a.ID:                          {"approve": permit.DecideCredit, "decline": permit.DecideCredit, "request": permit.Assist, "assign": permit.Assist},
		"/payments/" + p.ID:                              {"cancel-payment": permit.Service, "refund-payment": permit.Refund, "reverse": permit.Refund},
		"/ledger":                                        {"fund": permit.Post, "close-month": permit.Post},
		"/people/" + vic.ID:                              {"roles": permit.ManageStaff, "suspend": permit.ManageStaff, "reinstate": permit.ManageStaff},
		"/people/policy":                                 {"policy": permit.Settings},
		"/merchants/" + o.Merchant:                       {"hold-payouts": permit.HoldPayouts, "release-payouts": permit.ReleasePayout},
	}
	v := &visit{Pages: r.pages, visitor: &signin.Visitor{Session: &signin.Session{}}} // as far as acts look at it
	known := map[string]bool{}
	for _, list := range [][]act{v.orderActs(o), v.loanActs(o, nil), v.companyActs(&credit.Company{}), v.applicationActs(a), v.paymentActs(p), v.ledgerSubject(nil).acts, v.merchantSubject(&credit.Merchant{}).acts, v.memberSubject(vic, signin.Contact{}).acts, v.policySubject(permit.Policy{}).acts} {
		for _, x := range list {
			known[x.name] = true
		}
	}
	for at, acts := range objects {
		for name := range acts {
			if !known[name] {
				t.Errorf("%s has no act %s", at, name)
			}
			delete(known, name)
		}
	}
	for name := range known {
		t.Errorf("the table of this test lacks %s", name)
	}
	for _, role := range permit.Roles() {
		b, _, _ := r.enrolled(string(role)+"@lender.example", role)
		for at, acts := range objects {
			for name, need := range acts {
				want := http.StatusOK
				if permit.May([]permit.Role{role}, need) == permit.None {
					want = http.StatusForbidden
				}
				if code := b.get(Prefix + at + "/act/" + name); code != want {
					t.Errorf("%s %s %s: %d, want %d", role, at, name, code, want)
				}
				if want != http.StatusForbidden {
					continue
				}
				b.get(Prefix + "/you")
				if code, _ := b.post(Prefix+at+"/act/"+name, "reason", "mine", "amount", "1.00"); code != want || !strings.Contains(b.body, "Your roles do not include this page") {
					t.Errorf("%s posts %s %s: %d", role, at, name, code)
				}
			}
		}
	}
}

// acts previews an act and does it, and fails unless it leads back to the object.
func (b *browser) acts(at, name string, pairs ...string) {
	b.t.Helper()
	path := Prefix + at + "/act/" + name
	click := b.preview(path, pairs...)
	if click == nil {
		b.t.Fatalf("%s: no button\n%s", path, b.body[strings.Index(b.body, "<main"):])
	}
	if code, to := b.post(path, click...); code != http.StatusSeeOther || to != Prefix+at+"?did="+name {
		b.t.Fatalf("%s: %d, to %s", path, code, to)
	}
	if code := b.get(Prefix + at + "?did=" + name); code != http.StatusOK || !strings.Contains(b.body, `role="status"`) {
		b.t.Errorf("%s: %d, and the page does not say that it is done", path, code)
	}
}

// again is what the form of the page that was opened last sends besides its fields.
func (b *browser) again() []string {
	return []string{"once", onceField.FindStringSubmatch(b.body)[1], "seen", "-"}
}

var tags = regexp.MustCompile(`<[^>]*>`)

// shows fails unless a page has all of some texts, in its source or as it is read.
func (b *browser) shows(path string, texts ...string) {
	b.t.Helper()
	if code := b.get(path); code != http.StatusOK {
		b.t.Fatalf("%s: %d", path, code)
	}
	read := strings.Join(strings.Fields(tags.ReplaceAllString(b.body[strings.Index(b.body, "<main"):], "")), " ")
	for _, text := range texts {
		if !strings.Contains(b.body, text) && !strings.Contains(read, text) {
			b.t.Errorf("%s lacks %q:\n%s", path, text, read)
		}
	}
}

// An underwriter's day: an application is looked at, missing papers are asked for, it is approved
// with less than was asked for, for reasons, and the notice has its due date. A decided one is left
// alone.
func TestApplications(t *testing.T) {
	r := newRig(t)
	one, two := r.applied("1"), r.applied("2")
	una, _, _ := r.enrolled("una@lender.example", permit.Underwriter)
	una.shows(Prefix+"/applications", "Ruiz Kitchens 1", "Ruiz Kitchens 2", "$10,000.00", "None has been decided yet.")
	at := "/applications/" + one.ID
	una.shows(Prefix+at, "What they said", "=restaurants", "$480,000.00 a year", "Differs", "SaidMar 1, 2012RegistryJun 1, 2019", "state records · 3 days old", "Silent", "tried 3 times", "silent: 1 · differs: 1",
		"Why a person looks: The owner&#39;s credit score", "decide by Feb 14, 2026", "of 100 points", "act/approve", "The largest owner has 60%.")
	una.reveals(one)
	una.shows(Prefix+at+"/act/approve?filled=yes&amount=6000.00&tier=C&cause2=bank_balance&reason=hers", `value="6000.00"`, `value="C" selected`)
	if strings.Contains(una.body, "hers") {
		t.Error("an address gives a reason")
	}
	if code, to := una.fill(Prefix+at+"/act/assign", "reason", "my turn"); code != http.StatusSeeOther || to != Prefix+at+"?did=assign" {
		t.Errorf("assign: %d, to %s", code, to)
	}
	una.shows(Prefix+at, "Ada Novak")
	una.acts(at, "request", "what", "The bank statements of <three> months.", "day", "2026-02-10", "reason", "income unclear")
	una.shows(Prefix+at, "The bank statements of &lt;three&gt; months. By Feb 10, 2026.", "Waiting for documents")
	approve := Prefix + at + "/act/approve"
	for name, pairs := range map[string][]string{
		"no reason for less": {"amount", "6000.00", "tier", "B", "reason", "steady"}, "a reason of nobody's": {"amount", "6000.00", "tier", "B", "cause1", "because", "reason", "steady"},
		"a tier of nobody's": {"amount", "10000.00", "tier", "Z", "reason", "steady"}, "nothing": {}, "no amount": {"amount", "0", "tier", "A", "reason", "x"},
	} {
		una.get(approve)
		if code, _ := una.post(approve, pairs...); code != 422 {
			t.Errorf("%s: %d", name, code)
		}
	}
	una.preview(approve, "amount", "6000.00", "tier", "B", "cause1", "annual_revenue", "reason", "steady")
	for _, text := range []string{"Waiting for documents", "Counter offer, due", "$6,000.00"} {
		if !strings.Contains(una.body, text) {
			t.Errorf("the preview lacks %q", text)
		}
	}
	una.acts(at, "approve", "amount", "6000.00", "tier", "B", "cause1", "annual_revenue", "cause2", "bank_balance", "reason", "steady")
	una.shows(Prefix+at, "Approved", "$6,000.00, tier B", "Annual revenue insufficient for the credit; Insufficient average bank balance", "Counter offer: due Feb 14, 2026", "steady")
	una.shows(approve, "It is decided.")
	if code, _ := una.fill(approve, "amount", "9000.00", "tier", "A", "cause1", "bank_balance", "reason", "more"); code != 422 {
		t.Errorf("decided twice: %d", code)
	}
	una.acts("/applications/"+two.ID, "decline", "cause1", "identity_unverified", "reason", "no answer")
	una.shows(Prefix+"/applications", "No application waits for a person.", "Declined", "Approved")
	una.shows(Prefix+"/applications?status=DECLINED", "Ruiz Kitchens 2")
	if strings.Contains(una.body, "Ruiz Kitchens 1") {
		t.Error("the filter lets others through")
	}
	dev, _, _ := r.enrolled("dev@lender.example", permit.Developer)
	for _, path := range []string{"/applications", at} {
		if dev.get(Prefix + path); strings.Contains(dev.body, "Ruiz") || strings.Contains(dev.body, "restaurants") {
			t.Errorf("a developer sees the business at %s", path)
		}
	}
	dev.shows(Prefix+at, "Business registryAnswered", "Credit bureauSilent")
	for _, text := range []string{"Jun 1, 2019", "steady", "of 100 points", "Insufficient"} {
		if strings.Contains(dev.body, text) {
			t.Errorf("a developer sees %q", text)
		}
	}
	for _, path := range []string{"/applications/app_01KAG7N5B3D1F9H7K5M3P1R9T7", "/applications/x", at + "/act/burn"} {
		if code := una.get(Prefix + path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// The navigation counts what waits in each section, at once after something was done; every kind of
// alarm is counted somewhere, or is of the home page alone.
func TestCounts(t *testing.T) {
	r := newRig(t)
	one := r.applied("1")
	una, _, _ := r.enrolled("una@lender.example", permit.Underwriter)
	counted := func(name string) string {
		t.Helper()
		una.get(Prefix + "/companies")
		at := regexp.MustCompile(`href="` + Prefix + "/" + name + `"[^>]*>(?s:.*?)</a>`).FindString(una.body)
		return strings.Join(strings.Fields(tags.ReplaceAllString(at[strings.Index(at, ">")+1:], " ")), " ")
	}
	if got := counted("applications"); got != "Applications 1" {
		t.Errorf("one waits: %q", got)
	}
	una.acts("/applications/"+one.ID, "decline", "cause1", "identity_unverified", "reason", "no answer")
	if got := counted("applications"); got != "Applications" {
		t.Errorf("none waits: %q", got)
	}
	r.applied("2")
	if got := counted("applications"); got != "Applications" {
		t.Errorf("counted again within seconds: %q", got)
	}
	r.wall = r.wall.Add(countsLife)
	if got := counted("applications"); got != "Applications 1" {
		t.Errorf("another waits: %q", got)
	}
	home := []alarm.Kind{alarm.NoticeDue, alarm.NoticeOverdue, alarm.ReturnRate, alarm.CaseOverdue, alarm.MailFailed}
	v := &visit{Pages: r.pages}
	for _, k := range alarm.Kinds() {
		name := section(k)
		known := slices.ContainsFunc(v.places(), func(p place) bool { return p.name == name })
		if known == slices.Contains(home, k) {
			t.Errorf("%s is counted in %q", k, name)
		}
	}
	if many(99) != "99" || many(100) != "99+" {
		t.Error("large counts are too wide")
	}
}

// reads counts the reads of personal data in the audit log.
func (r *rig) reads() (n int) {
	r.t.Helper()
	if err := r.desk.Store.View(context.Background(), func(v store.View) error {
		rows, err := store.ListAudits(v, store.AuditFilter{Command: "personal_data.read"}, store.Latest, 100)
		n = len(rows)
		return err
	}); err != nil {
		r.t.Fatal(err)
	}
	return n
}

// reveals checks that the owners of an application are shown only to whoever may see them, and only
// after that was recorded.
func (b *browser) reveals(a *credit.Application) {
	b.t.Helper()
	at := Prefix + "/applications/" + a.ID
	if b.get(at); strings.Contains(b.body, "Lupe") {
		b.t.Error("an owner is shown before she is revealed")
	}
	before := b.reads()
	if code, _ := b.post(at + "/reveal"); code != http.StatusOK || !strings.Contains(b.body, "Lupe Ruiz1") || !strings.Contains(b.body, "born Apr 2, 1980") {
		b.t.Errorf("reveal: %d", code)
	}
	if after := b.reads(); after != before+1 {
		b.t.Errorf("%d reads are in the audit log, %d before", after, before)
	}
	for _, role := range []permit.Role{permit.Support, permit.Finance, permit.Developer} {
		x, _, _ := b.enrolled("reveals-"+string(role)+"@lender.example", role)
		x.get(at)
		if strings.Contains(x.body, at+"/reveal") {
			b.t.Errorf("%s is offered what she may not see", role)
		}
		if code, _ := x.post(at + "/reveal"); code != http.StatusForbidden || strings.Contains(x.body, "Lupe") {
			b.t.Errorf("%s reveals: %d", role, code)
		}
	}
	if after := b.reads(); after != before+1 {
		b.t.Error("what was refused is in the log as read")
	}
}

// A company is held and released, its line is lowered for reasons that its notice gives, a check is
// recorded, and what cannot be done now says why. Two clerks at once: the slower one is shown what
// has become of it.
func TestCompanies(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	at := "/companies/" + strconv.FormatInt(o.Company, 10)
	una, _, _ := r.enrolled("una@lender.example", permit.Underwriter, permit.Collections)
	una.shows(Prefix+"/companies", "Alder Kitchens", "$25,000.00", "$23,800.00", "Approved")
	una.shows(Prefix+at, "$23,800.00", "of $25,000.00", "=Harbor &amp; Sons", "accounts@alder.example", "Not possible now", "It is not on hold.")
	una.shows(Prefix+at+"/orders", "PO-1", "PO-2")
	una.shows(Prefix+at+"/accounts", "It has no repayment account.")
	una.acts(at, "hold", "message", "Please call us.", "reason", "returned mail")
	una.shows(Prefix+at, "On hold", "Please call us.")
	una.acts(at, "release", "reason", "address is right")
	una.acts(at, "record", "amount", "100.00", "method", "CHECK", "day", "2026-01-14", "reference", "1042", "reason", "by mail")
	una.shows(Prefix+at+"/payments", "Check", "$100.00", "Jan 14, 2026", "/console/payments/pay_")
	line := Prefix + at + "/act/line"
	if una.get(line); una.last.Code != http.StatusOK {
		t.Fatal("no page to change the line")
	}
	if code, _ := una.post(line, "limit", "20000.00", "tier", "A", "reason", "smaller"); code != 422 {
		t.Errorf("a lower line without a reason for the notice: %d", code)
	}
	click := una.preview(line, "limit", "20000.00", "tier", "A", "cause1", "past_due", "reason", "smaller")
	for _, text := range []string{"$25,000.00", "$20,000.00", "Line decrease", "Delinquent obligations to this creditor", "Feb 14, 2026"} {
		if !strings.Contains(una.body, text) {
			t.Errorf("the preview lacks %q", text)
		}
	}
	form := una.body
	r.act(credit.Actor{Client: "system", Operator: true}, paid(o))
	if code, _ := una.post(line, click...); code != 422 {
		t.Errorf("on a company that has changed: %d", code)
	}
	anew := append(una.again(), "limit", "20000.00", "tier", "A", "cause1", "past_due", "reason", "smaller")
	if code, _ := una.post(line, anew...); code != http.StatusOK || !strings.Contains(una.body, "Line decrease") {
		t.Errorf("the page that refused leads nowhere: %d", code)
	}
	una.acts(at, "line", "limit", "20000.00", "tier", "A", "cause1", "past_due", "reason", "smaller")
	una.shows(Prefix+at+"/notices", "Line decrease", "Not sent")
	una.body = form
	if code, to := una.post(line, click...); code != http.StatusSeeOther || to != Prefix+at {
		t.Errorf("the older form once more: %d, to %s", code, to)
	}
	for _, after := range []string{"rubbish", base64.RawURLEncoding.EncodeToString([]byte("1 x"))} {
		una.shows(Prefix+"/companies?after="+after, "Alder Kitchens")
	}
	una.shows(Prefix+"/companies?status=ON_HOLD&merchant="+o.Merchant, "Alder Kitchens")
	if una.get(Prefix + "/companies?status=ON_HOLD"); strings.Contains(una.body, "Alder") {
		t.Error("the filter lets others through")
	}
	if code := una.get(Prefix + "/companies.csv"); code != http.StatusOK {
		t.Fatalf("the file: %d", code)
	}
	rows, err := csv.NewReader(strings.NewReader(una.body)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][1] != "Alder Kitchens" || rows[1][4] != "20000.00" {
		t.Errorf("the file: %q, %v", rows, err)
	}
	for _, path := range []string{"/companies/1", "/companies/x", at + "/everything"} {
		if code := una.get(Prefix + path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// A hold that is clicked twice is one hold, and the second click is no error.
func TestTwoClicks(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	at := "/companies/" + strconv.FormatInt(o.Company, 10)
	una, _, _ := r.enrolled("una@lender.example", permit.Underwriter)
	click := una.preview(Prefix+at+"/act/hold", "message", "", "reason", "returned mail")
	form := una.body
	for range 2 {
		una.body = form
		if code, to := una.post(Prefix+at+"/act/hold", click...); code != http.StatusSeeOther || to != Prefix+at+"?did=hold" {
			t.Errorf("hold: %d, to %s\n%s", code, to, una.body[strings.Index(una.body, "<main"):])
		}
	}
}

// A payment is found, what it paid is shown, and it is refunded.
func TestPayments(t *testing.T) {
	r := newRig(t)
	o, _ := r.sold()
	p := r.act(credit.Actor{Client: "system", Operator: true}, paid(o)).(*credit.Payment)
	at := "/payments/" + p.ID
	finn, _, _ := r.enrolled("finn@lender.example", permit.Finance)
	r.wall = r.wall.Add(time.Minute)
	finn.shows(Prefix+"/payments", p.ID, "Wire", "$100.00", "Alder Kitchens", "Settled")
	finn.shows(Prefix+"/payments?state=RETURNED", "No payments match.")
	finn.shows(Prefix+"/payments?from=banana", "No payments match.")
	finn.shows(Prefix+at, "Wire from Alder Kitchens", o.Key, "$100.00", "Only a settled bank debit that was not refunded can be reversed.")
	finn.acts(at, "refund-payment", "amount", "40.00", "reason", "paid too much")
	finn.shows(Prefix+at, "Partly refunded", "$40.00", "paid too much")
	finn.acts("/orders/"+o.Key, "reschedule", "installment", "2", "day", "2026-03-25", "reason", "after payday")
	finn.shows(Prefix+"/orders/"+o.Key+"/schedule", "Mar 25, 2026")
	if code := finn.get(Prefix + "/payments.csv?method=WIRE"); code != http.StatusOK {
		t.Fatalf("the file: %d", code)
	}
	rows, err := csv.NewReader(strings.NewReader(finn.body)).ReadAll()
	if err != nil || len(rows) != 2 || rows[1][0] != p.ID || rows[1][9] != "40.00" {
		t.Errorf("the file: %q, %v", rows, err)
	}
	for _, path := range []string{"/payments/pay_01KAG7N5B3D1F9H7K5M3P1R9T7", "/payments/x"} {
		if code := finn.get(Prefix + path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}

// An admin suspends a colleague alone, and gives roles with a fresh code, or with a second admin
// where two people act together. Nobody changes herself.
func TestStaffActs(t *testing.T) {
	r := newRig(t)
	adm, key, _ := r.enrolled("adm@lender.example", permit.Admin)
	sue, _, _ := r.enrolled("sue@lender.example", permit.Support)
	id := func(email string) string {
		t.Helper()
		m, err := r.desk.Find(t.Context(), email)
		if err != nil || m == nil {
			t.Fatalf("%s: %v, %v", email, m, err)
		}
		return m.ID
	}
	at, own := "/people/"+id("sue@lender.example"), "/people/"+id("adm@lender.example")
	adm.shows(Prefix+"/people", at, "sue@lender.example")
	adm.shows(Prefix+own, "Nobody changes their own roles.")
	if code, _ := adm.fill(Prefix+own+"/act/roles", "role_finance", "yes", "reason", "I need it"); code != 422 {
		t.Errorf("an admin changes her own roles: %d", code)
	}
	r.wall = r.wall.Add(6 * time.Minute)
	roles := Prefix + at + "/act/roles"
	if click := adm.preview(roles, "role_finance", "yes", "role_support", "yes", "reason", "covers for Finn"); click != nil {
		t.Error("roles are given without a fresh code")
	}
	adm.does(roles, Prefix+"/again?to="+roles, "code", r.code(key))
	adm.acts(at, "roles", "role_finance", "yes", "role_support", "yes", "reason", "covers for Finn")
	adm.shows(Prefix+at, "Finance, Support")
	if sue.get(Prefix) != http.StatusSeeOther {
		t.Error("a sign-in outlives a change of roles")
	}
	if code, _ := adm.fill(roles, "reason", "nothing at all"); code != 422 {
		t.Errorf("a member without a role: %d", code)
	}
	adm.acts(at, "suspend", "reason", "left the company")
	adm.shows(Prefix+at, "Suspended", "This person is suspended already, or is you.")
	adm.acts(at, "reinstate", "reason", "came back")
	adm.acts("/people/policy", "policy", "required", "yes", "credit:decide", "50000.00", "payments:refund", "250.00", "payments:service", "5000.00", "reason", "grown")
	adm.shows(Prefix+"/people/policy", "Two people act together", "Yes", "$250.00")
	click := adm.preview(roles, "role_finance", "yes", "role_admin", "yes", "reason", "more")
	if _, to := adm.post(roles, click...); !strings.HasPrefix(to, Prefix+"/approvals/apv_") {
		t.Errorf("one admin gives roles alone: to %s", to)
	}
	for _, path := range []string{"/people/stf_01KAG7N5B3D1F9H7K5M3P1R9T7", "/people/x", "/people/sue@lender.example"} {
		if code := adm.get(Prefix + path); code != http.StatusNotFound {
			t.Errorf("%s: %d", path, code)
		}
	}
}
