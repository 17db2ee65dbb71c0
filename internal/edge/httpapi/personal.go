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

// PersonalReads are the reads whose answers contain personal data: names, addresses,
// accounts, papers, and whatever includes them.
func PersonalReads() []string {
	return []string{
		"getCompany", "listCompanies", "listPaymentMethods", "getPaymentMethod", "getStatement", "getInvoice", "getNotice", "listNotices",
		"listScreenings", "getScreening", "getOrder", "listOrders", "listCompanyOrders", "getEvent", "listEvents", "listCompanyEvents", "listOrderEvents",
		"getDelivery", "listAudit", "getReviewedApplication", "getApplicationNotice", "listReviewedApplications", "getApplicationDocument", "getApplication", "listApplications",
		"listPeople", "getMasterAgreement", "listReviewedCases", "getReviewedCase", "getCaseDocument", "getCase", "listCases",
	}
}

// Exports are the reads whose answers are files that leave the house: of the books, of payouts.
func Exports() []string { return []string{"exportEntries", "exportPayouts"} }

// recorded records each read of personal data, and each export, by a client of the lender: after it was
// answered, and without waiting, so that reads continue when nothing can be written.
func recorded(s *serve.Service, table []rest.Operation) []rest.Operation {
	for i := range table {
		op := &table[i]
		if s.Reads == nil || !slices.Contains(PersonalReads(), op.ID) && !slices.Contains(Exports(), op.ID) {
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

// readBy is the command that records a read on behalf of the reader.
func readBy(s *serve.Service, c *rest.Call, listed []string) engine.Request {
	r := compliance.RecordRead{Operation: c.Operation.ID, Listed: listed, At: c.Wall()}
	for _, name := range []string{"company_id", "key", "id"} { // the last one in the path is the object
		if v := c.PathValue(name); v != "" {
			r.Object = v
		}
	}
	// From the path or a list's filter; both were checked before.
	company := cmp.Or(c.PathValue("company_id"), c.Request.URL.Query().Get("company_id"))
	r.Company, _ = strconv.ParseInt(company, 10, 64)
	actor := serve.Actor(c)
	actor.Key = "" // the key does not refer to a stored answer
	return engine.Request{Command: r, Actor: actor, Address: c.From(), Seed: s.Seed()}
}
