package integrate

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
	"tenor/internal/app/terminal"
)

// webhookNoun is how endpoints are printed.
func webhookNoun() terminal.Noun[client.Webhook] {
	return terminal.Noun[client.Webhook]{
		Head: []string{"ID", "KIND", "URL", "ENABLED", "EVENTS"},
		Row: func(w *client.Webhook) []any {
			types := w.EventTypes
			if len(types) == 0 {
				types = []string{"all"}
			}
			return []any{w.ID, w.Kind, terminal.Maybe(w.URL), enabledWord(w), types}
		},
		Key: func(w *client.Webhook) string { return w.ID },
		Text: func(a *terminal.App, w *client.Webhook) error {
			types := strings.Join(w.EventTypes, " ")
			if types == "" {
				types = "all"
			}
			return terminal.Facts(a.Out, "id", w.ID, "kind", w.Kind, "url", w.URL, "description", w.Description, "enabled", enabledWord(w), "events", types,
				"old secret until", w.PreviousSecretUntil, "created", w.CreatedAt, "version", terminal.Optional(w.Version))
		},
	}
}

func enabledWord(w *client.Webhook) string {
	switch {
	case w.Enabled:
		return "yes"
	case w.DisabledReason == "":
		return "no"
	}
	return "no: " + w.DisabledReason
}

// deliveryNoun is how deliveries are printed.
func deliveryNoun() terminal.Noun[client.Delivery] {
	return terminal.Noun[client.Delivery]{
		Head: []string{"ID", "EVENT", "TYPE", "STATE", ">ATTEMPTS", ">STATUS", "NEXT", "ERROR"},
		Row: func(d *client.Delivery) []any {
			return []any{d.ID, d.EventID, d.EventType, d.State, d.AttemptsMade, terminal.Optional(d.LastStatus), terminal.Maybe(terminal.Instant(d.NextAttemptAt)), terminal.Maybe(d.LastError)}
		},
		Key:  func(d *client.Delivery) string { return d.ID },
		Text: printDelivery,
	}
}

func printDelivery(a *terminal.App, d *client.Delivery) error {
	if err := terminal.Facts(a.Out, "id", d.ID, "endpoint", d.WebhookID, "url", d.URL, "event", d.EventID, "type", d.EventType, "object", d.Object.Type+" "+d.Object.ID,
		"sequence", d.Sequence, "resend", d.ResendID, "state", d.State, "next attempt", d.NextAttemptAt, "created", d.CreatedAt, "finished", d.FinishedAt); err != nil {
		return err
	}
	if len(d.Attempts) == 0 {
		return nil
	}
	fmt.Fprintln(a.Out)
	t := terminal.NewTable(">ATTEMPT", "AT", ">MS", ">STATUS", "ERROR", "ANSWER")
	for _, x := range d.Attempts {
		t.Row(x.Number, x.At, x.DurationMS, terminal.Optional(x.Status), terminal.Maybe(x.Error), terminal.Maybe(x.Answer))
	}
	return a.Show(t)
}

// WebhooksList is the command "webhooks list".
type WebhooksList struct {
	terminal.Remote
	terminal.Paging
}

func (WebhooksList) Examples() []string { return []string{"webhooks list"} }

func (c *WebhooksList) Run(ctx context.Context, a *terminal.App) error {
	return terminal.List(ctx, a, &c.Remote, c.Paging, webhookNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Webhook], error) {
		return api.ListWebhooks(ctx, p, o...)
	})
}

// webhookKeyed is a command about one endpoint.
type webhookKeyed struct {
	ID string `arg:"" help:"Endpoint ID: whk_…" complete:"webhook"`
}

// WebhookGet is the command "webhooks get".
type WebhookGet struct {
	terminal.Remote
	webhookKeyed
}

func (WebhookGet) Examples() []string { return []string{"webhooks get whk_…"} }

func (c *WebhookGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, webhookNoun(), c.ID, (*client.Client).Webhook)
}

// WebhookDeliveries is the command "webhooks deliveries".
type WebhookDeliveries struct {
	terminal.Remote
	terminal.Paging
	ID    string            `arg:"" help:"Endpoint ID, whk_…, or the ID of one delivery, dlv_…, to show its attempts." complete:"webhook"`
	State terminal.WordFlag `placeholder:"STATE" help:"${delivery_state}." complete:"delivery-state"`
	Event string            `placeholder:"ID" help:"Deliveries of this event."`
}

func (WebhookDeliveries) Examples() []string {
	return []string{"webhooks deliveries whk_…", "webhooks deliveries whk_… --state PARKED", "webhooks deliveries dlv_…"}
}

func (c *WebhookDeliveries) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if strings.HasPrefix(c.ID, "dlv_") {
		return terminal.One(ctx, a, &c.Remote, deliveryNoun(), func(api *client.Client, o ...client.Option) (*client.Delivery, error) {
			return api.Delivery(ctx, c.ID, o...)
		})
	}
	f := client.DeliveryFilter{State: string(c.State), EventID: c.Event}
	return terminal.List(ctx, a, &c.Remote, c.Paging, deliveryNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Delivery], error) {
		return api.ListDeliveries(ctx, c.ID, f, p, o...)
	})
}
