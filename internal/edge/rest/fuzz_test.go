package rest

import (
	"encoding/json"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/edge/rest/value"
)

// The properties of this file return what is wrong with a reader's result for a text, "" if
// nothing. Each takes the reader, so that TestFuzzCanFail can show that it detects one that
// is too lax.

// instantProperty: RFC 3339 accepts everything that the reader accepts, with the same
// meaning; formatted and read again it is the same.
func instantProperty(read func(string) (time.Time, *value.Violation), text string) string {
	at, bad := read(text)
	if bad != nil {
		return ""
	}
	other, err := time.Parse(time.RFC3339Nano, text)
	if err != nil || !other.Truncate(time.Microsecond).Equal(at) {
		return fmt.Sprintf("%q is read as %s, RFC 3339 says %s, %v", text, at, other, err)
	}
	if again, bad := read(at.Format(time.RFC3339Nano)); bad != nil || !again.Equal(at) || at.Location() != time.UTC {
		return fmt.Sprintf("%s is written and read as %s", at, again)
	}
	return ""
}

func FuzzValues(f *testing.F) {
	for _, s := range []string{"2026-03-02T15:04:05Z", "2026-03-02T15:04:05.1234567+14:00", "2026-03-02", "2016-12-31T23:59:60Z", "1.00", "0.01", "10000000", "1e2", "-1", "１", "1.005", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if complaint := instantProperty(value.Instant, text); complaint != "" {
			t.Fatal(complaint)
		}
		if n, bad := parseInteger(text, value.Bounds{Low: -5, High: 1000}); bad == nil && fmt.Sprint(n) != text && text != "-0" { // which is zero in JSON
			t.Fatalf("%q is read as %d", text, n)
		}
		if s, ok := cleanText(text, false); ok {
			if again, ok := cleanText(s, false); !ok || again != s || strings.ContainsAny(s, "\x00\r\n\u202e\u200b") {
				t.Fatalf("%q is cleaned to %q, and that to %q", text, s, again)
			}
		}
	})
}

// queryProperty: in an accepted query every parameter is known, occurs once, and takes
// effect; the library reads the same.
func queryProperty(read func(raw string, into *widgetFilter) *Problem, raw string) string {
	var v widgetFilter
	if p := read(raw, &v); p != nil {
		return ""
	}
	values, err := url.ParseQuery(raw)
	if err != nil {
		return fmt.Sprintf("%q is taken, and the library says %v", raw, err)
	}
	known := map[string]string{"status": v.Status, "limit": fmt.Sprint(v.Limit), "cursor": "any", "company_id": "", "created_from": "", "created_to": "", "updated_since": "", "order_key": "", "as_of": "", "late": ""}
	if v.CompanyID != nil {
		known["company_id"] = v.CompanyID.String()
	}
	if v.From != nil {
		known["created_from"] = v.From.String()
	}
	if v.To != nil {
		known["created_to"] = v.To.String()
	}
	if v.Order != nil {
		known["order_key"] = *v.Order
	}
	if v.Late != nil {
		known["late"] = fmt.Sprint(*v.Late)
	}
	for name, list := range values {
		got, ok := known[name]
		if !ok || len(list) != 1 {
			return fmt.Sprintf("%q is taken with %s %d times", raw, name, len(list))
		}
		if !slices.Contains([]string{"cursor", "updated_since", "as_of"}, name) && got != list[0] {
			return fmt.Sprintf("%q: %s is read as %q", raw, name, got)
		}
	}
	return ""
}

func readQuery(raw string, into *widgetFilter) *Problem {
	rules, err := widgetTypes().params(reflect.TypeFor[widgetFilter]())
	if err != nil {
		panic(err)
	}
	_, p := rules.query(raw, reflect.ValueOf(into).Elem())
	return p
}

func FuzzQuery(f *testing.F) {
	for _, s := range []string{"", "limit=5", "limit=5&limit=5", "company_id=4821073356&status=CREATED", "created_from=2026-01-01&created_to=2026-01-02", "late=true&as_of=2026-01-01", "%6Cimit=1", "a;b=1", "cursor=x"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if complaint := queryProperty(readQuery, raw); complaint != "" {
			t.Fatal(complaint)
		}
	})
}

// patchProperty: a merge patch distinguishes absent members, null and values, like any JSON
// reader (RFC 7396).
func patchProperty(read func([]byte, *widgetPatch) bool, body []byte) string {
	var v widgetPatch
	if !read(body, &v) {
		return ""
	}
	var loose map[string]json.RawMessage
	if err := json.Unmarshal(body, &loose); err != nil {
		return fmt.Sprintf("%q is taken, and the standard decoder says %v", body, err)
	}
	for name, got := range map[string][2]bool{"amount": {v.Amount.Set, v.Amount.Null}, "memo": {v.Memo.Set, v.Memo.Null}, "count": {v.Count.Set, v.Count.Null}} {
		raw, set := loose[name]
		if null := string(raw) == "null"; got != [2]bool{set, null} {
			return fmt.Sprintf("%q: %s is read as set %v, null %v", body, name, got[0], got[1])
		}
		delete(loose, name)
	}
	if len(loose) > 0 {
		return fmt.Sprintf("%q is taken with %d members that there are not", body, len(loose))
	}
	if (v.Count.Null || !v.Count.Set) && v.Count.Value != 0 || v.Count.Set && !v.Count.Null && v.Count.Value < 1 || v.Amount.Set && v.Amount.Value < 1 {
		return fmt.Sprintf("%q is read as %+v", body, v)
	}
	return ""
}

func readPatch(body []byte, into *widgetPatch) bool {
	rules, err := widgetTypes().body(reflect.TypeFor[widgetPatch]())
	if err != nil {
		panic(err)
	}
	p, invalid := rules.decode(body, reflect.ValueOf(into).Elem())
	return p == nil && len(invalid) == 0
}

func FuzzMergePatch(f *testing.F) {
	for _, s := range []string{`{}`, `{"memo":null}`, `{"memo":"a","count":3}`, `{"amount":1.5}`, `{"amount":null}`, `{"memo":1,"memo":2}`, `{"m\u0065mo":"x"}`, `[]`, `{"Memo":"x"}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if complaint := patchProperty(readPatch, body); complaint != "" {
			t.Fatal(complaint)
		}
	})
}

// TestFuzzCanFail gives each property a reader that is too lax, and one text. If one of
// them did not complain, its fuzz target would find nothing.
func TestFuzzCanFail(t *testing.T) {
	lax := map[string]string{
		"an instant without a zone": instantProperty(func(s string) (time.Time, *value.Violation) {
			at, err := time.Parse("2006-01-02T15:04:05", s)
			if err != nil {
				return at, badText
			}
			return at, nil
		}, "2026-03-02T15:04:05"),
		"a parameter that is passed over": queryProperty(func(raw string, into *widgetFilter) *Problem {
			_ = readQuery("", into)
			return nil
		}, "limit=7"),
		"a member that is given twice": patchProperty(func(b []byte, into *widgetPatch) bool {
			return json.Unmarshal(b, &struct{}{}) == nil
		}, []byte(`{"other":1}`)),
	}
	for name, complaint := range lax {
		if complaint == "" {
			t.Errorf("not seen: %s", name)
		}
	}
}
