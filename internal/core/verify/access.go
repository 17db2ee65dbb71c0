package verify

import (
	"cmp"
	"encoding/hex"
	"fmt"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
)

// readAccess records the existing clients and tokens: the pass over the audit log collects
// the commands on them.
func (r *run) readAccess() error {
	r.granted = map[string][]store.AuditRow{}
	if err := store.Each(r.view, &store.Clients, func(c store.ClientRow) error {
		r.granted[c.ID] = nil
		return r.ctx.Err()
	}); err != nil {
		return err
	}
	return store.Each(r.view, &store.Tokens, func(t store.TokenRow) error {
		r.granted[t.Key()] = nil
		return r.ctx.Err()
	})
}

// clients checks that each API client has no more scopes than its kind may have, stores
// only hashes of its secrets, and matches the commands on it; and that each token has no
// more scopes than its client, and matches the commands on it (AU1, AU3, AU9).
func clients(r *run) error {
	known := map[string]store.ClientRow{}
	if err := store.Each(r.view, &store.Clients, func(c store.ClientRow) error {
		known[c.ID] = c
		r.checkClient("client "+c.ID, c)
		return r.each(0)
	}); err != nil {
		return err
	}
	return store.Each(r.view, &store.Tokens, func(t store.TokenRow) error {
		object := fmt.Sprintf("token %x", t.Hash[:4])
		of, found := known[t.Client]
		if !found {
			r.broken("AU3", object, "belongs to client %q, which does not exist", t.Client)
			return r.each(0)
		}
		if s := beyond(t.Scopes, of.Scopes); s != "" {
			r.broken("AU3", object, "has the scope %s, which client %s lacks", s, t.Client)
		}
		if !store.ProvenToken(t, r.granted[t.Key()]) {
			r.broken("AU9", object, "of client %s does not match the audit log and grants no access", t.Client)
		}
		return r.each(0)
	})
}

func (r *run) checkClient(object string, c store.ClientRow) {
	allowed := append(access.MerchantScopes(), access.ScopeSandbox)
	if c.Merchant == "" {
		allowed = append(access.OperatorScopes(), access.ScopeSandbox)
	} else if r.merchants[c.Merchant] == nil {
		r.broken("AU1", object, "belongs to merchant %q, which does not exist", c.Merchant)
	}
	if s := beyond(c.Scopes, allowed); s != "" {
		r.broken("AU3", object, "has the scope %s, which it may not have", s)
	}
	if len(c.Secrets) > 2 {
		r.broken("AU3", object, "has %d secrets, more than two", len(c.Secrets))
	}
	for _, s := range c.Secrets {
		if b, err := hex.DecodeString(s.Hash); err != nil || len(b) != 32 {
			r.broken("AU3", object, "stores a secret that is not a hash")
		}
	}
	// Clients that earlier programs created without a command are revoked, and stay.
	before := c.Version == 0 && !c.RevokedAt.IsZero()
	if k := (store.Known{Client: c, Log: r.granted[c.ID]}); !before && !k.Proven() {
		r.broken("AU9", object, "does not match the audit log and grants no access")
	}
}

// beyond returns the first scope that is not allowed, "" if all are.
func beyond(scopes, allowed []string) string {
	for _, s := range scopes {
		if !access.Holds(allowed, s) {
			return s
		}
	}
	return ""
}

// history is every version of an endpoint, in commit order.
type history []store.EndpointVersion

func (h history) now() *credit.Endpoint { return h[len(h)-1].Endpoint }

// wants reports whether the endpoint was subscribed to an event when it was committed
// (EV6).
func (h history) wants(e *store.EventRow) bool {
	i, found := slices.BinarySearchFunc(h, e.Q, func(v store.EndpointVersion, q int64) int { return cmp.Compare(v.Q, q) })
	if !found {
		i--
	}
	if i < 0 {
		return false
	}
	x := h[i].Endpoint
	if e.Type == credit.WebhookTestEvent {
		return e.Object.ID == x.ID && x.Enabled
	}
	return x.Enabled && x.DeletedAt.IsZero() && (len(x.EventTypes) == 0 || slices.Contains(x.EventTypes, e.Type))
}

// readEndpoints collects the histories of endpoints.
func (r *run) readEndpoints() error {
	r.endpoints = map[string]history{}
	return store.EachEndpointVersion(r.view, func(v store.EndpointVersion) error {
		r.endpoints[v.Endpoint.ID] = append(r.endpoints[v.Endpoint.ID], v)
		return r.ctx.Err()
	})
}

// endpoints checks that the versions of an endpoint follow each other without a gap, and
// that each is valid (AU1, EV5, EV6).
func endpoints(r *run) error {
	for _, id := range slices.Sorted(maps.Keys(r.endpoints)) {
		h := r.endpoints[id]
		for i, v := range h {
			object := fmt.Sprintf("endpoint %s from commit %d", id, v.Q)
			r.checkEndpoint(object, v.Endpoint)
			until := int64(0)
			if i+1 < len(h) {
				until = h[i+1].Q
			}
			if v.UntilQ != until || v.Q < 1 || v.Q > r.report.Seq {
				r.broken("EV6", object, "is valid until commit %d, must be until %d", v.UntilQ, until)
			}
			if i == 0 {
				continue
			}
			old := h[i-1].Endpoint
			if v.Endpoint.Merchant != old.Merchant || v.Endpoint.Kind != old.Kind {
				r.broken("AU1", object, "has merchant %q and kind %q, had %q and %q", v.Endpoint.Merchant, v.Endpoint.Kind, old.Merchant, old.Kind)
			}
			if v.Endpoint.Version < old.Version || v.Endpoint.EventSeq < old.EventSeq || !old.DeletedAt.IsZero() {
				r.broken("EV6", object, "has version %d with %d events after version %d with %d (deleted: %t)",
					v.Endpoint.Version, v.Endpoint.EventSeq, old.Version, old.EventSeq, !old.DeletedAt.IsZero())
			}
		}
		if err := r.each(0); err != nil {
			return err
		}
	}
	return nil
}

func (r *run) checkEndpoint(object string, x *credit.Endpoint) {
	deleted, off := !x.DeletedAt.IsZero(), x.DisabledReason == credit.DisabledByMerchant || x.DisabledReason == credit.DisabledGone
	if r.merchants[x.Merchant] == nil {
		r.broken("AU1", object, "belongs to merchant %q, which does not exist", x.Merchant)
	}
	if !x.Aimed() || x.Version < 1 || x.Enabled && (deleted || x.DisabledReason != "") || !x.Enabled && deleted == off {
		r.broken("EV6", object, "version %d with URL %q: enabled %t, deleted %t, disabled reason %q", x.Version, x.URL, x.Enabled, deleted, x.DisabledReason)
	}
	if n := len(x.Secrets); deleted != (n == 0) || n > 2 {
		r.broken("EV5", object, "has %d secrets (deleted: %t)", n, deleted)
	}
	for i, s := range x.Secrets {
		if len(s.Sealed) == 0 || s.Until.IsZero() != (i == 0) {
			r.broken("EV5", object, "secret %d has %d bytes and expires at %v", i+1, len(s.Sealed), s.Until)
		}
	}
}

// places compares the places that endpoints have taken with the endpoints of each merchant:
// places bound their number (EV6).
type places struct {
	*run
	taken map[string]int // by endpoint
}

func (p *places) claim(c credit.Claim, owner string) {
	p.taken[owner]++
	h := p.endpoints[owner]
	if len(h) == 0 || !h.now().DeletedAt.IsZero() || !slices.Contains(h.now().Places(), c) {
		p.broken("EV6", string(c.Kind)+" "+c.Scope+"/"+c.Name, "is claimed by %q, which is not an endpoint of this merchant", owner)
	}
}

func (p *places) finish() {
	for _, id := range slices.Sorted(maps.Keys(p.endpoints)) {
		if x := p.endpoints[id].now(); x.DeletedAt.IsZero() && p.taken[id] != 1 {
			p.broken("EV6", "endpoint "+id, "has %d slots, must have one", p.taken[id])
		}
	}
}

// streams compares the readers of each event with the event: its merchant, or nobody if it
// is for the operator. Which merchants were linked to a company is known only from the log;
// this pass checks that they exist and that the event is the company's (EV6, AU2). Then it
// compares what finds a merchant's events with the events.
func streams(r *run) error {
	due := map[store.ReaderRow]bool{}
	if err := store.Each(r.view, &store.Events, func(e store.EventRow) error {
		for _, m := range e.Readers {
			due[store.ReaderRow{Merchant: m, Q: e.Q}] = true
			if e.Merchant != "" && e.Merchant != m || r.merchants[m] == nil {
				r.broken("EV6", "merchant "+m, "has access to event %d of commit %d, which is not for it", e.N, e.Q)
			}
		}
		if m := e.Merchant; m != "" && m != credit.OperatorOnly && !slices.Contains(e.Readers, m) {
			r.broken("AU2", "merchant "+m, "has no access to event %d of commit %d, which is for it", e.N, e.Q)
		}
		return r.ctx.Err()
	}); err != nil {
		return err
	}
	if err := store.Each(r.view, &store.EventReaders, func(x store.ReaderRow) error {
		if !due[x] {
			r.broken("EV6", "merchant "+x.Merchant, "has access to events of commit %d, none of which is for it", x.Q)
		}
		delete(due, x)
		return r.each(0)
	}); err != nil {
		return err
	}
	for _, x := range slices.SortedFunc(maps.Keys(due), func(a, b store.ReaderRow) int {
		return cmp.Or(cmp.Compare(a.Q, b.Q), cmp.Compare(a.Merchant, b.Merchant))
	}) {
		r.broken("AU2", "merchant "+x.Merchant, "cannot find the events of commit %d, which are for it", x.Q)
	}
	return nil
}

func comparePlaces(a, b store.Place) int { return cmp.Or(cmp.Compare(a.Q, b.Q), cmp.Compare(a.N, b.N)) }
