package store

import (
	"context"
	"time"
)

// SignedHead is the deployment's signed statement about its book: at this instant the audit
// chain stood here. Its key is not in the database (AU8). The signed text is
// engine.HeadText. A head is never changed or deleted.
type SignedHead struct {
	Number    int64    // from 1 without gaps
	Book      [16]byte // generated at random for the first head; all later ones repeat it
	Epoch     int64    // of the book
	Q         int64    // commit sequence of the last command it covers
	Hash      [32]byte // of the audit chain after that commit
	At        time.Time
	Previous  [32]byte // SHA-256 of the previous head's text, zero for the first
	KeyID     string   // of the signing key
	PublicKey [32]byte // Ed25519
	Signature [64]byte
	// OldSignature is made with the previous head's key if that differs: the old key
	// introduces the new one. Otherwise it is empty.
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

// HeadKeeper stores signed heads, each in its own transaction, separate from batches.
type HeadKeeper interface {
	// PutHead adds the next head. ErrTaken means that another node has signed one with the
	// same number meanwhile; ErrRefused that the number is not the next one, that the book
	// is in another epoch, or that the book has no such commit with that hash.
	PutHead(ctx context.Context, h SignedHead) error
}
