package clockwork

import (
	"context"
	"sync"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

const (
	// aheadRows is how many objects are read ahead at a time.
	aheadRows = 16
	// aheadMost is the maximum number of objects read ahead but not yet served: enough for
	// several batches while callers are active. More at once would take the processor from
	// them for longer.
	aheadMost = 8 * aheadRows
)

// ahead reads what the commands of a page need, in order, in parallel with the writer and
// ahead of it (Config.Ahead).
type ahead struct {
	ready   []chan struct{} // one per aheadRows objects, closed when they need not wait any longer; nil: nothing is read
	room    chan struct{}   // holds one token for each object read ahead and not yet served
	reading sync.WaitGroup
	cancel  context.CancelFunc
}

// readAhead starts reading. A failed read delays nothing: the writer will report the
// problem. The caller stops it.
func (t *turn) readAhead(ctx context.Context, rows []store.Due, command func(id string) credit.Command) *ahead {
	ctx, cancel := context.WithCancel(ctx)
	a := &ahead{cancel: cancel}
	if !t.s.cfg.Ahead {
		return a
	}
	a.room = make(chan struct{}, aheadMost)
	for range (len(rows) + aheadRows - 1) / aheadRows {
		a.ready = append(a.ready, make(chan struct{}))
	}
	env := credit.Env{Now: t.now, Zone: t.s.cfg.Zone, Actor: system()}
	a.reading.Go(func() {
		for i, ready := range a.ready {
			var commands []credit.Command
			for _, x := range rows[i*aheadRows : min(len(rows), (i+1)*aheadRows)] {
				commands = append(commands, command(x.ID))
				select {
				case a.room <- struct{}{}:
				case <-ctx.Done():
				}
			}
			if ctx.Err() == nil {
				_ = t.s.cfg.Backend.View(ctx, func(v store.View) error { return engine.ReadAhead(v, commands, env) })
			}
			close(ready)
		}
	})
	return a
}

// wait returns when the data for the object at an index of the page has been read, or the
// context has ended.
func (a *ahead) wait(ctx context.Context, i int) {
	if a.ready == nil {
		return
	}
	select {
	case <-a.ready[i/aheadRows]:
	case <-ctx.Done():
	}
}

// served makes room after an object that was waited for has been served.
func (a *ahead) served(ctx context.Context) {
	if a.ready == nil {
		return
	}
	select {
	case <-a.room:
	case <-ctx.Done():
	}
}

// stop stops the reading.
func (a *ahead) stop() {
	a.cancel()
	a.reading.Wait()
}
