package client

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Credentials are an API client's, from which access tokens are made (OAuth 2.0,
// client credentials).
type Credentials struct {
	ID     string   // cli_…
	Secret string   // tns_…
	Scopes []string // what the tokens may do; nil: all that the client may
}

// String hides the secret.
func (c Credentials) String() string { return c.ID }

// GoString hides the secret.
func (c Credentials) GoString() string { return "client.Credentials{ID: " + c.ID + "}" }

// renewBefore is how long before its end a token is no longer used: a call that
// leaves now must arrive with a token that holds.
const renewBefore = time.Minute

// access is the token that calls carry.
type access struct {
	credentials *Credentials  // nil: the token is fixed
	turn        chan struct{} // held by whoever asks for a token

	mu    sync.Mutex
	token string
	until time.Time // when it is no longer used
}

// bearer returns the token of a call, and gets one if there is none that holds. Of
// several callers one asks, the others wait for it.
func (c *Client) bearer(ctx context.Context) (string, error) {
	a := &c.access
	if a.credentials == nil {
		return a.token, nil
	}
	if t := a.current(c.Clock.Now()); t != "" {
		return t, nil
	}
	select {
	case a.turn <- struct{}{}:
	case <-ctx.Done():
		return "", ctx.Err()
	}
	defer func() { <-a.turn }()
	if t := a.current(c.Clock.Now()); t != "" { // somebody else got it meanwhile
		return t, nil
	}
	return c.newToken(ctx)
}

// newToken asks the server for a token.
func (c *Client) newToken(ctx context.Context) (string, error) {
	a := &c.access
	form := url.Values{"grant_type": {"client_credentials"}, "client_id": {a.credentials.ID}, "client_secret": {a.credentials.Secret}}
	if a.credentials.Scopes != nil {
		form.Set("scope", strings.Join(a.credentials.Scopes, " "))
	}
	k := &call{
		method: http.MethodPost, path: "/oauth/token", body: []byte(form.Encode()), open: true,
		header: http.Header{"Content-Type": {"application/x-www-form-urlencoded"}},
	}
	asked := c.Clock.Now()
	r, err := c.retry(ctx, k)
	if err != nil {
		return "", fmt.Errorf("get access token: %w", err)
	}
	if r.Status != http.StatusOK {
		return "", fmt.Errorf("get access token: %w", newProblem(r, c.Clock.Now()))
	}
	var t struct {
		AccessToken string `json:"access_token"`
		ExpiresIn   int64  `json:"expires_in"`
	}
	if err := json.Unmarshal(r.Body, &t); err != nil || t.AccessToken == "" {
		return "", fmt.Errorf("get access token: the answer holds none; is %s a Tenor server?", c.base)
	}
	life := time.Duration(min(max(t.ExpiresIn, 0), 1<<30)) * time.Second
	a.mu.Lock()
	defer a.mu.Unlock()
	a.token, a.until = t.AccessToken, asked.Add(life-min(renewBefore, life/2))
	return a.token, nil
}

// current is the token that can still be used, "" if there is none.
func (a *access) current(now time.Time) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Before(a.until) {
		return a.token
	}
	return ""
}

// drop forgets a token that the server did not take, and reports whether another
// one can be had.
func (a *access) drop(token string) bool {
	if a.credentials == nil {
		return false
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.token == token {
		a.token, a.until = "", time.Time{}
	}
	return true
}
