package memory

import (
	"bytes"
	"context"
	"fmt"

	"tenor/internal/core/store"
)

// PutHead implements store.HeadKeeper.
func (db *DB) PutHead(_ context.Context, h store.SignedHead) error {
	db.mu.Lock()
	defer db.mu.Unlock()
	at := db.head.Head
	switch last := int64(len(db.signed)); {
	case h.Number > 0 && h.Number <= last:
		return fmt.Errorf("put head %d: %w: its number is taken", h.Number, store.ErrTaken)
	case h.Number != last+1:
		return fmt.Errorf("put head %d: %w: it does not follow %d", h.Number, store.ErrRefused, last)
	case h.Epoch != at.Epoch || h.Q > at.Q || h.Q == at.Q && !bytes.Equal(h.Hash[:], at.Hash[:]):
		return fmt.Errorf("put head %d: %w: it does not match the book's position", h.Number, store.ErrRefused)
	}
	row, err := canonical(&store.SignedHeads, h)
	if err != nil {
		return fmt.Errorf("put head %d: %w", h.Number, err)
	}
	db.signed = append(db.signed, row)
	return nil
}
