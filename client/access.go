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

// Credentials are an API client's ID and secret, exchanged for access tokens (OAuth 2.0, client
// credentials).
type Credentials struct {
	ID     string   // cli_…
	Secret string   // tns_…
	Scopes []string // what the tokens allow; nil: everything the client may do
}

// String hides the secret.
func (c Credentials) String() string { return c.ID }

// GoString hides the secret.
func (c Credentials) GoString() string { return "client.Credentials{ID: " + c.ID + "}" }

// renewBefore is how long before its expiry a token is no longer used: it must still be valid
// when a call arrives.
const renewBefore = time.Minute

// access holds the token that calls carry.
type access struct {
	credentials *Credentials  // nil: the token is fixed
	turn        chan struct{} // held by the goroutine requesting a token

	mu    sync.Mutex
	token string
	until time.Time // when it is no longer used
}

// bearer returns the token for a call, and requests one if there is no valid one. One of several
// concurrent callers requests it, the others wait.
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
	if t := a.current(c.Clock.Now()); t != "" { // another caller got it meanwhile
		return t, nil
	}
	return c.newToken(ctx)
}

// newToken requests a token from the server.
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

// current returns the token if it can still be used, otherwise "".
func (a *access) current(now time.Time) string {
	a.mu.Lock()
	defer a.mu.Unlock()
	if now.Before(a.until) {
		return a.token
	}
	return ""
}

// drop discards a token that the server rejected, and reports whether a new one can be requested.
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
