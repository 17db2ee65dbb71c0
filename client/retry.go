package client

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// firstWait is the wait after a lost connection; it doubles each time.
const firstWait = 200 * time.Millisecond

// UnreachableError means that no response came. It is unknown whether a write took effect; it can
// be retried with its IdempotencyKey.
type UnreachableError struct {
	Address        string
	IdempotencyKey string // "" if the call had none
	Err            error
}

func (e *UnreachableError) Error() string {
	return "no answer from " + e.Address + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// retry sends a call until the response is final, as described for Client.Retries. A token that
// the server no longer accepts is replaced once.
func (c *Client) retry(ctx context.Context, k *call) (*Response, error) {
	lost, renewed := false, false
	wait := firstWait
	for left := c.Retries; ; left-- {
		r, token, err := c.try(ctx, k)
		var unreachable *UnreachableError
		var pause time.Duration
		switch {
		case err != nil && !errors.As(err, &unreachable):
			return nil, err
		case err != nil:
			if !k.repeatable() || left <= 0 {
				return nil, err
			}
			lost, pause, wait = true, wait, 2*wait
		case r.Status == http.StatusUnauthorized && !k.open && !renewed && c.access.drop(token):
			renewed = true
			left++ // not a retry: the server has not processed the call
			continue
		case lost && k.method == http.MethodDelete && r.Status == http.StatusNotFound:
			return &Response{Status: http.StatusNoContent, Header: r.Header}, nil // the lost one deleted it
		default:
			asked, given, ok := c.again(r, k)
			if !ok || left <= 0 || asked > c.MaxWait {
				return r, nil
			}
			if pause = asked; !given {
				pause, wait = wait, 2*wait
			}
		}
		if err := c.Clock.Sleep(ctx, min(pause, c.MaxWait)); err != nil {
			return nil, err
		}
	}
}

// try sends a call once with a valid token.
func (c *Client) try(ctx context.Context, k *call) (*Response, string, error) {
	token := ""
	if !k.open {
		var err error
		if token, err = c.bearer(ctx); err != nil {
			return nil, "", err
		}
	}
	r, err := c.once(ctx, k, token)
	return r, token, err
}

// repeatable reports whether it is harmless if a call takes effect twice.
func (k *call) repeatable() bool {
	if k.slow {
		return false
	}
	switch k.method {
	case http.MethodGet, http.MethodHead, http.MethodPut, http.MethodDelete:
		return true
	}
	return k.key != "" || k.preview != nil || k.open
}

// again reports whether a response allows a retry, after how long, and whether the server
// specified that.
func (c *Client) again(r *Response, k *call) (wait time.Duration, given, ok bool) {
	wait, given = retryAfter(r.Header, c.Clock.Now())
	switch r.Status {
	case http.StatusTooManyRequests:
		return wait, given, given || k.repeatable()
	case http.StatusServiceUnavailable:
		return wait, given, k.repeatable() || given && newProblem(r, time.Time{}).Code != string(CodeOutcomeUnknown)
	case http.StatusConflict:
		return wait, given, newProblem(r, time.Time{}).Code == string(CodeIdempotencyKeyInUse)
	}
	return 0, false, false
}

// retryAfter parses when a call may be retried: seconds, or a date.
func retryAfter(h http.Header, now time.Time) (time.Duration, bool) {
	text := h.Get("Retry-After")
	if seconds, err := strconv.Atoi(text); err == nil && seconds >= 0 {
		return time.Duration(min(seconds, 1<<30)) * time.Second, true
	}
	if t, err := http.ParseTime(text); err == nil {
		return max(t.Sub(now), 0), true
	}
	return 0, false
}
