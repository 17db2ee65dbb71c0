package memory

import (
	"cmp"
	"fmt"
	"slices"

	"tenor/internal/core/store"
)

// check refuses what the keys and unique indexes of a database refuse, before anything is
// written. invariant.Check has already checked the records themselves.
func (d *data) check(r *store.Rows, b *store.Batch) error {
	if _, found := d.batchAt[r.Batch.ID]; found {
		return fmt.Errorf("batch %x: %w", r.Batch.ID, store.ErrTaken)
	}
	if err := d.checkKeys(r); err != nil {
		return err
	}
	if err := d.checkEvents(r); err != nil {
		return err
	}
	if err := d.checkOnce(r); err != nil {
		return err
	}
	return d.checkEntries(b)
}

func (d *data) checkKeys(r *store.Rows) error {
	q := d.head.Q
	seen := map[store.KeyID]bool{}
	for _, a := range r.Answers {
		if seen[a.KeyID] || d.answers.get(a.KeyID, q) != nil {
			return fmt.Errorf("idempotency key %q: %w", a.Key, store.ErrTaken)
		}
		seen[a.KeyID] = true
	}
	for _, p := range r.Programs {
		if versions := d.programs.get(p.Merchant, q); versions != nil &&
			slices.ContainsFunc(*versions, func(o store.ProgrammeRow) bool { return o.Version == p.Version }) {
			return fmt.Errorf("program %s version %d: %w", p.Merchant, p.Version, store.ErrTaken)
		}
	}
	released := map[string]bool{}
	name := func(c store.ClaimRow) string { return fmt.Sprint(c.Kind, "\x00", c.Scope, "\x00", c.Name) }
	for _, c := range r.Released {
		released[name(c)] = true
	}
	for _, c := range r.Claims {
		old := d.claims.get(c.Claim, q)
		if old != nil && old.Owner != c.Owner && !released[name(c)] {
			return fmt.Errorf("claim %v: %w", c.Claim, store.ErrTaken)
		}
	}
	return nil
}

// checkEvents requires that events have unique names and numbers (EV1). SQL databases have no
// index to see it: this store catches a bug that they would keep until verify.
func (d *data) checkEvents(r *store.Rows) error {
	ids, numbers := map[string]bool{}, map[string]bool{}
	for _, e := range r.Events {
		number := fmt.Sprint(e.Object, e.Sequence)
		_, found := d.eventAt[e.ID]
		if found || ids[e.ID] || numbers[number] || e.Sequence <= int64(len(d.eventsOf[e.Object])) {
			return fmt.Errorf("event %s: %w", e.ID, store.ErrTaken)
		}
		ids[e.ID], numbers[number] = true, true
	}
	return nil
}

// checkEntries requires that entries have unique names and are reversed at most once (LG4).
func (d *data) checkEntries(b *store.Batch) error {
	fresh, reversed := map[string]bool{}, map[string]bool{}
	for _, c := range b.Decided {
		for _, e := range c.Changes.Entries {
			if _, found := d.entryAt[e.ID]; found || fresh[e.ID] || e.Reverses != "" && (d.reversed[e.Reverses] || reversed[e.Reverses]) {
				return fmt.Errorf("entry %s: %w", e.ID, store.ErrTaken)
			}
			fresh[e.ID], reversed[e.Reverses] = true, true
		}
	}
	return nil
}

// checkOnce requires that a payment and a payout have one transfer, that a month is closed
// once, and that no secret is stored twice.
func (d *data) checkOnce(r *store.Rows) error {
	transfers := map[transferOf]string{}
	for _, t := range store.TransferNoun.In(r) {
		of, one := owner(t.Transfer)
		if !one {
			continue
		}
		if id := cmp.Or(transfers[of], d.transfersOf[of]); id != "" && id != t.ID {
			return fmt.Errorf("a second transfer %s: %w", t.ID, store.ErrTaken)
		}
		transfers[of] = t.ID
	}
	for _, p := range store.PeriodNoun.In(r) {
		if d.periods.get(p.Month, d.head.Q) != nil {
			return fmt.Errorf("period %s: %w", p.Month, store.ErrTaken)
		}
	}
	seen := map[string]bool{}
	for _, x := range r.Vault {
		if _, found := d.vault[x.ID]; found || seen[x.ID] {
			return fmt.Errorf("secret %s: %w", x.ID, store.ErrTaken)
		}
		seen[x.ID] = true
	}
	return nil
}

// write stores the rows of a checked batch.
func (d *data) write(r *store.Rows) {
	d.batchAt[r.Batch.ID] = len(d.batches)
	d.batches = append(d.batches, r.Batch)
	for i, n := range store.Nouns {
		rows := r.Nouns[i]
		for j := range rows.Len() {
			row := rows.Row(j)
			d.nouns[i].put(n.Key(row), rows.Q(j), &row)
		}
	}
	for _, x := range r.Programs {
		d.addProgram(x)
	}
	for _, x := range r.Loans {
		if d.loans[x.Key] == nil {
			d.accounts[x.Company] = append(d.accounts[x.Company], x.Key)
		}
		d.loans.put(x.Key, x.Q, &x)
	}
	d.resends = append(d.resends, r.Resends...)
	d.writeRails(r)
	last := r.Head.Q
	d.writeCredits(r, last)
	d.writeMoney(r, last)
	d.writeEntries(r, last)
	d.writeLog(r, last)
	d.head.Head = r.Head
}

func (d *data) addProgram(x store.ProgrammeRow) {
	var versions []store.ProgrammeRow
	if old := d.programs.get(x.Merchant, x.Q); old != nil {
		versions = *old
	}
	versions = append(slices.Clone(versions), x)
	d.programs.put(x.Merchant, x.Q, &versions)
}

func (d *data) writeCredits(r *store.Rows, q int64) {
	changed := map[int64][]store.CreditRow{}
	open := func(company int64) []store.CreditRow {
		if _, ok := changed[company]; !ok {
			changed[company] = nil
			if rows := d.credits.get(company, q); rows != nil {
				changed[company] = slices.Clone(*rows)
			}
		}
		return changed[company]
	}
	for _, c := range r.Closed {
		changed[c.Company] = slices.DeleteFunc(open(c.Company), func(o store.CreditRow) bool { return o.Source == c.Source })
	}
	for _, c := range r.Credits {
		rows := open(c.Company)
		i := slices.IndexFunc(rows, func(o store.CreditRow) bool { return o.Source == c.Source })
		if i < 0 {
			changed[c.Company] = append(rows, c)
			continue
		}
		rows[i].Credit = c.Credit
	}
	for company, rows := range changed {
		d.credits.put(company, q, &rows)
	}
}

func (d *data) writeMoney(r *store.Rows, q int64) {
	for _, x := range r.Money {
		if old := d.money.get(x.ID, q); old != nil {
			x.Q, x.N = old.Q, old.N
		}
		d.money.put(x.ID, q, &x)
	}
	for _, x := range r.Touches {
		list := d.touches[x.Order]
		if !slices.ContainsFunc(list, func(t touch) bool { return t.event == x.Event }) {
			d.touches[x.Order] = d.sortTouches(append(slices.Clone(list), touch{x.Event, q}), q)
		}
	}
}

// sortTouches orders events by recording.
func (d *data) sortTouches(list []touch, q int64) []touch {
	slices.SortFunc(list, func(a, b touch) int {
		x, y := d.money.get(a.event, q), d.money.get(b.event, q)
		if x.Q != y.Q {
			return int(x.Q - y.Q)
		}
		return x.N - y.N
	})
	return list
}

func (d *data) writeEntries(r *store.Rows, q int64) {
	postings := r.Postings
	for _, head := range r.Entries {
		e := entry{head: head}
		at := len(d.entries)
		orders := map[string]bool{}
		for len(postings) > 0 && postings[0].Q == head.Q && postings[0].N == head.N {
			p := postings[0].Posting
			e.postings, postings = append(e.postings, p), postings[1:]
			if p.Order != "" && !orders[p.Order] {
				orders[p.Order] = true
				d.entriesOf[p.Order] = append(d.entriesOf[p.Order], at)
			}
		}
		d.entries = append(d.entries, e)
		d.entryAt[head.ID] = at
		if head.Reverses != "" {
			d.reversed[head.Reverses] = true
		}
	}
	for _, b := range r.Balances {
		if old := d.balances.get(b.BalanceKey, q); old != nil {
			b.Amount = b.Amount.Add(old.Amount)
		}
		d.balances.put(b.BalanceKey, q, &b)
	}
	for _, x := range r.DayTotals {
		if old := d.totals.get(x.DayTotalKey, q); old != nil {
			x = old.Plus(x)
		}
		d.totals.put(x.DayTotalKey, q, &x)
	}
	for _, x := range r.DueTotals {
		if old := d.dues.get(x.DueTotalKey, q); old != nil {
			x = old.Plus(x)
		}
		d.dues.put(x.DueTotalKey, q, &x)
	}
	for _, x := range r.Positions {
		if old := d.positions.get(x.Merchant, q); old != nil {
			sum := old.Plus(*x.Position)
			x.Position = &sum
		}
		d.positions.put(x.Merchant, q, &x)
	}
}

func (d *data) writeLog(r *store.Rows, q int64) {
	for _, e := range r.Events {
		d.eventAt[e.ID] = len(d.events)
		d.eventsOf[e.Object] = append(d.eventsOf[e.Object], len(d.events))
		d.events = append(d.events, e)
	}
	for i, e := range r.Events {
		for _, merchant := range e.Readers {
			d.readersOf[merchant] = append(d.readersOf[merchant], len(d.events)-len(r.Events)+i)
		}
	}
	d.readers, d.objects = append(d.readers, r.Readers...), append(d.objects, r.Objects...)
	for _, c := range r.Released {
		d.claims.put(c.Claim, q, nil)
	}
	for _, c := range r.Claims {
		d.claims.put(c.Claim, q, &c)
	}
	for i, a := range r.Audits {
		if store.IsAccess(a.Command) && a.Object != "" {
			d.accessOf[a.Object] = append(d.accessOf[a.Object], len(d.audits)+i)
		}
	}
	d.audits = append(d.audits, r.Audits...)
	for _, a := range r.Answers {
		d.answers.put(a.KeyID, a.Answer.Q, &a)
	}
}
