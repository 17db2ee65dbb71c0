package card

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tenor/internal/domain/money"
)

const create = "POST /v1/payment_intents"

// The exact request, and that the same key charges once, both while the processor knows the key
// and when only the metadata identifies the charge.
func TestCharge(t *testing.T) {
	p, s := start(t)
	for _, forget := range []bool{false, true} {
		if forget {
			p.change(func() { p.keys = map[string]saved{} })
		}
		for _, lag := range []bool{true, false} {
			if forget && lag {
				continue // a day later the index has caught up
			}
			p.change(func() { p.lag = lag })
			x, err := s.Charge(t.Context(), "trf_1", "cus_9/pm_9", money.MustParse("104.65"))
			if err != nil || !x.Approved || x.Reference != "pi_1" {
				t.Fatalf("%+v, %v", x, err)
			}
		}
	}
	if len(p.intents) != 1 {
		t.Errorf("charged %d times", len(p.intents))
	}
	want := url.Values{
		"amount": {"10465"}, "currency": {"usd"}, "payment_method_types[]": {"card"}, "confirm": {"true"}, "off_session": {"true"},
		"customer": {"cus_9"}, "payment_method": {"pm_9"}, "metadata[tenor_transfer]": {"trf_1"},
	}
	if !reflect.DeepEqual(p.forms[1], want) {
		t.Errorf("asked for %v", p.forms[1])
	}
	if x, err := s.Charge(t.Context(), "trf_1", "cus_9/pm_9", 1); !errors.Is(err, ErrUnknown) {
		t.Errorf("another amount with the same key: %+v, %v", x, err)
	}
}

func TestDeclines(t *testing.T) {
	p, s := start(t)
	p.cards = map[string]object{
		"pm_poor":    {"type": "card_error", "code": "card_declined", "decline_code": "insufficient_funds", "message": "Your card has insufficient funds."},
		"pm_expired": {"type": "card_error", "code": "expired_card", "message": "Your card has expired."},
		"pm_ask":     {"type": "card_error", "code": "authentication_required", "message": "The payment requires authentication."},
		"pm_action":  {"status": "requires_action"},
		"pm_gone":    {"type": "invalid_request_error", "code": "resource_missing", "message": "No such PaymentMethod: 'pm_gone'"},
	}
	for token, code := range map[string]string{
		"pm_poor": "insufficient_funds", "pm_expired": "expired_card", "pm_ask": "authentication_required", "pm_action": "authentication_required", "pm_gone": "resource_missing",
	} {
		for _, lag := range []bool{true, true, false} { // repeated, it gives the same result
			p.change(func() { p.lag = lag })
			x, err := s.Charge(t.Context(), "key-"+token, token, 500)
			if err != nil || x.Approved || x.Code != code || x.Message == "" {
				t.Errorf("%s: %+v, %v", token, x, err)
			}
		}
	}
	for _, x := range p.intents {
		if x["status"] != "canceled" {
			t.Errorf("%v can still take money: %v", x["id"], x["status"])
		}
	}
	if len(p.intents) != 4 {
		t.Errorf("%d intents", len(p.intents))
	}
}

// A charge being processed has no outcome yet; later it has one.
func TestProcessing(t *testing.T) {
	p, s := start(t)
	p.lag = true
	p.cards["pm_slow"] = object{"status": "processing"}
	for range 2 {
		if x, err := s.Charge(t.Context(), "k", "pm_slow", 500); !errors.Is(err, ErrUnknown) {
			t.Fatalf("%+v, %v", x, err)
		}
	}
	p.change(func() { p.intents[0]["status"] = "succeeded" })
	if x, err := s.Charge(t.Context(), "k", "pm_slow", 500); err != nil || !x.Approved || x.Reference != "pi_1" {
		t.Errorf("%+v, %v", x, err)
	}
}

// The response is lost after the card was charged: the outcome is unknown, and retrying with the
// same key charges nothing more.
func TestLostAnswer(t *testing.T) {
	for name, lose := range map[string]func(http.ResponseWriter, *http.Request){
		"cut": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"cut short": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "500")
			write(w, 200, object{})
		},
		"not json": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("<html>")) },
		"gateway":  func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(502) },
		"empty":    func(w http.ResponseWriter, _ *http.Request) { write(w, 200, object{}) },
	} {
		p, s := start(t)
		var losing atomic.Bool
		losing.Store(true)
		p.before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method != http.MethodPost || !losing.Load() {
				return false
			}
			p.answer(r) // the work is done
			lose(w, r)
			return true
		}
		p.lag = true
		if x, err := s.Charge(t.Context(), "k", "pm_ok", 500); !errors.Is(err, ErrUnknown) || x.Approved {
			t.Errorf("%s: %+v, %v", name, x, err)
		}
		losing.Store(false)
		if x, err := s.Charge(t.Context(), "k", "pm_ok", 500); err != nil || !x.Approved {
			t.Errorf("%s: asked again: %+v, %v", name, x, err)
		}
		if len(p.intents) != 1 {
			t.Errorf("%s: charged %d times", name, len(p.intents))
		}
	}
}

// If the processor does not respond, a call takes until its timeout, or until the caller stops
// waiting.
func TestTimeout(t *testing.T) {
	p, _ := start(t)
	release := make(chan struct{})
	t.Cleanup(func() { close(release) })
	p.after = func(r *http.Request) {
		if r.Method == http.MethodPost {
			<-release
		}
	}
	p.lag = true
	short := p.client(t, func(c *Config) { c.Timeout = 50 * time.Millisecond })
	if _, err := short.Charge(t.Context(), "k", "pm_ok", 500); !errors.Is(err, ErrUnknown) || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := short.Charge(ctx, "k", "pm_ok", 500); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	p.change(func() { p.after = nil })
	if x, err := p.client(t, nil).Charge(t.Context(), "k", "pm_ok", 500); err != nil || !x.Approved || len(p.intents) != 1 {
		t.Errorf("%+v, %v, charged %d times", x, err, len(p.intents))
	}
}

// Statuses that say nothing about the card are errors, and none of them contains the secret, even
// if the processor repeats it.
func TestErrors(t *testing.T) {
	p, s := start(t)
	for status, want := range map[int]error{
		301: ErrUnknown, 307: ErrUnknown, 401: ErrRefused, 403: ErrRefused, 409: ErrUnknown, 418: ErrUnknown, 429: ErrUnknown, 500: ErrUnknown, 503: ErrUnknown,
	} {
		for _, kind := range []string{"api_error", "invalid_request_error", "idempotency_error", secret} {
			p.change(func() {
				p.before = func(w http.ResponseWriter, r *http.Request) bool {
					w.Header().Set("Location", "http://127.0.0.1:1/"+secret)
					write(w, status, failed(kind, secret, "Key "+secret+" is wrong"))
					return true
				}
			})
			_, charge := s.Charge(t.Context(), "k", "pm_ok", 500)
			_, refund := s.Refund(t.Context(), "k", "pi_1", 500)
			_, news := s.News(t.Context())
			for _, err := range []error{charge, refund, news} {
				if !errors.Is(err, want) || strings.Contains(err.Error(), secret) {
					t.Errorf("%d %s: %v", status, kind, err)
				}
			}
		}
	}
	p.change(func() {
		p.before = func(w http.ResponseWriter, r *http.Request) bool {
			if r.Method == http.MethodGet {
				return false
			}
			write(w, 400, failed("invalid_request_error", "", "Key "+secret+" is wrong"))
			return true
		}
	})
	if x, err := s.Charge(t.Context(), "k", "pm_ok", 500); err != nil || x.Approved || strings.Contains(x.Message, secret) {
		t.Errorf("%+v, %v", x, err)
	}
	nobody := p.client(t, func(c *Config) { c.Base = "http://127.0.0.1:1" })
	if _, err := nobody.Charge(t.Context(), "k", "pm_ok", 500); !errors.Is(err, ErrUnknown) || strings.Contains(err.Error(), "metadata") {
		t.Errorf("%v", err)
	}
	if n := p.count(create); n != 0 {
		t.Errorf("%d charges", n)
	}
}

func TestRefusedHere(t *testing.T) {
	p, s := start(t)
	for _, key := range []string{"", `a" OR amount>0 OR "`, "ä", strings.Repeat("k", 201)} {
		if _, err := s.Charge(t.Context(), key, "pm_ok", 500); err == nil {
			t.Errorf("charged with the key %q", key)
		}
		if _, err := s.Refund(t.Context(), key, "pi_1", 500); err == nil {
			t.Errorf("refunded with the key %q", key)
		}
	}
	if _, err := s.Charge(t.Context(), "k", "pm_ok", 0); err == nil {
		t.Error("charged nothing")
	}
	if len(p.calls) != 0 {
		t.Errorf("calls: %v", p.calls)
	}
	for name, c := range map[string]Config{
		"no secret": {Client: &http.Client{}},
		"no client": {Secret: secret},
		"plain":     {Secret: secret, Client: &http.Client{}, Base: "http://api.stripe.com"},
		"password":  {Secret: secret, Client: &http.Client{}, Base: "https://user:pass@api.stripe.com"},
		"no host":   {Secret: secret, Client: &http.Client{}, Base: "https://"},
	} {
		if _, err := New(c); err == nil || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := New(Config{Secret: secret, Client: &http.Client{}}); err != nil {
		t.Error(err)
	}
}

func TestRefund(t *testing.T) {
	p, s := start(t)
	if _, err := s.Charge(t.Context(), "trf_1", "pm_ok", 10000); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		x, err := s.Refund(t.Context(), "trf_2", "pi_1", 6000)
		if err != nil || !x.Approved || x.Reference != "re_1" {
			t.Fatalf("%+v, %v", x, err)
		}
		p.change(func() { p.keys = map[string]saved{} }) // a day later
	}
	if x, err := s.Refund(t.Context(), "trf_3", "pi_1", 4001); err != nil || x.Approved || x.Code != "charge_already_refunded" {
		t.Errorf("more than is left: %+v, %v", x, err)
	}
	if x, err := s.Refund(t.Context(), "trf_4", "pi_1", 4000); err != nil || !x.Approved {
		t.Errorf("%+v, %v", x, err)
	}
	p.change(func() {
		for _, x := range p.refunds {
			x["status"], x["failure_reason"] = "failed", "lost_or_stolen_card"
		}
	})
	if x, err := s.Refund(t.Context(), "trf_2", "pi_1", 6000); err != nil || x.Approved || x.Code != "lost_or_stolen_card" {
		t.Errorf("%+v, %v", x, err)
	}
	if _, err := s.Refund(t.Context(), "trf_2", "pi_1", 1); !errors.Is(err, ErrUnknown) {
		t.Errorf("another amount with the same key: %v", err)
	}
	if len(p.refunds) != 2 {
		t.Errorf("%d refunds", len(p.refunds))
	}
}

// A charge is never redirected elsewhere, whoever says that it should be.
func TestNoRedirects(t *testing.T) {
	p, s := start(t)
	var strayed atomic.Int32
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		strayed.Add(1)
		write(w, 200, object{"id": "pi_other", "amount": 500, "status": "succeeded", "data": []object{}})
	}))
	t.Cleanup(other.Close)
	p.before = func(w http.ResponseWriter, r *http.Request) bool {
		if r.Method == http.MethodGet {
			return false
		}
		http.Redirect(w, r, other.URL+r.URL.Path, http.StatusTemporaryRedirect)
		return true
	}
	if x, err := s.Charge(t.Context(), "k", "pm_ok", 500); !errors.Is(err, ErrUnknown) || x.Approved || strayed.Load() != 0 {
		t.Errorf("%+v, %v, %d calls elsewhere", x, err, strayed.Load())
	}
}
