package operate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/app/cli/local"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/auth"
)

// TokenCommand is the command "token".
type TokenCommand struct {
	terminal.Output
	local.DatabaseFlags
	Merchant string        `xor:"who" placeholder:"ID" help:"Merchant the token acts for: mch_…. Default in a sandbox: the demo merchant."`
	Operator bool          `xor:"who" help:"The token acts for the lender."`
	Scopes   []string      `placeholder:"SCOPE,…" help:"Scopes to grant. Default: all."`
	TTL      time.Duration `name:"ttl" default:"1h" help:"Lifetime, at most 744h (31 days)."`
	Revoke   string        `xor:"who" placeholder:"CLIENT" help:"Create no token; revoke all tokens of this client, cli_…."`
	Reason   string        `placeholder:"TEXT" help:"Reason, for the audit log."`
}

func (TokenCommand) Examples() []string {
	return []string{
		"token --data ./tenor-data", "token --data ./data --merchant mch_… --scopes orders:read,payments:read --ttl 15m",
		"token --data ./data --operator", "token --database postgres://tenor@localhost:5432/tenor --operator",
	}
}

func (c *TokenCommand) Run(ctx context.Context, a *terminal.App) (err error) {
	at, err := c.Need(a)
	if err != nil {
		return err
	}
	db, err := at.Share(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := node.ModeOf(ctx, db)
	if err != nil {
		return err
	}
	desk, err := node.Console(ctx, db, m, a.Wall, a.Wall)
	if err != nil {
		return err
	}
	if desk.Reason = c.Reason; c.Revoke != "" {
		return c.revoke(ctx, a, desk)
	}
	wish := node.TokenWish{Merchant: c.Merchant, Operator: c.Operator, Scopes: c.Scopes, TTL: c.TTL}
	if err := c.complete(ctx, a, db, at, &wish); err != nil {
		return err
	}
	secret, t, cl, err := node.Issue(ctx, desk, wish)
	if err != nil {
		return err
	}
	if c.JSON {
		b, err := json.Marshal(struct {
			AccessToken string `json:"access_token"`
			TokenType   string `json:"token_type"`
			ExpiresIn   int    `json:"expires_in"`
			Scope       string `json:"scope"`
			ClientID    string `json:"client_id"`
			MerchantID  string `json:"merchant_id,omitempty"`
		}{secret, "Bearer", int(c.TTL.Seconds()), strings.Join(t.Scopes, " "), cl.ID, cl.Merchant})
		if err != nil {
			return err
		}
		return terminal.Document(a.Out, b)
	}
	who := "the operator"
	if cl.Merchant != "" {
		who = "merchant " + cl.Merchant
	}
	c.Say(a, "Token of %s for %s, valid until %s UTC: %s", cl.ID, who, t.ExpiresAt.Format("2006-01-02 15:04"), strings.Join(t.Scopes, " "))
	_, err = fmt.Fprintln(a.Out, secret)
	return err
}

// revoke revokes all tokens of a client.
func (c *TokenCommand) revoke(ctx context.Context, a *terminal.App, desk auth.Issuer) error {
	found, err := desk.Revoke(ctx, c.Revoke)
	if refused := (*credit.Rejection)(nil); errors.As(err, &refused) {
		return &exit.Failure{Code: exit.Refused, Text: refused.Detail}
	}
	if err != nil {
		return err
	}
	if !found {
		return &exit.Failure{Code: exit.NotFound, Text: "there is no client " + c.Revoke}
	}
	if c.JSON {
		return terminal.Document(a.Out, []byte(`{"client_id":`+strconv.Quote(c.Revoke)+`,"revoked":true}`))
	}
	c.Say(a, "Revoked all tokens of %s.", c.Revoke)
	return nil
}

// complete finds the merchant if none was named.
func (c *TokenCommand) complete(ctx context.Context, a *terminal.App, db store.Backend, at *node.Place, w *node.TokenWish) error {
	if w.Operator {
		return nil
	}
	var known []*credit.Merchant
	if err := db.View(ctx, func(v store.View) (err error) {
		known, err = store.AllMerchants(v)
		return err
	}); err != nil {
		return err
	}
	if w.Merchant == "" {
		demo, _, err := store.Setting(ctx, db, node.SettingDemo)
		if err != nil {
			return err
		}
		w.Merchant = string(demo)
		if w.Merchant == "" {
			return &exit.Failure{Code: exit.Usage, Text: "give --merchant mch_… or --operator", Hint: a.Then("List the merchants:", "merchants list"+at.Flag())}
		}
	}
	if !slices.ContainsFunc(known, func(m *credit.Merchant) bool { return m.ID == w.Merchant }) {
		return &exit.Failure{Code: exit.NotFound, Text: "there is no merchant " + w.Merchant, Hint: a.Then("List the merchants:", "merchants list"+at.Flag())}
	}
	return nil
}
