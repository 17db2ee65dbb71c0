package resource_test

import (
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/explain"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
)

// The samples are the running example of the specification: 1,200.00 over 6
// months at 12 %, captured on 2026-01-15.

var (
	usd  = money.MustParse
	rate = money.MustParseRate
	date = calendar.MustParse
)

func at(t *testing.T, text string) time.Time {
	t.Helper()
	v, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

func sampleOrder() *credit.Order {
	created := time.Date(2026, 1, 12, 15, 4, 5, 123456000, time.UTC)
	captured := time.Date(2026, 1, 15, 16, 0, 0, 0, time.UTC)
	address := &credit.Address{
		FirstName: "Ada", LastName: "Marsh", CompanyName: "Marsh & Daughters LLC", Email: "ada@marsh.example",
		PhoneNumber: "+1 212 555 0142", Address1: "12 Canal St", City: "New York", State: "NY", Zip: "10013", Country: "US",
	}
	return &credit.Order{
		Key: "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", Company: 4821073356, Merchant: "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0",
		MerchantOrderID: "PO-10042", Currency: money.USD, Amount: usd("1200.00"), Status: credit.OrderCaptured,
		Financing: credit.FinancingActive, Installments: 6, Program: 1,
		Terms: &credit.OrderTerms{
			Plan: schedule.Amortized, AnnualRate: rate("0.12"), DiscountRate: rate("0.03"), DayCount: schedule.WholeMonth, Tier: "A",
			Installments: 6, FirstDueDate: date("2026-02-15"), FinanceCharge: usd("42.35"), TotalOfPayments: usd("1242.35"), APR: 1200,
		},
		Authorized: usd("1200.00"), Captured: usd("1200.00"), Refunded: usd("300.00"), Discount: usd("36.00"),
		CaptureDate: date("2026-01-15"), CapturedAt: captured, AuthorizedAt: created, ExpiresAt: created.AddDate(0, 0, 30),
		MerchantStatus: "packed",
		Cart: []credit.CartItem{
			{MerchantID: "prod-771", Name: "Steel shelf, 5 boards", Price: usd("250.00"), SKU: "SHELF-5", Quantity: 4, Size: "180 x 90", Color: "grey"},
			{MerchantID: "prod-12", Name: "Assembly", Price: usd("200.00")},
		},
		Charges:  &credit.Charges{Total: usd("1200.00"), GrandTotal: usd("1200.00")},
		Shipping: address, Billing: address, Metadata: map[string]string{"warehouse": "7", "note": "<b>call & ring</b>"},
		Refunds: []credit.Refund{
			{ID: "rfd_01KN4C8D2F6H0K4M8P2R6T0V4X", Amount: usd("300.00"), Reason: "one shelf returned", Reference: "RMA-88",
				Items:    []credit.RefundItem{{SKU: "SHELF-5", Quantity: 1}, {MerchantID: "prod-12", Quantity: 2}},
				Discount: usd("9.00"), Clawback: true, CreatedAt: time.Date(2026, 4, 1, 14, 0, 0, 0, time.UTC)},
		},
		Invoice: "inv_01KB0A4E7V5N3R1P9M8K6J4H2G", Revision: 1, CreatedAt: created,
		UpdatedAt: time.Date(2026, 4, 1, 14, 0, 0, 0, time.UTC), Version: 4, EventSeq: 5,
	}
}

// bareOrder is an order with only what it must have.
func bareOrder() *credit.Order {
	created := time.Date(2026, 1, 12, 15, 4, 5, 0, time.UTC)
	return &credit.Order{
		Key: "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", Company: 4821073356, Currency: money.USD, Amount: usd("1200.00"),
		Status: credit.OrderCreated, Financing: credit.FinancingNone, CaptureDate: calendar.None,
		CreatedAt: created, UpdatedAt: created, Version: 1,
	}
}

func sampleLoan(t *testing.T) *schedule.Loan {
	t.Helper()
	l, err := schedule.New("ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", 1768492800000000, schedule.Terms{
		Plan: schedule.Amortized, Principal: usd("1200.00"), Installments: 6, AnnualRate: rate("0.12"), CaptureDate: date("2026-01-15"),
	})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// withFees gives a loan three fees: one waived when part of it was paid, one waived
// completely, and one that is open.
func withFees(l *schedule.Loan) *schedule.Loan {
	l.Fees = []schedule.Fee{
		{ID: "fee_1", Kind: schedule.LateFeeKind, Installment: 1, Date: date("2026-02-26"), Amount: usd("3.00"), Paid: usd("3.00"), Waived: usd("7.35")},
		{ID: "fee_2", Kind: schedule.ReturnedPaymentFee, Installment: 1, Date: date("2026-03-02"), Waived: usd("25.00")},
		{ID: "fee_3", Kind: schedule.OtherReceivable, Installment: 2, Date: date("2026-03-04"), Amount: usd("50.00")},
	}
	return l
}

func sampleCompany() *credit.Company {
	created := time.Date(2025, 12, 1, 10, 0, 0, 0, time.UTC)
	return &credit.Company{
		ID: 4821073356, Name: "Marsh & Daughters", LegalName: "Marsh & Daughters LLC", TaxIDLast4: "6789",
		Status: credit.CompanySuspended, StatusCode: "days_past_due", StatusMessage: "An installment is 30 days late.",
		Phone: "+1 212 555 0142", Email: "accounts@marsh.example",
		BillingAddress: credit.CompanyAddress{Street: "12 Canal St", City: "New York", State: "NY", PostalCode: "10013", Country: "US"},
		Tier:           "A", Limit: usd("1000.00"), Reserved: usd("100.00"), Outstanding: usd("1200.00"), OnHold: usd("195.06"), Credit: usd("5.00"),
		Linked: []string{"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"}, CreatedAt: created, UpdatedAt: created, Version: 3,
		Servicing: credit.CompanyServicing{Agreement: "doc_01KAG7N5B3D1F9H7K5M3P1R9T7", OnPaper: credit.SignedOnPaper{On: date("2026-01-09"), At: created}},
	}
}

func samplePerson() *credit.Person {
	return &credit.Person{
		RecordHead: credit.RecordHead{ID: "per_01KAG7N5B3D1F9H7K5M3P1R9T7"}, VerifiedAt: time.Date(2026, 1, 12, 15, 0, 0, 0, time.UTC),
		Roles: []credit.PersonRole{{Company: 1000000001, Role: credit.RoleOwner}, {Company: 4821073356, Role: credit.RoleBuyer, Limit: usd("500.00"), Invited: "sec_1"}},
	}
}

// sampleMaster is a master agreement signed on paper, or on the pages.
func sampleMaster(onPaper bool) resource.MasterAgreement {
	c, filed := sampleCompany(), time.Date(2026, 1, 12, 15, 0, 0, 0, time.UTC)
	x := &credit.Document{RecordHead: credit.RecordHead{ID: "doc_1", Status: credit.DocumentKept, CreatedAt: filed}, Kind: credit.DocumentMaster, ContentType: "application/pdf", Size: 7, Hash: "9f86"}
	if onPaper {
		c.Servicing.OnPaper = credit.SignedOnPaper{On: date("2026-01-09"), At: filed}
	}
	w := resource.NewMasterAgreement(c, x, date("2026-01-12"))
	if onPaper {
		w.Signer = &resource.AgreementSign{Name: "Ada Marsh", Title: resource.Text("Managing member")}
	}
	return w
}

func samplePayment() *credit.Payment {
	made := time.Date(2026, 2, 15, 11, 0, 0, 0, time.UTC)
	return &credit.Payment{
		ID: "pay_01KG3X5Z7B9D1F3H5K7M9P1R3T", Company: 4821073356, Order: "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
		Invoice: "inv_01KB0A4E7V5N3R1P9M8K6J4H2G", Amount: usd("257.06"), Currency: money.USD, Status: credit.PaymentReturned,
		Method: credit.ACH, Direction: "IN", ScheduledDate: date("2026-02-17"), EffectiveDate: date("2026-02-17"),
		Reference: "trace 0042", ExternalID: "ERP-556", Memo: "first installment", Refunded: usd("50.00"),
		Allocations: []credit.Allocation{{Order: "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", Installment: 1, Charge: usd("12.00"), Principal: usd("195.06")}},
		Refunds:     []credit.PaymentRefund{{ID: "rfd_01KN4C8D2F6H0K4M8P2R6T0V4X", Amount: usd("50.00"), Reason: "paid twice", Status: credit.RefundFailed, Failure: &credit.Failure{Code: "bad_account", Message: "No account.", ReturnCode: "R03"}, CreatedAt: made.AddDate(0, 0, 3)}},
		Failure:     &credit.Failure{Code: "insufficient_funds", Message: "The account does not hold enough money.", Retryable: true, ReturnCode: "R01"},
		Attempt:     1, CreatedAt: made, UpdatedAt: made.AddDate(0, 0, 5), SubmittedAt: made.AddDate(0, 0, 1), SettledAt: made.AddDate(0, 0, 2),
	}
}

func barePayment() *credit.Payment {
	made := time.Date(2026, 2, 15, 11, 0, 0, 0, time.UTC)
	return &credit.Payment{
		ID: "pay_01KG3X5Z7B9D1F3H5K7M9P1R3T", Company: 4821073356, Amount: usd("207.06"), Currency: money.USD,
		Status: credit.PaymentPending, Method: credit.Wire, Direction: "IN", ScheduledDate: calendar.None,
		EffectiveDate: calendar.None, CreatedAt: made, UpdatedAt: made,
	}
}

func sampleInvoice() *credit.Invoice {
	return &credit.Invoice{
		ID: "inv_01KB0A4E7V5N3R1P9M8K6J4H2G", Number: "2026-000042", Order: "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3", Company: 4821073356,
		Merchant: "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0", AmountDue: usd("942.35"), Paid: usd("207.06"), Status: credit.InvoiceOpen,
		IssuedAt: time.Date(2026, 1, 15, 16, 0, 0, 0, time.UTC), DueDate: date("2026-07-15"),
		Lines: []credit.InvoiceLine{
			{Kind: "PRINCIPAL", Description: "Order PO-10042", Amount: usd("1200.00"), Date: date("2026-01-15")},
			{Kind: "FINANCE_CHARGE", Amount: usd("42.35"), Date: date("2026-01-15")},
			{Kind: "REFUND", Description: "one shelf returned", Amount: -usd("300.00"), Date: date("2026-04-01")},
		},
	}
}

func sampleEntry() *ledger.Entry {
	of := ledger.Dimensions{Company: 4821073356, Merchant: "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0", Order: "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"}
	paid := of
	paid.Payment, paid.Installment = "pay_01KG3X5Z7B9D1F3H5K7M9P1R3T", 1
	return &ledger.Entry{
		ID: "ent_01KB0A4E7W0S8V6X4Z2B0D8F6H", BookDate: date("2026-02-18"), ValueDate: date("2026-02-17"), Event: "PAYMENT_APPLIED",
		Cause: "pay_01KG3X5Z7B9D1F3H5K7M9P1R3T", Currency: money.USD, Reverses: "ent_01KB0A4E7W0S8V6X4Z2B0D8F6G",
		Postings: []ledger.Posting{
			{Account: ledger.Cash, Amount: usd("207.06")},
			{Account: ledger.ChargeReceivable, Amount: -usd("12.00"), Dimensions: paid},
			{Account: ledger.LoanPrincipal, Amount: -usd("195.06"), Dimensions: of},
		},
	}
}

func sampleMerchant() *credit.Merchant {
	created := time.Date(2025, 11, 20, 9, 0, 0, 0, time.UTC)
	settings := credit.Settings{
		Terms: []credit.Term{
			{Installments: 1, Plan: schedule.Net30, DiscountRate: rate("0.03")},
			{Installments: 6, Plan: schedule.Amortized, ByTier: true, DiscountRate: rate("0.03")},
			{Installments: 12, Plan: schedule.FlatFee, MonthlyFeeRate: rate("0.015"), DiscountRate: rate("0.025")},
		},
		TierRates: map[string]money.Rate{"C": rate("0.24"), "A": rate("0.12"), "B": rate("0.18")},
		MinOrder:  usd("1.00"), DayCount: schedule.WholeMonth, LateFeeRate: rate("0.05"), LateFeeCap: usd("25.00"), LateFeeGraceDays: 10,
		ReturnedPaymentFee: usd("25.00"), RefundWindowDays: 180, BackdatingDays: 5, DisputeHoldDays: 30, AuthorizationDays: 30, ExtensionDays: 30,
		GoodFundsDays: 3, FirstGoodFundsDays: 5, SuspendDPD: 30, NonaccrualDPD: 90, ChargeOffDPD: 120, PayoutDelayDays: 1,
		ClawbackDebitDays: 30, ClawbackWriteOff: 180, ExternalFunding: credit.Funded, Acceptance: credit.MasterAgreement,
		AccrualPosting: credit.PeriodEnd,
	}
	later := settings
	later.MaxOrder, later.DueDay, later.MaxAPR = usd("50000.00"), 1, map[string]money.Rate{"NY": rate("0.25")}
	two, fifteen := rate("0.02"), 15
	later.StateFees = map[string]credit.StateFees{"NY": {LateFeeRate: &two, LateFeeGraceDays: &fifteen}}
	return &credit.Merchant{
		ID: "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0", Name: "Shelfworks", CreatedAt: created, UpdatedAt: created, Version: 2,
		Programs: []credit.Program{
			{Merchant: "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0", Version: 1, From: date("2025-11-20"), Settings: settings},
			{Merchant: "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0", Version: 2, From: date("2026-07-01"), Settings: later},
		},
	}
}

func sampleExplanations() []explain.Explanation {
	return []explain.Explanation{
		{Amount: "schedule.installments[1].amount_paid", Value: usd("207.06"), Rule: "F12",
			Inputs:   []explain.Input{{Name: "money of pay_01KG3X5Z7B9D1F3H5K7M9P1R3T", Value: "207.06"}},
			Postings: []explain.PostingRef{{Entry: "ent_01KB0A4E7W0S8V6X4Z2B0D8F6H", Line: 1}, {Entry: "ent_01KB0A4E7W0S8V6X4Z2B0D8F6H", Line: 2}}},
		{Amount: "refundable_amount", Value: usd("900.00"), Rule: "F13"},
	}
}
