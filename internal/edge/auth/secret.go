package auth

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"log/slog"
	"time"

	"tenor/internal/domain/credit"
)

// SecretPrefix starts every client secret, so that a leaked one can be recognized.
const SecretPrefix = "tns_"

// Secret is a client secret or an access token in the clear. Printing or logging it reveals
// nothing; Reveal returns the text.
type Secret string

// redacted is a secret's printed form.
const redacted = "[redacted]"

// Format prints no part of the secret, whatever the verb.
func (Secret) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// String returns no part of the secret.
func (Secret) String() string { return redacted }

// MarshalText writes no part of the secret.
func (Secret) MarshalText() ([]byte, error) { return []byte(redacted), nil }

// LogValue logs no part of the secret.
func (Secret) LogValue() slog.Value { return slog.StringValue(redacted) }

// Reveal returns the secret's text, for the one answer that shows it.
func (s Secret) Reveal() string { return string(s) }

// NewSecret generates a client secret: the prefix and 260 random bits. Only its hash is
// ever stored; the secret is shown once.
func NewSecret() (s Secret, hash string) {
	s = Secret(SecretPrefix + rand.Text() + rand.Text())
	return s, HashSecret(s)
}

// HashSecret is the stored form of a client secret (AU3): its SHA-256, hexadecimal. The
// secret is random, so no slow hash is needed.
func HashSecret(s Secret) string {
	sum := sha256.Sum256([]byte(s))
	return hex.EncodeToString(sum[:])
}

// maxSecrets is how many secrets a client can have: the latest, and the previous one while
// they overlap.
const maxSecrets = 2

// opens reports whether the secret is one of the client's currently valid ones. It does the
// same work for every client and every secret, even for a client without secrets.
func opens(c credit.Client, s Secret, now time.Time) bool {
	given := []byte(HashSecret(s))
	right := 0
	for i := range maxSecrets {
		kept, valid := hex.EncodeToString(make([]byte, sha256.Size)), 0
		if i < len(c.Secrets) {
			kept = c.Secrets[i].Hash
			if until := c.Secrets[i].Until; until.IsZero() || now.Before(until) {
				valid = 1
			}
		}
		right |= subtle.ConstantTimeCompare(given, []byte(kept)) & valid
	}
	return right == 1
}
