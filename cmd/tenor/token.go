package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/auth"
	"tenor/internal/credit"
	"tenor/internal/store"
)

// consoleClient is the name of the client for which this program makes tokens,
// one for each merchant and one for the operator.
const consoleClient = "tenor token"

// maxTTL bounds a token's life: one that leaks and is not noticed ends by itself.
const maxTTL = 31 * 24 * time.Hour

type tokenCommand struct {
	output
	databaseFlags
	Merchant string        `xor:"who" placeholder:"ID" help:"Merchant for which the token stands: mch_…; in a sandbox the demo merchant if absent."`
	Operator bool          `xor:"who" help:"The token stands for the lender."`
	Scopes   []string      `placeholder:"SCOPE,…" help:"What it may do; absent: all."`
	TTL      time.Duration `name:"ttl" default:"1h" help:"How long it lives, 744h (31 days) at most."`
	Revoke   string        `xor:"who" placeholder:"CLIENT" help:"Make none: end all tokens of this client, cli_…."`
	Reason   string        `placeholder:"TEXT" help:"Why, for the audit log."`
}

// Examples are shown by -h.
func (tokenCommand) Examples() []string {
	return []string{
		"token --data ./tenor-data", "token --data ./data --merchant mch_… --scopes orders:read,payments:read --ttl 15m",
		"token --data ./data --operator", "token --database postgres://tenor@localhost:5432/tenor --operator",
	}
}

// Run is called by the parser.
func (c *tokenCommand) Run(ctx context.Context, a *app) (err error) {
	at, err := c.need(a)
	if err != nil {
		return err
	}
	db, err := at.share(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	m, err := modeOf(ctx, db)
	if err != nil {
		return err
	}
	desk, err := console(ctx, db, m, a.wall, a.wall)
	if err != nil {
		return err
	}
	if desk.Reason = c.Reason; c.Revoke != "" {
		return c.revoke(ctx, a, desk)
	}
	wish := tokenWish{merchant: c.Merchant, operator: c.Operator, scopes: c.Scopes, ttl: c.TTL}
	if err := c.complete(ctx, a, db, at, &wish); err != nil {
		return err
	}
	secret, t, cl, err := issue(ctx, desk, wish)
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
		return document(a.out, b)
	}
	who := "the operator"
	if cl.Merchant != "" {
		who = "merchant " + cl.Merchant
	}
	c.say(a, "Token of %s for %s, until %s UTC: %s", cl.ID, who, t.ExpiresAt.Format("2006-01-02 15:04"), strings.Join(t.Scopes, " "))
	_, err = fmt.Fprintln(a.out, secret)
	return err
}

// revoke ends all tokens of a client.
func (c *tokenCommand) revoke(ctx context.Context, a *app, desk auth.Issuer) error {
	found, err := desk.Revoke(ctx, c.Revoke)
	if refused := (*credit.Rejection)(nil); errors.As(err, &refused) {
		return &failure{code: exitRefused, text: refused.Detail}
	}
	if err != nil {
		return err
	}
	if !found {
		return &failure{code: exitNotFound, text: "there is no client " + c.Revoke}
	}
	if c.JSON {
		return document(a.out, []byte(`{"client_id":`+strconv.Quote(c.Revoke)+`,"revoked":true}`))
	}
	c.say(a, "All tokens of %s are revoked.", c.Revoke)
	return nil
}

// complete finds the merchant if none was named.
func (c *tokenCommand) complete(ctx context.Context, a *app, db store.Backend, at *place, w *tokenWish) error {
	if w.operator {
		return nil
	}
	var known []*credit.Merchant
	if err := db.View(ctx, func(v store.View) (err error) {
		known, err = v.Merchants()
		return err
	}); err != nil {
		return err
	}
	if w.merchant == "" {
		demo, _, err := db.Setting(ctx, settingDemo)
		if err != nil {
			return err
		}
		w.merchant = string(demo)
		if w.merchant == "" {
			return &failure{code: exitUsage, text: "whose token: --merchant mch_… or --operator", hint: a.then("The merchants are listed by", "merchants list"+at.flag())}
		}
	}
	if !slices.ContainsFunc(known, func(m *credit.Merchant) bool { return m.ID == w.merchant }) {
		return &failure{code: exitNotFound, text: "there is no merchant " + w.merchant, hint: a.then("The merchants are listed by", "merchants list"+at.flag())}
	}
	return nil
}

// tokenWish says which token is wanted.
type tokenWish struct {
	merchant string
	operator bool
	scopes   []string
	ttl      time.Duration
}

// issue makes a token, and its client if there is none yet.
func issue(ctx context.Context, desk auth.Issuer, w tokenWish) (string, credit.Token, credit.Client, error) {
	merchant := w.merchant
	if w.operator {
		merchant = ""
	}
	if w.ttl <= 0 || w.ttl > maxTTL {
		return "", credit.Token{}, credit.Client{}, &failure{code: exitUsage, text: "--ttl must be above zero and at most " + maxTTL.String()}
	}
	c, found, err := desk.FindClient(ctx, merchant, consoleClient)
	if err == nil && !found {
		c, err = desk.NewClient(ctx, merchant, consoleClient, nil)
	}
	if err != nil {
		return "", credit.Token{}, credit.Client{}, err
	}
	secret, t, err := desk.NewToken(ctx, c, w.scopes, w.ttl)
	var unknown *auth.UnknownScopeError
	if errors.As(err, &unknown) {
		err = &failure{code: exitUsage, text: fmt.Sprintf("the scope %q is none of this client's", unknown.Scope), hint: "It may hold: " + strings.Join(unknown.Allowed, " ")}
	}
	return secret, t, c, err
}
