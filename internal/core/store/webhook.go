package store

import (
	"context"
	"errors"
	"time"

	"tenor/internal/domain/credit"
)

// ErrLeaseLost means that another worker has taken over a lease. Nothing was written
// (EN16).
var ErrLeaseLost = errors.New("store: another worker holds the lease")

// Place is an event's position in commit order.
type Place struct {
	Q int64 // commit
	N int   // position among the events of its commit
}

// DeliveryState is the state of a delivery.
type DeliveryState string

// States of a delivery. Only a PENDING one is attempted.
const (
	DeliveryPending   DeliveryState = "PENDING"
	DeliverySucceeded DeliveryState = "SUCCEEDED" // the receiver answered 2xx
	DeliveryParked    DeliveryState = "PARKED"    // all attempts failed; it can be sent again
	DeliveryCanceled  DeliveryState = "CANCELED"  // its endpoint was deleted or disabled
)

// Delivery is one event on its way to one endpoint. CreatedAt is that of the event; all
// other instants are wall-clock times.
type Delivery struct {
	ID       string // dlv_…
	Endpoint string
	Merchant string
	Resend   string // rsd_… that requested it; "" for the first delivery
	Event    string // evt_…
	Type     credit.EventType
	Object   credit.ObjectRef
	Sequence int64 // of the event
	Place    Place // of the event
	// URL is the destination if its endpoint has the kind CHECKOUT; "" for the endpoint's
	// own URL.
	URL string

	State      DeliveryState
	Attempts   int       // number made so far
	NextAt     time.Time // of the next attempt; zero unless PENDING
	Status     int       // HTTP status of the last attempt, 0 if none came
	Error      string    // of the last attempt, "" if it succeeded
	CreatedAt  time.Time
	FinishedAt time.Time // zero while PENDING
}

// Attempt is one try of a delivery.
type Attempt struct {
	Delivery string
	N        int // 1, 2, …
	At       time.Time
	Took     time.Duration // stored in microseconds
	Status   int           // 0 if no answer came
	Error    string        // why it failed; "" if it succeeded
	Answer   string        // the first bytes of the answer, valid UTF-8
}

// Cursor is how far an endpoint's events and resends have been turned into deliveries.
type Cursor struct {
	Endpoint string
	Place    Place // of the last event
	Resend   int64 // commit of the last resend
}

// Lease is a duty that one worker at a time holds. Token grows with each change of holder,
// so that writes of a worker that has lost the lease are refused.
type Lease struct {
	Name   string
	Holder string
	Token  int64
	Until  time.Time // wall clock of the caller
}

// Work is what a webhook sender has done; it is written atomically.
type Work struct {
	Leases     []Lease    // that must still be held: by name, holder and token
	Deliveries []Delivery // new ones, and new states of existing ones; each at most once
	Attempts   []Attempt  // those made
	Cursors    []Cursor   // at most one per endpoint
}

// Duties grants leases on duties that one worker at a time performs.
type Duties interface {
	// Lease grants the duty to the holder until the instant, unless somebody else holds it
	// at now. The previous holder keeps its token, unless it released the lease. False:
	// another holds it.
	Lease(ctx context.Context, name, holder string, now, until time.Time) (Lease, bool, error)
	// Release gives up a duty, if it is still held.
	Release(ctx context.Context, l Lease) error
}

// Courier stores deliveries, in its own transactions: delivering an event is not a
// decision.
type Courier interface {
	// Record writes work. ErrLeaseLost: nothing was written. An existing delivery is left
	// as it is if it is finished or has more attempts than the given one; it keeps its
	// CreatedAt, and an attempt stays as first written: recording the same work twice is
	// safe. ErrRefused: a delivery does not match an event at its place that its merchant
	// may read, and an endpoint of that merchant; an attempt has no delivery; a cursor goes
	// back.
	Record(ctx context.Context, w Work) error
	// Purge deletes at most limit tokens that ended, and at most limit deliveries that
	// finished (with their attempts), before the given instants, oldest first. It returns
	// the number of tokens and deliveries. A token ends when it expires or is revoked.
	Purge(ctx context.Context, before Retention, limit int) (int, error)
}

// Retention gives the instants before which rows may be deleted; zero: none are.
type Retention struct {
	Tokens     time.Time // that ended before
	Deliveries time.Time // finished before
}

// DeliveryFilter narrows a list of deliveries; zero members do not.
type DeliveryFilter struct {
	Merchant, Endpoint, Event string
	State                     DeliveryState
}

// EndpointVersion is an endpoint as it stood from commit Q until just before UntilQ; 0:
// until now.
type EndpointVersion struct {
	Endpoint  *credit.Endpoint
	Q, UntilQ int64
}

// ReaderRow says that a merchant may read an event of a commit.
type ReaderRow struct {
	Merchant string
	Q        int64
}

// ObjectRow says that a commit changed an object, or has an event about it, that is neither the
// commit's own nor its company.
type ObjectRow struct {
	credit.ObjectRef
	Q int64
}

// ClientRow is an API client with the commit that wrote it; 0 if none did.
type ClientRow struct {
	*credit.Client
	Q int64
}

// EndpointRow is a current endpoint.
type EndpointRow struct {
	*credit.Endpoint
	Q int64
}

// EndpointPast is a version of an endpoint that a later commit replaced.
type EndpointPast struct {
	EndpointRow
	UntilQ int64
}

// ResendRow is a request to resend, with its commit.
type ResendRow struct {
	credit.Resend
	Q int64
}

// Clients is the table of API clients.
var Clients = Table[ClientRow]{
	Name: "clients", Key: 1,
	New: func() *ClientRow { return &ClientRow{Client: new(credit.Client)} },
	Columns: []Column[ClientRow]{
		text("id", func(r *ClientRow) *string { return &r.ID }),
		text("merchant_id", func(r *ClientRow) *string { return &r.Merchant }),
		text("name", func(r *ClientRow) *string { return &r.Name }),
		nested("scopes", func(r *ClientRow) *[]string { return &r.Scopes }),
		integer("per_minute", func(r *ClientRow) *int { return &r.PerMinute }),
		integer("burst", func(r *ClientRow) *int { return &r.Burst }),
		nested("secrets", func(r *ClientRow) *[]credit.ClientSecret { return &r.Secrets }),
		instant("created_at", func(r *ClientRow) *time.Time { return &r.CreatedAt }),
		instant("updated_at", func(r *ClientRow) *time.Time { return &r.UpdatedAt }),
		instant("revoked_at", func(r *ClientRow) *time.Time { return &r.RevokedAt }),
		integer("version", func(r *ClientRow) *int { return &r.Version }),
		integer("q", func(r *ClientRow) *int64 { return &r.Q }),
	},
}

// Endpoints is the table of current endpoints.
var Endpoints = Table[EndpointRow]{
	Name: "endpoints", Key: 1,
	New: newEndpointRow,
	Columns: []Column[EndpointRow]{
		text("id", func(r *EndpointRow) *string { return &r.ID }),
		text("merchant_id", func(r *EndpointRow) *string { return &r.Merchant }),
		text("kind", func(r *EndpointRow) *credit.EndpointKind { return &r.Kind }),
		text("url", func(r *EndpointRow) *string { return &r.URL }),
		text("description", func(r *EndpointRow) *string { return &r.Description }),
		nested("event_types", func(r *EndpointRow) *[]credit.EventType { return &r.EventTypes }),
		boolean("enabled", func(r *EndpointRow) *bool { return &r.Enabled }),
		text("disabled_reason", func(r *EndpointRow) *string { return &r.DisabledReason }),
		nested("secrets", func(r *EndpointRow) *[]credit.EndpointSecret { return &r.Secrets }),
		instant("created_at", func(r *EndpointRow) *time.Time { return &r.CreatedAt }),
		instant("updated_at", func(r *EndpointRow) *time.Time { return &r.UpdatedAt }),
		instant("deleted_at", func(r *EndpointRow) *time.Time { return &r.DeletedAt }),
		integer("version", func(r *EndpointRow) *int { return &r.Version }),
		integer("event_seq", func(r *EndpointRow) *int64 { return &r.EventSeq }),
		integer("q", func(r *EndpointRow) *int64 { return &r.Q }),
	},
}

func newEndpointRow() *EndpointRow { return &EndpointRow{Endpoint: new(credit.Endpoint)} }

// EndpointHistory holds replaced versions of endpoints.
var EndpointHistory = Table[EndpointPast]{
	Name: "endpoint_history", Key: 2,
	New: func() *EndpointPast { return &EndpointPast{EndpointRow: *newEndpointRow()} },
	Columns: past(Endpoints.Columns,
		func(r *EndpointPast) *EndpointRow { return &r.EndpointRow },
		func(r *EndpointPast) *int64 { return &r.UntilQ }),
}

// EventObjects is the append-only table that finds the events and the past of an object where
// the audit log does not name it.
var EventObjects = Table[ObjectRow]{
	Name: "event_objects", Key: 3,
	Columns: []Column[ObjectRow]{
		text("object_type", func(r *ObjectRow) *string { return &r.Type }),
		text("object_id", func(r *ObjectRow) *string { return &r.ID }),
		integer("q", func(r *ObjectRow) *int64 { return &r.Q }),
	},
}

// EventReaders is the append-only table of which commits have events for which merchant, in
// commit order: the events themselves say who may read them.
var EventReaders = Table[ReaderRow]{
	Name: "event_readers", Key: 2,
	Columns: []Column[ReaderRow]{
		text("merchant_id", func(r *ReaderRow) *string { return &r.Merchant }),
		integer("q", func(r *ReaderRow) *int64 { return &r.Q }),
	},
}

// Resends is the append-only table of resend requests.
var Resends = Table[ResendRow]{
	Name: "resends", Key: 1,
	Columns: []Column[ResendRow]{
		text("id", func(r *ResendRow) *string { return &r.ID }),
		text("endpoint_id", func(r *ResendRow) *string { return &r.Endpoint }),
		text("merchant_id", func(r *ResendRow) *string { return &r.Merchant }),
		text("event_id", func(r *ResendRow) *string { return &r.Event }),
		instant("from_at", func(r *ResendRow) *time.Time { return &r.From }),
		instant("to_at", func(r *ResendRow) *time.Time { return &r.To }),
		instant("created_at", func(r *ResendRow) *time.Time { return &r.CreatedAt }),
		integer("q", func(r *ResendRow) *int64 { return &r.Q }),
	},
}

// Deliveries is the table of deliveries.
var Deliveries = Table[Delivery]{
	Name: "deliveries", Key: 1,
	Columns: []Column[Delivery]{
		text("id", func(r *Delivery) *string { return &r.ID }),
		text("endpoint_id", func(r *Delivery) *string { return &r.Endpoint }),
		text("merchant_id", func(r *Delivery) *string { return &r.Merchant }),
		text("resend_id", func(r *Delivery) *string { return &r.Resend }),
		text("event_id", func(r *Delivery) *string { return &r.Event }),
		text("type", func(r *Delivery) *credit.EventType { return &r.Type }),
		text("object_type", func(r *Delivery) *string { return &r.Object.Type }),
		text("object_id", func(r *Delivery) *string { return &r.Object.ID }),
		integer("sequence", func(r *Delivery) *int64 { return &r.Sequence }),
		integer("event_q", func(r *Delivery) *int64 { return &r.Place.Q }),
		integer("event_n", func(r *Delivery) *int { return &r.Place.N }),
		text("url", func(r *Delivery) *string { return &r.URL }),
		text("state", func(r *Delivery) *DeliveryState { return &r.State }),
		integer("attempts", func(r *Delivery) *int { return &r.Attempts }),
		instant("next_at", func(r *Delivery) *time.Time { return &r.NextAt }),
		integer("status", func(r *Delivery) *int { return &r.Status }),
		text("error", func(r *Delivery) *string { return &r.Error }),
		instant("created_at", func(r *Delivery) *time.Time { return &r.CreatedAt }),
		instant("finished_at", func(r *Delivery) *time.Time { return &r.FinishedAt }),
	},
}

// Attempts is the append-only table of attempts.
var Attempts = Table[Attempt]{
	Name: "attempts", Key: 2,
	Columns: []Column[Attempt]{
		text("delivery_id", func(r *Attempt) *string { return &r.Delivery }),
		integer("n", func(r *Attempt) *int { return &r.N }),
		instant("at", func(r *Attempt) *time.Time { return &r.At }),
		{"took_us", Integer,
			func(r *Attempt) Value { return Value{Kind: Integer, Int: r.Took.Microseconds()} },
			func(r *Attempt, v Value) error { r.Took = time.Duration(v.Int) * time.Microsecond; return nil }},
		integer("status", func(r *Attempt) *int { return &r.Status }),
		text("error", func(r *Attempt) *string { return &r.Error }),
		text("answer", func(r *Attempt) *string { return &r.Answer }),
	},
}

// Cursors is the table of each endpoint's progress in turning events into deliveries.
var Cursors = Table[Cursor]{
	Name: "delivery_cursors", Key: 1,
	Columns: []Column[Cursor]{
		text("endpoint_id", func(r *Cursor) *string { return &r.Endpoint }),
		integer("q", func(r *Cursor) *int64 { return &r.Place.Q }),
		integer("n", func(r *Cursor) *int { return &r.Place.N }),
		integer("resend_q", func(r *Cursor) *int64 { return &r.Resend }),
	},
}

// Leases is the table of duties.
var Leases = Table[Lease]{
	Name: "leases", Key: 1,
	Columns: []Column[Lease]{
		text("name", func(r *Lease) *string { return &r.Name }),
		text("holder", func(r *Lease) *string { return &r.Holder }),
		integer("token", func(r *Lease) *int64 { return &r.Token }),
		instant("until", func(r *Lease) *time.Time { return &r.Until }),
	},
}
