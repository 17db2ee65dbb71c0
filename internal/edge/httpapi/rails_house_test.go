package httpapi_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/books"
)

// fingerprint is the blind index of the tests' houses.
func fingerprint(routing, number string) string {
	sum := hmac.New(sha256.New, []byte("index of a test"))
	fmt.Fprint(sum, routing, "\x00", number)
	return hex.EncodeToString(sum.Sum(nil))
}

// until advances business time to a time of day on a date, never back.
func (h *house) until(date calendar.Date, hour, minute int) {
	h.t.Helper()
	h.mu.Lock()
	defer h.mu.Unlock()
	if at := h.zone.At(date, hour, minute); at.After(h.day) {
		h.day = at
	}
}

// turn does what is due by now: transfers first, then orders.
func (h *house) turn() {
	h.t.Helper()
	now := h.business()
	for range 20 {
		var transfers, orders []store.Due
		err := h.backend.View(context.Background(), func(v store.View) (err error) {
			if transfers, err = store.ListDue(v, store.TransferNoun, now, store.Page{Limit: 100}); err != nil {
				return err
			}
			orders, err = store.ListDue(v, store.OrderNoun, now, store.Page{Limit: 100})
			return err
		})
		if err != nil {
			h.t.Fatal(err)
		}
		if len(transfers)+len(orders) == 0 {
			return
		}
		for _, x := range transfers {
			h.submit(payments.ServiceTransfer{Transfer: x.ID})
		}
		for _, x := range orders {
			h.submit(lending.ServiceOrder{Order: x.ID})
		}
	}
	h.t.Fatal("time alone never comes to an end")
}

// play advances to a time of day on a date, stopping at every cut-off and settlement.
func (h *house) play(date calendar.Date, hour, minute int) {
	h.t.Helper()
	end := h.zone.At(date, hour, minute)
	for day := h.zone.Date(h.business()); day <= date; day++ {
		for _, stop := range [][2]int{{0, 0}, {8, 30}, {16, 0}} {
			if at := h.zone.At(day, stop[0], stop[1]); at.After(h.business()) && !at.After(end) {
				h.until(day, stop[0], stop[1])
				h.turn()
			}
		}
	}
	h.until(date, hour, minute)
	h.turn()
}

// methodOf adds a bank account to a company.
func (h *house) methodOf(company int64, number string) *credit.PaymentMethod {
	h.t.Helper()
	return h.submit(h.addMethod(company, number)).(*credit.PaymentMethod)
}

// addMethod is the command that adds a bank account to a company.
func (h *house) addMethod(company int64, number string) payments.AddPaymentMethod {
	h.t.Helper()
	id := payments.MethodID(h.service.Seed(), h.business())
	return payments.AddPaymentMethod{
		ID: id, Company: company, Type: credit.ACH, Bank: h.account(payments.MethodAccount(id), number, "Alder Kitchens LLC"), Known: true,
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: h.business().Add(-time.Hour), Reference: "consent-1"},
	}
}

// account is a bank account that is sealed for its place.
func (h *house) account(place, number, holder string) *credit.BankAccount {
	h.t.Helper()
	details := credit.AccountDetails{Routing: "021000021", Number: number, Holder: holder}
	b, err := payments.SealedAccount(place, details, credit.BankAccount{AccountType: "CHECKING", HolderType: "BUSINESS"}, fingerprint, h.ring.Seal)
	if err != nil {
		h.t.Fatal(err)
	}
	return b
}

// freshCompany makes a company of a merchant.
func (h *house) freshCompany(merchant string) int64 {
	h.t.Helper()
	return h.submit(lending.CreateCompany{
		Title: "Rowan Bakery", Status: credit.CompanyApproved, Tier: "A", Limit: money.MustParse("5000.00"), Merchants: []string{merchant},
	}).(*credit.Company).ID
}

// paidOut creates a payout of a merchant's capture, on its day.
func (m *matrix) paidOut(merchant string) string {
	m.t.Helper()
	m.act("", merchants.HoldPayouts{Merchant: merchant})
	m.act("", merchants.SetMerchantAccount{Merchant: merchant, Bank: m.account(payments.PaidAccount(merchant), "987654321", "Harbor")})
	m.make("order", merchant)
	m.play(m.zone.Date(m.business()).AddBankingDays(1), 16, 0)
	return m.act("", merchants.PayMerchant{Merchant: merchant}).(*credit.Payout).ID
}

// feeOf creates an order with a returned-debit fee and returns its key and the fee's ID.
func (m *matrix) feeOf(merchant string) string {
	m.t.Helper()
	p := m.debitOf(merchant)
	m.play(m.zone.Date(m.business()).AddBankingDays(3), 9, 0)
	m.act("", payments.ReturnTransfer{Transfer: p.Transfer, Code: "R01"})
	fees := m.loan(p.Order).Fees
	if len(fees) != 1 {
		m.t.Fatalf("fees of the returned debit: %v", fees)
	}
	return p.Order + "/" + fees[0].ID
}

// debitOf returns a payment of a captured order that waits for its file.
func (m *matrix) debitOf(merchant string) *credit.Payment {
	m.t.Helper()
	company := m.freshCompany(merchant)
	method := m.methodOf(company, "123456789")
	o := m.act(merchant, lending.CreateOrder{Company: company, Amount: money.MustParse("100.00"), Installments: 3, Authorize: true}).(*credit.Order)
	m.act(merchant, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	return m.act(merchant, payments.RecordPayment{
		Order: o.Key, Amount: money.MustParse("40.00"), Method: credit.ACH, PaymentMethod: method.ID, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}).(*credit.Payment)
}

// refundOf returns a refund of a wire that has to be paid manually.
func (m *matrix) refundOf(merchant string) string {
	m.t.Helper()
	company := m.freshCompany(merchant)
	o := m.act(merchant, lending.CreateOrder{Company: company, Amount: money.MustParse("100.00"), Installments: 3, Authorize: true}).(*credit.Order)
	m.act(merchant, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	p := m.act("", payments.RecordPayment{
		Order: o.Key, Amount: money.MustParse("40.00"), Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}).(*credit.Payment)
	p = m.act("", payments.RefundPayment{Payment: p.ID}).(*credit.Payment)
	return p.ID + "/" + p.Refunds[0].ID
}

// loan returns an order's loan as stored.
func (h *house) loan(order string) *schedule.Loan {
	h.t.Helper()
	state := credit.NewState()
	err := h.backend.View(context.Background(), func(v store.View) error { return v.Load(state, credit.Keys{Orders: []string{order}}) })
	if err != nil || state.Loans[order] == nil {
		h.t.Fatalf("loan of %s: %v", order, err)
	}
	return state.Loans[order]
}

// noticeOf creates a notice to a company of a merchant.
func (m *matrix) noticeOf(merchant string) string {
	m.t.Helper()
	company, less := m.freshCompany(merchant), money.MustParse("10.00")
	m.act("", lending.UpdateCompany{Company: company, Limit: &less, Reasons: []string{"credit_score"}})
	var id string
	err := m.backend.View(context.Background(), func(v store.View) error {
		list, err := store.ListNotices(v, store.NoticeFilter{Company: company, DueFrom: calendar.None, DueTo: calendar.None}, store.Page{Limit: 1})
		if err == nil && len(list) == 1 {
			id = list[0].ID
		}
		return err
	})
	if err != nil || id == "" {
		m.t.Fatalf("no notice of a lower line: %v", err)
	}
	return id
}

// bankMatch matches two lines of the bank's statement that cancel each other.
func (m *matrix) bankMatch() string {
	m.t.Helper()
	x := books.NewMatch(m.now(), "matrix", m.service.Seed)
	x.Lines = m.cancelingLines()
	if err := m.backend.PutMatches(context.Background(), []store.BankMatch{x}); err != nil {
		m.t.Fatal(err)
	}
	return x.ID
}

// bankNotice creates a return that matches nothing of ours and needs review.
func (h *house) bankNotice(id string) string {
	h.t.Helper()
	n := store.BankNotice{
		Rail: credit.ACH, ID: id, Kind: "RETURN", Code: "R03", At: h.business(),
		Payload: []byte(`{"trace":77,"amount":12.50,"message":"No Account","last4":"0201"}`),
	}
	_, err := h.backend.PutNotice(context.Background(), n)
	if err == nil {
		err = h.backend.CloseNotice(context.Background(), n.Rail, n.ID, store.NoticeUnmatched, h.business())
	}
	if err != nil {
		h.t.Fatal(err)
	}
	return n.Ref()
}

// cancelingLines adds two lines to the bank's statement that sum to zero.
func (m *matrix) cancelingLines() []string {
	m.t.Helper()
	m.named++
	lines := []store.BankLine{{ID: fmt.Sprint("there-", m.named), Date: calendar.MustParse("2026-01-10"), Amount: 100}, {ID: fmt.Sprint("back-", m.named), Date: calendar.MustParse("2026-01-10"), Amount: -100}}
	if _, err := m.backend.PutBankLines(context.Background(), lines); err != nil {
		m.t.Fatal(err)
	}
	return []string{lines[0].ID, lines[1].ID}
}

// bankLine adds a line to the bank's statement.
func (m *matrix) bankLine() string {
	m.t.Helper()
	m.named++
	id := fmt.Sprintf("line-%d", m.named)
	if _, err := m.backend.PutBankLines(context.Background(), []store.BankLine{{ID: id, Date: calendar.MustParse("2026-01-10"), Amount: 100}}); err != nil {
		m.t.Fatal(err)
	}
	return id
}
