package devtest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenor/internal/app/cli"
	"tenor/internal/app/cli/operate"
	"tenor/internal/app/demo"
	"tenor/internal/app/exit"
)

// caller calls the API. It times out a call that hangs.
var caller = http.Client{Timeout: Longest}

// Shopper is a merchant in a test's sandbox.
type Shopper struct {
	*testing.T
	URL, Token string
	HTTP       *http.Client // with a browser's cookies; it follows nothing
}

// NewShopper starts a sandbox, as [Sandbox] does, and returns its merchant and its banner.
func NewShopper(t *testing.T, args ...string) (*Shopper, operate.World) {
	t.Helper()
	w := Sandbox(t, t.Cleanup, args...)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	return &Shopper{t, w.URL, w.Token, &http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}}, w
}

// API calls the API and decodes the response, which must have the status.
func (s *Shopper) API(status int, method, path, body string) map[string]any {
	s.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	answer, err := caller.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer answer.Body.Close()
	text, _ := io.ReadAll(answer.Body)
	var out map[string]any
	_ = json.Unmarshal(text, &out)
	if answer.StatusCode != status {
		s.Fatalf("%s %s: %d %s", method, path, answer.StatusCode, text)
	}
	return out
}

// Command runs a command line with the token, and returns its output.
func (s *Shopper) Command(code int, args ...string) string {
	s.Helper()
	var out, errs Pipe
	a := App(&out, &errs)
	a.Getenv = func(name string) string {
		return map[string]string{"TENOR_TOKEN": s.Token}[name]
	}
	if got := cli.Run(context.Background(), append(args, "--url", s.URL), a); got != code {
		s.Errorf("%v ended with %d: %s", args, got, errs.String())
	}
	return out.String()
}

// List is a list of the API.
func (s *Shopper) List(path string) (out []map[string]any) {
	s.Helper()
	for _, x := range s.API(200, "GET", path, "")["data"].([]any) {
		out = append(out, x.(map[string]any))
	}
	return out
}

// Until fetches a list until it matches.
func (s *Shopper) Until(what, path string, fits func([]map[string]any) bool) []map[string]any {
	s.Helper()
	for end := time.Now().Add(Longest); ; time.Sleep(200 * time.Millisecond) { // the rate limit has room for that
		if list := s.List(path); fits(list) {
			return list
		}
		if time.Now().After(end) {
			s.Fatalf("never: %s", what)
		}
	}
}

// Page fetches a page, which must contain the texts. Code is read without its colors.
func (s *Shopper) Page(path string, want ...string) string {
	s.Helper()
	r, err := s.HTTP.Get(s.URL + path)
	if err != nil {
		s.Fatal(err)
	}
	defer r.Body.Close()
	raw, _ := io.ReadAll(r.Body)
	body := regexp.MustCompile(`<span class="hl-[a-z]+">([^<]*)</span>`).ReplaceAllString(string(raw), "$1")
	for _, x := range want {
		if r.StatusCode != 200 || !strings.Contains(body, x) {
			s.Errorf("%s: %d, without %q", path, r.StatusCode, x)
		}
	}
	return body
}

// Form submits a form, and returns the address to which it redirects.
func (s *Shopper) Form(path string, fields url.Values) string {
	s.Helper()
	fields.Set("key", fmt.Sprint(time.Now().UnixNano()))
	r, err := s.HTTP.PostForm(s.URL+path, fields)
	if err != nil {
		s.Fatal(err)
	}
	defer r.Body.Close()
	if r.StatusCode != http.StatusSeeOther {
		body, _ := io.ReadAll(r.Body)
		s.Fatalf("%s: %d %s", path, r.StatusCode, body)
	}
	return r.Header.Get("Location")
}

// OtherToken returns a token of the demo's other merchant.
func OtherToken(t *testing.T, w operate.World) string {
	t.Helper()
	return strings.TrimSpace(Token(t, w, "--merchant", otherMerchant(t, w)))
}

// Token creates a token with the command line.
func Token(t *testing.T, w operate.World, args ...string) string {
	t.Helper()
	var out, errs Pipe
	if code := cli.Run(context.Background(), append([]string{"token", "--data", w.Data}, args...), App(&out, &errs)); code != exit.Done {
		t.Fatalf("token: %s", errs.String())
	}
	return strings.TrimSpace(out.String())
}

func otherMerchant(t *testing.T, w operate.World) string {
	t.Helper()
	lender := &Shopper{T: t, URL: w.URL, Token: Token(t, w, "--operator")}
	for _, m := range lender.List("/v1/operator/merchants") {
		if m["name"] == demo.OtherMerchant {
			return m["id"].(string)
		}
	}
	t.Fatal("there is no other merchant")
	return ""
}

// Send makes one call with a key and returns its status and body.
func (s *Shopper) Send(method, path, body, key string) (int, string, map[string]any) {
	s.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+s.Token)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	a, err := caller.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer a.Body.Close()
	text, _ := io.ReadAll(a.Body)
	var out map[string]any
	_ = json.Unmarshal(text, &out)
	return a.StatusCode, a.Header.Get("X-Request-Id"), out
}
