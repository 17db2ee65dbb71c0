package verify

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/schedule"
)

// decideAgain decides the whole audit log again, in its order and batches, and
// compares what comes of it with what is stored: entries and events commit by
// commit, records at the end, and each version of an order or a company when it
// is replaced (LG5, OR2, AU7).
//
// Other rules may decide otherwise, and no state is kept from which the log could
// be decided from the middle. So a log that holds batches of other rules is left
// alone; the other passes do not depend on them.
func decideAgain(r *run) error {
	if other := r.otherRules(); other != nil {
		r.note("not comparable before commit %d: batches up to commit %d were decided by rules %d, this program has rules %d",
			other.LastQ+1, other.LastQ, other.Rules, credit.RulesVersion)
		return nil
	}
	w := &judge{
		run: r, state: credit.NewState(), money: map[string]store.MoneyRow{},
		entries: map[int64][32]byte{}, events: map[int64][32]byte{}, digest: newDigester(), sorted: map[int64]int{},
		made: map[string]history{}, readers: map[string][]store.Place{}, atEnd: map[store.Place][]string{},
		waiting: map[string]map[string]bool{},
	}
	for after := int64(0); ; {
		rows, err := r.nextAudits(after)
		if err != nil {
			return err
		}
		if len(rows) == 0 {
			break
		}
		for _, row := range rows {
			if err := w.decide(row.Q, row.Audit); err != nil {
				return err
			}
		}
		after = rows[len(rows)-1].Q
	}
	if err := w.closeBatch(); err != nil {
		return err
	}
	return w.compare()
}

// otherRules is the last batch that other rules decided, nil if there is none.
func (r *run) otherRules() *store.BatchRow {
	for i := len(r.batches) - 1; i >= 0; i-- {
		if r.batches[i].Rules != credit.RulesVersion {
			return &r.batches[i]
		}
	}
	return nil
}

// comparable reports whether the payloads of a commit's events can be written
// again: their form is that of the encoder.
func (r *run) comparable(q int64) bool {
	b := r.batchOf(q)
	return r.options.EncodeEvent != nil && (b == nil || b.Wire == r.options.Wire)
}

// noteForms says which events were compared without their payload's bytes.
func (r *run) noteForms() {
	for i := len(r.batches) - 1; i >= 0 && r.options.EncodeEvent != nil; i-- {
		if b := &r.batches[i]; b.Wire != r.options.Wire {
			r.note("payloads of events not comparable before commit %d: of form %s, this program writes %s",
				b.LastQ+1, b.Wire, r.options.Wire)
			return
		}
	}
}

// chunk is how many audit rows are read at a time: the walk must have ended
// before another read begins.
const chunk = 512

var errEnough = errors.New("enough")

func (r *run) nextAudits(after int64) ([]store.AuditRow, error) {
	var rows []store.AuditRow
	err := store.EachAudit(r.view, after, func(q int64, a store.Audit) error {
		if len(rows) == chunk {
			return errEnough
		}
		rows = append(rows, store.AuditRow{Audit: a, Q: q})
		return r.ctx.Err()
	})
	if errors.Is(err, errEnough) {
		err = nil
	}
	return rows, err
}

// judge holds the state of the book as the audit log makes it.
type judge struct {
	*run
	state   *credit.State
	money   map[string]store.MoneyRow // with the commit that recorded it
	entries map[int64][32]byte        // digest of what each commit posted
	events  map[int64][32]byte
	digest  *digester
	sorted  map[int64]int // by company: so many orders of its account are in order
	made    map[string]history
	resends []store.ResendRow
	readers map[string][]store.Place
	shared  []sharedEvent            // of companies, in the batch
	atEnd   map[store.Place][]string // where others were linked when the batch ended

	waiting map[string]map[string]bool // lines of each merchant, as of the end of the batch before
	lines   []*credit.PayoutLine       // that the batch has written

	batch     int   // of batches
	firstQ    int64 // of the batch
	orders    map[string]*credit.Order
	companies map[int64]*credit.Company // as they stood before the batch, nil if they did not
}

func (w *judge) decide(q int64, a store.Audit) error {
	if err := w.openBatch(q); err != nil {
		return err
	}
	object := fmt.Sprint("commit ", q)
	command, told, err := journal.DecodeAct(a.Command, a.Payload)
	if err != nil {
		w.broken("AU4", object, "%v", err)
		return w.each(q)
	}
	w.guard("LG5", object, func() {
		env := credit.Env{Now: a.At, Zone: w.options.Zone, Seed: a.Seed, Actor: a.Actor}
		keys := command.Keys(w.state, env)
		w.loadWaiting(keys.Waiting)
		w.loadEnded(keys.Ended)
		changes, result := credit.Changes{}, "ok"
		refusal := credit.Admit(w.state, env, command)
		if refusal == nil {
			changes, refusal = credit.Decide(w.state, env, command)
		}
		if refusal != nil {
			changes, result = credit.Changes{}, refusal.Code
		}
		if result != a.Result {
			w.broken("LG5", object, "%s was answered with %s; decided again it gives %s", a.Command, a.Result, result)
		}
		w.told(object, told, changes)
		w.apply(q, a, changes)
	})
	return w.each(q)
}

// apply puts changes into the state and keeps digests of what does not stay in it.
func (w *judge) apply(q int64, a store.Audit, c credit.Changes) {
	for _, o := range c.Orders {
		if _, ok := w.orders[o.Key]; !ok {
			w.orders[o.Key] = w.state.Orders[o.Key]
		}
	}
	for _, x := range c.Companies {
		if _, ok := w.companies[x.ID]; !ok {
			w.companies[x.ID] = w.state.Companies[x.ID]
		}
	}
	w.loadLines(c)
	w.loadPositions(c)
	w.state.Apply(c)
	for _, x := range c.Companies {
		if _, ok := w.state.Accounts[x.ID]; !ok {
			w.state.Accounts[x.ID] = nil
			w.state.History[store.CompanyKey(x.ID)] = nil
		}
	}
	w.lines = append(w.lines, c.Lines...)
	for n, e := range c.Money {
		row, recorded := w.money[e.ID]
		if !recorded {
			row.Q, row.N = q, n
		}
		row.MoneyEvent = e
		w.money[e.ID] = row
	}
	d := w.digest
	for _, e := range c.Entries {
		d.entry(e)
	}
	d.keep(w.entries, q)
	payloads := w.comparable(q)
	for n, e := range c.Events {
		row := store.EventRow{
			ID: e.ID, Type: e.Type, Object: e.Object, Sequence: e.Sequence, Q: q, N: n, Company: e.Company, Merchant: e.Merchant, At: a.At,
		}
		if payloads {
			text, err := w.options.EncodeEvent(e, a.At, a.Actor)
			if err != nil {
				w.broken("EV4", "event "+e.ID, "cannot be written: %v", err)
			}
			row.Payload = text
		}
		d.event(row)
		w.read(e, store.Place{Q: q, N: n})
	}
	d.keep(w.events, q)
	w.applyAccess(q, c)
}

// openBatch begins the batch of a commit: accounts are then loaded in order of
// capture, and what is captured later in the batch comes after.
func (w *judge) openBatch(q int64) error {
	for w.batch < len(w.batches) && w.batches[w.batch].LastQ < q {
		w.batch++
	}
	first := q
	if w.batch < len(w.batches) && w.batches[w.batch].FirstQ <= q {
		first = w.batches[w.batch].FirstQ
	}
	if first == w.firstQ {
		return nil
	}
	if err := w.closeBatch(); err != nil {
		return err
	}
	w.firstQ, w.orders, w.companies = first, map[string]*credit.Order{}, map[int64]*credit.Company{}
	return nil
}

// closeBatch compares the versions that the batch replaced with the history.
func (w *judge) closeBatch() error {
	for _, key := range slices.Sorted(maps.Keys(w.orders)) {
		w.sortAccount(w.state.Orders[key].Company)
		want := w.orders[key]
		stored, err := store.At(w.view, store.OrderNoun, key, w.firstQ-1)
		if err != nil {
			return err
		}
		object := fmt.Sprintf("order %s after commit %d", key, w.firstQ-1)
		if (want == nil) != (stored == nil) {
			w.broken("OR2", object, "exists: %t, must be %t", stored != nil, want != nil)
		} else if want != nil {
			w.columns("OR2", object, "order_history", differences(&store.Orders, store.OrderRow{Order: stored}, store.OrderRow{Order: want}))
		}
	}
	for _, id := range slices.Sorted(maps.Keys(w.companies)) {
		want := w.companies[id]
		stored, err := store.At(w.view, store.CompanyNoun, id, w.firstQ-1)
		if err != nil {
			return err
		}
		object := fmt.Sprintf("company %d after commit %d", id, w.firstQ-1)
		if (want == nil) != (stored == nil) {
			w.broken("AU7", object, "exists: %t, must be %t", stored != nil, want != nil)
		} else if want != nil {
			w.columns("AU7", object, "company_history", differences(&store.Companies, store.CompanyRow{Company: stored}, store.CompanyRow{Company: want}))
		}
	}
	w.orders, w.companies = nil, nil
	w.endOfBatch()
	w.unloadWaiting()
	return nil
}

// sortAccount puts a company's orders into the order in which they are loaded. All
// but those of the last batch are: each is looked at once.
func (w *judge) sortAccount(company int64) {
	keys := w.state.Accounts[company]
	order := func(a, b string) int {
		return cmp.Or(cmp.Compare(w.state.Loans[a].CapturedAt, w.state.Loans[b].CapturedAt), cmp.Compare(a, b))
	}
	if from := max(w.sorted[company]-1, 0); from < len(keys) && !slices.IsSortedFunc(keys[from:], order) {
		w.state.Accounts[company] = slices.SortedFunc(slices.Values(keys), order)
	}
	w.sorted[company] = len(keys)
}

// compare holds what was decided against what is stored.
func (w *judge) compare() error {
	for _, check := range []func() error{
		w.compareEntries, w.compareEvents, w.compareOrders,
		w.compareMoney, w.compareCredits, w.compareMerchants, w.compareClients, w.compareTokens, w.compareEndpoints, w.compareResends, w.compareReaders,
		w.compareNouns,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// commits compares digests commit by commit.
func (w *judge) commits(invariant, what string, stored, want map[int64][32]byte) {
	for _, q := range slices.Sorted(maps.Keys(stored)) {
		if stored[q] != want[q] {
			w.broken(invariant, fmt.Sprint("commit ", q), "its %s are not those of its audit row", what)
		}
		delete(want, q)
	}
	for _, q := range slices.Sorted(maps.Keys(want)) {
		w.broken(invariant, fmt.Sprint("commit ", q), "its %s are missing", what)
	}
}

func (w *judge) compareEntries() error {
	d, at, stored := w.digest, int64(0), map[int64][32]byte{}
	if err := store.EachEntry(w.view, func(e store.EntryRow) error {
		if e.Q != at {
			d.keep(stored, at)
			at = e.Q
		}
		d.entry(e.Entry)
		return w.ctx.Err()
	}); err != nil {
		return err
	}
	d.keep(stored, at)
	w.commits("LG5", "entries", stored, w.entries)
	return nil
}

func (w *judge) compareEvents() error {
	d, at, stored := w.digest, int64(0), map[int64][32]byte{}
	if err := store.Each(w.view, &store.Events, func(e store.EventRow) error {
		if e.Q != at {
			d.keep(stored, at)
			at = e.Q
		}
		if !w.comparable(e.Q) {
			e.Payload = nil
		}
		d.event(e)
		return w.ctx.Err()
	}); err != nil {
		return err
	}
	d.keep(stored, at)
	w.commits("EV4", "events", stored, w.events)
	w.noteForms()
	return nil
}

// missing reports records that the audit log makes and the database lacks.
func missing[K cmp.Ordered, T any](w *judge, noun string, want map[K]*T, seen map[K]bool) {
	for _, k := range slices.Sorted(maps.Keys(want)) {
		if want[k] != nil && !seen[k] {
			w.broken("AU7", fmt.Sprint(noun, " ", k), "is missing")
		}
	}
}

// compareRecord compares one stored record with the one that the audit log makes.
func compareRecord[T any](w *judge, object string, t *store.Table[T], stored T, want *T) {
	if want == nil {
		w.broken("AU7", object, "was made by no command")
		return
	}
	w.columns("AU7", object, t.Name, differences(t, stored, *want))
}

func (w *judge) compareOrders() error {
	seen := map[string]bool{}
	err := store.EachOrder(w.view, func(o *credit.Order, l *schedule.Loan) error {
		seen[o.Key] = true
		object := "order " + o.Key
		want := w.state.Orders[o.Key]
		if want == nil {
			w.broken("AU7", object, "was made by no command")
			return w.ctx.Err()
		}
		w.columns("AU7", object, "orders", differences(&store.Orders, store.OrderRow{Order: o}, store.OrderRow{Order: want}))
		switch loan := w.state.Loans[o.Key]; {
		case (loan == nil) != (l == nil):
			w.broken("AU7", object, "has a loan: %t, must be %t", l != nil, loan != nil)
		case l != nil:
			w.compareLoan(l, loan)
		}
		return w.ctx.Err()
	})
	missing(w, "order", w.state.Orders, seen)
	return err
}

func (w *judge) compareMoney() error {
	err := w.view.Stored(store.MoneyEvents.Schema(), func(values []store.Value) error {
		stored, err := store.MoneyEvents.Decode(values)
		if err != nil {
			return err
		}
		var want *store.MoneyRow
		if x, ok := w.money[stored.ID]; ok {
			want = &x
			says(w.run, "AU7", "money event "+stored.ID, "money_events.q", stored.Q, x.Q)
		}
		compareRecord(w, "money event "+stored.ID, &store.MoneyEvents, *stored, want)
		delete(w.money, stored.ID)
		return w.ctx.Err()
	})
	for _, id := range slices.Sorted(maps.Keys(w.money)) {
		w.broken("AU7", "money event "+id, "is missing")
	}
	return err
}

// compareCredits compares open credits company by company, in their order.
func (w *judge) compareCredits() error {
	stored := map[int64][]credit.Credit{}
	if err := store.EachCredit(w.view, func(c credit.Credit) error {
		stored[c.Company] = append(stored[c.Company], c)
		return w.ctx.Err()
	}); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(w.state.Companies)) {
		if !slices.Equal(stored[id], w.state.Credits[id]) {
			w.broken("PA6", "company "+store.CompanyKey(id), "has the open credits %v, must have %v", stored[id], w.state.Credits[id])
		}
	}
	return nil
}

func (w *judge) compareMerchants() error {
	seen := map[string]bool{}
	for _, id := range slices.Sorted(maps.Keys(w.merchants)) {
		m, want := w.merchants[id], w.state.Merchants[id]
		seen[id] = true
		if want == nil {
			w.broken("AU7", "merchant "+id, "was made by no command")
			continue
		}
		w.columns("AU7", "merchant "+id, "merchants", differences(&store.Merchants, store.MerchantRow{Merchant: m}, store.MerchantRow{Merchant: want}))
		if len(m.Programs) != len(want.Programs) {
			w.broken("AU7", "merchant "+id, "has %d program versions, must have %d", len(m.Programs), len(want.Programs))
			continue
		}
		for i := range want.Programs {
			w.columns("AU7", "merchant "+id, "programs", differences(&store.Programs,
				store.ProgrammeRow{Program: m.Programs[i]}, store.ProgrammeRow{Program: want.Programs[i]}))
		}
	}
	missing(w, "merchant", w.state.Merchants, seen)
	return nil
}
