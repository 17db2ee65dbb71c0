package client

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

// granted is a response with an access token.
func granted(token string, seconds int) answer {
	return ok(fmt.Sprintf(`{"access_token":"%s","token_type":"Bearer","expires_in":%d,"scope":"orders:read"}`, token, seconds))
}

// withCredentials gives a stub's client credentials instead of a token.
func withCredentials(t *testing.T, scopes []string, answers ...answer) *stub {
	t.Helper()
	s := newStub(t, answers...)
	c, err := NewWithCredentials(s.base, Credentials{ID: "cli_1", Secret: "tns_S", Scopes: scopes})
	if err != nil {
		t.Fatal(err)
	}
	c.Clock, c.NewKey = s, nil
	s.Client = c
	return s
}

// story lists the requests, one word per call: a token is granted for a form, an order is read
// with its token.
func (s *stub) story() string {
	calls, left := s.asked()
	var words []string
	for _, r := range calls {
		words = append(words, strings.TrimPrefix(strings.Fields(r.line)[1], "/")+" "+strings.TrimPrefix(r.header.Get("Authorization"), "Bearer "))
	}
	if left > 0 {
		words = append(words, fmt.Sprintf("%d answers left", left))
	}
	return strings.Join(words, ", ")
}

func TestTokenIsAskedForOnceAndRenewed(t *testing.T) {
	s := withCredentials(t, []string{"orders:read", "events:read"}, granted("t1", 3600), ok(`{}`), ok(`{}`), granted("t2", 3600), ok(`{}`))
	read := func() {
		t.Helper()
		if _, err := s.Order(context.Background(), "ord_1"); err != nil {
			t.Fatal(err)
		}
	}
	read()
	s.Sleep(context.Background(), 58*time.Minute)
	read()
	s.Sleep(context.Background(), 70*time.Second) // 59 m 10 s: less than a minute is left
	read()
	if want := "oauth/token , v1/order/ord_1 t1, v1/order/ord_1 t1, oauth/token , v1/order/ord_1 t2"; s.story() != want {
		t.Errorf("asked %s\nwant %s", s.story(), want)
	}
	calls, _ := s.asked()
	form, err := url.ParseQuery(calls[0].body)
	want := url.Values{"grant_type": {"client_credentials"}, "client_id": {"cli_1"}, "client_secret": {"tns_S"}, "scope": {"orders:read events:read"}}
	if err != nil || form.Encode() != want.Encode() || calls[0].header.Get("Content-Type") != "application/x-www-form-urlencoded" {
		t.Errorf("sent %s as %s, %v", calls[0].body, calls[0].header.Get("Content-Type"), err)
	}
}

func TestTokenThatEndedEarlyIsReplacedOnce(t *testing.T) {
	refused := problem(401, "unauthorized")
	s := withCredentials(t, nil, granted("t1", 3600), refused, granted("t2", 3600), ok(`{}`))
	if _, err := s.CancelOrder(context.Background(), "ord_1"); err != nil { // a write without a key: the server has not processed it
		t.Error(err)
	}
	if want := "oauth/token , v1/order/ord_1 t1, oauth/token , v1/order/ord_1 t2"; s.story() != want {
		t.Errorf("asked %s", s.story())
	}
	s = withCredentials(t, nil, granted("t1", 3600), refused, granted("t2", 3600), refused)
	if _, err := s.Order(context.Background(), "ord_1"); !errors.Is(err, CodeUnauthorized) {
		t.Errorf("refused twice: %v", err)
	}
	if want := "oauth/token , v1/order/ord_1 t1, oauth/token , v1/order/ord_1 t2"; s.story() != want {
		t.Errorf("asked %s", s.story())
	}
	s = newStub(t, refused)
	if _, err := s.Order(context.Background(), "ord_1"); !errors.Is(err, CodeUnauthorized) {
		t.Errorf("a token that is fixed: %v", err)
	}
}

func TestTokenOfAShortLifeIsUsed(t *testing.T) {
	s := withCredentials(t, nil, granted("t1", 30), ok(`{}`), ok(`{}`), granted("t2", 30), ok(`{}`))
	for _, wait := range []time.Duration{14 * time.Second, 2 * time.Second, 0} {
		if _, err := s.Order(context.Background(), "ord_1"); err != nil {
			t.Fatal(err)
		}
		s.Sleep(context.Background(), wait)
	}
	if want := "oauth/token , v1/order/ord_1 t1, v1/order/ord_1 t1, oauth/token , v1/order/ord_1 t2"; s.story() != want {
		t.Errorf("asked %s", s.story())
	}
}

func TestTokenIsRefused(t *testing.T) {
	s := withCredentials(t, nil, answer{status: 401, body: `{"error":"invalid_client","error_description":"Unknown client or wrong secret."}`, header: map[string]string{"X-Request-Id": "req_7"}})
	_, err := s.Order(context.Background(), "ord_1")
	var p *Problem
	if !errors.As(err, &p) || !errors.Is(err, CodeInvalidClient) || p.Status != 401 || p.Detail != "Unknown client or wrong secret." || p.RequestID != "req_7" {
		t.Errorf("got %+v", err)
	}
	if strings.Contains(fmt.Sprintf("%v %+v %#v", err, *s.access.credentials, *s.access.credentials), "tns_S") {
		t.Error("the secret is shown")
	}
	s = withCredentials(t, nil, ok(`{}`))
	if _, err := s.Order(context.Background(), "ord_1"); err == nil || !strings.Contains(err.Error(), "get access token") {
		t.Errorf("no token: %v", err)
	}
	if _, err := NewWithCredentials("http://x", Credentials{ID: "cli_1"}); err == nil {
		t.Error("credentials without a secret were taken")
	}
	if _, err := NewWithCredentials("x", Credentials{ID: "cli_1", Secret: "s"}); err == nil {
		t.Error("an address that is none was taken")
	}
}

func TestLostTokenIsAskedForAgain(t *testing.T) {
	s := withCredentials(t, nil, answer{}, problem(503, "overloaded", "Retry-After", "1"), granted("t1", 3600), ok(`{}`))
	if _, err := s.Order(context.Background(), "ord_1"); err != nil {
		t.Error(err)
	}
}

// Concurrent callers that need a token share one.
func TestCallersShareAToken(t *testing.T) {
	answers := []answer{granted("t1", 3600)}
	for range 8 {
		answers = append(answers, ok(`{}`))
	}
	s := withCredentials(t, nil, answers...)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := s.Order(context.Background(), "ord_1"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	if n := strings.Count(s.story(), "oauth/token"); n != 1 {
		t.Errorf("%d tokens: %s", n, s.story())
	}
}

// A caller can give up while another one requests the token.
func TestWaitingForATokenCanEnd(t *testing.T) {
	s := withCredentials(t, nil)
	s.access.turn <- struct{}{} // another caller is requesting it
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Order(ctx, "ord_1"); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

// The transport can be replaced.
func TestTransport(t *testing.T) {
	c, err := New("https://pay.example.com", "t")
	if err != nil {
		t.Fatal(err)
	}
	seen := ""
	c.HTTP = &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		seen = r.URL.String()
		return nil, errors.New("no wire")
	})}
	c.Retries = 0
	var lost *UnreachableError
	if _, err := c.CancelOrder(context.Background(), "ord_1"); !errors.As(err, &lost) || lost.Err.Error() != "no wire" || lost.IdempotencyKey == "" {
		t.Errorf("got %v", err)
	}
	if seen != "https://pay.example.com/v1/order/ord_1" {
		t.Errorf("called %s", seen)
	}
}

type transport func(*http.Request) (*http.Response, error)

func (t transport) RoundTrip(r *http.Request) (*http.Response, error) { return t(r) }

// An empty list of scopes does not mean all of them.
func TestNoScopesAreNotAllScopes(t *testing.T) {
	if _, err := NewWithCredentials("http://localhost", Credentials{ID: "cli_1", Secret: "tns_S", Scopes: []string{}}); err == nil {
		t.Error("an empty list of scopes is taken")
	}
	for _, x := range []struct {
		scopes []string
		want   string
	}{{nil, `{"name":"shop","reason":""}`}, {[]string{}, `{"name":"shop","scopes":[],"reason":""}`}} {
		if b, err := json.Marshal(APIClientRequest{Name: "shop", Scopes: x.scopes}); err != nil || string(b) != x.want {
			t.Errorf("%v: %s, %v", x.scopes, b, err)
		}
	}
}
