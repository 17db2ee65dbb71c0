//go:build unix

package outage

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"

	"tenor/internal/core/engine"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/postgres"
	"tenor/internal/core/verify"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/edge/resource"
	"tenor/internal/proof/pgtest"
)

// site is a database with one merchant and some companies, and the ledger of its clients.
type site struct {
	server    *pgtest.Cluster // that currently has the books
	name      string          // of the database
	merchant  string
	companies []int64
	ledger
}

// newSite creates a database on the server, through the returned node.
func newSite(t testing.TB, server *pgtest.Cluster, o postgres.Options) (*site, *node) {
	t.Helper()
	address, err := url.Parse(server.CreateDatabase(t))
	if err != nil {
		t.Fatal(err)
	}
	s := &site{server: server, name: strings.TrimPrefix(address.Path, "/")}
	n := s.start(t, server.Addr(), o)
	s.merchant = s.make(t, n, merchants.CreateMerchant{Title: "Harbor Supply", Settings: lending.DefaultSettings()}).(*credit.Merchant).ID
	for i := range 8 {
		s.companies = append(s.companies, s.make(t, n, lending.CreateCompany{
			Title: fmt.Sprintf("Company %d", i), Status: credit.CompanyApproved, Tier: "A",
			Limit: money.Max * 1000, Merchants: []string{s.merchant},
		}).(*credit.Company).ID)
	}
	return s, n
}

// make creates something as the operator.
func (s *site) make(t testing.TB, n *node, c credit.Command) (result any) {
	t.Helper()
	_, err := n.Submit(t.Context(), engine.Request{
		Command: c, Actor: credit.Actor{Client: "console", Operator: true}, Seed: [16]byte{byte(len(s.companies)), 1},
		Encode: func(ch credit.Changes, r *credit.Rejection) engine.Response {
			if r != nil {
				t.Errorf("%s: %v", c.Name(), r)
				return engine.Response{Status: r.Status}
			}
			result = ch.Result
			return engine.Response{Status: 201}
		},
	})
	if err != nil || result == nil {
		t.Fatalf("%s: %v", c.Name(), err)
	}
	return result
}

func urlOf(addr, name string) string {
	return fmt.Sprintf("postgres://%s@%s/%s?sslmode=disable", pgtest.User, addr, name)
}

// query queries the server directly, bypassing all proxies.
func (s *site) query(t testing.TB, sql string, args ...any) [][]any {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, urlOf(s.server.Addr(), s.name)+"&statement_timeout=0")
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close(ctx)
	rows, err := conn.Query(ctx, sql, args...)
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	all, err := pgx.CollectRows(rows, func(r pgx.CollectableRow) ([]any, error) { return r.Values() })
	if err != nil {
		t.Fatalf("%s: %v", sql, err)
	}
	return all
}

// count returns the single number of a query.
func (s *site) count(t testing.TB, sql string, args ...any) int64 {
	t.Helper()
	rows := s.query(t, sql, args...)
	if len(rows) != 1 || len(rows[0]) != 1 {
		t.Fatalf("%s: not one value: %v", sql, rows)
	}
	return rows[0][0].(int64)
}

// verify recomputes the books from end to end (EN14).
func (s *site) verify(t testing.TB) {
	t.Helper()
	db, err := postgres.Open(t.Context(), urlOf(s.server.Addr(), s.name), postgres.Options{Shared: true, Readers: 1})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	report, err := verify.Run(t.Context(), db, verify.Options{Scratch: memory.Scratch, Zone: newYork(t), EncodeEvent: resource.EncodeEvent, Wire: resource.APIVersion})
	if err != nil {
		t.Fatal(err)
	}
	if !report.Clean() {
		t.Errorf("%d violations: %v", len(report.Violations)+report.More, report.Violations[:min(5, len(report.Violations))])
	}
}
