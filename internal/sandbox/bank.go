package sandbox

import (
	"context"
	"fmt"
	"sync"
	"time"

	"tenor/internal/rails"
	"tenor/internal/store"
)

// Playing is a bank that a sandbox plays (fake.Bank).
type Playing interface {
	rails.Bank
	rails.Processor
	Advance(now time.Time)
	Save() ([]byte, error)
	Load([]byte) error
}

// Bank keeps a played bank's state in the sandbox's database, so that it is there after
// a restart, and shows it the business clock.
type Bank struct {
	Playing
	db  store.Backend
	now func() time.Time
	mu  sync.Mutex // of what is kept
}

const bankSetting = "sandbox/bank"

// OpenBank loads what the bank knew.
func OpenBank(ctx context.Context, p Playing, db store.Backend, now func() time.Time) (*Bank, error) {
	b, found, err := db.Setting(ctx, bankSetting)
	if err != nil {
		return nil, err
	}
	if found {
		if err := p.Load(b); err != nil {
			return nil, fmt.Errorf("sandbox: load the bank: %w", err)
		}
	}
	return &Bank{Playing: p, db: db, now: now}, nil
}

// Keep writes down what the bank knows.
func (b *Bank) Keep(ctx context.Context) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	text, err := b.Save()
	if err != nil {
		return err
	}
	return b.db.PutSetting(ctx, bankSetting, text)
}

// kept runs fn and writes down what has become of the bank.
func (b *Bank) kept(ctx context.Context, err error) error {
	if err != nil {
		return err
	}
	return b.Keep(ctx)
}

// Send is rails.Bank.
func (b *Bank) Send(ctx context.Context, name string, content []byte) error {
	b.Advance(b.now())
	return b.kept(ctx, b.Playing.Send(ctx, name, content))
}

// Fetch is rails.Bank: the bank has worked up to the clock.
func (b *Bank) Fetch(ctx context.Context) ([]rails.Incoming, error) {
	b.Advance(b.now())
	return b.Playing.Fetch(ctx)
}

// Done is rails.Bank, and with a news' id rails.Processor.
func (b *Bank) Done(ctx context.Context, name string) error {
	return b.kept(ctx, b.Playing.Done(ctx, name))
}
