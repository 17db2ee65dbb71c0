package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/calendar"
)

type webhookCreate struct {
	change
	secretFile
	typesFlag
	Address     string `arg:"" name:"address" help:"Where events are sent, by POST, such as https://shop.example/hooks/tenor."`
	Description string `placeholder:"TEXT" help:"Your own note."`
	Disabled    bool   `help:"Send nothing until it is enabled."`
}

// Examples are shown by -h.
func (webhookCreate) Examples() []string {
	return []string{
		"webhooks create https://shop.example/hooks/tenor", "webhooks create https://shop.example/hooks/tenor --events order.*,payment.returned",
		"webhooks create https://shop.example/hooks/tenor --secret-file ./webhook.secret",
	}
}

// Run is called by the parser.
func (c *webhookCreate) Run(ctx context.Context, a *app) error {
	if err := c.check(); err != nil {
		return err
	}
	enabled := !c.Disabled
	r := client.WebhookRequest{URL: c.Address, Description: c.Description, EventTypes: c.names(), Enabled: &enabled}
	return withSecretOf(ctx, a, &c.change, c.secretFile, webhookNoun(), func(api *client.Client, o ...client.Option) (*client.Webhook, error) {
		return api.CreateWebhook(ctx, r, o...)
	}, webhookSecret, func(w *client.Webhook) string {
		return a.mildly(fmt.Sprintf("Created %s: events go to %s.", w.ID, clean(w.URL)), "webhooks delete "+w.ID)
	})
}

func webhookSecret(w *client.Webhook) *string { return &w.Secret }

type webhookUpdate struct {
	change
	versioned
	webhookKeyed
	typesFlag
	AllEvents   bool    `xor:"events" help:"Every event type."`
	Address     string  `name:"address" placeholder:"URL" help:"Where events are sent from now on."`
	Description *string `placeholder:"TEXT" help:"Your own note."`
	Enable      bool    `xor:"enabled" help:"Send events again."`
	Disable     bool    `xor:"enabled" help:"Send no more events."`
}

// Examples are shown by -h.
func (webhookUpdate) Examples() []string {
	return []string{"webhooks update whk_… --events order.*", "webhooks update whk_… --disable", "webhooks update whk_… --address https://shop.example/new"}
}

// Run is called by the parser.
func (c *webhookUpdate) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if err := c.check(); err != nil {
		return err
	}
	patch := client.WebhookChange{Description: c.Description}
	if c.Address != "" {
		patch.URL = &c.Address
	}
	if types := c.names(); types != nil || c.AllEvents {
		if c.AllEvents {
			types = []string{}
		}
		patch.EventTypes = &types
	}
	if c.Enable || c.Disable {
		patch.Enabled = &c.Enable
	}
	if patch == (client.WebhookChange{}) {
		return &failure{code: exitUsage, text: "nothing to change is named", hint: a.program + " webhooks update -h shows what can be"}
	}
	return act(ctx, a, &c.change, webhookNoun(), func(api *client.Client, o ...client.Option) (*client.Webhook, error) {
		return api.UpdateWebhook(ctx, c.ID, patch, append(o, c.options()...)...)
	}, func(w *client.Webhook) string {
		text := fmt.Sprintf("Updated %s, version %d. Enabled: %s.", w.ID, w.Version, enabledWord(w))
		switch {
		case c.Disable:
			return a.mildly(text, "webhooks update "+w.ID+" --enable")
		case c.Enable:
			return a.mildly(text, "webhooks update "+w.ID+" --disable")
		}
		return text
	})
}

type webhookDelete struct {
	change
	versioned
	consent
	webhookKeyed
}

// Examples are shown by -h.
func (webhookDelete) Examples() []string { return []string{"webhooks delete whk_… --yes"} }

// Run is called by the parser.
func (c *webhookDelete) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return remove(ctx, a, &c.change, c.consent, removal{
		id: c.ID, said: "Deleted " + c.ID + ".", ask: fmt.Sprintf("Delete the endpoint %s? What was not delivered is not sent any more.", c.ID), see: "webhooks get " + c.ID,
	}, func(api *client.Client) error { return api.DeleteWebhook(ctx, c.ID, c.options()...) })
}

type webhookRotate struct {
	change
	consent
	secretFile
	webhookKeyed
}

// Examples are shown by -h.
func (webhookRotate) Examples() []string {
	return []string{"webhooks rotate whk_…", "webhooks rotate whk_… --secret-file ./webhook.secret --yes"}
}

// Run is called by the parser.
func (c *webhookRotate) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Give %s a new signing secret? The one before signs beside it for 24 hours.", c.ID)); err != nil {
			return err
		}
	}
	return withSecretOf(ctx, a, &c.change, c.secretFile, webhookNoun(), func(api *client.Client, o ...client.Option) (*client.Webhook, error) {
		return api.RotateWebhook(ctx, c.ID, o...)
	}, webhookSecret, func(w *client.Webhook) string {
		text := w.ID + " has a new signing secret."
		if w.PreviousSecretUntil != nil {
			text += " The one before signs beside it until " + instant(w.PreviousSecretUntil) + "."
		}
		return text
	})
}

type webhookTest struct {
	change
	webhookKeyed
}

// Examples are shown by -h.
func (webhookTest) Examples() []string { return []string{"webhooks test whk_…"} }

// Run is called by the parser.
func (c *webhookTest) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, eventNoun(), func(api *client.Client, o ...client.Option) (*client.Event, error) {
		return api.TestWebhook(ctx, c.ID, o...)
	}, func(e *client.Event) string {
		return fmt.Sprintf("Sent %s (%s). See: %s webhooks deliveries %s --event %s", e.ID, clean(e.Type), a.program, c.ID, e.ID)
	})
}

func resendNoun() noun[client.Resend] {
	return noun[client.Resend]{
		head: []string{"ID", "ENDPOINT", "EVENT", "FROM", "TO", "CREATED"},
		row: func(r *client.Resend) []any {
			return []any{r.ID, r.WebhookID, maybe(r.EventID), maybe(field(r.From)), maybe(field(r.To)), r.CreatedAt}
		},
		key: func(r *client.Resend) string { return r.ID },
	}
}

type webhookRedeliver struct {
	change
	ID string `arg:"" help:"Identifier of the delivery: dlv_…"`
}

// Examples are shown by -h.
func (webhookRedeliver) Examples() []string { return []string{"webhooks redeliver dlv_…"} }

// Run is called by the parser. A receiver drops an event that it has seen, so this
// needs no undoing.
func (c *webhookRedeliver) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, resendNoun(), func(api *client.Client, o ...client.Option) (*client.Resend, error) {
		return api.Redeliver(ctx, c.ID, o...)
	}, func(r *client.Resend) string {
		return fmt.Sprintf("%s is sent again (%s). See: %s webhooks deliveries %s --event %s", clean(r.EventID), r.ID, a.program, r.WebhookID, r.EventID)
	})
}

type webhookReplay struct {
	change
	consent
	webhookKeyed
	From string `required:"" placeholder:"WHEN" help:"Events from this instant on, or of this business date on."`
	To   string `required:"" placeholder:"WHEN" help:"Events before this instant, or to the end of this business date; at most 31 days."`
}

// Examples are shown by -h.
func (webhookReplay) Examples() []string {
	return []string{"webhooks replay whk_… --from 2026-01-05 --to 2026-01-06", "webhooks replay whk_… --from 2026-01-05T14:00:00Z --to 2026-01-05T15:30:00Z --yes"}
}

// Run is called by the parser.
func (c *webhookReplay) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	from, to, err := c.span()
	if err != nil {
		return err
	}
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Send %s again all that happened from %s to %s?", c.ID, instant(&from), instant(&to))); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, resendNoun(), func(api *client.Client, o ...client.Option) (*client.Resend, error) {
		return api.ReplayWebhook(ctx, c.ID, from, to, o...)
	}, func(r *client.Resend) string {
		return fmt.Sprintf("Sent again (%s): what happened from %s to %s. See: %s webhooks deliveries %s", r.ID, instant(r.From), instant(r.To), a.program, r.WebhookID)
	})
}

// span is the time to be replayed: a date stands for its whole business day.
func (c *webhookReplay) span() (from, to time.Time, err error) {
	zone, err := businessZone()
	if err != nil {
		return from, to, err
	}
	read := func(flag, text string, days int) (time.Time, error) {
		if strings.Contains(text, "T") {
			if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
				return t, nil
			}
		} else if d, err := calendar.Parse(text); err == nil {
			return zone.At(d.AddDays(days), 0, 0), nil
		}
		return time.Time{}, &failure{code: exitUsage, text: flag + " must look like 2026-01-05 or 2026-01-05T14:00:00Z"}
	}
	if from, err = read("--from", c.From, 0); err != nil {
		return from, to, err
	}
	if to, err = read("--to", c.To, 1); err != nil {
		return from, to, err
	}
	if !from.Before(to) {
		return from, to, &failure{code: exitUsage, text: "--to is not after --from"}
	}
	return from, to, nil
}
