package client

import (
	"context"
	"net/http"
	"time"
)

// SandboxClock is the business clock of a sandbox.
type SandboxClock struct {
	Raw
	Now      time.Time  `json:"now"`
	Frozen   bool       `json:"frozen"`
	Status   string     `json:"status"` // ready advancing
	Target   *time.Time `json:"target"`
	Progress *struct {
		DaysDone  int `json:"days_done"`
		DaysTotal int `json:"days_total"`
	} `json:"progress"`
	NextEvent *struct {
		At     time.Time `json:"at"`
		Type   string    `json:"type"`
		Object string    `json:"object"`
	} `json:"next_event"`
	Failed bool `json:"failed"`
}

// Advance moves a sandbox's clock: by a Duration, to an instant, until something is due
// (Next), or until an event of a type is made (Until). After is an event behind which
// that one is looked for: give the last that you know, and one that comes while you ask
// is not missed.
type Advance struct {
	Duration time.Duration
	To       time.Time
	Next     bool
	Until    string // payment.succeeded …
	After    string // evt_…; "": behind all that there are
}

// BusinessClock returns a sandbox's clock.
func (c *Client) BusinessClock(ctx context.Context, options ...Option) (*SandboxClock, error) {
	return send[SandboxClock](ctx, c, http.MethodGet, "/v1/sandbox/clock", nil, options)
}

// AdvanceClock moves a sandbox's clock forward. A long move goes on behind the answer.
func (c *Client) AdvanceClock(ctx context.Context, a Advance, options ...Option) (*SandboxClock, error) {
	body := map[string]string{}
	switch {
	case a.Next:
		body["until"] = "next_event"
	case a.Until != "":
		body["until"] = a.Until
		if a.After != "" {
			body["after"] = a.After
		}
	case !a.To.IsZero():
		body["to"] = a.To.UTC().Format(time.RFC3339)
	default:
		body["duration"] = a.Duration.Truncate(time.Second).String()
	}
	return send[SandboxClock](ctx, c, http.MethodPost, "/v1/sandbox/clock/advance", body, options)
}

// FreezeClock stops a sandbox's clock; ResumeClock lets it run.
func (c *Client) FreezeClock(ctx context.Context, options ...Option) (*SandboxClock, error) {
	return send[SandboxClock](ctx, c, http.MethodPost, "/v1/sandbox/clock/freeze", struct{}{}, options)
}

// ResumeClock lets a sandbox's clock run at real speed.
func (c *Client) ResumeClock(ctx context.Context, options ...Option) (*SandboxClock, error) {
	return send[SandboxClock](ctx, c, http.MethodPost, "/v1/sandbox/clock/resume", struct{}{}, options)
}

// FailNextDebit lets a sandbox's next debit come back with a return code: of one
// company, or with 0 of anybody.
func (c *Client) FailNextDebit(ctx context.Context, code string, company int64, options ...Option) error {
	body := struct {
		ReturnCode string `json:"return_code"`
		CompanyID  int64  `json:"company_id,omitempty"`
	}{code, company}
	_, err := c.Do(ctx, http.MethodPost, "/v1/sandbox/bank/fail-next", body, options...)
	return err
}

// ReturnDebit lets the debit of a payment come back.
func (c *Client) ReturnDebit(ctx context.Context, payment, code string, options ...Option) error {
	body := struct {
		PaymentID  string `json:"payment_id"`
		ReturnCode string `json:"return_code"`
	}{payment, code}
	_, err := c.Do(ctx, http.MethodPost, "/v1/sandbox/bank/return", body, options...)
	return err
}

// SendBankNotice lets a sandbox's bank send a notification of change for a company's
// account.
func (c *Client) SendBankNotice(ctx context.Context, company int64, code string, options ...Option) error {
	body := struct {
		CompanyID  int64  `json:"company_id"`
		ChangeCode string `json:"change_code"`
	}{company, code}
	_, err := c.Do(ctx, http.MethodPost, "/v1/sandbox/bank/notice", body, options...)
	return err
}

// SettleDebits settles all that was sent.
func (c *Client) SettleDebits(ctx context.Context, options ...Option) (*SandboxClock, error) {
	return send[SandboxClock](ctx, c, http.MethodPost, "/v1/sandbox/bank/settle", struct{}{}, options)
}

// MakeSandboxCompany makes a ready company: approved, small_line, pending, declined,
// on_hold, suspended, suspends_later (when the clock is moved 30 days) or closed.
func (c *Client) MakeSandboxCompany(ctx context.Context, preset string, options ...Option) (*Company, error) {
	body := map[string]string{"preset": preset}
	return send[Company](ctx, c, http.MethodPost, "/v1/sandbox/companies", body, options)
}
