package client

import (
	"context"
	"errors"
	"net/http"
	"testing"
	"time"
)

func TestRetries(t *testing.T) {
	lost, fine := answer{}, ok(`{}`)
	later := func(code string) answer { return problem(503, code, "Retry-After", "2") }
	const s = time.Second
	for _, x := range []struct {
		name    string
		answers []answer
		write   bool
		key     string
		waits   []time.Duration
		code    string // of the error, "" for success, "lost" for no response
	}{
		{"read after a lost connection", []answer{lost, lost, fine}, false, "", []time.Duration{200 * time.Millisecond, 400 * time.Millisecond}, ""},
		{"write without a key after a lost connection", []answer{lost}, true, "", nil, "lost"},
		{"write with a key after a lost connection", []answer{lost, fine}, true, "k", []time.Duration{200 * time.Millisecond}, ""},
		{"write that was not taken", []answer{later("overloaded"), fine}, true, "", []time.Duration{2 * s}, ""},
		{"write of unknown outcome without a key", []answer{later("outcome_unknown")}, true, "", nil, "outcome_unknown"},
		{"write of unknown outcome with a key", []answer{later("outcome_unknown"), fine}, true, "k", []time.Duration{2 * s}, ""},
		{"unavailable without Retry-After, with a key", []answer{problem(503, "overloaded"), fine}, true, "k", []time.Duration{200 * time.Millisecond}, ""},
		{"unavailable without Retry-After, without a key", []answer{problem(503, "overloaded")}, true, "", nil, "overloaded"},
		{"until a date", []answer{problem(503, "overloaded", "Retry-After", "Mon, 05 Jan 2026 14:00:03 GMT"), fine}, true, "k", []time.Duration{3 * s}, ""},
		{"rate limit", []answer{problem(429, "rate_limited", "Retry-After", "1"), fine}, true, "", []time.Duration{s}, ""},
		{"longer than the client waits", []answer{problem(429, "rate_limited", "Retry-After", "60")}, true, "k", nil, "rate_limited"},
		{"first request still runs", []answer{problem(409, "idempotency_key_in_use", "Retry-After", "1"), fine}, true, "k", []time.Duration{s}, ""},
		{"conflict of state", []answer{problem(409, "invalid_transition", "Retry-After", "1")}, true, "k", nil, "invalid_transition"},
		{"fault", []answer{problem(500, "internal_error")}, false, "", nil, "internal_error"},
		{"bounded", []answer{later("overloaded"), later("overloaded"), later("overloaded")}, true, "k", []time.Duration{2 * s, 2 * s}, "overloaded"},
		{"bounded, lost", []answer{lost, lost, lost}, false, "", []time.Duration{200 * time.Millisecond, 400 * time.Millisecond}, "lost"},
	} {
		t.Run(x.name, func(t *testing.T) {
			c := newStub(t, x.answers...)
			var options []Option
			if x.key != "" {
				options = append(options, IdempotencyKey(x.key))
			}
			var err error
			if x.write {
				_, err = c.CancelOrder(context.Background(), "ord_1", options...)
			} else {
				_, err = c.Order(context.Background(), "ord_1", options...)
			}
			if got := outcome(err); got != x.code {
				t.Errorf("ended with %q (%v), want %q", got, err, x.code)
			}
			calls, left := c.asked()
			if left != 0 || len(c.waits) != len(x.waits) {
				t.Fatalf("%d answers left, waits %v, want %v", left, c.waits, x.waits)
			}
			for i := range x.waits {
				if c.waits[i] != x.waits[i] {
					t.Errorf("waits %v, want %v", c.waits, x.waits)
				}
			}
			for _, r := range calls[1:] {
				if r.body != calls[0].body || r.header.Get("Idempotency-Key") != x.key {
					t.Errorf("the repeat differs: %+v", r)
				}
			}
		})
	}
}

func outcome(err error) string {
	var p *Problem
	var lost *UnreachableError
	switch {
	case errors.As(err, &p):
		return p.Code
	case errors.As(err, &lost):
		return "lost"
	case err != nil:
		return err.Error()
	}
	return ""
}

// A call that may take minutes is waited for, and not retried while it may still be running. If
// the server has not accepted it, it is retried.
func TestSlowCalls(t *testing.T) {
	for _, x := range []struct {
		answers []answer
		code    string
	}{
		{[]answer{{}}, "lost"},
		{[]answer{problem(503, "outcome_unknown", "Retry-After", "1")}, "outcome_unknown"},
		{[]answer{problem(503, "overloaded", "Retry-After", "1"), ok(`{}`)}, ""},
	} {
		c := newStub(t, x.answers...)
		_, err := c.ResetSandbox(context.Background(), SandboxReset{}, IdempotencyKey("k"))
		if got := outcome(err); got != x.code {
			t.Errorf("ended with %q (%v), want %q", got, err, x.code)
		}
		if _, left := c.asked(); left != 0 {
			t.Errorf("%q: %d answers left", x.code, left)
		}
	}
	c := &Client{HTTP: &http.Client{Timeout: time.Minute}}
	slow := &call{}
	for _, set := range slowly(nil) {
		set(slow)
	}
	if c.patient(slow).Timeout != slowTimeout || c.patient(&call{}) != c.HTTP || c.HTTP.Timeout != time.Minute {
		t.Errorf("a slow call is waited for for %v, others for %v", c.patient(slow).Timeout, c.patient(&call{}).Timeout)
	}
	c.HTTP.Timeout = 0
	if c.patient(slow) != c.HTTP {
		t.Error("a client that waits for ever does not")
	}
}

func TestCallerEndsTheWait(t *testing.T) {
	c := newStub(t, answer{})
	ctx, cancel := context.WithCancel(context.Background())
	c.Clock = impatient{cancel}
	if _, err := c.Order(ctx, "ord_1"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// impatient is a clock whose owner gives up while waiting.
type impatient struct{ giveUp func() }

func (impatient) Now() time.Time { return time.Now() }

func (i impatient) Sleep(ctx context.Context, _ time.Duration) error {
	i.giveUp()
	return wallClock{}.Sleep(ctx, time.Hour)
}

func TestAmount(t *testing.T) {
	for _, x := range []struct {
		text  string
		cents int64
		ok    bool
	}{
		{"0", 0, true}, {"1200", 120000, true}, {"1200.5", 120050, true}, {"10000000.00", 1000000000, true}, {"-0.05", -5, true},
		{"", 0, false}, {".5", 0, false}, {"5.", 0, false}, {"1.234", 0, false}, {"01", 0, false}, {"1e3", 0, false},
		{"1,200.00", 0, false}, {"$5", 0, false}, {" 5", 0, false}, {"--5", 0, false}, {"99999999999999999", 0, false},
	} {
		a, err := ParseAmount(x.text)
		cents, ok := Amount(x.text).Cents()
		if (err == nil) != x.ok || ok != x.ok || cents != x.cents && x.ok {
			t.Errorf("%q: %q, %v, %d cents", x.text, a, err, cents)
		}
	}
	for cents, want := range map[int64]Amount{0: "0.00", 5: "0.05", -5: "-0.05", 120000: "1200.00", -123456: "-1234.56"} {
		if got := OfCents(cents); got != want {
			t.Errorf("%d cents: %s, want %s", cents, got, want)
		}
	}
	if _, err := Amount("x").MarshalJSON(); err == nil {
		t.Error("a text that is no amount was written")
	}
	var a Amount
	for _, text := range []string{`"12.50"`, `12.50`, `null`} {
		if err := a.UnmarshalJSON([]byte(text)); err != nil || a != "12.50" {
			t.Errorf("%s: %q, %v", text, a, err)
		}
	}
	if err := a.UnmarshalJSON([]byte(`"`)); err == nil {
		t.Error("half a string was read")
	}
}
