package memory

import (
	"bytes"
	"context"
	"fmt"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// Reseal implements store.Resealer.
func (db *DB) Reseal(_ context.Context, list []store.Envelope) (n int, err error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	for _, e := range list {
		done, err := db.reseal(e)
		if err != nil {
			return 0, fmt.Errorf("reseal: %w", err)
		}
		if done {
			n++
		}
	}
	return n, nil
}

// reseal replaces one envelope, and reports whether it was still the one that was read.
func (db *DB) reseal(e store.Envelope) (done bool, err error) {
	switch e.Table {
	case store.SettingEnvelopes:
		name := e.Key[0] + e.Key[1]
		if was, found := db.settings[name]; !found || !bytes.Equal(was, e.Was) {
			return false, nil
		}
		db.settings[name] = slices.Clone(e.Value)
	case store.VaultEnvelopes:
		if was, found := db.vault[e.Key[0]]; !found || !bytes.Equal(was, e.Was) {
			return false, nil
		}
		db.vault[e.Key[0]] = slices.Clone(e.Value)
	case store.AnswerEnvelopes:
		row := db.answers.get(store.KeyID{Client: e.Key[0], Key: e.Key[1]}, db.head.Q)
		if row == nil || !bytes.Equal(row.Body, e.Was) {
			return false, nil
		}
		if len(e.Value) == 0 {
			return false, fmt.Errorf("answer: %w: it has no body", store.ErrRefused)
		}
		row.Body, row.Sealed = slices.Clone(e.Value), true
	case store.NoticeEnvelopes:
		key := noticeKey{credit.Method(e.Key[0]), e.Key[1]}
		n, found := db.exchange.notices[key]
		if !found || !bytes.Equal(n.Payload, e.Was) {
			return false, nil
		}
		next := n
		next.Payload = slices.Clone(e.Value)
		was, errWas := n.Details()
		now, errNow := next.Details()
		if errWas != nil || errNow != nil || was != now {
			return false, fmt.Errorf("notice: %w: its content differs", store.ErrRefused)
		}
		db.exchange.notices[key] = next
	}
	return true, nil
}
