package verify

import "tenor/internal/core/store"

// storage has the database check its own pages and indexes, if it can (ST1): a list that is read by a
// damaged index lacks rows or repeats them, although every table is right.
func storage(r *run) error {
	r.rows++
	p, can := r.backend.(store.Physical)
	if !can { // in memory
		return nil
	}
	note, err := p.Integrity(r.ctx, func(text string) { r.broken("ST1", "database", "%s", text) })
	if note != "" {
		r.note("%s", note)
	}
	return err
}
