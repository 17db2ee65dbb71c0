package operator

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/edge/httpapi/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
	"tenor/internal/office/books"
)

// maxBankLines is how many bank statement lines are accepted at once.
const maxBankLines = 5000

type bankLineBody struct {
	ID        string        `json:"id" required:"true" pattern:"^[0-9A-Za-z._~-]{1,64}$" doc:"The bank's unique ID of the line. Lines with the same ID are duplicates." example:"20260217-3"`
	Date      calendar.Date `json:"date" required:"true" doc:"Date of the line; not in the future." example:"2026-02-17"`
	Amount    money.Amount  `json:"amount" required:"true" minimum:"-10000000.00" doc:"Amount credited; negative for a debit." example:"207.06"`
	Reference string        `json:"reference" doc:"Bank's description." example:"ACH CREDIT"`
}

type bankLinesBody struct {
	Lines []bankLineBody `json:"lines" required:"true" minItems:"1" maxItems:"5000" doc:"The lines."`
}

type bankLineID struct {
	ID string `path:"id" pattern:"^[0-9A-Za-z._~-]{1,64}$" doc:"The line's identifier." example:"20260217-3"`
}

type bankLineFilter struct {
	rest.Page
	Open *bool `query:"open" doc:"List only unmatched lines." example:"true"`
}

// BankLines returns the operations that compare the bank's own statement of the lender's
// account with the books. They are not decisions: they post nothing.
func (s API) BankLines() []rest.Operation {
	const path = "/v1/operator/bank_lines"
	beside := func(op rest.Operation) rest.Operation {
		op.Tag, op.Undecided = "Books", true
		return op
	}
	return rest.Group{Tag: "Books", Reads: access.ScopeRead, Writes: access.ScopeBooks}.With([]rest.Operation{
		beside(rest.Operation{
			ID: "putBankLines", Method: "POST", Path: path, Summary: "Import bank statement lines",
			Doc: "JSON, or CSV (RFC 4180) whose first line names the columns, `id,date,amount,reference` in any order. " +
				"A line whose ID already exists is skipped, so the same list can be sent again; an Idempotency-Key is accepted but not stored. " +
				"Open lines are then matched with entries on account 1000 wherever only one set of entries fits: by reference, by batch total, or by amount and date.",
			Consumes: []string{rest.MediaJSON, rest.MediaCSV}, Response: resource.BankLinesTaken{},
			Problems: []string{rest.CodeMalformedCSV}, Endpoint: rest.Handle(s.putBankLines),
		}),
		beside(rest.Operation{
			ID: "listBankLines", Method: "GET", Path: path, Summary: "List bank statement lines", Doc: "Oldest first.",
			Response: resource.List[resource.BankLine]{}, Endpoint: rest.Handle(s.listBankLines),
		}),
		beside(rest.Operation{
			ID: "assignBankLine", Method: "POST", Path: path + "/{id}/assign", Summary: "Assign a bank statement line",
			Doc: "An Idempotency-Key is accepted but not stored.", Success: 204, Problems: []string{}, Endpoint: rest.Handle(s.assignBankLine),
		}),
	})
}

// lineCheck checks the lines of one list: none may be dated in the future, since lines are
// never removed again, and ids must be unique.
type lineCheck struct {
	today calendar.Date
	seen  map[string]bankLineBody
}

func (k *lineCheck) look(l *bankLineBody, report func(name, code, detail string)) {
	if l.Date > k.today {
		report("date", "in_future", "The day is in the future; today's business date is "+k.today.String()+".")
	}
	if other, found := k.seen[l.ID]; found && other != *l {
		report("id", "duplicate", "Another line of the list has this id.")
	}
	k.seen[l.ID] = *l
}

func (s API) putBankLines(c *rest.Call, _ *rest.None, b *bankLinesBody) (rest.Answer, error) {
	check := lineCheck{today: s.Today(), seen: map[string]bankLineBody{}}
	if c.ContentType == rest.MediaCSV {
		var err error
		if b.Lines, err = readCSVRows(c, maxBankLines, check.look); err != nil {
			return rest.Answer{}, err
		}
	} else if invalid := check.all(b.Lines); len(invalid) > 0 {
		return rest.Answer{}, &rest.Problem{Code: rest.CodeValidation, Errors: invalid}
	}
	lines := make([]store.BankLine, len(b.Lines))
	for i, l := range b.Lines {
		lines[i] = store.BankLine{ID: l.ID, Date: l.Date, Amount: l.Amount, Reference: l.Reference}
	}
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	fresh, err := s.Store.PutBankLines(ctx, lines)
	if err != nil {
		return rest.Answer{}, err
	}
	matched, err := books.Match(ctx, s.Store, s.Now(), s.Today(), system, s.Seed)
	return rest.OK(&resource.BankLinesTaken{Lines: len(lines), New: fresh, Matched: matched}), err
}

// all checks every line of a JSON body.
func (k *lineCheck) all(lines []bankLineBody) (invalid []rest.FieldError) {
	for i := range lines {
		k.look(&lines[i], func(name, code, detail string) {
			if len(invalid) < rest.MaxFieldErrors {
				invalid = append(invalid, rest.FieldError{Pointer: "/lines/" + strconv.Itoa(i) + "/" + name, Code: code, Detail: detail})
			}
		})
	}
	return invalid
}

// readCSVRows reads a body as a table whose first line names columns: members of T. look
// receives each row with valid fields.
func readCSVRows[T any](c *rest.Call, most int, look func(row *T, report func(name, code, detail string))) ([]T, error) {
	rules, err := rest.RowOf(reflect.TypeFor[T](), values.Kinds())
	if err != nil {
		return nil, err
	}
	r := &payments.ListReader{Call: c, In: &rest.Source{Reader: bytes.NewReader(c.Body)}, Rules: rules}
	in := rest.NewCSV(r.In, len(rules.Columns()))
	columns, err := r.Header(in)
	if err != nil {
		return nil, err
	}
	var rows []T
	for {
		fields, err := in.Record()
		switch {
		case err == io.EOF && len(r.Invalid) > 0:
			return nil, &rest.Problem{Code: rest.CodeValidation, Errors: r.Invalid}
		case err == io.EOF:
			return rows, nil
		case err != nil:
			return nil, r.CSVProblem(err)
		case len(rows) == most:
			return nil, &rest.Problem{Code: rest.CodeTooLarge, Detail: fmt.Sprintf("A list has at most %d rows.", most)}
		}
		report := func(name, code, detail string) {
			if len(r.Invalid) < rest.MaxFieldErrors {
				r.Invalid = append(r.Invalid, rest.FieldError{Line: in.At, Column: name, Code: code, Detail: detail})
			}
		}
		rows = append(rows, *new(T))
		row, wrong := &rows[len(rows)-1], len(r.Invalid)
		for i, m := range columns {
			if bad := m.Set(reflect.ValueOf(row).Elem(), fields[i]); bad != nil {
				report(m.Name, bad.Code, bad.Detail)
			}
		}
		if len(r.Invalid) == wrong {
			look(row, report)
		}
	}
}

func (s API) listBankLines(c *rest.Call, q *bankLineFilter, _ *rest.None) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	page := serve.PageOf(q.Page)
	found, err := store.BankLines(ctx, s.Store, serve.Deref(q.Open), page)
	if err != nil {
		return rest.Answer{}, err
	}
	at := func(l store.BankLine) rest.Position { return rest.Position{CreatedAt: s.Zone.Start(l.Date), ID: l.ID} }
	return serve.Listed(c, q.Page, slices.Clone(found), at, resource.NewBankLine), nil
}

func (s API) assignBankLine(c *rest.Call, p *bankLineID, b *assignBody) (rest.Answer, error) {
	ctx, cancel := context.WithTimeout(c.Context(), serve.ReadTimeout)
	defer cancel()
	err := s.Store.AssignLine(ctx, p.ID, b.Owner, b.Note)
	if errors.Is(err, store.ErrRefused) {
		return rest.Answer{}, rest.NotFound()
	}
	return rest.Answer{}, err
}
