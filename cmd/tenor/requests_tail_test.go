package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/exit"
)

// Calls are told as they come, each once, oldest first, and those of the past and of the
// tail itself are not.
func TestRequestsTail(t *testing.T) {
	s, w := newShopper(t)
	s = fast(&shopper{t, w.URL, sandboxToken(t, w, "--operator"), s.http}, w.Merchant, func(string) {})
	t.Setenv("TENOR_URL", w.URL)
	t.Setenv("TENOR_TOKEN", s.token)
	const order = `{"company_id":1000000001,"amount":150.00,"installments":3}`
	s.send("POST", "/order", order, "before")
	s.until("the first is in the log", "/v1/requests?idempotency_key=before", func(list []map[string]any) bool { return len(list) == 1 })

	var out, errs pipe
	done := make(chan int, 1)
	go func() {
		done <- cli.Run(context.Background(), []string{"requests", "tail", "--every", "20ms", "--count", "3", "--method", "post", "--json"}, testApp(&out, &errs))
	}()
	n := 0
	if !comes(func() bool {
		select {
		case code := <-done:
			if code != exit.Done {
				t.Errorf("it ends with %d: %s", code, errs.String())
			}
			return true
		default: // it begins when it has looked once: calls are made until it has told three
			s.send("POST", "/order", order, fmt.Sprintf("k-%03d", n))
			s.send("GET", "/v1/orders?limit=1", "", "")
			n++
			return false
		}
	}) {
		t.Fatalf("it told %q", out.String())
	}
	lines, told, last := strings.Split(strings.TrimSpace(out.String()), "\n"), map[string]bool{"before": true}, time.Time{}
	for _, text := range lines {
		var r struct {
			At        time.Time `json:"at"`
			Key       string    `json:"idempotency_key"`
			Operation string    `json:"operation"`
		}
		err := json.Unmarshal([]byte(text), &r)
		at := r.At.Truncate(time.Millisecond) // the log knows no order within one
		if err != nil || r.Operation != "createOrder" || told[r.Key] || at.Before(last) {
			t.Errorf("%v: after those of %v it tells\n%s", err, last, text)
		}
		told[r.Key], last = true, at
	}
	if len(lines) != 3 {
		t.Errorf("it tells %d calls:\n%s", len(lines), out.String())
	}
}
