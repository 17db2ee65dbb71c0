package store

import (
	"encoding/hex"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// The nouns whose rows repeat what a command contains, one for each record type. An order's
// loans, installments and fees, a company's open credits, a merchant's programs and
// positions, claims, and the ledger depend on them and are written separately.
var (
	MerchantNoun = &NounOf[string, *credit.Merchant, MerchantRow]{Kind: credit.KindMerchant, Table: &Merchants,
		row:     func(x *credit.Merchant, q int64) MerchantRow { return MerchantRow{x, q} },
		of:      func(r *MerchantRow) *credit.Merchant { return r.Merchant },
		version: func(x *credit.Merchant) int { return x.Version },
		traits:  Traits{Fixed: []string{"created_at"}}}
	ClientNoun = &NounOf[string, *credit.Client, ClientRow]{Kind: credit.KindClient, Table: &Clients,
		row:     func(x *credit.Client, q int64) ClientRow { return ClientRow{x, q} },
		of:      func(r *ClientRow) *credit.Client { return r.Client },
		version: func(x *credit.Client) int { return x.Version },
		traits:  Traits{Own: true, Fixed: []string{"merchant_id", "created_at"}}}
	TokenNoun = &NounOf[string, *credit.Token, TokenRow]{Kind: credit.KindToken, Table: &Tokens,
		row:     func(x *credit.Token, q int64) TokenRow { return TokenRow{x, q} },
		of:      func(r *TokenRow) *credit.Token { return r.Token },
		version: tokenVersion,
		traits:  Traits{Own: true}}
	EndpointNoun = &NounOf[string, *credit.Endpoint, EndpointRow]{Kind: credit.KindEndpoint, Table: &Endpoints,
		row:     func(x *credit.Endpoint, q int64) EndpointRow { return EndpointRow{x, q} },
		of:      func(r *EndpointRow) *credit.Endpoint { return r.Endpoint },
		version: func(x *credit.Endpoint) int { return x.Version },
		traits:  Traits{Own: true, Fixed: []string{"kind", "merchant_id", "created_at"}, Past: pastOf(&EndpointHistory), Object: "webhook"}}
	CompanyNoun = &NounOf[int64, *credit.Company, CompanyRow]{Kind: credit.KindCompany, Table: &Companies,
		row:     func(x *credit.Company, q int64) CompanyRow { return CompanyRow{x, q} },
		of:      func(r *CompanyRow) *credit.Company { return r.Company },
		version: func(*credit.Company) int { return 0 }, // whatever changes it has loaded it: an upsert decides
		company: func(x *credit.Company) int64 { return x.ID },
		traits: Traits{Fixed: []string{"created_at"}, Seldom: []string{"status", "credit_limit", "paused", "unscreened", "email_key"},
			Past: pastOf(&CompanyHistory), Object: companyObject}}
	OrderNoun = &NounOf[string, *credit.Order, OrderRow]{Kind: credit.KindOrder, Table: &Orders,
		row:     func(x *credit.Order, q int64) OrderRow { return OrderRow{x, q} },
		of:      func(r *OrderRow) *credit.Order { return r.Order },
		version: func(x *credit.Order) int { return x.Version },
		company: func(x *credit.Order) int64 { return x.Company },
		traits: Traits{Fixed: []string{"company_id", "merchant_id", "currency", "parent", "created_at"},
			Seldom: []string{"merchant_order_id", "status", "financing_status", "capture_date", "proposed", "stopped"}, Past: pastOf(&OrderHistory), Object: "order"}}
	MethodNoun = &NounOf[string, *credit.PaymentMethod, MethodRow]{Kind: credit.KindMethod, Table: &PaymentMethods,
		row:     func(x *credit.PaymentMethod, q int64) MethodRow { return MethodRow{x, q} },
		of:      func(r *MethodRow) *credit.PaymentMethod { return r.PaymentMethod },
		version: func(x *credit.PaymentMethod) int { return x.Version },
		company: func(x *credit.PaymentMethod) int64 { return x.Company },
		traits:  Traits{Fixed: []string{"created_at", "company_id"}}}
	PaymentNoun = &NounOf[string, *credit.Payment, PaymentRow]{Kind: credit.KindPayment, Table: &Payments,
		row:     func(x *credit.Payment, q int64) PaymentRow { return PaymentRow{Payment: x, Q: q} },
		of:      func(r *PaymentRow) *credit.Payment { return r.Payment },
		version: func(x *credit.Payment) int { return x.Version },
		company: func(x *credit.Payment) int64 { return x.Company },
		traits:  Traits{Fixed: []string{"company_id", "merchant_id", "order_merchant_id", "order_key", "amount", "currency", "direction", "created_at", "invoice_id"}}}
	InvoiceNoun = &NounOf[string, *credit.Invoice, InvoiceRow]{Kind: credit.KindInvoice, Table: &Invoices,
		row:     func(x *credit.Invoice, q int64) InvoiceRow { return InvoiceRow{x, q} },
		of:      func(r *InvoiceRow) *credit.Invoice { return r.Invoice },
		version: func(x *credit.Invoice) int { return x.Version },
		company: func(x *credit.Invoice) int64 { return x.Company },
		traits:  Traits{Fixed: []string{"number", "order_key", "company_id", "merchant_id", "issued_at"}}}
	PayoutNoun = &NounOf[string, *credit.Payout, PayoutRow]{Kind: credit.KindPayout, Table: &Payouts,
		row:     func(x *credit.Payout, q int64) PayoutRow { return PayoutRow{x, q} },
		of:      func(r *PayoutRow) *credit.Payout { return r.Payout },
		version: func(x *credit.Payout) int { return x.Version },
		traits:  Traits{Own: true, Fixed: []string{"created_at", "merchant_id"}}}
	TransferNoun = &NounOf[string, *credit.Transfer, TransferRow]{Kind: credit.KindTransfer, Table: &Transfers,
		row:     func(x *credit.Transfer, q int64) TransferRow { return TransferRow{Transfer: x, Q: q} },
		of:      func(r *TransferRow) *credit.Transfer { return r.Transfer },
		version: func(x *credit.Transfer) int { return x.Version },
		company: func(x *credit.Transfer) int64 { return x.Company },
		traits: Traits{Own: true, Aside: []string{"filed"},
			Fixed: []string{"created_at", "kind", "rail", "company_id", "merchant_id", "payment_id", "payout_id"}}}
	PayoutLineNoun = &NounOf[string, *credit.PayoutLine, LineRow]{Kind: credit.KindPayoutLine, Table: &PayoutLines,
		row:     func(x *credit.PayoutLine, q int64) LineRow { return LineRow{PayoutLine: x, Of: x.Of(), Q: q} },
		of:      func(r *LineRow) *credit.PayoutLine { return r.PayoutLine },
		version: func(x *credit.PayoutLine) int { return x.Version },
		traits:  Traits{Own: true, Late: true, Fixed: []string{"at", "merchant_id", "of_key"}}}
	NoticeNoun = &NounOf[string, *credit.Notice, NoticeRow]{Kind: credit.KindNotice, Table: &Notices,
		row:     func(x *credit.Notice, q int64) NoticeRow { return NoticeRow{x, q} },
		of:      func(r *NoticeRow) *credit.Notice { return r.Notice },
		version: func(x *credit.Notice) int { return x.Version },
		company: func(x *credit.Notice) int64 { return x.Company },
		traits:  Traits{Fixed: []string{"company_id", "action_at"}}}
	PeriodNoun = &NounOf[calendar.Date, *credit.Period, PeriodRow]{Kind: credit.KindPeriod, Table: &Periods,
		row:    func(x *credit.Period, q int64) PeriodRow { return PeriodRow{x, q} },
		of:     func(r *PeriodRow) *credit.Period { return r.Period },
		traits: Traits{Once: true}}
	ScreeningNoun = &NounOf[string, *credit.Screening, ScreeningRow]{Kind: credit.KindScreening, Table: &Screenings,
		row:     func(x *credit.Screening, q int64) ScreeningRow { return ScreeningRow{x, q} },
		of:      func(r *ScreeningRow) *credit.Screening { return r.Screening },
		version: func(x *credit.Screening) int { return x.Version },
		traits:  Traits{Own: true, Fixed: []string{"company_id", "merchant_id", "opened_at"}}}
	ReceiptNoun = &NounOf[string, *credit.Receipt, ReceiptRow]{Kind: credit.KindReceipt, Table: &Receipts,
		row:     func(x *credit.Receipt, q int64) ReceiptRow { return ReceiptRow{x, q} },
		of:      func(r *ReceiptRow) *credit.Receipt { return r.Receipt },
		version: func(x *credit.Receipt) int { return x.Version },
		traits:  Traits{Own: true, Fixed: []string{"amount", "method", "received_on", "reference", "created_at"}}}
	LenderNoun = &NounOf[string, *credit.Lender, LenderRow]{Kind: credit.KindLender, Table: &Lenders,
		row:     func(x *credit.Lender, q int64) LenderRow { return LenderRow{x, q} },
		of:      func(r *LenderRow) *credit.Lender { return r.Lender },
		version: func(x *credit.Lender) int { return x.Version },
		traits:  Traits{Own: true}}
)

// Nouns lists all nouns in the order in which they are loaded, locked and written: parents
// before children, and the lender, which everybody waits for, last (EN8).
var Nouns = numbered()

func numbered() []Noun {
	list := []Noun{
		MerchantNoun, ClientNoun, TokenNoun, EndpointNoun, CompanyNoun, OrderNoun, MethodNoun, PaymentNoun, InvoiceNoun, PayoutNoun, TransferNoun,
		PayoutLineNoun, NoticeNoun, PeriodNoun, ScreeningNoun, ReceiptNoun,
	}
	for _, t := range RecordTables {
		list = append(list, recordNoun(t))
	}
	list = append(list, LenderNoun)
	for i, n := range list {
		n.number(i)
	}
	return list
}

// NounOfRecords returns the noun of one kind of record.
func NounOfRecords(n credit.Noun) Noun {
	return Nouns[slices.IndexFunc(Nouns, func(x Noun) bool { return x.Name() == string(n) })]
}

// recordNoun makes the noun of one kind of record.
func recordNoun(t RecordTable) Noun {
	kind := credit.KindRecord
	kind.Name = string(t.Noun)
	return &NounOf[credit.RecordKey, credit.Record, RecordRow]{Kind: kind, Table: t.Table,
		row:     func(x credit.Record, q int64) RecordRow { return RecordRow{x, q} },
		of:      func(r *RecordRow) credit.Record { return r.Record },
		version: func(x credit.Record) int { return x.Head().Version },
		only:    func(k credit.RecordKey) bool { return k.Noun == t.Noun },
		traits:  Traits{Own: true, Fixed: []string{"merchant_id", "created_at"}}}
}

// tokenVersion is 1 for a valid token, which may be new, and 2 for a revoked one. A token
// revoked in the batch that issued it is looked up although it does not exist yet.
func tokenVersion(x *credit.Token) int {
	if x.RevokedAt.IsZero() {
		return 1
	}
	return 2
}

func pastOf[T any](t *Table[T]) *Schema {
	s := t.Schema()
	return &s
}

// hashValue decodes a hash from the hexadecimal digits of a key.
func hashValue(key string) Value {
	b, err := hex.DecodeString(key)
	return Value{Kind: Bytes, Bytes: b, Null: err != nil}
}
