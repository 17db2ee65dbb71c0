package httpapi

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/credit"
	"tenor/internal/money"
)

// reconciliationRow is one row of a merchant's list.
type reconciliationRow struct {
	MerchantOrderID string       `json:"merchant_order_id" required:"true" minLength:"1" maxLength:"100" doc:"The merchant's order number." example:"PO-10042"`
	Amount          money.Amount `json:"amount" required:"true" doc:"The order's amount; once captured, what was captured." example:"1200.00"`
	Status          string       `json:"status" required:"true" minLength:"1" maxLength:"20" doc:"CREATED, AUTHORIZED, CAPTURED, CANCELED or RETURNED, in upper or lower case." example:"captured"`
}

// Check asks for a status that an order can have.
func (r *reconciliationRow) Check(report func(name, code, detail string)) {
	if r.status() < 0 {
		report("/status", "not_in_enum", "The status is not one of CREATED, AUTHORIZED, CAPTURED, CANCELED, RETURNED.")
	}
}

// status is the index of the row's status, -1 if there is no such status.
func (r *reconciliationRow) status() int {
	return slices.Index(orderStatuses[:], credit.OrderStatus(strings.ToUpper(r.Status)))
}

// listReader reads a list from a body, row by row. What is malformed ends it; what
// breaks the schema is gathered, and then no more rows are kept.
type listReader struct {
	call    *Call
	in      *source
	rules   bodyRules
	list    *ownList
	read    int
	invalid []FieldError
}

// readList reads a call's body: CSV, or JSON.
func readList(c *Call) (*ownList, error) {
	rules, err := compileBody(reflect.TypeFor[reconciliationRow]())
	if err != nil {
		return nil, err
	}
	r := &listReader{call: c, in: &source{Reader: c.Stream}, rules: rules, list: newOwnList()}
	if c.ContentType == mediaCSV {
		err = r.readCSV()
	} else {
		err = r.readJSON()
	}
	switch {
	case err != nil:
		return nil, err
	case len(r.invalid) > 0:
		return nil, &Problem{Code: codeValidation, Errors: r.invalid, Detail: "Rows of the list break its schema; the errors are those of the first ones."}
	}
	return r.list, nil
}

// take keeps a row that was read, or what is wrong with it; name completes the place
// of what is wrong.
func (r *listReader) take(row *reconciliationRow, invalid []FieldError, name func(*FieldError)) error {
	if r.read++; r.read > maxListRows {
		return &Problem{Code: codeTooLarge, Detail: fmt.Sprintf("A list has at most %d rows.", maxListRows)}
	}
	for _, e := range invalid {
		if len(r.invalid) < maxFieldErrors {
			name(&e)
			r.invalid = append(r.invalid, e)
		}
	}
	if len(r.invalid) == 0 {
		r.list.add(row.MerchantOrderID, row.Amount, uint8(row.status()))
	}
	return nil
}

// readCSV reads a line of names, in any order, and then the rows.
func (r *listReader) readCSV() error {
	in := newCSVReader(r.in, len(r.rules.root.members))
	columns, err := r.header(in)
	if err != nil {
		return err
	}
	for {
		fields, err := in.record()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return r.csvProblem(err)
		}
		var row reconciliationRow
		err = r.take(&row, row.set(columns, fields), func(e *FieldError) {
			e.Line, e.Column = in.at, strings.TrimPrefix(e.Pointer, "/")
		})
		if err != nil {
			return err
		}
	}
}

// header reads the line of names. What stands there instead is not repeated: without
// a line of names it is somebody's order.
func (r *listReader) header(in *csvReader) ([]member, error) {
	names, err := in.record()
	var at *csvError
	switch {
	case err == io.EOF:
		return nil, malformedCSV(1, "empty", "The body is empty. "+r.wantedHeader())
	case errors.As(err, &at) && at.width:
		return nil, malformedCSV(at.line, "wrong_header", r.wantedHeader())
	case err != nil:
		return nil, r.csvProblem(err)
	}
	columns := make([]member, len(names))
	for i, name := range names {
		m, ok := r.rules.root.byName[name]
		if !ok || slices.Index(names, name) != i {
			return nil, malformedCSV(in.at, "wrong_header", r.wantedHeader())
		}
		columns[i] = r.rules.root.members[m]
	}
	return columns, nil
}

// wantedHeader says how the first line looks.
func (r *listReader) wantedHeader() string {
	var names []string
	for _, m := range r.rules.root.members {
		names = append(names, m.name)
	}
	return "The first line must name the columns: " + strings.Join(names, ",") + ", in any order."
}

// set fills a row and returns what is wrong with its fields.
func (r *reconciliationRow) set(columns []member, fields []string) (invalid []FieldError) {
	report := func(name, code, detail string) {
		invalid = append(invalid, FieldError{Pointer: name, Code: code, Detail: detail})
	}
	v := reflect.ValueOf(r).Elem()
	for i, m := range columns {
		if bad := m.rule.setText(v.FieldByIndex(m.index), fields[i]); bad != nil {
			report("/"+m.name, bad.code, bad.detail)
		}
	}
	if len(invalid) == 0 {
		r.Check(report)
	}
	return invalid
}

func malformedList(detail string) *Problem {
	return &Problem{Code: codeMalformed, Detail: detail, Errors: []FieldError{{Code: "syntax", Detail: detail}}}
}

func malformedCSV(line int, code, detail string) *Problem {
	return &Problem{Code: codeMalformedCSV, Detail: "Line " + strconv.Itoa(line) + ": " + detail, Errors: []FieldError{{Line: line, Code: code, Detail: detail}}}
}

func (r *listReader) csvProblem(err error) error {
	var at *csvError
	switch p := r.call.brokenStream(err); {
	case p != nil:
		return p
	case errors.As(err, &at):
		return malformedCSV(at.line, "syntax", at.detail)
	}
	return err
}

// readJSON reads one array of rows.
func (r *listReader) readJSON() error {
	small := &piecemeal{source: r.in}
	dec := jsontext.NewDecoder(small)
	first, err := dec.ReadToken()
	switch {
	case err != nil:
		return r.jsonProblem(err)
	case first.Kind() == 'n':
		return malformedList("The body is null.")
	case first.Kind() != '[':
		return &Problem{Code: codeValidation, Errors: []FieldError{{Code: "wrong_type", Detail: "The body is a list of rows."}}}
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
		return malformed(errTrailing)
	} else if err != io.EOF {
		return r.jsonProblem(err)
	}
	return nil
}

// element reads one row as a body of its own is read.
func (r *listReader) element(raw jsontext.Value) error {
	var row reconciliationRow
	at := r.read
	name := func(e *FieldError) { e.Pointer = clip("/" + strconv.Itoa(at) + e.Pointer) }
	if kind := raw.Kind(); kind != '{' {
		bad := r.rules.root.badType()
		if kind == 'n' {
			bad = badNull
		}
		return r.take(&row, []FieldError{{Code: bad.code, Detail: bad.detail}}, name)
	}
	p, invalid := r.rules.decode(raw, reflect.ValueOf(&row).Elem())
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

func (r *listReader) jsonProblem(err error) error {
	if p := r.call.brokenStream(err); p != nil {
		return p
	}
	if errors.Is(err, errLongRow) {
		return malformedList("Row " + strconv.Itoa(r.read+1) + ": The row has more than " + strconv.Itoa(maxJSONRow) + " bytes.")
	}
	if r.in.read == 0 {
		return malformedList("The body is empty.")
	}
	return malformed(err)
}

// maxJSONRow is the most bytes of a row with the space around it, about.
const maxJSONRow = 256 << 10

var errLongRow = errors.New("the row is too long")

// piecemeal ends a body in which one row is so long that it would fill the memory.
type piecemeal struct {
	*source
	from int64 // where the row begins
}

func (p *piecemeal) Read(b []byte) (int, error) {
	if p.read-p.from > maxJSONRow {
		return 0, errLongRow
	}
	return p.source.Read(b)
}
