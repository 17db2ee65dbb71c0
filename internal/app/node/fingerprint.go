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

// SettingFingerprintKey keeps the key of fingerprints, sealed: whoever has the database
// alone cannot try account numbers on them, and adding a key to the key file changes
// none of them.
const SettingFingerprintKey = "fingerprint_key"

// AboutFingerprintKey is what is sealed there.
const AboutFingerprintKey = "setting/fingerprint_key"

// fingerprints returns the blind index of accounts of a database: the HMAC-SHA256, in
// hex, of routing and account number under a key that is drawn once. Equal accounts
// have equal fingerprints, whoever adds them and whenever.
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
