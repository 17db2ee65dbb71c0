package buyer

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
	"tenor/internal/ports/facts"
	"tenor/internal/ports/mailer"
	"tenor/internal/proof/smtptest"
)

// A new buyer applies in a checkout, is approved, accepts, and the merchant completes: no
// personal data is in any log.
func TestFromCartToOrder(t *testing.T) {
	r := newRig(t)
	c, token := r.begin(1_200_00)
	if x, err := r.Find(r.ctx, token); err != nil || x.Checkout.ID != c.ID || x.Merchant.Name != "Harbor Supply" {
		t.Fatalf("found %+v: %v", x, err)
	}
	s := r.signIn(c.ID, "ana@harbor.example")
	if err := r.Enter(r.ctx, c.ID, s.Person, 0, ""); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Apply(r.ctx, form("00-0000001"), Through{Merchant: r.merchant, Checkout: c.ID}, "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	x, err := r.Visit(r.ctx, c.ID)
	if err != nil || x.Application.Status != credit.ApplicationApproved || x.Company == nil {
		t.Fatalf("application %+v, company %v: %v", x.Application, x.Company, err)
	}
	if x.Company.Limit != 25_000_00 || x.Company.Tier != "A" || !x.Company.Servicing.Unsigned {
		t.Errorf("company %+v", x.Company)
	}
	if p, err := r.Person(r.ctx, s.Person); err != nil || !p.MayAccept(x.Company.ID, 1_200_00) {
		t.Errorf("person %+v: %v", p, err)
	}
	var refused *credit.Rejection
	if err := r.accept(c.ID, false); !errors.As(err, &refused) || refused.Code != "owner_required" {
		t.Errorf("without the master agreement: %v", err)
	}
	if err := r.accept(c.ID, true); err != nil {
		t.Fatal(err)
	}
	if err := r.accept(c.ID, true); err != nil {
		t.Errorf("a double click: %v", err)
	}
	o := r.submit(r.shop(), onboarding.CompleteCheckout{Checkout: c.ID}).(*credit.Order)
	if o.Status != credit.OrderAuthorized || o.Key != c.Of || o.Checkout != c.ID || o.Amount != 1_200_00 {
		t.Errorf("order %+v", o)
	}
	again := r.submit(r.shop(), onboarding.CompleteCheckout{Checkout: c.ID}).(*credit.Order)
	if again.Version != o.Version {
		t.Errorf("completed twice: version %d after %d", again.Version, o.Version)
	}
	r.nothingPersonal("Home Street", "1980-05-01", "ana@harbor", "Ana", "Ruiz,")
}

// nothingPersonal checks that texts are nowhere in the tables, except the company's own
// email address and name, which are in its record.
func (r *rig) nothingPersonal(words ...string) {
	r.t.Helper()
	r.view(func(v store.View) error {
		return store.EachAudit(v, 0, func(_ int64, a store.Audit) error {
			for _, w := range words {
				if bytes.Contains(a.Payload, []byte(w)) && !(w == "Ana" && bytes.Contains(a.Payload, []byte("Ana@Harbor"))) && w != "ana@harbor" {
					r.t.Errorf("the log of %s holds %q: %s", a.Command, w, a.Payload)
				}
			}
			return nil
		})
	})
}

// A code can be used once, tried five times, and expires after ten minutes.
func TestCodes(t *testing.T) {
	r := newRig(t)
	c, _ := r.begin(500_00)
	r.Sandbox = false // no magic code
	server := smtptest.Start(t, smtptest.Options{})
	port, err := mailer.New(mailer.Config{URL: server.URL(), From: "Tenor <mail@lender.example>", Roots: server.Roots()})
	if err != nil {
		t.Fatal(err)
	}
	r.Mail = port
	codeOf := func() string {
		t.Helper()
		if n, err := r.SendMails(r.ctx, "test"); err != nil || n != 1 {
			t.Fatalf("%d mails have left: %v", n, err)
		}
		all := server.Messages()
		text := all[len(all)-1].Parse(t).Text
		for _, word := range strings.Fields(text) {
			if len(word) == 6 && strings.Trim(word, "0123456789") == "" {
				return word
			}
		}
		t.Fatalf("no code in %s", text)
		return ""
	}
	s := r.NewSession(c.ID)
	if err := r.SendCode(r.ctx, s, "ana@harbor.example", "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	code := codeOf()
	if _, err := r.Prove(r.ctx, s, "000000", ""); code != "000000" && !errors.Is(err, ErrWrongCode) {
		t.Errorf("the sandbox's code elsewhere: %v", err)
	}
	stale := *s
	p, err := r.Prove(r.ctx, s, code[:3]+" "+code[3:], "")
	if err != nil || p.VerifiedAt.IsZero() {
		t.Fatalf("proved %v: %v", p, err)
	}
	if stale.Token == s.Token {
		t.Error("the session goes on under the token that was seen before")
	}
	if x, err := r.Session(r.ctx, stale.Token); err != nil || x != nil {
		t.Errorf("the old token opens %v: %v", x, err)
	}
	if _, err := r.Prove(r.ctx, &stale, code, ""); err == nil {
		t.Error("a code is used twice")
	}
	// Five wrong ones.
	s = r.NewSession(c.ID)
	if err := r.SendCode(r.ctx, s, "ana@harbor.example", "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	code = codeOf()
	for range 5 {
		if _, err := r.Prove(r.ctx, s, "12345", ""); !errors.Is(err, ErrWrongCode) {
			t.Errorf("a wrong code: %v", err)
		}
	}
	if _, err := r.Prove(r.ctx, s, code, ""); !errors.Is(err, ErrNoCode) {
		t.Errorf("the right code after five wrong ones: %v", err)
	}
	// Too late.
	s = r.NewSession(c.ID)
	if err := r.SendCode(r.ctx, s, "ana@harbor.example", "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	code = codeOf()
	r.now = r.now.Add(10 * time.Minute)
	if _, err := r.Prove(r.ctx, s, code, ""); !errors.Is(err, ErrNoCode) {
		t.Errorf("a code after ten minutes: %v", err)
	}
}

// A stranger can neither flood somebody with codes nor lock anybody out from elsewhere.
func TestCodesAreBounded(t *testing.T) {
	r := newRig(t)
	c, _ := r.begin(500_00)
	send := func(email, network string) error { return r.SendCode(r.ctx, r.NewSession(c.ID), email, network) }
	for range DefaultCodes().Pair {
		if err := send("ana@harbor.example", "10.0.0.1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := send(" ANA@harbor.example", "10.0.0.1"); !errors.Is(err, ErrTooManyCodes) {
		t.Errorf("one more for the pair: %v", err)
	}
	if err := send("ana@harbor.example", "10.0.0.2"); err != nil {
		t.Errorf("from another network: %v", err)
	}
	for i := range DefaultCodes().Network {
		err := send("x"+strings.Repeat("x", i)+"@harbor.example", "10.0.0.3")
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := send("y@harbor.example", "10.0.0.3"); !errors.Is(err, ErrTooManyCodes) {
		t.Errorf("one more from the network: %v", err)
	}
	r.now = r.now.Add(time.Hour)
	if err := send("ana@harbor.example", "10.0.0.1"); err != nil {
		t.Errorf("after an hour: %v", err)
	}
}

// The deployment may set other limits, and they apply.
func TestCodesAreBoundedAsTheDeploymentSays(t *testing.T) {
	r := newRig(t)
	r.Codes = CodeLimits{Pair: 1, Network: 2}
	c, _ := r.begin(500_00)
	for i, x := range []struct {
		email string
		want  error
	}{{"ana@harbor.example", nil}, {"ana@harbor.example", ErrTooManyCodes}, {"ben@harbor.example", nil}, {"cy@harbor.example", ErrTooManyCodes}} {
		if err := r.SendCode(r.ctx, r.NewSession(c.ID), x.email, "10.0.0.1"); !errors.Is(err, x.want) {
			t.Errorf("request %d: %v", i+1, err)
		}
	}
	for _, x := range []struct {
		limits CodeLimits
		sound  bool
	}{{DefaultCodes(), true}, {CodeLimits{1, 1}, true}, {CodeLimits{5, 10_000}, true}, {CodeLimits{0, 5}, false}, {CodeLimits{-1, 5}, false}, {CodeLimits{5, 4}, false}, {CodeLimits{5, 10_001}, false}} {
		if err := x.limits.Check(); (err == nil) != x.sound {
			t.Errorf("%+v: %v", x.limits, err)
		}
	}
}

// Sessions end after half an hour of inactivity, and after twelve hours in any case.
func TestSessionsEnd(t *testing.T) {
	r := newRig(t)
	c, _ := r.begin(500_00)
	s := r.signIn(c.ID, "ana@harbor.example")
	for range 23 {
		r.now = r.now.Add(29 * time.Minute)
		x, err := r.Session(r.ctx, s.Token)
		if err != nil || x == nil {
			t.Fatalf("after %s of use: %v, %v", r.now.Sub(s.Started), x, err)
		}
		if err := r.Save(r.ctx, x); err != nil {
			t.Fatal(err)
		}
	}
	r.now = s.Started.Add(wholeLife + time.Second)
	if x, err := r.Session(r.ctx, s.Token); err != nil || x != nil {
		t.Errorf("after twelve hours: %v, %v", x, err)
	}
	s = r.signIn(c.ID, "ana@harbor.example")
	r.now = r.now.Add(idleLife)
	if x, err := r.Session(r.ctx, s.Token); err != nil || x != nil {
		t.Errorf("after half an hour of rest: %v, %v", x, err)
	}
}

// A mail that a server does not accept is retried, and its code is erased once it has been
// sent.
func TestMailsAreTriedAgain(t *testing.T) {
	r := newRig(t)
	c, _ := r.begin(500_00)
	server := smtptest.Start(t, smtptest.Options{})
	port, err := mailer.New(mailer.Config{URL: server.URL(), From: "Tenor <mail@lender.example>", Roots: server.Roots()})
	if err != nil {
		t.Fatal(err)
	}
	r.Mail = port
	server.Fail(smtptest.Fault{At: smtptest.Rcpt, Times: 1, Code: 451, Text: "4.3.0 later"})
	s := r.NewSession(c.ID)
	if err := r.SendCode(r.ctx, s, "ana@harbor.example", "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	mail := func() *credit.Mail {
		var list []credit.Record
		r.view(func(v store.View) (err error) {
			list, err = store.ListRecords(v, credit.NounMail, store.RecordFilter{}, store.Page{Limit: 9})
			return err
		})
		return list[0].(*credit.Mail)
	}
	if n, err := r.SendMails(r.ctx, "test"); err != nil || n != 0 {
		t.Errorf("%d mails have left: %v", n, err)
	}
	if m := mail(); m.Status != credit.MailQueued || m.Attempts != 1 || !m.NextAt.Equal(r.now.Add(30*time.Second)) {
		t.Errorf("after a refusal: %+v", m)
	}
	if n, err := r.SendMails(r.ctx, "test"); err != nil || n != 0 {
		t.Errorf("%d mails have left too soon: %v", n, err)
	}
	r.now = r.now.Add(31 * time.Second)
	secret := mail().Secret
	if n, err := r.SendMails(r.ctx, "test"); err != nil || n != 1 {
		t.Errorf("%d mails have left: %v", n, err)
	}
	if m := mail(); m.Status != credit.MailSent || m.Attempts != 2 || m.Secret != "" {
		t.Errorf("after it was taken: %+v", m)
	}
	r.view(func(v store.View) error {
		found, err := store.Secrets(v, []string{secret})
		if len(found) != 0 {
			t.Error("the code stands in the vault after it was sent")
		}
		return err
	})
	server.Fail(smtptest.Fault{At: smtptest.Rcpt, Times: 1, Code: 550, Text: "5.1.1 nobody"})
	if err := r.SendCode(r.ctx, r.NewSession(c.ID), "nobody@harbor.example", "127.0.0.1"); err != nil {
		t.Fatal(err)
	}
	if _, err := r.SendMails(r.ctx, "test"); err != nil {
		t.Fatal(err)
	}
	if m := mail(); m.Status != credit.MailFailed || !strings.HasPrefix(m.LastError, "550") {
		t.Errorf("after a refusal for good: %+v", m)
	}
}

// A live deployment without a mail server reports it, and no sandbox value works in it.
func TestLive(t *testing.T) {
	r := newRig(t)
	r.Sandbox = false
	if err := r.MayMail(); !errors.Is(err, ErrMailUnavailable) {
		t.Errorf("without a mail server: %v", err)
	}
	c, _ := r.begin(500_00)
	if err := r.SendCode(r.ctx, r.NewSession(c.ID), "a@b.example", ""); !errors.Is(err, ErrMailUnavailable) {
		t.Errorf("a code: %v", err)
	}
	r.Facts = facts.Ports{}
	a, err := r.Apply(r.ctx, form("00-0000001"), Through{Merchant: r.merchant}, "")
	if err != nil {
		t.Fatal(err)
	}
	r.view(func(v store.View) error {
		a, err := Load[*credit.Application](v, a.ID)
		if a.Status != credit.ApplicationInReview || a.Decision != nil {
			t.Errorf("without any source: %s, %+v", a.Status, a.Decision)
		}
		return err
	})
}

// The first person of a company created by the lender is whoever proves the email address
// of its record, and nobody after that.
func TestFirstPerson(t *testing.T) {
	r := newRig(t)
	x := r.submit(itself(), lending.CreateCompany{Title: "Dock 9", Email: "Pay@Dock9.example", Tier: "A", Status: credit.CompanyApproved, Limit: 5_000_00}).(*credit.Company)
	c, _ := r.begin(500_00)
	s := r.signIn(c.ID, "pay@dock9.EXAMPLE")
	p, err := r.Person(r.ctx, s.Person)
	if err != nil || !p.MayAccept(x.ID, 5_000_00) {
		t.Errorf("first person %+v: %v", p, err)
	}
	other := r.signIn(c.ID, "someone@dock9.example")
	if q, err := r.Person(r.ctx, other.Person); err != nil || len(q.Roles) != 0 {
		t.Errorf("another person %+v: %v", q, err)
	}
}

// Two tabs that type concurrently lose nothing.
func TestDrafts(t *testing.T) {
	r := newRig(t)
	c, _ := r.begin(500_00)
	s := r.signIn(c.ID, "ana@harbor.example")
	for _, d := range []Draft{{"legal_name": "Ruiz"}, {"ein": "12-3456789"}, {"legal_name": "Ruiz Kitchens"}} {
		if err := r.SaveDraft(r.ctx, s, d); err != nil {
			t.Fatal(err)
		}
	}
	got, err := r.Draft(r.ctx, s)
	if err != nil || got["legal_name"] != "Ruiz Kitchens" || got["ein"] != "12-3456789" {
		t.Errorf("draft %v: %v", got, err)
	}
	if err := r.DropDraft(r.ctx, s); err != nil {
		t.Fatal(err)
	}
	if got, err := r.Draft(context.Background(), s); err != nil || len(got) != 0 {
		t.Errorf("after it was sent: %v, %v", got, err)
	}
}

// Drafts are kept for as long as the lender sets.
func TestDraftsAreKeptAsLongAsTheLenderSays(t *testing.T) {
	r := newRig(t)
	c, _ := r.begin(500_00)
	s := r.signIn(c.ID, "ana@harbor.example")
	for _, days := range []int{30, 7} { // first the default
		if days != 30 {
			r.submit(itself(), compliance.SetLender{Retention: &credit.Retention{Drafts: days}})
		}
		if err := r.SaveDraft(r.ctx, s, Draft{"legal_name": "Ruiz"}); err != nil {
			t.Fatal(err)
		}
		for _, x := range []struct {
			after time.Duration
			left  int
		}{{time.Duration(days)*24*time.Hour - time.Second, 1}, {time.Second, 0}} {
			r.now = r.now.Add(x.after)
			if got, err := r.Draft(r.ctx, s); err != nil || len(got) != x.left {
				t.Errorf("kept for %d days: %v, %v", days, got, err)
			}
		}
	}
}

// Magic tax numbers decide an application as the sandbox documents.
func TestMagicTaxNumbersDecide(t *testing.T) {
	for ein, want := range map[string]string{
		"00-0000001": credit.ApplicationApproved, "00-0000011": credit.ApplicationApproved, "00-0000012": credit.ApplicationApproved,
		"00-0000013": credit.ApplicationApproved, "00-0000014": credit.ApplicationApproved, "00-0000005": credit.ApplicationRequested,
		"00-0000007": credit.ApplicationInReview, "00-0000050": credit.ApplicationInReview, "00-0000051": credit.ApplicationInReview,
		"00-0000060": credit.ApplicationInReview, "00-0000030": credit.ApplicationDeclined, "00-0000034": credit.ApplicationDeclined,
		"00-0000041": credit.ApplicationDeclined,
	} {
		t.Run(ein, func(t *testing.T) {
			r := newRig(t)
			a, err := r.Apply(r.ctx, form(ein), Through{Merchant: r.merchant}, "127.0.0.1")
			if err != nil {
				t.Fatal(err)
			}
			r.view(func(v store.View) error {
				list, err := store.ListRecords(v, credit.NounApplication, store.RecordFilter{}, store.Page{Limit: 2})
				a = list[0].(*credit.Application)
				return err
			})
			if a.Status != want {
				t.Errorf("%s, must be %s; outcome %+v", a.Status, want, a.Outcome)
			}
			if ein == "00-0000060" && (a.Inputs == nil || !a.Inputs.Duplicate) {
				t.Errorf("inputs %+v do not say that it is a duplicate", a.Inputs)
			}
		})
	}
}

// A notice of an application that was not approved as requested names the credit report
// used, to the owner it is about and to nobody else (F28); the record contains which
// sources were queried, and only a hash of the answer.
func TestNoticeNamesTheCreditReport(t *testing.T) {
	for _, x := range []struct {
		name, ein, applicant string
		want                 bool
	}{
		{"declined", "00-0000030", "Ana", true},
		{"a lower line", "00-0000013", "Ana", true},
		{"somebody else applies", "00-0000030", "Bea", false},
		{"approved as asked for", "00-0000001", "Ana", false},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := newRig(t)
			server := smtptest.Start(t, smtptest.Options{})
			port, err := mailer.New(mailer.Config{URL: server.URL(), From: "Tenor <mail@lender.example>", Roots: server.Roots()})
			if err != nil {
				t.Fatal(err)
			}
			r.Mail = port
			r.submit(itself(), compliance.SetLender{Creditor: &credit.Party{Name: "Tenor Lending", Address: "1 Bank Street, Albany, NY"},
				Regulator: &credit.Party{Name: "Federal Trade Commission", Address: "600 Pennsylvania Avenue NW, Washington, DC 20580"}})
			f := form(x.ein)
			f.Applicant.FirstName = x.applicant
			if _, err := r.Apply(r.ctx, f, Through{Merchant: r.merchant}, "127.0.0.1"); err != nil {
				t.Fatal(err)
			}
			if _, err := r.SendMails(r.ctx, "test"); err != nil {
				t.Fatal(err)
			}
			sent := server.Messages()
			if len(sent) != 1 {
				t.Fatalf("%d mails", len(sent))
			}
			text := strings.Join(strings.Fields(sent[0].Parse(t).Text), " ")
			for _, part := range []string{"Consumer reporting agency: Sandbox Bureau", "a report about Ana Ruiz", "a free copy of your report", "Credit score: ", "Scores range: 300 to 850"} {
				if strings.Contains(text, part) != x.want {
					t.Errorf("%q in the mail: %v\n%s", part, !x.want, text)
				}
			}
			r.view(func(v store.View) error {
				list, err := store.ListRecords(v, credit.NounApplication, store.RecordFilter{}, store.Page{Limit: 2})
				for _, s := range list[0].(*credit.Application).Sources {
					if s.Port == "credit_bureau" && (s.Source == "" || len(s.RawHash) != 64 || !s.At.Equal(r.now) || s.Missing != "") {
						t.Errorf("of the bureau stands %+v", s)
					}
				}
				return err
			})
			r.nothingPersonal("Sandbox Bureau", "Made up by")
		})
	}
}
