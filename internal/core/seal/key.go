package seal

import (
	"bytes"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
)

// keySize is the size of an AES-256 key, in bytes.
const keySize = 32

// maxID is the maximum length of a key's id.
const maxID = 32

// Key is a key with its id, which is not secret. The zero Key is no key.
type Key struct {
	id     string
	secret func() [keySize]byte // a function, for the same reason as in Ring
}

// ParseKeyFile parses a key file: one key per line as id:base64, newest first; empty lines
// and lines that start with # are skipped. An id has 1 to 32 of a–z, 0–9 and "-"; a key has
// 32 bytes. Errors give the line number and none of its content.
func ParseKeyFile(text []byte) (Ring, error) {
	var keys []Key
	for n, line := range bytes.Split(text, []byte("\n")) {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] == '#' {
			continue
		}
		k, err := parseLine(string(line))
		if err != nil {
			return Ring{}, fmt.Errorf("seal: key file, line %d: %w", n+1, err)
		}
		for _, other := range keys {
			if other.id == k.id {
				return Ring{}, fmt.Errorf("seal: key file, line %d: duplicate key id", n+1)
			}
		}
		keys = append(keys, k)
	}
	if len(keys) == 0 {
		return Ring{}, errors.New("seal: the key file has no keys")
	}
	return New(keys...)
}

func parseLine(line string) (Key, error) {
	id, encoded, ok := strings.Cut(line, ":")
	if !ok {
		return Key{}, errors.New("want id:base64")
	}
	if !validID(id) {
		return Key{}, fmt.Errorf("want an id of 1 to %d of a–z, 0–9 and - before the colon", maxID)
	}
	secret, err := base64.StdEncoding.Strict().DecodeString(encoded)
	if err != nil || len(secret) != keySize {
		return Key{}, fmt.Errorf("want the base64 of %d bytes after the colon", keySize)
	}
	return newKey(id, secret), nil
}

func newKey(id string, secret []byte) Key {
	kept := [keySize]byte(secret)
	return Key{id, func() [keySize]byte { return kept }}
}

func validID(id string) bool {
	if id == "" || len(id) > maxID {
		return false
	}
	return strings.Trim(id, "abcdefghijklmnopqrstuvwxyz0123456789-") == ""
}

// NewKeyFile generates a key and returns a key file with it. To rotate, put its line before
// the lines of the older keys; keep those as long as a value is sealed with them.
func NewKeyFile() []byte {
	var secret [keySize]byte
	_, _ = rand.Read(secret[:]) // never fails
	var id [4]byte
	_, _ = rand.Read(id[:])
	return fmt.Appendf(nil, "k%x:%s\n", id, base64.StdEncoding.EncodeToString(secret[:]))
}

// Derive derives a key from another secret of the deployment and a label, by HMAC-SHA256.
// It is for sandboxes, which store that secret with the data and have nobody to manage a
// key file. The secret must be at least 16 random bytes.
func Derive(secret []byte, label string) Key {
	return newKey("d"+hex.EncodeToString(derived(secret, "id", label)[:4]), derived(secret, "key", label))
}

func derived(secret []byte, what, label string) []byte {
	h := hmac.New(sha256.New, secret)
	_, _ = fmt.Fprintf(h, "tenor seal %s of %s", what, label) // never fails
	return h.Sum(nil)
}

func (Key) String() string { return redacted }

// Format keeps every verb from printing a key.
func (Key) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue keeps a key out of logs.
func (Key) LogValue() slog.Value { return slog.StringValue(redacted) }

// AddKey returns a key file with a new key in front of the existing ones: the new key seals
// from then on, and the old ones still open.
func AddKey(text []byte) []byte { return append(NewKeyFile(), text...) }

// DropKeys returns a key file without the lines of some keys.
func DropKeys(text []byte, ids []string) []byte {
	var kept []byte
	for line := range bytes.Lines(text) {
		id, _, _ := bytes.Cut(bytes.TrimSpace(line), []byte(":"))
		if !slices.Contains(ids, string(id)) {
			kept = append(kept, line...)
		}
	}
	return kept
}
