package client

import (
	"context"
	"time"
)

// Clock tells a client the time and lets it wait. Tests can replace it.
type Clock interface {
	Now() time.Time
	// Sleep waits; if the context ends first it returns the context's error.
	Sleep(ctx context.Context, d time.Duration) error
}

// wallClock is the machine's clock.
type wallClock struct{}

// Now returns the machine's time.
func (wallClock) Now() time.Time { return time.Now() }

// Sleep waits in the machine's time.
func (wallClock) Sleep(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-t.C:
		return nil
	}
}
