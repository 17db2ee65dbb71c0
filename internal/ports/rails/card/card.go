// Package card charges cards through the HTTP API of Stripe: PaymentIntents created and confirmed
// in one step while the holder is absent, refunds, and the events and balance transactions that
// report what became of them (F25).
//
// A card is identified by the processor's token alone; card numbers never reach Tenor. Each
// charge carries the transfer's ID twice: as the idempotency key, and as metadata by which it is
// found once the processor has forgotten the key, which it may after a day. An error means that
// the outcome is unknown, or that nothing was attempted: in both cases the same call is retried
// later.
package card

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"
)

// Errors of a call. Neither ever contains the secret key.
var (
	// ErrUnknown means that it is unknown whether the call had an effect.
	ErrUnknown = errors.New("card: outcome unknown")
	// ErrRefused means that the processor does not accept our calls: the secret key, or its
	// permissions, are wrong. Nothing has happened.
	ErrRefused = errors.New("card: the processor rejects our calls")
)

// Config is how the processor is reached. Secret and Client are required.
type Config struct {
	Secret  string // secret key of the account
	Client  *http.Client
	Base    string           // "" is https://api.stripe.com; plain http only on loopback
	Timeout time.Duration    // of each call, 0: 30 seconds
	Every   time.Duration    // between two polls for news, 0: a minute
	Now     func() time.Time // wall clock, nil: time.Now
}

// Stripe is the processor. It is safe for concurrent use.
type Stripe struct {
	cfg    Config
	client http.Client

	mu   sync.Mutex
	news newsState
}

// version of the API that these types match.
const version = "2024-06-20"

// New checks the configuration. It makes no call.
func New(c Config) (*Stripe, error) {
	if c.Secret == "" || c.Client == nil {
		return nil, errors.New("card: a secret key and a client are required")
	}
	if c.Base == "" {
		c.Base = "https://api.stripe.com"
	}
	u, err := url.Parse(c.Base)
	if err != nil || u.Host == "" || u.User != nil || u.Scheme != "https" && (u.Scheme != "http" || !loopback(u.Hostname())) {
		return nil, errors.New("card: the address of the processor must be https")
	}
	c.Base = strings.TrimRight(c.Base, "/")
	if c.Timeout == 0 {
		c.Timeout = 30 * time.Second
	}
	if c.Every == 0 {
		c.Every = time.Minute
	}
	if c.Now == nil {
		c.Now = time.Now
	}
	s := &Stripe{cfg: c, client: *c.Client}
	// A charge goes where it was sent, or nowhere.
	s.client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return s, nil
}

func loopback(host string) bool {
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

// failure is the processor's error object.
type failure struct {
	Type          string  `json:"type"`
	Code          string  `json:"code"`
	DeclineCode   string  `json:"decline_code"`
	Message       string  `json:"message"`
	PaymentIntent *intent `json:"payment_intent"`
}

// reason returns the most specific code of a failure.
func (f *failure) reason() string {
	for _, code := range []string{f.DeclineCode, f.Code, f.Type} {
		if code != "" {
			return code
		}
	}
	return "declined"
}

// maxAnswer is how many bytes of a response are read.
const maxAnswer = 16 << 20

// call makes a request. It returns the processor's failure if the request was understood and
// permanently declined: a declined card, an unknown token. Everything else that is not a success
// is an error.
func (s *Stripe) call(ctx context.Context, method, path string, values url.Values, key string, into any) (*failure, error) {
	ctx, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	where := method + " " + path
	target, body := s.cfg.Base+path, io.Reader(nil)
	if method == http.MethodPost {
		body = strings.NewReader(values.Encode())
	} else if len(values) > 0 {
		target += "?" + values.Encode()
	}
	r, err := http.NewRequestWithContext(ctx, method, target, body)
	if err != nil {
		return nil, fmt.Errorf("card: %s: %w", where, s.clean(err))
	}
	r.Header.Set("Authorization", "Bearer "+s.cfg.Secret)
	r.Header.Set("Stripe-Version", version)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		r.Header.Set("Idempotency-Key", key)
	}
	answer, err := s.client.Do(r)
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnknown, where, s.clean(err))
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, maxAnswer))
	if err != nil {
		return nil, fmt.Errorf("%w: %s: %w", ErrUnknown, where, s.clean(err))
	}
	return s.judge(where, answer.StatusCode, text, into)
}

// judge interprets a status.
func (s *Stripe) judge(where string, status int, text []byte, into any) (*failure, error) {
	if status == http.StatusOK {
		if err := json.Unmarshal(text, into); err != nil {
			return nil, fmt.Errorf("%w: %s: the answer cannot be read", ErrUnknown, where)
		}
		return nil, nil
	}
	var answer struct {
		Error *failure `json:"error"`
	}
	if err := json.Unmarshal(text, &answer); err != nil || answer.Error == nil {
		answer.Error = &failure{}
	}
	f := answer.Error
	f.Message = s.hide(f.Message)
	switch {
	case status == http.StatusUnauthorized || status == http.StatusForbidden:
		return nil, fmt.Errorf("%w: %s: status %d", ErrRefused, where, status)
	case f.Type == "card_error", f.Type == "invalid_request_error" && (status == http.StatusBadRequest || status == http.StatusNotFound || status == http.StatusPaymentRequired):
		return f, nil
	}
	// 409 another call with the key is running, 429 too many requests, 5xx, a key reused for
	// something else, a response from an intermediary.
	return nil, fmt.Errorf("%w: %s: status %d %s", ErrUnknown, where, status, s.hide(f.reason()))
}

// clean removes the URL from an error of the client: queries contain personal data.
func (s *Stripe) clean(err error) error {
	var u *url.Error
	if errors.As(err, &u) {
		err = u.Err
	}
	if strings.Contains(err.Error(), s.cfg.Secret) {
		return errors.New(s.hide(err.Error()))
	}
	return err
}

func (s *Stripe) hide(text string) string { return strings.ReplaceAll(text, s.cfg.Secret, "…") }

// list reads all pages of a list. add decodes one object and returns its ID.
func (s *Stripe) list(ctx context.Context, path string, values url.Values, add func(json.RawMessage) (id string, err error)) error {
	values.Set("limit", "100")
	for range maxPages {
		var page struct {
			Data    []json.RawMessage `json:"data"`
			HasMore bool              `json:"has_more"`
		}
		f, err := s.call(ctx, http.MethodGet, path, values, "", &page)
		if err != nil {
			return err
		}
		if f != nil {
			return fmt.Errorf("card: list %s: %s", path, f.reason())
		}
		for _, x := range page.Data {
			id, err := add(x)
			if err != nil {
				return fmt.Errorf("card: list %s: %w", path, err)
			}
			values.Set("starting_after", id)
		}
		if !page.HasMore || len(page.Data) == 0 {
			return nil
		}
	}
	return fmt.Errorf("card: list %s: more than %d pages", path, maxPages)
}

// maxPages bounds a list: a hundred thousand objects.
const maxPages = 1000
