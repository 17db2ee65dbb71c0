// Package seal keeps secrets in databases, dumps and backups unreadable (A61, A62):
// AES-256-GCM with a key of the deployment that is stored outside the database.
//
// A sealed value is
//
//	1 byte    length of the key's id
//	n bytes   the key's id
//	12 bytes  nonce, generated at random for each value
//	the rest  ciphertext with its tag of 16 bytes
//
// The id and what the caller says the value is about are authenticated with it. So a value
// that was copied to another row, or that replaces a newer one about something else, does
// not open.
package seal

import (
	"crypto/aes"
	"crypto/cipher"
	"errors"
	"fmt"
	"log/slog"
	"slices"
)

var (
	// ErrUnknownKey means that the value was sealed with a key that is not on the ring.
	ErrUnknownKey = errors.New("seal: no such key")
	// ErrBroken means that the value is damaged, was sealed with another key with the same
	// id, or belongs to something else.
	ErrBroken = errors.New("seal: the value cannot be decrypted")
)

// Ring holds keys: the first one seals, all of them open. It is safe for concurrent
// use. A Ring without keys opens nothing and must not be asked to seal.
type Ring struct {
	// A function, because package fmt prints what a pointer leads to if it does not like
	// the verb, even for members whose Format it cannot call.
	keys func() []opener
}

// opener is a key ready for use.
type opener struct {
	id     string
	aead   cipher.AEAD
	signer Signer
}

// New returns a ring of keys, newest first. Ids must be unique.
func New(keys ...Key) (Ring, error) {
	if len(keys) == 0 {
		return Ring{}, errors.New("seal: a ring needs a key")
	}
	list := make([]opener, 0, len(keys))
	for n, k := range keys {
		if k.secret == nil {
			return Ring{}, fmt.Errorf("seal: key %d is empty", n+1)
		}
		if slices.ContainsFunc(list, func(o opener) bool { return o.id == k.id }) {
			return Ring{}, fmt.Errorf("seal: key %d has a duplicate id", n+1)
		}
		secret := k.secret()
		block, err := aes.NewCipher(secret[:])
		if err != nil {
			return Ring{}, fmt.Errorf("seal: key %d: %w", n+1, err)
		}
		aead, err := cipher.NewGCMWithRandomNonce(block)
		if err != nil {
			return Ring{}, fmt.Errorf("seal: key %d: %w", n+1, err)
		}
		list = append(list, opener{k.id, aead, newSigner(k.id, secret[:])})
	}
	return Ring{func() []opener { return list }}, nil
}

// Seal encrypts a value with the newest key. about is what the value belongs to, such as
// "answer/cli_…/key"; Open needs the same. It panics if the ring is empty: there is no safe
// result.
func (r Ring) Seal(plain []byte, about string) []byte {
	if r.keys == nil {
		panic("seal: no key to encrypt with")
	}
	k := r.keys()[0]
	head := append([]byte{byte(len(k.id))}, k.id...)
	out := make([]byte, len(head), len(head)+len(plain)+k.aead.Overhead())
	copy(out, head)
	return k.aead.Seal(out, nil, plain, bound(head, about))
}

// Open decrypts a value that was sealed about the same thing. Its errors are ErrUnknownKey
// and ErrBroken; they contain nothing of the value.
func (r Ring) Open(sealed []byte, about string) ([]byte, error) {
	if len(sealed) == 0 || len(sealed) < 1+int(sealed[0]) {
		return nil, ErrBroken
	}
	head, rest := sealed[:1+int(sealed[0])], sealed[1+int(sealed[0]):]
	id := string(head[1:])
	if !validID(id) {
		return nil, ErrBroken
	}
	for _, k := range r.openers() {
		if k.id != id {
			continue
		}
		plain, err := k.aead.Open(nil, nil, rest, bound(head, about))
		if err != nil {
			return nil, ErrBroken
		}
		return plain, nil
	}
	return nil, fmt.Errorf("%w: %s", ErrUnknownKey, id)
}

// IDs returns the ids of the ring's keys, newest first: the newest seals.
func (r Ring) IDs() []string {
	var ids []string
	for _, k := range r.openers() {
		ids = append(ids, k.id)
	}
	return ids
}

// KeyID is the id of the key that sealed a value, "" if it is not sealed.
func KeyID(sealed []byte) string {
	if len(sealed) == 0 || len(sealed) < 1+int(sealed[0]) || !validID(string(sealed[1:1+int(sealed[0])])) {
		return ""
	}
	return string(sealed[1 : 1+int(sealed[0])])
}

func (r Ring) openers() []opener {
	if r.keys == nil {
		return nil
	}
	return r.keys()
}

// bound is what is authenticated with a value. The head encodes its own length, so no two
// pairs give the same bytes.
func bound(head []byte, about string) []byte { return append(slices.Clip(head), about...) }

const redacted = "[redacted]"

func (Ring) String() string { return redacted }

// Format keeps every verb from printing a key.
func (Ring) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue keeps a key out of logs.
func (Ring) LogValue() slog.Value { return slog.StringValue(redacted) }
