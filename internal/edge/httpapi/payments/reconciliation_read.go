package payments

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

// reconciliationRow is one row of a merchant's list.
type reconciliationRow struct {
	MerchantOrderID string       `json:"merchant_order_id" required:"true" minLength:"1" maxLength:"100" doc:"The merchant's order number." example:"PO-10042"`
	Amount          money.Amount `json:"amount" required:"true" doc:"Amount of the order; the captured amount once captured." example:"1200.00"`
	Status          string       `json:"status" required:"true" minLength:"1" maxLength:"20" doc:"CREATED, AUTHORIZED, CAPTURED, CANCELED or RETURNED, in any case." example:"captured"`
}

// Check requires a status that an order can have.
func (r *reconciliationRow) Check(report func(name, code, detail string)) {
	if r.status() < 0 {
		report("/status", "not_in_enum", "The status is not one of CREATED, AUTHORIZED, CAPTURED, CANCELED, RETURNED.")
	}
}

// status is the index of the row's status, -1 if there is no such status.
func (r *reconciliationRow) status() int {
	return slices.Index(orderStatuses[:], credit.OrderStatus(strings.ToUpper(r.Status)))
}

// ListReader reads a list from a body, row by row. Malformed input ends it; schema
// violations are collected, and then no more rows are kept.
type ListReader struct {
	Call    *rest.Call
	In      *rest.Source
	Rules   rest.Row
	list    *ownList
	read    int
	Invalid []rest.FieldError
}

// readList reads a call's body: CSV, or JSON.
func readList(c *rest.Call) (*ownList, error) {
	rules, err := rest.RowOf(reflect.TypeFor[reconciliationRow](), values.Kinds())
	if err != nil {
		return nil, err
	}
	r := &ListReader{Call: c, In: &rest.Source{Reader: c.Stream}, Rules: rules, list: newOwnList()}
	if c.ContentType == rest.MediaCSV {
		err = r.readCSV()
	} else {
		err = r.readJSON()
	}
	switch {
	case err != nil:
		return nil, err
	case len(r.Invalid) > 0:
		return nil, &rest.Problem{Code: rest.CodeValidation, Errors: r.Invalid, Detail: "Some rows are invalid; the first errors are listed."}
	}
	return r.list, nil
}

// take keeps a row that was read, or its violations; name completes their positions.
func (r *ListReader) take(row *reconciliationRow, invalid []rest.FieldError, name func(*rest.FieldError)) error {
	if r.read++; r.read > maxListRows {
		return &rest.Problem{Code: rest.CodeTooLarge, Detail: fmt.Sprintf("A list has at most %d rows.", maxListRows)}
	}
	for _, e := range invalid {
		if len(r.Invalid) < rest.MaxFieldErrors {
			name(&e)
			r.Invalid = append(r.Invalid, e)
		}
	}
	if len(r.Invalid) == 0 {
		r.list.add(row.MerchantOrderID, row.Amount, uint8(row.status()))
	}
	return nil
}

// readCSV reads a line of names, in any order, and then the rows.
func (r *ListReader) readCSV() error {
	in := rest.NewCSV(r.In, len(r.Rules.Columns()))
	columns, err := r.Header(in)
	if err != nil {
		return err
	}
	for {
		fields, err := in.Record()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return r.CSVProblem(err)
		}
		var row reconciliationRow
		err = r.take(&row, row.set(columns, fields), func(e *rest.FieldError) {
			e.Line, e.Column = in.At, strings.TrimPrefix(e.Pointer, "/")
		})
		if err != nil {
			return err
		}
	}
}

// Header reads the line of names. Other content is not echoed: without a line of names it
// is somebody's order.
func (r *ListReader) Header(in *rest.CSV) ([]rest.Column, error) {
	names, err := in.Record()
	var at *rest.CSVError
	switch {
	case err == io.EOF:
		return nil, malformedCSV(1, "empty", "The body is empty. "+r.wantedHeader())
	case errors.As(err, &at) && at.Width:
		return nil, malformedCSV(at.Line, "wrong_header", r.wantedHeader())
	case err != nil:
		return nil, r.CSVProblem(err)
	}
	all, columns := r.Rules.Columns(), make([]rest.Column, len(names))
	for i, name := range names {
		k := slices.IndexFunc(all, func(c rest.Column) bool { return c.Name == name })
		if k < 0 || slices.Index(names, name) != i {
			return nil, malformedCSV(in.At, "wrong_header", r.wantedHeader())
		}
		columns[i] = all[k]
	}
	return columns, nil
}

// wantedHeader describes the first line.
func (r *ListReader) wantedHeader() string {
	var names []string
	for _, m := range r.Rules.Columns() {
		names = append(names, m.Name)
	}
	return "The first line must name the columns: " + strings.Join(names, ",") + ", in any order."
}

// set fills a row and returns what is wrong with its fields.
func (r *reconciliationRow) set(columns []rest.Column, fields []string) (invalid []rest.FieldError) {
	report := func(name, code, detail string) {
		invalid = append(invalid, rest.FieldError{Pointer: name, Code: code, Detail: detail})
	}
	v := reflect.ValueOf(r).Elem()
	for i, m := range columns {
		if bad := m.Set(v, fields[i]); bad != nil {
			report("/"+m.Name, bad.Code, bad.Detail)
		}
	}
	if len(invalid) == 0 {
		r.Check(report)
	}
	return invalid
}

func malformedList(detail string) *rest.Problem {
	return &rest.Problem{Code: rest.CodeMalformed, Detail: detail, Errors: []rest.FieldError{{Code: "syntax", Detail: detail}}}
}

func malformedCSV(line int, code, detail string) *rest.Problem {
	return &rest.Problem{Code: rest.CodeMalformedCSV, Detail: "Line " + strconv.Itoa(line) + ": " + detail, Errors: []rest.FieldError{{Line: line, Code: code, Detail: detail}}}
}

// CSVProblem is the problem for a file that the CSV reader refuses.
func (r *ListReader) CSVProblem(err error) error {
	var at *rest.CSVError
	switch p := r.Call.BrokenStream(err); {
	case p != nil:
		return p
	case errors.As(err, &at):
		return malformedCSV(at.Line, "syntax", at.Detail)
	}
	return err
}

// readJSON reads one array of rows.
func (r *ListReader) readJSON() error {
	small := &piecemeal{Source: r.In}
	dec := jsontext.NewDecoder(small)
	first, err := dec.ReadToken()
	switch {
	case err != nil:
		return r.jsonProblem(err)
	case first.Kind() == 'n':
		return malformedList("The body is null.")
	case first.Kind() != '[':
		return &rest.Problem{Code: rest.CodeValidation, Errors: []rest.FieldError{{Code: "wrong_type", Detail: "The body must be an array of rows."}}}
	}
	for dec.PeekKind() != ']' {
		small.from = dec.InputOffset()
		raw, err := dec.ReadValue()
		if err != nil {
			return r.jsonProblem(err)
		}
		if err := r.element(raw); err != nil {
			return err
		}
	}
	if _, err := dec.ReadToken(); err != nil {
		return r.jsonProblem(err)
	}
	small.from = dec.InputOffset()
	if _, err := dec.ReadToken(); err == nil {
		return rest.Malformed(rest.ErrTrailing)
	} else if err != io.EOF {
		return r.jsonProblem(err)
	}
	return nil
}

// element reads one row as if it were a body of its own.
func (r *ListReader) element(raw jsontext.Value) error {
	var row reconciliationRow
	at := r.read
	name := func(e *rest.FieldError) { e.Pointer = rest.Clip("/" + strconv.Itoa(at) + e.Pointer) }
	p, invalid := r.Rules.Decode(raw, reflect.ValueOf(&row).Elem())
	if p == nil {
		return r.take(&row, invalid, name)
	}
	for i := range p.Errors {
		name(&p.Errors[i])
	}
	if p.Detail != "" {
		p.Detail = "Row " + strconv.Itoa(r.read+1) + ": " + p.Detail
	}
	return p
}

func (r *ListReader) jsonProblem(err error) error {
	if p := r.Call.BrokenStream(err); p != nil {
		return p
	}
	if errors.Is(err, errLongRow) {
		return malformedList("Row " + strconv.Itoa(r.read+1) + ": The row has more than " + strconv.Itoa(maxJSONRow) + " bytes.")
	}
	if r.In.Count == 0 {
		return malformedList("The body is empty.")
	}
	return rest.Malformed(err)
}

// maxJSONRow is the approximate maximum size of a row with the space around it, in bytes.
const maxJSONRow = 256 << 10

var errLongRow = errors.New("the row is too long")

// piecemeal stops at a row so long that it would fill memory.
type piecemeal struct {
	*rest.Source
	from int64 // where the row begins
}

func (p *piecemeal) Read(b []byte) (int, error) {
	if p.Count-p.from > maxJSONRow {
		return 0, errLongRow
	}
	return p.Source.Read(b)
}
