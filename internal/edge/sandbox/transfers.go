package sandbox

import (
	"context"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/ports/rails/fake"
)

// pageSize is how many records are read at a time.
const pageSize = 1000

// Settle moves the clock until everything now in transit has settled. That is what is
// queued or sent; without any nothing moves.
func (s *Sandbox) Settle(ctx context.Context, wait time.Duration) error {
	now := s.clock.Now()
	to := now
	for _, status := range []credit.TransferStatus{credit.TransferQueued, credit.TransferSent} {
		err := s.each(ctx, store.TransferFilter{Status: status}, func(x *credit.Transfer) {
			if at := x.SettlesAt(s.zone); at.After(to) {
				to = at
			}
		})
		if err != nil {
			return fmt.Errorf("sandbox: list transfers in transit: %w", err)
		}
	}
	if to.Equal(now) {
		return nil
	}
	return s.await(ctx, wait, move{to: to, late: true})
}

// each calls fn with every transfer that matches a filter.
func (s *Sandbox) each(ctx context.Context, f store.TransferFilter, fn func(*credit.Transfer)) error {
	return s.db.View(ctx, func(v store.View) error {
		for page := (store.Page{Limit: pageSize}); ; {
			list, err := store.ListTransfers(v, f, page)
			if err != nil {
				return err
			}
			for _, x := range list {
				fn(x)
			}
			if len(list) < page.Limit {
				return nil
			}
			last := list[len(list)-1]
			page.AfterAt, page.AfterID = last.CreatedAt, last.ID
		}
	})
}

// ReturnTransfer returns a transfer that is in a file now; fake.ErrUnknown if it is in
// none.
func (s *Sandbox) ReturnTransfer(ctx context.Context, transfer, code string) error {
	for _, state := range []store.FileState{store.FileSent, store.FileAccepted} {
		files, err := store.Files(ctx, s.db, state, maxFiles)
		if err != nil {
			return fmt.Errorf("sandbox: list files: %w", err)
		}
		for _, f := range files {
			entries, err := store.FileEntries(ctx, s.db, f.ID)
			if err != nil {
				return fmt.Errorf("sandbox: list entries of %s: %w", f.ID, err)
			}
			for _, e := range entries {
				if e.Transfer == transfer {
					return s.bank.Return(ctx, e.Trace, code)
				}
			}
		}
	}
	return fmt.Errorf("%w: no file contains %s", fake.ErrUnknown, transfer)
}

// maxFiles is more files than a sandbox ever makes.
const maxFiles = 100_000

// Bank returns the sandbox's bank.
func (s *Sandbox) Bank() *Bank { return s.bank }
