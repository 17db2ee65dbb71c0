package webhook

import (
	"crypto/sha256"
	"math"
	"slices"
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ulid"
)

// history is every version of an endpoint, in commit order; at least one.
type history []store.EndpointVersion

// now is the current endpoint.
func (h history) now() *credit.Endpoint { return h[len(h)-1].Endpoint }

// at is the endpoint as of a commit, nil if it did not exist yet.
func (h history) at(q int64) *credit.Endpoint {
	for _, v := range slices.Backward(h) {
		if v.Q <= q {
			return v.Endpoint
		}
	}
	return nil
}

// isOpen reports whether an endpoint gets events.
func isOpen(x *credit.Endpoint) bool { return x.Enabled && x.DeletedAt.IsZero() }

// wants reports whether the endpoint was subscribed to the event when it was committed
// (EV6). A test event goes to the tested endpoint, whatever its types.
func (h history) wants(e store.EventRow) bool {
	x := h.at(e.Q)
	switch {
	case x == nil || !isOpen(x):
		return false
	case e.Type == credit.WebhookTestEvent:
		return e.Object.ID == x.ID
	}
	return len(x.EventTypes) == 0 || slices.Contains(x.EventTypes, e.Type)
}

// closedAfter reports whether the endpoint was disabled or deleted after a commit: what was
// waiting then is no longer sent, even if it is enabled again.
func (h history) closedAfter(q int64) bool {
	return slices.ContainsFunc(h, func(v store.EndpointVersion) bool { return v.Q > q && !isOpen(v.Endpoint) })
}

// begin is the place after which the endpoint's first event can be.
func (h history) begin() store.Place { return before(h[0].Q) }

// before is the place before every event of a commit.
func before(q int64) store.Place { return store.Place{Q: q - 1, N: math.MaxInt32} }

// resume is the first place from p on after which the endpoint may have been subscribed to
// an event; false: nothing arrives until it is changed.
func (h history) resume(p store.Place) (store.Place, bool) {
	for _, v := range h {
		if v.UntilQ != 0 && v.UntilQ <= p.Q || !isOpen(v.Endpoint) {
			continue
		}
		if v.Q > p.Q {
			return before(v.Q), true
		}
		return p, true
	}
	return p, false
}

// deliveryID identifies the delivery of an event to an endpoint: it is the same whoever
// computes it, however often, so that creating it again changes nothing (EN17). It has the
// layout of all identifiers: 48 bits of milliseconds, here of the event, then 80 bits.
func deliveryID(at time.Time, endpoint, resend string, p store.Place) string {
	h := sha256.Sum256([]byte(endpoint + "|" + resend + "|" + strconv.FormatInt(p.Q, 10) + "|" + strconv.Itoa(p.N)))
	return ulid.New("dlv_", at, [10]byte(h[:10]))
}
