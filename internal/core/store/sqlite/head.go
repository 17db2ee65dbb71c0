package sqlite

import (
	"context"
	"fmt"

	"tenor/internal/core/store"
)

// PutHead implements store.HeadKeeper. The table checks what a head may say.
func (db *DB) PutHead(ctx context.Context, h store.SignedHead) error {
	if err := db.put(ctx, put(&store.SignedHeads, statements.signed, []store.SignedHead{h})); err != nil {
		return fmt.Errorf("put head %d: %w", h.Number, refused(err))
	}
	return nil
}
