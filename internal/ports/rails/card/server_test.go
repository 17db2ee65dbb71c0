package card

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/ports/rails"
)

var _ rails.Processor = (*Stripe)(nil)

const secret = "sk_live_do_not_tell"

// object is a JSON object of the API.
type object = map[string]any

// processor plays the API: the shapes, statuses and idempotency rules of its public reference,
// for the calls made here.
type processor struct {
	t   *testing.T
	url string

	mu      sync.Mutex
	keys    map[string]saved // answers by idempotency key
	intents []object
	refunds []object
	events  []object            // newest first
	parts   map[string][]object // balance transactions by payout
	lag     bool                // the index finds nothing yet
	calls   []string
	forms   []url.Values
	cards   map[string]object // a card's behavior: an error object, by payment method
	before  func(w http.ResponseWriter, r *http.Request) (done bool)
	after   func(r *http.Request) // the work is done, the response is not sent yet
}

type saved struct {
	form   string
	status int
	body   json.RawMessage // as it was then
}

func start(t *testing.T) (*processor, *Stripe) {
	t.Helper()
	p := &processor{t: t, keys: map[string]saved{}, parts: map[string][]object{}, cards: map[string]object{}}
	server := httptest.NewServer(p)
	p.url = server.URL
	t.Cleanup(server.Close)
	return p, p.client(t, nil)
}

func (p *processor) client(t *testing.T, change func(*Config)) *Stripe {
	t.Helper()
	c := Config{Secret: secret, Client: &http.Client{}, Base: p.url, Timeout: time.Minute}
	if change != nil {
		change(&c)
	}
	s, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func (p *processor) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	before, after := p.before, p.after
	p.mu.Unlock()
	if before != nil && before(w, r) {
		return
	}
	status, body := p.answer(r)
	if status == http.StatusOK {
		vendor.compare(p.t, r, body)
	}
	if after != nil {
		after(r)
	}
	write(w, status, body)
}

func write(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(body)
}

// failed is an error as the API sends it.
func failed(kind, code, message string) object {
	return object{"error": object{"type": kind, "code": code, "message": message, "doc_url": "https://stripe.com/docs/error-codes"}}
}

// answer executes a request and encodes the response as of that moment.
func (p *processor) answer(r *http.Request) (int, json.RawMessage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	status, body := p.work(r)
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Error(err)
	}
	return status, text
}

func (p *processor) work(r *http.Request) (int, any) {
	if r.Header.Get("Authorization") != "Bearer "+secret || r.Header.Get("Stripe-Version") != version {
		return 401, failed("invalid_request_error", "", "Invalid API Key provided: "+r.Header.Get("Authorization"))
	}
	if err := r.ParseForm(); err != nil {
		return 400, failed("invalid_request_error", "parse", err.Error())
	}
	p.calls = append(p.calls, r.Method+" "+r.URL.Path)
	p.forms = append(p.forms, r.Form)
	if r.Method == http.MethodGet {
		return p.get(r)
	}
	key := r.Header.Get("Idempotency-Key")
	if old, ok := p.keys[key]; ok {
		if old.form != r.URL.Path+"?"+r.Form.Encode() {
			return 400, failed("idempotency_error", "", "Keys for idempotent requests can only be used with the same parameters.")
		}
		return old.status, old.body
	}
	status, body := p.post(r)
	text, err := json.Marshal(body)
	if err != nil {
		p.t.Error(err)
	}
	p.keys[key] = saved{r.URL.Path + "?" + r.Form.Encode(), status, text}
	return status, body
}

func (p *processor) get(r *http.Request) (int, object) {
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	list := func(all []object) (int, object) {
		from := 0
		if after := r.Form.Get("starting_after"); after != "" {
			from = 1 + slices.IndexFunc(all, func(x object) bool { return x["id"] == after })
		}
		n, _ := strconv.Atoi(r.Form.Get("limit"))
		to := min(len(all), from+n)
		return 200, object{"object": "list", "url": r.URL.Path, "data": append([]object{}, all[from:to]...), "has_more": to < len(all)}
	}
	only := func(all []object, keep func(object) bool) []object {
		return slices.DeleteFunc(slices.Clone(all), func(x object) bool { return !keep(x) })
	}
	switch {
	case r.URL.Path == "/v1/payment_intents/search":
		found := only(p.intents, func(x object) bool {
			return r.Form.Get("query") == fmt.Sprintf(`metadata["tenor_transfer"]:"%s"`, x["metadata"].(map[string]string)["tenor_transfer"])
		})
		if p.lag {
			found = nil
		}
		return 200, object{"object": "search_result", "url": r.URL.Path, "has_more": false, "data": append([]object{}, found...)}
	case path[0] == "payment_intents" && len(path) == 2:
		for _, x := range p.intents {
			if x["id"] == path[1] {
				return 200, x
			}
		}
		return 404, failed("invalid_request_error", "resource_missing", "No such payment_intent")
	case r.URL.Path == "/v1/refunds":
		return list(only(p.refunds, func(x object) bool { return x["payment_intent"] == r.Form.Get("payment_intent") }))
	case r.URL.Path == "/v1/events":
		from, _ := strconv.ParseInt(r.Form.Get("created[gte]"), 10, 64)
		return list(only(p.events, func(x object) bool {
			return x["created"].(int64) >= from && slices.Contains(r.Form["types[]"], x["type"].(string))
		}))
	case r.URL.Path == "/v1/balance_transactions":
		if !slices.Contains(r.Form["expand[]"], "data.source") {
			p.t.Error("the sources are not asked for")
		}
		return list(p.parts[r.Form.Get("payout")])
	}
	return 404, failed("invalid_request_error", "", "Unrecognized request URL")
}

func (p *processor) post(r *http.Request) (int, object) {
	path := strings.Split(strings.TrimPrefix(r.URL.Path, "/v1/"), "/")
	amount, _ := strconv.ParseInt(r.Form.Get("amount"), 10, 64)
	meta := map[string]string{"tenor_transfer": r.Form.Get("metadata[tenor_transfer]")}
	switch {
	case r.URL.Path == "/v1/payment_intents":
		x := object{
			"id": fmt.Sprintf("pi_%d", len(p.intents)+1), "object": "payment_intent", "amount": amount, "currency": r.Form.Get("currency"),
			"status": "succeeded", "metadata": meta, "last_payment_error": nil, "client_secret": "pi_secret",
		}
		card := p.cards[r.Form.Get("payment_method")]
		if card["type"] == "invalid_request_error" {
			return 400, object{"error": card}
		}
		p.intents = append(p.intents, x)
		if status, ok := card["status"]; ok {
			x["status"] = status
			return 200, x
		}
		if card != nil {
			x["status"], x["last_payment_error"] = "requires_payment_method", card
			told := object{"payment_intent": x}
			for k, v := range card {
				told[k] = v
			}
			return 402, object{"error": told}
		}
		return 200, x
	case path[0] == "payment_intents" && len(path) == 3 && path[2] == "cancel":
		i := slices.IndexFunc(p.intents, func(x object) bool { return x["id"] == path[1] })
		if p.intents[i]["status"] == "succeeded" || p.intents[i]["status"] == "canceled" {
			return 400, failed("invalid_request_error", "payment_intent_unexpected_state", "You cannot cancel this PaymentIntent.")
		}
		p.intents[i]["status"] = "canceled"
		return 200, p.intents[i]
	case r.URL.Path == "/v1/refunds":
		left := int64(0)
		for _, x := range p.intents {
			if x["id"] == r.Form.Get("payment_intent") {
				left = x["amount"].(int64)
			}
		}
		for _, x := range p.refunds {
			if x["payment_intent"] == r.Form.Get("payment_intent") {
				left -= x["amount"].(int64)
			}
		}
		if amount > left {
			return 400, failed("invalid_request_error", "charge_already_refunded", "Charge has already been refunded.")
		}
		x := object{
			"id": fmt.Sprintf("re_%d", len(p.refunds)+1), "object": "refund", "amount": amount, "status": "succeeded",
			"payment_intent": r.Form.Get("payment_intent"), "metadata": meta,
		}
		p.refunds = append([]object{x}, p.refunds...)
		return 200, x
	}
	return 404, failed("invalid_request_error", "", "Unrecognized request URL")
}

// change changes the processor's state or behavior.
func (p *processor) change(f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	f()
}

// count returns how often something was called.
func (p *processor) count(call string) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := 0
	for _, x := range p.calls {
		if x == call {
			n++
		}
	}
	return n
}
