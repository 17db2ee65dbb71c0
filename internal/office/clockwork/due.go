package clockwork

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/cases"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/staff"
)

const (
	// pageSize is how many due objects are read at a time, and how many a turn keeps in
	// memory.
	pageSize = 1000
	// inFlight is how many commands wait in the engine at once: enough to fill its batches.
	// Callers do not wait for them, because the engine takes theirs first.
	inFlight = engine.MaxBatch
	// maxStuck is how many stuck objects a turn remembers. The next round serves the others
	// again, without effect.
	maxStuck = 1000
)

// orders serves the orders that are due.
func (t *turn) orders(ctx context.Context, r *Report) error {
	return t.due(ctx, "orders", store.DueOf(store.OrderNoun), nil, func(id string) credit.Command { return lending.ServiceOrder{Order: id} }, &r.Orders, &r.Stuck)
}

// credits sends back companies' credit that is due (F36).
func (t *turn) credits(ctx context.Context, r *Report) error {
	command := func(id string) credit.Command { return payments.ServiceCredit{Company: store.CompanyID(id)} }
	return t.due(ctx, "credits", store.ListDueCredits, nil, command, &r.Credits, &r.Stuck)
}

// held frees what payouts and remittances have covered of the money that merchants hold
// (F41.4).
func (t *turn) held(ctx context.Context, r *Report) error {
	return t.due(ctx, "held money", store.ListDueHeld, nil, func(id string) credit.Command { return lending.FreeHeld{Of: id} }, &r.Held, &r.Stuck)
}

// buyers serves the checkouts, applications, cases and approvals that are due.
func (t *turn) buyers(ctx context.Context, r *Report) error {
	for _, x := range []struct {
		noun    credit.Noun
		command func(id string) credit.Command
	}{
		{credit.NounApplication, func(id string) credit.Command { return onboarding.ServiceApplication{Application: id} }},
		{credit.NounCheckout, func(id string) credit.Command { return onboarding.ServiceCheckout{Checkout: id} }},
		{credit.NounCase, func(id string) credit.Command { return cases.ServiceCase{Case: id} }},
		{credit.NounApproval, func(id string) credit.Command { return staff.ServiceApproval{Approval: id} }},
	} {
		list := func(v store.View, now time.Time, p store.Page) ([]store.Due, error) {
			return store.ListDue(v, store.NounOfRecords(x.noun), now, p)
		}
		if err := t.due(ctx, string(x.noun)+"s", list, nil, x.command, &r.Buyers, &r.Stuck); err != nil {
			return err
		}
	}
	return nil
}

// transfers serves the transfers that are due. Those that no rail can carry wait: none is
// recorded as sent or settled that is not.
func (t *turn) transfers(ctx context.Context, r *Report) (err error) {
	if t.here, err = t.notHanded(ctx); err != nil {
		return err
	}
	return t.due(ctx, "transfers", store.DueOf(store.TransferNoun), t.stranded, func(id string) credit.Command { return payments.ServiceTransfer{Transfer: id} }, &r.Transfers, &r.Stuck)
}

// notHanded returns the transfers that the books have as sent but whose file the bank has
// not received: while the bank is unreachable, none of them settles. Most of the time there
// is none.
func (t *turn) notHanded(ctx context.Context) (map[string]bool, error) {
	if t.s.cfg.Bank == nil {
		return nil, nil
	}
	out := map[string]bool{}
	list, err := store.Unfiled(ctx, t.s.cfg.Backend, maxEntries)
	if err != nil {
		return nil, fmt.Errorf("clockwork: list unfiled transfers: %w", err)
	}
	for _, x := range list {
		out[x.ID] = true
	}
	files, err := store.Files(ctx, t.s.cfg.Backend, store.FileBuilt, maxFiles)
	if err != nil {
		return nil, fmt.Errorf("clockwork: list files to send: %w", err)
	}
	for _, f := range files {
		entries, err := store.FileEntries(ctx, t.s.cfg.Backend, f.ID)
		if err != nil {
			return nil, fmt.Errorf("clockwork: list entries of %s: %w", f.ID, err)
		}
		for _, e := range entries {
			out[e.Transfer] = true
		}
	}
	return out, nil
}

// stranded returns the transfers of a page whose rail this lender does not have, or whose
// file is still here.
func (t *turn) stranded(v store.View, rows []store.Due) (map[string]bool, error) {
	without := map[credit.Method]bool{credit.ACH: t.s.cfg.Bank == nil, credit.Card: t.s.cfg.Cards == nil}
	if !without[credit.ACH] && !without[credit.Card] || len(rows) == 0 {
		return t.here, nil
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
		wait[id] = x != nil && without[x.Rail] || t.here[id]
	}
	return wait, nil
}

// due serves the objects of one kind page by page, oldest first, and keeps nothing of a
// served page. An object that is still due for the same instant afterwards is stuck: it is
// reported and skipped, so that it cannot block the others. Only what has moved counts as
// done, so that a turn ends however much is stuck.
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
		fresh := slices.DeleteFunc(slices.Clone(rows), func(x store.Due) bool {
			at, known := t.stuck[x.ID]
			return waits[x.ID] || known && at.Equal(x.At)
		})
		served, err := t.serve(ctx, fresh, command)
		if err != nil {
			*done += served
			return fmt.Errorf("clockwork: serve %s: %w", what, err)
		}
		left, err := t.unmoved(ctx, fresh, page, list)
		if err != nil {
			return fmt.Errorf("clockwork: check served %s: %w", what, err)
		}
		*done += len(fresh) - left
		*stuck += left
		t.tell()
		if len(rows) < page.Limit {
			return nil
		}
		last := rows[len(rows)-1]
		page.AfterAt, page.AfterID = last.At, last.ID
	}
}

// unmoved counts the objects of a page that are still due as before they were served, and
// remembers them.
func (t *turn) unmoved(ctx context.Context, fresh []store.Due, page store.Page, list func(store.View, time.Time, store.Page) ([]store.Due, error)) (n int, err error) {
	if len(fresh) == 0 {
		return 0, nil
	}
	was := make(map[string]time.Time, len(fresh))
	for _, x := range fresh {
		was[x.ID] = x.At
	}
	var rows []store.Due
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
		rows, err = list(v, t.now, page)
		return err
	}); err != nil {
		return 0, err
	}
	for _, x := range rows {
		if at, served := was[x.ID]; !served || !at.Equal(x.At) {
			continue
		}
		n++
		t.s.cfg.Log.Warn("clockwork: stuck", "object", x.ID, "due", x.At)
		if len(t.stuck) < maxStuck {
			t.stuck[x.ID] = x.At
		}
	}
	return n, nil
}

// serve submits a command for each object, many at a time, so that they share commits. A
// refusal is an answer: the object stays as it is. The first failure ends the page; the
// remaining objects are still due.
func (t *turn) serve(ctx context.Context, rows []store.Due, command func(id string) credit.Command) (int, error) {
	var served atomic.Int64
	before := t.readAhead(ctx, rows, command)
	defer before.stop()
	err := together(ctx, t.s.cfg.InFlight, len(rows), func(ctx context.Context, i int) error {
		before.wait(ctx, i)
		defer before.served(ctx)
		res, err := t.patient(ctx, command(rows[i].ID))
		switch {
		case err != nil:
			return fmt.Errorf("%s: %w", rows[i].ID, err)
		case res.Rejection != nil:
			t.s.cfg.Log.Warn("clockwork: refused", "object", rows[i].ID, "code", res.Rejection.Code, "detail", res.Rejection.Detail)
		default:
			served.Add(1)
		}
		return nil
	})
	return int(served.Load()), err
}

// together does n things, inFlight of them at a time. The first failure ends it: what has
// not started is skipped, and what has gets a canceled context.
func together(ctx context.Context, inFlight, n int, do func(ctx context.Context, i int) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	var running sync.WaitGroup
	room := make(chan struct{}, inFlight)
	for i := range n {
		select {
		case room <- struct{}{}:
		case <-ctx.Done():
		}
		if ctx.Err() != nil {
			break
		}
		running.Go(func() {
			defer func() { <-room }()
			if err := do(ctx, i); err != nil {
				cancel(err)
			}
		})
	}
	running.Wait()
	return context.Cause(ctx)
}

// patient submits a command, retrying while the engine has no room.
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

// make submits a command and returns its result, nil if it was refused, and whether it has
// changed anything.
func (t *turn) make(ctx context.Context, c credit.Command) (made any, changed bool, err error) {
	note := func(c credit.Changes, r *credit.Rejection) engine.Response {
		made, changed = nil, false // of the committed decision: there may have been earlier attempts
		if r == nil {
			made, changed = c.Result, !c.Empty()
		}
		return engine.Response{Status: 200}
	}
	_, err = t.patientWith(ctx, c, note)
	return made, changed, err
}
