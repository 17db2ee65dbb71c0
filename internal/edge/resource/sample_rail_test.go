package resource_test

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

func sampleDetails(*credit.BankAccount) credit.AccountDetails {
	return credit.AccountDetails{Routing: "021000021", Number: "123456789", Holder: "Marsh & Daughters LLC"}
}

func sampleMethod() *credit.PaymentMethod {
	return &credit.PaymentMethod{
		ID: "pm_01KA0B2D4F6H8K0M2P4R6T8V0X", Company: 4821073356, Merchant: "mch_1", Type: credit.ACH, Status: credit.MethodDisabled, DisabledReason: "R02",
		Bank: &credit.BankAccount{
			Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte("sealed"), Fingerprint: "fingerprint",
		},
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: batchAt, Reference: "consent-8841"},
		FirstSettled:  calendar.None, CreatedAt: batchAt, UpdatedAt: batchAt.Add(time.Hour), Version: 2,
	}
}

// newMethod waits for its micro-deposits to be confirmed; one wrong answer was given.
func newMethod() *credit.PaymentMethod {
	m := sampleMethod()
	m.Status, m.DisabledReason = credit.MethodUnverified, ""
	m.Verification = &credit.Verification{Amounts: []money.Amount{32, 45}, Tries: 1, ExpiresOn: date("2026-01-25")}
	return m
}

func sampleCard() *credit.PaymentMethod {
	m := sampleMethod()
	m.Type, m.Bank, m.Status, m.DisabledReason = credit.Card, nil, credit.MethodActive, ""
	m.Card = &credit.CardAccount{Token: "tok_1", Mandate: "mnd_1", Brand: "visa", Last4: "4242", ExpMonth: 11, ExpYear: 2029, Debit: true}
	return m
}

func samplePayout() *credit.Payout {
	return &credit.Payout{
		ID: "po_01KB0A4E7W9N3R1P9M8K6J4H2G", Merchant: "mch_01K9Z0A1B2C3D4E5F6G7H8J9K0", Status: credit.PayoutFailed, Date: date("2026-01-16"),
		Gross: usd("1200.00"), Discount: usd("36.00"), Refunds: usd("100.00"), Repaid: usd("10.00"), Clawback: usd("20.00"), Collected: usd("5.00"),
		Net: usd("1049.00"), Transfer: "trf_1", Failure: &credit.Failure{Code: "account_closed", ReturnCode: "R02"},
		CreatedAt: batchAt, UpdatedAt: batchAt, SentAt: batchAt, Version: 3,
	}
}

func samplePayoutLines() []*credit.PayoutLine {
	order := "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"
	return []*credit.PayoutLine{
		{ID: "pol_1", Kind: credit.LineCapture, Order: order, Source: order, Gross: usd("1200.00"), Discount: usd("36.00"), Refunds: usd("100.00"), Amount: usd("1064.00"), Due: date("2026-01-16")},
		{ID: "pol_2", Kind: credit.LineCollected, Source: "pay_1", Amount: usd("5.00"), Netted: usd("5.00"), Due: date("2026-01-15")},
	}
}

func sampleTransfer() *credit.Transfer {
	return &credit.Transfer{
		ID: "trf_01KB0A4E7WAN3R1P9M8K6J4H2G", Rail: credit.ACH, Kind: credit.TransferPayment, Company: 4821073356, Payment: "pay_1", Method: "pm_1",
		Amount: usd("207.06"), Entry: "LOAN PYMT", Status: credit.TransferReturned, SendOn: date("2026-02-13"), SettlesOn: date("2026-02-17"),
		ReleaseOn: date("2026-02-20"), ReturnCode: "R01", CreatedAt: batchAt, UpdatedAt: batchAt, SentAt: batchAt, SettledAt: batchAt, Version: 4,
	}
}

func sampleNotice() *credit.Notice {
	return &credit.Notice{
		ID: "ntc_01KB0A4E7WBN3R1P9M8K6J4H2G", Kind: credit.NoticeSuspension, Company: 4821073356, ActionAt: batchAt, ClockStart: date("2026-01-15"),
		DueOn: date("2026-02-14"), SentAt: batchAt, Channel: "MAIL", Reasons: []string{"returned_payments"}, Evidence: "tracking 9400", Version: 2,
		Lender: &credit.NoticeLender{
			Creditor: credit.Party{Name: "Harbor Credit", Address: "1 Market Street, Albany, NY 12207"}, Contact: "help@harbor.example",
			Regulator: credit.Party{Name: "Federal Trade Commission", Address: "Washington, DC 20580"}, Text: 1,
		},
	}
}
