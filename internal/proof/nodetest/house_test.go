//go:build linux

package nodetest

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/postgres"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/proof/pgtest"
	"tenor/internal/proof/proctest"
)

// house is a database with its servers: one on SQLite, two on PostgreSQL.
type house struct {
	proctest.World
	t       *testing.T
	program string
	servers []*proctest.Process
	open    func(ctx context.Context) (store.Backend, error) // alongside the servers
}

// onSQLite fills a new file and starts a server on it.
func onSQLite(t *testing.T, companies int) *house {
	t.Helper()
	h := fillSQLite(t, companies)
	h.serve()
	return h
}

// fillSQLite fills a new file. It is not being served yet.
func fillSQLite(t *testing.T, companies int) *house {
	t.Helper()
	withinOneDay(t)
	dir := t.TempDir()
	h := &house{t: t, program: proctest.Build(t, ""), open: func(context.Context) (store.Backend, error) {
		return sqlite.Open(filepath.Join(dir, "tenor.db"), sqlite.Options{Shared: true})
	}}
	h.World = proctest.NewWorld(t, h.program, companies, "--data", dir)
	return h
}

// serve lifts the rate limits and starts a server.
func (h *house) serve() {
	h.t.Helper()
	h.beside(func(db store.Backend) error { return proctest.LiftLimits(h.t.Context(), db) })
	h.servers = append(h.servers, h.Serve(h.t, h.program))
}

// onPostgres fills a new database and starts two servers on it.
func onPostgres(t *testing.T, companies int) *house {
	t.Helper()
	s := openSite(t, pgtest.Database(t), companies)
	return &house{
		World: s.World, t: t, program: s.program, servers: []*proctest.Process{s.nodes[0].process, s.nodes[1].process},
		open: func(ctx context.Context) (store.Backend, error) {
			return postgres.Open(ctx, s.url, postgres.Options{Shared: true})
		},
	}
}

// beside uses the database alongside the servers.
func (h *house) beside(fn func(store.Backend) error) {
	h.t.Helper()
	db, err := h.open(h.t.Context())
	if err != nil {
		h.t.Fatal(err)
	}
	if err := errors.Join(fn(db), db.Close()); err != nil {
		h.t.Fatal(err)
	}
}

// client uses the servers in turn.
func (h *house) client() *client {
	var bases []string
	for _, s := range h.servers {
		bases = append(bases, s.URL)
	}
	c := newClient(h.t.Context(), h.Token, bases...)
	h.t.Cleanup(c.close)
	return c
}

// decisions counts the commands decided under each Idempotency-Key.
func (h *house) decisions() map[string]int {
	h.t.Helper()
	found := map[string]int{}
	h.beside(func(db store.Backend) error {
		return db.View(h.t.Context(), func(v store.View) error {
			return store.EachAudit(v, 0, func(_ int64, a store.Audit) error {
				if a.Actor.Key != "" {
					found[a.Actor.Key]++
				}
				return nil
			})
		})
	})
	return found
}

// finish verifies the books while the servers run, and stops them.
func (h *house) finish() {
	h.t.Helper()
	h.Verify(h.t, h.program)
	for _, s := range h.servers {
		s.Stop(h.t)
	}
}
