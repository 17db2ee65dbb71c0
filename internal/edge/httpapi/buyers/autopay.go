package buyers

import (
	"time"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type autopayPatch struct {
	Enabled         rest.Opt[bool]   `json:"enabled" doc:"Whether installments are debited on their collection dates." example:"true"`
	PaymentMethodID rest.Opt[string] `json:"payment_method_id" nullable:"true" prefix:"pm_" doc:"Account to debit; must be an ACTIVE account of the company." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
	Authorization   *givenBody       `json:"authorization" doc:"The company's authorization. Without it a merchant cannot turn autopay on or change the account."`
	ApplyCredit     rest.Opt[bool]   `json:"apply_credit_to_due" doc:"The company's consent to apply unapplied credit to what is due on any of its orders, before any debit." example:"true"`
}

// givenBody is a company's authorization as a merchant forwards it.
type givenBody struct {
	AcceptedAt time.Time `json:"accepted_at" required:"true" doc:"When the company gave it; not in the future." example:"2026-01-09T15:00:00Z"`
	Reference  string    `json:"reference" required:"true" minLength:"1" maxLength:"200" doc:"Your reference to the record of it." example:"consent-8841"`
}

type orderAutopayPatch struct {
	Enabled bool `json:"enabled" required:"true" doc:"Whether the company's autopay debits this order." example:"false"`
}

type creditRefundBody struct {
	Amount          rest.Opt[money.Amount] `json:"amount" minimum:"0.01" doc:"Amount to send back. Default: all that can be sent." example:"12.50"`
	PaymentMethodID *string                `json:"payment_method_id" prefix:"pm_" doc:"Bank account to send it to. Default: where it came from." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
	serve.BecauseBody
}

// Autopay returns the operations on automatic debits, and on the credit that is sent back.
func (s API) Autopay() []rest.Operation {
	return []rest.Operation{
		{
			ID: "setAutopay", Method: "PATCH", Path: "/v1/companies/{company_id}/autopay", Tag: "Companies", Summary: "Turn a company's autopay on or off",
			Doc: "A merge patch (RFC 7396). Installments are debited on their collection dates, except for externally managed orders and orders excluded from autopay. " +
				"With a merchant's token this covers only that merchant's orders. Turning anything on requires the company's `authorization`, and the account must have been added by this merchant or the lender. " +
				"With a lender token it covers all orders. Installments that came due while autopay was off are collected with the next file.",
			Scopes: []string{"companies:write"}, Response: resource.Company{}, ETag: true,
			Problems: []string{"company_not_linked", "precondition_failed", "payment_method_unverified", "payment_method_locked", "payment_method_required"}, Endpoint: rest.Handle(s.setAutopay),
		},
		{
			ID: "setOrderAutopay", Method: "PATCH", Path: "/v1/order/{key}/autopay", Tag: "Orders", Summary: "Turn autopay off or on for one order",
			Doc:    "Includes or excludes the order from the company's autopay. Autopay itself is set on the company.",
			Scopes: []string{"orders:write"}, Response: resource.Order{}, ETag: true, Problems: []string{"precondition_failed"}, Endpoint: serve.Decides(s.Service, serve.OrderAnswer, setOrderAutopay),
		},
		{
			ID: "sendCredit", Method: "POST", Path: "/v1/companies/{company_id}/credit_refunds", Tag: "Companies", Summary: "Send unapplied credit back to a company",
			Doc:    "Oldest first. Credit left from a payment goes back as a refund of that payment; credit left from a merchant refund goes back as a payment with direction OUT. Returns the first payment made or refunded.",
			Scopes: []string{access.ScopeMoney}, Success: 201, Response: resource.Payment{}, ETag: true, DryRun: resource.DryRun[resource.Payment]{},
			Problems: []string{"company_not_eligible", "payment_method_required", "credit_exceeded"}, Endpoint: rest.Handle(s.sendCredit),
		},
		{
			ID: "requestCredit", Method: "POST", Path: "/v1/companies/{company_id}/credit_requests", Tag: "Companies", Summary: "Request a company's unapplied credit",
			Doc: "Requests the credit back for the company: it is sent automatically within seven banking days to where it came from. The request stays open until no credit is left. " +
				"Credit that is not yet good funds is sent once it is; credit held for an order's installments stays while the order has a balance; credit held by a merchant is repaid by the merchant.",
			Scopes: []string{"payments:write"}, Response: resource.Company{}, ETag: true, BodyOptional: true,
			Problems: []string{"company_not_linked", "precondition_failed", "credit_exceeded"}, Endpoint: rest.Handle(s.requestCredit),
		},
	}
}

func (s API) setAutopay(c *rest.Call, p *serve.CompanyKey, b *autopayPatch) (rest.Answer, error) {
	return s.SubmitCompany(c, p.CompanyID, func(ifMatch []string) credit.Command {
		cmd := payments.SetAutopay{Company: int64(p.CompanyID), IfMatch: ifMatch, Enabled: serve.Given(b.Enabled), Method: serve.Given(b.PaymentMethodID), Credit: serve.Given(b.ApplyCredit)}
		if a := b.Authorization; a != nil {
			cmd.Authorization = &payments.Given{AcceptedAt: a.AcceptedAt, Reference: a.Reference}
		}
		return cmd
	})
}

func setOrderAutopay(c *rest.Call, p *serve.OrderKey, b *orderAutopayPatch) credit.Command {
	return payments.SetOrderAutopay{Order: p.Key, IfMatch: serve.IfMatch(c.IfMatch), Enabled: b.Enabled}
}

func (s API) sendCredit(c *rest.Call, p *serve.CompanyKey, b *creditRefundBody) (rest.Answer, error) {
	cmd := payments.SendCredit{Company: int64(p.CompanyID), Method: serve.Deref(b.PaymentMethodID)}
	if b.Amount.Set {
		cmd.Amount = &b.Amount.Value
	}
	return s.Do(c, cmd, func(ch credit.Changes) serve.Success {
		ok := serve.PaymentAnswer(ch) // a refunded payment is not new, but its refund is
		ok.Status, ok.Location = 201, "/payment/"+ch.Result.(*credit.Payment).ID
		return ok
	})
}

func (s API) requestCredit(c *rest.Call, p *serve.CompanyKey, _ *rest.None) (rest.Answer, error) {
	return s.SubmitCompany(c, p.CompanyID, func(ifMatch []string) credit.Command {
		return payments.AskForCredit{Company: int64(p.CompanyID), IfMatch: ifMatch}
	})
}
