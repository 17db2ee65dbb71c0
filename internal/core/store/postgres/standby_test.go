package postgres

import (
	"errors"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/pgtest"
)

// TestStoredAnswersAreProved repeats a request on a node that has committed nothing since.
// A commit may be visible and not be on the standby, so while the standby is gone the
// stored answer is not given; once a commit of this node has reached it, it is, and needs
// no further proof.
func TestStoredAnswersAreProved(t *testing.T) {
	primary := pgtest.New(t, pgtest.Options{})
	url := primary.CreateDatabase(t)
	standby := primary.Standby(t, primary.Addr(), pgtest.Options{})
	primary.Synchronous(t, "standby")
	open := func(wait time.Duration) *DB {
		db, err := Open(t.Context(), url, Options{Live: true, Standby: true, CommitWait: wait})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	key := store.KeyID{Client: "cli", Key: "k"}
	first := open(0)
	b := next(t, first, 1, credit.Changes{})
	b.Decided[0].Key = &key
	b.Decided[0].Answer = store.Answer{Status: 201, Body: []byte("{}"), At: b.At}
	update(t, first, store.Committed, apply(b))

	repeated := errors.New("the stored answer")
	repeat := func(db *DB) error {
		return update(t, db, store.NotCommitted, func(tx store.Tx) error {
			found, err := tx.Load(credit.NewState(), credit.Keys{}, []store.KeyID{key})
			if err == nil && found[key].Status != 201 {
				err = errors.New("the answer is not there")
			}
			return errors.Join(err, repeated)
		})
	}
	second := open(500 * time.Millisecond)
	standby.Stop(t, pgtest.Fast)
	if err := repeat(second); errors.Is(err, repeated) || !isPassing(err) {
		t.Errorf("while the standby is gone: %v", err)
	}
	if err := repeat(first); !errors.Is(err, repeated) {
		t.Errorf("on the node whose own commit is on the standby: %v", err)
	}
	standby.Start(t)
	err := repeat(second)
	for end := time.Now().Add(2 * time.Minute); !errors.Is(err, repeated) && time.Now().Before(end); {
		err = repeat(second) // until the standby follows again
	}
	if !errors.Is(err, repeated) {
		t.Errorf("when the standby is back: %v", err)
	}
	standby.Stop(t, pgtest.Fast)
	if err := repeat(second); !errors.Is(err, repeated) {
		t.Errorf("after it was proved: %v", err)
	}
	standby.Start(t)
}
