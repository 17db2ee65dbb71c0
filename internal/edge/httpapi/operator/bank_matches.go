package operator

import (
	"context"
	"errors"
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/office/books"
)

// system is the name of automatic actions.
const system = "system"

// Codes of impossible matches.
const (
	CodeMatched = "already_matched"
	CodeNoMatch = "match_refused"
)

type bankReconciliationQuery struct {
	AsOf *calendar.Date `query:"as_of" doc:"As of this day, not in the future. Default: today." example:"2026-02-27"`
}

type bankMatchBody struct {
	LineIDs  []string `json:"line_ids" maxItems:"1000" doc:"IDs of bank statement lines." example:"[\"20260217-3\"]"`
	EntryIDs []string `json:"entry_ids" maxItems:"1000" doc:"IDs of entries on account 1000." example:"[\"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H\"]"`
	Note     string   `json:"note" doc:"Note." example:"two deposits in one"`
}

type bankMatchID struct {
	ID string `path:"id" prefix:"mtc_" doc:"The match's identifier." example:"mtc_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
}

type bankMatchPage struct {
	rest.Page
}

type entryID struct {
	ID string `path:"id" prefix:"ent_" doc:"The entry's identifier." example:"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
}

type assignBody struct {
	Owner string `json:"owner" required:"true" doc:"Assignee; empty for nobody." example:"ann"`
	Note  string `json:"note" doc:"Note." example:"asked the bank"`
}

// BankMatches returns the operations that match bank lines with entries on 1000. They are
// not decisions: they post nothing, and each match can be undone.
func (s API) BankMatches() []rest.Operation {
	const path = "/v1/operator/bank_matches"
	beside := func(op rest.Operation) rest.Operation {
		op.Tag, op.Undecided = "Books", true
		return op
	}
	return rest.Group{Tag: "Books", Reads: access.ScopeRead, Writes: access.ScopeBooks}.With([]rest.Operation{
		{
			ID: "getBankReconciliation", Method: "GET", Path: "/v1/operator/bank_reconciliation", Tag: "Books",
			Summary: "Reconcile the bank statement with account 1000",
			Doc: "Both balances at the end of the day, the open items on each side with their age in banking days, and the proof that the difference equals the open items. " +
				"A match with a member of a later day counts as open. Items in transit are as of now.",
			Response: resource.BankReconciliation{}, ETag: true, Endpoint: rest.Handle(s.getBankReconciliation),
		},
		beside(rest.Operation{
			ID: "listBankMatches", Method: "GET", Path: path, Summary: "List bank statement matches", Doc: "Newest first, including undone matches.",
			Response: resource.List[resource.BankMatch]{}, Endpoint: rest.Handle(s.listBankMatches),
		}),
		beside(rest.Operation{
			ID: "createBankMatch", Method: "POST", Path: path, Summary: "Match bank statement lines with ledger entries",
			Doc: "Both sides must add up to the same amount; one list can be empty if the other adds up to 0.00. 404 if there is no such line, or no such entry on account 1000. " +
				"An Idempotency-Key is accepted but not stored.",
			Success: 201, Response: resource.BankMatch{}, Problems: []string{rest.CodeNotFound, CodeMatched, CodeNoMatch}, Endpoint: rest.Handle(s.createBankMatch),
		}),
		beside(rest.Operation{
			ID: "undoBankMatch", Method: "POST", Path: path + "/{id}/undo", Summary: "Undo a match",
			Doc:      "Its lines and entries are open again and are rematched only manually. An undone match stays undone. An Idempotency-Key is accepted but not stored.",
			Response: resource.BankMatch{}, Problems: []string{}, Endpoint: rest.Handle(s.undoBankMatch),
		}),
		beside(rest.Operation{
			ID: "assignEntry", Method: "POST", Path: "/v1/operator/ledger/entries/{id}/assign", Summary: "Assign an entry on account 1000",
			Doc:     "For entries missing from the bank statement. 404 if there is no such entry on account 1000. An Idempotency-Key is accepted but not stored.",
			Success: 204, Problems: []string{}, Endpoint: rest.Handle(s.assignEntry),
		}),
	})
}

func (s API) getBankReconciliation(c *rest.Call, q *bankReconciliationQuery, _ *rest.None) (rest.Answer, error) {
	day, err := s.lastDay(q.AsOf)
	if err != nil {
		return rest.Answer{}, err
	}
	return s.Read(c, func(v store.View) (rest.Answer, error) {
		r, err := books.Reconcile(v, day)
		if err != nil {
			return rest.Answer{}, err
		}
		clearing, err := books.Clearings(c.Context(), s.Store, v, s.Today())
		if err != nil {
			return rest.Answer{}, err
		}
		w := reconciliationOf(r, clearing)
		return serve.Tagged(&w)
	})
}

// reconciliationOf is the resource of a reconciliation.
func reconciliationOf(r *books.Reconciliation, clearing []books.Clearing) resource.BankReconciliation {
	items := func(list []books.OpenItem) []resource.BankOpenItem {
		out := make([]resource.BankOpenItem, len(list))
		for i, x := range list {
			out[i] = resource.BankOpenItem{
				ID: x.ID, Date: x.Date, Amount: x.Amount, Age: x.Age, Reference: resource.Text(x.Text), Cause: resource.Text(x.Cause),
				Owner: resource.Text(x.Owner), Note: resource.Text(x.Note),
			}
		}
		return out
	}
	w := resource.BankReconciliation{
		AsOf: r.AsOf, Currency: string(money.USD), BankBalance: r.Bank, LedgerBalance: r.Ledger, Difference: r.Difference(),
		OpenLinesSum: r.LinesSum, OpenEntriesSum: r.EntriesSum, Proven: r.Proven(),
		OpenLines: items(r.Lines), OpenEntries: items(r.Entries), Clearing: make([]resource.BankClearing, len(clearing)),
	}
	for i, x := range clearing {
		w.Clearing[i] = resource.BankClearing{
			Account: x.Account, AccountName: x.Account.Name(), FileID: resource.Text(x.File), Rail: resource.Text(string(x.Rail)),
			Transfers: x.Transfers, Amount: x.Amount, Late: x.Late,
		}
		if day := x.SettlesOn; day != serve.None {
			w.Clearing[i].SettlesOn = &day
		}
	}
	return w
}

func (s API) listBankMatches(c *rest.Call, q *bankMatchPage, _ *rest.None) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	found, err := store.Matches(ctx, s.Store, serve.PageOf(q.Page))
	at := func(m store.BankMatch) rest.Position { return rest.Position{CreatedAt: m.MadeAt, ID: m.ID} }
	return serve.Listed(c, q.Page, found, at, resource.NewBankMatch), err
}

func (s API) createBankMatch(c *rest.Call, _ *rest.None, b *bankMatchBody) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	m := books.NewMatch(s.Now(), c.Principal.ClientID, s.Seed)
	m.Lines, m.Entries, m.Note = b.LineIDs, b.EntryIDs, b.Note
	if m.Check() != nil {
		return rest.Answer{}, &rest.Problem{Code: CodeNoMatch, Detail: "A match needs at least two members, each only once."}
	}
	lines, entries, err := store.SumsOf(ctx, s.Store, m.Lines, m.Entries)
	switch {
	case errors.Is(err, store.ErrRefused):
		return rest.Answer{}, rest.NotFound()
	case err != nil:
		return rest.Answer{}, err
	case lines != entries:
		return rest.Answer{}, &rest.Problem{Code: CodeNoMatch, Detail: fmt.Sprintf("The lines add up to %s, the entries to %s on account %d.", lines, entries, ledger.Cash)}
	}
	m.Amount = lines
	err = s.Store.PutMatches(ctx, []store.BankMatch{m})
	if errors.Is(err, store.ErrTaken) {
		return rest.Answer{}, &rest.Problem{Code: CodeMatched}
	}
	w := resource.NewBankMatch(m)
	return rest.Created("/v1/operator/bank_matches", &w), err
}

func (s API) undoBankMatch(c *rest.Call, p *bankMatchID, _ *rest.None) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	err := s.Store.UndoMatch(ctx, p.ID, c.Principal.ClientID, s.Now())
	if err != nil && !errors.Is(err, store.ErrRefused) {
		return rest.Answer{}, err
	}
	m, found, err := store.MatchByID(ctx, s.Store, p.ID)
	if err == nil && !found {
		return rest.Answer{}, rest.NotFound()
	}
	w := resource.NewBankMatch(m)
	return rest.OK(&w), err
}

func (s API) assignEntry(c *rest.Call, p *entryID, b *assignBody) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	err := s.Store.AssignEntry(ctx, p.ID, b.Owner, b.Note)
	if errors.Is(err, store.ErrRefused) {
		return rest.Answer{}, rest.NotFound()
	}
	return rest.Answer{}, err
}
