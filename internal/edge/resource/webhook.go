package resource

import (
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// Webhook is an endpoint: a merchant's address to which its events are sent.
type Webhook struct {
	ID             string     `json:"id" doc:"Identifier of the endpoint." example:"whk_01KB2C4E6G8J0M2P4R6T8V0X2Z"`
	Kind           string     `json:"kind" enum:"EVENTS,CHECKOUT" doc:"EVENTS gets its subscribed events at its url. CHECKOUT is created with the merchant's first checkout that has an order_complete_url, and gets checkout.accepted for each of those at the checkout's own URL." example:"EVENTS"`
	URL            *string    `json:"url" nullable:"true" doc:"URL events are POSTed to; null for kind CHECKOUT, where each delivery has its own." example:"https://shop.example/hooks/tenor"`
	Description    *string    `json:"description" nullable:"true" doc:"Note by the merchant." example:"stock system"`
	EventTypes     []string   `json:"event_types" doc:"Event types sent, sorted; empty for every type." example:"[\"order.captured\"]"`
	Enabled        bool       `json:"enabled" doc:"Whether events are sent." example:"true"`
	DisabledReason *string    `json:"disabled_reason" nullable:"true" enum:"merchant,gone" doc:"Why it is disabled: by the merchant, or because the receiver answered 410; null while enabled." example:"gone"`
	Secret         *string    `json:"secret" nullable:"true" doc:"The signing secret. Shown only once: when the endpoint is created or its secret rotated." example:"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo="`
	PreviousUntil  *time.Time `json:"previous_secret_until" nullable:"true" doc:"When the previous secret stops or stopped signing; null if the secret was never rotated." example:"2026-01-16T16:00:00Z"`
	CreatedAt      time.Time  `json:"created_at" doc:"When it was created." example:"2026-01-15T16:00:00Z"`
	UpdatedAt      time.Time  `json:"updated_at" doc:"When it last changed." example:"2026-01-15T16:00:00Z"`
	Version        int        `json:"version" minimum:"1" doc:"1 at creation, increases with each change; the ETag." example:"1"`
}

// Resend is a request to send events to an endpoint again.
type Resend struct {
	ID        string     `json:"id" doc:"Identifier of the resend." example:"rsd_01KB2C4E6G9K1N3Q5S7U9W1Y3A"`
	WebhookID string     `json:"webhook_id" doc:"The endpoint." example:"whk_01KB2C4E6G8J0M2P4R6T8V0X2Z"`
	EventID   *string    `json:"event_id" nullable:"true" doc:"The event; null for a time span." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	From      *time.Time `json:"from" nullable:"true" doc:"Start of the span, inclusive; null for one event." example:"2026-01-14T00:00:00Z"`
	To        *time.Time `json:"to" nullable:"true" doc:"End of the span, exclusive; null for one event." example:"2026-01-15T00:00:00Z"`
	CreatedAt time.Time  `json:"created_at" doc:"When it was requested." example:"2026-01-15T16:00:00Z"`
}

// Delivery is the delivery of one event to one endpoint.
type Delivery struct {
	ID            string      `json:"id" doc:"Identifier of the delivery." example:"dlv_01KB2C4E6GAL2P4R6T8V0X2Z4B"`
	WebhookID     string      `json:"webhook_id" doc:"The endpoint." example:"whk_01KB2C4E6G8J0M2P4R6T8V0X2Z"`
	EventID       string      `json:"event_id" doc:"The event; its ID is the webhook-id." example:"evt_01KB0A4E7W5N3R1P9M8K6J4H2G"`
	EventType     string      `json:"event_type" doc:"Its type." example:"order.captured"`
	Object        EventObject `json:"object" doc:"Object it happened to."`
	Sequence      int64       `json:"sequence" minimum:"1" doc:"Sequence of the event." example:"4"`
	URL           *string     `json:"url" nullable:"true" doc:"The order_complete_url it goes to, placeholders replaced; null if it goes to the endpoint's url." example:"https://shop.example.com/tenor/accepted"`
	ResendID      *string     `json:"resend_id" nullable:"true" doc:"The resend that created it; null for the first delivery." example:"rsd_01KB2C4E6G9K1N3Q5S7U9W1Y3A"`
	State         string      `json:"state" enum:"PENDING,SUCCEEDED,PARKED,CANCELED" doc:"PENDING: will be retried; PARKED: failed too often; CANCELED: endpoint deleted." example:"SUCCEEDED"`
	AttemptsMade  int         `json:"attempts_made" doc:"Number of attempts." example:"1"`
	NextAttemptAt *time.Time  `json:"next_attempt_at" nullable:"true" doc:"When it is retried; null unless PENDING." example:"2026-01-15T16:05:00Z"`
	LastStatus    *int        `json:"last_status" nullable:"true" doc:"HTTP status of the last attempt; null without a response." example:"204"`
	LastError     *string     `json:"last_error" nullable:"true" doc:"Why the last attempt failed; null if it did not." example:"no answer within 20 s"`
	CreatedAt     time.Time   `json:"created_at" doc:"When it was created from its event." example:"2026-01-15T16:00:01Z"`
	FinishedAt    *time.Time  `json:"finished_at" nullable:"true" doc:"When it ended; null while PENDING." example:"2026-01-15T16:00:02Z"`
	Attempts      []Attempt   `json:"attempts" doc:"All attempts, oldest first; empty in lists."`
}

// Attempt is one attempt at a delivery.
type Attempt struct {
	Number     int       `json:"number" minimum:"1" doc:"1 for the first." example:"1"`
	At         time.Time `json:"at" doc:"When it began." example:"2026-01-15T16:00:01Z"`
	DurationMS int64     `json:"duration_ms" doc:"Duration in milliseconds." example:"84"`
	Status     *int      `json:"status" nullable:"true" doc:"HTTP status; null without a response." example:"204"`
	Error      *string   `json:"error" nullable:"true" doc:"Why it failed; null if it did not." example:"no answer within 20 s"`
	Answer     *string   `json:"answer" nullable:"true" doc:"Start of the response body." example:"ok"`
}

// APIClient is a program that may call the API: a merchant's, or the operator's. Only
// the operator sees it.
type APIClient struct {
	ID            string     `json:"id" doc:"ID of the client; its user name at /oauth/token." example:"cli_01K9Z0B2D4F6H8K0M2P4R6T8V0"`
	MerchantID    *string    `json:"merchant_id" nullable:"true" doc:"The merchant; null for the lender." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Name          string     `json:"name" doc:"Display name." example:"shop backend"`
	Scopes        []string   `json:"scopes" doc:"Scopes its tokens may have, sorted." example:"[\"orders:read\",\"orders:write\"]"`
	RatePerMinute int        `json:"rate_per_minute" minimum:"1" doc:"Requests per minute." example:"600"`
	Burst         int        `json:"burst" minimum:"1" doc:"Burst of requests." example:"100"`
	Secret        *string    `json:"secret" nullable:"true" doc:"The client secret. Shown only once: when the client is created or its secret rolled." example:"tns_4XQJ7N2M5P6R3S8T1V9W0Y4Z6B"`
	PreviousUntil *time.Time `json:"previous_secret_until" nullable:"true" doc:"When the previous secret stops or stopped working; null if the secret was never rolled." example:"2026-01-16T16:00:00Z"`
	CreatedAt     time.Time  `json:"created_at" doc:"When it was created." example:"2026-01-15T16:00:00Z"`
	UpdatedAt     time.Time  `json:"updated_at" doc:"When it last changed." example:"2026-01-15T16:00:00Z"`
	RevokedAt     *time.Time `json:"revoked_at" nullable:"true" doc:"When it was revoked with all its tokens; null while valid." example:"2026-02-01T09:00:00Z"`
	Managed       bool       `json:"managed" doc:"Whether it can be changed here; false if created on the server itself." example:"true"`
}

// NewWebhook returns the resource of an endpoint. secret is "" except in responses that
// show it.
func NewWebhook(e *credit.Endpoint, secret string) Webhook {
	w := Webhook{
		ID: e.ID, Kind: endpointKind(e.Kind), URL: textIn(&e.URL), Description: textIn(&e.Description), EventTypes: convert(e.EventTypes, newEventType),
		Enabled: e.Enabled, DisabledReason: textIn(&e.DisabledReason), Secret: text(secret),
		CreatedAt: instant(e.CreatedAt), UpdatedAt: instant(e.UpdatedAt), Version: e.Version,
	}
	if len(e.Secrets) > 1 {
		w.PreviousUntil = instantIn(&e.Secrets[1].Until)
	}
	return w
}

// endpointKind is the word for an endpoint's kind.
func endpointKind(k credit.EndpointKind) string {
	if k == credit.EndpointOwn {
		return "EVENTS"
	}
	return string(k)
}

func newEventType(t *credit.EventType) string { return string(*t) }

// NewResend returns the resource of a resend request.
func NewResend(r *credit.Resend) Resend {
	return Resend{
		ID: r.ID, WebhookID: r.Endpoint, EventID: textIn(&r.Event), From: instantIn(&r.From), To: instantIn(&r.To),
		CreatedAt: instant(r.CreatedAt),
	}
}

// NewDelivery returns the resource of a delivery, with its attempts where they are shown.
func NewDelivery(d *store.Delivery, attempts []store.Attempt) Delivery {
	return Delivery{
		ID: d.ID, WebhookID: d.Endpoint, EventID: d.Event, EventType: string(d.Type),
		Object: EventObject{Type: d.Object.Type, ID: d.Object.ID}, Sequence: d.Sequence, URL: textIn(&d.URL), ResendID: textIn(&d.Resend),
		State: string(d.State), AttemptsMade: d.Attempts, NextAttemptAt: instantIn(&d.NextAt), LastStatus: countIn(&d.Status),
		LastError: textIn(&d.Error), CreatedAt: instant(d.CreatedAt), FinishedAt: instantIn(&d.FinishedAt),
		Attempts: convert(attempts, newAttempt),
	}
}

func newAttempt(a *store.Attempt) Attempt {
	return Attempt{
		Number: a.N, At: instant(a.At), DurationMS: a.Took.Milliseconds(), Status: countIn(&a.Status),
		Error: textIn(&a.Error), Answer: textIn(&a.Answer),
	}
}

// NewAPIClient returns the resource of a client. secret is "" except in responses that show
// it.
func NewAPIClient(c *credit.Client, secret string) APIClient {
	w := APIClient{
		ID: c.ID, MerchantID: textIn(&c.Merchant), Name: c.Name, Scopes: convert(c.Scopes, func(s *string) string { return *s }),
		RatePerMinute: c.PerMinute, Burst: c.Burst, Secret: text(secret), CreatedAt: instant(c.CreatedAt),
		UpdatedAt: instant(c.UpdatedAt), RevokedAt: instantIn(&c.RevokedAt), Managed: len(c.Secrets) > 0,
	}
	if len(c.Secrets) > 1 {
		w.PreviousUntil = instantIn(&c.Secrets[1].Until)
	}
	return w
}
