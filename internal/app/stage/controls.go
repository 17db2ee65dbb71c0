package stage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"tenor/internal/app/node"
	"tenor/internal/core/clock"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	sandboxes "tenor/internal/edge/sandbox"
	fakebank "tenor/internal/ports/rails/fake"
)

// controls exposes a sandbox's clock and bank to the API. Neither package knows the other.
type controls struct {
	*sandboxes.Sandbox
	node  *node.Node
	stage *Stage // serves the sandbox
}

// Clock is serve.Controls.
func (c controls) Clock(ctx context.Context) (resource.SandboxClock, error) {
	s, err := c.State(ctx)
	if err != nil {
		return resource.SandboxClock{}, err
	}
	w := resource.SandboxClock{Now: s.Now, Frozen: s.Frozen, Status: "ready", Failed: s.Failed != nil}
	if s.Advancing {
		w.Status = "advancing"
	}
	if !s.Target.IsZero() {
		w.Target, w.Progress = &s.Target, &resource.SandboxProgress{DaysDone: s.DaysDone, DaysTotal: s.DaysTotal}
	}
	if s.Next != nil {
		w.NextEvent = &resource.SandboxEvent{At: s.Next.At, Type: s.Next.Object, Object: s.Next.ID}
	}
	return w, nil
}

// AdvanceTo is serve.Controls.
func (c controls) AdvanceTo(ctx context.Context, to time.Time, wait time.Duration) error {
	return obeyed(c.Sandbox.AdvanceTo(ctx, to, wait))
}

// AdvanceToNext is serve.Controls.
func (c controls) AdvanceToNext(ctx context.Context, wait time.Duration) error {
	return obeyed(c.Sandbox.AdvanceToNext(ctx, wait))
}

// AdvanceUntil is serve.Controls.
func (c controls) AdvanceUntil(ctx context.Context, x serve.Awaited, wait time.Duration) error {
	return obeyed(c.Sandbox.AdvanceUntil(ctx, sandboxes.Awaited(x), wait))
}

// Settle is serve.Controls.
func (c controls) Settle(ctx context.Context, wait time.Duration) error {
	return obeyed(c.Sandbox.Settle(ctx, wait))
}

// FailNext is serve.Controls.
func (c controls) FailNext(ctx context.Context, code, fingerprint string) error {
	number, err := c.number(ctx, fingerprint)
	if err != nil {
		return err
	}
	return obeyed(c.Bank().FailNext(ctx, code, number))
}

// Return is serve.Controls.
func (c controls) Return(ctx context.Context, transfer, code string) error {
	return obeyed(c.ReturnTransfer(ctx, transfer, code))
}

// Notice is serve.Controls.
func (c controls) Notice(ctx context.Context, code, fingerprint string) error {
	number, err := c.number(ctx, fingerprint)
	if err != nil {
		return err
	}
	return obeyed(c.Bank().Change(ctx, number, code))
}

// errFound ends a walk.
var errFound = errors.New("found")

// number returns the account number for a fingerprint; "" for "".
func (c controls) number(ctx context.Context, fingerprint string) (string, error) {
	if fingerprint == "" {
		return "", nil
	}
	var account *credit.BankAccount
	place := ""
	err := c.node.DB.View(ctx, func(v store.View) error {
		return store.EachOf(v, store.MethodNoun, func(m *credit.PaymentMethod) error {
			if m.Bank != nil && m.Bank.Fingerprint == fingerprint {
				account, place = m.Bank, payments.MethodAccount(m.ID)
				return errFound
			}
			return nil
		})
	})
	switch {
	case account == nil && err == nil:
		return "", serve.ErrBankNothing
	case account == nil:
		return "", fmt.Errorf("find the account: %w", err)
	}
	x, err := account.Open(place, c.node.Ring.Open)
	return x.Number, err
}

// obeyed translates a sandbox's refusals into errors that the API knows.
func obeyed(err error) error {
	for from, to := range map[error]error{
		clock.ErrBackwards: serve.ErrClockBackwards, sandboxes.ErrMoving: serve.ErrClockMoving,
		sandboxes.ErrTooFar: serve.ErrClockTooFar, sandboxes.ErrNothing: serve.ErrClockNothing,
		fakebank.ErrCode: serve.ErrBankCode, fakebank.ErrUnknown: serve.ErrBankNothing, fakebank.ErrState: serve.ErrBankNothing,
		sandboxes.ErrNoSnapshot: serve.ErrNoSnapshot, sandboxes.ErrNoEvent: serve.ErrClockNoEvent,
	} {
		if errors.Is(err, from) {
			return to
		}
	}
	return err
}
