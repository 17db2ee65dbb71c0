package operator

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

type receiptBody struct {
	Amount       money.Amount   `json:"amount" required:"true" minimum:"0.01" doc:"Amount received." example:"207.06"`
	Method       string         `json:"method" required:"true" enum:"CHECK,WIRE,CASH,OTHER" doc:"How it came." example:"WIRE"`
	ReceivedDate *calendar.Date `json:"received_date" doc:"Date the bank received it, not in the future. Default: today." example:"2026-02-13"`
	Reference    *string        `json:"reference" doc:"Remittance text, as on the bank statement." example:"wire 2231"`
	Note         *string        `json:"note" doc:"Note." example:"sender unknown, the bank was asked"`
	serve.BecauseBody
}

type receiptFilter struct {
	rest.Page
	Status string `query:"status" enum:"OPEN,IDENTIFIED,RETURNED" doc:"Receipts with this status." example:"OPEN"`
}

type receiptID struct {
	ID string `path:"id" prefix:"rcp_" doc:"The receipt's identifier." example:"rcp_01KB0A4E7WQN3R1P9M8K6J4H2G"`
}

type identifyBody struct {
	OrderKey   *string           `json:"order_key" prefix:"ord_" doc:"Apply it to this order. Give exactly one of order_key, invoice_id and company_id." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	InvoiceID  *string           `json:"invoice_id" prefix:"inv_" doc:"Apply it to the invoice's order." example:"inv_01KB0A4E7V5N3R1P9M8K6J4H2G"`
	CompanyID  *values.CompanyID `json:"company_id" doc:"Apply it to the company's orders, oldest due first." example:"1000000001"`
	Memo       *string           `json:"memo" doc:"Note. Default: the receipt's note." example:"the bank has named the sender"`
	HoldExcess bool              `json:"hold_excess" doc:"Hold any excess for the next due dates instead of prepaying." example:"false"`
	serve.BecauseBody
}

// Check requires exactly one target.
func (b *identifyBody) Check(report func(name, code, detail string)) {
	given := 0
	for _, set := range []bool{b.OrderKey != nil, b.InvoiceID != nil, b.CompanyID != nil} {
		if set {
			given++
		}
	}
	if given != 1 {
		report("/order_key", "exactly_one", "Give exactly one of order_key, invoice_id and company_id.")
	}
}

type receiptReturnBody struct {
	Reference string `json:"reference" required:"true" minLength:"1" doc:"Wire or check number of the return." example:"wire 3102"`
	serve.BecauseBody
}

// Receipts returns the operations on received money that nobody can identify.
func (s API) Receipts() []rest.Operation {
	const path = "/v1/operator/receipts"
	return rest.Group{Tag: "Operator", Reads: access.ScopeRead, Writes: access.ScopeBooks, Response: resource.Receipt{}, ETag: true, DryRun: resource.BooksDryRun[resource.Receipt]{}}.With([]rest.Operation{
		{
			ID: "listReceipts", Method: "GET", Path: path, Summary: "List unidentified receipts",
			Doc:      "Newest first. The OPEN ones make up the balance of account 2130.",
			Response: resource.List[resource.Receipt]{}, Endpoint: rest.Handle(s.listReceipts),
		},
		{
			ID: "recordReceipt", Method: "POST", Path: path, Summary: "Record an unidentified receipt",
			Doc:     "Held on account 2130 until identified or returned.",
			Success: 201, Problems: []string{"invalid_effective_date"}, Endpoint: serve.Decides(s.Service, s.receiptAnswer, recordReceipt),
		},
		{
			ID: "getReceipt", Method: "GET", Path: path + "/{id}", Summary: "Retrieve a receipt",
			Response: resource.Receipt{}, ETag: true, Endpoint: rest.Handle(s.getReceipt),
		},
		{
			ID: "identifyReceipt", Method: "POST", Path: path + "/{id}/identify", Summary: "Identify a receipt",
			Doc: "It becomes a payment of the full amount, effective on the day the money was received. " +
				"It cannot pay externally managed orders.",
			Success: 201, Response: resource.Payment{}, ETag: true, DryRun: resource.DryRun[resource.Payment]{},
			Problems: []string{"precondition_failed", "invalid_transition", "order_not_captured", "invalid_effective_date"}, Endpoint: serve.Decides(s.Service, serve.PaymentAnswer, identifyReceipt),
		},
		{
			ID: "returnReceipt", Method: "POST", Path: path + "/{id}/return", Summary: "Record the return of a receipt",
			Doc:      "By a wire or check sent separately; this call moves no money.",
			Problems: []string{"precondition_failed", "invalid_transition"}, Endpoint: serve.Decides(s.Service, s.receiptAnswer, returnReceipt),
		},
	})
}

func (s API) receipt(x *credit.Receipt) resource.Receipt {
	return resource.NewReceipt(x, s.Zone, s.Today())
}

func (s API) receiptAnswer(ch credit.Changes) serve.Success {
	x := ch.Result.(*credit.Receipt)
	w := s.receipt(x)
	ok := serve.Success{Body: &w, Etag: serve.VersionTag(x.Version)}
	if ch.Created {
		ok.Status, ok.Location = 201, "/v1/operator/receipts/"+x.ID
	}
	return ok
}

func (s API) listReceipts(c *rest.Call, f *receiptFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		found, err := store.ListReceipts(v, store.ReceiptFilter{Status: credit.ReceiptStatus(f.Status)}, serve.PageOf(f.Page))
		return serve.Listed(c, f.Page, found, func(x *credit.Receipt) rest.Position { return rest.Position{CreatedAt: x.CreatedAt, ID: x.ID} }, s.receipt), err
	})
}

func (s API) getReceipt(c *rest.Call, p *receiptID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Receipts: []string{p.ID}}); err != nil {
			return rest.Answer{}, err
		}
		x := state.Receipts[p.ID]
		if x == nil {
			return rest.Answer{}, rest.NotFound()
		}
		return serve.Answer(s.receipt(x), serve.VersionTag(x.Version))
	})
}

func recordReceipt(_ *rest.Call, _ *rest.None, b *receiptBody) credit.Command {
	return payments.RecordReceipt{
		Amount: b.Amount, Method: credit.Method(b.Method), Received: serve.DateOr(b.ReceivedDate), Reference: serve.Deref(b.Reference), Note: serve.Deref(b.Note),
	}
}

func identifyReceipt(c *rest.Call, p *receiptID, b *identifyBody) credit.Command {
	return payments.IdentifyReceipt{
		Receipt: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Order: serve.Deref(b.OrderKey), Invoice: serve.Deref(b.InvoiceID), Company: int64(serve.Deref(b.CompanyID)),
		Memo: serve.Deref(b.Memo), HoldExcess: b.HoldExcess,
	}
}

func returnReceipt(c *rest.Call, p *receiptID, b *receiptReturnBody) credit.Command {
	return payments.ReturnReceipt{Receipt: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Reference: b.Reference}
}
