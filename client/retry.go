package client

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"time"
)

// firstWait is the wait after a lost connection; it doubles with each further one.
const firstWait = 200 * time.Millisecond

// UnreachableError says that no answer came. Whether a write took effect is not
// known; with an IdempotencyKey it can be sent again.
type UnreachableError struct {
	Address string
	Err     error
}

func (e *UnreachableError) Error() string {
	return "no answer from " + e.Address + ": " + e.Err.Error()
}

// Unwrap returns the cause.
func (e *UnreachableError) Unwrap() error { return e.Err }

// retry sends a call until its answer is final, as Client.Retries says.
func (c *Client) retry(ctx context.Context, k *call) (*Response, error) {
	repeatable := k.method == http.MethodGet || k.method == http.MethodHead || k.key != "" || k.preview != nil
	wait := firstWait
	for left := c.Retries; ; left-- {
		r, err := c.once(ctx, k)
		var lost *UnreachableError
		var pause time.Duration
		switch {
		case err != nil && !errors.As(err, &lost):
			return nil, err
		case err != nil:
			if !repeatable || left <= 0 {
				return nil, err
			}
			pause, wait = wait, 2*wait
		default:
			asked, ok := again(r, repeatable)
			if !ok || left <= 0 || asked > c.MaxWait {
				return r, nil
			}
			pause = asked
		}
		if err := c.sleep(ctx, min(pause, c.MaxWait)); err != nil {
			return nil, err
		}
	}
}

// again reports whether an answer says that the call may be sent again, and after
// which time.
func again(r *Response, repeatable bool) (time.Duration, bool) {
	seconds, err := strconv.Atoi(r.Header.Get("Retry-After"))
	if err != nil || seconds < 0 {
		return 0, false
	}
	wait := time.Duration(min(seconds, 1<<20)) * time.Second
	switch r.Status {
	case http.StatusTooManyRequests:
		return wait, true
	case http.StatusServiceUnavailable:
		return wait, repeatable || newProblem(r).Code != "outcome_unknown"
	case http.StatusConflict:
		return wait, newProblem(r).Code == "idempotency_key_in_use"
	}
	return 0, false
}

func sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
