package rest

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxFieldErrors bounds errors[] of one problem, so that a hostile body of a megabyte does
// not get a larger answer.
const MaxFieldErrors = 100

// Problem is an error reported to the caller (RFC 9457). Its code determines status and
// title. No part of it may contain a rejected value.
type Problem struct {
	Code       string
	Detail     string         // one sentence about this case; empty: the title is sufficient
	Errors     []FieldError   // every place in the request that is wrong
	Members    map[string]any // further members, such as from, to, available
	RetryAfter time.Duration  // above 0: sent as Retry-After in whole seconds, rounded up

	allow string // the Allow header of a 405
}

// FieldError is one wrong place in a request. Pointer (RFC 6901) is used for JSON bodies,
// Line and Column for CSV bodies, Parameter for query parameters and headers.
type FieldError struct {
	Pointer   string
	Parameter string
	Line      int    // from 1
	Column    string // empty: the whole line
	Code      string
	Detail    string
}

// ProblemBody is a problem on the wire. It exists for the document; the layer writes it
// with the further members between request_id and errors.
type ProblemBody struct {
	Type      string           `json:"type" format:"uri" maxLength:"500" doc:"URL of the page that explains the code." example:"https://api.example.com/docs/errors/not_found"`
	Title     string           `json:"title" doc:"The same sentence for every problem with this code." example:"There is no such resource."`
	Status    int              `json:"status" minimum:"400" maximum:"599" doc:"The HTTP status." example:"404"`
	Detail    string           `json:"detail" maxLength:"1000" doc:"What is wrong in this case. Never contains a rejected value." example:"There is no such resource."`
	Instance  string           `json:"instance" format:"uri-reference" doc:"URI of this occurrence." example:"/v1/requests/req_01JQZ5S3V8N4T6W2X9Y0A1B2C3"`
	Code      string           `json:"code" doc:"Stable error code." example:"not_found"`
	RequestID string           `json:"request_id" maxLength:"128" doc:"The X-Request-Id of the answer." example:"req_01JQZ5S3V8N4T6W2X9Y0A1B2C3"`
	Errors    []FieldErrorBody `json:"errors,omitempty" maxItems:"100" doc:"All errors in the request, at most 100."`
}

// FieldErrorBody is a FieldError on the wire.
type FieldErrorBody struct {
	Pointer   string `json:"pointer,omitempty" maxLength:"1000" doc:"JSON Pointer into the request body." example:"/amount"`
	Parameter string `json:"parameter,omitempty" doc:"Name of the query parameter or header, instead of a pointer."`
	Line      int    `json:"line,omitempty" minimum:"1" doc:"In a CSV body, instead of a pointer: line number, from 1."`
	Column    string `json:"column,omitempty" doc:"In a CSV body: column name. Absent: the whole line."`
	Code      string `json:"code" doc:"Error code." example:"required"`
	Detail    string `json:"detail" maxLength:"1000" doc:"Error message." example:"The member is missing."`
}

// NewProblem returns a problem with one of the contract's codes.
func NewProblem(code, detail string) *Problem { return &Problem{Code: code, Detail: detail} }

// NotFound is the same answer for what does not exist and for what belongs to somebody
// else.
func NotFound() *Problem { return &Problem{Code: CodeNotFound} }

// Internal is all that a caller learns about an unexpected fault.
func Internal() *Problem { return &Problem{Code: CodeInternal} }

// Unavailable is a 503: overloaded, read_only or outcome_unknown.
func Unavailable(code string, retryAfter time.Duration) *Problem {
	return &Problem{Code: code, RetryAfter: max(retryAfter, time.Second)}
}

// InvalidParameter is a 400 about one query parameter, for checks that need more than the
// request, such as an as_of in the future.
func InvalidParameter(name, detail string) *Problem {
	return &Problem{Code: CodeInvalidParameter, Detail: detail,
		Errors: []FieldError{{Parameter: name, Code: "invalid", Detail: detail}}}
}

// Invalid is a 422 by schema about one member of the body, for checks that need more than
// the body.
func Invalid(pointer, code, detail string) *Problem {
	return &Problem{Code: CodeValidation, Detail: detail,
		Errors: []FieldError{{Pointer: pointer, Code: code, Detail: detail}}}
}

func invalidHeader(name, detail string) *Problem {
	return &Problem{Code: CodeInvalidHeader, Detail: "The header " + name + " " + detail,
		Errors: []FieldError{{Parameter: name, Code: "invalid", Detail: "The header " + detail}}}
}

// Error makes a Problem an error.
func (p *Problem) Error() string { return p.Code + ": " + p.Detail }

// codeOf is the code of the problem in an error.
func codeOf(err error) string {
	var p *Problem
	if errors.As(err, &p) {
		return p.Code
	}
	return CodeInternal
}

// encode encodes a problem as application/problem+json, with members in a fixed order. base
// is the public URL without a trailing slash.
func (c *Contract) encode(p *Problem, base, requestID string) []byte {
	code := c.code(p.Code)
	detail := p.Detail
	if detail == "" || code.Name == CodeInternal {
		detail = code.Title
	}
	var out bytes.Buffer
	enc := jsontext.NewEncoder(&out, jsontext.PreserveRawStrings(true))
	text := func(name, value string) {
		write(enc, jsontext.String(name))
		if err := enc.WriteValue(inert(value)); err != nil {
			panic("rest: encode problem: " + err.Error())
		}
	}
	write(enc, jsontext.BeginObject)
	text("type", base+c.ErrorPages+code.Name)
	text("title", code.Title)
	write(enc, jsontext.String("status"))
	write(enc, jsontext.Int(int64(code.Status)))
	text("detail", detail)
	text("instance", c.RequestPages+requestID)
	text("code", code.Name)
	text("request_id", requestID)
	for _, name := range slices.Sorted(maps.Keys(p.Members)) {
		write(enc, jsontext.String(name))
		if err := json.MarshalEncode(enc, p.Members[name], encodeOptions()); err != nil {
			panic("rest: problem member " + name + ": " + err.Error())
		}
	}
	if len(p.Errors) > 0 && code.Name != CodeInternal {
		writeFieldErrors(enc, text, p.Errors)
	}
	write(enc, jsontext.EndObject)
	return bytes.TrimSuffix(out.Bytes(), []byte("\n"))
}

// inert encodes a text as a JSON string that is harmless wherever it is displayed raw: a
// pointer and a parameter contain names from the request. Terminal control characters,
// invisible characters and HTML markup are escaped.
func inert(text string) jsontext.Value {
	b := []byte{'"'}
	for _, r := range text { // invalid UTF-8 arrives as U+FFFD
		switch {
		case r == '"' || r == '\\':
			b = append(b, '\\', byte(r))
		case r == '<' || r == '>' || r == '&' || !visible(r):
			for _, half := range utf16.AppendRune(nil, r) {
				b = fmt.Appendf(b, `\u%04x`, half)
			}
		default:
			b = utf8.AppendRune(b, r)
		}
	}
	return append(b, '"')
}

func writeFieldErrors(enc *jsontext.Encoder, text func(name, value string), errs []FieldError) {
	write(enc, jsontext.String("errors"))
	write(enc, jsontext.BeginArray)
	for _, e := range errs[:min(len(errs), MaxFieldErrors)] {
		write(enc, jsontext.BeginObject)
		switch {
		case e.Parameter != "":
			text("parameter", e.Parameter)
		case e.Line > 0:
			write(enc, jsontext.String("line"))
			write(enc, jsontext.Int(int64(e.Line)))
			if e.Column != "" {
				text("column", e.Column)
			}
		default:
			text("pointer", e.Pointer)
		}
		text("code", e.Code)
		text("detail", e.Detail)
		write(enc, jsontext.EndObject)
	}
	write(enc, jsontext.EndArray)
}

// write cannot fail: the tokens are well-formed and the target is memory. A name that is
// written twice is a bug.
func write(enc *jsontext.Encoder, t jsontext.Token) {
	if err := enc.WriteToken(t); err != nil {
		panic("rest: encode problem: " + err.Error())
	}
}
