package payments

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/statement"
)

type invoiceID struct {
	ID string `path:"id" prefix:"inv_" doc:"The invoice's identifier." example:"inv_01KB0A4E7V5N3R1P9M8K6J4H2G"`
}

type invoiceFilter struct {
	rest.Page
	CompanyID *values.CompanyID `query:"company_id" doc:"Invoices for this company." example:"1000000001"`
	InvoiceFilters
}

// InvoiceFilters are those of every list of invoices.
type InvoiceFilters struct {
	OrderKey *string `query:"order_key" prefix:"ord_" doc:"Invoice for this order."`
	Status   string  `query:"status" enum:"OPEN,PAID,PAST_DUE,VOID" doc:"Invoices with this status."`
}

// Invoices returns the reads of invoices.
func (s API) Invoices() []rest.Operation {
	return rest.Group{Tag: "Invoices", Reads: "invoices:read"}.With([]rest.Operation{
		{
			ID: "listInvoices", Method: "GET", Path: "/v1/invoices", Summary: "List invoices",
			Response: resource.List[resource.Invoice]{}, Endpoint: rest.Handle(s.listInvoices),
		},
		{
			ID: "getInvoice", Method: "GET", Path: "/v1/invoices/{id}", Summary: "Retrieve an invoice",
			Doc:      "As JSON, HTML or PDF.",
			Response: resource.Invoice{}, ETag: true, Produces: serve.Papers(), Endpoint: rest.Handle(s.getInvoice),
		},
	})
}

func (s API) getInvoice(c *rest.Call, p *invoiceID, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		state := credit.NewState()
		if err := v.Load(state, credit.Keys{Invoices: []string{p.ID}}); err != nil {
			return rest.Answer{}, err
		}
		i := state.Invoices[p.ID]
		if i == nil || !c.Principal.Operator && i.Merchant != c.Principal.Tenant {
			return rest.Answer{}, rest.NotFound()
		}
		if c.Accepted != rest.MediaJSON {
			return s.printInvoice(c, v, i)
		}
		return serve.Answer(resource.NewInvoice(i), serve.VersionTag(i.Version))
	})
}

func (s API) printInvoice(c *rest.Call, v store.View, i *credit.Invoice) (rest.Answer, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Orders: []string{i.Order}, Companies: []int64{i.Company}, Merchants: []string{i.Merchant}}); err != nil {
		return rest.Answer{}, err
	}
	lender, err := serve.Signs(v)
	if err != nil {
		return rest.Answer{}, err
	}
	return serve.Print(c, statement.InvoicePaper(i, state.Orders[i.Order], state.Companies[i.Company], lender.Name, state.Merchants[i.Merchant].Name))
}

func (s API) listInvoices(c *rest.Call, f *invoiceFilter, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		return InvoicesOf(c, v, int64(serve.Deref(f.CompanyID)), &f.InvoiceFilters, f.Page)
	})
}

// InvoicesOf lists the invoices of a company, 0 for all, that the caller may see.
func InvoicesOf(c *rest.Call, v store.View, company int64, f *InvoiceFilters, p rest.Page) (rest.Answer, error) {
	q := store.InvoiceFilter{
		Merchant: c.Principal.Tenant, Company: company, Order: serve.Deref(f.OrderKey), Status: credit.InvoiceStatus(f.Status),
	}
	found, err := store.ListInvoices(v, q, serve.PageOf(p))
	return serve.Listed(c, p, found, func(i *credit.Invoice) rest.Position { return rest.Position{CreatedAt: i.IssuedAt, ID: i.ID} }, resource.NewInvoice), err
}
