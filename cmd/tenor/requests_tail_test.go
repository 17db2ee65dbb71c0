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
	"tenor/internal/proof/devtest"
)

// Calls are printed as they arrive, each once, oldest first, without earlier ones and those of
// the tail itself.
func TestRequestsTail(t *testing.T) {
	s, w := devtest.NewShopper(t)
	s = fast(&devtest.Shopper{T: t, URL: w.URL, Token: devtest.Token(t, w, "--operator"), HTTP: s.HTTP}, w.Merchant, func(string) {})
	t.Setenv("TENOR_URL", w.URL)
	t.Setenv("TENOR_TOKEN", s.Token)
	const order = `{"company_id":1000000001,"amount":150.00,"installments":3}`
	s.Send("POST", "/order", order, "before")
	s.Until("the first is in the log", "/v1/requests?idempotency_key=before", func(list []map[string]any) bool { return len(list) == 1 })

	var out, errs devtest.Pipe
	done := make(chan int, 1)
	go func() {
		done <- cli.Run(context.Background(), []string{"requests", "tail", "--every", "20ms", "--count", "3", "--method", "post", "--json"}, devtest.App(&out, &errs))
	}()
	n := 0
	if !devtest.Comes(func() bool {
		select {
		case code := <-done:
			if code != exit.Done {
				t.Errorf("it ends with %d: %s", code, errs.String())
			}
			return true
		default: // it starts after its first look: calls are made until it has printed three
			s.Send("POST", "/order", order, fmt.Sprintf("k-%03d", n))
			s.Send("GET", "/v1/orders?limit=1", "", "")
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
		at := r.At.Truncate(time.Millisecond) // the log has no order within a millisecond
		if err != nil || r.Operation != "createOrder" || told[r.Key] || at.Before(last) {
			t.Errorf("%v: after those of %v it tells\n%s", err, last, text)
		}
		told[r.Key], last = true, at
	}
	if len(lines) != 3 {
		t.Errorf("it tells %d calls:\n%s", len(lines), out.String())
	}
}
