package rest

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"time"
)

// Position is a place in a list ordered by (created_at, id): the last item of the previous
// page.
type Position struct {
	CreatedAt time.Time // whole microseconds
	ID        string
}

const (
	cursorVersion = 1
	cursorSum     = 16 // bytes of the HMAC that are kept: 128 bits
	maxCursor     = 512
)

// sealCursor encodes a position as an opaque text that openCursor accepts only with the
// same key and scope.
func sealCursor(key, scope []byte, p Position) string {
	b := append([]byte{cursorVersion}, make([]byte, 8)...)
	binary.BigEndian.PutUint64(b[1:], uint64(p.CreatedAt.UnixMicro()))
	b = append(b, p.ID...)
	return base64.RawURLEncoding.EncodeToString(append(b, cursorMAC(key, scope, b)...))
}

// openCursor decodes a position. It refuses anything that sealCursor did not write, byte
// for byte.
func openCursor(key, scope []byte, text string) (Position, bool) {
	if len(text) > maxCursor {
		return Position{}, false
	}
	b, err := base64.RawURLEncoding.Strict().DecodeString(text)
	if err != nil || len(b) < 1+8+cursorSum || b[0] != cursorVersion {
		return Position{}, false
	}
	// The decoder ignores line breaks, which would allow several spellings of one position.
	if base64.RawURLEncoding.EncodeToString(b) != text {
		return Position{}, false
	}
	body, sum := b[:len(b)-cursorSum], b[len(b)-cursorSum:]
	if !hmac.Equal(sum, cursorMAC(key, scope, body)) {
		return Position{}, false
	}
	micros := int64(binary.BigEndian.Uint64(body[1:9]))
	return Position{CreatedAt: time.UnixMicro(micros).UTC(), ID: string(body[9:])}, true
}

// cursorMAC binds a position to its scope. The scope's length comes first, so that no other
// pair of scope and body gives the same input.
func cursorMAC(key, scope, body []byte) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte("cursor"))
	h.Write(binary.BigEndian.AppendUint64(nil, uint64(len(scope))))
	h.Write(scope)
	h.Write(body)
	return h.Sum(nil)[:cursorSum]
}
