package sqlite

import (
	"context"
	"fmt"

	"tenor/internal/core/store"
)

// PutHead implements store.HeadKeeper. What may be said is checked by the table.
func (db *DB) PutHead(ctx context.Context, h store.SignedHead) error {
	if err := db.put(ctx, put(&store.SignedHeads, statements.signed, []store.SignedHead{h})); err != nil {
		return fmt.Errorf("put head %d: %w", h.Number, refused(err))
	}
	return nil
}

// LastHead implements store.HeadView.
func (v *view) LastHead() (h store.SignedHead, found bool, err error) {
	err = all(v.conn, &store.SignedHeads, " ORDER BY number DESC LIMIT 1", func(r *store.SignedHead) error {
		h, found = *r, true
		return nil
	})
	return h, found, err
}
