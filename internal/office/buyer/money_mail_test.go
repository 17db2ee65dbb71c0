package buyer

import (
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/people"
	"tenor/internal/office/letter"
	"tenor/internal/office/statement"
)

// pass lets time pass until a day, runs what that makes due for orders and transfers at
// midnight, when the bank opens and at its cut-off, and sends the mails.
func (r *rig) pass(to calendar.Date) {
	r.t.Helper()
	for day := r.Zone.Date(r.now); day <= to; day++ {
		for _, at := range []time.Time{r.Zone.Start(day), r.Zone.At(day, 8, 30), r.Zone.At(day, 16, 0)} {
			if at.Before(r.now) {
				continue
			}
			r.now = at
			r.serve()
		}
	}
}

// serve does what is due now, and sends the mails.
func (r *rig) serve() {
	r.t.Helper()
	for range 9 {
		var orders, transfers []store.Due
		r.view(func(v store.View) (err error) {
			if orders, err = store.ListDue(v, store.OrderNoun, r.now, store.Page{Limit: 9}); err == nil {
				transfers, err = store.ListDue(v, store.TransferNoun, r.now, store.Page{Limit: 9})
			}
			return err
		})
		for _, x := range orders {
			r.submit(itself(), lending.ServiceOrder{Order: x.ID})
		}
		for _, x := range transfers {
			r.submit(itself(), payments.ServiceTransfer{Transfer: x.ID})
		}
		if len(orders)+len(transfers) == 0 {
			break
		}
	}
	if _, err := r.SendMails(r.ctx, "test"); err != nil {
		r.t.Fatal(err)
	}
}

// bought returns a captured order of 1,200.00 in three payments, with its company.
func (r *rig) bought() (*credit.Order, *credit.Company) {
	r.t.Helper()
	c, x := r.completed()
	return r.submit(r.shop(), lending.UpdateOrder{Order: c.Of, Status: credit.OrderCaptured}).(*credit.Order), x
}

// autopay gives a company an account and enables autopay from it.
func (r *rig) autopay(company int64) {
	r.t.Helper()
	id := payments.MethodID(seed(), r.now)
	details := credit.AccountDetails{Routing: "073000228", Number: "123456789", Holder: "Ruiz Kitchens LLC"}
	bank, err := payments.SealedAccount(payments.MethodAccount(id), details, credit.BankAccount{AccountType: "CHECKING", HolderType: "BUSINESS"}, hash, r.Seal)
	if err != nil {
		r.t.Fatal(err)
	}
	r.submit(itself(), payments.AddPaymentMethod{ID: id, Company: company, Type: credit.ACH, Bank: bank, Known: true,
		Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: r.now, Reference: "signed"}})
	on := true
	r.submit(itself(), payments.SetAutopay{Company: company, Enabled: &on, Method: &id})
}

// letters returns the sent mails of a template, oldest first.
func (r *rig) letters(t letter.Template) (out []Letter) {
	r.t.Helper()
	all, err := r.Mailbox(r.ctx, store.Page{Limit: 100})
	if err != nil {
		r.t.Fatal(err)
	}
	slices.Reverse(all)
	for _, l := range all {
		if l.Mail.Template == string(t) {
			out = append(out, l)
		}
	}
	return out
}

// says checks that the last mail of a template went to the owner and contains some lines.
func (r *rig) says(t letter.Template, subject string, lines ...string) {
	r.t.Helper()
	all := r.letters(t)
	if len(all) == 0 {
		r.t.Errorf("no mail %s has left", t)
		return
	}
	l := all[len(all)-1]
	if !strings.EqualFold(l.To, "ana@harbor.example") || l.Subject != subject {
		r.t.Errorf("%s to %s: %s, want %s", t, l.To, l.Subject, subject)
	}
	for _, line := range lines {
		if !strings.Contains(strings.Join(strings.Fields(l.Text), " "), line) {
			r.t.Errorf("%s lacks %q:\n%s", t, line, l.Text)
		}
	}
}

// The letters about money have the figures of the books.
func TestMailsAboutMoneySayWhatTheBooksSay(t *testing.T) {
	r := newRig(t)
	o, company := r.bought()
	r.autopay(company.ID)
	r.pass(calendar.Of(2026, 2, 12))
	r.says(letter.InstallmentDue, "$408.03 is due on Feb 15, 2026", "Order: "+o.Key, "Merchant: Harbor Supply", "Installment: 1 of 3", "We debit it on Feb 17, 2026 from the account ending in 6789.",
		"http://localhost:8080/account/orders/"+o.Key)
	r.pass(calendar.Of(2026, 2, 13))
	r.says(letter.DebitTomorrow, "We debit $408.03 on Feb 17, 2026", "- Order "+o.Key+", installment 1 of 3: $408.03", "A debit that comes back costs a fee of $25.00.")
	r.pass(calendar.Of(2026, 2, 17))
	r.says(letter.PaymentReceived, "We received $408.03", "Received on: Feb 15, 2026", "Paid by: debit of the account ending in 6789", "- Order "+o.Key+" at Harbor Supply: $408.03", "/account/payments")
	var p *credit.Payment
	r.view(func(v store.View) error {
		list, err := store.ListPayments(v, store.PaymentFilter{Company: company.ID, From: calendar.None, To: calendar.None}, store.Page{Limit: 9})
		p = list[0]
		return err
	})
	r.submit(itself(), payments.ReturnTransfer{Transfer: p.Transfer, Code: "R01"})
	r.serve()
	r.says(letter.PaymentReturned, "Your payment of $408.03 was returned", "The bank's reason: Insufficient Funds", "Returned-payment fee: $25.00", "We try again on Feb 19, 2026.")
	r.now = r.Zone.At(calendar.Of(2026, 3, 1), 0, 5)
	r.submit(itself(), people.TellStatement{Company: company.ID, Month: calendar.Of(2026, 2, 28)})
	r.serve()
	r.says(letter.StatementReady, "Statement of Feb 1, 2026 to Feb 28, 2026", "/account/statements/2026-02")
	r.nothingPersonal("Home Street")
}

// Everything past due is listed; a mail that has nothing left to tell by its turn is not
// sent, and is no alarm.
func TestPastDueIsToldWhileItIsSo(t *testing.T) {
	r := newRig(t)
	o, _ := r.bought()
	r.pass(calendar.Of(2026, 2, 15))
	r.now = r.Zone.Start(calendar.Of(2026, 2, 16))
	r.submit(itself(), lending.ServiceOrder{Order: o.Key})
	r.serve()
	r.says(letter.PastDue, "$408.03 is past due", "past due since Feb 15, 2026", "- Order "+o.Key+" at Harbor Supply: $408.03 since Feb 15, 2026", "/account/pay?what=late")
	r.pass(calendar.Of(2026, 3, 15))
	r.now = r.Zone.Start(calendar.Of(2026, 3, 16))
	r.serve()
	r.submit(itself(), payments.RecordPayment{Order: o.Key, Amount: 412_84, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
	r.serve()
	if n := len(r.letters(letter.PastDue)); n != 1 {
		t.Errorf("%d mails of the same lateness", n)
	}
}

// An installment paid between the reminder and its sending is not mentioned.
func TestAMailThatIsMootIsNotSent(t *testing.T) {
	r := newRig(t)
	o, company := r.bought()
	r.now = r.Zone.Start(calendar.Of(2026, 2, 10))
	r.submit(itself(), lending.ServiceOrder{Order: o.Key})
	r.submit(itself(), payments.RecordPayment{Order: o.Key, Amount: 408_03, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None})
	r.serve()
	if n := len(r.letters(letter.InstallmentDue)); n != 0 {
		t.Errorf("%d reminders of what is paid", n)
	}
	r.view(func(v store.View) error {
		list, err := store.ListRecords(v, credit.NounMail, store.RecordFilter{Company: company.ID, Status: credit.MailFailed}, store.Page{Limit: 9})
		if err == nil && (len(list) != 1 || list[0].(*credit.Mail).LastError != people.MailMoot) {
			t.Errorf("failed: %+v", list)
		}
		return err
	})
}

// A merchant's order number is shown only if it is one: whoever has the merchant's token
// chooses it.
func TestOrdersAreNamedByNumbersOnly(t *testing.T) {
	for number, want := range map[string]string{
		"": "ord_1", "PO-2291": "PO-2291", "Order 17": "Order 17", "call 1 555 0100 now": "ord_1", "see evil.example": "ord_1", "a@b": "ord_1", strings.Repeat("9", 41): "ord_1",
	} {
		if got := shownOrder(&credit.Order{Key: "ord_1", MerchantOrderID: number}); got != want {
			t.Errorf("%q is shown as %q", number, got)
		}
	}
}

// A mail about an application shows the business name as typed only to somebody who has
// proved the email address: otherwise the caller chose both.
func TestNamesThatStrangersChoseAreNotShown(t *testing.T) {
	for _, proved := range []bool{false, true} {
		r := newRig(t)
		through := Through{Merchant: r.merchant}
		if proved {
			c, _ := r.begin(600_00)
			s := r.signIn(c.ID, "ana@harbor.example")
			if err := r.Enter(r.ctx, c.ID, s.Person, 0, ""); err != nil {
				t.Fatal(err)
			}
			through.Checkout = c.ID
		}
		f := form("00-0000050")
		f.Business.LegalName = "You have won: call 1 555 010 0100 (evil.example)"
		if _, err := r.Apply(r.ctx, f, through, "127.0.0.1"); err != nil {
			t.Fatal(err)
		}
		r.serve()
		all := r.letters(letter.InReview)
		if len(all) != 1 || strings.Contains(all[0].Text, "evil.example") != proved || strings.Contains(all[0].Text, "your business") == proved {
			t.Errorf("proved %t: %+v", proved, all)
		}
	}
}

// completed returns an order of 1,200.00 in three payments that was authorized today.
func (r *rig) completed() (*credit.Checkout, *credit.Company) {
	r.t.Helper()
	c, _ := r.begin(1_200_00)
	s := r.signIn(c.ID, "ana@harbor.example")
	if err := r.Enter(r.ctx, c.ID, s.Person, 0, ""); err != nil {
		r.t.Fatal(err)
	}
	if _, err := r.Apply(r.ctx, form("00-0000001"), Through{Merchant: r.merchant, Checkout: c.ID}, "127.0.0.1"); err != nil {
		r.t.Fatal(err)
	}
	if err := r.accept(c.ID, true); err != nil {
		r.t.Fatal(err)
	}
	r.submit(r.shop(), onboarding.CompleteCheckout{Checkout: c.ID})
	x, err := r.Visit(r.ctx, c.ID)
	if err != nil {
		r.t.Fatal(err)
	}
	return x.Checkout, x.Company
}

// A capture with the accepted figures sends nothing. One on another day, for another
// amount, or of a part sends a mail to the person who accepted and to the owners, once,
// with the current figures.
func TestDisclosedAgainAtCapture(t *testing.T) {
	told := func(r *rig) int { r.serve(); return len(r.letters(letter.NewDisclosure)) }
	t.Run("the same day", func(t *testing.T) {
		r := newRig(t)
		r.bought()
		if n := told(r); n != 0 {
			t.Errorf("%d mails of what was accepted", n)
		}
	})
	t.Run("another day", func(t *testing.T) {
		r := newRig(t)
		c, _ := r.completed()
		accepted := r.Zone.Date(r.now)
		r.now = r.now.AddDate(0, 0, 7)
		r.submit(r.shop(), lending.UpdateOrder{Order: c.Of, Status: credit.OrderCaptured})
		r.submit(r.shop(), lending.UpdateOrder{Order: c.Of, MerchantStatus: &lending.Patch[string]{Value: "sent"}})
		if n := told(r); n != 1 {
			t.Fatalf("%d mails", n)
		}
		day := r.Zone.Date(r.now)
		first := day.AddMonths(1)
		r.says(letter.NewDisclosure, "New dates and costs of order "+c.Of, "for what was shipped on "+statement.Day(day)+". The dates and costs of "+statement.Day(accepted)+" were for the whole order",
			"Funding provided: $1,200.00", "Finance charge: $24.08", "APR: 12.00 %", "Total of payments: $1,224.08", "Payments: 3 × $408.03", "First payment: "+statement.Day(first),
			"- "+statement.Day(first)+": $408.03", "http://localhost:8080/account/orders/"+c.Of)
	})
	t.Run("in parts", func(t *testing.T) {
		r := newRig(t)
		c, company := r.completed()
		o := r.submit(r.shop(), lending.CapturePart{Order: c.Of, Amount: 500_00, MerchantOrderID: "PO-1a"}).(*credit.Order)
		if n := told(r); n != 1 || o.Parent != c.Of {
			t.Fatalf("%d mails of a part", n)
		}
		r.says(letter.NewDisclosure, "New dates and costs of order PO-1a", "Funding provided: $500.00")
		r.now = r.now.Add(time.Minute)
		r.submit(r.shop(), lending.UpdateOrder{Order: c.Of, Status: credit.OrderCaptured})
		if n := told(r); n != 2 {
			t.Fatalf("%d mails of both parts", n)
		}
		r.says(letter.NewDisclosure, "New dates and costs of order "+c.Of, "Funding provided: $700.00")
		if x := r.letters(letter.NewDisclosure)[0].Mail; x.Company != company.ID {
			t.Errorf("it is about company %d", x.Company)
		}
	})
	t.Run("an order of the API", func(t *testing.T) {
		r := newRig(t)
		_, company := r.completed()
		order := func() string {
			return r.submit(r.shop(), lending.CreateOrder{Company: company.ID, Amount: 300_00, Installments: 3, Authorize: true}).(*credit.Order).Key
		}
		same, later := order(), order()
		r.submit(r.shop(), lending.UpdateOrder{Order: same, Status: credit.OrderCaptured})
		if n := told(r); n != 0 {
			t.Fatalf("%d mails of what was authorized", n)
		}
		r.now = r.now.AddDate(0, 0, 1)
		r.submit(r.shop(), lending.UpdateOrder{Order: later, Status: credit.OrderCaptured})
		if n := told(r); n != 1 {
			t.Fatalf("%d mails", n)
		}
		r.says(letter.NewDisclosure, "New dates and costs of order "+later, "Funding provided: $300.00")
	})
}

// Whoever has a merchant's token cannot fill a mailbox by capturing in parts.
func TestDisclosedAgainIsBounded(t *testing.T) {
	r := newRig(t)
	c, _ := r.completed()
	for range 60 {
		r.submit(r.shop(), lending.CapturePart{Order: c.Of, Amount: 10_00})
	}
	for range 5 {
		r.serve()
	}
	if n := len(r.letters(letter.NewDisclosure)); n != 40 {
		t.Errorf("%d mails of 60 parts", n)
	}
}
