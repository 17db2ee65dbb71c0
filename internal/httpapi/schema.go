package httpapi

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/calendar"
	"tenor/internal/money"
)

// Limits where a tag says nothing else.
const (
	defaultMaxLength     = 255
	defaultMaxItems      = 1000
	defaultMaxProperties = 50
	defaultMaxKeyLength  = 40
)

type kind uint8

const (
	kindAny kind = iota + 1 // answers only
	kindString
	kindBool
	kindInt
	kindMoney
	kindRate
	kindDate
	kindInstant
	kindAsOf
	kindCompany     // integer or string; written as an integer
	kindCompanyText // integer or string; written as a string
	kindObject
	kindArray
	kindMap
)

type wrapping uint8

const (
	wrapNone    wrapping = iota
	wrapPointer          // *T: nil if absent or null
	wrapOpt              // Opt[T]
)

// rule is what the type and the struct tags of a member say. The decoder obeys
// it and the OpenAPI document prints it, so that they cannot differ.
//
// Tags: json, required, nullable, minimum, maximum (numbers and money),
// minLength, maxLength, pattern, enum (comma-separated), listed (the page that
// lists the enum, where it is too long for a sentence), caseless (the enum's words in
// lower case are taken too), format, prefix, multiline, minItems, maxItems, maxProperties, maxKeyLength, default, doc,
// example. On a list or map, the tags of a text hold for its elements. A type of
// text that is worded has its enum from the code.
type rule struct {
	kind     kind
	typ      reflect.Type // without its wrapping
	wrap     wrapping
	nullable bool

	low, high            int64 // kindInt: value; kindMoney: cents
	minLen, maxLen       int   // kindString: runes; kindMap: maxLen is that of a key
	minItems, maxItems   int   // kindArray; kindMap: members
	enum                 []string
	listed               string
	pattern              *regexp.Regexp
	format, prefix       string
	multiline            bool
	caseless             bool // a text of the enum may be in lower case
	doc, example, preset string

	elem     *rule
	members  []member
	byName   map[string]int
	template reflect.Value // the zero object with its defaults
}

type member struct {
	name     string
	index    []int
	required bool // a request must have it
	always   bool // an answer always has it
	rule     *rule
}

// worded is a type of text whose values are those that the code knows.
type worded interface{ words() []string }

// checker is a type whose members must agree with one another. Check runs when
// every member alone is right; it reports with the same fields as a FieldError.
type checker interface {
	Check(report func(name, code, detail string))
}

// compileRule reads a type with the tags of the field that holds it.
func compileRule(t reflect.Type, tag reflect.StructTag) (*rule, error) {
	return compiling{}.rule(t, tag)
}

// compiling holds the structs that are being read, outermost first: a type that
// contains itself has no finite depth and is refused.
type compiling []reflect.Type

func (c compiling) rule(t reflect.Type, tag reflect.StructTag) (*rule, error) {
	r := &rule{nullable: tag.Get("nullable") == "true", doc: tag.Get("doc"), example: tag.Get("example"),
		format: tag.Get("format"), prefix: tag.Get("prefix"), preset: tag.Get("default")}
	switch {
	case t.Kind() == reflect.Pointer:
		t, r.wrap, r.nullable = t.Elem(), wrapPointer, true
	case t.Implements(reflect.TypeFor[interface{ optional() }]()):
		t, r.wrap = t.Field(2).Type, wrapOpt
	}
	r.typ, r.kind = t, kindOf(t)
	if err := r.limits(tag); err != nil {
		return nil, err
	}
	var err error
	switch r.kind {
	case kindObject:
		err = c.object(r)
	case kindArray:
		r.elem, err = c.rule(t.Elem(), elementTag(tag))
	case kindMap:
		if t.Key().Kind() != reflect.String {
			return nil, fmt.Errorf("map with keys of %s", t.Key())
		}
		r.elem, err = c.rule(t.Elem(), elementTag(tag))
	case 0:
		err = fmt.Errorf("type %s is not supported", t)
	}
	if err != nil {
		return nil, err
	}
	return r, nil
}

func kindOf(t reflect.Type) kind {
	switch t {
	case reflect.TypeFor[money.Amount]():
		return kindMoney
	case reflect.TypeFor[money.Rate]():
		return kindRate
	case reflect.TypeFor[calendar.Date]():
		return kindDate
	case reflect.TypeFor[time.Time]():
		return kindInstant
	case reflect.TypeFor[AsOf]():
		return kindAsOf
	case reflect.TypeFor[CompanyID]():
		return kindCompany
	case reflect.TypeFor[CompanyIDText]():
		return kindCompanyText
	case reflect.TypeFor[jsontext.Value]():
		return kindAny
	}
	switch t.Kind() {
	case reflect.String:
		return kindString
	case reflect.Bool:
		return kindBool
	case reflect.Int, reflect.Int32, reflect.Int64:
		return kindInt
	case reflect.Struct:
		return kindObject
	case reflect.Slice:
		return kindArray
	case reflect.Map:
		return kindMap
	case reflect.Interface:
		return kindAny
	}
	return 0
}

// elementTag passes a list's tags for texts on to its elements.
func elementTag(tag reflect.StructTag) reflect.StructTag {
	var out []string
	for _, key := range []string{"minLength", "maxLength", "pattern", "enum", "listed", "format", "prefix", "minimum", "maximum", "multiline"} {
		if v, ok := tag.Lookup(key); ok {
			out = append(out, key+":"+strconv.Quote(v))
		}
	}
	return reflect.StructTag(strings.Join(out, " "))
}

// limits reads the tags that bound a value.
func (r *rule) limits(tag reflect.StructTag) error {
	var errs []error
	number := func(key string, preset int) int {
		text, ok := tag.Lookup(key)
		if !ok {
			return preset
		}
		n, err := strconv.Atoi(text)
		if err != nil {
			errs = append(errs, fmt.Errorf("tag %s: %w", key, err))
		}
		return n
	}
	switch r.kind {
	case kindString:
		r.minLen, r.maxLen = number("minLength", 0), number("maxLength", defaultMaxLength)
		r.multiline, r.listed = tag.Get("multiline") == "true", tag.Get("listed")
		r.caseless = tag.Get("caseless") == "true"
		if w, ok := reflect.Zero(r.typ).Interface().(worded); ok {
			r.enum = w.words()
		}
		if e := tag.Get("enum"); e != "" {
			r.enum = strings.Split(e, ",")
		}
		if r.prefix != "" {
			r.pattern = regexp.MustCompile("^" + regexp.QuoteMeta(r.prefix) + "[0-9A-Za-z]{1,64}$")
		}
		if p := tag.Get("pattern"); p != "" {
			re, err := regexp.Compile(p)
			if err != nil {
				return fmt.Errorf("tag pattern: %w", err)
			}
			r.pattern = re
		}
	case kindArray:
		r.minItems, r.maxItems = number("minItems", 0), number("maxItems", defaultMaxItems)
	case kindMap:
		r.maxItems, r.maxLen = number("maxProperties", defaultMaxProperties), number("maxKeyLength", defaultMaxKeyLength)
	case kindInt:
		bits := r.typ.Bits()
		r.low, r.high = int64(number("minimum", math.MinInt64>>(64-bits))), int64(number("maximum", math.MaxInt64>>(64-bits)))
	case kindMoney:
		r.high = int64(money.Max)
		if low, ok := tag.Lookup("minimum"); ok {
			digits, below := strings.CutPrefix(low, "-")
			a, err := money.Parse(digits)
			if err != nil {
				return fmt.Errorf("tag minimum: %w", err)
			}
			if r.low = int64(a); below {
				r.low = -r.low
			}
		}
	}
	if len(errs) > 0 {
		return errs[0]
	}
	return nil
}

// object reads the members of a struct. Embedded structs without a name give
// their members to the outer one.
func (c compiling) object(r *rule) error {
	if slices.Contains(c, r.typ) {
		return fmt.Errorf("type %s contains itself", r.typ)
	}
	c = append(slices.Clone(c), r.typ)
	r.byName = map[string]int{}
	if err := c.fields(r, r.typ, nil); err != nil {
		return fmt.Errorf("type %s: %w", r.typ, err)
	}
	r.template = reflect.New(r.typ).Elem()
	for i, m := range r.members {
		if _, ok := r.byName[m.name]; ok {
			return fmt.Errorf("type %s: member %s twice", r.typ, m.name)
		}
		r.byName[m.name] = i
		if m.rule.preset == "" {
			continue
		}
		if m.rule.wrap != wrapNone || m.required {
			return fmt.Errorf("type %s: member %s cannot have a default", r.typ, m.name)
		}
		if bad := m.rule.setText(r.template.FieldByIndex(m.index), m.rule.preset); bad != nil {
			return fmt.Errorf("type %s: default of member %s: %s", r.typ, m.name, bad.detail)
		}
	}
	return nil
}

func (c compiling) fields(r *rule, t reflect.Type, prefix []int) error {
	for i := range t.NumField() {
		f := t.Field(i)
		index := append(slices.Clone(prefix), i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct {
			if err := c.fields(r, f.Type, index); err != nil {
				return err
			}
			continue
		}
		if !f.IsExported() || name == "-" {
			continue
		}
		if name == "" {
			return fmt.Errorf("field %s has no json name", f.Name)
		}
		sub, err := c.rule(f.Type, f.Tag)
		if err != nil {
			return fmt.Errorf("member %s: %w", name, err)
		}
		r.members = append(r.members, member{name: name, index: index, rule: sub,
			required: f.Tag.Get("required") == "true", always: !strings.Contains(options, "omit")})
	}
	return nil
}
