package sandbox

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/edge/webhook"
)

const (
	testSecret  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	otherSecret = "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8="
	callsSecret = "whsec_ICEiIyQlJicoKSorLC0uLzAxMjM0NTY3ODk6Ozw9Pj8="
)

var testNow = time.Date(2026, 11, 2, 15, 0, 0, 0, time.UTC)

// testReceivers returns receivers to which merchant m_a sends as "orders", both merchants
// as "both", and m_b whatever its checkouts name.
func testReceivers() *Receivers {
	owners := map[string][]Owner{
		"orders": {{Merchant: "m_a", Endpoint: "whk_1", Secrets: []string{testSecret}}},
		"both":   {{Merchant: "m_a", Endpoint: "whk_2", Secrets: []string{testSecret}}, {Merchant: "m_b", Endpoint: "whk_3", Secrets: []string{otherSecret}}},
	}
	calls := Owner{Merchant: "m_b", Endpoint: "whk_4", Secrets: []string{callsSecret}, Any: true}
	return NewReceivers(func(_ context.Context, name string) ([]Owner, error) {
		return append([]Owner{calls}, owners[name]...), nil
	}, func() time.Time { return testNow })
}

// message is a request to a receiver, signed at the time of the test.
func message(name, secret, body string, change ...func(*http.Request)) *http.Request {
	r := httptest.NewRequest("POST", "http://localhost:8080"+ReceivePath+name, strings.NewReader(body))
	at := fmt.Sprint(testNow.Unix())
	r.Header.Set(headerID, "evt_1")
	r.Header.Set(headerTimestamp, at)
	r.Header.Set(headerSignature, signature(secret, "evt_1", at, []byte(body)))
	for _, c := range change {
		c(r)
	}
	return r
}

func send(x *Receivers, r *http.Request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	x.ServeHTTP(w, r)
	return w
}

// A receiver's check of each message equals a real receiver's, and names the step that
// fails.
func TestReceiverChecks(t *testing.T) {
	header := func(name, value string) func(*http.Request) {
		return func(r *http.Request) { r.Header.Set(name, value) }
	}
	good := message("orders", testSecret, `{"type":"a"}`).Header.Get(headerSignature)
	for _, c := range []struct {
		name    string
		change  func(*http.Request)
		verdict Verdict
		fails   string // steps
	}{
		{"as it was sent", func(*http.Request) {}, Good, ""},
		{"another signature before it", header(headerSignature, "v1,AAAA "+good), Good, ""},
		{"another body", func(r *http.Request) { r.Body = io.NopCloser(strings.NewReader(`{"type": "a"}`)) }, Refused, "given verdict"},
		{"another id", header(headerID, "evt_2"), Refused, "given verdict"},
		{"old", header(headerTimestamp, fmt.Sprint(testNow.Unix()-301)), Refused, "timestamp given verdict"},
		{"early", header(headerTimestamp, fmt.Sprint(testNow.Unix()+301)), Refused, "timestamp given verdict"},
		{"no time", header(headerTimestamp, "soon"), Refused, "timestamp given verdict"},
		{"no signature", func(r *http.Request) { r.Header.Del(headerSignature) }, Refused, "headers given verdict"},
		{"two ids", func(r *http.Request) { r.Header.Add(headerID, "evt_1") }, Refused, "headers verdict"},
		{"another version", header(headerSignature, "v2,"+strings.TrimPrefix(good, "v1,")), Refused, "given verdict"},
		{"cut", header(headerSignature, good[:len(good)-2]), Refused, "given verdict"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := testReceivers()
			r := message("orders", testSecret, `{"type":"a"}`, c.change)
			body, _ := io.ReadAll(r.Body)
			r.Body = io.NopCloser(strings.NewReader(string(body)))
			if w := send(x, r); w.Code != http.StatusNoContent {
				t.Fatalf("answered %d", w.Code)
			}
			d := x.Deliveries("m_a", "orders")[0]
			got, err := x.Check(context.Background(), d, "")
			if err != nil || got.Verdict != c.verdict {
				t.Fatalf("%s, %v: %+v", got.Verdict, err, got)
			}
			var failed []string
			for _, s := range got.Steps {
				if !s.OK {
					failed = append(failed, s.Name)
				}
			}
			if strings.Join(failed, " ") != c.fails {
				t.Errorf("failed: %v", failed)
			}
			real := webhook.Verify(testSecret, r.Header, body, testNow) == nil
			if real != (c.verdict == Good) {
				t.Errorf("webhook.Verify says %v", real)
			}
			if other, _ := x.Check(context.Background(), d, otherSecret); other.Verdict != Refused {
				t.Errorf("with another secret: %s", other.Verdict)
			}
			if empty, _ := x.Check(context.Background(), d, "whsec_"); empty.Verdict != Refused {
				t.Errorf("with an empty secret: %s", empty.Verdict)
			}
		})
	}
}

// What a merchant's endpoint has signed belongs to that merchant; what nobody has signed is
// shown to whoever has the name. A name that nobody has does not exist.
func TestReceiversTellMerchantsApart(t *testing.T) {
	x, ctx := testReceivers(), context.Background()
	send(x, message("both", testSecret, `{"n":1}`))
	send(x, message("both", otherSecret, `{"n":2}`))
	send(x, message("both", "whsec_"+strings.Repeat("A", 40), `{"n":3}`))
	for merchant, want := range map[string]string{"m_a": `{"n":3}{"n":1}`, "m_b": `{"n":2}`, "m_c": ""} {
		var got strings.Builder
		for _, d := range x.Deliveries(merchant, "both") {
			got.Write(d.Body)
			if _, err := x.Delivery("m_c", "both", d.ID); err != ErrReceiverUnknown {
				t.Errorf("a stranger gets %v", err)
			}
		}
		if got.String() != want {
			t.Errorf("%s sees %s, want %s", merchant, got.String(), want)
		}
	}
	if w := send(x, message("nobody", testSecret, `{}`)); w.Code != http.StatusNotFound || len(x.kept) != 3 {
		t.Errorf("a name that nobody has: %d, %d kept", w.Code, len(x.kept))
	}
	if _, err := x.Tell(ctx, "m_b", "orders", Manner{Behavior: Gone}); err != ErrReceiverUnknown {
		t.Errorf("somebody else tells it: %v", err)
	}
	if _, err := x.Send(ctx, "m_b", "orders", Message{ID: "evt_1"}); err != ErrReceiverUnknown {
		t.Errorf("somebody else sends: %v", err)
	}
	if _, err := x.Tell(ctx, "m_b", "mine", Manner{Behavior: Fail, Times: 1}); err != nil {
		t.Fatal(err)
	}
	if _, err := x.Tell(ctx, "m_a", "mine", Manner{Behavior: Gone}); err != ErrReceiverUnknown {
		t.Errorf("another takes a name: %v", err)
	}
	names := func(merchant string, endpoints ...string) (out []string) {
		for _, r := range x.List(merchant, endpoints) {
			out = append(out, fmt.Sprint(r.Name, r.Kept))
		}
		return out
	}
	if got := names("m_b", "both"); !slices.Equal(got, []string{"both1", "mine0"}) {
		t.Errorf("m_b has %v", got)
	}
	if got := names("m_a", "orders", "both"); !slices.Equal(got, []string{"both2", "orders0"}) {
		t.Errorf("m_a has %v", got)
	}
}

// A receiver does what it is told, as often as it is told.
func TestReceiverBehaviors(t *testing.T) {
	x, ctx := testReceivers(), context.Background()
	server := httptest.NewServer(x)
	defer server.Close()
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	post := func() (int, http.Header) {
		r, err := client.Post(server.URL+ReceivePath+"orders", "application/json", strings.NewReader("{}"))
		if err != nil {
			return 0, nil
		}
		defer r.Body.Close()
		return r.StatusCode, r.Header
	}
	for behavior, want := range map[Behavior]int{Accept: 204, Fail: 500, Gone: 410, Redirect: 302, Busy: 503, LoseResponse: 0} {
		before := len(x.Deliveries("m_a", "orders"))
		if _, err := x.Tell(ctx, "m_a", "orders", Manner{Behavior: behavior, RetryAfter: 7, Times: 2}); err != nil {
			t.Fatal(err)
		}
		for i, status := range []int{want, want, 204} {
			got, header := post()
			if got != status {
				t.Errorf("%s, delivery %d: %d, want %d", behavior, i+1, got, status)
			}
			if behavior == Busy && got == 503 && header.Get("Retry-After") != "7" {
				t.Errorf("Retry-After is %q", header.Get("Retry-After"))
			}
		}
		if n := len(x.Deliveries("m_a", "orders")) - before; n != 3 {
			t.Errorf("%s: %d kept", behavior, n)
		}
	}
	// Requests that wait for an answer that never comes are ended at the end.
	if _, err := x.Tell(ctx, "m_a", "orders", Manner{Behavior: TimeOut, Times: 1}); err != nil {
		t.Fatal(err)
	}
	answered := make(chan int, 1)
	go func() { n, _ := post(); answered <- n }()
	select {
	case n := <-answered:
		t.Errorf("it answered %d", n)
	case <-time.After(50 * time.Millisecond):
	}
	x.Release()
	if n := <-answered; n != 0 {
		t.Errorf("it answered %d", n)
	}
}

// A browser's request on behalf of another site is refused, and so is one to a host name
// rebound to this machine.
func TestReceiverTakesNothingFromOtherSites(t *testing.T) {
	for name, change := range map[string]func(*http.Request){
		"cross-site form":  func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "cross-site") },
		"sister site":      func(r *http.Request) { r.Header.Set("Sec-Fetch-Site", "same-site") },
		"other origin":     func(r *http.Request) { r.Header.Set("Origin", "https://evil.example") },
		"rebinding":        func(r *http.Request) { r.Host = "evil.example:8080" },
		"name in a suffix": func(r *http.Request) { r.Host = "localhost.evil.example" },
		"no name":          func(r *http.Request) { r.URL.Path = ReceivePath },
		"bad name":         func(r *http.Request) { r.URL.Path = ReceivePath + "../x" },
		"long name":        func(r *http.Request) { r.URL.Path = ReceivePath + strings.Repeat("a", 64) },
		"GET":              func(r *http.Request) { r.Method = "GET" },
		"large":            func(r *http.Request) { r.Body = io.NopCloser(io.LimitReader(zeroes{}, maxReceived+1)) },
	} {
		x := testReceivers()
		if w := send(x, message("orders", testSecret, "{}", change)); w.Code < 400 || len(x.kept) != 0 {
			t.Errorf("%s: %d, %d kept", name, w.Code, len(x.kept))
		}
	}
}

type zeroes struct{}

func (zeroes) Read(b []byte) (int, error) { return len(b), nil }

// What is stored is bounded, whoever sends and however much.
func TestReceiversForget(t *testing.T) {
	x, ctx := testReceivers(), context.Background()
	for i := range 2 * maxKept {
		send(x, message("orders", testSecret, fmt.Sprint(i)))
	}
	send(x, message("both", testSecret, "{}"))
	list := x.Deliveries("m_a", "orders")
	if len(list) != maxKept || string(list[0].Body) != fmt.Sprint(2*maxKept-1) {
		t.Errorf("%d are kept, the last is %s", len(list), list[0].Body)
	}
	large := strings.Repeat("x", maxReceived)
	for range 80 {
		if _, err := x.Send(ctx, "m_a", "both", Message{ID: "evt_1", Body: []byte(large)}); err != nil {
			t.Fatal(err)
		}
	}
	sum := 0
	for _, d := range x.kept {
		sum += d.size()
	}
	if sum > maxKeptBytes || sum != x.bytes || len(x.Deliveries("m_a", "orders")) != 0 {
		t.Errorf("%d bytes are kept and %d counted", sum, x.bytes)
	}
	for i := range MaxReceivers {
		if _, err := x.Tell(ctx, "m_a", fmt.Sprint("r", i), Manner{Behavior: Accept}); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := x.Tell(ctx, "m_a", "one-more", Manner{}); err != ErrReceivers {
		t.Errorf("one more: %v", err)
	}
}

// A hand-written message is signed as requested.
func TestReceiverTakesMessages(t *testing.T) {
	x, ctx := testReceivers(), context.Background()
	for _, c := range []struct {
		m    Message
		want Verdict
	}{
		{Message{ID: "evt_9", Body: []byte("{}")}, Good},
		{Message{ID: "evt_9", Body: []byte("{}"), Signature: "v1,AAAA"}, Refused},
		{Message{ID: "evt_9", Body: []byte("{}"), Timestamp: "1"}, Refused},
	} {
		d, err := x.Send(ctx, "m_b", "both", c.m)
		if err != nil {
			t.Fatal(err)
		}
		if got, _ := x.Check(ctx, d, ""); got.Verdict != c.want {
			t.Errorf("%+v: %s", c.m, got.Verdict)
		}
	}
	if n := len(x.Deliveries("m_a", "both")); n != 0 {
		t.Errorf("another merchant sees %d", n)
	}
}

// What is signed for a merchant's checkouts is accepted under any name and belongs to that
// merchant; the name still belongs to nobody, or to its owner.
func TestReceiverOfCheckouts(t *testing.T) {
	x := testReceivers()
	if w := send(x, message("done", "whsec_"+strings.Repeat("A", 32), `{}`)); w.Code != http.StatusNotFound {
		t.Errorf("what nobody has signed: %d", w.Code)
	}
	for _, name := range []string{"done", "orders"} {
		if w := send(x, message(name, callsSecret, `{}`)); w.Code != http.StatusNoContent {
			t.Errorf("%s: %d", name, w.Code)
		}
		mine, theirs := x.Deliveries("m_b", name), x.Deliveries("m_a", name)
		if len(mine) != 1 || len(theirs) != 0 {
			t.Fatalf("%s: %d and %d", name, len(mine), len(theirs))
		}
		if c, err := x.Check(t.Context(), mine[0], ""); err != nil || c.Verdict != Good {
			t.Errorf("%s: %+v, %v", name, c, err)
		}
	}
	if _, err := x.Send(t.Context(), "m_b", "free", Message{ID: "evt_1", Body: []byte("{}")}); !errors.Is(err, ErrReceiverUnknown) {
		t.Errorf("to a name that nobody has: %v", err)
	}
	if _, err := x.Tell(t.Context(), "m_a", "free", Manner{Behavior: Fail}); err != nil {
		t.Errorf("a name that nobody has is told: %v", err)
	}
	if _, err := x.Tell(t.Context(), "m_b", "orders", Manner{Behavior: Fail}); !errors.Is(err, ErrReceiverUnknown) {
		t.Errorf("another's name is told: %v", err)
	}
}
