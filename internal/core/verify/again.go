package verify

import (
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
)

// decideAgain has the engine decide the whole audit log again, batch by batch, into an
// empty database, and then compares each table that commands write with the result, row by
// row (LG5, OR2, AU7). It holds in memory one batch, one row of either side, and the totals of due
// dates.
//
// Other rules may decide differently, and most records are stored only in their current
// form, so there is no earlier state from which to decide part of the log. A log with
// batches of other rules is therefore skipped; the other passes do not depend on the rules.
func decideAgain(r *run) (err error) {
	if other := r.otherRules(); other != nil {
		r.note("not comparable before commit %d: batches up to commit %d were decided by version %d of the rules, this program has version %d",
			other.LastQ+1, other.LastQ, other.Rules, credit.RulesVersion)
		return nil
	}
	made, err := r.options.Scratch()
	if err != nil {
		return fmt.Errorf("temporary database: %w", err)
	}
	defer func() { err = errors.Join(err, made.Close()) }()
	w := &replay{run: r, next: 1}
	if w.engine, err = engine.NewReplayer(engine.ReplayConfig{Backend: made, Zone: r.options.Zone, EncodeEvent: r.encoder()}); err != nil {
		return err
	}
	if err := store.EachAudit(r.view, 0, w.audit); err != nil && !errors.Is(err, errGap) {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	r.noteForms()
	return made.View(r.ctx, r.compareTables)
}

// encoder encodes event payloads; without the engine's own encoder they are not compared.
func (r *run) encoder() func(credit.Event, time.Time, credit.Actor) ([]byte, error) {
	if r.options.EncodeEvent != nil {
		return r.options.EncodeEvent
	}
	return func(credit.Event, time.Time, credit.Actor) ([]byte, error) { return []byte("{}"), nil }
}

// otherRules returns the last batch that other rules decided, nil if there is none.
func (r *run) otherRules() *store.BatchRow {
	for i := len(r.batches) - 1; i >= 0; i-- {
		if r.batches[i].Rules != credit.RulesVersion {
			return &r.batches[i]
		}
	}
	return nil
}

// comparable reports whether the payloads of a commit's events can be encoded again: their
// format is the encoder's.
func (r *run) comparable(q int64) bool {
	b := r.batchOf(q)
	return r.options.EncodeEvent != nil && (b == nil || b.Wire == r.options.Wire)
}

// noteForms reports which events were compared without their payload's bytes.
func (r *run) noteForms() {
	for i := len(r.batches) - 1; i >= 0 && r.options.EncodeEvent != nil; i-- {
		if b := &r.batches[i]; b.Wire != r.options.Wire {
			r.note("event payloads not comparable before commit %d: they have format %s, this program writes %s",
				b.LastQ+1, b.Wire, r.options.Wire)
			return
		}
	}
}

// replay feeds the audit log to the engine.
type replay struct {
	*run
	engine *engine.Replayer
	next   int64           // commit of the next row
	batch  *store.BatchRow // that the rows belong to, nil if the log has none for them
	rows   []store.Audit
}

// errGap ends the replay of a log that lacks more rows than a batch can contain.
var errGap = errors.New("the audit log has a gap")

// audit takes a row. Missing rows keep their places, so that all others are decided under
// their own commit sequences.
func (w *replay) audit(q int64, a store.Audit) error {
	if q-w.next >= engine.MaxBatch {
		w.broken("AU7", fmt.Sprint("commit ", q), "%d audit rows before it are missing: this commit and those after it were not decided again", q-w.next)
		return errGap
	}
	for ; w.next < q; w.next++ {
		if err := w.take(w.next, store.Audit{At: a.At}); err != nil {
			return err
		}
	}
	w.next++
	if err := w.take(q, a); err != nil {
		return err
	}
	return w.each(q)
}

func (w *replay) take(q int64, a store.Audit) error {
	if b := w.batchOf(q); b == nil || b != w.batch {
		if err := w.flush(); err != nil {
			return err
		}
		w.batch = b
	}
	w.rows = append(w.rows, a)
	return nil
}

// flush decides the collected batch, and compares the resulting audit rows.
func (w *replay) flush() error {
	if len(w.rows) == 0 {
		return w.ctx.Err()
	}
	b := store.BatchRow{At: w.rows[0].At, Wire: w.options.Wire}
	if w.batch != nil {
		b = *w.batch
	}
	list, err := w.engine.Replay(w.ctx, b, w.rows)
	if err != nil {
		return fmt.Errorf("batch of commit %d: %w", w.next-1, err)
	}
	first := w.next - int64(len(w.rows))
	for i := range list {
		w.compareAudit(fmt.Sprint("commit ", first+int64(i)), &w.rows[i], &list[i])
	}
	w.rows = w.rows[:0]
	return nil
}

// compareAudit compares an audit row with the one that its command produces today. A row
// that contains only the command may come from an older program that recorded nothing else.
func (r *run) compareAudit(object string, was *store.Audit, now *engine.Again) {
	switch {
	case errors.Is(now.Err, engine.ErrUnreadable):
		r.broken("AU4", object, "%v", now.Err)
		return
	case now.Err != nil:
		r.broken("LG5", object, "%s cannot be decided again: %v", was.Command, now.Err)
		return
	case was.Result != now.Audit.Result:
		r.broken("LG5", object, "%s returned %s; decided again, it returns %s", was.Command, was.Result, now.Audit.Result)
		return
	case was.Object != now.Audit.Object || was.Company != now.Audit.Company:
		r.broken("AU4", object, "its audit row has object %q and company %d, its command %q and %d", was.Object, was.Company, now.Audit.Object, now.Audit.Company)
	}
	_, told, err := journal.SplitAct(was.Payload)
	_, tells, fail := journal.SplitAct(now.Audit.Payload)
	if err != nil || fail != nil || !told.Empty() && !told.Equal(tells) {
		r.broken("AU4", object, "its audit row does not list what its command changed")
	}
}
