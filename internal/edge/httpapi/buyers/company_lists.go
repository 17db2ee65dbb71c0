package buyers

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/httpapi/orders"
	"tenor/internal/edge/httpapi/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
)

type companyOrdersQuery struct {
	serve.CompanyKey
	rest.Page
	orders.OrderFilters
}

type companyPaymentsQuery struct {
	serve.CompanyKey
	rest.Page
	payments.PaymentFilters
}

type companyInvoicesQuery struct {
	serve.CompanyKey
	rest.Page
	payments.InvoiceFilters
}

type companyEventsQuery struct {
	serve.CompanyKey
	rest.Page
}

type companyCreditsQuery struct {
	serve.CompanyKey
	rest.Page
}

// CompanyLists returns the lists below a company. A merchant sees only its own part of
// each.
func (s API) CompanyLists() []rest.Operation {
	below := func(id, noun, scope, doc string, response any, e rest.Endpoint) rest.Operation {
		return rest.Operation{
			ID: id, Method: "GET", Path: "/v1/companies/{company_id}/" + noun, Tag: "Companies", Summary: "List the " + noun + " of a company", Doc: doc,
			Scopes: []string{"companies:read", scope}, Response: response, Problems: []string{"company_not_linked"}, Endpoint: e,
		}
	}
	own := "Newest first. A merchant sees only its own."
	return []rest.Operation{
		below("listCompanyOrders", "orders", "orders:read", own, resource.List[resource.Order]{}, rest.Handle(s.listCompanyOrders)),
		below("listCompanyPayments", "payments", "payments:read", "Newest first. A merchant sees those it created or that refer to its orders.", resource.List[resource.Payment]{}, rest.Handle(s.listCompanyPayments)),
		below("listCompanyInvoices", "invoices", "invoices:read", own, resource.List[resource.Invoice]{}, rest.Handle(s.listCompanyInvoices)),
		below("listCompanyEvents", "events", "events:read",
			"Events of the company, oldest first. A merchant sees those from the time the company was linked to it; its pages can be short or empty although more follow.",
			resource.List[resource.AnyEvent]{}, rest.Handle(s.listCompanyEvents)),
		below("listCompanyCredits", "credits", "payments:read",
			"The company's unapplied credit with its source and why it is held, newest first. Adds up to the company's unapplied_credit. "+
				"A merchant sees credit from payments it recorded and from its own orders.",
			resource.List[resource.Credit]{}, rest.Handle(s.listCompanyCredits)),
	}
}

func (s API) listCompanyOrders(c *rest.Call, q *companyOrdersQuery, _ *rest.None) (rest.Answer, error) {
	return s.Within(c, q.CompanyKey, func(v store.View, company int64) (rest.Answer, error) {
		return orders.API{Service: s.Service}.OrdersOf(c, v, company, &q.OrderFilters, q.Page)
	})
}

func (s API) listCompanyPayments(c *rest.Call, q *companyPaymentsQuery, _ *rest.None) (rest.Answer, error) {
	return s.Within(c, q.CompanyKey, func(v store.View, company int64) (rest.Answer, error) {
		return payments.PaymentsOf(c, v, company, &q.PaymentFilters, q.Page)
	})
}

func (s API) listCompanyInvoices(c *rest.Call, q *companyInvoicesQuery, _ *rest.None) (rest.Answer, error) {
	return s.Within(c, q.CompanyKey, func(v store.View, company int64) (rest.Answer, error) {
		return payments.InvoicesOf(c, v, company, &q.InvoiceFilters, q.Page)
	})
}

func (s API) listCompanyEvents(c *rest.Call, q *companyEventsQuery, _ *rest.None) (rest.Answer, error) {
	return s.Within(c, q.CompanyKey, func(v store.View, company int64) (rest.Answer, error) {
		found, next, err := readable(v, credit.ObjectRef{Type: "company", ID: store.CompanyKey(company)}, c.Principal.Tenant, q.Page)
		if err != nil {
			return rest.Answer{}, err
		}
		payloads := make([]jsontext.Value, len(found))
		for i, e := range found {
			payloads[i] = e.Payload
		}
		return serve.ListOf(c, payloads, next != nil, func(jsontext.Value) rest.Position { return orders.EventPosition(*next) }), nil
	})
}

func (s API) listCompanyCredits(c *rest.Call, q *companyCreditsQuery, _ *rest.None) (rest.Answer, error) {
	return s.Within(c, q.CompanyKey, func(v store.View, company int64) (rest.Answer, error) {
		found, err := creditsOf(c, v, company)
		if err != nil {
			return rest.Answer{}, err
		}
		at := func(x credit.Credit) rest.Position {
			return rest.Position{CreatedAt: s.Zone.Start(x.Date), ID: x.Source}
		}
		return serve.Listed(c, q.Page, serve.Cut(q.Page, found, at), at, func(x credit.Credit) resource.Credit { return resource.NewCredit(&x) }), nil
	})
}

// creditsOf lists the open credits of a company that the caller may see.
func creditsOf(c *rest.Call, v store.View, company int64) ([]credit.Credit, error) {
	state := credit.NewState()
	if err := v.Load(state, credit.Keys{Companies: []int64{company}}); err != nil || c.Principal.Operator {
		return state.Credits[company], err
	}
	var k credit.Keys
	for _, x := range state.Credits[company] {
		k.Payments = append(k.Payments, x.Source) // a refund's name finds no payment
		if x.Order != "" {
			k.Orders = append(k.Orders, x.Order)
		}
	}
	if err := v.Load(state, k); err != nil {
		return nil, err
	}
	return slices.DeleteFunc(state.Credits[company], func(x credit.Credit) bool {
		p, o := state.Payments[x.Source], state.Orders[x.Order]
		made := p != nil && p.Merchant == c.Principal.Tenant
		return !made && (o == nil || o.Merchant != c.Principal.Tenant)
	}), nil
}

// eventsLookedAt bounds the events read for a page, whoever may read them.
const eventsLookedAt = 4000

// readable is one page of an object's events that a merchant may read; "" reads all. If
// there are more, next is the last one examined.
func readable(v store.View, o credit.ObjectRef, merchant string, p rest.Page) (found []store.EventRow, next *store.EventRow, err error) {
	at, looked := serve.PageOf(p), 0
	for {
		rows, err := v.Events(store.EventFilter{Object: o, Behind: at.AfterID, Limit: at.Limit})
		if err != nil {
			return nil, nil, err
		}
		for i := range rows {
			if len(found) == p.Limit || looked == eventsLookedAt {
				return found, next, nil
			}
			looked++
			mine := merchant == ""
			if !mine {
				if _, mine, err = store.EventOf(v, rows[i].ID, merchant); err != nil {
					return nil, nil, err
				}
			}
			if mine {
				found = append(found, rows[i])
			}
			next = &rows[i]
		}
		if len(rows) < at.Limit {
			return found, nil, nil
		}
		at.AfterAt, at.AfterID = next.At, next.ID
	}
}
