package sqlite

import (
	"context"
	"fmt"

	"tenor/internal/core/store"
)

// reseals are the statements that replace an envelope: ?1 and ?2 are the row's key, ?3 is
// the stored value and ?4 the new one.
var reseals = map[store.EnvelopeTable]string{
	store.SettingEnvelopes: "UPDATE settings SET value = ?4 WHERE name = ?1 || ?2 AND value = ?3",
	store.AnswerEnvelopes:  "UPDATE idempotency SET body = ?4, sealed = 1 WHERE client_id = ?1 AND key = ?2 AND body = ?3",
	store.VaultEnvelopes:   "UPDATE vault SET sealed = ?4 WHERE id = ?1 || ?2 AND sealed = ?3",
	store.NoticeEnvelopes:  "UPDATE bank_notices SET payload = ?4 WHERE rail = ?1 AND id = ?2 AND payload = ?3",
}

// Reseal implements store.Resealer.
func (db *DB) Reseal(ctx context.Context, list []store.Envelope) (n int, err error) {
	err = db.write(ctx, func(k *conn) error {
		for _, e := range list {
			value := blob
			if e.Table == store.NoticeEnvelopes {
				value = func(b []byte) store.Value { return text(string(b)) }
			}
			if err := k.query(reseals[e.Table], []store.Value{text(e.Key[0]), text(e.Key[1]), value(e.Was), value(e.Value)}, nil); err != nil {
				return refused(err)
			}
			n += k.c.Changes()
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("reseal: %w", err)
	}
	return n, nil
}
