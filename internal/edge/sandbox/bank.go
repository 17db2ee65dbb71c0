package sandbox

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/fake"
)

// Settings is where the sandbox stores its own data in a store.Backend.
type Settings interface {
	store.Viewer
	store.Registry
}

// Bank is the bank that a sandbox plays. Its state is stored in the sandbox's database, so
// that it survives a restart, and it catches up with the business clock whenever it is
// used.
type Bank struct {
	*fake.Bank
	db Settings
	mu sync.Mutex // guards the stored state
}

const bankSetting = "sandbox/bank"

// OpenBank loads the bank's state.
func OpenBank(ctx context.Context, db Settings, zone calendar.Zone, now func() time.Time) (*Bank, error) {
	b := &Bank{Bank: fake.New(zone, now), db: db}
	text, found, err := store.Setting(ctx, db, bankSetting)
	if err != nil {
		return nil, err
	}
	if found {
		if err := b.Load(text); err != nil {
			return nil, fmt.Errorf("sandbox: load the bank: %w", err)
		}
	}
	return b, nil
}

// keep stores the bank's state, unless the operation failed.
func (b *Bank) keep(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.db.PutSetting(ctx, bankSetting, b.Save())
}

// Send implements rails.Bank.
func (b *Bank) Send(ctx context.Context, name string, content []byte) error {
	return b.keep(ctx, b.Bank.Send(ctx, name, content))
}

// Done implements rails.Bank.
func (b *Bank) Done(ctx context.Context, name string) error {
	return b.keep(ctx, b.Bank.Done(ctx, name))
}

// FailNext makes the next debit return with a code; of the account if one is named.
func (b *Bank) FailNext(ctx context.Context, code, account string) error {
	return b.keep(ctx, b.Bank.FailNext(code, account))
}

// Return returns an entry now.
func (b *Bank) Return(ctx context.Context, trace int64, code string) error {
	return b.keep(ctx, b.ReturnNow(trace, code))
}

// Change sends a notification of change for an account.
func (b *Bank) Change(ctx context.Context, account, code string) error {
	return b.keep(ctx, b.Notice(account, code))
}

// Cards returns the sandbox's card processor.
func (b *Bank) Cards() *Cards { return &Cards{b.Bank.Cards(), b} }

// Cards stores the processor's state with the bank's.
type Cards struct {
	*fake.Cards
	bank *Bank
}

// Charge implements rails.Processor.
func (c *Cards) Charge(ctx context.Context, key, token string, amount money.Amount) (rails.Charge, error) {
	answer, err := c.Cards.Charge(ctx, key, token, amount)
	return answer, c.bank.keep(ctx, err)
}

// Refund implements rails.Processor.
func (c *Cards) Refund(ctx context.Context, key, charge string, amount money.Amount) (rails.Charge, error) {
	answer, err := c.Cards.Refund(ctx, key, charge, amount)
	return answer, c.bank.keep(ctx, err)
}

// Done implements rails.Processor.
func (c *Cards) Done(ctx context.Context, id string) error {
	return c.bank.keep(ctx, c.Cards.Done(ctx, id))
}
