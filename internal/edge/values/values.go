// Package values defines Tenor's own types in its API: amounts, rates, dates, company
// identifiers, and the instants of reads of the past. Kinds is what the HTTP layer (package
// rest) needs to know about them.
package values

import (
	"reflect"
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/edge/rest/value"
)

// CompanyID is a company's identifier: ten digits, in JSON a string (as in the
// Company) or an integer (as in the Order). It is written as an integer; a
// Company's own id uses CompanyIDText.
type CompanyID int64

// String formats the ten digits.
func (id CompanyID) String() string { return strconv.FormatInt(int64(id), 10) }

// CompanyIDText is a CompanyID that is written as a JSON string.
type CompanyIDText int64

// MarshalJSON writes the ten digits as a JSON string.
func (id CompanyIDText) MarshalJSON() ([]byte, error) {
	return []byte(`"` + strconv.FormatInt(int64(id), 10) + `"`), nil
}

// AsOf is the value of an as_of parameter: a past instant, or a past business date, meaning
// its end. The handler checks that it is in the past.
type AsOf struct {
	Instant time.Time     // zero if a date was given
	Date    calendar.Date // calendar.None if an instant was given
}

// Kinds returns all of them.
func Kinds() []value.Kind {
	return []value.Kind{amounts(), rates(), dates(), asOfs(), companies(), companyTexts()}
}

func dates() value.Kind {
	schema := func(value.Bounds) value.Schema { return text(value.Keyword{Name: "format", Value: "date"}) }
	return value.Kind{Type: reflect.TypeFor[calendar.Date](), Set: setDate, In: schema, Out: schema, Sample: "2026-03-02", ZeroIsValue: true}
}

func setDate(v reflect.Value, text string, _ value.Bounds) *value.Violation {
	d, err := calendar.Parse(text)
	if err != nil {
		return &value.Violation{Code: "wrong_format", Detail: "The value is not a date of the form YYYY-MM-DD from 1970 to 2999."}
	}
	v.SetInt(int64(d))
	return nil
}

func asOfs() value.Kind {
	schema := func(value.Bounds) value.Schema { return text() }
	return value.Kind{Type: reflect.TypeFor[AsOf](), Set: func(v reflect.Value, text string, _ value.Bounds) *value.Violation {
		at, bad := parseAsOf(text)
		if bad == nil {
			v.Set(reflect.ValueOf(at))
		}
		return bad
	}, In: schema, Out: schema, Sample: "2026-03-02", ZeroIsValue: true, ParametersOnly: true}
}

func parseAsOf(text string) (AsOf, *value.Violation) {
	bad := func() *value.Violation {
		return &value.Violation{Code: "wrong_format", Detail: "The value is neither a date (YYYY-MM-DD) nor an instant of RFC 3339 with a zone."}
	}
	if len(text) == len("2006-01-02") {
		d, err := calendar.Parse(text)
		if err != nil {
			return AsOf{}, bad()
		}
		return AsOf{Date: d}, nil
	}
	t, wrong := value.Instant(text)
	if wrong != nil {
		return AsOf{}, bad()
	}
	return AsOf{Instant: t, Date: calendar.None}, nil
}

func companies() value.Kind {
	return value.Kind{
		Type: reflect.TypeFor[CompanyID](), Words: companyWords, Numbers: true, Set: setCompany,
		In: companyIn, URL: companyText, Out: func(value.Bounds) value.Schema {
			return value.Schema{Types: []string{"integer"}, Keywords: tenDigits()}
		},
		Sample: "4821073356", Numeric: true, Guessable: true,
	}
}

func companyTexts() value.Kind {
	return value.Kind{
		Type: reflect.TypeFor[CompanyIDText](), Words: companyWords, Numbers: true, Set: setCompany,
		In: companyIn, Out: companyText, URL: companyText, Sample: "4821073356",
	}
}

const (
	companyWords   = "ten digits, as a number or a string"
	companyPattern = "^[1-9][0-9]{9}$"
)

func companyIn(value.Bounds) value.Schema {
	return value.Schema{Types: []string{"integer", "string"}, Keywords: append(tenDigits(), value.Keyword{Name: "pattern", Value: companyPattern})}
}

func tenDigits() []value.Keyword {
	return []value.Keyword{{Name: "format", Value: "int64"}, {Name: "minimum", Value: 1_000_000_000}, {Name: "maximum", Value: 9_999_999_999}}
}

func companyText(value.Bounds) value.Schema {
	return text(value.Keyword{Name: "pattern", Value: companyPattern})
}

func setCompany(v reflect.Value, text string, _ value.Bounds) *value.Violation {
	n, bad := parseCompany(text)
	if bad == nil {
		v.SetInt(n)
	}
	return bad
}

func parseCompany(text string) (int64, *value.Violation) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && len(text) == 10 && '1' <= text[0] && text[0] <= '9' {
		return n, nil
	}
	return 0, &value.Violation{Code: "wrong_format", Detail: "A company identifier must have ten digits."}
}

// text is the schema of a string.
func text(more ...value.Keyword) value.Schema {
	return value.Schema{Types: []string{"string"}, Keywords: more}
}
