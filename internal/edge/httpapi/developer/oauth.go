package developer

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/auth"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
)

const (
	mediaForm = "application/x-www-form-urlencoded"
)

// Tokens returns the operations with which a program gets, revokes and introspects its
// access tokens.
func (s API) Tokens() []rest.Operation {
	return rest.Group{Tag: "OAuth"}.With([]rest.Operation{
		{
			ID: "createToken", Method: "POST", Path: "/oauth/token", Summary: "Get an access token", Public: true,
			Doc: "OAuth 2.0 client credentials (RFC 6749, 4.4). Send client ID and secret by HTTP Basic or in the form, not both. " +
				"The token is valid for an hour and has the requested scopes, or all of the client's. Errors follow RFC 6749, 5.2.",
			Raw: s.oauthEndpoint(s.grantToken), OpenAPI: tokenContract(),
		},
		{
			ID: "revokeToken", Method: "POST", Path: "/oauth/revoke", Summary: "Revoke an access token", Public: true,
			Doc: "RFC 7009. Revokes only the client's own token. An unknown, expired or foreign token also returns 200. " +
				"It stops working within a second on every server.",
			Raw: s.oauthEndpoint(s.revokeToken), OpenAPI: revokeContract(),
		},
		{
			ID: "introspectToken", Method: "POST", Path: "/oauth/introspect", Summary: "Introspect an access token", Public: true,
			Doc: "RFC 7662. For anything but a valid token of this client it returns only `active: false`.",
			Raw: s.oauthEndpoint(s.introspectToken), OpenAPI: introspectContract(),
		},
	})
}

// oauthError is an error of RFC 6749, 5.2. No part of it comes from the request.
type oauthError struct {
	status      int
	code        string
	description string
	wait        time.Duration // above 0: sent as Retry-After
}

func (e *oauthError) Error() string { return e.code + ": " + e.description }

func invalidRequest(description string) *oauthError {
	return &oauthError{status: http.StatusBadRequest, code: "invalid_request", description: description}
}

// oauthFailure turns any error into one that the caller may see.
func oauthFailure(c *rest.Call, err error) *oauthError {
	var known *oauthError
	var limit *auth.LimitedError
	var scope *auth.UnknownScopeError
	switch {
	case errors.As(err, &known):
		return known
	case errors.As(err, &limit):
		return &oauthError{http.StatusTooManyRequests, rest.CodeRateLimited, "Too many failed attempts. Wait before the next one.", limit.Wait}
	case errors.Is(err, auth.ErrInvalidClient):
		return &oauthError{http.StatusUnauthorized, "invalid_client", "The client's credentials are not valid.", 0}
	case errors.As(err, &scope):
		return &oauthError{http.StatusBadRequest, "invalid_scope", "The client does not have every requested scope.", 0}
	}
	if p := (*rest.Problem)(nil); errors.As(serve.Failure(err), &p) {
		status, _ := c.Problem(p)
		return &oauthError{status, "temporarily_unavailable", "The service is temporarily read-only.", p.RetryAfter}
	}
	switch {
	case errors.Is(err, store.ErrUnreachable), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return &oauthError{http.StatusServiceUnavailable, "temporarily_unavailable", "The service is temporarily unavailable.", time.Second}
	}
	c.LogFailure(err)
	return &oauthError{http.StatusInternalServerError, "server_error", "An unexpected error occurred.", 0}
}

// oauthEndpoint reads the form and the client's credentials and lets fn answer.
func (s API) oauthEndpoint(fn func(*rest.Call, credit.Client, url.Values) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := rest.CallOf(r)
		body, err := s.oauthAnswer(w, c, fn)
		if err != nil {
			e := oauthFailure(c, err)
			if e.code == "invalid_client" || e.code == rest.CodeRateLimited {
				c.Refused(e.code)
			}
			if e.wait > 0 {
				w.Header().Set("Retry-After", strconv.Itoa(int(math.Ceil(e.wait.Seconds()))))
			}
			if e.status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", `Basic realm="tenor", charset="UTF-8"`)
			}
			c.Send(w, rest.Answer{Status: e.status, Body: struct {
				Error       string `json:"error"`
				Description string `json:"error_description"`
			}{e.code, e.description}})
			return
		}
		w.Header().Set("Pragma", "no-cache")
		c.Send(w, rest.Answer{Body: body, ContentType: rest.MediaJSON})
	})
}

func (s API) oauthAnswer(w http.ResponseWriter, c *rest.Call, fn func(*rest.Call, credit.Client, url.Values) (any, error)) (any, error) {
	form, err := readForm(w, c.Request)
	if err != nil {
		return nil, err
	}
	shown, err := credentials(c.Request.Header, form)
	if err != nil {
		return nil, err
	}
	shown.Address = c.Address
	client, err := s.OAuth.Authenticate(c.Context(), shown)
	if err != nil {
		return nil, err
	}
	c.Principal = rest.Principal{
		ClientID: client.ID, Tenant: client.Merchant, Operator: client.Merchant == "",
		RatePerMinute: client.PerMinute, Burst: client.Burst,
	}
	// From here on it is an ordinary request of the client.
	if p := c.Limit(w.Header()); p != nil {
		return nil, &oauthError{http.StatusTooManyRequests, p.Code, "The client exceeded its rate limit.", p.RetryAfter}
	}
	return fn(c, client, form)
}

// readForm reads a form in which every member occurs once. Members without a value count as
// absent (RFC 6749, 3.2).
func readForm(w http.ResponseWriter, r *http.Request) (url.Values, error) {
	if r.URL.RawQuery != "" {
		return nil, invalidRequest("The request has a query string; put its members in the body.")
	}
	if rest.ContentType(r.Header, []string{mediaForm}) == "" {
		return nil, invalidRequest("The body must be " + mediaForm + ".")
	}
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, rest.MaxForm))
	if err != nil {
		w.Header().Set("Connection", "close")
		return nil, invalidRequest("The body is too large, or did not match its announced length.")
	}
	form, err := url.ParseQuery(string(text))
	if err != nil {
		return nil, invalidRequest("The body is not a well-formed form.")
	}
	for name, values := range form {
		if len(values) > 1 {
			return nil, invalidRequest("A form member appears twice.")
		}
		if values[0] == "" {
			delete(form, name)
		}
	}
	return form, nil
}

// credentials returns what the client presents: by HTTP Basic or in the form, not both (RFC
// 6749, 2.3).
func credentials(h http.Header, form url.Values) (auth.Credentials, error) {
	header := h.Values("Authorization")
	switch {
	case len(header) > 1, len(header) == 1 && form.Has("client_secret"):
		return auth.Credentials{}, invalidRequest("The client authenticates twice.")
	case len(header) == 0:
		return auth.Credentials{Client: form.Get("client_id"), Secret: auth.Secret(form.Get("client_secret"))}, nil
	}
	c, ok := basic(header[0])
	if !ok {
		return auth.Credentials{}, auth.ErrInvalidClient
	}
	if form.Has("client_id") && form.Get("client_id") != c.Client {
		return auth.Credentials{}, invalidRequest("The form and the header name different clients.")
	}
	return c, nil
}

// basic parses HTTP Basic. Both parts are encoded as in a form (RFC 6749, 2.3.1).
func basic(header string) (auth.Credentials, bool) {
	scheme, text, _ := strings.Cut(header, " ")
	raw, err := base64.StdEncoding.Strict().DecodeString(strings.TrimLeft(text, " "))
	if err != nil || !strings.EqualFold(scheme, "Basic") {
		return auth.Credentials{}, false
	}
	user, password, found := strings.Cut(string(raw), ":")
	id, errID := url.QueryUnescape(user)
	secret, errSecret := url.QueryUnescape(password)
	return auth.Credentials{Client: id, Secret: auth.Secret(secret)}, found && errID == nil && errSecret == nil
}

// caller is the request's source, for the audit log.
func caller(c *rest.Call) auth.Caller { return auth.Caller{RequestID: c.RequestID, Address: c.From()} }

// tokenAnswer is a token that was granted (RFC 6749, 5.1).
type tokenAnswer struct {
	AccessToken string `json:"access_token"`
	TokenType   string `json:"token_type"`
	ExpiresIn   int    `json:"expires_in"` // seconds
	Scope       string `json:"scope"`
}

func (s API) grantToken(c *rest.Call, client credit.Client, form url.Values) (any, error) {
	switch {
	case !form.Has("grant_type"):
		return nil, invalidRequest("grant_type is missing.")
	case form.Get("grant_type") != "client_credentials":
		return nil, &oauthError{http.StatusBadRequest, "unsupported_grant_type", "The only grant type is client_credentials.", 0}
	}
	var scopes []string
	if form.Has("scope") {
		scopes = slices.DeleteFunc(strings.Split(form.Get("scope"), " "), func(s string) bool { return s == "" })
		if len(scopes) == 0 { // blanks name no scope, and do not request all of them
			return nil, &auth.UnknownScopeError{Allowed: client.Scopes}
		}
	}
	g, err := s.OAuth.Grant(c.Context(), caller(c), client, scopes)
	if err != nil {
		return nil, err
	}
	return tokenAnswer{g.Token.Reveal(), "Bearer", int(g.TTL.Seconds()), strings.Join(g.Scopes, " ")}, nil
}

func (s API) revokeToken(c *rest.Call, client credit.Client, form url.Values) (any, error) {
	if !form.Has("token") {
		return nil, invalidRequest("token is missing.")
	}
	return struct{}{}, s.OAuth.Revoke(c.Context(), caller(c), client, auth.Secret(form.Get("token")))
}

// tokenState is what a client learns about a token (RFC 7662, 2.2).
type tokenState struct {
	Active    bool   `json:"active"`
	Scope     string `json:"scope,omitempty"`
	ClientID  string `json:"client_id,omitempty"`
	TokenType string `json:"token_type,omitempty"`
	Expires   int64  `json:"exp,omitzero"` // seconds since 1970
}

func (s API) introspectToken(c *rest.Call, client credit.Client, form url.Values) (any, error) {
	if !form.Has("token") {
		return nil, invalidRequest("token is missing.")
	}
	state, err := s.OAuth.Introspect(c.Context(), client, auth.Secret(form.Get("token")))
	if err != nil || !state.Active {
		return tokenState{}, err
	}
	return tokenState{true, strings.Join(state.Scopes, " "), state.Client, "Bearer", state.ExpiresAt.Unix()}, nil
}
