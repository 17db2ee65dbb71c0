package httpapi

import (
	"slices"

	"tenor/internal/edge/httpapi/buyers"
	"tenor/internal/edge/httpapi/developer"
	"tenor/internal/edge/httpapi/operator"
	"tenor/internal/edge/httpapi/orders"
	"tenor/internal/edge/httpapi/payments"
	"tenor/internal/edge/httpapi/sandboxapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

// Table returns every operation of the API, in the order of the contract.
func Table(s *serve.Service) []rest.Operation {
	o, b, p, d := orders.API{Service: s}, buyers.API{Service: s}, payments.API{Service: s}, developer.API{Service: s}
	table := slices.Concat(o.Orders(), o.OrderActs(), o.OrderReads())
	if s.Desk != nil {
		table = slices.Concat(table, o.OrderPapers(), o.Checkouts(), o.Promotions(), b.Applications(), b.Cases())
	}
	table = slices.Concat(table, p.Payments(), b.Companies(), b.CompanyLists(), b.PaymentMethods(), b.Autopay(), b.Statements(),
		p.Invoices(), p.Payouts(), p.Reconciliations(), d.Events(), d.Webhooks(), d.Deliveries(), d.Requests(), d.Tokens())
	table = append(table, backOffice(operator.API{Service: s})...)
	sandbox := sandboxapi.API{Service: s}
	if s.Controls != nil {
		table = slices.Concat(table, sandbox.Clock(), sandbox.Mailbox(), sandbox.Buyers())
	}
	if s.Receivers != nil {
		table = append(table, sandbox.Webhooks()...)
	}
	return recorded(s, waiting(table))
}

// waiting marks the operations whose act may wait for a second person.
func waiting(table []rest.Operation) []rest.Operation {
	for i := range table {
		if slices.Contains(Waiting(), table[i].ID) {
			table[i].Waits = resource.Approval{}
		}
	}
	return table
}

// Waiting lists the operations that the lender's rules on approvals can make wait, for a client
// of the lender.
func Waiting() []string {
	return []string{
		"addPaymentMethod", "addProgram", "approveApplication", "chargeOffOrder", "closeCompany", "closePeriod", "createClient", "createCompany",
		"createMerchant", "moveFunding", "payClawback", "payRefund", "recordPayment", "recordReceipt", "refundOrder", "refundPayment", "releasePayouts", "remitCollected", "returnPayment",
		"returnReceipt", "reverseChargeOff", "reversePayment", "rollClient", "sendCredit", "setCreditLine", "setMerchantAccount", "setMerchantLimits",
		"updateCompany", "updateLender", "vouchForPaymentMethod", "waiveFee",
	}
}

// backOffice returns the lender's own operations.
func backOffice(o operator.API) []rest.Operation {
	table := slices.Concat(o.BackOffice(), o.Merchants(), o.Companies())
	if o.Desk != nil {
		table = slices.Concat(table, o.People(), o.Agreements(), o.Applications(), o.Cases())
	}
	return slices.Concat(table, o.Clients(), o.Money(), o.Refunds(), o.Receipts(), o.Books(), o.Lender(), o.Audit(), o.BankLines(), o.BankMatches(), o.BankNotices(), o.Approvals())
}
