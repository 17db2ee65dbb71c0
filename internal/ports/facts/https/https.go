// Package https queries a lender's own vendors for facts: one POST of JSON for each question,
// signed like a webhook, to the address configured for the port (F27).
//
// docs/underwriting.md tells vendors what they get and how Tenor uses their answers. This package
// never retries: facts.Gather retries once, under the same Idempotency-Key, so that a retry is
// not a second inquiry. Errors are worded by this package: they contain no part of the question
// or the answer, no address and no secret.
package https

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/underwriting"
	"tenor/internal/ports/facts"
	"tenor/internal/ports/outbound"
)

// Endpoint is where a vendor is called. An empty URL means that the port is not configured.
type Endpoint struct {
	URL    string
	Secret string // whsec_ and base64 of at least 24 bytes, shared with the vendor
}

// Format hides the secret from every verb.
func (Endpoint) Format(s fmt.State, _ rune) {
	_, _ = io.WriteString(s, "(withheld)") // fmt.State keeps what is written
}

// Config is how the vendors are reached. Client is required: one from package outbound, which
// verifies certificates and checks the addresses that it dials.
type Config struct {
	Registry, Bureau, Bank Endpoint

	Client  *http.Client
	Timeout time.Duration    // of each request, 0: facts.Timeout
	Now     func() time.Time // wall clock that signs requests; nil: time.Now
}

// vendor calls one endpoint.
type vendor struct {
	port    facts.Port
	url     string
	key     []byte
	client  *http.Client
	timeout time.Duration
	now     func() time.Time
}

// New checks the configuration and returns its ports. It makes no call.
func New(c Config) (facts.Ports, error) {
	if c.Client == nil {
		return facts.Ports{}, errors.New("facts: a client is required")
	}
	client := *c.Client
	// The question contains personal data: it goes where it was sent, or nowhere.
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	client.Jar = nil
	if c.Timeout == 0 {
		c.Timeout = facts.Timeout
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	var p facts.Ports
	for _, x := range []struct {
		port facts.Port
		to   Endpoint
		set  func(vendor)
	}{
		{facts.Registry, c.Registry, func(v vendor) { p.Registry = registry{v} }},
		{facts.Bureau, c.Bureau, func(v vendor) { p.Bureau = bureau{v} }},
		{facts.Bank, c.Bank, func(v vendor) { p.Bank = bank{v} }},
	} {
		if x.to.URL == "" {
			continue
		}
		if !usable(x.to.URL) {
			return facts.Ports{}, fmt.Errorf("facts: the address of %s must be an https URL", x.port)
		}
		key, err := parseSecret(x.to.Secret)
		if err != nil {
			return facts.Ports{}, fmt.Errorf("facts: %s: %w", x.port, err)
		}
		x.set(vendor{x.port, x.to.URL, key, &client, c.Timeout, c.Now})
	}
	return p, nil
}

// usable reports whether an address uses https, without user, password or fragment.
func usable(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && u.Host != "" && u.User == nil && !strings.Contains(text, "#")
}

// request is the body of every question.
type request struct {
	ID          string     `json:"id"`
	Port        facts.Port `json:"port"`
	Application string     `json:"application"`
	Question    any        `json:"question"`
}

// ask sends a question and decodes the answer with into. It returns the hash of the answer's
// bytes.
func (v vendor) ask(ctx context.Context, a facts.Ask, question any, into func([]byte) error) (hash string, err error) {
	ctx, cancel := context.WithTimeout(ctx, v.timeout)
	defer cancel()
	r, err := v.request(ctx, a, question)
	if err != nil {
		return "", err
	}
	answer, err := v.client.Do(r)
	if err != nil {
		return "", failed(ctx, err)
	}
	defer answer.Body.Close()
	if answer.StatusCode != http.StatusOK {
		return "", broken("The vendor answered with status " + strconv.Itoa(answer.StatusCode) + ".")
	}
	if kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return "", broken("The answer is not application/json.")
	}
	text, err := io.ReadAll(io.LimitReader(answer.Body, outbound.MaxBody+1))
	switch {
	case errors.Is(err, outbound.ErrTooLarge), err == nil && len(text) > outbound.MaxBody:
		return "", broken("The answer is larger than 64 KiB.")
	case err != nil:
		return "", failed(ctx, err)
	}
	if err := into(text); err != nil {
		return "", broken("The answer cannot be read.") // the decoder's error quotes the answer
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:]), nil
}

// request creates a signed request. The same question about an application has the same ID and
// the same body.
func (v vendor) request(ctx context.Context, a facts.Ask, question any) (*http.Request, error) {
	id := a.Key(v.port)
	if a.Application == "" || strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") != "" {
		return nil, broken("The application's identifier cannot be signed.") // a dot would end it for the verifier
	}
	body, err := json.Marshal(request{id, v.port, a.Application, question})
	if err != nil {
		return nil, broken("The question cannot be written.")
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, v.url, bytes.NewReader(body))
	if err != nil {
		return nil, broken("The vendor's address cannot be used.")
	}
	timestamp := strconv.FormatInt(v.now().Unix(), 10)
	for name, value := range map[string]string{
		"Content-Type": "application/json", "Accept": "application/json", "User-Agent": "Tenor", "Idempotency-Key": id,
		headerID: id, headerTimestamp: timestamp, headerSignature: sign(v.key, id, timestamp, body),
	} {
		r.Header.Set(name, value)
	}
	return r, nil
}

func broken(text string) error { return &facts.Failure{Why: underwriting.Broken, Text: text} }

// failed describes why a request or reading an answer failed. If the caller canceled it, it says
// so.
func failed(ctx context.Context, err error) error {
	reason := outbound.Reason(err)
	switch {
	case errors.Is(ctx.Err(), context.Canceled):
		return context.Canceled
	case errors.Is(ctx.Err(), context.DeadlineExceeded), reason == outbound.Reason(context.DeadlineExceeded):
		return &facts.Failure{Why: underwriting.Silent, Text: outbound.Reason(context.DeadlineExceeded)}
	}
	return broken(reason)
}
