package integrate

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// clientNoun is how API clients are printed.
func clientNoun() terminal.Noun[client.APIClient] {
	return terminal.Noun[client.APIClient]{
		Head: []string{"ID", "NAME", "MERCHANT", ">PER MINUTE", "CREATED", "REVOKED", "SCOPES"},
		Row: func(x *client.APIClient) []any {
			return []any{x.ID, x.Name, terminal.Maybe(x.MerchantID), x.RatePerMinute, x.CreatedAt, terminal.Maybe(terminal.Field(x.RevokedAt)), x.Scopes}
		},
		Key: func(x *client.APIClient) string { return x.ID },
		Text: func(a *terminal.App, x *client.APIClient) error {
			whose := x.MerchantID
			if whose == "" {
				whose = "the lender's"
			}
			where := ""
			if !x.Managed {
				where = "on the server itself; revoke it there: tenor token --revoke"
			}
			return terminal.Facts(a.Out, "id", x.ID, "name", x.Name, "merchant", whose, "scopes", x.Scopes, "rate", fmt.Sprintf("%d per minute, burst %d", x.RatePerMinute, x.Burst),
				"created where", where, "created", x.CreatedAt, "old secret until", x.PreviousSecretUntil, "revoked", x.RevokedAt)
		},
	}
}

// ClientsList is the command "clients list".
type ClientsList struct {
	terminal.Remote
	terminal.Paging
	Merchant string `placeholder:"ID" help:"Clients of this merchant." complete:"merchant"`
}

func (ClientsList) Examples() []string {
	return []string{"clients list", "clients list --merchant mch_…"}
}

func (c *ClientsList) Run(ctx context.Context, a *terminal.App) error {
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, clientNoun(), client.APIClientFilter{MerchantID: c.Merchant}, (*client.Client).ListClients)
}

// clientKeyed is a command about one API client.
type clientKeyed struct {
	ID string `arg:"" help:"Client ID: cli_…"`
}

// ClientGet is the command "clients get".
type ClientGet struct {
	terminal.Remote
	clientKeyed
}

func (ClientGet) Examples() []string { return []string{"clients get cli_…"} }

func (c *ClientGet) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, clientNoun(), c.ID, (*client.Client).APIClient)
}

// secretFile is the destination of a secret that is shown only once.
type secretFile struct {
	SecretFile string `type:"path" placeholder:"FILE" help:"Write the secret to this new file, readable only by you, instead of printing it."`
}

// free refuses an existing file, before a secret is created to write into it.
func (f secretFile) free() error {
	if f.SecretFile == "" {
		return nil
	}
	if _, err := os.Lstat(f.SecretFile); !errors.Is(err, os.ErrNotExist) {
		return &exit.Failure{Code: exit.Usage, Text: f.SecretFile + " already exists", Hint: "Name a new file for the secret."}
	}
	return nil
}

// tell returns the sentence that shows a secret, or says where it is.
func (f secretFile) tell(secret string) (string, error) {
	switch {
	case secret == "":
		return "\nIts secret was already shown.", nil
	case f.SecretFile == "":
		return "\nSecret, shown only once: " + terminal.Clean(secret), nil
	}
	if err := os.MkdirAll(filepath.Dir(f.SecretFile), 0o700); err != nil {
		return "", err
	}
	out, err := os.OpenFile(f.SecretFile, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err == nil {
		_, err = out.WriteString(secret + "\n")
		err = errors.Join(err, out.Close())
	}
	if err != nil {
		return "", &exit.Failure{Code: exit.Refused, Text: "save the secret", Err: err, Hint: "The secret was created but could not be saved. Create another with roll or rotate."}
	}
	return "\nIts secret is in " + f.SecretFile + ".", nil
}

// withSecretOf makes a change that returns a secret, and shows or saves the secret.
func withSecretOf[T any](ctx context.Context, a *terminal.App, c *terminal.Change, f secretFile, n terminal.Noun[T], do func(*client.Client, ...client.Option) (*T, error), secret func(*T) *string, say func(*T) string) error {
	if err := f.free(); err != nil {
		return err
	}
	x, raw, err := terminal.Send(ctx, a, c, n, do)
	if x == nil || err != nil {
		return err
	}
	text, err := f.tell(*secret(x))
	if err != nil {
		return err
	}
	if f.SecretFile != "" && c.JSON {
		if raw.Body, err = terminal.Without(raw.Body, "secret"); err != nil {
			return err
		}
	}
	return c.Done(a, raw, n.Key(x), n.Row(x), terminal.Clean(say(x))+text)
}

// ClientCreate is the command "clients create".
type ClientCreate struct {
	terminal.Change
	secretFile
	terminal.Audited
	Name      string   `arg:"" help:"Display name of the client."`
	Merchant  string   `placeholder:"ID" help:"Merchant it belongs to. Default: the lender." complete:"merchant"`
	Scopes    []string `placeholder:"SCOPE" help:"Scopes its tokens may have. Default: all scopes allowed for it." complete:"scope"`
	PerMinute int      `placeholder:"N" help:"Requests per minute. Default: 600."`
	Burst     int      `placeholder:"N" help:"Burst of requests. Default: 100."`
}

func (ClientCreate) Examples() []string {
	return []string{
		"clients create 'shop backend' --merchant mch_… --scopes orders:read,orders:write --reason 'approved by underwriting'",
		"clients create 'shop backend' --merchant mch_… --secret-file ./shop.secret --reason 'approved by underwriting'",
	}
}

func (c *ClientCreate) Run(ctx context.Context, a *terminal.App) error {
	r := client.APIClientRequest{MerchantID: c.Merchant, Name: c.Name, Scopes: c.Scopes, RatePerMinute: c.PerMinute, Burst: c.Burst}
	return withSecretOf(ctx, a, &c.Change, c.secretFile, clientNoun(), func(api *client.Client, o ...client.Option) (*client.APIClient, error) {
		return api.CreateClient(ctx, r, c.WithReason(o)...)
	}, clientSecret, func(x *client.APIClient) string {
		return a.WithUndo(fmt.Sprintf("Created %s: %s.", terminal.Clean(x.Name), x.ID), "clients revoke "+x.ID+" --reason undo")
	})
}

func clientSecret(x *client.APIClient) *string { return &x.Secret }

// ClientRoll is the command "clients roll".
type ClientRoll struct {
	terminal.Change
	terminal.Consent
	secretFile
	clientKeyed
	terminal.Audited
	Overlap time.Duration `default:"24h" help:"How long the old secret stays valid, at most 720h (30 days); 0 ends it immediately."`
}

func (ClientRoll) Examples() []string {
	return []string{"clients roll cli_… --reason 'approved by underwriting'", "clients roll cli_… --overlap 1h --secret-file ./shop.secret --yes --reason 'approved by underwriting'"}
}

func (c *ClientRoll) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if c.Overlap < 0 || c.Overlap%time.Second != 0 {
		return &exit.Failure{Code: exit.Usage, Text: "--overlap must be whole seconds, or 0"}
	}
	if !c.DryRun {
		question := fmt.Sprintf("Give %s a new secret? The old one stays valid for %s.", c.ID, c.Overlap)
		if c.Overlap == 0 {
			question = fmt.Sprintf("Give %s a new secret? The old one stops working immediately.", c.ID)
		}
		if err := c.Ask(a, false, question); err != nil {
			return err
		}
	}
	overlap := int(c.Overlap / time.Second)
	return withSecretOf(ctx, a, &c.Change, c.secretFile, clientNoun(), func(api *client.Client, o ...client.Option) (*client.APIClient, error) {
		return api.RollClient(ctx, c.ID, client.ClientRoll{OverlapSeconds: &overlap, Reason: c.Reason}, o...)
	}, clientSecret, func(x *client.APIClient) string {
		if x.PreviousSecretUntil == nil || c.Overlap == 0 {
			return fmt.Sprintf("%s has a new secret; the old one no longer works.", x.ID)
		}
		return fmt.Sprintf("%s has a new secret; the old one works until %s.", x.ID, terminal.Instant(x.PreviousSecretUntil))
	})
}

// ClientRevoke is the command "clients revoke".
type ClientRevoke struct {
	terminal.Change
	terminal.TypedConfirmation
	clientKeyed
	terminal.Audited
}

func (ClientRevoke) Examples() []string {
	return []string{"clients revoke cli_… --reason 'approved by underwriting'", "clients revoke cli_01K9Z0B2D4F6H8K0M2P4R6T8V0 --confirm=cli_01K9Z0B2D4F6H8K0M2P4R6T8V0 --reason 'approved by underwriting'"}
}

func (c *ClientRevoke) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if !c.DryRun {
		if err := c.ConfirmTyped(a, fmt.Sprintf("Revoke %s and all its tokens now? This is permanent.", c.ID), c.ID); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, clientNoun(), func(api *client.Client, o ...client.Option) (*client.APIClient, error) {
		return api.RevokeClient(ctx, c.ID, c.Reason, o...)
	}, func(x *client.APIClient) string { return fmt.Sprintf("Revoked %s and all its tokens.", x.ID) })
}
