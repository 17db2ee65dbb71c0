package design

import (
	"strings"
	"testing"
)

// A code is colored by its language, and its text is unchanged.
func TestPieces(t *testing.T) {
	for _, c := range []struct{ language, text, want string }{
		{"json", `{"a": "b: 1", "n": -1.50, "x": [true, null]}`, `{name"a": text"b: 1", name"n": number-1.50, name"x": [numbertrue, numbernull]}`},
		{"curl", "curl -sS \"$TENOR_URL/x\" # say\n  --data 'a'", "wordcurl name-sS text\"$TENOR_URL/x\" comment# say\n  name--data text'a'"},
		{"sh", "KEY=$(x a#b) echo $KEY", "KEY=$(x a#b) wordecho name$KEY"},
		{"go", "// what\nif x == nil { return \"a\\\"b\", 12 }", "comment// what\nwordif x == numbernil { wordreturn text\"a\\\"b\", number12 }"},
		{"php", "<?php echo $a['b'];", "<?php wordecho name$a[text'b'];"},
		{"python", "import os\nx = None # no", "wordimport os\nx = numberNone comment# no"},
		{"javascript", "const {a} = await b; // c", "wordconst {a} = wordawait b; comment// c"},
		{"text", "if true", "if true"}, {"", `"a"`, `"a"`}, {"json", `"open`, `text"open`}, {"sh", "$", "$"}, {"json", "", ""},
	} {
		var got, plain strings.Builder
		for _, p := range (Code{Language: c.language, Text: c.text}).Pieces() {
			got.WriteString(p.Kind + p.Text)
			plain.WriteString(p.Text)
		}
		if got.String() != c.want || plain.String() != c.text {
			t.Errorf("%s: %q is\n%q instead of\n%q", c.language, c.text, got.String(), c.want)
		}
	}
}

// JSON is shown with its members in order and its numbers digit for digit, as a tree or as text;
// invalid JSON is not shown.
func TestJSON(t *testing.T) {
	x, ok := ReadJSON([]byte(`{"b":1200.00,"a":[1,{"c":"<é>"}],"n":null,"e":{},"l":[]}`))
	want := "{\n  \"b\": 1200.00,\n  \"a\": [\n    1,\n    {\n      \"c\": \"<é>\"\n    }\n  ],\n  \"n\": null,\n  \"e\": {},\n  \"l\": []\n}"
	if got := x.Pretty(); !ok || got != want || x.Lines() != strings.Count(want, "\n")+1 {
		t.Errorf("%v, %d lines:\n%s", ok, x.Lines(), got)
	}
	page := render(t, parsed(t), "json", x)
	for _, part := range []string{`<span class="hl-name">&#34;b&#34;</span>: <span class="hl-number">1200.00</span>,`, `<details open><summary><span class="hl-name">&#34;a&#34;</span>: [`, "&lt;é&gt;", "6 lines ],"} {
		if !strings.Contains(page, part) {
			t.Errorf("the tree lacks %s:\n%s", part, page)
		}
	}
	long, ok := ReadJSON([]byte(`{"a":[` + strings.Repeat("1,", 200) + `1],"b":[1,2,3]}`))
	if page := render(t, parsed(t), "json", long); !ok || strings.Count(page, "<details>") != 1 || strings.Count(page, "<details open>") != 2 {
		t.Errorf("what is long is not folded, or what is short is: %v", ok)
	}
	for _, none := range []string{"", "{", "[1]x", "{}{}", `{"a"}`, strings.Repeat("[", 60) + strings.Repeat("]", 60), "\xff"} {
		if _, ok := ReadJSON([]byte(none)); ok {
			t.Errorf("%q is taken for JSON", none)
		}
	}
}

// Names break after dots, and otherwise not unless they are too long: then a path breaks before
// its slashes, and a name after an underscore if that is not enough.
func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"merchant_order_id": "merchant_order_id", "/v1/order/{key}/extend": "/v1/order/{key}/extend", "terms.finance_charge": "terms.|finance_charge", "": "",
		"id, merchant_order_id, finance_charge, total_of_payments": "id, merchant_order_id, finance_charge, total_of_payments", "GET /v1/orders": "GET /v1/orders",
		"duplicate_merchant_order_id": "duplicate_merchant_order_id", "a_name_that_is_longer_than_any_phone_is_wide": "a_|name_|that_|is_|longer_|than_|any_|phone_|is_|wide",
		"GET /v1/operator/merchants/{id}/bank_account":   "GET /v1|/operator|/merchants|/{id}|/bank_account",
		"http://localhost:8080/sandbox/receive/{name}":   "http://localhost:8080|/sandbox|/receive|/{name}",
		"/v1/events?created_from=2026-01-05&limit=100&x": "/v1|/events?|created_from=|2026-01-05&|limit=|100&|x",
	} {
		if got := strings.Join(nameParts(name), "|"); got != want {
			t.Errorf("%s is cut as %s instead of %s", name, got, want)
		}
	}
	for _, x := range []struct{ template, text, want string }{
		{"name", "a.b", "a.<wbr>b"}, {"code-name", "a b.c", "a <wbr>b.<wbr>c"},
		{"code-name", "GET /v1/orders?merchant_order_id=", `GET <wbr>/v1<wbr class="late">/orders?<wbr class="late">merchant_order_id=`},
		{"tree-name", "order.authorization_expiring", "order.<wbr>authorization_expiring"}, {"tree-name", "Update, authorize or cancel an order_x", "Update, authorize or cancel an order_x"},
		{"tree-name", "duplicate_merchant_order_id", "duplicate_<wbr>merchant_<wbr>order_<wbr>id"},
	} {
		if got := render(t, parsed(t), x.template, x.text); got != x.want {
			t.Errorf("as %s %s is %s instead of %s", x.template, x.text, got, x.want)
		}
	}
}
