package main

import (
	"errors"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/core/clock"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// Demo data never get into live data: the server has no such operation for anyone, and the
// command says so and exits with 4.
func TestLiveDataTakeNoDemoData(t *testing.T) {
	n := testNode(t)
	defer func() {
		if err := n.Close(); err != nil {
			t.Error(err)
		}
	}()
	secret, _, _, err := node.Issue(t.Context(), n.Issuer(clock.Wall{}.Now), node.TokenWish{Operator: true, TTL: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	s, err := node.NewServer(n, "http://localhost", clock.Wall{}.Now, node.QuietLog(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.HTTP.Handler)
	defer server.Close()
	d := newDesk(t, server.URL)
	d.env["TENOR_TOKEN"] = secret
	if out, errs, code := d.do("companies", "list"); code != exit.Done {
		t.Fatalf("the token is right: %d %s %s", code, out, errs)
	}
	for _, line := range []string{"sandbox seed", "sandbox seed --history", "sandbox reset --seed --confirm=sandbox"} {
		if out, errs, code := d.do(strings.Fields(line)...); code != exit.Forbidden || !strings.Contains(errs, "the server is live, not a sandbox") || out != "" {
			t.Errorf("%s: %d %q %q", line, code, out, errs)
		}
	}
	if err := n.DB.View(t.Context(), func(v store.View) error {
		all, err := store.AllMerchants(v)
		if len(all) != 0 {
			t.Errorf("there are %d merchants", len(all))
		}
		return errors.Join(err, store.EachOf(v, store.CompanyNoun, func(c *credit.Company) error { t.Errorf("there is %s", c.Name); return nil }))
	}); err != nil {
		t.Fatal(err)
	}
}
