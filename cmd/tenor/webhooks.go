package main

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
)

// webhookNoun is how endpoints are printed.
func webhookNoun() noun[client.Webhook] {
	return noun[client.Webhook]{
		head: []string{"ID", "KIND", "URL", "ENABLED", "EVENTS"},
		row: func(w *client.Webhook) []any {
			types := w.EventTypes
			if len(types) == 0 {
				types = []string{"all"}
			}
			return []any{w.ID, w.Kind, maybe(w.URL), enabledWord(w), types}
		},
		key: func(w *client.Webhook) string { return w.ID },
		text: func(a *app, w *client.Webhook) error {
			types := strings.Join(w.EventTypes, " ")
			if types == "" {
				types = "all"
			}
			return facts(a.out, "id", w.ID, "kind", w.Kind, "url", w.URL, "description", w.Description, "enabled", enabledWord(w), "events", types,
				"old secret until", w.PreviousSecretUntil, "created", w.CreatedAt, "version", optional(w.Version))
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
func deliveryNoun() noun[client.Delivery] {
	return noun[client.Delivery]{
		head: []string{"ID", "EVENT", "TYPE", "STATE", ">ATTEMPTS", ">STATUS", "NEXT", "ERROR"},
		row: func(d *client.Delivery) []any {
			return []any{d.ID, d.EventID, d.EventType, d.State, d.AttemptsMade, optional(d.LastStatus), maybe(instant(d.NextAttemptAt)), maybe(d.LastError)}
		},
		key:  func(d *client.Delivery) string { return d.ID },
		text: printDelivery,
	}
}

func printDelivery(a *app, d *client.Delivery) error {
	if err := facts(a.out, "id", d.ID, "endpoint", d.WebhookID, "url", d.URL, "event", d.EventID, "type", d.EventType, "object", d.Object.Type+" "+d.Object.ID,
		"sequence", d.Sequence, "resend", d.ResendID, "state", d.State, "next attempt", d.NextAttemptAt, "created", d.CreatedAt, "finished", d.FinishedAt); err != nil {
		return err
	}
	if len(d.Attempts) == 0 {
		return nil
	}
	fmt.Fprintln(a.out)
	t := newTable(">ATTEMPT", "AT", ">MS", ">STATUS", "ERROR", "ANSWER")
	for _, x := range d.Attempts {
		t.row(x.Number, x.At, x.DurationMS, optional(x.Status), maybe(x.Error), maybe(x.Answer))
	}
	return a.show(t)
}

type webhooksList struct {
	remote
	paging
}

// Examples are shown by -h.
func (webhooksList) Examples() []string { return []string{"webhooks list"} }

// Run is called by the parser.
func (c *webhooksList) Run(ctx context.Context, a *app) error {
	return list(ctx, a, &c.remote, c.paging, webhookNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Webhook], error) {
		return api.ListWebhooks(ctx, p, o...)
	})
}

// webhookKeyed is a command about one endpoint.
type webhookKeyed struct {
	ID string `arg:"" help:"Identifier of the endpoint: whk_…" complete:"webhook"`
}

type webhookGet struct {
	remote
	webhookKeyed
}

// Examples are shown by -h.
func (webhookGet) Examples() []string { return []string{"webhooks get whk_…"} }

// Run is called by the parser.
func (c *webhookGet) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, webhookNoun(), func(api *client.Client, o ...client.Option) (*client.Webhook, error) {
		return api.Webhook(ctx, c.ID, o...)
	})
}

type webhookDeliveries struct {
	remote
	paging
	ID    string   `arg:"" help:"Identifier of the endpoint, whk_…, or of one delivery, dlv_…, which is shown with its attempts." complete:"webhook"`
	State wordFlag `placeholder:"STATE" help:"PENDING, SUCCEEDED, PARKED or CANCELED." complete:"delivery-state"`
	Event string   `placeholder:"ID" help:"Deliveries of this event."`
}

// Examples are shown by -h.
func (webhookDeliveries) Examples() []string {
	return []string{"webhooks deliveries whk_…", "webhooks deliveries whk_… --state PARKED", "webhooks deliveries dlv_…"}
}

// Run is called by the parser.
func (c *webhookDeliveries) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if strings.HasPrefix(c.ID, "dlv_") {
		return one(ctx, a, &c.remote, deliveryNoun(), func(api *client.Client, o ...client.Option) (*client.Delivery, error) {
			return api.Delivery(ctx, c.ID, o...)
		})
	}
	f := client.DeliveryFilter{State: string(c.State), EventID: c.Event}
	return list(ctx, a, &c.remote, c.paging, deliveryNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Delivery], error) {
		return api.ListDeliveries(ctx, c.ID, f, p, o...)
	})
}
