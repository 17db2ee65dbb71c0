package store

import (
	"context"
	"time"
)

// SignedHead is a statement of the deployment about its book, signed with a key that is
// not in the database (AU8): at this instant the audit chain stood here. What is signed
// is engine.HeadText. A head is never changed and never deleted.
type SignedHead struct {
	Number    int64    // from 1 without gaps
	Book      [16]byte // drawn at random for the first head; all later ones repeat it
	Epoch     int64    // of the book
	Q         int64    // commit sequence of the last command that it covers
	Hash      [32]byte // of the audit chain after that commit
	At        time.Time
	Previous  [32]byte // SHA-256 of the text of the head before, zero for the first
	KeyID     string   // of the key that signs
	PublicKey [32]byte // Ed25519
	Signature [64]byte
	// OldSignature is by the key of the head before, if that is another one: a new key is
	// introduced by the old one. It is empty else.
	OldSignature []byte
}

// SignedHeads is the append-only table of signed heads.
var SignedHeads = Table[SignedHead]{
	Name: "heads", Key: 1,
	Columns: []Column[SignedHead]{
		integer("number", func(r *SignedHead) *int64 { return &r.Number }),
		fixed("book", func(r *SignedHead) []byte { return r.Book[:] }),
		integer("epoch", func(r *SignedHead) *int64 { return &r.Epoch }),
		integer("commit_seq", func(r *SignedHead) *int64 { return &r.Q }),
		fixed("hash", func(r *SignedHead) []byte { return r.Hash[:] }),
		instant("at", func(r *SignedHead) *time.Time { return &r.At }),
		fixed("previous", func(r *SignedHead) []byte { return r.Previous[:] }),
		text("key_id", func(r *SignedHead) *string { return &r.KeyID }),
		fixed("public_key", func(r *SignedHead) []byte { return r.PublicKey[:] }),
		fixed("signature", func(r *SignedHead) []byte { return r.Signature[:] }),
		bytesOf("old_signature", func(r *SignedHead) *[]byte { return &r.OldSignature }),
	},
}

// HeadKeeper keeps signed heads, each in a transaction of its own, beside the batches.
type HeadKeeper interface {
	// PutHead adds the next head. ErrTaken says that another node has signed one of its
	// number meanwhile; ErrRefused that the number is not the next one, or that the book
	// is in another epoch, or has not come to its commit with its hash.
	PutHead(ctx context.Context, h SignedHead) error
}
