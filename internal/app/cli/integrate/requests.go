package integrate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/app/terminal"
)

// requestNoun is how calls of the request log are printed.
func requestNoun() terminal.Noun[client.LoggedRequest] {
	return terminal.Noun[client.LoggedRequest]{
		Head: []string{"AT", "METHOD", "PATH", ">STATUS", ">MS", "CODE", "CLIENT", "REQUEST"},
		Row: func(r *client.LoggedRequest) []any {
			return []any{r.At, r.Method, r.Path, r.Status, r.DurationMS, terminal.Maybe(r.Code), r.ClientID, r.RequestID}
		},
		Key:  func(r *client.LoggedRequest) string { return r.ID },
		Text: printRequest,
	}
}

func printRequest(a *terminal.App, r *client.LoggedRequest) error {
	line := r.Method + " " + r.Path
	if r.Query != "" {
		line += "?" + r.Query
	}
	if err := terminal.Facts(a.Out, "id", r.ID, "request", r.RequestID, "call", line, "operation", r.Operation, "status", r.Status, "code", r.Code,
		"at", r.At, "ms", r.DurationMS, "client", strings.TrimSpace(r.ClientID+" "+r.ClientName), "merchant", r.MerchantID, "commit", terminal.Optional(int(r.CommitSeq))); err != nil {
		return err
	}
	if h := r.Idempotency; h != nil {
		if err := terminal.Facts(a.Out, "key", r.IdempotencyKey, "first seen", h.FirstSeenAt, "first request", h.FirstRequestID, "replays", h.Replays,
			"stored status", terminal.Optional(h.StoredStatus), "differs in", strings.Join(h.Differs, " ")); err != nil {
			return err
		}
	}
	for _, b := range []struct {
		title string
		body  client.LoggedBody
	}{{"request", r.Request}, {"answer", r.Response}} {
		if len(b.body.Body) == 0 || string(b.body.Body) == "null" {
			continue
		}
		if _, err := fmt.Fprintf(a.Out, "\n%s, %d bytes:\n%s\n", b.title, b.body.Size, terminal.Indented(b.body.Body)); err != nil {
			return err
		}
	}
	return nil
}

// callsFlag contains the flags that filter calls.
type callsFlag struct {
	Client    string `placeholder:"ID" help:"Calls by this client: cli_…"`
	Class     string `name:"status" placeholder:"CLASS" help:"Responses of this class: 2xx, 3xx, 4xx or 5xx."`
	Method    string `placeholder:"METHOD" help:"Calls with this HTTP method, such as POST."`
	Operation string `placeholder:"NAME" help:"Calls to this operation, such as createOrder."`
	Key       string `name:"idempotency-key" placeholder:"KEY" help:"Calls with this Idempotency-Key."`
}

func (f callsFlag) filter() client.RequestFilter {
	return client.RequestFilter{ClientID: f.Client, StatusClass: f.Class, Method: strings.ToUpper(f.Method), Operation: f.Operation, IdempotencyKey: f.Key}
}

// RequestsList is the command "requests list".
type RequestsList struct {
	terminal.Remote
	terminal.Paging
	callsFlag
	Request string    `name:"request-id" placeholder:"ID" help:"Calls with this X-Request-Id."`
	From    time.Time `placeholder:"TIME" help:"At or after this instant, such as 2026-01-15T00:00:00Z."`
	To      time.Time `placeholder:"TIME" help:"Before this instant."`
}

func (RequestsList) Examples() []string {
	return []string{"requests list --status 4xx", "requests list --operation createOrder --limit 50 --json"}
}

func (c *RequestsList) Run(ctx context.Context, a *terminal.App) error {
	f := c.filter()
	f.RequestID, f.From, f.To = c.Request, c.From, c.To
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, requestNoun(), f, (*client.Client).ListRequests)
}

// RequestsGet is the command "requests get".
type RequestsGet struct {
	terminal.Remote
	ID string `arg:"" help:"The call's X-Request-Id, req_…, or its log ID, log_…"`
}

func (RequestsGet) Examples() []string { return []string{"requests get req_…"} }

func (c *RequestsGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, requestNoun(), c.ID, (*client.Client).LoggedRequest)
}
