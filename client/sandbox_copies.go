package client

import (
	"context"
	"net/http"
	"time"
)

// SandboxSnapshot is a copy of a whole sandbox.
type SandboxSnapshot struct {
	Raw
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	CreatedAt time.Time `json:"created_at"`
	Clock     time.Time `json:"clock"` // what its business clock shows
	Size      int64     `json:"size"`  // in bytes
}

// SandboxSeed is what the demo data begin with.
type SandboxSeed struct {
	Raw
	MerchantID string `json:"merchant_id"`
}

// SandboxMail is a message that a sandbox would have sent.
type SandboxMail struct {
	Raw
	ID       string      `json:"id"`
	Kind     string      `json:"kind"` // NOTICE INVOICE STATEMENT PAYOUT_ADVICE REVERSAL ACCOUNT_CHANGE
	To       string      `json:"to"`
	Name     string      `json:"name"`
	Subject  string      `json:"subject"`
	Language string      `json:"language"` // in which it is written: en-US es-US
	Date     time.Time   `json:"date"`
	Object   EventObject `json:"object"`
	Text     string      `json:"text"`
	HTML     string      `json:"html"`
}

// MakeSnapshot copies a whole sandbox; name may be "".
func (c *Client) MakeSnapshot(ctx context.Context, name string, options ...Option) (*SandboxSnapshot, error) {
	body := struct {
		Name string `json:"name,omitempty"`
	}{name}
	return send[SandboxSnapshot](ctx, c, http.MethodPost, "/v1/sandbox/snapshots", body, slowly(options))
}

// ListSnapshots lists the copies of a sandbox, newest first. It is always one page.
func (c *Client) ListSnapshots(ctx context.Context, options ...Option) (*Page[SandboxSnapshot], error) {
	return list[SandboxSnapshot](ctx, c, "/v1/sandbox/snapshots", query{}, options)
}

// RestoreSnapshot puts a copy in the place of the sandbox.
func (c *Client) RestoreSnapshot(ctx context.Context, id string, options ...Option) (*SandboxSnapshot, error) {
	return send[SandboxSnapshot](ctx, c, http.MethodPost, at("v1", "sandbox", "snapshots", id, "restore"), nil, slowly(options))
}

// SandboxReset is what a sandbox holds after it was emptied: nothing, the demo data, or
// the demo data with their past, which needs Seed.
type SandboxReset struct {
	Seed    bool `json:"seed"`
	History bool `json:"history"`
}

// ResetSandbox empties a sandbox, or leaves the demo data alone.
func (c *Client) ResetSandbox(ctx context.Context, what SandboxReset, options ...Option) (*SandboxClock, error) {
	return send[SandboxClock](ctx, c, http.MethodPost, "/v1/sandbox/reset", what, slowly(options))
}

// SeedSandbox makes the demo data, once; with history those with a past, which only an
// empty sandbox can have.
func (c *Client) SeedSandbox(ctx context.Context, history bool, options ...Option) (*SandboxSeed, error) {
	body := struct {
		History bool `json:"history"`
	}{history}
	return send[SandboxSeed](ctx, c, http.MethodPost, "/v1/sandbox/seed", body, slowly(options))
}

// ListSandboxMail returns one page of what would have been sent by mail, newest first; of
// one kind, or of all for "".
func (c *Client) ListSandboxMail(ctx context.Context, kind string, p Paging, options ...Option) (*Page[SandboxMail], error) {
	q := query{}
	q.text("kind", kind)
	q.paging(p)
	return list[SandboxMail](ctx, c, "/v1/sandbox/mail", q, options)
}

// SandboxMail returns one message that would have been sent by mail.
func (c *Client) SandboxMail(ctx context.Context, id string, options ...Option) (*SandboxMail, error) {
	return send[SandboxMail](ctx, c, http.MethodGet, at("v1", "sandbox", "mail", id), nil, options)
}
