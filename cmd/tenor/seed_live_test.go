package main

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tenor/internal/clock"
	"tenor/internal/credit"
	"tenor/internal/store"
)

// No demo data come into live data: the server knows no such call, whoever asks, and the command
// says so and ends with 4.
func TestLiveDataTakeNoDemoData(t *testing.T) {
	n := testNode(t)
	defer func() {
		if err := n.close(); err != nil {
			t.Error(err)
		}
	}()
	secret, _, _, err := issue(t.Context(), n.issuer(clock.Wall{}.Now), tokenWish{operator: true, ttl: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s, err := newServer(n, "http://localhost", clock.Wall{}.Now, quietLog(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.http.Handler)
	defer server.Close()
	d := newDesk(t, server.URL)
	d.env["TENOR_TOKEN"] = secret
	if out, errs, code := d.do("companies", "list"); code != exitDone {
		t.Fatalf("the token is right: %d %s %s", code, out, errs)
	}
	for _, line := range []string{"sandbox seed", "sandbox seed --history", "sandbox reset --seed --confirm=sandbox"} {
		if out, errs, code := d.do(strings.Fields(line)...); code != exitForbidden || !strings.Contains(errs, "the server holds live data") || out != "" {
			t.Errorf("%s: %d %q %q", line, code, out, errs)
		}
	}
	if err := n.db.View(t.Context(), func(v store.View) error {
		all, err := v.Merchants()
		if len(all) != 0 {
			t.Errorf("there are %d merchants", len(all))
		}
		return errors.Join(err, store.EachOf(v, store.CompanyNoun, func(c *credit.Company) error { t.Errorf("there is %s", c.Name); return nil }))
	}); err != nil {
		t.Fatal(err)
	}
}
