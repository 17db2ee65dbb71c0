package credit

import (
	"crypto/sha256"
	"encoding/hex"
	"slices"
	"time"

	"cmp"
)

// Client is an API client: a program of a merchant, or of the operator if Merchant is "". Its
// instants are wall-clock time, because access is about security and not about business dates.
type Client struct {
	ID        string // cli_…
	Merchant  string
	Name      string
	Scopes    []string       // sorted
	PerMinute int            // rate limit, requests a minute
	Burst     int            // requests at once
	Secrets   []ClientSecret // newest first, at most two; none if created on the server itself
	CreatedAt time.Time
	UpdatedAt time.Time
	RevokedAt time.Time // zero while valid
	// Version is 1 at creation and grows with each command that changes the client. It is 0
	// for a client that no command created, as earlier programs did: it has no access.
	Version int
}

// Token is an access token; only its SHA-256 is stored (AU3). Its instants are wall-clock
// time.
type Token struct {
	Hash      [32]byte
	Client    string
	Scopes    []string // a subset of the client's
	ExpiresAt time.Time
	RevokedAt time.Time // zero while valid
}

// Key identifies the token in keys and in the audit log.
func (t *Token) Key() string { return hex.EncodeToString(t.Hash[:]) }

// ClientSecret is what is stored of a client's secret (AU3).
type ClientSecret struct {
	Hash  string    `json:"hash"`  // SHA-256, hexadecimal
	Until time.Time `json:"until"` // expiry; zero: until rolled
}

// EndpointKind is where an endpoint's events go.
type EndpointKind string

// The kinds of endpoints.
const (
	// EndpointOwn gets the events that it subscribes to, at its own URL.
	EndpointOwn EndpointKind = ""
	// EndpointCheckout has no URL: it gets checkout.accepted for checkouts with an
	// order_complete_url, each at that address. A merchant has at most one.
	EndpointCheckout EndpointKind = "CHECKOUT"
)

// Endpoint is a merchant's address for events, or represents those that its checkouts name.
type Endpoint struct {
	ID          string // whk_…
	Merchant    string
	Kind        EndpointKind
	URL         string // "" of the kind CHECKOUT
	Description string
	EventTypes  []EventType // sorted; empty: every type
	Enabled     bool
	// DisabledReason is why it is disabled: DisabledByMerchant or DisabledGone; "" if enabled.
	DisabledReason string
	Secrets        []EndpointSecret // newest first, at most two; all sign until they expire
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
	Until  time.Time `json:"until"` // wall clock; signs until then; zero: until rotated
}

// Resend requests that events which an endpoint got or should have gotten are sent again: one
// event, or those of a time span.
type Resend struct {
	ID        string // rsd_…
	Endpoint  string
	Merchant  string
	Event     string    // one event; "" for a span
	From, To  time.Time // of the span, From ≤ created_at < To; zero for one event
	CreatedAt time.Time
}

// CheckHash requires that what is stored of a secret is its hash and not the secret.
func CheckHash(hash string) *Rejection {
	if b, err := hex.DecodeString(hash); err != nil || len(b) != sha256.Size || hex.EncodeToString(b) != hash {
		return ValidationFailed.Because("A secret must be given as its SHA-256 hash.")
	}
	return nil
}

// Stored is a wall-clock instant at the database's precision, so that a decision does not
// depend on whether its record was read back.
func Stored(t time.Time) time.Time { return t.UTC().Truncate(time.Microsecond) }

// Sorted returns a sorted copy without duplicates.
func Sorted[T cmp.Ordered](list []T) []T {
	out := slices.Clone(list)
	slices.Sort(out)
	return slices.Compact(out)
}
