package bench

import (
	"context"
	"errors"
	"fmt"
	"html"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"time"
)

// patron is a buyer at a checkout: a browser without scripts. Each has its own address, as buyers
// do, because per-network limits are not being measured.
type patron struct {
	host    string
	address string // as the proxy in front of the server would report it
	client  *http.Client
	cookies map[string]string
	pages   *result
	path    string // of the current page
	body    string
}

// newPatron returns the n-th buyer.
func newPatron(host string, transport http.RoundTripper, n int, pages *result) *patron {
	return &patron{
		host: host, address: fmt.Sprintf("198.18.%d.%d", n>>8&255, n&255), cookies: map[string]string{}, pages: pages,
		client: &http.Client{Transport: transport, Timeout: answerTimeout, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	}
}

// walk is a checkout from its first page to the way back to the shop: the buyer verifies the
// email address, chooses a plan, and accepts.
func (p *patron) walk(ctx context.Context, address, email string, mail *mailbox) error {
	u, err := url.Parse(address)
	if err != nil {
		return err
	}
	for _, step := range []string{"", "/email"} {
		if err := p.get(ctx, u.Path+step); err != nil {
			return err
		}
	}
	if err := p.post(ctx, "email", "email", email); err != nil {
		return err
	}
	code, err := mail.code(ctx, email)
	if err != nil {
		return err
	}
	for _, step := range [][]string{
		{"code", "code", code}, {"terms", "plan", "6"}, {"repay"}, {"accept", "name", "Ana Ruiz", "agree", "yes"},
	} {
		if err := p.post(ctx, step[0], step[1:]...); err != nil {
			return err
		}
	}
	if !strings.HasSuffix(p.path, "/done") {
		return fmt.Errorf("the checkout ends on %s", p.path)
	}
	return nil
}

func (p *patron) get(ctx context.Context, path string) error {
	return p.ask(ctx, http.MethodGet, path, "")
}

var (
	inputs     = regexp.MustCompile(`<input[^>]*>`)
	attributes = regexp.MustCompile(`(type|name|value)="([^"]*)"`)
)

// post submits the form of the page, which must be that of a step, with answers.
func (p *patron) post(ctx context.Context, step string, answers ...string) error {
	if !strings.HasSuffix(p.path, "/"+step) {
		return fmt.Errorf("the buyer sees %s instead of %s", p.path, step)
	}
	form := url.Values{}
	for _, input := range inputs.FindAllString(p.body, -1) {
		of := map[string]string{}
		for _, a := range attributes.FindAllStringSubmatch(input, -1) {
			of[a[1]] = html.UnescapeString(a[2])
		}
		if of["type"] == "hidden" || strings.Contains(input, " checked") {
			form.Set(of["name"], of["value"])
		}
	}
	for i := 0; i < len(answers); i += 2 {
		form.Set(answers[i], answers[i+1])
	}
	return p.ask(ctx, http.MethodPost, p.path, form.Encode())
}

// ask sends a request, and follows redirects.
func (p *patron) ask(ctx context.Context, method, path, body string) error {
	for range 6 {
		begin := time.Now()
		to, err := p.once(ctx, method, path, body)
		p.pages.tally(time.Since(begin), err)
		if err != nil || to == "" {
			p.path = path
			return err
		}
		method, path, body = http.MethodGet, to, ""
	}
	return fmt.Errorf("led around in circles to %s", path)
}

// once sends one request and returns where it redirects, "" if it shows a page.
func (p *patron) once(ctx context.Context, method, path, body string) (to string, err error) {
	q, err := http.NewRequestWithContext(ctx, method, "http://"+p.host+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	q.Header.Set("X-Forwarded-For", p.address)
	q.Header.Set("Sec-Fetch-Site", "same-origin")
	if method == http.MethodPost {
		q.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for name, value := range p.cookies { // there is one
		q.AddCookie(&http.Cookie{Name: name, Value: value})
	}
	a, err := p.client.Do(q)
	if err != nil {
		return "", err
	}
	text, err := io.ReadAll(a.Body)
	if err = errors.Join(err, a.Body.Close()); err != nil {
		return "", err
	}
	for _, c := range a.Cookies() {
		p.cookies[c.Name] = c.Value
	}
	switch p.body = string(text); a.StatusCode {
	case http.StatusOK:
		return "", nil
	case http.StatusSeeOther:
		return a.Header.Get("Location"), nil
	}
	return "", fmt.Errorf("%s %s: %d: %.200s", method, path, a.StatusCode, text)
}
