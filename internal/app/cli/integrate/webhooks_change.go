package integrate

import (
	"context"
	"fmt"
	"reflect"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/app/cli/trade"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/domain/calendar"
)

// WebhookCreate is the command "webhooks create".
type WebhookCreate struct {
	terminal.Change
	secretFile
	typesFlag
	Address     string `arg:"" name:"address" help:"URL to POST events to, such as https://shop.example/hooks/tenor."`
	Description string `placeholder:"TEXT" help:"Your own note."`
	Disabled    bool   `help:"Create it disabled; nothing is sent until it is enabled."`
}

func (WebhookCreate) Examples() []string {
	return []string{
		"webhooks create https://shop.example/hooks/tenor", "webhooks create https://shop.example/hooks/tenor --events order.*,payment.returned",
		"webhooks create https://shop.example/hooks/tenor --secret-file ./webhook.secret",
	}
}

func (c *WebhookCreate) Run(ctx context.Context, a *terminal.App) error {
	if err := c.check(); err != nil {
		return err
	}
	enabled := !c.Disabled
	r := client.WebhookRequest{URL: c.Address, Description: c.Description, EventTypes: c.names(), Enabled: &enabled}
	return withSecretOf(ctx, a, &c.Change, c.secretFile, webhookNoun(), func(api *client.Client, o ...client.Option) (*client.Webhook, error) {
		return api.CreateWebhook(ctx, r, o...)
	}, webhookSecret, func(w *client.Webhook) string {
		return a.WithUndo(fmt.Sprintf("Created %s: events are sent to %s.", w.ID, terminal.Clean(w.URL)), "webhooks delete "+w.ID)
	})
}

func webhookSecret(w *client.Webhook) *string { return &w.Secret }

// WebhookUpdate is the command "webhooks update".
type WebhookUpdate struct {
	terminal.Change
	terminal.Versioned
	webhookKeyed
	typesFlag
	AllEvents   bool    `xor:"events" help:"Subscribe to every event type."`
	Address     string  `name:"address" placeholder:"URL" help:"New URL to POST events to."`
	Description *string `placeholder:"TEXT" help:"Your own note."`
	Enable      bool    `xor:"enabled" help:"Resume sending events."`
	Disable     bool    `xor:"enabled" help:"Stop sending events."`
}

func (WebhookUpdate) Examples() []string {
	return []string{"webhooks update whk_… --events order.*", "webhooks update whk_… --disable", "webhooks update whk_… --address https://shop.example/new"}
}

func (c *WebhookUpdate) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.check(); err != nil {
		return err
	}
	patch := client.WebhookChange{URL: c.Address, EventTypes: c.names()}
	switch {
	case c.Description == nil:
	case *c.Description == "":
		patch.Clear = []string{"description"}
	default:
		patch.Description = *c.Description
	}
	if c.AllEvents {
		patch.EventTypes = []string{}
	}
	if c.Enable || c.Disable {
		patch.Enabled = &c.Enable
	}
	if reflect.ValueOf(patch).IsZero() {
		return &exit.Failure{Code: exit.Usage, Text: "nothing to change", Hint: a.Program + " webhooks update -h lists the flags."}
	}
	return terminal.Act(ctx, a, &c.Change, webhookNoun(), func(api *client.Client, o ...client.Option) (*client.Webhook, error) {
		return api.UpdateWebhook(ctx, c.ID, patch, append(o, c.Options()...)...)
	}, func(w *client.Webhook) string {
		text := fmt.Sprintf("Updated %s, version %d. Enabled: %s.", w.ID, w.Version, enabledWord(w))
		switch {
		case c.Disable:
			return a.WithUndo(text, "webhooks update "+w.ID+" --enable")
		case c.Enable:
			return a.WithUndo(text, "webhooks update "+w.ID+" --disable")
		}
		return text
	})
}

// WebhookDelete is the command "webhooks delete".
type WebhookDelete struct {
	terminal.Change
	terminal.Versioned
	terminal.Consent
	webhookKeyed
}

func (WebhookDelete) Examples() []string { return []string{"webhooks delete whk_… --yes"} }

func (c *WebhookDelete) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return trade.Remove(ctx, a, &c.Change, c.Consent, trade.Removal{
		ID: c.ID, Said: "Deleted " + c.ID + ".", Ask: fmt.Sprintf("Delete endpoint %s? Undelivered events will not be sent.", c.ID), See: "webhooks get " + c.ID,
	}, func(api *client.Client) error { return api.DeleteWebhook(ctx, c.ID, c.Options()...) })
}

// WebhookRotate is the command "webhooks rotate".
type WebhookRotate struct {
	terminal.Change
	terminal.Consent
	secretFile
	webhookKeyed
}

func (WebhookRotate) Examples() []string {
	return []string{"webhooks rotate whk_…", "webhooks rotate whk_… --secret-file ./webhook.secret --yes"}
}

func (c *WebhookRotate) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Give %s a new signing secret? For 24 hours events are signed with both secrets.", c.ID)); err != nil {
		return err
	}
	return withSecretOf(ctx, a, &c.Change, c.secretFile, webhookNoun(), func(api *client.Client, o ...client.Option) (*client.Webhook, error) {
		return api.RotateWebhook(ctx, c.ID, o...)
	}, webhookSecret, func(w *client.Webhook) string {
		text := w.ID + " has a new signing secret."
		if w.PreviousSecretUntil != nil {
			text += " Events are also signed with the old one until " + terminal.Instant(w.PreviousSecretUntil) + "."
		}
		return text
	})
}

// WebhookTest is the command "webhooks test".
type WebhookTest struct {
	terminal.Change
	webhookKeyed
}

func (WebhookTest) Examples() []string { return []string{"webhooks test whk_…"} }

func (c *WebhookTest) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, terminal.EventNoun(), func(api *client.Client, o ...client.Option) (*client.Event, error) {
		return api.TestWebhook(ctx, c.ID, o...)
	}, func(e *client.Event) string {
		return fmt.Sprintf("Sent %s (%s). See: %s webhooks deliveries %s --event %s", e.ID, terminal.Clean(e.Type), a.Program, c.ID, e.ID)
	})
}

func resendNoun() terminal.Noun[client.Resend] {
	return terminal.Noun[client.Resend]{
		Head: []string{"ID", "ENDPOINT", "EVENT", "FROM", "TO", "CREATED"},
		Row: func(r *client.Resend) []any {
			return []any{r.ID, r.WebhookID, terminal.Maybe(r.EventID), terminal.Maybe(terminal.Field(r.From)), terminal.Maybe(terminal.Field(r.To)), r.CreatedAt}
		},
		Key: func(r *client.Resend) string { return r.ID },
	}
}

// WebhookRedeliver is the command "webhooks redeliver".
type WebhookRedeliver struct {
	terminal.Change
	ID string `arg:"" help:"Delivery ID: dlv_…"`
}

func (WebhookRedeliver) Examples() []string { return []string{"webhooks redeliver dlv_…"} }

// Run is called by the parser. A receiver drops an event that it has already seen, so this needs
// no undo.
func (c *WebhookRedeliver) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, resendNoun(), func(api *client.Client, o ...client.Option) (*client.Resend, error) {
		return api.Redeliver(ctx, c.ID, o...)
	}, func(r *client.Resend) string {
		return fmt.Sprintf("Redelivering %s (%s). See: %s webhooks deliveries %s --event %s", terminal.Clean(r.EventID), r.ID, a.Program, r.WebhookID, r.EventID)
	})
}

// WebhookReplay is the command "webhooks replay".
type WebhookReplay struct {
	terminal.Change
	terminal.Consent
	webhookKeyed
	From string `required:"" placeholder:"WHEN" help:"Events at or after this instant or business date."`
	To   string `required:"" placeholder:"WHEN" help:"Events before this instant, or through this business date; at most 31 days."`
}

func (WebhookReplay) Examples() []string {
	return []string{"webhooks replay whk_… --from 2026-01-05 --to 2026-01-06", "webhooks replay whk_… --from 2026-01-05T14:00:00Z --to 2026-01-05T15:30:00Z --yes"}
}

func (c *WebhookReplay) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	from, to, err := c.span()
	if err != nil {
		return err
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Resend %s all events from %s to %s?", c.ID, terminal.Instant(&from), terminal.Instant(&to))); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, resendNoun(), func(api *client.Client, o ...client.Option) (*client.Resend, error) {
		return api.ReplayWebhook(ctx, c.ID, from, to, o...)
	}, func(r *client.Resend) string {
		return fmt.Sprintf("Resending (%s): events from %s to %s. See: %s webhooks deliveries %s", r.ID, terminal.Instant(r.From), terminal.Instant(r.To), a.Program, r.WebhookID)
	})
}

// span is the time span to replay: a date means its whole business day.
func (c *WebhookReplay) span() (from, to time.Time, err error) {
	zone, err := clock.BusinessZone()
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
		return time.Time{}, &exit.Failure{Code: exit.Usage, Text: flag + " must look like 2026-01-05 or 2026-01-05T14:00:00Z"}
	}
	if from, err = read("--from", c.From, 0); err != nil {
		return from, to, err
	}
	if to, err = read("--to", c.To, 1); err != nil {
		return from, to, err
	}
	if !from.Before(to) {
		return from, to, &exit.Failure{Code: exit.Usage, Text: "--to must be after --from"}
	}
	return from, to, nil
}
