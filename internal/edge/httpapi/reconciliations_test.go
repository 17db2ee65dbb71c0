package httpapi_test

import (
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"
)

// reconcile sends a list and formats the result: the counts, then each difference.
func (s *shop) reconcile(query, media, list string) []string {
	s.t.Helper()
	before := s.state()
	r := s.must(200, "shop", "POST", "/v1/reconciliations"+query, list, "Content-Type", media)
	conforms(s.t, "POST", "/v1/reconciliations", r)
	if s.state() != before {
		s.t.Error("a reconciliation has changed something")
	}
	if r.header.Get("As-Of-Seq") != fmt.Sprint(r.body["as_of_seq"]) || r.header.Get("Commit-Seq") != "" {
		s.t.Errorf("as_of_seq %v with headers %v", r.body["as_of_seq"], r.header)
	}
	out := []string{fmt.Sprintf("rows %v matched %v missing %v/%v amount %v status %v duplicates %v", r.body["rows"], r.body["matched"], r.body["missing_here"],
		r.body["missing_there"], r.body["amount_mismatch"], r.body["status_mismatch"], r.body["duplicates"])}
	side := func(v any) string {
		m, ok := v.(map[string]any)
		if !ok {
			return "-"
		}
		return fmt.Sprint(m["amount"], " ", m["status"])
	}
	for _, x := range r.body["differences"].([]any) {
		d := x.(map[string]any)
		out = append(out, fmt.Sprintf("%v %v row %v order %t: %s | %s", d["kind"], d["merchant_order_id"], d["row"], d["order_key"] != nil, side(d["theirs"]), side(d["ours"])))
	}
	return out
}

// A shop's books against its own list: every kind of difference, as CSV and as JSON.
func TestReconciliation(t *testing.T) {
	s := open(t)
	number := func(n, amount, status string) string {
		s.pass(time.Minute)
		return s.order(`{"company_id":%d,"merchant_order_id":"%s","amount":%s,"installments":3,"status":"%s"}`, s.company, n, amount, status)
	}
	number("PO-1", "100.00", "AUTHORIZED")
	two := number("PO-2", "200.00", "AUTHORIZED")
	s.must(200, "shop", "PATCH", "/v1/order/"+two, `{"status":"CAPTURED","amount":150.00}`)
	three := number("PO-3", "300.00", "CREATED")
	s.must(200, "shop", "PATCH", "/v1/order/"+three, `{"status":"CANCELED"}`)
	number("PO-3", "333.00", "CREATED") // the number was free again
	four := number("PO-4", "40.00", "CREATED")
	s.must(200, "shop", "PATCH", "/v1/order/"+four, `{"status":"CANCELED"}`)
	five := number("PO-5", "500.00", "AUTHORIZED")
	s.must(200, "shop", "PATCH", "/v1/order/"+five, `{"status":"CAPTURED"}`)
	s.must(200, "shop", "PATCH", "/v1/order/"+five+"/refund", `{}`)
	s.at("2026-02-01")
	number("PO-6", "600.00", "CREATED")
	seven := number("PO-7", "70.00", "AUTHORIZED")
	s.pass(time.Minute)
	s.must(201, "shop", "POST", "/v1/order/"+seven+"/partial", `{"amount":30}`)

	csv := "status,merchant_order_id,amount\r\nauthorized,PO-1,100.00\r\nCaptured,PO-2,150\r\nCREATED,PO-3,333.00\r\nCANCELED,PO-4,40.00\r\n" +
		"\"RETURNED\",\"PO-5\",500.0\r\nCAPTURED,PO-1,1.00\r\nCREATED,=1+1,9\r\nCAPTURED,PO-6,60.00\r\n"
	want := []string{
		"rows 8 matched 5 missing 1/2 amount 1 status 1 duplicates 1",
		"duplicate PO-1 row 6 order false: 1.00 CAPTURED | -",
		"missing_here =1+1 row 7 order false: 9.00 CREATED | -",
		"amount_mismatch PO-6 row 8 order true: 60.00 CAPTURED | 600.00 CREATED",
		"status_mismatch PO-6 row 8 order true: 60.00 CAPTURED | 600.00 CREATED",
		"missing_there PO-7 row <nil> order true: - | 40.00 AUTHORIZED",
		"missing_there <nil> row <nil> order true: - | 30.00 CAPTURED",
	}
	equalLines(t, "CSV", s.reconcile("", "text/csv", csv), want)
	equalLines(t, "CSV with a mark and charset", s.reconcile("", "text/csv; charset=UTF-8", "\xef\xbb\xbf"+csv), want)
	equalLines(t, "JSON", s.reconcile("", "application/json", `[{"merchant_order_id":"PO-1","amount":"100.00","status":"authorized"},
		{"merchant_order_id":"PO-2","amount":150,"status":"Captured"},{"merchant_order_id":"PO-3","amount":333,"status":"CREATED"},
		{"merchant_order_id":"PO-4","amount":40,"status":"CANCELED"},{"merchant_order_id":"PO-5","amount":500,"status":"RETURNED"},
		{"merchant_order_id":"PO-1","amount":1,"status":"CAPTURED"},{"merchant_order_id":"=1+1","amount":9,"status":"CREATED"},
		{"merchant_order_id":"PO-6","amount":60,"status":"CAPTURED"}]`), want)
	equalLines(t, "January", s.reconcile("?created_to=2026-01-31", "text/csv", "merchant_order_id,amount,status\nPO-6,600,CREATED\n"), []string{
		"rows 1 matched 1 missing 0/4 amount 0 status 0 duplicates 0",
		"missing_there PO-1 row <nil> order true: - | 100.00 AUTHORIZED",
		"missing_there PO-2 row <nil> order true: - | 150.00 CAPTURED",
		"missing_there PO-3 row <nil> order true: - | 333.00 CREATED",
		"missing_there PO-5 row <nil> order true: - | 500.00 RETURNED",
	})
	equalLines(t, "nothing", s.reconcile("?created_from=2026-03-01", "text/csv", "amount,status,merchant_order_id"), []string{
		"rows 0 matched 0 missing 0/0 amount 0 status 0 duplicates 0"})
	// A key is accepted but not stored: the same key with another list is another question.
	for _, list := range []string{"[]", csv} {
		media := map[bool]string{true: "application/json", false: "text/csv"}[list == "[]"]
		if r := s.must(200, "shop", "POST", "/v1/reconciliations", list, "Content-Type", media, "Idempotency-Key", "one"); r.header.Get("Idempotency-Replayed") != "" {
			t.Error("a reconciliation was replayed")
		}
	}
	// Nobody sees another's orders: the same list finds nothing.
	if r := s.must(200, "other", "POST", "/v1/reconciliations", csv, "Content-Type", "text/csv"); fmt.Sprint(r.body["missing_here"]) != "7" || fmt.Sprint(r.body["missing_there"]) != "0" {
		t.Errorf("another merchant: %s", r.raw)
	}
}

// Unreadable lists are refused, with the place of the error.
func TestBadListsAreRefused(t *testing.T) {
	s := open(t)
	head := "merchant_order_id,amount,status\n"
	wanted := `"title":"The body is not a CSV with the columns this operation expects.","status":400,"detail":"Line 1: The first line must name the columns: merchant_order_id,amount,status, in any order."`
	for _, x := range []struct {
		name, media, list string
		status            int
		code, says        string
	}{
		{"empty", "text/csv", "", 400, "malformed_csv", "The body is empty. The first line must name the columns: merchant_order_id,amount,status, in any order."},
		{"only a mark", "text/csv", "\xef\xbb\xbf", 400, "malformed_csv", "The body is empty."},
		{"no names", "text/csv", "PO-1,1.00,CREATED\n", 400, "malformed_csv", wanted},
		{"a name twice", "text/csv", "amount,amount,status\n", 400, "malformed_csv", wanted},
		{"a column more", "text/csv", "merchant_order_id,amount,status,note\n", 400, "malformed_csv", wanted},
		{"semicolons", "text/csv", "merchant_order_id;amount;status\nPO-1;1,00;CREATED\n", 400, "malformed_csv", wanted},
		{"a column less", "text/csv", "\n\r\nmerchant_order_id,amount\n", 400, "malformed_csv", `{"line":3,"code":"wrong_header"`},
		{"a quote open in the first line", "text/csv", "\"merchant_order_id,amount,status\n", 400, "malformed_csv", `{"line":1,"code":"syntax","detail":"A quote is not closed."}`},
		{"other case", "text/csv", "Merchant_Order_Id,amount,status\n", 400, "malformed_csv", wanted},
		{"a field less", "text/csv", head + "PO-1,1.00\n", 400, "malformed_csv", "Line 2: "},
		{"loose quote", "text/csv", head + "PO-1,1.00,CREATED\nPO\"2,1.00,CREATED\n", 400, "malformed_csv", "Line 3: "},
		{"open quote", "text/csv", head + "\"" + strings.Repeat("x\n", 1<<20), 400, "malformed_csv", "a quote may not be closed"},
		{"NUL", "text/csv", head + "PO\x00,1,CREATED\n", 400, "malformed_csv", "Line 2: "},
		{"not UTF-8", "text/csv", head + "PO\xff,1,CREATED\n", 400, "malformed_csv", "Line 2: "},
		{"malformed below a bad row", "text/csv", head + "PO-1,x,CREATED\n\"", 400, "malformed_csv", "Line 3: "},
		{"bad rows", "text/csv", head + "PO-1,1.001,CREATED\nPO-2,1,CREATED\n,1,shipped\nPO-3,-1,CREATED\n", 422, "validation_failed",
			`"errors":[{"line":2,"column":"amount","code":"too_many_decimals","detail":"An amount has at most two decimals."},{"line":4,"column":"merchant_order_id","code":"too_short",`},
		{"lines are those of the text", "text/csv", "\n" + head + "\r\n\"PO-1\",1,CREATED\n\"PO\n\n2\",1,CREATED\nPO-3,1e9,CREATED\n", 422, "validation_failed",
			`"errors":[{"line":5,"column":"merchant_order_id","code":"unprintable_text","detail":"The text contains an unprintable character."},{"line":8,"column":"amount",`},
		{"no status of ours", "text/csv", head + "PO-1,1,SHIPPED\n", 422, "validation_failed", `{"line":2,"column":"status","code":"not_in_enum","detail":"The status is not one of CREATED,`},
		{"line break in a number", "text/csv", head + "\"PO\n1\",1,CREATED\n", 422, "validation_failed", `"line":2,"column":"merchant_order_id"`},
		{"long number", "text/csv", head + strings.Repeat("x", 101) + ",1,CREATED\n", 422, "validation_failed", `"line":2,"column":"merchant_order_id"`},
		{"too much", "text/csv", head + "PO-1,10000000.01,CREATED\n", 422, "validation_failed", `"line":2,"column":"amount"`},
		{"an object", "application/json", `{}`, 422, "validation_failed", ""},
		{"null", "application/json", `null`, 400, "malformed_request", "null"},
		{"no JSON", "application/json", ``, 400, "malformed_request", "empty"},
		{"open list", "application/json", `[{"merchant_order_id":"PO-1","amount":1,"status":"CREATED"}`, 400, "malformed_request", ""},
		{"two lists", "application/json", `[] []`, 400, "malformed_request", "after the document"},
		{"no comma", "application/json", `[{} {}]`, 400, "malformed_request", ""},
		{"unknown member", "application/json", `[{"merchant_order_id":"PO-1","amount":1,"status":"CREATED","x":1}]`, 400, "unknown_member", `"/0/x"`},
		{"member twice", "application/json", `[{"merchant_order_id":"PO-1","amount":1,"amount":2,"status":"CREATED"}]`, 400, "malformed_request", ""},
		{"exponent", "application/json", `[{"merchant_order_id":"PO-1","amount":1e2,"status":"CREATED"}]`, 400, "malformed_request", `"/0/amount"`},
		{"deep", "application/json", `[{"merchant_order_id":` + strings.Repeat("[", 50) + strings.Repeat("]", 50) + `}]`, 400, "malformed_request", "Row 1: "},
		{"missing member", "application/json", `[{"merchant_order_id":"PO-1","status":"CREATED"}]`, 422, "validation_failed", `"/0/amount"`},
		{"a number for a row", "application/json", `[{"merchant_order_id":"PO-1","amount":1,"status":"CREATED"},7,null]`, 422, "validation_failed",
			`"errors":[{"pointer":"/1","code":"wrong_type","detail":"The value has the wrong type; it must be an object."},{"pointer":"/2","code":"not_null","detail":"The value must not be null."}]`},
		{"a row of a megabyte", "application/json", `[{"merchant_order_id":"` + strings.Repeat("x", 1<<20) + `"}]`, 400, "malformed_request", "Row 1: "},
		{"a megabyte of nothing", "application/json", `[` + strings.Repeat(" ", 1<<20) + `]`, 400, "malformed_request", ""},
		{"other media type", "text/plain", head, 415, "unsupported_media_type", ""},
		{"other charset", "text/csv; charset=utf-16", head, 415, "unsupported_media_type", ""},
	} {
		r := s.call("shop", "POST", "/v1/reconciliations", x.list, "Content-Type", x.media)
		if r.status != x.status || r.code() != x.code || !strings.Contains(r.raw, x.says) || len(r.raw) > 40_000 {
			t.Errorf("%s: %d %s, want %d %s that says %s: %.600s", x.name, r.status, r.code(), x.status, x.code, x.says, r.raw)
		}
		if strings.Contains(r.raw, "SHIPPED") || strings.Contains(r.raw, "xxxx") {
			t.Errorf("%s: the answer echoes the value: %.600s", x.name, r.raw)
		}
	}
	for _, x := range []struct {
		name, token, query string
		header             []string
		status             int
		code               string
	}{
		{"reversed range", "shop", "?created_from=2026-02-01&created_to=2026-01-01", nil, 400, "invalid_parameter"},
		{"unknown parameter", "shop", "?merchant_id=x", nil, 400, "unknown_parameter"},
		{"dry run", "shop", "", []string{"Prefer", "dry-run"}, 400, "invalid_header"},
		{"bad key", "shop", "", []string{"Idempotency-Key", strings.Repeat("k", 256)}, 400, "invalid_header"},
		{"without the scope", "blind", "", nil, 403, "insufficient_scope"},
		{"the operator has no list", "ops", "", nil, 403, "insufficient_scope"},
		{"pages only", "shop", "", []string{"Accept", "text/html"}, 406, "not_acceptable"},
	} {
		r := s.call(x.token, "POST", "/v1/reconciliations"+x.query, head, append([]string{"Content-Type", "text/csv"}, x.header...)...)
		if r.status != x.status || r.code() != x.code {
			t.Errorf("%s: %d %s, want %d %s", x.name, r.status, r.raw, x.status, x.code)
		}
	}
	many := s.call("shop", "POST", "/v1/reconciliations", head+strings.Repeat("PO,x,y\n", 5000), "Content-Type", "text/csv")
	if n := len(many.body["errors"].([]any)); many.status != 422 || n != 100 {
		t.Errorf("5,000 bad rows: %d with %d errors", many.status, n)
	}
}

// A list has at most a million rows and 64 MiB, whatever length it announces.
func TestListsAreBounded(t *testing.T) {
	s := open(t)
	send := func(body *endless, length int64) (int, string) {
		req, err := http.NewRequest("POST", s.server.URL+"/v1/reconciliations", body)
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = length
		req.Header.Set("Authorization", "Bearer shop")
		req.Header.Set("Content-Type", "text/csv")
		res, err := http.DefaultClient.Do(req)
		if err != nil {
			return 0, "" // the connection was closed before everything was sent
		}
		defer res.Body.Close()
		return res.StatusCode, res.Header.Get("Content-Type")
	}
	head := "merchant_order_id,amount,status\n"
	if status, _ := send(&endless{head: head, row: "P,1,CREATED\n", left: 12 << 20}, -1); status != 413 && status != 0 {
		t.Errorf("more than a million rows: %d", status)
	}
	if status, _ := send(&endless{head: head, row: strings.Repeat(" ", 90) + ",1,CREATED\n", left: 70 << 20}, -1); status != 413 && status != 0 {
		t.Errorf("more than 64 MiB: %d", status)
	}
	if status, _ := send(&endless{head: head, row: "x", left: 70 << 20}, 70<<20+int64(len(head))); status != 413 && status != 0 {
		t.Errorf("more than 64 MiB announced: %d", status)
	}
	if got := s.reconcile("", "text/csv", head+"P,1,CREATED\n"); got[0] != "rows 1 matched 0 missing 1/0 amount 0 status 0 duplicates 0" {
		t.Errorf("afterwards: %v", got)
	}
}

// endless is a body that repeats one row.
type endless struct {
	head, row string
	left, at  int
}

func (e *endless) Read(b []byte) (int, error) {
	n := copy(b, e.head)
	if e.head = e.head[n:]; n > 0 {
		return n, nil
	}
	if e.left <= 0 {
		return 0, io.EOF
	}
	for n < len(b) && n < e.left {
		k := copy(b[n:min(len(b), e.left)], e.row[e.at:])
		e.at = (e.at + k) % len(e.row)
		n += k
	}
	e.left -= n
	return n, nil
}
