package node

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"fmt"

	"tenor/internal/core/seal"
	"tenor/internal/core/store"
)

// SettingFingerprintKey stores the sealed fingerprint key. Someone who has only the database
// cannot test account numbers against the fingerprints, and adding a key to the key file changes
// none of them.
const SettingFingerprintKey = "fingerprint_key"

// AboutFingerprintKey is the context it is sealed with.
const AboutFingerprintKey = "setting/fingerprint_key"

// fingerprints returns the blind index of a database's accounts: the HMAC-SHA256, in hex, of
// routing and account number under a key generated once. Equal accounts have equal fingerprints,
// regardless of who adds them and when.
func fingerprints(ctx context.Context, db store.Backend, ring *seal.Ring) (func(routing, number string) string, error) {
	sealed, found, err := store.Setting(ctx, db, SettingFingerprintKey)
	if err == nil && !found {
		drawn := make([]byte, 32)
		_, _ = rand.Read(drawn) // never fails
		sealed, err = db.Settle(ctx, SettingFingerprintKey, ring.Seal(drawn, AboutFingerprintKey))
	}
	if err != nil {
		return nil, err
	}
	key, err := ring.Open(sealed, AboutFingerprintKey)
	if err != nil {
		return nil, fmt.Errorf("open the key of fingerprints: %w", err)
	}
	return func(routing, number string) string {
		h := hmac.New(sha256.New, key)
		fmt.Fprintf(h, "%s/%s", routing, number)
		return hex.EncodeToString(h.Sum(nil))
	}, nil
}
