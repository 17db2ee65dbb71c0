package httpapi

import (
	"cmp"
	"slices"
	"strconv"

	"tenor/internal/core/engine"
	"tenor/internal/domain/compliance"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
)

// PersonalReads are the reads whose answers show personal data: names, addresses, accounts,
// papers, and what holds them.
func PersonalReads() []string {
	return []string{
		"getCompany", "listCompanies", "listPaymentMethods", "getPaymentMethod", "getStatement", "getInvoice", "getNotice", "listNotices",
		"listScreenings", "getScreening", "getOrder", "listOrders", "listCompanyOrders", "getEvent", "listEvents", "listCompanyEvents", "listOrderEvents",
		"getDelivery", "listAudit", "getReviewedApplication", "getApplicationNotice", "listReviewedApplications", "getApplicationDocument", "getApplication", "listApplications",
		"listPeople", "getMasterAgreement", "listReviewedCases", "getReviewedCase", "getCaseDocument", "getCase", "listCases",
	}
}

// recorded has each read of personal data by a client of the lender recorded: after it was
// answered, and without a wait, so that reads go on where nothing can be written.
func recorded(s *serve.Service, table []rest.Operation) []rest.Operation {
	for i := range table {
		op := &table[i]
		if s.Reads == nil || !slices.Contains(PersonalReads(), op.ID) {
			continue
		}
		op.Endpoint = op.Endpoint.After(func(c *rest.Call, a rest.Answer) {
			if c.Principal.Operator {
				s.Reads(readBy(s, c, a.Listed))
			}
		})
	}
	return table
}

// readBy is the command that records a read, in the name of who has read.
func readBy(s *serve.Service, c *rest.Call, listed []string) engine.Request {
	r := compliance.RecordRead{Operation: c.Operation.ID, Listed: listed, At: c.Wall()}
	for _, name := range []string{"company_id", "key", "id"} { // the last one that the path has is the object
		if v := c.PathValue(name); v != "" {
			r.Object = v
		}
	}
	// Of the path or of a list's filter; both were checked before.
	company := cmp.Or(c.PathValue("company_id"), c.Request.URL.Query().Get("company_id"))
	r.Company, _ = strconv.ParseInt(company, 10, 64)
	actor := serve.Actor(c)
	actor.Key = "" // what it names is no answer to be kept
	return engine.Request{Command: r, Actor: actor, Address: c.From(), Seed: s.Seed()}
}
