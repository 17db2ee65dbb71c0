package verify

import (
	"bytes"
	"fmt"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
)

// GivenHead is a signed head that was kept outside the database, and its source.
type GivenHead struct {
	From string // a file and a line, for messages
	Head store.SignedHead
}

// signedHeads checks the deployment's signed statements about its audit chain: each head
// follows the previous one, is signed with a key that the previous one introduces, and
// still matches the chain (AU8). The pass over batches and audit rows proves that the chain
// matches the rows.
//
// Whoever can write to the database can remove heads together with the commits they cover.
// Only heads kept elsewhere reveal that.
func signedHeads(r *run) error {
	w := &heads{run: r, hashes: map[int64][32]byte{0: {}}, given: map[int64][]GivenHead{}}
	for _, b := range r.batches {
		w.hashes[b.LastQ] = b.Hash
	}
	for _, g := range r.options.Heads {
		w.given[g.Head.Number] = append(w.given[g.Head.Number], g)
	}
	if err := store.Each(r.view, &store.SignedHeads, w.head); err != nil {
		return err
	}
	w.finish()
	for _, g := range r.options.Heads {
		w.prove(g)
		r.rows++
	}
	return nil
}

// heads follows the signed heads.
type heads struct {
	*run
	hashes map[int64][32]byte    // of the chain, by the last commit of each batch
	given  map[int64][]GivenHead // by number
	same   map[string]bool       // given heads that are stored identically
	last   store.SignedHead
	begins []store.SignedHead // the first head of each epoch
}

func (w *heads) head(h store.SignedHead) error {
	id, last := headName(h), w.last
	switch {
	case h.Number != last.Number+1:
		w.broken("AU8", id, "follows head %d: those in between were deleted", last.Number)
	case last.Number == 0 && h.Previous != [32]byte{}, last.Number > 0 && h.Previous != engine.HeadDigest(last):
		w.broken("AU8", id, "does not follow head %d: one of the two was replaced", last.Number)
	}
	if last.Number > 0 {
		w.follows(id, h, last)
	}
	if !engine.HeadSigned(h) {
		w.broken("AU8", id, "is not signed with its key %s: it was forged or changed", h.KeyID)
	}
	if public, known := w.options.Keys[h.KeyID]; known && public != h.PublicKey {
		w.broken("AU8", id, "is not signed with the deployment's key %s", h.KeyID)
	}
	w.chain(id, h)
	if last.Number == 0 || h.Epoch != last.Epoch {
		w.begins = append(w.begins, h)
	}
	for _, g := range w.given[h.Number] {
		if bytes.Equal(engine.HeadText(g.Head), engine.HeadText(h)) {
			if w.same == nil {
				w.same = map[string]bool{}
			}
			w.same[g.From] = true
		}
	}
	w.last = h
	return w.each(h.Q)
}

// follows compares a head with the previous one.
func (w *heads) follows(id string, h, last store.SignedHead) {
	switch {
	case h.Book != last.Book:
		w.broken("AU8", id, "belongs to book %x, the head before it to %x: it is from a different book", h.Book[:4], last.Book[:4])
	case h.Epoch < last.Epoch, h.Q < last.Q, h.At.Before(last.At):
		w.broken("AU8", id, "goes back: epoch %d, commit %d, %s after epoch %d, commit %d, %s", h.Epoch, h.Q, h.At, last.Epoch, last.Q, last.At)
	}
	if h.PublicKey != last.PublicKey && !engine.HeadIntroduced(h, last) {
		w.broken("AU8", id, "is signed with a new key %s that the previous key %s has not signed: the key was swapped", h.KeyID, last.KeyID)
	}
}

// chain compares a head with the audit chain.
func (w *heads) chain(id string, h store.SignedHead) {
	hash, found := w.hashes[h.Q]
	switch {
	case h.Epoch > w.run.head.Epoch:
		w.broken("AU8", id, "has epoch %d, but the book is at %d", h.Epoch, w.run.head.Epoch)
	case h.Q > w.report.Seq:
		w.broken("AU8", id, "covers commit %d, but the log ends at %d: its tail was cut off", h.Q, w.report.Seq)
	case !found:
		w.broken("AU8", id, "covers commit %d, at which no batch ends: the log was rewritten", h.Q)
	case hash != h.Hash:
		w.broken("AU8", id, "the chain at commit %d is %x, but was signed as %x: rows up to there were rewritten", h.Q, hash[:4], h.Hash[:4])
	}
}

// finish checks the last head, and reports what could not be proved.
func (w *heads) finish() {
	last := w.last
	if last.Number == 0 {
		w.note("no head was ever signed")
		return
	}
	d := engine.NewHeadDocument(last)
	w.report.Head = &d
	if w.options.Keys == nil {
		w.note("without the key file, signatures are compared with the keys that the heads name")
	} else if _, known := w.options.Keys[last.KeyID]; !known {
		w.broken("AU8", headName(last), "is signed with key %s, which is not in the key file", last.KeyID)
	}
}

// prove checks that the log extends a head that was kept elsewhere.
func (w *heads) prove(g GivenHead) {
	h, last := g.Head, w.last
	id := g.From
	public, known := w.options.Keys[h.KeyID]
	switch {
	case !engine.HeadSigned(h):
		w.broken("AU8", id, "is not signed with its key %s: it was forged or changed", h.KeyID)
		return
	case known && public != h.PublicKey:
		w.broken("AU8", id, "is not signed with the deployment's key %s: it was forged, or is from a different deployment", h.KeyID)
		return
	case last.Number > 0 && h.Book != last.Book:
		w.broken("AU8", id, "belongs to book %x, this one is %x: a different book, or its heads were deleted and restarted", h.Book[:4], last.Book[:4])
	case w.same[g.From]:
	case w.restored(g):
		return // the rest follows from this
	case h.Number > last.Number:
		w.broken("AU8", id, "is head %d, but this book ends at head %d: heads were deleted, or this is an older copy", h.Number, last.Number)
	default:
		w.broken("AU8", id, "differs from head %d of this book, or that head is missing: it was replaced", h.Number)
	}
	w.chain(id, h)
}

// restored reports a head that a restore has left behind: a later epoch of the book
// continues from an earlier head.
func (w *heads) restored(g GivenHead) bool {
	for _, begin := range w.begins {
		if begin.Epoch > g.Head.Epoch && begin.Number <= g.Head.Number && begin.Number > 1 {
			w.broken("AU8", g.From, "epoch %d continues from head %d at commit %d: a restore lost what this head covers after that, up to commit %d of epoch %d",
				begin.Epoch, begin.Number-1, begin.Q, g.Head.Q, g.Head.Epoch)
			return true
		}
	}
	return false
}

func headName(h store.SignedHead) string { return fmt.Sprint("head ", h.Number) }
