package engine

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"encoding/binary"
	"encoding/json"
	"errors"
	"reflect"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
)

// headKey is a key that signs, by its id.
type headKey string

func (k headKey) private() ed25519.PrivateKey {
	return ed25519.NewKeyFromSeed(append([]byte(k), make([]byte, 32-len(k))...))
}

func (k headKey) ID() string                { return string(k) }
func (k headKey) PublicKey() [32]byte       { return [32]byte(k.private().Public().(ed25519.PublicKey)) }
func (k headKey) Sign(text []byte) [64]byte { return [64]byte(ed25519.Sign(k.private(), text)) }

// signing is a book with a signer and a wall clock.
type signing struct {
	t   *testing.T
	db  *memory.DB
	now time.Time
	n   byte
	*Signer
}

func newSigning(t *testing.T, keys ...HeadKey) *signing {
	s := &signing{t: t, db: memory.New(), now: time.Date(2026, 3, 6, 12, 0, 0, 0, time.UTC)}
	s.Signer = &Signer{Backend: s.db, Now: func() time.Time { return s.now }, Keys: keys}
	return s
}

// commit adds one refused command.
func (s *signing) commit() {
	s.t.Helper()
	s.n++
	_, err := s.db.Update(context.Background(), func(tx store.Tx) error {
		return tx.Apply(store.Batch{
			ID: store.BatchID{s.n}, Epoch: 1, At: s.now, BusinessDate: calendar.MustParse("2026-03-06"), Digest: [32]byte{s.n},
			Decided: []store.Decided{{Audit: store.Audit{At: s.now, Payload: []byte("{}")}}},
		})
	})
	if err != nil {
		s.t.Fatal(err)
	}
}

// ask expects a new head with a number, or none: 0.
func (s *signing) ask(what string, now bool, want int64) (h store.SignedHead) {
	s.t.Helper()
	h, fresh, err := s.Sign(context.Background(), now)
	if err != nil || fresh != (want > 0) || fresh && (h.Number != want || !HeadSigned(h)) {
		s.t.Errorf("%s: head %d, new %v, %v; want %d", what, h.Number, fresh, err, want)
	}
	return h
}

// A head is signed at the start, within a minute of a write, each day in any case, and at
// once when the server stops; and not more often.
func TestSignerIsDue(t *testing.T) {
	s := newSigning(t, headKey("k1"))
	first := s.ask("an empty book", false, 1)
	s.ask("nothing new", true, 0)
	s.commit()
	s.ask("just now", false, 0)
	s.now = s.now.Add(49 * time.Second)
	s.ask("49 seconds", false, 0)
	s.now = s.now.Add(time.Second)
	second := s.ask("50 seconds", false, 2)
	if headEvery+SignEvery > time.Minute {
		t.Error("a head is later than a minute")
	}
	if second.Q != 1 || second.Book != first.Book || second.Previous != HeadDigest(first) || first.Previous != [32]byte{} || first.Book == [16]byte{} {
		t.Errorf("%+v does not follow %+v", second, first)
	}
	s.commit()
	s.ask("the end of a server", true, 3)
	s.now = s.now.Add(24*time.Hour - time.Second)
	s.ask("nearly a day", false, 0)
	s.now = s.now.Add(time.Second)
	if h := s.ask("a day of nothing", false, 4); h.Q != 2 {
		t.Errorf("it covers %d", h.Q)
	}
	s.now = s.now.Add(-time.Hour)
	s.commit()
	if h := s.ask("a clock that went back", true, 5); h.At.Before(s.now) {
		t.Errorf("it is of %s", h.At)
	}
}

// A new key's first head is also signed by the old key, and not without it.
func TestSignerRotates(t *testing.T) {
	s := newSigning(t, headKey("k1"))
	old := s.ask("the old key", false, 1)
	s.Keys = []HeadKey{headKey("k2")}
	if _, _, err := s.Sign(t.Context(), true); !errors.Is(err, ErrHeadKey) {
		t.Errorf("without the old key: %v", err)
	}
	s.Keys = []HeadKey{headKey("k2"), headKey("k1")}
	first := s.ask("the first head of the new key", false, 2)
	if first.KeyID != "k2" || !HeadIntroduced(first, old) {
		t.Errorf("%+v is not introduced", first)
	}
	s.commit()
	s.Keys = s.Keys[:1]
	if h := s.ask("the old key is gone", true, 3); len(h.OldSignature) > 0 {
		t.Error("the second head of a key is introduced again")
	}
	if HeadIntroduced(old, first) {
		t.Error("a head without a second signature is introduced")
	}
}

// A node that started in one epoch signs nothing of the next (EN16).
func TestSignerIsFenced(t *testing.T) {
	s := newSigning(t, headKey("k1"))
	s.ask("at the start", false, 1)
	s.epoch = 7
	s.commit()
	if _, _, err := s.Sign(t.Context(), true); !errors.Is(err, ErrHeadEpoch) {
		t.Errorf("in another epoch: %v", err)
	}
}

// Nodes that sign concurrently with each other and with the writer make one sequence of
// heads, each of which matches the chain.
func TestSignersTogether(t *testing.T) {
	s := newSigning(t, headKey("k1"))
	var group sync.WaitGroup
	stop := make(chan struct{})
	for range 3 {
		group.Go(func() {
			other := &Signer{Backend: s.db, Now: s.Now, Keys: s.Keys}
			for {
				if _, _, err := other.Sign(context.Background(), true); err != nil {
					t.Error(err)
				}
				select {
				case <-stop:
					return
				default:
				}
			}
		})
	}
	for range 100 {
		s.commit()
	}
	close(stop)
	group.Wait()
	// The last of them may have read before the last commit.
	if _, _, err := s.Sign(t.Context(), true); err != nil {
		t.Error(err)
	}
	s.ask("the end", true, 0)
	hashes, last, n := map[int64][32]byte{0: {}}, store.SignedHead{}, 0
	if err := s.db.View(t.Context(), func(v store.View) error {
		err := store.EachBatch(v, func(b store.BatchRow) error { hashes[b.LastQ] = b.Hash; return nil })
		return errors.Join(err, store.Each(v, &store.SignedHeads, func(h store.SignedHead) error {
			if n++; h.Number != last.Number+1 || h.Number > 1 && h.Previous != HeadDigest(last) || hashes[h.Q] != h.Hash || !HeadSigned(h) {
				t.Errorf("%+v after %+v", h, last)
			}
			last = h
			return nil
		}))
	}); err != nil {
		t.Fatal(err)
	}
	t.Logf("%d heads", n)
}

// The form of what is signed is fixed: it is written out here a second time.
func TestHeadForm(t *testing.T) {
	h := store.SignedHead{Number: 2, Book: [16]byte{1}, Epoch: 3, Q: 4, Hash: [32]byte{5}, At: time.UnixMicro(6).UTC(), Previous: [32]byte{7}, KeyID: "k8", PublicKey: headKey("k8").PublicKey()}
	var b []byte
	number := func(n int64) { b = binary.BigEndian.AppendUint64(b, uint64(n)) }
	text := func(s []byte) { number(int64(len(s))); b = append(b, s...) }
	b = append(b, "tenor head 1\n"...)
	number(2)
	text(h.Book[:])
	number(3)
	number(4)
	text(h.Hash[:])
	number(6)
	text(h.Previous[:])
	text([]byte("k8"))
	text(h.PublicKey[:])
	if !bytes.Equal(HeadText(h), b) {
		t.Errorf("text %x, want %x", HeadText(h), b)
	}
	h.Signature = headKey("k8").Sign(HeadText(h))
	h.OldSignature = bytes.Repeat([]byte{9}, 64)
	document, err := json.Marshal(NewHeadDocument(h))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := ParseHead(document); err != nil || !reflect.DeepEqual(got, h) {
		t.Errorf("%+v, %v, want %+v", got, err, h)
	}
	for _, bad := range []string{`{}`, `[`, `{"format":"tenor head 2"}`, `{"format":"tenor head 1"}`, string(bytes.Replace(document, []byte(`"hash":"05`), []byte(`"hash":"`), 1))} {
		if _, err := ParseHead([]byte(bad)); err == nil {
			t.Errorf("taken: %s", bad)
		}
	}
}
