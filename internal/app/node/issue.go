package node

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tenor/internal/app/exit"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/auth"
)

// ConsoleClient is the name of the client for which this program issues tokens, one for each
// merchant and one for the operator.
const ConsoleClient = "tenor token"

// maxTTL bounds a token's life: a leaked token that nobody notices expires.
const maxTTL = 31 * 24 * time.Hour

// TokenWish describes the token to issue.
type TokenWish struct {
	Merchant string
	Operator bool
	Scopes   []string
	TTL      time.Duration
}

// Issue issues a token, and creates its client if there is none yet.
func Issue(ctx context.Context, desk auth.Issuer, w TokenWish) (string, credit.Token, credit.Client, error) {
	merchant := w.Merchant
	if w.Operator {
		merchant = ""
	}
	if w.TTL <= 0 || w.TTL > maxTTL {
		return "", credit.Token{}, credit.Client{}, &exit.Failure{Code: exit.Usage, Text: "--ttl must be greater than zero and at most " + maxTTL.String()}
	}
	c, found, err := desk.FindClient(ctx, merchant, ConsoleClient)
	if err == nil && !found {
		c, err = desk.NewClient(ctx, merchant, ConsoleClient, nil)
	}
	if err != nil {
		return "", credit.Token{}, credit.Client{}, err
	}
	secret, t, err := desk.NewToken(ctx, c, w.Scopes, w.TTL)
	var unknown *auth.UnknownScopeError
	if errors.As(err, &unknown) {
		err = &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("this client cannot have the scope %q", unknown.Scope), Hint: "Allowed: " + strings.Join(unknown.Allowed, " ")}
	}
	return secret, t, c, err
}
