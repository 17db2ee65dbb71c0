package rest

import (
	"reflect"
	"slices"
	"testing"
)

// What the request log shows of a body: the words of the contract, what Masking names, and
// numbers and dates that are not personal. Names chosen by a caller are masked with their
// values.
func TestMask(t *testing.T) {
	type person struct {
		Code   string            `json:"code"`
		Name   string            `json:"name"`
		State  string            `json:"state" enum:"new,old"`
		ID     string            `json:"id" prefix:"wid_"`
		Born   int               `json:"birth_date"`
		Count  int               `json:"count"`
		Extra  map[string]string `json:"extra"`
		Places []string          `json:"places"`
	}
	r, err := widgetTypes().rule(reflect.TypeFor[person](), "")
	if err != nil {
		t.Fatal(err)
	}
	masking := showWords()
	for sent, want := range map[string]string{
		`{"code":"not_found","name":"Winifred"}`:              `{"code":"not_found","name":"***"}`,
		`{"code":"Winifred P","state":"new"}`:                 `{"code":"***","state":"new"}`,
		`{"state":"Winifred","id":"wid_1"}`:                   `{"state":"***","id":"wid_1"}`,
		`{"id":"Winifred","birth_date":1971,"count":7}`:       `{"id":"***","birth_date":"***","count":7}`,
		`{"count":"seven","extra":{},"places":["a","b"]}`:     `{"count":"***","extra":{},"places":["***","***"]}`,
		`{"extra":{"Winifred":"x"},"Winifred":1,"name":null}`: `{"extra":{"***":"***"},"name":null}`,
		`{"name":"a"} x`: "", `{"name":`: "", "": "",
	} {
		if got, _ := masking.json(r, []byte(sent), nil); string(got) != want {
			t.Errorf("%s is shown as %s instead of %s", sent, got, want)
		}
	}
	_, marks := masking.json(r, []byte(`{"name":"a","places":["b"],"count":1}`), func(text string) string { return text })
	if len(marks) != 2 || marks["/name"] != "/name\n\"a\"" || marks["/places/0"] != "/places/0\n\"b\"" {
		t.Errorf("marks: %q", marks)
	}
}

// The request log gets the calls of known clients only, with everything masked that is not
// plain, including refused ones.
func TestCallsAreKept(t *testing.T) {
	f := newFixture(t)
	var kept []Exchange
	f.api.config.Keep = func(_ int, row func() Exchange) { kept = append(kept, row()) }
	f.api.config.Mark = func(string) string { return "#" }
	f.do("POST", "/widget?zzz=1", with(`"memo":"Winifred"`), "Idempotency-Key: a@b.example")
	f.do("POST", "/widget", with(`"memo":"Winifred"`), "X-Request-Id: mine")
	f.do("GET", "/v1/widgets?company_id=4821073356&order_key=ord_1", "")
	f.do("BREW", "/v1/nothing/Winifred", "")
	f.do("GET", "/v1/widgets", "", "-Authorization")
	if len(kept) != 4 {
		t.Fatalf("%d calls are kept", len(kept))
	}
	x := kept[0]
	if x.Code != CodeUnknownParameter || x.Key != "***#" || x.Status != 400 || x.Tenant != "mch_1" || x.Operation != "createWidget" || x.Query != "" {
		t.Errorf("refused: %+v", x)
	}
	x = kept[1]
	if x.RequestID != "mine" || x.Path != "/widget" || x.Status != 201 || x.Seq != 8 || string(x.RequestBody) != `{"company_id":4821073356,"amount":1200.00,"memo":"***"}` || x.Marks != nil {
		t.Errorf("answered: %+v %s", x, x.RequestBody)
	}
	if x = kept[2]; x.Query != "company_id=4821073356&order_key=ord_1" {
		t.Errorf("query: %s", x.Query)
	}
	if x = kept[3]; x.Method != "OTHER" || x.Path != Masked || x.Operation != "" {
		t.Errorf("no route: %+v", x)
	}
}

// A contract's documents can be inspected member by member.
func TestDocuments(t *testing.T) {
	f := newFixture(t)
	all := f.api.Documents()
	i := slices.IndexFunc(all, func(d Document) bool { return d.Operation == "createWidget" && d.Part == "request" })
	kinds := map[string]string{}
	for _, m := range all[i].Members() {
		kinds[m.Name] = m.Kind()
	}
	for name, want := range map[string]string{"amount": "number", "on": "value", "rate": "value", "installments": "number", "memo": "text", "metadata": "map", "cart_items": "array", "externally_managed_payments": "boolean"} {
		if kinds[name] != want {
			t.Errorf("%s: %s, want %s", name, kinds[name], want)
		}
	}
	if masked, _ := all[i].Mask([]byte(`{"memo":"x"}`), nil); string(masked) != `{"memo":"***"}` {
		t.Errorf("masked: %s", masked)
	}
}
