package engine

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/store"
)

const (
	// headEvery is the maximum age of the last head while there are commits it does not
	// cover. With SignEvery that makes at least one a minute.
	headEvery = 50 * time.Second
	// headDaily is the maximum age in any case: an idle book continues to attest that it
	// has not changed.
	headDaily = 24 * time.Hour
	// SignEvery is how often to call Sign. A call costs two reads of one row.
	SignEvery = 10 * time.Second
)

// HeadKey signs heads.
type HeadKey interface {
	ID() string
	PublicKey() [32]byte
	Sign(text []byte) [64]byte
}

// HeadBackend is the part of store.Backend that a Signer needs.
type HeadBackend interface {
	store.Viewer
	store.HeadKeeper
}

// Signer signs the heads of a book (AU8). Every node has one, and whichever finds a head
// due signs it. It runs next to the writer and never delays it: it reads committed data,
// which later commits do not change, so what it signs stays true however many commits
// precede its own small transaction. If two nodes sign the same number, one is refused,
// which is harmless.
type Signer struct {
	Backend HeadBackend
	Now     func() time.Time // the wall clock
	// Keys are the deployment's keys, newest first: the newest signs. An older one signs
	// only once, when the first head of a newer key follows its last.
	Keys []HeadKey

	epoch int64 // the book's when the first head was due; 0 before (EN16)
}

// ErrHeadEpoch means that the book has entered a new epoch since the node started: it signs
// nothing more until a restart (EN16).
var ErrHeadEpoch = errors.New("the book is in a new epoch: this node signs no heads until it is restarted")

// ErrHeadKey means that the last head was signed with a key that the deployment does not
// have: it cannot introduce the new one.
var ErrHeadKey = errors.New("the key that signed the last head is not in the key file")

// Sign adds a head if one is due, or with now, if there is anything that the last one does
// not cover. It returns the last head, and whether it is new; a head with number 0 means
// that there is none. Only one goroutine may call it at a time.
func (s *Signer) Sign(ctx context.Context, now bool) (last store.SignedHead, fresh bool, err error) {
	var at store.Head
	if err := s.Backend.View(ctx, func(v store.View) error {
		var again error
		at, err = v.Head()
		last, _, again = store.LastHead(v)
		return errors.Join(err, again)
	}); err != nil {
		return last, false, fmt.Errorf("sign head: %w", err)
	}
	if s.epoch == 0 {
		s.epoch = at.Epoch
	}
	if s.epoch != at.Epoch {
		return last, false, ErrHeadEpoch
	}
	if !s.due(last, at, now) {
		return last, false, nil
	}
	next, err := s.next(last, at)
	if err != nil {
		return last, false, err
	}
	if err := s.Backend.PutHead(ctx, next); errors.Is(err, store.ErrTaken) {
		return last, false, nil // another node was faster
	} else if err != nil {
		return last, false, fmt.Errorf("sign head: %w", err)
	}
	return next, true, nil
}

// due reports whether a new head is due.
func (s *Signer) due(last store.SignedHead, at store.Head, now bool) bool {
	if last.Number == 0 || last.Epoch != at.Epoch || last.PublicKey != s.Keys[0].PublicKey() {
		return true
	}
	age := s.Now().Sub(last.At)
	return at.Q > last.Q && (now || age >= headEvery) || age >= headDaily
}

// next builds the head that follows the last one.
func (s *Signer) next(last store.SignedHead, at store.Head) (store.SignedHead, error) {
	key := s.Keys[0]
	h := store.SignedHead{
		Number: last.Number + 1, Book: last.Book, Epoch: at.Epoch, Q: at.Q, Hash: at.Hash,
		At: s.Now().UTC().Truncate(time.Microsecond), KeyID: key.ID(), PublicKey: key.PublicKey(),
	}
	if last.Number == 0 {
		_, _ = rand.Read(h.Book[:]) // never fails
	} else {
		h.Previous = HeadDigest(last)
	}
	if h.At.Before(last.At) {
		h.At = last.At
	}
	h.Signature = key.Sign(HeadText(h))
	if last.Number == 0 || last.PublicKey == h.PublicKey {
		return h, nil
	}
	for _, old := range s.Keys {
		if old.PublicKey() == last.PublicKey {
			signature := old.Sign(HeadText(h))
			h.OldSignature = signature[:]
			return h, nil
		}
	}
	return h, fmt.Errorf("%w: restore the line of %s after the new one until a head is signed with the new key", ErrHeadKey, last.KeyID)
}
