package operator

import (
	"context"
	"io"
	"slices"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/buyers"
	"tenor/internal/edge/httpapi/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/books"
)

const mediaText = "text/plain"

type fundingBody struct {
	Amount    money.Amount `json:"amount" required:"true" minimum:"0.01" doc:"Amount of cash." example:"100000.00"`
	Direction string       `json:"direction" required:"true" enum:"IN,OUT" doc:"IN: the lender puts cash in; OUT: takes it out." example:"IN"`
	Reference string       `json:"reference" required:"true" minLength:"1" doc:"What it was." example:"first funding"`
}

type trialQuery struct {
	AsOf *calendar.Date `query:"as_of" doc:"As of this book date, not in the future. Default: today." example:"2026-01-31"`
}

type balancesQuery struct {
	CompanyID  *values.CompanyID `query:"company_id" doc:"Only lines of this company." example:"4821073356"`
	MerchantID string            `query:"merchant_id" prefix:"mch_" doc:"Only lines of this merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	AsOf       *calendar.Date    `query:"as_of" doc:"As of this book date, not in the future. Default: today." example:"2026-01-31"`
}

type entriesQuery struct {
	From *calendar.Date `query:"from" doc:"Entries on or after this book date." example:"2026-01-01"`
	To   *calendar.Date `query:"to" doc:"Entries on or before this book date." example:"2026-01-31"`
}

// Check refuses a reversed range.
func (q *entriesQuery) Check(report func(name, code, detail string)) {
	if q.From != nil && q.To != nil && *q.From > *q.To {
		report("to", "reversed", "to is before from.")
	}
}

type periodBody struct {
	Month string `json:"month" required:"true" pattern:"^(19[7-9][0-9]|2[0-9]{3})-(0[1-9]|1[0-2])$" doc:"Month to close; it must have ended." example:"2026-01"`
}

type periodPage struct {
	rest.Page
}

// Books returns the operations on the lender's ledger.
func (s API) Books() []rest.Operation {
	const path = "/v1/operator/ledger/"
	return rest.Group{Tag: "Books", Reads: access.ScopeRead, Writes: access.ScopeBooks}.With([]rest.Operation{
		{
			ID: "moveFunding", Method: "POST", Path: path + "funding", Summary: "Record a capital contribution or withdrawal",
			Doc:     "Returns the posted entry; the Commit-Seq header has its commit.",
			Success: 201, Response: resource.Entry{}, DryRun: resource.BooksDryRun[resource.Entry]{}, Endpoint: rest.Handle(s.moveFunding),
		},
		{
			ID: "getTrialBalance", Method: "GET", Path: path + "trial_balance", Summary: "Retrieve the trial balance",
			Response: resource.TrialBalance{}, ETag: true, Endpoint: rest.Handle(s.getTrialBalance),
		},
		{
			ID: "getBalances", Method: "GET", Path: path + "balances", Summary: "Retrieve the balances of a company, of a merchant, or of all",
			Doc:      "By account. Unlike a trial balance, the lines of one company or merchant do not add up to 0.00, because their entries also have lines of other parties.",
			Response: resource.LedgerBalances{}, ETag: true, Endpoint: rest.Handle(s.getBalances),
		},
		{
			ID: "exportEntries", Method: "GET", Path: path + "entries", Summary: "Export ledger entries",
			Doc: "All entries in posting order, on one page: as JSON, as CSV with one line per posting, or as an hledger journal. " +
				"The response is streamed; a truncated one is incomplete.",
			Response: resource.List[resource.Entry]{}, Produces: []string{rest.MediaJSON, rest.MediaCSV, mediaText}, Endpoint: rest.Handle(s.exportEntries),
		},
		{
			ID: "closePeriod", Method: "POST", Path: path + "periods", Summary: "Close a month of the books",
			Doc:     "No more entries can be booked in it. A month can be closed once it has ended and all earlier months are closed; otherwise 409 `period_closed`, with the month to close in `next`.",
			Success: 201, Response: resource.Period{}, Problems: []string{"period_closed"}, Endpoint: rest.Handle(s.closePeriod),
		},
		{
			ID: "listPeriods", Method: "GET", Path: path + "periods", Summary: "List closed months", Doc: "Latest first.",
			Response: resource.List[resource.Period]{}, Endpoint: rest.Handle(s.listPeriods),
		},
	})
}

func (s API) moveFunding(c *rest.Call, _ *rest.None, b *fundingBody) (rest.Answer, error) {
	cmd := compliance.MoveFunding{Amount: b.Amount, Reference: b.Reference}
	if b.Direction == "OUT" {
		cmd.Amount = -cmd.Amount
	}
	return s.Do(c, cmd, func(ch credit.Changes) serve.Success {
		w := resource.NewEntry(&ch.Entries[0], 0)
		return serve.Success{Status: 201, Body: &w, Location: "/v1/operator/ledger/entries"}
	})
}

// lastDay is the last book date that counts: the requested one, else today. The books have
// nothing about future days.
func (s API) lastDay(asOf *calendar.Date) (calendar.Date, error) {
	today := s.Today()
	switch {
	case asOf == nil:
		return today, nil
	case *asOf > today:
		return serve.None, rest.InvalidParameter("as_of", "The date is in the future; today's business date is "+today.String()+".")
	}
	return *asOf, nil
}

func (s API) getTrialBalance(c *rest.Call, q *trialQuery, _ *rest.None) (rest.Answer, error) {
	day, err := s.lastDay(q.AsOf)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		balances, err := v.TrialBalance(store.BookFilter{From: serve.None, To: day})
		if err != nil {
			return rest.Answer{}, err
		}
		t := books.TrialOf(balances)
		w := resource.TrialBalance{
			AsOf: day, Currency: string(money.USD), Lines: make([]resource.TrialLine, len(t.Lines)),
			Debits: t.Debits, Credits: t.Credits, MemoDebits: t.MemoDebits, MemoCredits: t.MemoCredits, Balanced: t.Balanced(),
		}
		for i, l := range t.Lines {
			w.Lines[i] = resource.NewTrialLine(l.Account, l.Balance)
		}
		return serve.Tagged(&w)
	})
}

func (s API) getBalances(c *rest.Call, q *balancesQuery, _ *rest.None) (rest.Answer, error) {
	day, err := s.lastDay(q.AsOf)
	if err != nil {
		return rest.Answer{}, err
	}
	f := store.BookFilter{From: serve.None, To: day, Merchant: q.MerchantID}
	if q.CompanyID != nil {
		f.Company = int64(*q.CompanyID)
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		balances, err := v.TrialBalance(f)
		if err != nil {
			return rest.Answer{}, err
		}
		w := resource.LedgerBalances{AsOf: f.To, Currency: string(money.USD), Lines: []resource.TrialLine{}}
		for _, l := range books.TrialOf(balances).Lines {
			w.Lines = append(w.Lines, resource.NewTrialLine(l.Account, l.Balance))
		}
		return serve.Tagged(&w)
	})
}

// exportEntries streams: a ledger does not fit in memory.
func (s API) exportEntries(c *rest.Call, q *entriesQuery, _ *rest.None) (rest.Answer, error) {
	filter := store.BookFilter{From: serve.DateOr(q.From), To: serve.DateOr(q.To)}
	write, contentType := writeEntries, rest.MediaJSON
	switch c.Accepted {
	case rest.MediaCSV:
		write, contentType = books.WriteCSV, rest.MediaCSV+"; charset=utf-8"
	case mediaText:
		write, contentType = books.WriteHledger, mediaText+"; charset=utf-8"
	}
	return rest.Answer{ContentType: contentType, Stream: func(begin func(asOf int64) io.Writer) error {
		done, ok := c.Streaming()
		if !ok {
			return rest.Unavailable(rest.CodeOverloaded, 0)
		}
		defer done()
		ctx, cancel := context.WithTimeout(c.Context(), rest.ExportTimeout)
		defer cancel()
		return s.Store.View(ctx, func(v store.View) error {
			return write(begin(v.Seq()), func(fn func(store.EntryRow) error) error { return store.EachEntryOf(v, filter, fn) })
		})
	}}, nil
}

// writeEntries writes entries as one page of a list.
func writeEntries(w io.Writer, each books.Each) error {
	return payments.WriteList(w, func(fn func(*resource.Entry) error) error {
		return each(func(e store.EntryRow) error {
			entry := resource.NewEntry(&e.Entry, e.Q)
			return fn(&entry)
		})
	})
}

// closePeriod reads the month's debits, which are stored in the record of its closing. Once
// nothing dated before that is in progress, the books of a past month are complete.
func (s API) closePeriod(c *rest.Call, _ *rest.None, b *periodBody) (rest.Answer, error) {
	month := buyers.MonthOf(b.Month)
	cmd := compliance.ClosePeriod{Month: month, ReadAt: s.Now()}
	if err := engine.Settle(c.Context(), s.Submit); err != nil {
		return rest.Answer{}, serve.Failure(err)
	}
	if _, err := s.Read(c, func(v store.View) (rest.Answer, error) {
		var err error
		cmd.Debits, cmd.First, err = books.Closing(v, month)
		return rest.Answer{}, err
	}); err != nil {
		return rest.Answer{}, err
	}
	return s.Do(c, cmd, func(ch credit.Changes) serve.Success {
		w := resource.NewPeriod(ch.Result.(*credit.Period))
		return serve.Success{Status: 201, Body: &w, Location: "/v1/operator/ledger/periods"}
	})
}

func (s API) listPeriods(c *rest.Call, q *periodPage, _ *rest.None) (rest.Answer, error) {
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		all, err := store.AllOf(v, store.PeriodNoun)
		at := func(p *credit.Period) rest.Position {
			return rest.Position{CreatedAt: s.Zone.Start(p.Month), ID: resource.Month(p.Month)}
		}
		return serve.Listed(c, q.Page, serve.Cut(q.Page, slices.Clone(all), at), at, resource.NewPeriod), err
	})
}
