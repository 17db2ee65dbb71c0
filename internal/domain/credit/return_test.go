package credit_test

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// The table of return codes matches testdata/return_codes.csv: class, whether a debit may be
// retried, and its counter (F23).
func TestReturnCodes(t *testing.T) {
	f, err := os.Open("testdata/return_codes.csv")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	codes := lending.ReturnCodes()
	if len(rows)-1 != len(codes) || len(codes) != 71 {
		t.Fatalf("%d codes, %d in the file", len(codes), len(rows)-1)
	}
	for i, row := range rows[1:] {
		c := codes[i]
		if c.Code != row[0] || string(c.Class) != row[1] || string(c.Bucket) != row[3] || c.Title == "" {
			t.Errorf("%+v, the file says %v", c, row)
		}
		retried := payments.DecideReturn(c.Code, 0, 3, 0) == payments.RetryAllowed
		if retried != (row[2] == "yes") {
			t.Errorf("%s: a retry is allowed: %t, the file says %q", c.Code, retried, row[2])
		}
	}
}

// The vectors of F23.
func TestReturnDecisions(t *testing.T) {
	b, err := os.ReadFile("testdata/ach_return_decisions.json")
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Count   int
		Vectors []struct {
			ID            string
			Code          string `json:"return_code"`
			Reinitiations int    `json:"prior_reinitiations"`
			Days          int    `json:"days_since_original_settlement"`
			Expect        payments.ReturnDecision
		}
	}
	if err := json.Unmarshal(b, &file); err != nil {
		t.Fatal(err)
	}
	if len(file.Vectors) != file.Count || file.Count != 8 {
		t.Fatalf("%d vectors of %d", len(file.Vectors), file.Count)
	}
	for _, v := range file.Vectors {
		if got := payments.DecideReturn(v.Code, v.Reinitiations, v.Days, 0); got != v.Expect {
			t.Errorf("%s: %s after %d retries and %d days is %s, not %s", v.ID, v.Code, v.Reinitiations, v.Days, got, v.Expect)
		}
	}
	for _, x := range []struct {
		code                               string
		retries, sinceSettled, sinceReturn int
		want                               payments.ReturnDecision
	}{
		{"R01", 1, 180, 0, payments.RetryAllowed}, {"R09", 0, 1, 0, payments.RetryAllowed}, {"R11", 0, 70, 60, payments.CorrectedEntryAllowed},
		{"R11", 0, 70, 61, payments.UnauthorizedStop}, {"R16", 0, 1, 0, payments.StopComplianceReview}, {"R17", 0, 1, 0, payments.CorrectAndResend},
		{"R24", 0, 1, 0, payments.ManualReview}, {"R99", 0, 1, 0, payments.ManualReview},
	} {
		if got := payments.DecideReturn(x.code, x.retries, x.sinceSettled, x.sinceReturn); got != x.want {
			t.Errorf("%s: %s, not %s", x.code, got, x.want)
		}
	}
}

// The days of F22 and F23: files, settlements, retries.
func TestTransferDays(t *testing.T) {
	w := newWorld(t)
	env := func(date string, hour, minute int) credit.Env {
		return credit.Env{Now: w.zone.At(calendar.MustParse(date), hour, minute), Zone: w.zone}
	}
	date := calendar.MustParse
	for _, x := range []struct {
		now         credit.Env
		wished      string
		file, moves string
	}{
		{env("2026-02-13", 15, 59), "", "2026-02-13", "2026-02-17"}, // Mon 16th is a holiday
		{env("2026-02-13", 16, 0), "", "2026-02-17", "2026-02-18"},
		{env("2026-02-14", 9, 0), "", "2026-02-17", "2026-02-18"},
		{env("2026-02-10", 9, 0), "2026-02-15", "2026-02-13", "2026-02-17"},
		{env("2026-02-10", 9, 0), "2026-02-10", "2026-02-10", "2026-02-11"},
		{env("2026-07-01", 9, 0), "2026-07-06", "2026-07-03", "2026-07-06"}, // Sat 4th closes nothing
	} {
		wished := calendar.None
		if x.wished != "" {
			wished = date(x.wished)
		}
		if file, settles := lending.TransferDays(x.now, wished); file != date(x.file) || settles != date(x.moves) {
			t.Errorf("%s, wished %s: file %s, settles %s, not %s, %s", x.now.Now, x.wished, file, settles, x.file, x.moves)
		}
	}
	for _, x := range []struct {
		now     credit.Env
		attempt int
		want    string
	}{
		{env("2026-03-18", 9, 0), 1, "2026-03-20"}, {env("2026-03-24", 9, 0), 2, "2026-03-31"}, {env("2026-04-14", 9, 0), 1, "2026-04-15"},
		{env("2026-04-14", 16, 30), 1, "2026-04-16"}, // the cut-off has passed
		{env("2026-02-13", 9, 0), 1, "2026-02-17"},   // Sun 15th moves to Tue 17th, before the 2nd banking day Wed 18th
		{env("2026-04-30", 9, 0), 1, "2026-05-01"},   // the 1st comes before the 2nd banking day
		{env("2026-04-15", 9, 0), 1, "2026-04-17"},   // back on the 15th: the next payday is after it
		{env("2026-05-12", 9, 0), 1, "2026-05-14"},   // the 15th comes after the 2nd banking day
	} {
		if got := payments.RetryDay(x.now, x.attempt); got != date(x.want) {
			t.Errorf("attempt %d comes back at %s: next on %s, not %s", x.attempt, x.now.Now, got, x.want)
		}
	}
}

// The check digit of routing numbers (F22).
func TestRoutingNumbers(t *testing.T) {
	for number, want := range map[string]bool{
		"073000228": true, "026013673": true, "121042882": true, "081000210": true, "073000229": false, "123456": false, "000000000": false, "0730002280": false,
		"07300022x": false, "": false,
	} {
		if payments.ValidRouting(number) != want {
			t.Errorf("%q is one: %t", number, !want)
		}
	}
}

// What is rejected of a new payment method, and for whom.
func TestAddPaymentMethodRefuses(t *testing.T) {
	good := func(s *scene) payments.AddPaymentMethod {
		return payments.AddPaymentMethod{
			Company: s.company.ID, Type: credit.ACH, Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: s.now},
			Bank: &credit.BankAccount{Routing: "073000228", Last4: "6789", AccountType: "SAVINGS", HolderType: "CONSUMER", Sealed: []byte{1}, Fingerprint: "f"},
		}
	}
	card := func(c *payments.AddPaymentMethod) {
		c.Type, c.Bank = credit.Card, nil
		c.Card = &credit.CardAccount{Token: "tok", Mandate: "man", Last4: "4242", ExpMonth: 1, ExpYear: 2026, Debit: true}
	}
	for name, x := range map[string]struct {
		spoil func(*payments.AddPaymentMethod)
		want  string
	}{
		"a bank account":    {func(*payments.AddPaymentMethod) {}, ""},
		"a debit card":      {card, ""},
		"routing number":    {func(c *payments.AddPaymentMethod) { c.Bank.Routing = "073000229" }, "validation_failed"},
		"account type":      {func(c *payments.AddPaymentMethod) { c.Bank.AccountType = "LOAN" }, "validation_failed"},
		"holder type":       {func(c *payments.AddPaymentMethod) { c.Bank.HolderType = "" }, "validation_failed"},
		"no holder's name":  {func(c *payments.AddPaymentMethod) { c.Bank.HolderName = "" }, ""}, // the company is the holder
		"a name of blanks":  {func(c *payments.AddPaymentMethod) { c.Bank.HolderName = "  \u00a0" }, "validation_failed"},
		"no Latin letter":   {func(c *payments.AddPaymentMethod) { c.Bank.HolderName = "株式会社" }, "validation_failed"},
		"routing of zeros":  {func(c *payments.AddPaymentMethod) { c.Bank.Routing = "000000000" }, "validation_failed"},
		"no account number": {func(c *payments.AddPaymentMethod) { c.Bank.Sealed = nil }, "validation_failed"},
		"channel":           {func(c *payments.AddPaymentMethod) { c.Authorization.Channel = "PHONE" }, "validation_failed"},
		"accepted later": {func(c *payments.AddPaymentMethod) {
			c.Authorization.AcceptedAt = c.Authorization.AcceptedAt.Add(time.Second)
		}, "validation_failed"},
		"nothing":         {func(c *payments.AddPaymentMethod) { c.Bank = nil }, "validation_failed"},
		"both":            {func(c *payments.AddPaymentMethod) { c.Card = &credit.CardAccount{} }, "validation_failed"},
		"a credit card":   {func(c *payments.AddPaymentMethod) { card(c); c.Card.Debit = false }, "validation_failed"},
		"an expired card": {func(c *payments.AddPaymentMethod) { card(c); c.Card.ExpYear = 2025 }, "validation_failed"},
		"no token":        {func(c *payments.AddPaymentMethod) { card(c); c.Card.Token = "" }, "validation_failed"},
		"no company":      {func(c *payments.AddPaymentMethod) { c.Company = 1 }, "not_found"},
	} {
		s := newScene(t, "CAPTURED")
		c := good(s)
		x.spoil(&c)
		_, r := s.do(s.owner, c)
		if got := codeOf(r); got != x.want {
			t.Errorf("%s: %q, not %q", name, got, x.want)
		}
	}
	s := newScene(t, "CAPTURED")
	stranger := s.shop("Z", lending.DefaultSettings())
	if _, r := s.do(stranger, good(s)); codeOf(r) != "company_not_linked" {
		t.Errorf("a stranger adds a payment method: %v", r)
	}
	m := s.must(s.owner, good(s)).(*credit.PaymentMethod)
	if _, r := s.do(stranger, payments.RemovePaymentMethod{Method: m.ID}); codeOf(r) != "not_found" {
		t.Errorf("a stranger removes a payment method: %v", r)
	}
	for _, c := range []credit.Command{payments.ServiceTransfer{}, payments.SendSameDay{}, payments.RejectTransfer{}, payments.ReturnTransfer{}, payments.CompleteCharge{}, payments.SettleCharge{}, payments.DisputeCharge{}} {
		if _, r := s.do(s.owner, c); codeOf(r) != "not_found" {
			t.Errorf("a merchant moves a transfer by %s: %v", c.Name(), r)
		}
	}
}

func codeOf(r *credit.Rejection) string {
	if r == nil {
		return ""
	}
	return r.Code
}

// Micro-deposits: two below 1.00; right in any order; three tries, ten days (F22).
func TestMicroDeposits(t *testing.T) {
	for name, x := range map[string]struct {
		tries int // wrong ones
		days  int
		want  credit.MethodStatus
	}{
		"at once": {0, 0, credit.MethodActive}, "the third time": {2, 0, credit.MethodActive}, "three wrong ones": {3, 0, credit.MethodDisabled},
		"on the last day": {0, 10, credit.MethodActive}, "a day late": {0, 11, credit.MethodDisabled},
	} {
		s := newScene(t, "CAPTURED")
		m := s.must(s.owner, payments.AddPaymentMethod{
			Company: s.company.ID, Type: credit.ACH, Verify: true, Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: s.now},
			Bank: &credit.BankAccount{Routing: "073000228", Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte{1}, Fingerprint: "f"},
		}).(*credit.PaymentMethod)
		sent := m.Verification.Amounts
		if len(sent) != 2 || sent[0] < 1 || sent[0] > 99 || sent[1] < 1 || sent[1] > 99 || m.Status != credit.MethodUnverified {
			t.Fatalf("%s: %+v", name, m)
		}
		if _, r := s.do(s.owner, payments.SetAutopay{Company: s.company.ID, Method: &m.ID, Enabled: new(bool)}); r != nil {
			t.Fatal(r)
		}
		if _, r := s.do(s.owner, payments.RecordPayment{Order: s.order, Amount: 100, Method: credit.ACH, PaymentMethod: m.ID, ScheduledDate: calendar.None, EffectiveDate: calendar.None}); codeOf(r) != "payment_method_unverified" {
			t.Errorf("%s: an account that is not verified is debited: %v", name, r)
		}
		s.now = s.now.AddDate(0, 0, x.days)
		for range x.tries {
			s.must(s.owner, payments.VerifyPaymentMethod{Method: m.ID, Amounts: slices.Concat(sent[:1], sent[:1], sent[:1])})
		}
		_, r := s.do(s.owner, payments.VerifyPaymentMethod{Method: m.ID, Amounts: []money.Amount{sent[1], sent[0]}})
		if got := s.all.Methods[m.ID].Status; got != x.want || x.tries < credit.VerificationTries && r != nil {
			t.Errorf("%s: %s, %v", name, got, r)
		}
	}
}

// A returned payment leaves the same balances as one that never existed, whenever it came back
// and whatever was paid after it (F40.5): a bank either settles the first debit and returns
// it, or rejects it.
func TestReturnedIsAsIfNeverMade(t *testing.T) {
	for _, plan := range []int{3, 4, 6} {
		for _, late := range []int{0, 1, 20, 59} {
			var views []string
			for _, settles := range []bool{true, false} {
				views = append(views, afterReturn(t, plan, late, settles))
			}
			if views[0] != views[1] {
				t.Errorf("%d installments, back after %d days\n%s\nand never made\n%s", plan, late, views[0], views[1])
			}
		}
	}
}

// afterReturn is the schedule after three months in which the first debit came back the given
// days after its settlement, or was rejected. That debit's items are left for review; the
// others continue.
func afterReturn(t *testing.T, plan, days int, settles bool) string {
	w := newWorld(t)
	s := &story{world: w}
	settings := marketSettings()
	settings.LateFeeRate = 0
	shop := w.shop("M", settings)
	c := w.buyer("A", "5000.00", shop)
	m := w.must(operator, payments.AddPaymentMethod{
		Company: c.ID, Type: credit.ACH, Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.now},
		Bank: &credit.BankAccount{Routing: "073000228", Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte{1}, Fingerprint: "f"},
	}).(*credit.PaymentMethod)
	on := true
	w.must(operator, payments.SetAutopay{Company: c.ID, Enabled: &on, Method: &m.ID})
	o := w.must(shop, lending.CreateOrder{Company: c.ID, Amount: cents("900.00"), Installments: plan, Authorize: true}).(*credit.Order)
	w.must(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	first, back := "", calendar.None
	for end := w.now.AddDate(0, 0, 95); ; {
		at, command := s.nextDue(end)
		if command == nil {
			break
		}
		w.now = at
		if back != calendar.None && w.today() > back {
			w.now, back = w.zone.At(back, 12, 0), calendar.None
			w.must(system, payments.ReturnTransfer{Transfer: first, Code: "R17"})
			continue
		}
		w.must(system, command)
		for id, x := range w.all.Transfers {
			if first == "" && x.Status == credit.TransferSent {
				first = id
				if back = x.SettlesOn.AddDays(days); !settles {
					back = calendar.None
					w.must(system, payments.RejectTransfer{Transfer: id, Code: "R17"})
				}
			}
		}
	}
	l := w.all.Loans[o.Key]
	return fmt.Sprintf("%+v %+v", l.Rows, l.View(w.today()).Rows)
}
