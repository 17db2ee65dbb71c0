package postgres

import (
	"context"

	"tenor/internal/core/store"
)

// reseals are the statements that replace an envelope: $1 and $2 are the row's key, $3 is
// the stored value and $4 the new one.
var reseals = map[store.EnvelopeTable]string{
	store.SettingEnvelopes: "UPDATE settings SET value = $4 WHERE name = $1 || $2 AND value = $3",
	store.AnswerEnvelopes:  "UPDATE idempotency SET body = $4, sealed = true WHERE client_id = $1 AND key = $2 AND body = $3",
	store.VaultEnvelopes:   "UPDATE vault SET sealed = $4 WHERE id = $1 || $2 AND sealed = $3",
	store.NoticeEnvelopes:  "UPDATE bank_notices SET payload = $4 WHERE rail = $1 AND id = $2 AND payload = $3",
}

// Reseal implements store.Resealer. Each envelope has its own transaction: none depends on
// another, and writing one twice has the same result.
func (db *DB) Reseal(ctx context.Context, list []store.Envelope) (n int, err error) {
	for _, e := range list {
		value := blob
		if e.Table == store.NoticeEnvelopes {
			value = func(b []byte) store.Value { return text(string(b)) }
		}
		c := ask(reseals[e.Table], []store.Value{text(e.Key[0]), text(e.Key[1]), value(e.Was), value(e.Value)}, nil)
		if err := db.again(ctx, c); err != nil {
			return n, wrap("reseal", err)
		}
		if c.tag == "UPDATE 1" {
			n++
		}
	}
	return n, nil
}
