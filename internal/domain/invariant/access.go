package invariant

import (
	"reflect"
	"slices"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/outcome"
)

// clients checks that an API client holds no more than its kind may, that only hashes of its
// secrets are stored, and that its merchant and its revocation are final (AU1, AU3).
func (k *checker) clients() error {
	for _, x := range k.c.Clients {
		old := k.s.Clients[x.ID]
		if old == nil {
			old = &credit.Client{Merchant: x.Merchant, Scopes: x.Scopes}
		} else if old.Version == 0 || !old.RevokedAt.IsZero() {
			return violated("AU3", "client %s is revoked or has no version, and has changed", x.ID)
		}
		scope, foreign := access.ForeignScope(x.Merchant, x.Scopes)
		switch {
		case x.Version != old.Version+1:
			return violated("AU3", "client %s has version %d after %d", x.ID, x.Version, old.Version)
		case x.Merchant != old.Merchant:
			return violated("AU1", "client %s goes from merchant %q to %q", x.ID, old.Merchant, x.Merchant)
		case foreign:
			return violated("AU3", "client %s of merchant %q has the scope %s", x.ID, x.Merchant, scope)
		case len(x.Scopes) == 0 || !slices.Equal(x.Scopes, old.Scopes) || !slices.Equal(x.Scopes, credit.Sorted(x.Scopes)):
			return violated("AU3", "client %s has the scopes %v, had %v", x.ID, x.Scopes, old.Scopes)
		case old.Version > 0 && (len(x.Secrets) == 0) != (len(old.Secrets) == 0):
			return violated("AU3", "client %s has %d secrets after %d", x.ID, len(x.Secrets), len(old.Secrets))
		case len(x.Secrets) > 2 || len(x.Secrets) > 0 && !x.Secrets[0].Until.IsZero():
			return violated("AU3", "client %s has %d secrets, more than two or the newest with an expiry: %v", x.ID, len(x.Secrets), x.Secrets)
		case len(x.Secrets) == 2 && !x.Secrets[1].Until.After(x.UpdatedAt) && x.RevokedAt.IsZero():
			return violated("AU3", "client %s keeps an expired secret", x.ID)
		}
		for _, s := range x.Secrets {
			if credit.CheckHash(s.Hash) != nil {
				return violated("AU3", "client %s stores a secret that is not a hash", x.ID)
			}
		}
	}
	return nil
}

// tokens checks that an access token holds no more than its client, and that a command only
// ever ends an existing token (AU3).
func (k *checker) tokens() error {
	for _, x := range k.c.Tokens {
		of := k.s.Clients[x.Client]
		if of == nil || len(x.Scopes) == 0 || slices.ContainsFunc(x.Scopes, func(s string) bool { return !access.Holds(of.Scopes, s) }) {
			return violated("AU3", "a token of client %s has scopes that its client lacks, or none: %v", x.Client, x.Scopes)
		}
		ended := *x
		if old := k.s.Tokens[x.Key()]; old != nil {
			if ended.RevokedAt = old.RevokedAt; !old.RevokedAt.IsZero() || !reflect.DeepEqual(ended, *old) {
				return violated("AU3", "a token of client %s has changed", x.Client)
			}
		}
	}
	return nil
}

// endpoints checks that an endpoint stays with its merchant, holds one of that merchant's
// slots, says why it is disabled, and has one or two signing secrets as long as it exists
// (AU1, EV5, EV6).
func (k *checker) endpoints() error {
	for _, x := range k.c.Endpoints {
		old := k.s.Endpoints[x.ID]
		if old != nil && !old.DeletedAt.IsZero() {
			return violated("EV6", "endpoint %s has changed after it was deleted", x.ID)
		}
		if old != nil && (x.Merchant != old.Merchant || x.Kind != old.Kind) {
			return violated("AU1", "endpoint %s: merchant goes from %s to %s, kind from %q to %q", x.ID, old.Merchant, x.Merchant, old.Kind, x.Kind)
		}
		for _, check := range []func(x, old *credit.Endpoint) error{k.endpointVersion, k.endpointState, k.endpointSecrets, k.endpointPlaces} {
			if err := check(x, old); err != nil {
				return err
			}
		}
	}
	for claim, owner := range k.c.Claims { // unordered: each of them must hold
		if id := owner; claim.Kind == credit.ClaimEndpointPlace {
			if id == "" {
				id = k.s.Claims[claim]
			}
			if !slices.ContainsFunc(k.c.Endpoints, func(x *credit.Endpoint) bool { return x.ID == id && x.Merchant == claim.Scope }) {
				return violated("EV6", "endpoint slot %s of merchant %s goes to %q, not to an endpoint of this merchant", claim.Name, claim.Scope, owner)
			}
		}
	}
	return nil
}

// endpointVersion requires that the version grows by one with a visible change, and that the
// events are counted.
func (k *checker) endpointVersion(x, old *credit.Endpoint) error {
	if old == nil {
		old = &credit.Endpoint{}
	}
	events := int64(0)
	for _, e := range k.c.Events {
		if e.Object == credit.WebhookRef(x.ID) {
			events++
		}
	}
	same := *x
	same.EventSeq = old.EventSeq
	switch {
	case x.EventSeq != old.EventSeq+events:
		return violated("EV1", "endpoint %s: event sequence is %d after %d with %d new events", x.ID, x.EventSeq, old.EventSeq, events)
	case x.Version != old.Version+1 && !reflect.DeepEqual(same, *old):
		return violated("EV6", "endpoint %s has version %d after %d", x.ID, x.Version, old.Version)
	}
	return nil
}

func (k *checker) endpointState(x, _ *credit.Endpoint) error {
	types, r := outcome.CheckEventTypes(x.EventTypes)
	off := x.DisabledReason == credit.DisabledByMerchant || x.DisabledReason == credit.DisabledGone
	switch deleted := !x.DeletedAt.IsZero(); {
	case r != nil || !slices.Equal(types, x.EventTypes):
		return violated("EV6", "endpoint %s has invalid event types %v", x.ID, x.EventTypes)
	case !x.Aimed():
		return violated("EV6", "endpoint %s of kind %q does not fit its URL %q or event types %v", x.ID, x.Kind, x.URL, x.EventTypes)
	case x.Enabled && deleted, (x.Enabled || deleted) && x.DisabledReason != "", !x.Enabled && !deleted && !off:
		return violated("EV6", "endpoint %s: enabled %t, deleted %t, disabled reason %q", x.ID, x.Enabled, deleted, x.DisabledReason)
	}
	return nil
}

func (k *checker) endpointSecrets(x, _ *credit.Endpoint) error {
	if !x.DeletedAt.IsZero() {
		if len(x.Secrets) > 0 {
			return violated("EV5", "endpoint %s is deleted and still has secrets", x.ID)
		}
		return nil
	}
	if len(x.Secrets) < 1 || len(x.Secrets) > 2 {
		return violated("EV5", "endpoint %s has %d secrets, want one or two", x.ID, len(x.Secrets))
	}
	for n, s := range x.Secrets {
		if len(s.Sealed) == 0 || s.Until.IsZero() != (n == 0) {
			return violated("EV5", "endpoint %s: secret %d has %d bytes and expires at %v", x.ID, n+1, len(s.Sealed), s.Until)
		}
	}
	return nil
}

// endpointPlaces requires that a new endpoint takes one free slot of its merchant, and that a
// deleted one returns its own: this bounds their number.
func (k *checker) endpointPlaces(x, old *credit.Endpoint) error {
	taken, given := 0, 0
	for _, place := range x.Places() {
		owner, ok := k.c.Claims[place]
		switch {
		case !ok:
		case owner == x.ID && k.s.Claims[place] == "":
			taken++
		case owner == "" && k.s.Claims[place] == x.ID:
			given++
		}
	}
	wantTaken, wantGiven := 0, 0
	if old == nil {
		wantTaken = 1
	}
	if !x.DeletedAt.IsZero() {
		wantGiven = 1
	}
	if taken != wantTaken || given != wantGiven {
		return violated("EV6", "endpoint %s claims %d slots and releases %d", x.ID, taken, given)
	}
	return nil
}

// resends requires that events are resent to an endpoint of the merchant that owns it, and
// that a resend is either one event or a time span (EV6).
func (k *checker) resends() error {
	for _, r := range k.c.Resends {
		x := k.s.Endpoints[r.Endpoint]
		span := !r.From.IsZero() || !r.To.IsZero()
		switch {
		case x == nil || x.Merchant != r.Merchant:
			return violated("EV6", "resend %s is for endpoint %s, which does not belong to merchant %q", r.ID, r.Endpoint, r.Merchant)
		case !x.Enabled:
			return violated("EV6", "resend %s is for a disabled endpoint", r.ID)
		case (r.Event != "") == span, span && (!r.From.Before(r.To) || r.To.After(r.CreatedAt)):
			return violated("EV6", "resend %s has event %q and the span %v to %v", r.ID, r.Event, r.From, r.To)
		}
	}
	return nil
}
