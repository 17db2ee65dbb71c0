package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/credit"
)

// The headers of Standard Webhooks 1.0.
const (
	HeaderID        = "webhook-id"        // the event's identifier
	HeaderTimestamp = "webhook-timestamp" // of the attempt, in Unix seconds
	HeaderSignature = "webhook-signature" // signatures, separated by spaces
)

// SecretPrefix starts every signing secret; base64 follows.
const SecretPrefix = "whsec_"

// minKey is the minimum length of a signing key, in bytes (EV5).
const minKey = 24

// signatureVersion is the scheme of our signatures: HMAC with SHA-256.
const signatureVersion = "v1,"

var errKey = errors.New("webhook: a signing secret must be whsec_ and base64 of at least 24 bytes")

// parseSecret returns the key of a signing secret.
func parseSecret(secret string) ([]byte, error) {
	key, err := base64.StdEncoding.Strict().DecodeString(strings.TrimPrefix(secret, SecretPrefix))
	if err != nil || len(key) < minKey {
		return nil, errKey
	}
	return key, nil
}

// mac is the signature of a message with one key. The parts are joined with dots, which
// neither the identifier nor the timestamp contains.
func mac(key []byte, id, timestamp string, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	for _, part := range []string{id, ".", timestamp, "."} {
		h.Write([]byte(part))
	}
	h.Write(body)
	return h.Sum(nil)
}

// sign returns the value of webhook-signature: one signature for each key (EV5).
func sign(keys [][]byte, id, timestamp string, body []byte) string {
	var b strings.Builder
	for i, key := range keys {
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(signatureVersion)
		b.WriteString(base64.StdEncoding.EncodeToString(mac(key, id, timestamp, body)))
	}
	return b.String()
}

// keys decrypts the secrets of an endpoint that sign at an instant, newest first.
func (s *Sender) keys(x *credit.Endpoint, at time.Time) ([][]byte, error) {
	var out [][]byte
	for _, secret := range x.Secrets {
		if !secret.Until.IsZero() && !at.Before(secret.Until) {
			continue
		}
		plain, err := s.cfg.Open(secret.Sealed, credit.SigningSecretOf(x.ID))
		if err != nil {
			return nil, fmt.Errorf("decrypt a secret of %s: %w", x.ID, err)
		}
		key := plain // sealed as raw bytes, or as the text shown to the merchant
		if strings.HasPrefix(string(plain), SecretPrefix) {
			if key, err = parseSecret(string(plain)); err != nil {
				return nil, fmt.Errorf("secret of %s: %w", x.ID, err)
			}
		}
		if len(key) < minKey {
			return nil, fmt.Errorf("secret of %s: %w", x.ID, errKey)
		}
		out = append(out, key)
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no secret", x.ID)
	}
	return out, nil
}

func unixSeconds(t time.Time) string { return strconv.FormatInt(t.Unix(), 10) }
