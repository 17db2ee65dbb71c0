package webhook

import (
	"crypto/hmac"
	"encoding/base64"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Tolerance is how far the timestamp of a message may be from the receiver's clock.
const Tolerance = 5 * time.Minute

// Errors of Verify.
var (
	// ErrSecret is a mistake in the receiver's configuration, not in the message: an empty
	// secret would accept what anybody signs.
	ErrSecret = errors.New("webhook: the secret is missing or malformed")
	// ErrHeader means that a header is missing, repeated or malformed.
	ErrHeader = errors.New("webhook: the signature headers are missing or malformed")
	// ErrTimestamp means that the message is too old, or from the future.
	ErrTimestamp = errors.New("webhook: the timestamp is too old or in the future")
	// ErrSignature means that no signature is by this secret over these bytes.
	ErrSignature = errors.New("webhook: no signature matches")
)

// Verify checks that a message was signed with the secret, which a receiver must do before
// it trusts anything (A55). body must be the bytes as received; decoding and re-encoding
// changes them. It accepts a message repeatedly: a receiver remembers each webhook-id and
// drops what it has seen.
func Verify(secret string, header http.Header, body []byte, now time.Time) error {
	key, err := parseSecret(secret)
	if err != nil {
		return ErrSecret
	}
	var values [3]string
	for i, name := range []string{HeaderID, HeaderTimestamp, HeaderSignature} {
		list := header.Values(name)
		if len(list) != 1 || list[0] == "" {
			return ErrHeader
		}
		values[i] = list[0]
	}
	id, timestamp, signatures := values[0], values[1], values[2]
	seconds, err := strconv.ParseInt(timestamp, 10, 64)
	if err != nil {
		return ErrHeader
	}
	if age := now.Sub(time.Unix(seconds, 0)); age > Tolerance || age < -Tolerance {
		return ErrTimestamp
	}
	want := mac(key, id, timestamp, body)
	for one := range strings.FieldsSeq(signatures) {
		encoded, ok := strings.CutPrefix(one, signatureVersion)
		if !ok {
			continue // a scheme of another version
		}
		got, err := base64.StdEncoding.Strict().DecodeString(encoded)
		if err == nil && hmac.Equal(got, want) {
			return nil
		}
	}
	return ErrSignature
}
