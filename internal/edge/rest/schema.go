package rest

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/edge/rest/value"
)

// Default limits.
const (
	defaultMaxLength     = 255
	defaultMaxItems      = 1000
	defaultMaxProperties = 50
	defaultMaxKeyLength  = 40
)

type kind uint8

const (
	kindAny kind = iota + 1 // only in answers
	kindString
	kindBool
	kindInt
	kindInstant
	kindValue // one of the API's own: rule.value
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

// rule is compiled from the type and the struct tags of a member. The decoder obeys it and
// the OpenAPI document prints it, so that they cannot differ.
//
// Tags: json, required, nullable, minimum, maximum (numbers; for the API's own values
// defined by their kind), minLength, maxLength, pattern, enum (comma-separated), listed
// (the page that lists the enum, if it is too long for a sentence), caseless (the enum's
// words are also accepted in lower case), format, prefix, multiline, minItems, maxItems,
// maxProperties, maxKeyLength, default, doc, example. On a list or map, the tags of a text
// apply to its elements. A type of text that has Words takes its enum from the code.
type rule struct {
	kind     kind
	typ      reflect.Type // without its wrapping
	wrap     wrapping
	nullable bool

	value                *value.Kind  // kindValue
	bounds               value.Bounds // kindInt, kindValue
	minLen, maxLen       int          // kindString: runes; kindMap: maxLen is that of a key
	minItems, maxItems   int          // kindArray; kindMap: members
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
	undrawn  bool // a dry run may not have it yet
	rule     *rule
}

// Worded is a type of text whose values are defined in code.
type Worded interface{ Words() []string }

// Checker is a type with rules across members. Check runs when every member by itself is
// valid; it reports with the fields of a FieldError.
type Checker interface {
	Check(report func(name, code, detail string))
}

// types is what an API knows about its types beyond their tags.
type types struct {
	kinds   map[reflect.Type]*value.Kind
	undrawn []string // members whose texts a dry run may not have yet
	known   *known
}

// known caches the parsed structs and patterns: many operations share them.
type known struct {
	mu       sync.Mutex
	shapes   map[reflect.Type]shape
	patterns map[string]*regexp.Regexp
}

// shape is a struct independent of where it is used.
type shape struct {
	members  []member
	byName   map[string]int
	template reflect.Value
}

func (k *known) shape(t reflect.Type) (shape, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	s, ok := k.shapes[t]
	return s, ok
}

func (k *known) learn(t reflect.Type, s shape) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.shapes[t] = s
}

func (k *known) pattern(text string) (*regexp.Regexp, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if re := k.patterns[text]; re != nil {
		return re, nil
	}
	re, err := regexp.Compile(text)
	if err == nil {
		k.patterns[text] = re
	}
	return re, err
}

func newTypes(kinds []value.Kind, undrawn []string) types {
	t := types{map[reflect.Type]*value.Kind{}, undrawn, &known{shapes: map[reflect.Type]shape{}, patterns: map[string]*regexp.Regexp{}}}
	for _, k := range kinds {
		t.kinds[k.Type] = &k
	}
	return t
}

// rule compiles a type with the tags of its field.
func (t types) rule(of reflect.Type, tag reflect.StructTag) (*rule, error) {
	return compiling{types: t}.rule(of, tag)
}

// compiling has the structs being compiled, outermost first: a type that contains itself
// has no finite depth and is refused.
type compiling struct {
	types
	within []reflect.Type
}

func (c compiling) rule(t reflect.Type, tag reflect.StructTag) (*rule, error) {
	r := &rule{nullable: tag.Get("nullable") == "true", doc: tag.Get("doc"), example: tag.Get("example"),
		format: tag.Get("format"), prefix: tag.Get("prefix"), preset: tag.Get("default")}
	switch {
	case t.Kind() == reflect.Pointer:
		t, r.wrap, r.nullable = t.Elem(), wrapPointer, true
	case t.Implements(reflect.TypeFor[interface{ optional() }]()):
		t, r.wrap = t.Field(2).Type, wrapOpt
	}
	r.typ = t
	if r.value = c.kinds[t]; r.value != nil {
		r.kind = kindValue
	} else {
		r.kind = kindOf(t)
	}
	if err := r.limits(tag, c.known); err != nil {
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
	case reflect.TypeFor[time.Time]():
		return kindInstant
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

// limits parses the tags that bound a value.
func (r *rule) limits(tag reflect.StructTag, known *known) error {
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
		if w, ok := reflect.Zero(r.typ).Interface().(Worded); ok {
			r.enum = w.Words()
		}
		if e := tag.Get("enum"); e != "" {
			r.enum = strings.Split(e, ",")
		}
		p := tag.Get("pattern")
		if p == "" && r.prefix != "" {
			p = "^" + regexp.QuoteMeta(r.prefix) + "[0-9A-Za-z]{1,64}$"
		}
		if p != "" {
			re, err := known.pattern(p)
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
		r.bounds = value.Bounds{Low: int64(number("minimum", math.MinInt64>>(64-bits))), High: int64(number("maximum", math.MaxInt64>>(64-bits)))}
	case kindValue:
		if r.value.Bounds == nil {
			break
		}
		b, err := r.value.Bounds(tag)
		if err != nil {
			return err
		}
		r.bounds = b
	}
	if len(errs) > 0 {
		return errs[0]
	}
	return nil
}

// object compiles the members of a struct. Embedded structs without a name add their
// members to the outer one.
func (c compiling) object(r *rule) error {
	if slices.Contains(c.within, r.typ) {
		return fmt.Errorf("type %s contains itself", r.typ)
	}
	if s, ok := c.known.shape(r.typ); ok {
		r.members, r.byName, r.template = s.members, s.byName, s.template
		return nil
	}
	c.within = append(slices.Clone(c.within), r.typ)
	r.byName = map[string]int{}
	if err := c.fields(r, r.typ, nil); err != nil {
		return fmt.Errorf("type %s: %w", r.typ, err)
	}
	r.template = reflect.New(r.typ).Elem()
	for i, m := range r.members {
		if _, ok := r.byName[m.name]; ok {
			return fmt.Errorf("type %s: duplicate member %s", r.typ, m.name)
		}
		r.byName[m.name] = i
		if m.rule.preset == "" {
			continue
		}
		if m.rule.wrap != wrapNone || m.required {
			return fmt.Errorf("type %s: member %s cannot have a default", r.typ, m.name)
		}
		if bad := m.rule.setText(r.template.FieldByIndex(m.index), m.rule.preset); bad != nil {
			return fmt.Errorf("type %s: default of member %s: %s", r.typ, m.name, bad.Detail)
		}
	}
	c.known.learn(r.typ, shape{r.members, r.byName, r.template})
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
			required: f.Tag.Get("required") == "true", always: !strings.Contains(options, "omit"),
			undrawn: sub.kind == kindInstant || sub.kind == kindString && slices.Contains(c.undrawn, name)})
	}
	return nil
}
