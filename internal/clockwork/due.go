package clockwork

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"tenor/internal/credit"
	"tenor/internal/engine"
	"tenor/internal/store"
)

const (
	// pageSize is how many due objects are read at a time: enough to fill batches. Of
	// those that were served a turn remembers the name and the instant, no more.
	pageSize = 1000
	// inFlight is how many commands wait in the engine at once. A caller waits for the
	// batch that is being committed and for its own, so this bounds how much later an
	// answer comes because of the clockwork. With 128 a day took 0.4 to 0.9 of the time,
	// and callers waited two to four times as long (docs/performance.md).
	inFlight = 16
)

// orders serves the orders whose instant has come.
func (t *turn) orders(ctx context.Context, r *Report) error {
	return t.due(ctx, "orders", store.View.DueOrders, nil, func(id string) credit.Command { return credit.ServiceOrder{Order: id} }, &r.Orders, &r.Stuck)
}

// credits sends back the credit of companies whose day has come (F36).
func (t *turn) credits(ctx context.Context, r *Report) error {
	command := func(id string) credit.Command { return credit.ServiceCredit{Company: store.CompanyID(id)} }
	return t.due(ctx, "credits", store.View.DueCredits, nil, command, &r.Credits, &r.Stuck)
}

// transfers serves the transfers whose instant has come. Those that nobody can carry
// wait: none is said to be sent that is not.
func (t *turn) transfers(ctx context.Context, r *Report) error {
	return t.due(ctx, "transfers", store.View.DueTransfers, t.stranded, func(id string) credit.Command { return credit.ServiceTransfer{Transfer: id} }, &r.Transfers, &r.Stuck)
}

// stranded are the transfers of a page whose rail this lender has not.
func (t *turn) stranded(v store.View, rows []store.Due) (map[string]bool, error) {
	without := map[credit.Method]bool{credit.ACH: t.s.cfg.Bank == nil, credit.Card: t.s.cfg.Cards == nil}
	if !without[credit.ACH] && !without[credit.Card] || len(rows) == 0 {
		return nil, nil
	}
	s := credit.NewState()
	var k credit.Keys
	for _, x := range rows {
		k.Transfers = append(k.Transfers, x.ID)
	}
	if err := v.Load(s, k); err != nil {
		return nil, err
	}
	wait := map[string]bool{}
	for id, x := range s.Transfers {
		wait[id] = x != nil && without[x.Rail]
	}
	return wait, nil
}

// due serves the objects of one kind page by page, oldest first. An object that is due
// for an instant for which it has been served is stuck: it is reported and left, so
// that it cannot keep the others waiting.
func (t *turn) due(
	ctx context.Context, what string, list func(store.View, time.Time, store.Page) ([]store.Due, error),
	stranded func(store.View, []store.Due) (map[string]bool, error), command func(id string) credit.Command, done, stuck *int,
) error {
	page := store.Page{Limit: pageSize}
	for {
		var rows []store.Due
		var waits map[string]bool
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
			rows, err = list(v, t.now, page)
			if err == nil && stranded != nil {
				waits, err = stranded(v, rows)
			}
			return err
		}); err != nil {
			return fmt.Errorf("clockwork: list due %s: %w", what, err)
		}
		var fresh []store.Due
		for _, x := range rows {
			if waits[x.ID] {
				continue
			}
			if at, served := t.seen[x.ID]; served && at.Equal(x.At) {
				*stuck++
				t.s.cfg.Log.Warn("clockwork: stuck", "object", x.ID, "due", x.At)
				continue
			}
			t.seen[x.ID] = x.At
			fresh = append(fresh, x)
		}
		n, err := t.serve(ctx, fresh, command)
		*done += n
		if err != nil {
			return fmt.Errorf("clockwork: serve %s: %w", what, err)
		}
		if len(rows) < page.Limit {
			return nil
		}
		last := rows[len(rows)-1]
		page.AfterAt, page.AfterID = last.At, last.ID
	}
}

// serve submits a command for each object, many at a time, so that they share commits.
// A refusal is an answer: the object is as it is. The first failure ends the page; the
// objects that it leaves are still due.
func (t *turn) serve(ctx context.Context, rows []store.Due, command func(id string) credit.Command) (int, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	served := 0
	room := make(chan struct{}, inFlight)
	for _, x := range rows {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		wg.Add(1)
		go func() {
			defer func() { <-room; wg.Done() }()
			res, err := t.patient(ctx, command(x.ID))
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil && res.Rejection == nil:
				served++
			case err == nil:
				t.s.cfg.Log.Warn("clockwork: refused", "object", x.ID, "code", res.Rejection.Code, "detail", res.Rejection.Detail)
			case failed == nil:
				failed = fmt.Errorf("%s: %w", x.ID, err)
				cancel()
			}
		}()
	}
	wg.Wait()
	return served, failed
}

// patient submits a command again while the engine has no room.
func (t *turn) patient(ctx context.Context, c credit.Command) (engine.Result, error) {
	return t.patientWith(ctx, c, nil)
}

func (t *turn) patientWith(ctx context.Context, c credit.Command, encode func(credit.Changes, *credit.Rejection) engine.Response) (engine.Result, error) {
	for {
		res, err := t.submit(ctx, c, encode)
		if !errors.Is(err, engine.ErrOverloaded) {
			return res, err
		}
		select {
		case <-ctx.Done():
			return res, ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// make submits a command and returns its result, nil if it was refused, and whether it
// has changed anything.
func (t *turn) make(ctx context.Context, c credit.Command) (made any, changed bool, err error) {
	note := func(c credit.Changes, r *credit.Rejection) engine.Response {
		made, changed = nil, false // of the decision that was committed: there may have been others before
		if r == nil {
			made, changed = c.Result, !c.Empty()
		}
		return engine.Response{Status: 200}
	}
	_, err = t.patientWith(ctx, c, note)
	return made, changed, err
}
