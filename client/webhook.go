package client

import (
	"context"
	"iter"
	"net/http"
	"time"
)

// Webhook is an address of a merchant to which events are sent.
type Webhook struct {
	Raw
	ID                  string     `json:"id"`
	Kind                string     `json:"kind"` // EVENTS CHECKOUT
	URL                 string     `json:"url"`  // "" of kind CHECKOUT: each delivery has its own
	Description         string     `json:"description"`
	EventTypes          []string   `json:"event_types"` // empty: every type
	Enabled             bool       `json:"enabled"`
	DisabledReason      string     `json:"disabled_reason"`       // merchant gone; "" while it is enabled
	Secret              string     `json:"secret"`                // whsec_…; only in the answers of CreateWebhook and RotateWebhook
	PreviousSecretUntil *time.Time `json:"previous_secret_until"` // until when the secret before signs too
	CreatedAt           time.Time  `json:"created_at"`
	UpdatedAt           time.Time  `json:"updated_at"`
	Version             int        `json:"version"`
}

// WebhookRequest makes an endpoint. URL is required.
type WebhookRequest struct {
	URL         string   `json:"url"`
	Description string   `json:"description,omitempty"`
	EventTypes  []string `json:"event_types,omitempty"` // empty: every type
	Enabled     *bool    `json:"enabled,omitempty"`     // nil: enabled
}

// WebhookChange changes an endpoint. What is nil stays.
type WebhookChange struct {
	URL         *string   `json:"url,omitempty"`
	Description *string   `json:"description,omitempty"`
	EventTypes  *[]string `json:"event_types,omitempty"` // an empty list is every type
	Enabled     *bool     `json:"enabled,omitempty"`
}

// Delivery is one event on its way to one endpoint.
type Delivery struct {
	Raw
	ID            string      `json:"id"`
	WebhookID     string      `json:"webhook_id"`
	EventID       string      `json:"event_id"`
	EventType     string      `json:"event_type"`
	Object        EventObject `json:"object"`
	Sequence      int64       `json:"sequence"`
	URL           string      `json:"url"`       // order_complete_url to which it goes; "": that of its endpoint
	ResendID      string      `json:"resend_id"` // that asked for it, "" of the first delivery
	State         string      `json:"state"`     // PENDING SUCCEEDED PARKED CANCELED
	AttemptsMade  int         `json:"attempts_made"`
	NextAttemptAt *time.Time  `json:"next_attempt_at"`
	LastStatus    int         `json:"last_status"` // HTTP status, 0 if no answer came
	LastError     string      `json:"last_error"`
	CreatedAt     time.Time   `json:"created_at"`
	FinishedAt    *time.Time  `json:"finished_at"`
	Attempts      []Attempt   `json:"attempts"` // only of Client.Delivery
}

// Attempt is one try of a delivery.
type Attempt struct {
	Number     int       `json:"number"`
	At         time.Time `json:"at"`
	DurationMS int64     `json:"duration_ms"`
	Status     int       `json:"status"` // HTTP status, 0 if no answer came
	Error      string    `json:"error"`
	Answer     string    `json:"answer"` // its first bytes
}

// DeliveryFilter narrows a list of deliveries.
type DeliveryFilter struct {
	State   string
	EventID string
}

// Resend is a request to send events again: one, or those of a span of time.
type Resend struct {
	Raw
	ID        string     `json:"id"`
	WebhookID string     `json:"webhook_id"`
	EventID   string     `json:"event_id"`
	From      *time.Time `json:"from"`
	To        *time.Time `json:"to"`
	CreatedAt time.Time  `json:"created_at"`
}

// CreateWebhook makes an endpoint. Its secret is in this answer only.
func (c *Client) CreateWebhook(ctx context.Context, w WebhookRequest, options ...Option) (*Webhook, error) {
	return send[Webhook](ctx, c, http.MethodPost, "/v1/webhooks", w, options)
}

// Webhook returns one endpoint.
func (c *Client) Webhook(ctx context.Context, id string, options ...Option) (*Webhook, error) {
	return send[Webhook](ctx, c, http.MethodGet, at("v1", "webhooks", id), nil, options)
}

// ListWebhooks returns one page of endpoints, newest first.
func (c *Client) ListWebhooks(ctx context.Context, p Paging, options ...Option) (*Page[Webhook], error) {
	return pages[Webhook](ctx, c, "/v1/webhooks", p, options)
}

// Webhooks walks all endpoints, newest first.
func (c *Client) Webhooks(ctx context.Context) iter.Seq2[*Webhook, error] {
	return each(func(p Paging) (*Page[Webhook], error) { return c.ListWebhooks(ctx, p) })
}

// UpdateWebhook changes an endpoint.
func (c *Client) UpdateWebhook(ctx context.Context, id string, change WebhookChange, options ...Option) (*Webhook, error) {
	return send[Webhook](ctx, c, http.MethodPatch, at("v1", "webhooks", id), change, options)
}

// DeleteWebhook ends an endpoint. What was not delivered is not sent any more.
func (c *Client) DeleteWebhook(ctx context.Context, id string, options ...Option) error {
	_, err := c.Do(ctx, http.MethodDelete, at("v1", "webhooks", id), nil, options...)
	return err
}

// RotateWebhook gives an endpoint a new secret, which is in this answer only. The
// one before signs beside it for a day.
func (c *Client) RotateWebhook(ctx context.Context, id string, options ...Option) (*Webhook, error) {
	return send[Webhook](ctx, c, http.MethodPost, at("v1", "webhooks", id, "rotate"), struct{}{}, options)
}

// TestWebhook sends an endpoint an event of the type webhook.test, and returns it.
func (c *Client) TestWebhook(ctx context.Context, id string, options ...Option) (*Event, error) {
	return send[Event](ctx, c, http.MethodPost, at("v1", "webhooks", id, "test"), struct{}{}, options)
}

// ReplayWebhook sends an endpoint again what happened from an instant on and before
// another.
func (c *Client) ReplayWebhook(ctx context.Context, id string, from, to time.Time, options ...Option) (*Resend, error) {
	span := struct {
		From time.Time `json:"from"`
		To   time.Time `json:"to"`
	}{from.UTC(), to.UTC()}
	return send[Resend](ctx, c, http.MethodPost, at("v1", "webhooks", id, "replay"), span, options)
}

// ListDeliveries returns one page of an endpoint's deliveries, newest first.
func (c *Client) ListDeliveries(ctx context.Context, webhook string, f DeliveryFilter, p Paging, options ...Option) (*Page[Delivery], error) {
	q := query{}
	q.text("state", f.State)
	q.text("event_id", f.EventID)
	q.paging(p)
	return list[Delivery](ctx, c, at("v1", "webhooks", webhook, "deliveries"), q, options)
}

// Deliveries walks all deliveries of an endpoint, newest first.
func (c *Client) Deliveries(ctx context.Context, webhook string, f DeliveryFilter) iter.Seq2[*Delivery, error] {
	return each(func(p Paging) (*Page[Delivery], error) { return c.ListDeliveries(ctx, webhook, f, p) })
}

// Delivery returns one delivery with its attempts.
func (c *Client) Delivery(ctx context.Context, id string, options ...Option) (*Delivery, error) {
	return send[Delivery](ctx, c, http.MethodGet, at("v1", "deliveries", id), nil, options)
}

// Redeliver sends the event of a delivery again, of a successful one too.
func (c *Client) Redeliver(ctx context.Context, delivery string, options ...Option) (*Resend, error) {
	return send[Resend](ctx, c, http.MethodPost, at("v1", "deliveries", delivery, "redeliver"), struct{}{}, options)
}
