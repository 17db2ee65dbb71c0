package resource

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// writer appends one value of the type that it was compiled for. The value is addressable.
type writer func(b []byte, v reflect.Value) []byte

// writers has the writer of every type that is encoded often. An event and a stored answer
// are encoded with every write, and a general encoder takes four times as long; a test
// compares the bytes of both.
var writers = compileAll(
	Order{}, Company{}, Payment{}, Invoice{}, Schedule{}, Payoff{}, Entry{}, Merchant{}, Program{},
	List[Order]{}, List[Company]{}, List[Payment]{}, List[Invoice]{}, List[Entry]{}, List[Merchant]{}, List[Program]{}, List[jsontext.Value]{},
	Event[Order]{}, Event[Company]{}, Event[Payment]{}, Event[Invoice]{}, Event[Schedule]{}, Event[InstallmentNotice]{},
	Event[Clawback]{}, Event[Payout]{}, Event[Webhook]{}, AnyEvent{},
	PaymentMethod{}, Payout{}, PayoutDetail{}, Transfer{}, Notice{}, Period{}, BankLine{}, TrialBalance{}, Statement{},
	List[PaymentMethod]{}, List[Payout]{}, List[Transfer]{}, List[Notice]{}, List[Period]{}, List[BankLine]{}, List[StatementMonth]{},
	Explanation{}, Webhook{}, Resend{}, Delivery{}, APIClient{}, List[Webhook]{}, List[Delivery]{}, List[APIClient]{},
	DryRun[Order]{}, DryRun[Payment]{},
)

// options fix the bytes: members of maps in name order, no escaping for HTML. Texts are
// checked on input; an invalid one that is in the books anyway must not keep an event from
// being written, so it is repaired, not refused.
var options = json.JoinOptions(
	json.Deterministic(true),
	jsontext.AllowInvalidUTF8(true),
)

// usualSize is enough for most resources, so that the buffer grows at most once.
const usualSize = 2048

// Encode encodes a resource or a list of them: pass a pointer to save a copy. It also
// accepts any other value made of the types of this package.
func Encode(resource any) ([]byte, error) {
	if b, ok := EncodeResource(resource); ok {
		return b, nil
	}
	b, err := json.Marshal(resource, options)
	if err != nil {
		return nil, fmt.Errorf("encode %T: %w", resource, err)
	}
	return b, nil
}

// EncodeResource is Encode for resources and lists of them only; it is false for what needs
// a general encoder.
func EncodeResource(resource any) ([]byte, bool) {
	v := reflect.ValueOf(resource)
	if v.Kind() == reflect.Pointer && !v.IsNil() {
		v = v.Elem()
	}
	if !v.IsValid() {
		return nil, false
	}
	write, ok := writers[v.Type()]
	if !ok {
		return nil, false
	}
	if !v.CanAddr() {
		addressable := reflect.New(v.Type()).Elem()
		addressable.Set(v)
		v = addressable
	}
	return write(make([]byte, 0, usualSize), v), true
}

func compileAll(roots ...any) map[reflect.Type]writer {
	all := map[reflect.Type]writer{}
	for _, r := range roots {
		all[reflect.TypeOf(r)] = compile(reflect.TypeOf(r))
	}
	return all
}

// compile returns the writer of a type. It panics on a kind that no resource has, which
// only a change of the structs can introduce.
func compile(t reflect.Type) writer {
	switch t {
	case reflect.TypeFor[money.Amount]():
		return func(b []byte, v reflect.Value) []byte { return money.Amount(v.Int()).Append(b) }
	case reflect.TypeFor[money.Rate]():
		return func(b []byte, v reflect.Value) []byte { return quote(b, money.Rate(v.Int()).String()) }
	case reflect.TypeFor[calendar.Date]():
		return func(b []byte, v reflect.Value) []byte { return appendDate(b, calendar.Date(v.Int())) }
	case reflect.TypeFor[time.Time]():
		return writeInstant
	case reflect.TypeFor[map[string]string]():
		return writeTexts
	case reflect.TypeFor[jsontext.Value]():
		return writeRaw
	}
	switch t.Kind() {
	case reflect.String:
		return func(b []byte, v reflect.Value) []byte { return quote(b, v.String()) }
	case reflect.Bool:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendBool(b, v.Bool()) }
	case reflect.Int, reflect.Int64:
		return func(b []byte, v reflect.Value) []byte { return strconv.AppendInt(b, v.Int(), 10) }
	case reflect.Pointer:
		return compilePointer(t)
	case reflect.Struct:
		return compileStruct(t)
	case reflect.Slice:
		return compileSlice(t)
	case reflect.Map:
		return compileMap(t)
	}
	panic("resource: no encoding for type " + t.String())
}

func compilePointer(t reflect.Type) writer {
	write := compile(t.Elem())
	return func(b []byte, v reflect.Value) []byte {
		if v.IsNil() {
			return append(b, "null"...)
		}
		return write(b, v.Elem())
	}
}

// field is one member of a struct.
type field struct {
	index    []int
	prefix   string // comma, name and colon
	write    writer
	omitZero bool
}

func compileStruct(t reflect.Type) writer {
	fields := fieldsOf(t, nil)
	return func(b []byte, v reflect.Value) []byte {
		start := len(b)
		for i := range fields {
			f := &fields[i]
			m := v.Field(f.index[0])
			for _, n := range f.index[1:] {
				m = m.Field(n)
			}
			if f.omitZero && m.IsZero() {
				continue
			}
			b = f.write(append(b, f.prefix...), m)
		}
		if len(b) == start {
			return append(b, "{}"...)
		}
		b[start] = '{' // in place of the first comma
		return append(b, '}')
	}
}

// fieldsOf lists the members of a struct; an embedded struct contributes its own.
func fieldsOf(t reflect.Type, outer []int) []field {
	var fields []field
	for f := range t.Fields() {
		index := append(slices.Clone(outer), f.Index...)
		name, option, _ := strings.Cut(f.Tag.Get("json"), ",")
		if f.Anonymous && name == "" {
			fields = append(fields, fieldsOf(f.Type, index)...)
			continue
		}
		fields = append(fields, field{index, `,"` + name + `":`, compile(f.Type), option == "omitzero"})
	}
	return fields
}

func compileSlice(t reflect.Type) writer {
	write := compile(t.Elem())
	return func(b []byte, v reflect.Value) []byte {
		b = append(b, '[')
		for i := range v.Len() {
			if i > 0 {
				b = append(b, ',')
			}
			b = write(b, v.Index(i))
		}
		return append(b, ']')
	}
}

// compileMap handles maps from text; the members are written in name order.
func compileMap(t reflect.Type) writer {
	write := compile(t.Elem())
	return func(b []byte, v reflect.Value) []byte {
		keys := v.MapKeys()
		slices.SortFunc(keys, func(x, y reflect.Value) int { return cmp.Compare(x.String(), y.String()) })
		b = append(b, '{')
		for i, k := range keys {
			if i > 0 {
				b = append(b, ',')
			}
			b = append(quote(b, k.String()), ':')
			b = write(b, v.MapIndex(k))
		}
		return append(b, '}')
	}
}

// writeTexts is compileMap for the map that every order has, without boxing.
func writeTexts(b []byte, v reflect.Value) []byte {
	texts := *v.Addr().Interface().(*map[string]string)
	keys := make([]string, 0, len(texts))
	for k := range texts {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	b = append(b, '{')
	for i, k := range keys {
		if i > 0 {
			b = append(b, ',')
		}
		b = append(quote(b, k), ':')
		b = quote(b, texts[k])
	}
	return append(b, '}')
}

func writeInstant(b []byte, v reflect.Value) []byte {
	b = append(b, '"')
	b = v.Addr().Interface().(*time.Time).AppendFormat(b, time.RFC3339Nano)
	return append(b, '"')
}

// writeRaw writes a value that is already JSON.
func writeRaw(b []byte, v reflect.Value) []byte {
	if v.Len() == 0 {
		return append(b, "null"...)
	}
	return append(b, v.Bytes()...)
}

// quote writes a text. AppendQuote repairs invalid UTF-8 and reports it; see options.
func quote(b []byte, s string) []byte {
	b, _ = jsontext.AppendQuote(b, s)
	return b
}

func appendDate(b []byte, d calendar.Date) []byte {
	if d == calendar.None {
		return append(b, "null"...)
	}
	b = append(b, '"')
	y, m, day := d.Civil()
	b = append(b, byte('0'+y/1000), byte('0'+y/100%10), byte('0'+y/10%10), byte('0'+y%10), '-',
		byte('0'+m/10), byte('0'+m%10), '-', byte('0'+day/10), byte('0'+day%10))
	return append(b, '"')
}
