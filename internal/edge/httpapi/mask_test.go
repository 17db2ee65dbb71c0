package httpapi

import (
	"context"
	"encoding/json"
	"io"
	"log/slog"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

// nobody authenticates callers of the contract that the tests read.
type nobody struct{}

func (nobody) Authenticate(context.Context, [32]byte) (rest.Principal, bool, error) {
	return rest.Principal{}, false, nil
}

// contractDocuments returns the documents of all operations, including a sandbox's.
func contractDocuments(t *testing.T) []rest.Document {
	t.Helper()
	api, err := New(rest.Config{
		BaseURL: "http://localhost:8080", Authenticator: nobody{}, CursorKey: make([]byte, 32), Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}, Table(&serve.Service{Desk: &buyer.Desk{}, Controls: struct{ serve.Controls }{}, Receivers: struct{ serve.Receivers }{}}))
	if err != nil {
		t.Fatal(err)
	}
	return api.Documents()
}

// sensitive matches words in the names of numbers and dates that reveal something about a
// person, a card, or how a business is doing. The list is the test's own: a member with
// such a name that the mask does not know fails.
var sensitive = regexp.MustCompile(`birth|exp_|score|owner|percent|points|trace|revenue|average|in_business|formed_on|returned_items`)

// plantedText is in every text of the masked documents.
const plantedText = "Winifred Planted, 77 Planted Lane"

// planted builds a document in which every text is planted, and what the log may show of
// it.
func planted(t *testing.T, m rest.Member, depth int) (sent, shown any) {
	t.Helper()
	switch kind := m.Kind(); {
	case kind == "object":
		a, b := map[string]any{}, map[string]any{}
		for _, x := range m.Members() {
			if depth < 8 { // a type may contain itself
				a[x.Name], b[x.Name] = planted(t, x, depth+1)
			}
		}
		return a, b
	case kind == "array":
		a, b := planted(t, m.Elem(), depth+1)
		return []any{a, a}, []any{b, b}
	case kind == "map", kind == "any":
		return map[string]any{plantedText: plantedText}, map[string]any{rest.Masked: rest.Masked}
	case kind == "text" && m.Enum() != nil:
		return m.Enum()[0], m.Enum()[0]
	case kind == "text":
		return plantedText, rest.Masked
	case kind == "boolean":
		return true, true
	}
	sent = valueOf(t, m)
	if sensitive.MatchString(m.Name) {
		return sent, rest.Masked
	}
	return sent, sent
}

// valueOf returns a number or a date that the member accepts.
func valueOf(t *testing.T, m rest.Member) any {
	t.Helper()
	for _, text := range []string{"7", "24", "100", "720", "7.25", "1000", "1000000001", "2026", "2026-02-01", "2026-01-15T16:00:00Z", "0.0150", "0.25"} {
		if !m.Takes(text) {
			continue
		}
		if n := json.Number(text); !strings.ContainsAny(text, "-:") && m.Kind() == "number" {
			return n
		}
		return text
	}
	t.Fatalf("there is no sample for the member %s: %s", m.Name, m.Kind())
	return nil
}

// For every document that the contract knows, in and out, the log shows none of the texts
// planted in it and no number or date of a person. It shows everything else unchanged.
// Nothing is missing, and nothing is added.
func TestEveryDocumentIsMasked(t *testing.T) {
	documents, texts := 0, 0
	for _, d := range contractDocuments(t) {
		if d.Part == "path" || d.Part == "query" {
			continue
		}
		sent, shown := planted(t, d.Member, 0)
		body, err := json.Marshal(sent)
		if err != nil {
			t.Fatal(err)
		}
		documents, texts = documents+1, texts+strings.Count(string(body), plantedText)
		got, marks := d.Mask(body, func(string) string { return "mark" })
		want, _ := json.Marshal(shown) // what has been read can be written
		if !sameJSON(got, want) {
			t.Errorf("%s of %s: the log shows\n%s\nand should show\n%s", d.Part, d.Operation, got, want)
		}
		if strings.Contains(string(got), "Planted") {
			t.Errorf("%s of %s: the log shows what was planted:\n%s", d.Part, d.Operation, got)
		}
		for at := range marks {
			if strings.Contains(at, "Planted") {
				t.Errorf("%s of %s: a mark names what was planted: %s", d.Part, d.Operation, at)
			}
		}
	}
	if documents < 200 || texts < 1000 {
		t.Errorf("only %d documents with %d texts were looked at", documents, texts)
	}
}

func sameJSON(a, b []byte) bool {
	var x, y any
	return json.Unmarshal(a, &x) == nil && json.Unmarshal(b, &y) == nil && reflect.DeepEqual(x, y)
}

// walk visits every value of a document.
func walk(m rest.Member, depth int, visit func(rest.Member)) {
	if depth > 8 {
		return
	}
	visit(m)
	for _, x := range m.Members() {
		walk(x, depth+1, visit)
	}
	if m.Kind() == "array" {
		walk(m.Elem(), depth+1, visit)
	}
}

// No text of any member, enum or not, nor of a path or query, is shown if it is a name, an
// address, an account or tax number, or a secret, even if it is in the wrong member by
// mistake.
func TestNoMemberShowsSecrets(t *testing.T) {
	values := []string{
		"Winifred Planted", "winifred", "winifred@planted.example", "77 Planted Lane", "+1 555 0199 771", "90817263540", "021000021", "00-0000017", "000000017", "123-45-6789",
		"1971-07-17T00", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "tns_DQ6JOBYXPGKPRICTQOUVUZNH7BMVANKG", "tnr_01KE77A8R0GCJ3A7XQBSXYE0R5", "https://shop.example/c/secret", "10.0.0.7",
	}
	words := []string{"winifred"} // a word of the contract in lower case looks like a name
	seen := map[string]bool{}
	for _, d := range contractDocuments(t) {
		walk(d.Member, 0, func(m rest.Member) {
			if m.Kind() != "text" {
				return
			}
			seen[m.Name] = true
			for _, v := range values {
				if slices.Contains(words, v) && plainText(m.Name) != nil {
					continue
				}
				if m.Shows(v) {
					t.Errorf("%s of %s: the member %s shows %q", d.Part, d.Operation, m.Name, v)
				}
			}
		})
	}
	for _, name := range []string{"account_number", "routing_number", "ein", "email", "phone_number", "first_name", "last_name", "legal_name", "street", "address1", "memo", "secret", "ip", "url", "review_note", "holder_name"} {
		if !seen[name] {
			t.Errorf("no operation has the member %s: the test looks at something else", name)
		}
	}
}

// Metadata is masked along with its names. That it is empty is shown.
func TestMetadataIsMasked(t *testing.T) {
	all := contractDocuments(t)
	i := slices.IndexFunc(all, func(d rest.Document) bool { return d.Operation == "createOrder" && d.Part == "request" })
	for sent, want := range map[string]string{
		`{"metadata":{ }}`: `{"metadata":{}}`, `{"metadata":{"who":"Winifred"}}`: `{"metadata":{"***":"***"}}`, `{"metadata":"Winifred"}`: `{"metadata":"***"}`,
		`{"metadata":["Winifred"]}`: `{"metadata":["***"]}`, `{"metadata":null,"Winifred":1}`: `{"metadata":null}`, `{"metadata":{"a":1}`: "", `{"metadata":{}} x`: "", "Winifred": "",
	} {
		if got, _ := all[i].Mask([]byte(sent), nil); string(got) != want {
			t.Errorf("%s is shown as %s instead of %s", sent, got, want)
		}
	}
}

// A text is shown only in its one valid form.
func TestPlainTexts(t *testing.T) {
	const ulid = "01K9Z0A1B2C3D4E5F6G7H8J9K0"
	for _, x := range []struct {
		name         string
		shown, other []string
	}{
		{"id", []string{"ord_" + ulid, "1000000001", "pm_" + ulid}, []string{"", "ord_", "xyz_" + ulid, "ord_" + ulid + "0", "ord_" + strings.ToLower(ulid), "0000000001", "100000001", "10000000011", ulid}},
		{"request_id", []string{"req_" + ulid}, []string{"req_mine", "ord_" + ulid, "Winifred"}},
		{"code", []string{"not_found", "order.captured", "operator:read", "USD", "CHARGED_OFF"}, []string{"", "R01", "no such thing", "a.b.c", "000000", "Usd", "x@y.example", strings.Repeat("a", 81)}},
		{"return_code", []string{"R01", "C05"}, []string{"r01", "R1", "R011", "RR1"}},
		{"month", []string{"2026-01"}, []string{"2026-01-01", "2026/01"}},
		{"api_version", []string{"2026-11-23"}, []string{"2026-11", "v1"}},
		{"apr", []string{"12.00", "0.120000"}, []string{"12", "1234.00", "12.0", "12.0000000", "a.00"}},
		{"merchant_order_id", nil, []string{"PO-1", "ord_" + ulid, "USD"}},
	} {
		form := plainText(x.name)
		for _, text := range x.shown {
			if form == nil || !form(text) {
				t.Errorf("%s does not show %q", x.name, text)
			}
		}
		for _, text := range x.other {
			if form != nil && form(text) {
				t.Errorf("%s shows %q", x.name, text)
			}
		}
	}
}
