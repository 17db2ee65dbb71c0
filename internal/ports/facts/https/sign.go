package https

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"strings"
)

// The headers and the format of Standard Webhooks 1.0, as Tenor signs its webhooks: a vendor that
// receives those can verify these with the same code.
const (
	headerID        = "webhook-id"
	headerTimestamp = "webhook-timestamp"
	headerSignature = "webhook-signature"

	secretPrefix = "whsec_"
	minKey       = 24 // bytes
)

var errSecret = errors.New("the secret is not whsec_ and base64 of at least 24 bytes")

// parseSecret returns the key of a secret.
func parseSecret(secret string) ([]byte, error) {
	text, ok := strings.CutPrefix(secret, secretPrefix)
	key, err := base64.StdEncoding.Strict().DecodeString(text)
	if !ok || err != nil || len(key) < minKey {
		return nil, errSecret
	}
	return key, nil
}

// sign returns the signature of a request: HMAC with SHA-256 over ID, timestamp and body, joined
// by dots.
func sign(key []byte, id, timestamp string, body []byte) string {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(id + "." + timestamp + "."))
	h.Write(body)
	return "v1," + base64.StdEncoding.EncodeToString(h.Sum(nil))
}
