package auth

import (
	"context"
	"sync"
	"tenor/internal/core/store/memory"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
)

// shelf is a store of clients and tokens, with a log that has a command for each of them.
// It accepts commands on tokens.
type shelf struct {
	mu      sync.Mutex
	clients map[string]credit.Client
	tokens  map[[32]byte]credit.Token
	lookups int // of clients
	err     error
}

func (s *shelf) ClientByID(_ context.Context, id string) (store.Known, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups++
	c, found := s.clients[id]
	if !found || s.err != nil {
		return store.Known{}, false, s.err
	}
	return store.Known{Client: store.ClientRow{Client: &c, Q: 1}, Log: s.log(&c)}, true, nil
}

// log returns a row with a client's current state.
func (s *shelf) log(c *credit.Client) []store.AuditRow {
	told, err := journal.Tell(credit.NewState(), "", credit.Changes{Clients: []*credit.Client{c}})
	if err != nil {
		panic(err)
	}
	return []store.AuditRow{row(1, c.ID, access.CreateClient{}, told)}
}

func row(q int64, object string, c credit.Command, told journal.Told) store.AuditRow {
	payload, err := journal.EncodeAct(c, told)
	if err != nil {
		panic(err)
	}
	return store.AuditRow{Q: q, Audit: store.Audit{Object: object, Command: c.Name(), Payload: payload, Result: "ok"}}
}

func (s *shelf) View(ctx context.Context, fn func(store.View) error) error {
	return memory.New().View(ctx, fn) // empty
}

func (s *shelf) TokenByHash(_ context.Context, hash [32]byte) (store.Pass, bool, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	t, found := s.tokens[hash]
	if !found || s.err != nil {
		return store.Pass{}, false, s.err
	}
	c := s.clients[t.Client]
	p := store.Pass{Token: store.TokenRow{Token: &t, Q: 2}, Client: store.ClientRow{Client: &c, Q: 1}, Log: s.log(&c)}
	p.Log = append(p.Log, row(2, t.Key(), access.IssueToken{Hash: t.Key(), Client: t.Client, Scopes: t.Scopes, ExpiresAt: t.ExpiresAt}, journal.Told{}))
	if !t.RevokedAt.IsZero() {
		p.Token.Q = 3
		p.Log = append(p.Log, row(3, t.Key(), access.RevokeToken{Hash: t.Key(), At: t.RevokedAt}, journal.Told{}))
	}
	return p, true, nil
}

func (s *shelf) Submit(_ context.Context, r engine.Request) (engine.Result, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return engine.Result{}, s.err
	}
	state, e := credit.NewState(), credit.Env{Now: start, Zone: calendar.NewZone(time.UTC), Seed: r.Seed, Actor: r.Actor}
	for id, c := range s.clients {
		state.Clients[id] = &c
	}
	for _, t := range s.tokens {
		state.Tokens[t.Key()] = &t
	}
	refused := credit.Admit(state, e, r.Command)
	var c credit.Changes
	if refused == nil {
		c, refused = credit.Decide(state, e, r.Command)
	}
	for _, t := range c.Tokens {
		s.tokens[t.Hash] = *t
	}
	r.Encode(c, refused)
	return engine.Result{Rejection: refused}, nil
}
