package shop

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	"tenor/internal/domain/money"
)

// api plays Tenor for the shop, as documented: checkouts of carts, their completion, and events.
type api struct {
	t    *testing.T
	base string

	mu        sync.Mutex
	checkouts []*made
	answers   map[string]string // by Idempotency-Key, with the request
	completed int
	events    []map[string]any
	down      int // the next so many requests get no response
	refuse    *problem
	offer     string // the response about an amount; "": a plan of six payments
	offers    int    // number of requests
}

// made is a checkout and its cart.
type made struct {
	id, order, status, remote, cart string
	bill, ship                      string // the streets
	amount                          money.Amount
	returnURL, cancelURL            string
}

func newAPI(t *testing.T) *api {
	a := &api{t: t, answers: map[string]string{}}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/checkouts", a.create)
	mux.HandleFunc("GET /v1/checkouts/{id}", func(w http.ResponseWriter, r *http.Request) {
		if x := a.find(r.PathValue("id")); x != nil {
			a.answer(w, 200, a.resource(x))
			return
		}
		a.problem(w, 404, "not_found", nil)
	})
	mux.HandleFunc("POST /v1/checkouts/{id}/complete", a.complete)
	mux.HandleFunc("GET /v1/events", func(w http.ResponseWriter, r *http.Request) {
		from, q := 0, r.URL.Query()
		if cursor := q.Get("cursor"); cursor != "" {
			if _, err := fmt.Sscanf(cursor, "c%d-"+q.Get("created_from"), &from); err != nil || !strings.HasSuffix(cursor, "-"+q.Get("created_from")) {
				a.problem(w, 400, "invalid_cursor", nil)
				return
			}
		}
		a.answer(w, 200, map[string]any{"data": a.events[from:], "has_more": false, "next_cursor": fmt.Sprintf("c%d-%s", len(a.events), q.Get("created_from"))})
	})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		if r.URL.Path == "/v1/promotions" { // a public operation that a cart can do without
			a.promotion(w, r)
			return
		}
		if a.down > 0 {
			a.down--
			panic(http.ErrAbortHandler)
		}
		if r.Header.Get("Authorization") != "Bearer merchant-token" {
			a.problem(w, 401, "unauthorized", nil)
			return
		}
		if a.refuse != nil {
			a.problem(w, a.refuse.Status, a.refuse.Code, map[string]any{"detail": a.refuse.Detail})
			return
		}
		mux.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	a.base = server.URL
	return a
}

// promotion returns what an amount costs over time: a plan of six payments, unless the test says
// otherwise.
func (a *api) promotion(w http.ResponseWriter, r *http.Request) {
	a.offers++
	if q := r.URL.Query(); q.Get("merchant") != "mch_1" || q.Get("currency") != "USD" || !strings.Contains(q.Get("amount"), ".") {
		a.t.Errorf("asked what to say of %s", r.URL.RawQuery)
	}
	if a.offer == "" {
		a.offer = `{"eligible": true, "text": "From $207.06 a month: 6 payments, 12.00% APR", "installments": 6, "amount": 207.06, "finance_charge": 42.35, "apr": "12.00", "plans": [{"plan": "NET30", "installments": 1, "amount": 1200.00, "finance_charge": 0.00, "apr": "0.00"}, {"plan": "AMORTIZED", "installments": 3, "amount": 408.03, "finance_charge": 24.08, "apr": "12.00"}, {"plan": "AMORTIZED", "installments": 6, "amount": 207.06, "finance_charge": 42.35, "apr": "12.00"}, {"plan": "AMORTIZED", "installments": 24, "amount": 56.49, "finance_charge": 155.70, "apr": "12.00"}], "terms_url": "https://pay.example.com/promotions/terms?amount=1200.00"}`
	}
	w.Header().Set("Content-Type", "application/json")
	if _, err := w.Write([]byte(a.offer)); err != nil {
		a.t.Error(err)
	}
}

func (a *api) answer(w http.ResponseWriter, status int, body any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	if err := json.NewEncoder(w).Encode(body); err != nil {
		a.t.Error(err)
	}
}

func (a *api) problem(w http.ResponseWriter, status int, code string, more map[string]any) {
	body := map[string]any{"status": status, "code": code, "title": "Title of " + code + ".", "detail": "Detail.", "request_id": "req_1"}
	for k, v := range more {
		body[k] = v
	}
	a.answer(w, status, body)
}

func (a *api) find(id string) *made {
	if i := slices.IndexFunc(a.checkouts, func(x *made) bool { return x.id == id }); i >= 0 {
		return a.checkouts[i]
	}
	return nil
}

func (a *api) resource(x *made) map[string]any {
	return map[string]any{"id": x.id, "status": x.status, "order_key": x.order, "remote_id": x.remote, "checkout_url": a.base + "/c/" + x.id, "created_at": "2026-01-05T14:00:00Z"}
}

// create creates a checkout, or returns the open one of the same cart.
func (a *api) create(w http.ResponseWriter, r *http.Request) {
	var body struct {
		Amount    money.Amount      `json:"amount"`
		Charges   charges           `json:"charges"`
		Items     []json.RawMessage `json:"cart_items"`
		Remote    string            `json:"remote_id"`
		Mode      string            `json:"mode"`
		ReturnURL string            `json:"return_url"`
		CancelURL string            `json:"cancel_url"`
		Buyer     map[string]string `json:"buyer"`
		Bill      map[string]string `json:"billing_address"`
		Ship      map[string]string `json:"shipping_address"`
	}
	if err := json.NewDecoder(r.Body).Decode(&body); err != nil {
		a.t.Error(err)
	}
	if x := body.Charges; x.Total.Add(x.Shipping).Add(x.Tax).Sub(x.Discount) != body.Amount || x.GrandTotal != body.Amount || len(body.Items) == 0 {
		a.t.Errorf("the sums do not agree: %+v", body)
	}
	key, cart := r.Header.Get("Idempotency-Key"), fmt.Sprint(body)
	if was, ok := a.answers[key]; key == "" || ok && was != cart {
		a.t.Errorf("the key %q was another request's", key)
	}
	a.answers[key] = cart
	if !strings.Contains(body.Buyer["email"], "@") {
		a.problem(w, 422, "validation_failed", map[string]any{"detail": "An e-mail is needed."})
		return
	}
	for _, x := range a.checkouts {
		switch {
		case x.remote != body.Remote:
		case x.status == "COMPLETED":
			a.problem(w, 409, "checkout_already_completed", map[string]any{"order_key": x.order})
			return
		case x.status == "OPEN" && x.cart == cart:
			a.answer(w, 200, a.resource(x))
			return
		case x.status == "OPEN":
			x.status = "CANCELED"
		}
	}
	n := len(a.checkouts) + 1
	x := &made{
		id: fmt.Sprintf("chk_%d", n), order: fmt.Sprintf("ord_%d", n), status: "OPEN", remote: body.Remote, cart: cart, bill: body.Bill["street"], ship: body.Ship["street"],
		amount: body.Amount, returnURL: body.ReturnURL, cancelURL: body.CancelURL,
	}
	a.checkouts = append(a.checkouts, x)
	a.answer(w, 201, a.resource(x))
}

// complete authorizes the order of a checkout that a buyer has accepted.
func (a *api) complete(w http.ResponseWriter, r *http.Request) {
	x, key := a.find(r.PathValue("id")), r.Header.Get("Idempotency-Key")
	switch was, again := a.answers[key]; {
	case key == "":
		a.t.Error("complete has no key")
	case again: // replayed
		a.problem(w, 409, was, nil)
	case x == nil:
		a.problem(w, 404, "not_found", nil)
	case x.status != "ACCEPTED" && x.status != "COMPLETED":
		a.answers[key] = "checkout_not_accepted"
		a.problem(w, 409, "checkout_not_accepted", map[string]any{"checkout_status": x.status})
	default:
		if x.status == "ACCEPTED" {
			a.completed++
			a.event("order.authorized", "order", x.order)
		}
		x.status = "COMPLETED"
		a.answer(w, 200, map[string]any{"key": x.order, "status": "AUTHORIZED", "amount": x.amount})
	}
}

func (a *api) event(kind, object, id string) {
	a.events = append(a.events, map[string]any{"type": kind, "created_at": "2026-01-05T14:01:00Z", "object": map[string]any{"type": object, "id": id}})
}

// accept makes the buyer accept, and returns where the browser goes then.
func (a *api) accept(id string) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	x := a.find(id)
	x.status = "ACCEPTED"
	a.event("checkout.accepted", "checkout", x.id)
	a.event("checkout.accepted", "checkout", "chk_of_somebody_else")
	to := strings.NewReplacer("%ORDER_KEY%", x.order, "%CHECKOUT_ID%", x.id).Replace(x.returnURL)
	u, err := url.Parse(to)
	if err != nil {
		a.t.Fatal(err)
	}
	return u.RequestURI()
}
