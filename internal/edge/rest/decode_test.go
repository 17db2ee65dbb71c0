package rest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/getkin/kin-openapi/openapi3"
	"github.com/google/go-cmp/cmp"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// with is a valid body with additional members.
func with(members string) string {
	return `{"company_id":4821073356,"amount":1200.00,` + members + `}`
}

// amount is a valid body with another amount.
func amount(text string) string { return `{"company_id":"4821073356","amount":` + text + `}` }

func repeat(s string, n int) string { return strings.Repeat(s, n) }

// elements is a list of n equal elements.
func elements(n int, item string) string {
	return "[" + strings.TrimSuffix(repeat(item+",", n), ",") + "]"
}

func manyMembers(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, `,"k%d":"v"`, i)
	}
	return "{" + strings.TrimPrefix(b.String(), ",") + "}"
}

// TestDecodeVerdicts is the table of attacks A14, A21, A23, A24, A27, A28 and
// A58 on bodies. A verdict is "ok", "400 pointer code" or "422 pointer code …".
func TestDecodeVerdicts(t *testing.T) {
	tests := []struct{ body, want string }{
		{amount(`1200.00`), "ok"},
		{amount(`"1200.00"`), "ok"},
		{amount(`"1200"`), "ok"},
		{amount(`0.01`), "ok"},
		{amount(`10000000.00`), "ok"},

		// A21: amounts.
		{amount(`0`), "422 /amount below_minimum"},
		{amount(`-1`), "422 /amount below_minimum"},
		{amount(`-0.0`), "422 /amount below_minimum"},
		{amount(`1.005`), "422 /amount too_many_decimals"},
		{amount(`10000000.01`), "422 /amount above_maximum"},
		{amount(`99999999999999999999`), "422 /amount above_maximum"},
		{amount(repeat("9", 100_000)), "422 /amount above_maximum"},
		{amount(`true`), "422 /amount wrong_type"},
		{amount(`[]`), "422 /amount wrong_type"},
		{amount(`{"a":1}`), "422 /amount wrong_type"},
		{amount(`null`), "422 /amount not_null"},
		{amount(`""`), "422 /amount wrong_format"},
		{amount(`NaN`), "400 /amount syntax"},
		{amount(`"NaN"`), "400 /amount malformed_number"},
		{amount(`1e2`), "400 /amount malformed_number"},
		{amount(`1e400`), "400 /amount malformed_number"},
		{amount(`"1E+2"`), "400 /amount malformed_number"},
		{amount(`0x10`), "400  syntax"},
		{amount(`"0x10"`), "422 /amount wrong_format"},
		{amount(`01`), "400  syntax"},
		{amount(`+1`), "400 /amount syntax"},
		{amount(`.5`), "400 /amount syntax"},
		{amount(`"1,000"`), "422 /amount wrong_format"},
		{amount(`" 1"`), "422 /amount wrong_format"},
		{amount(`"１２"`), "422 /amount wrong_format"},

		// A23: JSON that other decoders let pass.
		{`{"company_id":4821073356,"amount":1,"amount":2}`, "400 /amount duplicate_member"},
		{with(`"metadata":{"a":"1","\u0061":"2"}`), "400 /metadata/a duplicate_member"},
		{with(`"Amount":1`), "400 /Amount unknown_member"},
		{with(`"ſtatus":"CREATED"`), "400 /ſtatus unknown_member"},
		{with(`"status":"CREATED"`) + ` {}`, "400  trailing_data"},
		{with(`"status":"CREATED"`) + `x`, "400  syntax"},
		{"\xef\xbb\xbf{}", "400"},
		{`{} // comment`, "400  syntax"},
		{with("\"memo\":\"\xff\""), "400 /memo syntax"},
		{with(`"memo":"\ud800"`), "400 /memo syntax"},
		{with(`"memo":"\u0000"`), "400"},
		{with("\"memo\":\"\x00\""), "400"},
		{with(`"x":` + repeat("[", 31) + repeat("]", 31)), "400 /x unknown_member"},
		{with(`"x":` + repeat("[", 32) + repeat("]", 32)), "400"},
		{repeat("[", 100_000), "400"},
		{`null`, "400"}, {` null `, "400"}, {``, "400"}, {"  \n", "400"}, {`{`, "400  syntax"}, {`{"amount":`, "400 /amount syntax"},
		{`[]`, "422  wrong_type"}, {`5`, "422  wrong_type"}, {`"{}"`, "422  wrong_type"},
		{`{'a':1}`, "400  syntax"},

		// A14: mass assignment. Unknown members are named wherever they are.
		{with(`"capture_date":"2026-03-02","captured_amount":1`), "400 /capture_date unknown_member /captured_amount unknown_member"},
		{with(`"cart_items":[{"name":"a","merchant":{"id":1}}]`), "400 /cart_items/0/merchant unknown_member"},
		{with(`"status":"CAPTURED"`), "422 /status not_in_enum"},
		{with(`"status":"created"`), "422 /status not_in_enum"},

		// Syntax comes before unknown members, these before the schema.
		{`{"amount":-1,"zzz":1,"company_id":}`, "400 /company_id syntax"},
		{`{"amount":-1,"zzz":1}`, "400 /zzz unknown_member"},
		{`{"amount":1e5,"zzz":1}`, "400 /amount malformed_number"},

		// Every schema error is named, in the order of the body.
		{`{"installments":0,"externally_managed_payments":"yes","on":"2026-02-30"}`,
			"422 /installments below_minimum /externally_managed_payments wrong_type /on wrong_format /company_id required /amount required"},
		{with(`"cart_items":[{},{"name":5,"price":-1}]`), "422 /cart_items/0/name required /cart_items/1/name wrong_type /cart_items/1/price below_minimum"},
		{with(`"cart_items":{}`), "422 /cart_items wrong_type"},

		// A27: texts, lists, integers, dates.
		{with(`"merchant_order_id":"a\r\nb"`), "422 /merchant_order_id unprintable_text"},
		{with(`"merchant_order_id":"../../etc"`), "ok"},
		{with(`"merchant_order_id":"` + repeat("a", 100) + `"`), "ok"},
		{with(`"merchant_order_id":"` + repeat("a", 101) + `"`), "422 /merchant_order_id too_long"},
		{with(`"merchant_order_id":"` + repeat("a", 4096) + `"`), "422 /merchant_order_id too_long"},
		{with(`"memo":"` + repeat("é", 255) + `"`), "ok"},
		{with(`"memo":"` + repeat("é", 256) + `"`), "422 /memo too_long"},
		{with(`"metadata":` + manyMembers(50)), "ok"},
		{with(`"metadata":` + manyMembers(51)), "422 /metadata too_many_members"},
		{with(`"metadata":{"` + repeat("k", 41) + `":"v"}`), "422 /metadata/" + repeat("k", 41) + " too_long"},
		{with(`"metadata":{"k":"` + repeat("v", 501) + `"}`), "422 /metadata/k too_long"},
		{with(`"metadata":{"k":5}`), "422 /metadata/k wrong_type"},
		{with(`"metadata":{"":"v"}`), "422 /metadata/ too_short"},
		{with(`"cart_items":` + elements(1000, `{"name":"a"}`)), "ok"},
		{with(`"cart_items":` + elements(1001, `{"name":"a"}`)), "422 /cart_items too_many_items"},
		{with(`"cart_items":` + elements(1001, `{"name":"a","b":1}`)), "400 /cart_items/0/b unknown_member … (100)"},
		{with(`"tags":["a","b","c"]`), "ok"},
		{with(`"tags":["a","toolong"]`), "422 /tags/1 too_long"},
		{with(`"tags":[null]`), "422 /tags/0 not_null"},
		{with(`"installments":1`), "ok"}, {with(`"installments":36`), "ok"}, {with(`"installments":null`), "ok"},
		{with(`"installments":0`), "422 /installments below_minimum"},
		{with(`"installments":-1`), "422 /installments below_minimum"},
		{with(`"installments":37`), "422 /installments above_maximum"},
		{with(`"installments":2147483648`), "422 /installments above_maximum"},
		{with(`"installments":99999999999999999999`), "422 /installments above_maximum"},
		{with(`"installments":1.5`), "422 /installments wrong_type"},
		{with(`"installments":1e1`), "422 /installments wrong_type"},
		{with(`"installments":"3"`), "422 /installments wrong_type"},
		{with(`"on":"2026-02-28"`), "ok"},
		{with(`"on":"2026-02-29"`), "422 /on wrong_format"},
		{with(`"on":"0000-01-01"`), "422 /on wrong_format"},
		{with(`"on":"9999-01-01"`), "422 /on wrong_format"},
		{with(`"on":"2026-2-28"`), "422 /on wrong_format"},
		{with(`"on":20260228`), "422 /on wrong_type"},
		{with(`"at":"2026-03-02T15:04:05Z"`), "ok"},
		{with(`"at":"2026-03-02T15:04:05.123456+01:00"`), "ok"},
		{with(`"at":"2026-03-02T15:04:60Z"`), "422 /at wrong_format"},
		{with(`"at":"2026-03-02T15:04:05"`), "422 /at wrong_format"},
		{with(`"at":"2026-03-02T15:04:05,5Z"`), "422 /at wrong_format"},
		{with(`"at":"2026-03-02 15:04:05Z"`), "422 /at wrong_format"},
		{with(`"at":"2026-03-02T15:04:05+24:00"`), "422 /at wrong_format"},
		{with(`"at":"9999-03-02T15:04:05Z"`), "422 /at wrong_format"},
		{with(`"rate":"0.120000"`), "ok"}, {with(`"rate":"12%"`), "422 /rate wrong_format"}, {with(`"rate":"0.1234567"`), "422 /rate wrong_format"},
		{with(`"externally_managed_payments":1`), "422 /externally_managed_payments wrong_type"},
		{`{"amount":1,"company_id":"482107335"}`, "422 /company_id wrong_format"},
		{`{"amount":1,"company_id":48210733560}`, "422 /company_id wrong_format"},
		{`{"amount":1,"company_id":"0821073356"}`, "422 /company_id wrong_format"},
		{`{"amount":1,"company_id":4821073356.0}`, "422 /company_id wrong_format"},
		{with(`"email":"a@example.com"`), "ok"}, {with(`"email":"a@b"`), "422 /email wrong_format"}, {with(`"email":"A <a@example.com>"`), "422 /email wrong_format"},
		{with(`"return_url":"https://example.com/a?b=c"`), "ok"}, {with(`"return_url":"//e"`), "422 /return_url wrong_format"},
		{with(`"status":"AUTHORIZED"`), "422 /installments required"},
		{with(`"status":"AUTHORIZED","installments":3`), "ok"},

		// A24: texts that are not what they appear to be.
		{with(`"memo":"Zoë Ümläut 株式会社 Ελλ 🏗️"`), "ok"},
		{with(`"memo":"line one\nline two"`), "ok"},
		{with(`"merchant_order_id":"line one\nline two"`), "422 /merchant_order_id unprintable_text"},
		{with(`"memo":"a\u202eb"`), "422 /memo unprintable_text"},
		{with(`"memo":"a\u200fb"`), "422 /memo unprintable_text"},
		{with(`"memo":"a\u200bb"`), "422 /memo unprintable_text"},
		{with(`"memo":"a\ufeffb"`), "422 /memo unprintable_text"},
		{with(`"memo":"a\u0085b"`), "422 /memo unprintable_text"},
		{with(`"memo":"a\u2028b"`), "422 /memo unprintable_text"},
		{with(`"memo":"a\u3164b"`), "422 /memo unprintable_text"},
		{with(`"memo":"a\ue000b"`), "422 /memo unprintable_text"},
		{with(`"memo":"a\u007fb"`), "422 /memo unprintable_text"},
		{with(`"memo":"a\tb"`), "422 /memo unprintable_text"},
		{with(`"memo":"z` + repeat(`\u0336`, 8) + `"`), "ok"},
		{with(`"memo":"z` + repeat(`\u0336`, 9) + `"`), "422 /memo unprintable_text"},
		{with(`"memo":"` + repeat("x", 10_000) + `"`), "422 /memo too_long"},
		{with(`"metadata":{"\u00e9":"1","e\u0301":"2"}`), "422 /metadata/é duplicate_key"},

		// A28: data only.
		{with(`"memo":"' -- ; $1 % \\"`), "ok"},

		// A58: a name of a megabyte is not echoed.
		{with(`"` + repeat("n", 1<<19) + `":1`), "400 /" + repeat("n", 254) + " unknown_member"},
	}
	schema := requestSchema(t)
	for _, tt := range tests {
		_, p, invalid := decodeInto[widgetRequest](t, tt.body)
		got := verdict(p, invalid)
		if got != strings.Replace(tt.want, "/metadata/é", "/metadata/e\u0301", 1) {
			t.Errorf("%.80s\n got %.200s\nwant %.200s", tt.body, got, tt.want)
		}
		compareWithSchema(t, schema, tt.body, got)
	}
}

func verdict(p *Problem, invalid []FieldError) string {
	status, errs := "422", invalid
	switch {
	case p != nil:
		status, errs = "400", p.Errors
	case len(invalid) == 0:
		return "ok"
	}
	if len(errs) == MaxFieldErrors {
		return status + " " + errs[0].Pointer + " " + errs[0].Code + " … (100)"
	}
	for _, e := range errs {
		status += " " + e.Pointer + " " + e.Code
	}
	return status
}

// requestSchema is the schema of the POST's body in the published document.
func requestSchema(t *testing.T) func(v any) error {
	t.Helper()
	doc, _, err := newFixture(t).api.OpenAPI(Info{Title: "t", Version: "1"})
	if err != nil {
		t.Fatal(err)
	}
	parsed, err := openapi3.NewLoader().LoadFromData(doc)
	if err != nil {
		t.Fatal(err)
	}
	s := parsed.Paths.Find("/widget").Post.RequestBody.Value.Content["application/json"].Schema.Value
	return func(v any) error { return parsed.ValidateSchemaJSON(s, v) }
}

// compareWithSchema validates a JSON body with the published schema. What the schema
// refuses, the decoder must refuse. What only the decoder refuses must be one of the rules
// that JSON Schema cannot express.
func compareWithSchema(t *testing.T, check func(any) error, body, verdict string) {
	t.Helper()
	var v any
	if len(body) > 4096 || json.Unmarshal([]byte(body), &v) != nil {
		return
	}
	err := check(v)
	if err != nil && verdict == "ok" {
		t.Errorf("%.80s: the schema refuses what the decoder takes: %.200v", body, err)
	}
	if err != nil || verdict == "ok" {
		return
	}
	for _, silent := range []string{"400", "unprintable_text", "too_many_decimals", "duplicate_key", "wrong_format", "/metadata/ too_short", "/metadata/kkk", "/installments required", "wrong_type"} {
		if strings.Contains(verdict, silent) {
			return
		}
	}
	t.Errorf("%.80s: the decoder says %s, the schema nothing", body, verdict)
}

func TestDecodeValues(t *testing.T) {
	got, p, invalid := decodeInto[widgetRequest](t, `{"company_id":"4821073356","amount":"1200.5","installments":3,
		"on":"2026-03-02","at":"2026-03-02T15:04:05.1234567+01:00","rate":0.12,"externally_managed_payments":true,"tags":["e\u0301"],
		"merchant_order_id":"A-1","metadata":{"a":"b"},"cart_items":[{"name":"x","price":9.99},{"name":"y","quantity":2,"price":null}]}`)
	if p != nil || invalid != nil {
		t.Fatal(p, invalid)
	}
	three, on, rate, id, price := 3, calendar.MustParse("2026-03-02"), money.MustParseRate("0.12"), "A-1", money.Amount(999)
	at := time.Date(2026, 3, 2, 14, 4, 5, 123456000, time.UTC)
	want := &widgetRequest{CompanyID: 4821073356, Amount: 120050, Installments: &three, Status: "CREATED", On: &on, At: &at, Rate: &rate,
		External: true, Tags: []string{"é"}, widgetCommon: widgetCommon{MerchantOrderID: &id, Metadata: map[string]string{"a": "b"},
			Items: []widgetItem{{Name: "x", Price: &price, Quantity: 1}, {Name: "y", Quantity: 2}}}}
	if d := cmp.Diff(want, got, cmp.AllowUnexported(widgetRequest{})); d != "" {
		t.Error(d)
	}
}

func TestDecodePatch(t *testing.T) {
	tests := []struct {
		body    string
		want    widgetPatch
		verdict string
	}{
		{`{}`, widgetPatch{}, "ok"},
		{`{"amount":5}`, widgetPatch{Amount: Some(money.Amount(500))}, "ok"},
		{`{"memo":null,"count":null}`, widgetPatch{Memo: Opt[string]{Set: true, Null: true}, Count: Opt[int]{Set: true, Null: true}}, "ok"},
		{`{"memo":""}`, widgetPatch{Memo: Some("")}, "ok"},
		{`{"amount":null}`, widgetPatch{}, "422 /amount not_null"},
		{`{"count":0}`, widgetPatch{}, "422 /count below_minimum"},
	}
	for _, tt := range tests {
		got, p, invalid := decodeInto[widgetPatch](t, tt.body)
		if v := verdict(p, invalid); v != tt.verdict {
			t.Errorf("%s: %s, want %s", tt.body, v, tt.verdict)
		} else if v == "ok" && *got != tt.want {
			t.Errorf("%s: %+v, want %+v", tt.body, *got, tt.want)
		}
	}
}

// TestNoEcho sends a secret as every kind of wrong value: no answer repeats it.
func TestNoEcho(t *testing.T) {
	for _, body := range []string{
		amount(`"s3cr3t"`), with(`"status":"s3cr3t"`), with(`"on":"s3cr3t"`), with(`"email":"s3cr3t"`), with(`"return_url":"s3cr3t"`),
		with(`"memo":"s3cr3t\u0007"`), with(`"tags":["s3cr3ts3cr3t"]`), with(`"unknown":"s3cr3t"`), with(`"memo":s3cr3t`), with(`"installments":"s3cr3t"`),
		with(`"at":"s3cr3t","rate":"s3cr3t","memo":"x"}s3cr3t`),
	} {
		f := newFixture(t)
		if w := f.do("POST", "/order/s3cr3t", body); strings.Contains(w.Body.String(), "s3cr3t") {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
		if w := f.do("POST", "/widget", body, "If-Match: s3cr3t"); w.Code < 400 || strings.Contains(w.Body.String(), "s3cr3t") {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
		if strings.Contains(f.log.String(), "s3cr3t") {
			t.Errorf("%s: log %s", body, f.log)
		}
	}
}

func TestCompileRefuses(t *testing.T) {
	type loop struct {
		Next []struct {
			Up *loop `json:"up"`
		} `json:"next"`
	}
	for _, v := range []any{
		5, loop{}, struct{ NoTag string }{},
		struct {
			A float64 `json:"a"`
		}{},
		struct {
			A string `json:"a" maxLength:"x"`
		}{},
		struct {
			A string `json:"a" pattern:"("`
		}{},
		struct {
			A money.Amount `json:"a" minimum:"1e5"`
		}{},
		struct {
			A int `json:"a" default:"x"`
		}{},
		struct {
			A *int `json:"a" default:"1"`
		}{},
		struct {
			A any `json:"a"`
		}{},
		struct {
			widgetItem
			Name string `json:"name"`
		}{},
		struct {
			A map[int]string `json:"a"`
		}{},
	} {
		if _, err := widgetTypes().body(reflect.TypeOf(v)); err == nil {
			t.Errorf("%T: compiled", v)
		}
	}
}

// FuzzDecode compares the decoder with the standard one: it never panics, and what it
// accepts, the standard decoder reads as the same value.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{amount(`1`), amount(`"1.5"`), with(`"memo":"é"`), with(`"cart_items":[{"name":"a"}]`), `null`, `{"amount":1e400}`, `{"a":1,"a":2}`} {
		f.Add([]byte(s))
	}
	rules, err := widgetTypes().body(reflect.TypeFor[widgetRequest]())
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var v widgetRequest
		kept := bytes.Clone(body)
		p, invalid := rules.decode(body, reflect.ValueOf(&v).Elem())
		if !bytes.Equal(kept, body) {
			t.Fatal("the body was changed")
		}
		if p != nil || len(invalid) > 0 {
			return
		}
		var loose struct {
			Amount    json.RawMessage `json:"amount"`
			CompanyID json.RawMessage `json:"company_id"`
			External  bool            `json:"externally_managed_payments"`
			Items     []struct {
				Quantity *int `json:"quantity"`
			} `json:"cart_items"`
		}
		if err := json.Unmarshal(body, &loose); err != nil {
			t.Fatalf("the standard decoder refuses it: %v", err)
		}
		a, err := money.Parse(strings.Trim(string(loose.Amount), `"`))
		if !bytes.ContainsRune(loose.Amount, '\\') && (err != nil || a != v.Amount) {
			t.Fatalf("amount %s read as %s", loose.Amount, v.Amount)
		}
		if len(loose.Items) != len(v.Items) || loose.External != v.External {
			t.Fatalf("%+v read as %+v", loose, v)
		}
		for i, it := range loose.Items {
			if it.Quantity != nil && *it.Quantity != v.Items[i].Quantity {
				t.Fatalf("quantity %d read as %d", *it.Quantity, v.Items[i].Quantity)
			}
		}
	})
}

func BenchmarkDecodeOrder(b *testing.B) {
	body, err := os.ReadFile("testdata/order.json")
	if err != nil {
		b.Fatal(err)
	}
	rules, err := widgetTypes().body(reflect.TypeFor[widgetRequest]())
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		var v widgetRequest
		if p, invalid := rules.decode(body, reflect.ValueOf(&v).Elem()); p != nil || invalid != nil {
			b.Fatal(p, invalid)
		}
	}
}
