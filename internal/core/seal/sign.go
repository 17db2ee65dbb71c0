package seal

import (
	"crypto/ed25519"
	"crypto/hmac"
	"crypto/sha256"
	"fmt"
	"log/slog"
)

// signLabel separates a key's signing key from its sealing key.
const signLabel = "tenor: ed25519 seed, heads of the audit chain, 1"

// Signer signs with an Ed25519 key. It is derived from a key of the key file, by
// HMAC-SHA256 with its own label, and shares its id: whoever has the file has both, and
// neither reveals anything about the other. It is safe for concurrent use.
type Signer struct {
	id      string
	private func() ed25519.PrivateKey // a function, for the same reason as in Ring
}

// newSigner derives the signing key of a key.
func newSigner(id string, secret []byte) Signer {
	mac := hmac.New(sha256.New, secret)
	mac.Write([]byte(signLabel))
	private := ed25519.NewKeyFromSeed(mac.Sum(nil))
	return Signer{id, func() ed25519.PrivateKey { return private }}
}

// ID is the id of the key in the key file.
func (s Signer) ID() string { return s.id }

// PublicKey returns the key that verifies its signatures. It is not secret.
func (s Signer) PublicKey() [ed25519.PublicKeySize]byte {
	return [ed25519.PublicKeySize]byte(s.private().Public().(ed25519.PublicKey))
}

// Sign signs a text.
func (s Signer) Sign(text []byte) [ed25519.SignatureSize]byte {
	return [ed25519.SignatureSize]byte(ed25519.Sign(s.private(), text))
}

// Signers returns the signing keys of a ring, newest first.
func (r Ring) Signers() []Signer {
	var out []Signer
	for _, k := range r.openers() {
		out = append(out, k.signer)
	}
	return out
}

func (Signer) String() string { return redacted }

// Format keeps every verb from printing a key.
func (Signer) Format(f fmt.State, _ rune) { _, _ = f.Write([]byte(redacted)) }

// LogValue keeps a key out of logs.
func (Signer) LogValue() slog.Value { return slog.StringValue(redacted) }
