package verify

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
)

// auditChain walks batches and audit rows together: sequences without gaps, one row per
// decided command, recomputed digests and hashes, dates that never go back (AU4, AU5, AU7,
// TM1).
func auditChain(r *run) error {
	if err := r.readBatches(); err != nil {
		return err
	}
	w := &chain{run: r}
	if err := store.EachAudit(r.view, 0, w.audit); err != nil {
		return err
	}
	w.finish()
	if last := w.q; last != r.report.Seq {
		r.broken("AU7", "audit", "the last row is for commit %d, must be %d", last, r.report.Seq)
	}
	return nil
}

func (r *run) readBatches() error {
	at := store.Head{BusinessDate: calendar.None}
	return store.EachBatch(r.view, func(b store.BatchRow) error {
		if b.Tombstone {
			return nil
		}
		r.batches = append(r.batches, b)
		id := batchName(b)
		if b.FirstQ != at.Q+1 || b.LastQ < b.FirstQ {
			r.broken("AU7", id, "covers commits %d to %d after commit %d", b.FirstQ, b.LastQ, at.Q)
		}
		if b.At.Before(at.At) || b.BusinessDate < at.BusinessDate || b.BusinessDate != r.options.Zone.Date(b.At) {
			r.broken("TM1", id, "has time %s and business date %s after %s and %s, or they do not match", b.At, b.BusinessDate, at.At, at.BusinessDate)
		}
		if want := sha256.Sum256(slices.Concat(at.Hash[:], b.Digest[:])); b.Hash != want {
			r.broken("AU5", id, "hash is %x, must be %x", b.Hash[:4], want[:4])
		}
		at = store.Head{Q: b.LastQ, Hash: b.Hash, At: b.At, BusinessDate: b.BusinessDate}
		if b.LastQ == r.head.Q && (b.Hash != r.head.Hash || !b.At.Equal(r.head.At) || b.BusinessDate != r.head.BusinessDate) {
			r.broken("AU5", "books", "the head does not match the chain at commit %d", b.LastQ)
		}
		return r.each(b.LastQ)
	})
}

func batchName(b store.BatchRow) string { return fmt.Sprintf("batch %x", b.ID[:]) }

// chain follows the audit rows through their batches.
type chain struct {
	*run
	q     int64 // of the last row
	batch int   // index in batches of the current rows
	rows  []store.Audit
}

func (w *chain) audit(q int64, a store.Audit) error {
	if q != w.q+1 {
		w.broken("AU7", fmt.Sprint("commit ", q), "its audit row follows that of commit %d", w.q)
	}
	w.q = q
	if list, known := w.granted[a.Object]; known && store.IsAccess(a.Command) {
		w.granted[a.Object] = append(list, store.AuditRow{Audit: a, Q: q})
	}
	for w.batch < len(w.batches) && w.batches[w.batch].LastQ < q {
		w.close()
	}
	if w.batch == len(w.batches) || q < w.batches[w.batch].FirstQ {
		w.broken("AU4", fmt.Sprint("commit ", q), "belongs to no batch")
		return w.each(q)
	}
	if b := w.batches[w.batch]; !a.At.Equal(b.At) {
		w.broken("TM1", fmt.Sprint("commit ", q), "has time %s, its batch %s", a.At, b.At)
	}
	w.rows = append(w.rows, a)
	return w.each(q)
}

// close compares a batch with the rows found for it.
func (w *chain) close() {
	b := w.batches[w.batch]
	switch want := engine.AuditDigest(b.Rules, b.Wire, w.rows); {
	case int64(len(w.rows)) != b.LastQ-b.FirstQ+1:
		w.broken("AU4", batchName(b), "%d audit rows for %d commits", len(w.rows), b.LastQ-b.FirstQ+1)
	case want != b.Digest:
		w.broken("AU5", batchName(b), "digest is %x, but its audit rows give %x", b.Digest[:4], want[:4])
	}
	w.rows = w.rows[:0]
	w.batch++
}

func (w *chain) finish() {
	for w.batch < len(w.batches) {
		w.close()
	}
	if last := w.report.Seq; w.head.Q > last {
		w.broken("AU7", "books", "the head is at commit %d, but the log ends at %d", w.head.Q, last)
	}
	if n := len(w.batches); w.head.Q > 0 && !slices.ContainsFunc(w.batches, func(b store.BatchRow) bool { return b.LastQ == w.head.Q }) {
		w.broken("AU5", "books", "none of %d batches ends at commit %d, where the head is", n, w.head.Q)
	}
}

// answer is the part of a stored answer that an audit row is compared with.
type answer struct {
	key  store.KeyID
	hash [32]byte
}

// answersKept is how long at least an answer is kept under its idempotency key.
const answersKept = 30 * 24 * time.Hour

// answers compares stored answers with the audit rows of their commits, each of which has one while it
// is young (ID4).
func answers(r *run) error {
	kept, found, unopened := map[int64]answer{}, map[int64]bool{}, 0
	if err := store.EachAnswer(r.view, func(k store.KeyID, a store.Answer) error {
		object := "answer " + k.Client + "/" + k.Key
		if a.Q < 1 || a.Q > r.report.Seq {
			r.broken("ID4", object, "belongs to commit %d, which does not exist", a.Q)
		} else if other, twice := kept[a.Q]; twice {
			r.broken("ID4", object, "belongs to commit %d, as does %s/%s", a.Q, other.key.Client, other.key.Key)
		}
		if found[a.Q] = true; a.Status == 0 {
			r.broken("ID4", object, "belongs to commit %d, whose answer cannot be read", a.Q)
			return r.each(a.Q)
		}
		body := a.Body
		if a.Sealed {
			if r.options.Open == nil {
				unopened++
				return r.each(a.Q)
			}
			var err error
			if body, err = r.options.Open(a.Body, engine.AnswerSubject(k)); err != nil {
				r.broken("ID4", object, "cannot be decrypted: %v", err)
				return r.each(a.Q)
			}
		}
		kept[a.Q] = answer{k, sha256.Sum256(body)}
		return r.each(a.Q)
	}); err != nil {
		return err
	}
	if unopened > 0 {
		r.note("%d answers contain a secret and cannot be compared without the key", unopened)
	}
	return store.EachAudit(r.view, 0, func(q int64, a store.Audit) error {
		x, ok := kept[q]
		if !ok {
			if a.Actor.Key != "" && !found[q] && r.head.At.Sub(a.At) < answersKept {
				r.broken("ID4", "answer "+a.Actor.Client+"/"+a.Actor.Key, "of commit %d is missing: the same request would be carried out again", q)
			}
			return r.ctx.Err() // without a key, or past its retention
		}
		object := "answer " + x.key.Client + "/" + x.key.Key
		if x.hash != a.BodyHash {
			r.broken("ID4", object, "its body differs from the answer of commit %d", q)
		}
		if x.key.Client != a.Actor.Client || x.key.Key != a.Actor.Key {
			r.broken("ID4", object, "commit %d was requested by %s with key %q", q, a.Actor.Client, a.Actor.Key)
		}
		return r.ctx.Err()
	})
}
