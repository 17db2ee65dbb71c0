package credit

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"cmp"
)

// Client is an API client: a program of a merchant, or of the operator if Merchant
// is "". Its instants are of the wall clock, because access is a matter of security
// and not of business.
type Client struct {
	ID        string // cli_…
	Merchant  string
	Name      string
	Scopes    []string       // sorted
	PerMinute int            // rate limit, requests a minute
	Burst     int            // requests at once
	Secrets   []ClientSecret // newest first, at most two; none of a client that was made on the server itself
	CreatedAt time.Time
	UpdatedAt time.Time
	RevokedAt time.Time // zero while valid
	// Version is 1 at creation, + 1 with each command that changes the client. It is
	// 0 for a client that no command has made, as earlier programs did: it has no access.
	Version int
}

// Token is an access token; only its SHA-256 is kept (AU3). Its instants are of the wall
// clock.
type Token struct {
	Hash      [32]byte
	Client    string
	Scopes    []string // a subset of the client's
	ExpiresAt time.Time
	RevokedAt time.Time // zero while valid
}

// Key names the token in keys and in the audit log.
func (t *Token) Key() string { return hex.EncodeToString(t.Hash[:]) }

// ClientSecret is what is kept of a client's secret (AU3).
type ClientSecret struct {
	Hash  string    `json:"hash"`  // SHA-256, hexadecimal
	Until time.Time `json:"until"` // valid before; zero: until it is rolled
}

// EndpointKind says where an endpoint's events go.
type EndpointKind string

// The kinds of endpoints.
const (
	// EndpointOwn is sent the events that it asks for, at its own URL.
	EndpointOwn EndpointKind = ""
	// EndpointCheckout has no URL: it is sent checkout.accepted of the checkouts that have
	// an order_complete_url, each at that address. A merchant has at most one.
	EndpointCheckout EndpointKind = "CHECKOUT"
)

// Endpoint is an address of a merchant to which events are sent, or stands for those
// that its checkouts name.
type Endpoint struct {
	ID          string // whk_…
	Merchant    string
	Kind        EndpointKind
	URL         string // "" of the kind CHECKOUT
	Description string
	EventTypes  []EventType // sorted; empty: every type
	Enabled     bool
	// DisabledReason says why it is not enabled: DisabledByMerchant or
	// DisabledGone; "" while it is.
	DisabledReason string
	Secrets        []EndpointSecret // newest first, at most two; all sign until they end
	CreatedAt      time.Time
	UpdatedAt      time.Time
	DeletedAt      time.Time // zero while it exists
	Version        int
	EventSeq       int64
}

// Why an endpoint gets no events.
const (
	DisabledByMerchant = "merchant" // by PATCH
	DisabledGone       = "gone"     // the receiver answered 410
)

// EndpointSecret is a signing secret, sealed with the deployment's key: the domain
// never sees it in the clear.
type EndpointSecret struct {
	Sealed []byte    `json:"sealed"`
	Until  time.Time `json:"until"` // wall clock; signs before; zero: until it is rotated
}

// Resend asks that events which an endpoint was sent, or should have been, are sent
// again: one event, or those of a span of time.
type Resend struct {
	ID        string // rsd_…
	Endpoint  string
	Merchant  string
	Event     string    // one event; "" for a span
	From, To  time.Time // of the span, From ≤ created_at < To; zero for one event
	CreatedAt time.Time
}

// CheckHash requires that what is kept of a secret is its hash and not the secret.
func CheckHash(hash string) *Rejection {
	if b, err := hex.DecodeString(hash); err != nil || len(b) != sha256.Size || hex.EncodeToString(b) != hash {
		return ValidationFailed.Because("A secret must be given as its SHA-256 hash.")
	}
	return nil
}

// Stored is an instant of the wall clock as a database keeps it, so that a decision
// does not depend on whether its record was read back before.
func Stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Sorted is a list in its order, each of it once.
func Sorted[T cmp.Ordered](list []T) []T {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}
