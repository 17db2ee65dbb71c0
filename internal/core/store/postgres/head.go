package postgres

import (
	"context"
	"fmt"

	"tenor/internal/core/store"
)

// PutHead implements store.HeadKeeper. The table checks what a head may say. If two nodes
// sign the same number, the second waits for the first and finds it taken.
func (db *DB) PutHead(ctx context.Context, h store.SignedHead) error {
	call := over(statements.head, records[store.SignedHead]{&store.SignedHeads, []store.SignedHead{h}}, nil)
	err := db.put(ctx, call)
	if err == nil && call.tag == "INSERT 0 0" {
		err = fmt.Errorf("%w: its number is taken", store.ErrTaken)
	}
	return wrap(fmt.Sprint("put head ", h.Number), err)
}
