package buyers

import (
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/statement"
)

type statementKey struct {
	serve.CompanyKey
	Month string `path:"month" pattern:"^[0-9]{4}-(0[1-9]|1[0-2])$" doc:"The month." example:"2026-01"`
}

type statementsQuery struct {
	serve.CompanyKey
	rest.Page
}

// Statements returns the reads of statements, for the company, which has pages of its own,
// and for the operator.
func (s API) Statements() []rest.Operation {
	const path = "/v1/companies/{company_id}/statements"
	return rest.Group{Tag: "Companies", Reads: access.ScopeRead}.With([]rest.Operation{
		{
			ID: "listStatements", Method: "GET", Path: path, Summary: "List a company's statement months",
			Doc:      "Latest first, back to the month the company was created.",
			Response: resource.List[resource.StatementMonth]{}, Endpoint: rest.Handle(s.listStatements),
		},
		{
			ID: "getStatement", Method: "GET", Path: path + "/{month}", Summary: "Retrieve a company's monthly statement",
			Doc: "Computed from the ledger by book date, so a past month always has the same figures. As JSON, HTML or PDF. " +
				"As CSV, the balance history for credit bureau reporting: per order, each change with its reason and the balance after it.",
			Response: resource.Statement{}, ETag: true, Produces: append(serve.Papers(), rest.MediaCSV), Endpoint: rest.Handle(s.getStatement),
		},
	})
}

func (s API) listStatements(c *rest.Call, q *statementsQuery, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		x, err := serve.CompanyAt(c, v, int64(q.CompanyID), serve.Moment{Q: store.Latest})
		if err != nil {
			return rest.Answer{}, err
		}
		var all []resource.StatementMonth
		for month := s.Zone.Date(x.CreatedAt).StartOfMonth(); month <= s.Today(); month = month.EndOfMonth() + 1 {
			all = append(all, resource.StatementMonth{Month: resource.Month(month), From: month, To: month.EndOfMonth(), Final: month.EndOfMonth() < s.Today()})
		}
		at := func(m resource.StatementMonth) rest.Position {
			return rest.Position{CreatedAt: s.Zone.Start(m.From), ID: m.Month}
		}
		return serve.Listed(c, q.Page, serve.Cut(q.Page, all, at), at, func(m resource.StatementMonth) resource.StatementMonth { return m }), nil
	})
}

// MonthOf parses a month, YYYY-MM, into its first day.
func MonthOf(text string) calendar.Date {
	year, _ := strconv.Atoi(text[:4])
	month, _ := strconv.Atoi(text[5:])
	return calendar.Of(year, time.Month(month), 1)
}

func (s API) getStatement(c *rest.Call, p *statementKey, _ *rest.None) (rest.Answer, error) {
	month := MonthOf(p.Month)
	var asOf *values.AsOf
	if end := month.EndOfMonth(); end < s.Today() {
		asOf = &values.AsOf{Date: end}
	}
	return s.ReadAt(c, asOf, func(v store.View, m serve.Moment) (rest.Answer, error) {
		now, err := serve.CompanyAt(c, v, int64(p.CompanyID), serve.Moment{Q: store.Latest})
		if err != nil {
			return rest.Answer{}, err
		}
		if month < s.Zone.Date(now.CreatedAt).StartOfMonth() || month > s.Today() {
			return rest.Answer{}, rest.NotFound()
		}
		x, err := StatementAt(v, now.ID, month, m)
		if err != nil {
			return rest.Answer{}, err
		}
		if x == nil { // created on the last day, after the last commit that counts
			return rest.Answer{}, rest.NotFound()
		}
		lender, err := serve.SignedOn(v, month)
		if err != nil {
			return rest.Answer{}, err
		}
		switch c.Accepted {
		case rest.MediaJSON:
		case rest.MediaCSV:
			return serve.Printed(x.History, rest.MediaCSV+"; charset=utf-8")
		default:
			return serve.Print(c, x.Paper(lender))
		}
		w := statementOf(x, asOf != nil, lender)
		return serve.Tagged(&w)
	})
}

// StatementAt is a company's statement of a month from the books at a moment.
func StatementAt(v store.View, company int64, month calendar.Date, m serve.Moment) (*statement.Company, error) {
	return statement.OfCompany(v, company, month, statement.Moment{Q: m.Q, Day: m.Day, Loans: func(x *credit.Company) (map[string]*schedule.Loan, error) {
		return serve.AccountAt(v, x, m)
	}})
}

// statementOf is the resource of a statement.
func statementOf(x *statement.Company, final bool, lender statement.Lender) resource.Statement {
	w := resource.Statement{
		CompanyID: store.CompanyKey(x.Company.ID), Month: resource.Month(x.From), From: x.From, To: x.To, Final: final, Currency: "USD",
		Opening: x.Opening, Closing: x.Closing, Totals: []resource.StatementTotal{}, UnappliedCredit: x.Unapplied, UnappliedBefore: x.UnappliedOpening,
		CreditLine: resource.NewCreditLine(x.Company), YearCharge: x.YearCharge, YearFees: x.YearFees,
		DueSoon: make([]resource.StatementDue, len(x.Due)), PastDue: make([]resource.StatementLate, len(x.PastDue)),
		Orders: make([]resource.StatementOrder, len(x.Orders)), Lines: make([]resource.StatementLine, len(x.Lines)), Credits: make([]resource.StatementCredit, len(x.Credits)),
	}
	for i, d := range x.Due {
		w.DueSoon[i] = resource.StatementDue{OrderKey: d.Order, Installment: d.Installment, DueDate: d.Date, Amount: d.Amount}
	}
	for i, b := range x.PastDue {
		w.PastDue[i] = resource.StatementLate{Bucket: b.Name, Amount: b.Amount}
	}
	for _, n := range statement.Notices(lender) {
		w.Notices = append(w.Notices, resource.StatementNote{Kind: n.Kind, Text: n.Text})
	}
	for _, k := range statement.Kinds() {
		if sum := x.Totals[k]; sum != 0 {
			w.Totals = append(w.Totals, resource.StatementTotal{Kind: string(k), Amount: sum})
		}
	}
	for i, o := range x.Orders {
		w.Orders[i] = resource.StatementOrder{
			OrderKey: o.Order.Key, MerchantOrderID: resource.Text(o.Order.MerchantOrderID), CaptureDate: o.Order.CaptureDate, Amount: o.Order.Captured,
			MerchantID: o.Order.Merchant, Merchant: o.Merchant, Status: string(o.Order.Status), Financing: string(o.Order.Financing),
			Opening: o.Opening, Closing: o.Closing,
		}
	}
	for i, l := range x.Credits {
		w.Credits[i] = resource.StatementCredit{
			Date: l.Date, ValueDate: l.Value, Kind: string(l.Kind), PaymentID: resource.Text(l.Payment), EntryID: l.Entry, Amount: l.Amount, Balance: l.Balance,
		}
	}
	for i, l := range x.Lines {
		w.Lines[i] = resource.StatementLine{
			Date: l.Date, ValueDate: l.Value, Kind: string(l.Kind), OrderKey: resource.Text(l.Order), PaymentID: resource.Text(l.Payment),
			Method: resource.Text(string(l.Method)), State: resource.Text(string(l.State)), EntryID: l.Entry, Amount: l.Amount, Balance: l.Balance,
		}
	}
	return w
}
