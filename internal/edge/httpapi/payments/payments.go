package payments

import (
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

type paymentBody struct {
	Amount          money.Amount      `json:"amount" required:"true" minimum:"0.01" doc:"Amount paid or to be debited." example:"207.06"`
	Method          string            `json:"method" required:"true" enum:"ACH,CARD,CHECK,WIRE,CASH,OTHER" caseless:"true" doc:"CHECK, WIRE, CASH and OTHER are money already received. Lowercase is accepted." example:"WIRE"`
	OrderKey        *string           `json:"order_key" prefix:"ord_" doc:"Apply it to this order. Give exactly one of order_key, invoice_id and company_id." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	OrderID         *string           `json:"order_id" prefix:"ord_" doc:"The same as order_key." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	InvoiceID       *string           `json:"invoice_id" prefix:"inv_" doc:"Apply it to the invoice's order." example:"inv_01KB0A4E7V5N3R1P9M8K6J4H2G"`
	CompanyID       *values.CompanyID `json:"company_id" doc:"Apply it to the company's orders, oldest due first." example:"1000000001"`
	PaymentMethodID *string           `json:"payment_method_id" prefix:"pm_" doc:"ACH and CARD: account to debit. Default: the only one that can be debited, otherwise the autopay account." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
	ScheduledDate   *calendar.Date    `json:"scheduled_date" doc:"ACH and CARD: settlement date. Default: the earliest possible." example:"2026-03-02"`
	EffectiveDate   *calendar.Date    `json:"effective_date" doc:"Effective date of money already received. Default: today." example:"2026-02-15"`
	Currency        string            `json:"currency" enum:"USD" default:"USD" doc:"ISO 4217 code." example:"USD"`
	Reference       *string           `json:"reference" doc:"Remittance text from the payer." example:"invoice 77"`
	ExternalID      *string           `json:"external_id" minLength:"1" doc:"The caller's ID for the payment, unique per merchant." example:"bank-2026-0017"`
	Memo            *string           `json:"memo" doc:"A note." example:"second installment"`
	HoldExcess      bool              `json:"hold_excess" doc:"Hold any excess for the next due dates instead of prepaying." example:"false"`
}

// Check requires exactly one target, and an account only where one can be debited.
func (b *paymentBody) Check(report func(name, code, detail string)) {
	given := 0
	for _, set := range []bool{b.OrderKey != nil, b.OrderID != nil, b.InvoiceID != nil, b.CompanyID != nil} {
		if set {
			given++
		}
	}
	if given != 1 {
		report("/order_key", "exactly_one", "Give exactly one of order_key, invoice_id and company_id.")
	}
	if m := credit.Method(b.Method); b.PaymentMethodID != nil && !m.Can().Debit {
		report("/payment_method_id", "not_allowed", "Money already received cannot be debited from an account.")
	}
}

type paymentRefundBody struct {
	Amount rest.Opt[money.Amount] `json:"amount" minimum:"0.01" doc:"Amount to refund. Default: everything not yet refunded." example:"50.00"`
	Reason *string                `json:"reason" doc:"Why." example:"paid twice"`
}

// Payments returns the operations on buyers' payments.
func (s API) Payments() []rest.Operation {
	return rest.Group{Tag: "Payments", Reads: "payments:read", Writes: "payments:write", Response: resource.Payment{}, ETag: true, DryRun: resource.DryRun[resource.Payment]{}}.With([]rest.Operation{
		{
			ID: "recordPayment", Method: "POST", Path: "/payment", Summary: "Record a payment",
			Doc: "CHECK, WIRE, CASH, OTHER, and any payment for an externally managed order, are money already received: they succeed immediately. " +
				"Recorded with a merchant's token, it means the merchant holds the money. " +
				"ACH and CARD debit an account: the response has SCHEDULED or PENDING, and an event reports the outcome.",
			Success: 201, Problems: []string{"not_found", "company_not_linked", "order_not_captured", "payment_method_unverified", "payment_method_locked", "duplicate_external_id", "payment_method_required", "invalid_effective_date", "debit_exceeds_balance", "debit_too_small", "too_many_open_debits", "merchant_due_limit"},
			Endpoint: rest.Handle(s.recordPayment),
		},
		{
			ID: "getPayment", Method: "GET", Path: "/payment/{id}", Summary: "Retrieve a payment", Endpoint: rest.Handle(s.getPayment),
		},
		{
			ID: "listPayments", Method: "GET", Path: "/payments", Summary: "List payments",
			Response: resource.List[resource.Payment]{}, Endpoint: rest.Handle(s.listPayments),
		},
		{
			ID: "refundPayment", Method: "POST", Path: "/payment/{id}/refund", Summary: "Refund a payment",
			Doc:      "Refunds the money; what the payment paid becomes unpaid again, latest items first.",
			Problems: []string{"precondition_failed", "company_not_eligible", "payment_not_refundable", "refund_exceeds_payment", "payment_method_required"}, Endpoint: rest.Handle(s.refundPayment),
		},
		{
			ID: "cancelPayment", Method: "POST", Path: "/v1/payment/{id}/cancel", Summary: "Cancel a payment that has not been sent",
			BodyOptional: true, Problems: []string{"precondition_failed", "payment_not_cancelable"}, Endpoint: serve.Decides(s.Service, serve.PaymentAnswer, cancelPayment),
		},
	})
}

func (s API) recordPayment(c *rest.Call, _ *rest.None, b *paymentBody) (rest.Answer, error) {
	order := serve.Deref(b.OrderKey)
	if b.OrderID != nil {
		order = *b.OrderID
	}
	account := serve.Deref(b.PaymentMethodID)
	if m := credit.Method(b.Method); account == "" && m.Can().Debit {
		var err error
		if account, err = s.onlyAccount(c, m, order, serve.Deref(b.InvoiceID), int64(serve.Deref(b.CompanyID))); err != nil {
			return rest.Answer{}, err
		}
	}
	return s.Do(c, payments.RecordPayment{
		Order: order, Invoice: serve.Deref(b.InvoiceID), Company: int64(serve.Deref(b.CompanyID)), Amount: b.Amount, Method: credit.Method(b.Method),
		PaymentMethod: account, ScheduledDate: serve.DateOr(b.ScheduledDate), EffectiveDate: serve.DateOr(b.EffectiveDate),
		Reference: serve.Deref(b.Reference), ExternalID: serve.Deref(b.ExternalID), Memo: serve.Deref(b.Memo), HoldExcess: b.HoldExcess,
	}, serve.PaymentAnswer)
}

// onlyAccount is the only account of a kind that the payer has and the caller may debit, ""
// if there are none or several: then the command takes autopay's, or refuses. The command
// rechecks whether the account can be debited.
func (s API) onlyAccount(c *rest.Call, kind credit.Method, order, invoice string, company int64) (id string, _ error) {
	_, err := s.Read(c, func(v store.View) (rest.Answer, error) {
		payer, err := payerOf(c, v, order, invoice, company)
		if payer == 0 || err != nil {
			return rest.Answer{}, err
		}
		all, err := store.ListMethods(v, payer)
		for _, m := range all {
			switch {
			case m.Type != kind || !m.Usable() || !m.UsableBy(serve.Actor(c)):
			case id != "":
				id = ""
				return rest.Answer{}, nil
			default:
				id = m.ID
			}
		}
		return rest.Answer{}, err
	})
	return id, err
}

// payerOf is the company that a payment is debited from: 0 if the caller may not debit it,
// which the command reports, or if the merchant collects the money itself.
func payerOf(c *rest.Call, v store.View, order, invoice string, company int64) (int64, error) {
	state := credit.NewState()
	if invoice != "" {
		if err := v.Load(state, credit.Keys{Invoices: []string{invoice}}); err != nil {
			return 0, err
		}
		if i := state.Invoices[invoice]; i != nil {
			order = i.Order
		}
	}
	if order != "" {
		if err := v.Load(state, credit.Keys{Orders: []string{order}}); err != nil {
			return 0, err
		}
		if o := state.Orders[order]; serve.MayRead(c, o) == nil && !o.External {
			return o.Company, nil
		}
		return 0, nil
	}
	if company == 0 || c.Principal.Operator {
		return company, nil
	}
	if err := v.Load(state, credit.Keys{Companies: []int64{company}}); err != nil {
		return 0, err
	}
	if x := state.Companies[company]; x == nil || !slices.Contains(x.Linked, c.Principal.Tenant) {
		return 0, nil
	}
	return company, nil
}

func (s API) refundPayment(c *rest.Call, p *serve.PaymentID, b *paymentRefundBody) (rest.Answer, error) {
	cmd := payments.RefundPayment{Payment: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Reason: serve.Deref(b.Reason)}
	if b.Amount.Set {
		cmd.Amount = &b.Amount.Value
	}
	var err error
	if cmd.Records, err = s.recordsThatCount(c); err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, cmd, serve.PaymentAnswer)
}

// recordsRead is how many payments are read at a time to count a merchant's records,
// recordPages how often at most.
const (
	recordsRead = 500
	recordPages = 40
)

// recordsThatCount counts a merchant's recorded payments this month, as far as the number
// limits how many reports of money it may withdraw (F41.5).
func (s API) recordsThatCount(c *rest.Call) (n int, err error) {
	if c.Principal.Operator {
		return 0, nil
	}
	_, err = s.Read(c, func(v store.View) (rest.Answer, error) {
		m, err := serve.FindMerchant(v, c.Principal.Tenant)
		if err != nil {
			return rest.Answer{}, err
		}
		need, today := m.RecordsThatCount(s.Today()), s.Today()
		from := s.Zone.Start(today.AddMonths(-1).EndOfMonth() + 1)
		p := store.Page{Limit: recordsRead}
		for range recordPages {
			if n >= need {
				return rest.Answer{}, nil
			}
			list, err := store.ListPayments(v, store.PaymentFilter{Merchant: m.ID, From: serve.None, To: serve.None}, p)
			for _, x := range list {
				if x.CreatedAt.Before(from) {
					return rest.Answer{}, err
				}
				if x.FromMerchant && x.Merchant == m.ID {
					n++
				}
				p.AfterAt, p.AfterID = x.CreatedAt, x.ID
			}
			if err != nil || len(list) < p.Limit {
				return rest.Answer{}, err
			}
		}
		return rest.Answer{}, nil
	})
	return n, err
}

func cancelPayment(c *rest.Call, p *serve.PaymentID, _ *rest.None) credit.Command {
	return payments.CancelPayment{Payment: p.ID, IfMatch: serve.IfMatch(c.IfMatch)}
}

func (s API) getPayment(c *rest.Call, p *serve.PaymentID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		pay, err := serve.FindPayment(c, v, p.ID)
		if err != nil {
			return rest.Answer{}, err
		}
		return serve.Answer(resource.NewPayment(pay), serve.VersionTag(pay.Version))
	})
}

type paymentFilter struct {
	rest.Page
	CompanyID *values.CompanyID `query:"company_id" doc:"Payments by this company." example:"1000000001"`
	PaymentFilters
}

// PaymentFilters are those of every list of payments.
type PaymentFilters struct {
	OrderKey  *string        `query:"order_key" prefix:"ord_" doc:"Payments made for this order or applied to it, including company-level payments."`
	OrderID   *string        `query:"order_id" prefix:"ord_" doc:"The same as order_key."`
	InvoiceID *string        `query:"invoice_id" prefix:"inv_" doc:"Payments for this invoice."`
	Status    string         `query:"status" enum:"SCHEDULED,PENDING,SUCCEEDED,FAILED,PARTIALLY_REFUNDED,REFUNDED,RETURNED,CANCELED" doc:"Payments with this status."`
	Method    string         `query:"method" enum:"ACH,CARD,CHECK,WIRE,CASH,OTHER" caseless:"true" doc:"Payments with this method; lowercase is accepted."`
	From      *calendar.Date `query:"from" doc:"Effective date, or scheduled date if not yet effective, on or after this date." example:"2026-01-01"`
	To        *calendar.Date `query:"to" doc:"Effective date, or scheduled date if not yet effective, on or before this date." example:"2026-01-31"`
}

// Check refuses a reversed range and an order named twice.
func (f *PaymentFilters) Check(report func(name, code, detail string)) {
	if f.From != nil && f.To != nil && *f.From > *f.To {
		report("to", "reversed", "to is before from.")
	}
	if f.OrderKey != nil && f.OrderID != nil {
		report("order_id", "exactly_one", "Give order_key or order_id, not both.")
	}
}

func (s API) listPayments(c *rest.Call, f *paymentFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		return PaymentsOf(c, v, int64(serve.Deref(f.CompanyID)), &f.PaymentFilters, f.Page)
	})
}

// PaymentsOf lists the payments of a company, 0 for all, that the caller may see.
func PaymentsOf(c *rest.Call, v store.View, company int64, f *PaymentFilters, p rest.Page) (rest.Answer, error) {
	order := serve.Deref(f.OrderKey)
	if f.OrderID != nil {
		order = *f.OrderID
	}
	position := func(x *credit.Payment) rest.Position { return rest.Position{CreatedAt: x.CreatedAt, ID: x.ID} }
	if order != "" && !c.Principal.Operator {
		// A merchant's payment may have paid another merchant's order, which it must not
		// learn.
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Orders: []string{order}}); err != nil {
			return rest.Answer{}, err
		}
		if serve.MayRead(c, state.Orders[order]) != nil {
			return serve.Listed(c, p, nil, position, resource.NewPayment), nil
		}
	}
	q := store.PaymentFilter{
		Merchant: c.Principal.Tenant, Company: company, Order: order, Invoice: serve.Deref(f.InvoiceID),
		Status: credit.PaymentStatus(f.Status), Method: credit.Method(f.Method), From: serve.DateOr(f.From), To: serve.DateOr(f.To),
	}
	found, err := store.ListPayments(v, q, serve.PageOf(p))
	return serve.Listed(c, p, found, position, resource.NewPayment), err
}
