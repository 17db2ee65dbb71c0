package resource_test

import (
	"time"

	"pgregory.net/rapid"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/explain"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

func anOrder(t *rapid.T) *credit.Order {
	return &credit.Order{
		Key: aText(t), Company: rapid.Int64().Draw(t, "company"), MerchantOrderID: aText(t), Currency: money.USD, Amount: anAmount(t),
		Status: credit.OrderStatus(aText(t)), Financing: credit.FinancingStatus(aText(t)), Installments: aCount(t), External: aBool(t),
		Terms: maybe(t, someTerms), Authorized: anAmount(t), Captured: anAmount(t), Refunded: anAmount(t), CaptureDate: maybeDate(t),
		AuthorizedAt: maybeInstant(t), ExpiresAt: maybeInstant(t), CanceledAt: maybeInstant(t), CancelReason: aText(t),
		ReturnedAt: maybeInstant(t), MerchantStatus: aText(t), Cart: some(t, aCartItem), Charges: maybe(t, someCharges),
		Shipping: maybe(t, anAddress), Billing: maybe(t, anAddress), Metadata: rapid.MapOfN(rapid.String(), rapid.String(), 0, 4).Draw(t, "metadata"),
		Refunds: some(t, aRefund), Invoice: aText(t), Parent: aText(t), Checkout: aText(t), Revision: aCount(t),
		CreatedAt: anInstant(t), UpdatedAt: anInstant(t), Version: aCount(t),
	}
}

func someTerms(t *rapid.T) credit.OrderTerms {
	return credit.OrderTerms{
		Plan: schedule.Plan(aText(t)), AnnualRate: aRate(t), MonthlyFeeRate: aRate(t), Installments: aCount(t), FirstDueDate: maybeDate(t),
		FinanceCharge: anAmount(t), TotalOfPayments: anAmount(t), APR: rapid.Int64Range(0, 99_999).Draw(t, "apr"),
	}
}

func aCartItem(t *rapid.T) credit.CartItem {
	return credit.CartItem{MerchantID: aText(t), Name: aText(t), Price: anAmount(t), SKU: aText(t), Quantity: aCount(t), Size: aText(t), Color: aText(t)}
}

func someCharges(t *rapid.T) credit.Charges {
	return credit.Charges{Total: anAmount(t), Shipping: anAmount(t), Tax: anAmount(t), DiscountAmount: anAmount(t), GrandTotal: anAmount(t)}
}

func anAddress(t *rapid.T) credit.Address {
	return credit.Address{FirstName: aText(t), CompanyName: aText(t), Email: aText(t), Address2: aText(t), City: aText(t), Zip: aText(t), Country: aText(t)}
}

func aRefund(t *rapid.T) credit.Refund {
	return credit.Refund{ID: aText(t), Amount: anAmount(t), Reason: aText(t), Reference: aText(t), Items: some(t, aRefundItem), CreatedAt: anInstant(t)}
}

func aRefundItem(t *rapid.T) credit.RefundItem {
	return credit.RefundItem{SKU: aText(t), MerchantID: aText(t), Quantity: aCount(t)}
}

func aCompany(t *rapid.T) *credit.Company {
	return &credit.Company{
		ID: rapid.Int64().Draw(t, "id"), Name: aText(t), LegalName: aText(t), TaxIDLast4: aText(t), Status: credit.CompanyStatus(aText(t)),
		StatusCode: aText(t), StatusMessage: aText(t), Phone: aText(t), Email: aText(t),
		BillingAddress: credit.CompanyAddress{Street: aText(t), City: aText(t), State: aText(t), PostalCode: aText(t), Country: aText(t)},
		Tier:           aText(t), Limit: anAmount(t), Reserved: anAmount(t), Outstanding: anAmount(t), OnHold: anAmount(t), Credit: anAmount(t),
		Linked: some(t, aText), CreatedAt: anInstant(t), UpdatedAt: anInstant(t),
	}
}

func aPayment(t *rapid.T) *credit.Payment {
	return &credit.Payment{
		ID: aText(t), Company: rapid.Int64().Draw(t, "company"), Order: aText(t), Invoice: aText(t), Amount: anAmount(t), Currency: money.USD,
		Status: credit.PaymentStatus(aText(t)), Method: credit.Method(aText(t)), Direction: aText(t), ScheduledDate: maybeDate(t),
		EffectiveDate: maybeDate(t), Reference: aText(t), ExternalID: aText(t), Memo: aText(t), Refunded: anAmount(t), Unapplied: anAmount(t),
		Allocations: some(t, anAllocation), Refunds: some(t, aPaymentRefund), Failure: maybe(t, aFailure), Attempt: aCount(t),
		CreatedAt: anInstant(t), UpdatedAt: anInstant(t), SubmittedAt: maybeInstant(t), SettledAt: maybeInstant(t),
	}
}

func anAllocation(t *rapid.T) credit.Allocation {
	return credit.Allocation{Order: aText(t), Installment: aCount(t), Fee: anAmount(t), Charge: anAmount(t), Principal: anAmount(t)}
}

func aPaymentRefund(t *rapid.T) credit.PaymentRefund {
	return credit.PaymentRefund{ID: aText(t), Amount: anAmount(t), Reason: aText(t), CreatedAt: anInstant(t)}
}

func aFailure(t *rapid.T) credit.Failure {
	return credit.Failure{Code: aText(t), Message: aText(t), Retryable: aBool(t), ReturnCode: aText(t)}
}

func anInvoice(t *rapid.T) *credit.Invoice {
	return &credit.Invoice{
		ID: aText(t), Number: aText(t), Order: aText(t), Company: rapid.Int64().Draw(t, "company"), Merchant: aText(t), AmountDue: anAmount(t),
		Paid: anAmount(t), Status: credit.InvoiceStatus(aText(t)), IssuedAt: anInstant(t), DueDate: maybeDate(t),
		Lines: some(t, func(t *rapid.T) credit.InvoiceLine {
			return credit.InvoiceLine{Kind: aText(t), Description: aText(t), Amount: anAmount(t), Date: maybeDate(t)}
		}),
	}
}

func anEntry(t *rapid.T) *ledger.Entry {
	accounts := ledger.Chart()
	return &ledger.Entry{
		ID: aText(t), BookDate: aDate(t), ValueDate: aDate(t), Event: aText(t), Cause: aText(t), Currency: money.USD, Reverses: aText(t),
		Postings: some(t, func(t *rapid.T) ledger.Posting {
			return ledger.Posting{
				Account: rapid.SampledFrom(accounts).Draw(t, "account"), Amount: anAmount(t),
				Dimensions: ledger.Dimensions{Company: rapid.Int64().Draw(t, "company"), Merchant: aText(t), Order: aText(t), Payment: aText(t), Installment: aCount(t)},
			}
		}),
	}
}

func anExplanation(t *rapid.T) explain.Explanation {
	return explain.Explanation{
		Amount: aText(t), Value: anAmount(t), Rule: "F9", Unposted: anAmount(t),
		Inputs:   some(t, func(t *rapid.T) explain.Input { return explain.Input{Name: aText(t), Value: aText(t)} }),
		Postings: some(t, func(t *rapid.T) explain.PostingRef { return explain.PostingRef{Entry: aText(t), Line: aCount(t)} }),
	}
}

func anEndpoint(t *rapid.T) *credit.Endpoint {
	return &credit.Endpoint{
		ID: aText(t), Merchant: aText(t), URL: aText(t), Description: aText(t), Enabled: aBool(t), DisabledReason: aText(t),
		EventTypes: some(t, func(t *rapid.T) credit.EventType { return credit.EventType(aText(t)) }),
		Secrets: some(t, func(t *rapid.T) credit.EndpointSecret {
			return credit.EndpointSecret{Sealed: []byte(aText(t)), Until: maybeInstant(t)}
		}),
		CreatedAt: anInstant(t), UpdatedAt: anInstant(t), DeletedAt: maybeInstant(t), Version: aCount(t),
	}
}

func aClient(t *rapid.T) *credit.Client {
	return &credit.Client{
		ID: aText(t), Merchant: aText(t), Name: aText(t), Scopes: some(t, aText), PerMinute: aCount(t), Burst: aCount(t),
		Secrets: some(t, func(t *rapid.T) credit.ClientSecret {
			return credit.ClientSecret{Hash: aText(t), Until: maybeInstant(t)}
		}),
		CreatedAt: anInstant(t), UpdatedAt: anInstant(t), RevokedAt: maybeInstant(t), Version: aCount(t),
	}
}

func aResend(t *rapid.T) *credit.Resend {
	return &credit.Resend{ID: aText(t), Endpoint: aText(t), Event: aText(t), From: maybeInstant(t), To: maybeInstant(t), CreatedAt: anInstant(t)}
}

func aDelivery(t *rapid.T) *store.Delivery {
	return &store.Delivery{
		ID: aText(t), Endpoint: aText(t), Resend: aText(t), Event: aText(t), Type: credit.EventType(aText(t)),
		Object: credit.ObjectRef{Type: aText(t), ID: aText(t)}, Sequence: rapid.Int64Min(1).Draw(t, "sequence"),
		State: store.DeliveryState(aText(t)), Attempts: aCount(t), NextAt: maybeInstant(t), Status: aCount(t), Error: aText(t),
		CreatedAt: anInstant(t), FinishedAt: maybeInstant(t),
	}
}

func anAttempt(t *rapid.T) store.Attempt {
	return store.Attempt{
		N: aCount(t), At: anInstant(t), Took: time.Duration(rapid.Int64Range(0, 1e12).Draw(t, "took")), Status: aCount(t),
		Error: aText(t), Answer: aText(t),
	}
}

// aLoan is a loan that the plans allow.
func aLoan(t *rapid.T) *schedule.Loan {
	terms := schedule.Terms{
		Plan:      rapid.SampledFrom([]schedule.Plan{schedule.Zero, schedule.Amortized, schedule.FlatFee}).Draw(t, "plan"),
		Principal: money.Amount(rapid.Int64Range(10_000, 100_000_000).Draw(t, "principal")), Installments: rapid.IntRange(1, 36).Draw(t, "n"),
		CaptureDate: date("2026-01-15"),
	}
	switch terms.Plan {
	case schedule.Amortized:
		terms.AnnualRate = money.Rate(rapid.Int64Range(0, 360_000).Draw(t, "rate"))
	case schedule.FlatFee:
		terms.MonthlyFeeRate = money.Rate(rapid.Int64Range(0, 30_000).Draw(t, "rate"))
	}
	l, err := schedule.New("ord_1", 0, terms)
	if err != nil {
		t.Skip("the plan refuses the term")
	}
	return l
}
