package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/internal/app/node"
	"tenor/internal/proof/devtest"
)

// planted are values, by kind, that must not get into the request log. Those whose names begin
// with + must not get into the database unencrypted, either.
var planted = map[string]string{
	"e-mail": "winifred.planted@secret-mail.example", "first name": "Winifredplanted", "last name": "Quillplanted", "company": "Planted Holdings LLC",
	"street": "77 Planted Lane", "phone": "+1 555 0199 771", "memo": "planted memo for nobody", "metadata": "planted-metadata-value",
	"ein": "00-0000017", "+ein": "000000017", "birth date": "1971-07-17", "+account number": "90817263540",
}

// fast returns a user with a separate client without a rate limit. keep is called with the secret
// and the token.
func fast(lender *devtest.Shopper, merchant string, keep func(secret string)) *devtest.Shopper {
	lender.Helper()
	who := `"reason":"test"`
	if merchant != "" {
		who = `"merchant_id":"` + merchant + `",` + who
	}
	status, _, made := lender.Send("POST", "/v1/operator/clients", `{"name":"planted client","rate_per_minute":60000,"burst":10000,`+who+`}`, "")
	if status != 201 {
		lender.Fatalf("%d %v", status, made)
	}
	id, secret := made["id"].(string), made["secret"].(string)
	r, err := http.PostForm(lender.URL+"/oauth/token", url.Values{"grant_type": {"client_credentials"}, "client_id": {id}, "client_secret": {secret}})
	if err != nil {
		lender.Fatal(err)
	}
	defer r.Body.Close()
	var out struct {
		Token string `json:"access_token"`
	}
	if err := json.NewDecoder(r.Body).Decode(&out); err != nil || out.Token == "" {
		lender.Fatalf("token: %d %v", r.StatusCode, err)
	}
	keep(secret)
	keep(out.Token)
	return &devtest.Shopper{T: lender.T, URL: lender.URL, Token: out.Token, HTTP: lender.HTTP}
}

// filled returns a value for a schema of the contract, with a planted value for every text in it.
func filled(schema map[string]any, name string, depth int) any {
	if enum, ok := schema["enum"].([]any); ok && len(enum) > 0 {
		return enum[0]
	}
	kind := schema["type"]
	if list, ok := kind.([]any); ok {
		kind = list[0]
	}
	switch {
	case depth > 6:
		return nil
	case kind == "object" && schema["properties"] != nil:
		out := map[string]any{}
		for n, x := range schema["properties"].(map[string]any) {
			out[n] = filled(x.(map[string]any), n, depth+1)
		}
		return out
	case kind == "object":
		return map[string]any{planted["last name"]: planted["metadata"]}
	case kind == "array":
		items, _ := schema["items"].(map[string]any)
		return []any{filled(items, name, depth+1)}
	case kind == "boolean":
		return true
	case schema["format"] == "date":
		if strings.Contains(name, "birth") {
			return planted["birth date"]
		}
		return "2026-02-01"
	case kind == "number", kind == "integer":
		return 1
	}
	for part, what := range map[string]string{
		"email": "e-mail", "first_name": "first name", "street": "street", "address": "street", "phone": "phone", "ein": "+ein",
		"account_number": "+account number", "company": "company", "legal": "company",
	} {
		if strings.Contains(name, part) {
			return planted[what]
		}
	}
	return planted["memo"]
}

// contractOf reads the contract of a server, with references resolved.
func contractOf(s *devtest.Shopper) map[string]any {
	_, _, doc := s.Send("GET", "/openapi.json", "", "")
	var follow func(v any, depth int) any
	follow = func(v any, depth int) any {
		if depth > 40 {
			return map[string]any{}
		}
		switch x := v.(type) {
		case map[string]any:
			if ref, ok := x["$ref"].(string); ok {
				at := any(doc)
				for _, part := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
					at = at.(map[string]any)[part]
				}
				return follow(at, depth+1)
			}
			out := map[string]any{}
			for n, sub := range x {
				out[n] = follow(sub, depth+1)
			}
			return out
		case []any:
			out := make([]any, len(x))
			for i, sub := range x {
				out[i] = follow(sub, depth+1)
			}
			return out
		}
		return v
	}
	return follow(doc["paths"], 0).(map[string]any)
}

// flood sends planted values to every operation except sign-in: in its path, its query and its
// body.
func flood(s *devtest.Shopper) (calls int) {
	for path, item := range contractOf(s) {
		if strings.HasPrefix(path, "/oauth") || strings.HasPrefix(path, "/v1/sandbox") {
			continue // /oauth calls show no client; the others would change what is being checked
		}
		for method, x := range item.(map[string]any) {
			op, ok := x.(map[string]any)
			if !ok || op["operationId"] == nil {
				continue
			}
			target, query := path, []string{}
			parameters, _ := op["parameters"].([]any)
			for _, p := range parameters {
				q := p.(map[string]any)
				switch name := q["name"].(string); q["in"] {
				case "path":
					target = strings.ReplaceAll(target, "{"+name+"}", planted["first name"])
				case "query":
					query = append(query, name+"="+strings.ReplaceAll(planted["e-mail"], "@", "%40"))
				}
			}
			body := ""
			if content, _ := op["requestBody"].(map[string]any); content != nil {
				media, _ := content["content"].(map[string]any)["application/json"].(map[string]any)
				if media != nil {
					text, _ := json.Marshal(filled(media["schema"].(map[string]any), "", 0))
					body = string(text)
				}
			}
			s.Send(strings.ToUpper(method), target+"?"+strings.Join(query, "&"), body, "")
			if body != "" {
				s.Send(strings.ToUpper(method), target, body, fmt.Sprint("flood-", calls))
				calls++
			}
			calls++
		}
	}
	return calls
}

// Planted values, in refused and in successful calls, never get into the request log: neither
// into its table nor into what the API shows of it. Secrets are in no file of the database at
// all.
func TestPlantedSecrets(t *testing.T) {
	s, w := devtest.NewShopper(t)
	lender := &devtest.Shopper{T: t, URL: w.URL, Token: devtest.Token(t, w, "--operator"), HTTP: s.HTTP}
	p := planted
	secrets := []string{s.Token, lender.Token}
	also := func(secret string) { secrets = append(secrets, secret) }
	s, lender = fast(lender, w.Merchant, also), fast(lender, "", also)
	keep := func(status int, answer map[string]any, members ...string) string {
		t.Helper()
		if status > 201 {
			t.Fatalf("%d %v", status, answer)
		}
		for _, m := range members {
			secrets = append(secrets, answer[m].(string))
		}
		id, _ := answer["id"].(string)
		return id
	}
	status, _, hook := s.Send("POST", "/v1/webhooks", `{"url":"http://127.0.0.1:9/planted-path-of-a-hook","enabled":false,"description":"`+p["memo"]+`"}`, "hook")
	keep(status, hook, "secret")
	status, _, again := s.Send("POST", "/v1/webhooks", `{"url":"http://127.0.0.1:9/planted-path-of-a-hook","enabled":false,"description":"`+p["memo"]+`"}`, "hook")
	keep(status, again)
	status, _, made := lender.Send("POST", "/v1/operator/clients", `{"name":"planted client","scopes":["operator:read"],"reason":"`+p["memo"]+`"}`, "")
	keep(status, made, "secret")
	status, _, account := s.Send("POST", "/v1/companies/1000000001/payment_methods", `{"type":"ACH","routing_number":"021000021","account_number":"`+p["+account number"]+`","holder_name":"`+p["company"]+`",`+
		`"authorization":{"channel":"WEB","accepted_at":"2026-01-02T15:00:00Z"}}`, "account")
	keep(status, account)
	status, _, order := s.Send("POST", "/order", `{"company_id":1000000001,"amount":211.13,"installments":3,"metadata":{"who":"`+p["metadata"]+`"},"merchant_order_id":"`+p["memo"]+`"}`, "order")
	keep(status, order)
	calls := flood(s) + flood(lender)

	marker := func(x *devtest.Shopper) string { _, id, _ := x.Send("GET", "/v1/orders?limit=1", "", ""); return id }
	last := marker(s)
	s.Until("the last call is in the log", "/v1/requests?request_id="+last, func(list []map[string]any) bool { return len(list) == 1 })

	table := requestTable(t, filepath.Join(w.Data, "tenor.db"))
	if strings.Count(table, "\n") < calls/2 || !strings.Contains(table, "createOrder") || !strings.Contains(table, "211.13") || !strings.Contains(table, "***") {
		t.Fatalf("of %d calls the log has\n%.2000s", calls, table)
	}
	shown := shownOf(lender) + shownOf(s)
	for _, x := range secrets {
		p["+"+x] = x
	}
	for what, value := range p {
		for place, text := range map[string]string{"the table": table, "the answers": shown} {
			if i := strings.Index(text, value); i >= 0 {
				t.Errorf("%s has the %s: …%s…", place, what, text[max(0, i-200):i+40])
			}
		}
	}
	files, err := filepath.Glob(filepath.Join(w.Data, "tenor.db*"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		raw, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for what, value := range p {
			if strings.HasPrefix(what, "+") && strings.Contains(string(raw), value) {
				t.Errorf("%s has the %s", filepath.Base(file), what)
			}
		}
	}
	other := &devtest.Shopper{T: t, URL: w.URL, Token: devtest.OtherToken(t, w), HTTP: s.HTTP}
	for _, r := range other.List("/v1/requests?limit=100") {
		if r["client_id"] != other.List("/v1/requests?limit=1")[0]["client_id"] {
			t.Errorf("another merchant sees %v", r)
		}
	}
	other.API(404, "GET", "/v1/requests/"+last, "")
}

// requestTable returns everything in the log's table, one line per row.
func requestTable(t *testing.T, file string) string {
	t.Helper()
	db, err := sqlite.OpenConn(file, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var b strings.Builder
	err = sqlitex.ExecuteTransient(db, "SELECT * FROM requests", &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		for i := range s.ColumnCount() {
			b.WriteString(s.ColumnText(i) + "\t")
		}
		b.WriteString("\n")
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// shownOf returns what the API shows of the log: its lists, and the calls that wrote something.
func shownOf(s *devtest.Shopper) string {
	var b strings.Builder
	for _, class := range []string{"2xx", "4xx"} {
		for _, r := range s.List("/v1/requests?limit=100&status_class=" + class) {
			text, _ := json.Marshal(r)
			b.Write(text)
			if r["method"] != "GET" {
				whole, _ := json.Marshal(s.API(200, "GET", "/v1/requests/"+r["id"].(string), ""))
				b.Write(whole)
			}
		}
	}
	return b.String()
}

// The log shows the history of a key: when it was first used, how often its response was
// replayed, and where another request with the same key differs, including masked members.
func TestStoryOfAKey(t *testing.T) {
	s, _ := devtest.NewShopper(t)
	const first = `{"company_id":1000000001,"amount":150.00,"installments":3,"metadata":{"who":"one"}}`
	_, began, _ := s.Send("POST", "/order", first, "k-1")
	_, again, _ := s.Send("POST", "/v1/order", first, "k-1")
	_, differs, _ := s.Send("POST", "/order", `{"company_id":1000000001,"amount":151.00,"installments":3,"metadata":{"who":"two"},"merchant_order_id":"x"}`, "k-1")
	_, spaced, _ := s.Send("POST", "/order", strings.Replace(first, ",", ", ", 1), "k-1")
	s.Until("all are in the log", "/v1/requests?idempotency_key=k-1", func(list []map[string]any) bool { return len(list) == 4 })
	for _, x := range []struct {
		id      string
		status  float64
		differs []string
	}{
		{began, 201, nil}, {again, 201, nil}, {differs, 422, []string{"/amount", "/merchant_order_id", "/metadata"}}, {spaced, 422, []string{"bytes"}},
	} {
		r := s.API(200, "GET", "/v1/requests/"+x.id, "")
		h := r["idempotency"].(map[string]any)
		var got []string
		for _, d := range h["differs"].([]any) {
			got = append(got, d.(string))
		}
		if r["status"] != x.status || h["first_request_id"] != began || h["replays"] != 1.0 || h["stored_status"] != 201.0 || !slices.Equal(got, x.differs) {
			t.Errorf("%s: %v %v", x.id, r["status"], h)
		}
		if r["replayed"] != (x.id == again) {
			t.Errorf("%s is a replay: %v", x.id, r["replayed"])
		}
	}
	body := s.API(200, "GET", "/v1/requests/"+differs, "")["request"].(map[string]any)["body"].(map[string]any)
	if body["amount"] != 151.0 || body["merchant_order_id"] != "***" {
		t.Errorf("the body is shown as %v", body)
	}
	for range 2 { // a key containing an email address is recognized, but not shown
		s.Send("POST", "/order", `{"company_id":1000000001,"amount":10.00}`, "ada@secret.example")
	}
	s.Until("both are in the log", "/v1/requests?operation=createOrder", func(list []map[string]any) bool { return len(list) == 6 })
	list := s.List("/v1/requests?operation=createOrder&limit=2")
	if a, b := fmt.Sprint(list[0]["idempotency_key"]), fmt.Sprint(list[1]["idempotency_key"]); a != b || !strings.HasPrefix(a, "***") || strings.Contains(a, "@") {
		t.Errorf("the keys are shown as %s and %s", a, b)
	}
}

// A server told to keep no log keeps none, and otherwise answers as usual.
func TestRequestLogOff(t *testing.T) {
	n := testNode(t)
	defer n.Close()
	n.Unlogged = true
	s, err := node.NewServer(n, "http://localhost", n.Now, node.QuietLog(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	if s.Calls != nil || s.Keep() != nil {
		t.Error("there is a log")
	}
	if code, _ := ask(s, "GET", "/readyz"); code != 200 {
		t.Errorf("it answers %d", code)
	}
}
