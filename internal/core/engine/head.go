package engine

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/store"
)

// HeadText is the signed text of a head (AU8). Its form is fixed forever:
//
//	"tenor head 1\n", the number, the book (16 bytes), the epoch, the commit sequence,
//	the chain's hash (32 bytes), the instant in microseconds since 1970, the SHA-256 of
//	the previous head's text (32 bytes), the key's id and its public key (32 bytes).
//
// Numbers, texts and byte strings are written as in AuditDigest. The first head of an epoch
// is like any other: Previous is the last head its book had when it was restored.
func HeadText(h store.SignedHead) []byte {
	c := &collector{}
	w := digestWriter{h: c}
	w.raw("tenor head 1\n")
	w.number(h.Number)
	w.bytes(h.Book[:])
	w.number(h.Epoch)
	w.number(h.Q)
	w.bytes(h.Hash[:])
	w.number(h.At.UnixMicro())
	w.bytes(h.Previous[:])
	w.text(h.KeyID)
	w.bytes(h.PublicKey[:])
	return c.text
}

// HeadDigest is what the next head names as Previous.
func HeadDigest(h store.SignedHead) [32]byte { return sha256.Sum256(HeadText(h)) }

// HeadSigned reports whether the head is signed with the key it names. It does not check
// whose key that is.
func HeadSigned(h store.SignedHead) bool {
	return ed25519.Verify(h.PublicKey[:], HeadText(h), h.Signature[:])
}

// HeadIntroduced reports whether a head with a different key than the previous one is also
// signed with the previous key.
func HeadIntroduced(h, before store.SignedHead) bool {
	return len(h.OldSignature) == ed25519.SignatureSize && ed25519.Verify(before.PublicKey[:], HeadText(h), h.OldSignature)
}

// HeadFormat is the first member of a head document.
const HeadFormat = "tenor head 1"

// HeadDocument is a signed head as exported and printed: every input of HeadText, in
// hexadecimal and base64, with the signatures.
type HeadDocument struct {
	Format       string `json:"format"` // HeadFormat
	Number       int64  `json:"number"`
	Book         string `json:"book"` // hexadecimal, like hash and previous
	Epoch        int64  `json:"epoch"`
	CommitSeq    int64  `json:"commit_seq"`
	Hash         string `json:"hash"`
	At           string `json:"at"` // RFC 3339, with microseconds
	Previous     string `json:"previous"`
	Key          string `json:"key"`
	PublicKey    string `json:"public_key"` // base64, like the signatures
	Signature    string `json:"signature"`
	OldSignature string `json:"old_signature,omitempty"` // by the previous key, on the first head of a new key
}

// NewHeadDocument formats a head as a document.
func NewHeadDocument(h store.SignedHead) HeadDocument {
	b64 := base64.StdEncoding
	return HeadDocument{
		Format: HeadFormat, Number: h.Number, Book: hex.EncodeToString(h.Book[:]), Epoch: h.Epoch, CommitSeq: h.Q,
		Hash: hex.EncodeToString(h.Hash[:]), At: h.At.UTC().Format(time.RFC3339Nano), Previous: hex.EncodeToString(h.Previous[:]),
		Key: h.KeyID, PublicKey: b64.EncodeToString(h.PublicKey[:]), Signature: b64.EncodeToString(h.Signature[:]),
		OldSignature: b64.EncodeToString(h.OldSignature),
	}
}

// ParseHead parses a document that NewHeadDocument wrote. It checks no signature.
func ParseHead(text []byte) (h store.SignedHead, err error) {
	var d HeadDocument
	if err := json.Unmarshal(text, &d); err != nil {
		return h, errors.New("not a JSON document")
	}
	if d.Format != HeadFormat {
		return h, fmt.Errorf("its format is not %q", HeadFormat)
	}
	h.Number, h.Epoch, h.Q, h.KeyID = d.Number, d.Epoch, d.CommitSeq, d.Key
	if h.At, err = time.Parse(time.RFC3339Nano, d.At); err != nil {
		return h, errors.New("at is not a valid time")
	}
	h.At = h.At.UTC()
	b64 := base64.StdEncoding.Strict().DecodeString
	for _, m := range []struct {
		name, text string
		read       func(string) ([]byte, error)
		to         []byte
	}{
		{"book", d.Book, hex.DecodeString, h.Book[:]}, {"hash", d.Hash, hex.DecodeString, h.Hash[:]},
		{"previous", d.Previous, hex.DecodeString, h.Previous[:]}, {"public_key", d.PublicKey, b64, h.PublicKey[:]},
		{"signature", d.Signature, b64, h.Signature[:]},
	} {
		b, err := m.read(m.text)
		if err != nil || len(b) != len(m.to) {
			return h, fmt.Errorf("%s is not %d bytes", m.name, len(m.to))
		}
		copy(m.to, b)
	}
	if d.OldSignature != "" {
		if h.OldSignature, err = b64(d.OldSignature); err != nil || len(h.OldSignature) != ed25519.SignatureSize {
			return h, fmt.Errorf("old_signature is not %d bytes", ed25519.SignatureSize)
		}
	}
	return h, nil
}

// collector collects what a digestWriter writes.
type collector struct{ text []byte }

// Write implements io.Writer.
func (c *collector) Write(b []byte) (int, error) {
	c.text = append(c.text, b...)
	return len(b), nil
}
