package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"strings"
	"testing"
	"time"

	"tenor/client"
)

// The stories that the product promises exist, each with its statement. TestCheckouts covers
// those of checkouts.
func TestAll(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, s := range all {
		if !strings.HasPrefix(s.Name, "checkout-") {
			names = append(names, s.Name)
		}
	}
	want := "authorization-expires early-payoff events-out-of-order externally-managed happy-path late-unauthorized-return line-used-twice nsf-then-cure " +
		"overpayment-credit partial-capture partial-refund-two-paid refund-after-payout-clawback refund-before-payout review-approved-after-browser-closed three-returns-suspend webhook-outage"
	if got := strings.Join(names, " "); got != want {
		t.Errorf("there are %s\nwant %s", got, want)
	}
	if _, found, err := Find("nsf-then-cure"); !found || err != nil {
		t.Errorf("%v, %v", found, err)
	}
	if _, found, _ := Find("no-such"); found {
		t.Error("found what is not there")
	}
}

// A mistake in a trial balance is visible by itself: its sum is not zero.
func TestStatementsBalance(t *testing.T) {
	all, err := All()
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range all {
		sum := int64(0)
		for account, text := range s.Statement.TrialBalance {
			cents, ok := client.Amount(text).Cents()
			if !ok || cents == 0 {
				t.Errorf("%s: account %s: %s", s.Name, account, text)
			}
			sum += cents
		}
		if sum != 0 {
			t.Errorf("%s: the trial balance sums to %s", s.Name, client.OfCents(sum))
		}
	}
}

func TestMistakesInAFile(t *testing.T) {
	const head = `{"name":"x","purpose":"y","begins":"01-12T10:00","statement":{"comment":["F1"]},"steps":`
	for text, want := range map[string]string{
		head + `[{"call":"POST /order"}]}`:                                             "",
		head + `[]}`:                                                                   "are needed",
		head + `[{"cal":"POST /order"}]}`:                                              "unknown field",
		head + `[{"call":"FETCH /order"}]}`:                                            "is not like POST /order",
		head + `[{"call":"POST /order","to":"02-01T10:00"}]}`:                          "one of to, until, call",
		head + `[{"say":"nothing"}]}`:                                                  "one of to, until, call",
		head + `[{"say":"nothing comes","events":[]}]}`:                                "",
		head + `[{"call":"POST /order","events":[]}]}`:                                 "one of to, until, call",
		head + `[{"to":"02-01T10:00"},{"to":"01-31T10:00"}]}`:                          "behind 02-01T10:00",
		head + `[{"call":"POST /order","as":"buyer"}]}`:                                "neither shop nor lender",
		head + `[{"receiver":"asleep"}]}`:                                              "neither down nor up",
		strings.Replace(head, "01-12T10:00", "2026-01-12", 1) + `[{"receiver":"up"}]}`: "is not like 01-12T10:00",
	} {
		_, err := read([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

// server gives the responses of a test: method and path to status and body.
type server struct {
	answers map[string]string
	asked   []string
}

func (s *server) Do(_ context.Context, method, path string, body any, options ...client.Option) (*client.Response, error) {
	b, _ := json.Marshal(body)
	s.asked = append(s.asked, fmt.Sprintf("%s %s %s", method, path, b))
	text, found := s.answers[method+" "+path]
	if !found {
		text = `{"data":[]}`
	}
	// Only the client can record a response: use it with our own transport.
	c, err := client.New("http://localhost", "tnr_test")
	if err != nil {
		return nil, err
	}
	c.Retries = 0
	c.HTTP = &http.Client{Transport: answering(text)}
	return c.Do(context.Background(), method, path, body, options...)
}

// answering is a transport with a single response: a status, if it begins with one, and a body.
type answering string

func (a answering) RoundTrip(r *http.Request) (*http.Response, error) {
	status, body := 200, string(a)
	if n, err := fmt.Sscanf(body, "%d ", &status); err == nil && n == 1 {
		_, body, _ = strings.Cut(body, " ")
	} else {
		status = 200
	}
	w := &http.Response{StatusCode: status, Header: http.Header{"Content-Type": {"application/json"}}, Request: r, Body: http.NoBody}
	w.Body = readCloser{strings.NewReader(body)}
	return w, nil
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }

func (s *server) play(t *testing.T, x Scenario) (Result, []Line, error) {
	t.Helper()
	zone, err := time.LoadLocation("America/New_York")
	if err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		"GET /v1/sandbox/clock": `{"now":"2026-03-01T12:00:00Z"}`, "POST /v1/sandbox/clock/advance": `{"now":"2027-01-12T15:00:00Z","status":"ready"}`,
		"POST /v1/operator/merchants": `{"id":"mch_1"}`, "PUT /v1/operator/merchants/mch_1/bank_account": `{}`, "POST /v1/operator/clients": `{"id":"cli_1","secret":"tns_s3cr3t"}`,
		"POST /v1/webhooks": `{"id":"whk_1","secret":"whsec_s3cr3t"}`, "POST /v1/operator/companies": `{"id":"1000000001"}`,
	} {
		if s.answers[path] == "" {
			s.answers[path] = text
		}
	}
	var lines []Line
	r, err := Run(t.Context(), Config{
		Lender: s, Shop: func(string, string) (Caller, error) { return s, nil }, Zone: zone, Wall: time.Now, Patience: time.Millisecond, Tell: func(l Line) { lines = append(lines, l) },
	}, x)
	return r, lines, err
}

func story(steps ...Step) Scenario {
	return Scenario{Name: "x", Purpose: "y", Begins: "01-12T10:00", Buyer: Buyer{Limit: "1.00"}, Steps: steps}
}

// References in a step are filled in: from earlier responses, and with days of the year in which
// it is played. The next 12 January after March 2026 is in 2027. No line shows a secret.
func TestReferences(t *testing.T) {
	s := &server{answers: map[string]string{"POST /order": `201 {"key":"ord_1","rows":[{"amount":207.06}]}`, "GET /v1/order/ord_1?date=2027-02-15": `{"status":"X","none":null}`}}
	r, lines, err := s.play(t, story(
		Step{Call: "POST /order", Body: json.RawMessage(`{"company_id":"${company.id}","at":"${at 03-15T10:00}"}`), Name: "order", Members: map[string]string{"rows.0.amount": "207.06"}},
		Step{Call: "GET /v1/order/${order.key}?date=${day 02-15}", Status: 200, Members: map[string]string{"status": "X", "none": "null"}},
	))
	if err != nil || !r.Passed || r.MerchantID != "mch_1" || r.CompanyID != "1000000001" {
		t.Fatalf("%+v, %v", r, err)
	}
	all := strings.Join(s.asked, "\n")
	for _, want := range []string{
		`POST /v1/sandbox/clock/advance {"to":"2027-01-12T15:00:00Z"}`, `POST /order {"company_id":"1000000001","at":"2027-03-15T14:00:00Z"}`, `GET /v1/order/ord_1?date=2027-02-15`,
	} {
		if !strings.Contains(all, want) {
			t.Errorf("nobody asked %s in\n%s", want, all)
		}
	}
	text, _ := json.Marshal(lines)
	if strings.Contains(string(text), "s3cr3t") || len(lines) != r.Calls {
		t.Errorf("%d lines for %d calls: %s", len(lines), r.Calls, text)
	}
}

// A step with an unexpected response ends the run, and is reported; if the runner cannot do
// without the response, it is an error.
func TestBroken(t *testing.T) {
	s := &server{answers: map[string]string{"POST /order": `409 {"code":"company_not_eligible","status":409}`}}
	r, _, err := s.play(t, story(Step{Call: "POST /order"}, Step{Call: "GET /never"}))
	want := []Difference{{"step 1: POST /order: status", "success", "409 company_not_eligible"}}
	if err != nil || r.Passed || !reflect.DeepEqual(r.Differences, want) || strings.Contains(strings.Join(s.asked, " "), "never") {
		t.Errorf("%+v, %v", r, err)
	}
	s = &server{answers: map[string]string{"POST /v1/operator/companies": `403 {"code":"insufficient_scope","status":403}`}}
	if _, _, err := s.play(t, story(Step{Call: "GET /x"})); err == nil || !strings.Contains(err.Error(), "insufficient_scope") {
		t.Errorf("%v", err)
	}
	s = &server{answers: map[string]string{}}
	if _, _, err := s.play(t, story(Step{Call: "GET /v1/order/${order.key}"})); err == nil || !strings.Contains(err.Error(), "${order.key} is not known") {
		t.Errorf("%v", err)
	}
}

// Each member of a statement is checked: additional, missing and different ones.
func TestStatement(t *testing.T) {
	entries := url.QueryEscape("2027-01-01")
	s := &server{answers: map[string]string{
		"POST /order":                                     `201 {"key":"ord_1"}`,
		"GET /v1/order/ord_1":                             `{"status":"CAPTURED"}`,
		"GET /payments/schedule/ord_1":                    `{"installments":[{"due_date":"2027-02-15","amount":10.00,"status":"PAID"},{"due_date":"2027-03-15","amount":10.00,"status":"DUE"}]}`,
		"GET /v1/companies/1000000001/payments?limit=100": `{"data":[{"created_at":"2","attempt":1,"amount":2.00,"method":"ACH","status":"SUCCEEDED"},{"created_at":"1","attempt":1,"amount":1.00,"method":"ACH","status":"SUCCEEDED"}]}`,
		"GET /v1/payouts?limit=100":                       `{"data":[{"net":9.70,"status":"SETTLED"}]}`,
		"GET /v2/companies/1000000001":                    `{"status":"APPROVED"}`,
		"GET /v1/operator/ledger/entries?from=" + entries: `{"data":[
			{"postings":[{"account":1000,"debit":1.00,"credit":0.00,"merchant_id":"mch_1"},{"account":1100,"debit":0.00,"credit":1.00}]},
			{"postings":[{"account":2000,"debit":5.00,"credit":0.00,"merchant_id":"mch_2"},{"account":1100,"debit":0.00,"credit":5.00}]}]}`,
	}}
	x := story(Step{Call: "POST /order", Name: "order"})
	x.Statement = Statement{
		Orders: map[string]map[string]string{"order": {"status": "CAPTURED"}}, Schedules: map[string][][3]string{"order": {{"${day 02-15}", "10.00", "PAID"}, {"${day 03-15}", "10.00", "DUE"}}},
		Payments: [][4]string{{"1.00", "ACH", "SUCCEEDED", "1"}, {"2.00", "ACH", "SUCCEEDED", "1"}}, Payouts: [][2]string{{"9.70", "SETTLED"}},
		Company: map[string]string{"status": "APPROVED"}, TrialBalance: map[string]string{"1000": "1.00", "1100": "-1.00"},
	}
	if r, _, err := s.play(t, x); err != nil || !r.Passed {
		t.Fatalf("%+v, %v", r, err)
	}
	x.Statement = Statement{
		Orders: map[string]map[string]string{"order": {"status": "RETURNED", "missing": "1"}}, Schedules: map[string][][3]string{"order": {{"${day 02-15}", "10.01", "PAID"}}},
		Payments: [][4]string{{"1.00", "ACH", "SUCCEEDED", "1"}, {"2.00", "ACH", "SUCCEEDED", "1"}, {"3.00", "ACH", "SUCCEEDED", "1"}}, Payouts: nil,
		Company: map[string]string{"status": "SUSPENDED"}, Received: map[string]string{"order": "CAPTURED"}, TrialBalance: map[string]string{"1000": "1.00", "2000": "0.01"},
	}
	r, _, err := s.play(t, x)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range r.Differences {
		got = append(got, d.What+": "+d.Expected+" / "+d.Got)
	}
	want := []string{
		"order order: missing: 1 / (absent)", "order order: status: RETURNED / CAPTURED",
		"installment of order 1: 2027-02-15 10.01 PAID / 2027-02-15 10.00 PAID", "installment of order 2: (none) / 2027-03-15 10.00 DUE",
		"payment 3: 3.00 ACH SUCCEEDED 1 / (none)", "payout 1: (none) / 9.70 SETTLED", "company: status: SUSPENDED / APPROVED",
		"account 2000: 0.01 / 0.00", "account 1100: 0.00 / -1.00", "received order order: CAPTURED / (not received)",
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// Checking the events finds an additional one, one in the wrong place, a missing one and one that
// does not arrive as a webhook. Events after the last check are also a difference.
func TestEvents(t *testing.T) {
	const first, authorized = "order.created ord_1", "order.authorized ord_1"
	for _, c := range []struct {
		name           string
		expected, look []string
		after          []string
		want           string
	}{
		{name: "none"},
		{"too many", nil, []string{first}, nil, "step 1: event 1: (none) / order.created ord_1"},
		{"another", []string{first, authorized}, []string{"order.created ord_2"}, nil, "step 1: event 1: order.created ord_1 / order.created ord_2; step 1: event 2: order.authorized ord_1 / (none)"},
		{"no webhook", []string{first}, []string{first}, nil, "step 1: webhook order.created: 1 times / 0 times"},
		{"afterwards", nil, nil, []string{authorized}, "event after the last step 1: (none) / order.authorized ord_1"},
	} {
		s := &server{answers: map[string]string{
			"GET /v1/events?limit=100":          eventPage("a", "company.created 7"),
			"GET /v1/events?limit=100&cursor=a": eventPage("b", c.look...), "GET /v1/events?limit=100&cursor=b": eventPage("c", c.after...),
		}}
		look := Step{Events: [][2]string{}}
		for _, e := range c.expected {
			kind, object, _ := strings.Cut(e, " ")
			look.Events = append(look.Events, [2]string{kind, object})
		}
		r, _, err := s.play(t, story(look))
		var got []string
		for _, d := range r.Differences {
			got = append(got, d.What+": "+d.Expected+" / "+d.Got)
		}
		if err != nil || r.Passed != (c.want == "") || strings.Join(got, "; ") != c.want {
			t.Errorf("%s: %q, %v", c.name, got, err)
		}
	}
}

// eventPage is a page of events, and the cursor after it.
func eventPage(next string, events ...string) string {
	var rows []string
	for _, e := range events {
		kind, object, _ := strings.Cut(e, " ")
		rows = append(rows, fmt.Sprintf(`{"type":%q,"object":{"id":%q}}`, kind, object))
	}
	return fmt.Sprintf(`{"data":[%s],"next_cursor":%q}`, strings.Join(rows, ","), next)
}

// The receiver trusts the highest sequence, in whatever order events arrive.
func TestReceiverGoesBySequence(t *testing.T) {
	h := &receiver{known: map[string]known{}}
	told := func(kind string, sequence int64, status string) {
		h.learn(client.Event{Type: kind, Sequence: sequence, Object: client.EventObject{Type: "order", ID: "ord_1"}, Data: client.EventData{Object: json.RawMessage(`{"status":"` + status + `"}`)}})
	}
	told("order.captured", 3, "CAPTURED")
	told("order.authorized", 2, "AUTHORIZED")
	told("schedule.updated", 4, "ACTIVE")
	if got := h.status("ord_1"); got != "CAPTURED" {
		t.Errorf("it believes %s", got)
	}
	told("order.returned", 5, "RETURNED")
	if got := h.status("ord_1"); got != "RETURNED" {
		t.Errorf("it believes %s", got)
	}
}
