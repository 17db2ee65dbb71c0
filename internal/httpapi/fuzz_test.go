package httpapi

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/auth"
	"tenor/internal/money"
)

// The properties of this file say what is wrong with what a reader makes of a text, ""
// if nothing. Each takes the reader, so that TestFuzzCanFail can show that it would
// find one that is too lax.

// instantProperty: what is taken, RFC 3339 takes too, and means the same; written
// again it is read as the same.
func instantProperty(read func(string) (time.Time, *violation), text string) string {
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

// asOfProperty: an as_of is a date or an instant, as those are read, never both.
func asOfProperty(text string) string {
	at, bad := parseAsOf(text)
	if bad != nil {
		return ""
	}
	if dated := at.Date.String() == text; dated == !at.Instant.IsZero() {
		return fmt.Sprintf("%q is read as %+v", text, at)
	}
	return ""
}

// moneyProperty: what is taken is written with the same digits, and nothing is
// rounded.
func moneyProperty(read func(string, money.Amount) (money.Amount, *violation), text string) string {
	a, bad := read(text, 1)
	if bad != nil {
		return ""
	}
	whole, frac, _ := strings.Cut(text, ".")
	if want := whole + "." + (frac + "00")[:2]; a.String() != want || a < 1 || a > money.Max || len(frac) > 2 {
		return fmt.Sprintf("%q is read as %s", text, a)
	}
	return ""
}

func FuzzValues(f *testing.F) {
	for _, s := range []string{"2026-03-02T15:04:05Z", "2026-03-02T15:04:05.1234567+14:00", "2026-03-02", "2016-12-31T23:59:60Z", "1.00", "0.01", "10000000", "1e2", "-1", "１", "1.005", ""} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, complaint := range []string{instantProperty(parseInstant, text), asOfProperty(text), moneyProperty(parseMoney, text)} {
			if complaint != "" {
				t.Fatal(complaint)
			}
		}
		if n, bad := parseInteger(text, -5, 1000); bad == nil && fmt.Sprint(n) != text && text != "-0" { // which is zero in JSON
			t.Fatalf("%q is read as %d", text, n)
		}
		if n, bad := parseCompany(text); bad == nil && fmt.Sprint(n) != text {
			t.Fatalf("%q is read as company %d", text, n)
		}
		if s, ok := cleanText(text, false); ok {
			if again, ok := cleanText(s, false); !ok || again != s || strings.ContainsAny(s, "\x00\r\n\u202e\u200b") {
				t.Fatalf("%q is cleaned to %q, and that to %q", text, s, again)
			}
		}
	})
}

// queryProperty: of a query that is taken every parameter is known, is there once, and
// counts; the library reads the same.
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
	rules, err := compileParams(reflect.TypeFor[widgetFilter]())
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

// patchProperty: a merge patch tells a member that is absent from one that is null and
// from one that has a value, as any reader of JSON does (RFC 7396).
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
	rules, err := compileBody(reflect.TypeFor[widgetPatch]())
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

// formProperty: of a form that is taken every member is there once and has a value, as
// the library reads it.
func formProperty(read func(string) (url.Values, error), body string) string {
	got, err := read(body)
	if err != nil {
		return ""
	}
	want, err := url.ParseQuery(body)
	if err != nil {
		return fmt.Sprintf("%q is taken, and the library says %v", body, err)
	}
	for name, list := range want {
		if len(list) != 1 || got.Has(name) != (list[0] != "") || got.Get(name) != list[0] {
			return fmt.Sprintf("%q: %s is read as %q", body, name, got[name])
		}
	}
	if len(got) > len(want) {
		return fmt.Sprintf("%q is read as %v", body, got)
	}
	return ""
}

func readFormText(body string) (url.Values, error) {
	r := httptest.NewRequest("POST", "/oauth/token", strings.NewReader(body))
	r.Header.Set("Content-Type", mediaForm)
	return readForm(httptest.NewRecorder(), r)
}

// basicProperty: credentials that are taken are those that the library finds, with the
// escapes of a form undone; written again they are read as the same.
func basicProperty(read func(string) (auth.Credentials, bool), header string) string {
	c, ok := read(header)
	if !ok {
		return ""
	}
	r := http.Request{Header: http.Header{"Authorization": {header}}}
	user, password, found := r.BasicAuth()
	id, errID := url.QueryUnescape(user)
	secret, errSecret := url.QueryUnescape(password)
	if extra := strings.Count(header, "  ") > 0; !extra && (!found || errID != nil || errSecret != nil || id != c.Client || secret != string(c.Secret)) {
		return fmt.Sprintf("%q is read as %q, the library says %q, %q, %v", header, c.Client, id, secret, found)
	}
	again := "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(c.Client)+":"+url.QueryEscape(string(c.Secret))))
	if d, ok := read(again); !ok || d != c {
		return fmt.Sprintf("%q is written and read as another", header)
	}
	return ""
}

func FuzzForm(f *testing.F) {
	f.Add("grant_type=client_credentials&scope=a+b", "Basic Y2xpOnNlY3JldA==")
	f.Add("a=1&a=2", "Basic "+base64.StdEncoding.EncodeToString([]byte("cli%5F1:a%3Ab")))
	f.Add("client_id=x&client_secret=", "basic  Og==")
	f.Add("%zz=1;b", "Bearer x")
	f.Fuzz(func(t *testing.T, body, header string) {
		if complaint := formProperty(readFormText, body); complaint != "" {
			t.Fatal(complaint)
		}
		if complaint := basicProperty(basic, header); complaint != "" {
			t.Fatal(complaint)
		}
		form, err := readFormText(body)
		if err != nil {
			return
		}
		c, err := credentials(http.Header{"Authorization": {header}}, form)
		if err == nil && form.Has("client_secret") {
			t.Fatalf("%q and %q: the client is taken, though it shows itself twice", body, header)
		}
		if err == nil && form.Has("client_id") && form.Get("client_id") != c.Client {
			t.Fatalf("%q and %q: %q is taken for %q", body, header, form.Get("client_id"), c.Client)
		}
	})
}

// listProperty: a list of rows that is taken is one that the standard decoder reads,
// with as many rows.
func listProperty(read func([]byte) (int, error), body []byte) string {
	rows, err := read(body)
	if err != nil {
		return ""
	}
	var loose []struct {
		Number string `json:"merchant_order_id"`
	}
	if err := json.Unmarshal(body, &loose); err != nil || len(loose) != rows {
		return fmt.Sprintf("%q is taken with %d rows, the standard decoder says %d, %v", body, rows, len(loose), err)
	}
	return ""
}

func readListText(body []byte) (int, error) {
	r := httptest.NewRequest("POST", "/v1/reconciliations", bytes.NewReader(body))
	list, err := readList(&Call{Request: r, Stream: bytes.NewReader(body), ContentType: mediaJSON})
	if err != nil {
		return 0, err
	}
	return list.count, nil
}

func FuzzList(f *testing.F) {
	for _, s := range []string{`[]`, `[{"merchant_order_id":"a","amount":1,"status":"captured"}]`, `[{"merchant_order_id":"a","amount":"1.50","status":"CREATED"},{"merchant_order_id":"b","amount":2,"status":"x"}]`, `null`, `[1]`, `[{}]`, `[] []`, `[{"merchant_order_id":"a","merchant_order_id":"b"}]`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if complaint := listProperty(readListText, body); complaint != "" {
			t.Fatal(complaint)
		}
	})
}

// TestFuzzCanFail gives each property a reader that is too lax, and one text. If none
// of them complained, the fuzz targets would find nothing.
func TestFuzzCanFail(t *testing.T) {
	lax := map[string]string{
		"an instant without a zone": instantProperty(func(s string) (time.Time, *violation) {
			at, err := time.Parse("2006-01-02T15:04:05", s)
			if err != nil {
				return at, badInstant
			}
			return at, nil
		}, "2026-03-02T15:04:05"),
		"an amount that is rounded": moneyProperty(func(s string, _ money.Amount) (money.Amount, *violation) { return 101, nil }, "1.005"),
		"a parameter that is passed over": queryProperty(func(raw string, into *widgetFilter) *Problem {
			_ = readQuery("", into)
			return nil
		}, "limit=7"),
		"a member that is given twice": patchProperty(func(b []byte, into *widgetPatch) bool {
			return json.Unmarshal(b, &struct{}{}) == nil
		}, []byte(`{"other":1}`)),
		"a form with a member twice": formProperty(url.ParseQuery, "a=1&a=2"),
		"a password cut at a second colon": basicProperty(func(string) (auth.Credentials, bool) {
			return auth.Credentials{Client: "a", Secret: "b"}, true
		}, "Basic "+base64.StdEncoding.EncodeToString([]byte("a:b:c"))),
		"a row that is passed over": listProperty(func([]byte) (int, error) { return 0, nil }, []byte(`[{}]`)),
	}
	for name, complaint := range lax {
		if complaint == "" {
			t.Errorf("not seen: %s", name)
		}
	}
}
