package contracttest

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/office/books"
)

// stocks add an item to lists whose items are of no general kind.
var stocks = map[string]func(w *world){
	"listRequests":       func(w *world) { w.logged(w.a) },
	"listPaymentMethods": func(w *world) { w.method("", w.company, false) },
	"listStatements":     func(w *world) { w.until(w.zone.Date(w.business()).EndOfMonth()+1, 9) },
	"listPayouts":        func(w *world) { w.payout(w.a) },
	"listTransfers":      func(w *world) { w.debit(w.a) },
	"listOwedRefunds":    func(w *world) { w.owed(w.a) },
	"listNotices":        func(w *world) { w.notice(w.a) },
	"listCompanyCredits": func(w *world) { w.excess(w.company, w.a) },
	"listAlarms":         func(w *world) { w.screening(w.a) },
	"listReceipts":       func(w *world) { w.object("rcp", w.a) },
	"listScreenings":     func(w *world) { w.screening(w.a) },
	"listBankLines":      func(w *world) { w.bankLine() },
	"listBankMatches":    func(w *world) { w.bankMatch() },
	"listBankNotices":    func(w *world) { w.bankNotice() },
	"listPeriods":        func(w *world) { w.closeMonth() },
}

// fingerprint is the blind index of a test.
func fingerprint(routing, number string) string {
	sum := sha256.Sum256([]byte(routing + "/" + number))
	return hex.EncodeToString(sum[:])
}

// companyOf returns the company that a merchant has from the beginning.
func (w *world) companyOf(merchant string) int64 {
	if merchant == w.b {
		return w.foreign
	}
	return w.company
}

// captured creates a captured order of a company.
func (w *world) captured(company int64, merchant string) string {
	w.tb.Helper()
	o := w.act(merchant, lending.CreateOrder{Company: company, Amount: money.MustParse("1200.00"), Installments: 3, Authorize: true}).(*credit.Order)
	return w.act(merchant, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}).(*credit.Order).Key
}

// bank is an account that is sealed for its place.
func (w *world) bank(place, number, holder string) *credit.BankAccount {
	w.tb.Helper()
	details := credit.AccountDetails{Routing: "021000021", Number: number, Holder: holder}
	b, err := payments.SealedAccount(place, details, credit.BankAccount{AccountType: "CHECKING", HolderType: "BUSINESS"}, fingerprint, w.ring.Seal)
	if err != nil {
		w.tb.Fatal(err)
	}
	return b
}

// method adds a bank account to a company as a merchant or, with "", as the lender: waiting for
// its micro-deposits if verify is set, otherwise vouched for by the lender.
func (w *world) method(by string, company int64, verify bool) string {
	w.tb.Helper()
	w.named++
	id := payments.MethodID([16]byte{byte(w.named >> 8), byte(w.named)}, w.business())
	w.act(by, payments.AddPaymentMethod{
		ID: id, Company: company, Type: credit.ACH, Bank: w.bank(payments.MethodAccount(id), fmt.Sprint(100000000+w.named), "Alder Kitchens LLC"), Verify: verify,
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.business().Add(-time.Hour), Reference: "consent"},
	})
	if by != "" && !verify {
		w.act("", payments.VouchForMethod{Method: id, Verified: true, Reason: "a voided check"})
	}
	return id
}

// debit creates an order of a new company and a payment of it that the merchant debits.
func (w *world) debit(merchant string) (order string, p *credit.Payment) {
	w.tb.Helper()
	return w.debitBy(merchant, merchant)
}

// debitBy is debit by a merchant or, with "", by the lender.
func (w *world) debitBy(by, merchant string) (order string, p *credit.Payment) {
	w.tb.Helper()
	company := w.newCompany(merchant)
	order = w.captured(company, merchant)
	return order, w.act(by, payments.RecordPayment{
		Order: order, Amount: money.MustParse("40.00"), Method: credit.ACH, PaymentMethod: w.method("", company, false), ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}).(*credit.Payment)
}

// inTodaysFile creates a transfer that waits for today's file.
func (w *world) inTodaysFile(merchant string) string {
	w.tb.Helper()
	day := w.zone.Date(w.business())
	if day.NextBankingDay() != day || !w.business().Before(w.zone.At(day, 15, 0)) {
		w.until(day.AddBankingDays(1), 9)
	}
	_, p := w.debit(merchant)
	return p.Transfer
}

// settled creates a debit whose money has just arrived.
func (w *world) settled(merchant string) string {
	w.tb.Helper()
	_, p := w.debit(merchant)
	w.play(w.zone.Date(w.business()).AddBankingDays(2))
	return p.ID
}

// fee creates an order with a fee for a returned debit, and returns its key and the fee's ID.
func (w *world) fee(merchant string) string {
	w.tb.Helper()
	order, p := w.debitBy("", merchant) // a merchant may not continue after three returns
	w.play(w.zone.Date(w.business()).AddBankingDays(3))
	w.act("", payments.ReturnTransfer{Transfer: p.Transfer, Code: "R01"})
	state := credit.NewState()
	err := w.backend.View(context.Background(), func(v store.View) error { return v.Load(state, credit.Keys{Orders: []string{order}}) })
	if err != nil || state.Loans[order] == nil || len(state.Loans[order].Fees) != 1 {
		w.tb.Fatalf("no fee of a debit that came back: %v", err)
	}
	return order + "/" + state.Loans[order].Fees[0].ID
}

// owed refunds part of a wire, to be paid manually.
func (w *world) owed(merchant string) string {
	w.tb.Helper()
	p := w.act("", payments.RefundPayment{Payment: w.object("pay", merchant)}).(*credit.Payment)
	return p.ID + "/" + p.Refunds[0].ID
}

// payout creates a payout for a capture, on its day.
func (w *world) payout(merchant string) string {
	w.tb.Helper()
	w.act("", merchants.SetMerchantAccount{Merchant: merchant, Bank: w.bank(payments.PaidAccount(merchant), "987654321", "Harbor")})
	w.captured(w.newCompany(merchant), merchant)
	w.until(w.zone.Date(w.business()).AddBankingDays(1), 16)
	return w.act("", merchants.PayMerchant{Merchant: merchant}).(*credit.Payout).ID
}

// notice creates a notice about a lower line.
func (w *world) notice(merchant string) string {
	w.tb.Helper()
	company, less := w.newCompany(merchant), money.MustParse("10.00")
	w.act("", lending.UpdateCompany{Company: company, Limit: &less, Reasons: []string{"credit_score"}})
	var list []*credit.Notice
	err := w.backend.View(context.Background(), func(v store.View) (err error) {
		list, err = store.ListNotices(v, store.NoticeFilter{Company: company, DueFrom: calendar.None, DueTo: calendar.None}, store.Page{Limit: 2})
		return err
	})
	if err != nil || len(list) != 1 {
		w.tb.Fatalf("notices of a lower line: %v, %v", list, err)
	}
	return list[0].ID
}

// screening creates a screening that waits for a decision, of a new company.
func (w *world) screening(merchant string) string {
	w.tb.Helper()
	return w.act("", compliance.RecordScreening{
		Company: w.newCompany(merchant), List: "v1", Names: []string{"Company"}, Matches: []credit.Match{{Entry: "T-1", Name: "COMPANY", Score: 90}},
	}).(*credit.Screening).ID
}

// bankLine adds a bank statement line.
func (w *world) bankLine() string {
	w.tb.Helper()
	w.named++
	line := store.BankLine{ID: fmt.Sprintf("line-%d", w.named), Date: calendar.MustParse("2026-03-05"), Amount: 100}
	if _, err := w.backend.PutBankLines(context.Background(), []store.BankLine{line}); err != nil {
		w.tb.Fatal(err)
	}
	return line.ID
}

// bankMatch matches two bank statement lines that cancel each other.
func (w *world) bankMatch() string {
	w.tb.Helper()
	m := books.NewMatch(w.business(), "stage", w.seed)
	m.Lines = w.cancelingLines()
	if err := w.backend.PutMatches(context.Background(), []store.BankMatch{m}); err != nil {
		w.tb.Fatal(err)
	}
	return m.ID
}

// bankNotice is a return of something unknown, which needs review.
func (w *world) bankNotice() string {
	w.tb.Helper()
	w.named++
	n := store.BankNotice{
		Rail: credit.ACH, ID: fmt.Sprint("returns.ach/", w.named), Kind: "RETURN", Code: "R03", At: w.business(),
		Payload: []byte(`{"trace":77,"amount":12.50,"message":"No Account","last4":"0201"}`),
	}
	_, err := w.backend.PutNotice(context.Background(), n)
	if err == nil {
		err = w.backend.CloseNotice(context.Background(), n.Rail, n.ID, store.NoticeUnmatched, w.business())
	}
	if err != nil {
		w.tb.Fatal(err)
	}
	return n.Ref()
}

// matchedLines are bank statement lines in a match.
func (w *world) matchedLines() []string {
	w.tb.Helper()
	m, _, err := store.MatchByID(context.Background(), w.backend, w.bankMatch())
	if err != nil {
		w.tb.Fatal(err)
	}
	return m.Lines
}

// cancelingLines adds two bank statement lines that add up to zero.
func (w *world) cancelingLines() []string {
	w.tb.Helper()
	there := w.bankLine()
	back := store.BankLine{ID: there + "-back", Date: calendar.MustParse("2026-03-06"), Amount: -100}
	if _, err := w.backend.PutBankLines(context.Background(), []store.BankLine{back}); err != nil {
		w.tb.Fatal(err)
	}
	return []string{there, back.ID}
}

// overpaid gives a company credit that can be sent back, and an account to send it to.
func (w *world) overpaid(merchant string) string {
	w.tb.Helper()
	company := w.companyOf(merchant)
	method, on := w.method("", company, false), true
	w.act("", payments.SetAutopay{Company: company, Method: &method, Enabled: &on})
	w.act("", payments.RecordPayment{
		Company: company, Amount: money.MustParse("100.00"), Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	})
	return fmt.Sprint(company)
}

// excess pays more than a company's order with a merchant owes.
func (w *world) excess(company int64, merchant string) {
	w.tb.Helper()
	w.act("", payments.RecordPayment{
		Order: w.captured(company, merchant), Amount: money.MustParse("2000.00"), Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	})
}

// collecting is the merchant, which holds a company's check.
func (w *world) collecting() string {
	w.tb.Helper()
	w.act(w.a, payments.RecordPayment{
		Order: w.captured(w.company, w.a), Amount: money.MustParse("100.00"), Method: credit.Check, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	})
	return w.a
}

// clawedBack is the merchant, in debt after a refund that followed a payout.
func (w *world) clawedBack() string {
	w.tb.Helper()
	w.act("", merchants.SetMerchantAccount{Merchant: w.a, Bank: w.bank(payments.PaidAccount(w.a), "987654321", "Harbor")})
	order := w.captured(w.newCompany(w.a), w.a)
	w.until(w.zone.Date(w.business()).AddBankingDays(1), 16)
	w.act("", merchants.PayMerchant{Merchant: w.a})
	w.act(w.a, lending.RefundOrder{Order: order})
	return w.a
}

// closeMonth closes the first open month of the books.
func (w *world) closeMonth() {
	w.tb.Helper()
	next := calendar.MustParse("2026-01-01")
	if err := w.backend.View(context.Background(), func(v store.View) error {
		closed, err := store.AllOf(v, store.PeriodNoun)
		for _, p := range closed {
			next = max(next, p.Month.EndOfMonth()+1)
		}
		return err
	}); err != nil {
		w.tb.Fatal(err)
	}
	w.act("", compliance.ClosePeriod{Month: next, First: calendar.None})
}

// until advances business time to an hour of a date, never back.
func (w *world) until(date calendar.Date, hour int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if at := w.zone.At(date, hour, 0); at.After(w.day) {
		w.day = at
	}
}

// play advances time to the evening of a date, including the rails.
func (w *world) play(date calendar.Date) {
	w.tb.Helper()
	for day := w.zone.Date(w.business()); day <= date; day++ {
		for _, hour := range []int{9, 16} {
			w.until(day, hour)
			w.turn()
		}
	}
}

// turn processes transfers that are due.
func (w *world) turn() {
	w.tb.Helper()
	for range 20 {
		var due []store.Due
		if err := w.backend.View(context.Background(), func(v store.View) (err error) {
			due, err = store.ListDue(v, store.TransferNoun, w.business(), store.Page{Limit: 100})
			return err
		}); err != nil {
			w.tb.Fatal(err)
		}
		if len(due) == 0 {
			return
		}
		for _, x := range due {
			w.act("", payments.ServiceTransfer{Transfer: x.ID})
		}
	}
	w.tb.Fatal("transfers never come to rest")
}
