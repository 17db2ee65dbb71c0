package integrate

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/release"
	"tenor/internal/app/terminal"
)

// forwardTimeout is how long a receiver may take, as for a real webhook.
const forwardTimeout = 20 * time.Second

// WebhookListen is the command "webhooks listen".
type WebhookListen struct {
	terminal.Remote
	follow
	typesFlag
	ForwardTo   string `placeholder:"URL" help:"URL of your receiver, such as http://localhost:3000/hooks."`
	PrintSecret bool   `help:"Print the signing secret and exit."`
	Count       int    `placeholder:"N" help:"Stop after this many events."`
}

func (WebhookListen) Examples() []string {
	return []string{
		"webhooks listen --forward-to http://localhost:3000/hooks", "webhooks listen --forward-to http://localhost:3000/hooks --events order.*",
		"webhooks listen --print-secret",
	}
}

// Run is called by the parser. It needs no endpoint and no public address: it polls the server
// for events and forwards them, signed like a webhook.
func (c *WebhookListen) Run(ctx context.Context, a *terminal.App) error {
	if c.PrintSecret {
		secret, err := a.ListenSecret()
		if err == nil {
			_, err = fmt.Fprintln(a.Out, secret)
		}
		return err
	}
	target, err := c.target()
	if err != nil {
		return err
	}
	if err := c.check(); err != nil {
		return err
	}
	secret, err := a.ListenSecret()
	if err != nil {
		return err
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	p, err := c.start(ctx, api)
	if err != nil {
		return err
	}
	f := newForwarder(target, secret, a.Wall)
	c.Say(a, "Signing secret: %s\nForwarding events from %s to %s. Stop with Ctrl+C.", secret, api.Address(), target)
	defer func() {
		c.Say(a, "%s forwarded, %d rejected.", terminal.Counted(f.taken, "event", "events"), f.refused)
		c.again(a, c.Output, p)
	}()
	for e, err := range p.Events(ctx) {
		if err != nil {
			return err
		}
		if !c.wants(e.Type) {
			continue
		}
		if err := c.passed(a, e, f.pass(ctx, e)); err != nil {
			return err
		}
		if f.taken+f.refused == c.Count {
			return nil
		}
	}
	return nil
}

func (c *WebhookListen) target() (string, error) {
	u, err := url.Parse(c.ForwardTo)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || u.Fragment != "" || u.User != nil {
		return "", &exit.Failure{Code: exit.Usage, Text: "--forward-to must look like http://localhost:3000/hooks"}
	}
	return c.ForwardTo, nil
}

// passing is the outcome of forwarding an event, as --json prints it.
type passing struct {
	EventID    string `json:"event_id"`
	EventType  string `json:"event_type"`
	Object     string `json:"object_id"`
	Sequence   int64  `json:"sequence"`
	Status     *int   `json:"status"` // of the receiver's response, null if there was none
	Error      string `json:"error,omitempty"`
	DurationMS int64  `json:"duration_ms"`
}

// passed prints the outcome of forwarding an event.
func (c *WebhookListen) passed(a *terminal.App, e *client.Event, r passing) error {
	text := r.Error
	if r.Status != nil {
		text = fmt.Sprint(*r.Status)
	}
	switch {
	case c.JSON:
		body, err := json.Marshal(r)
		if err != nil {
			return err
		}
		return terminal.Line(a.Out, body)
	case c.Plain:
		return terminal.Record(a.Out, append(terminal.EventRow(e), text, r.DurationMS))
	case c.Quiet:
		_, err := fmt.Fprintln(a.Out, terminal.Clean(e.ID))
		return err
	}
	_, err := fmt.Fprintf(a.Out, "%s  %-28s  %s #%d  -> %s (%d ms)\n", terminal.Instant(&e.CreatedAt), terminal.Clean(e.Type), terminal.Clean(e.Object.ID), e.Sequence, terminal.Clean(text), r.DurationMS)
	return err
}

// forwarder forwards events to a receiver.
type forwarder struct {
	target, secret string
	wall           func() time.Time
	http           *http.Client
	taken, refused int
}

func newForwarder(target, secret string, wall func() time.Time) *forwarder {
	return &forwarder{target: target, secret: secret, wall: wall, http: &http.Client{
		Timeout:       forwardTimeout,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // webhooks follow no redirects
	}}
}

// pass sends an event once: a receiver under development must not hold up the rest.
func (f *forwarder) pass(ctx context.Context, e *client.Event) passing {
	begin := f.wall()
	status, err := f.post(ctx, e)
	r := passing{EventID: e.ID, EventType: e.Type, Object: e.Object.ID, Sequence: e.Sequence, DurationMS: f.wall().Sub(begin).Milliseconds()}
	if err != nil {
		r.Error = err.Error()
	} else {
		r.Status = &status
	}
	if err == nil && status >= 200 && status < 300 {
		f.taken++
	} else {
		f.refused++
	}
	return r
}

// post sends the event's bytes unchanged, with the headers of a webhook.
func (f *forwarder) post(ctx context.Context, e *client.Event) (int, error) {
	header, err := client.SignWebhook(f.secret, e.ID, f.wall(), e.JSON())
	if err != nil {
		return 0, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, f.target, bytes.NewReader(e.JSON()))
	if err != nil {
		return 0, err
	}
	r.Header = header
	r.Header.Set("User-Agent", "tenor/"+release.Version)
	answer, err := f.http.Do(r)
	if err != nil {
		if wrapped, ok := err.(*url.Error); ok {
			err = wrapped.Err
		}
		return 0, err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)) // so that the connection can be reused
	return answer.StatusCode, nil
}
