package books

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/ulid"
)

// Bank is what matching reads and writes.
type Bank interface {
	store.Viewer
	store.Reconciliation
}

// Bounds of matching.
const (
	// windowDays is the maximum number of banking days between a bank line and the book
	// date of its money.
	windowDays = 5
	// lookBack is the maximum age in days of a line that is matched automatically. Older
	// ones wait for a person: what was not found in a quarter will not be found by
	// searching again.
	lookBack = 92
	// atOnce is how many matches are written in one transaction.
	atOnce = 100
)

// Match finds the entries for open bank lines, and stores the matches. It never guesses
// between two candidates: a line is matched only if one set of entries fits it and none of
// these entries fits another line. It returns how many lines were matched; it leaves what
// another process has matched meanwhile.
//
// The rules, strongest first: the line names the transfer, its trace number, the payment or
// the reference, and the amount is the same; a batch of entries sums to the amount; the
// amount is that of one entry around the date.
func Match(ctx context.Context, b Bank, now time.Time, today calendar.Date, by string, draw Draw) (int, error) {
	lines, err := openLines(ctx, b, today.AddDays(-lookBack))
	if err != nil || len(lines) == 0 {
		return 0, err
	}
	cash, err := openCash(ctx, b, lines[0].Date.AddDays(-3*windowDays))
	if err != nil || len(cash) == 0 {
		return 0, err
	}
	if err := describe(ctx, b, cash); err != nil {
		return 0, err
	}
	undone, err := store.UndoneMatches(ctx, b)
	if err != nil {
		return 0, fmt.Errorf("undone matches: %w", err)
	}
	found := pair(lines, cash, severed(undone))
	done := 0
	for part := range slices.Chunk(found, atOnce) {
		for i := range part {
			part[i].ID, part[i].MadeAt, part[i].MadeBy = matchID(now, draw()), now, by
		}
		n, err := put(ctx, b, part)
		if done += n; err != nil {
			return done, err
		}
	}
	return done, nil
}

// severed returns the lines and entries that do not belong together, because a match of
// them was undone: they are matched again only manually.
func severed(undone []store.BankMatch) map[string][]string {
	out := map[string][]string{}
	for _, m := range undone {
		for _, line := range m.Lines {
			out[line] = append(out[line], m.Entries...)
		}
	}
	return out
}

// put writes matches and returns how many: all except those with a member that another
// process or a person has matched first.
func put(ctx context.Context, b Bank, list []store.BankMatch) (int, error) {
	err := b.PutMatches(ctx, list)
	switch {
	case errors.Is(err, store.ErrTaken) && len(list) == 1:
		return 0, nil
	case errors.Is(err, store.ErrTaken):
		first, err := put(ctx, b, list[:len(list)/2])
		if err != nil {
			return first, err
		}
		second, err := put(ctx, b, list[len(list)/2:])
		return first + second, err
	case err != nil:
		return 0, err
	}
	return len(list), nil
}

// Draw generates what makes identifiers unique: randomly, except in tests.
type Draw func() [16]byte

// NewMatch makes the identifier of a manual match, and dates it.
func NewMatch(now time.Time, by string, draw Draw) store.BankMatch {
	return store.BankMatch{ID: matchID(now, draw()), Rule: store.MatchByHand, MadeAt: now, MadeBy: by}
}

// matchID generates an identifier in the ULID layout.
func matchID(now time.Time, seed [16]byte) string {
	return ulid.New("mtc_", now, [10]byte(seed[:10]))
}

// openLines reads the open lines from a date on, in date order.
func openLines(ctx context.Context, b Bank, from calendar.Date) (out []store.BankLine, err error) {
	for page := (store.Page{Limit: 1000}); ; {
		lines, err := store.BankLines(ctx, b, true, page)
		if err != nil {
			return nil, fmt.Errorf("open lines of the bank: %w", err)
		}
		for _, l := range lines {
			if l.Date >= from {
				out = append(out, l)
			}
		}
		if len(lines) < page.Limit {
			return out, nil
		}
		page.AfterID = lines[len(lines)-1].ID
	}
}

// entry is an open entry on 1000 with everything that a line may name it by.
type entry struct {
	store.CashRow
	file  string   // in which it was sent to the bank
	names []string // normalized
}

func openCash(ctx context.Context, b Bank, from calendar.Date) (out []*entry, err error) {
	err = b.View(ctx, func(v store.View) error {
		return v.EachCash(store.CashFilter{From: from, To: calendar.None, Open: true}, func(r store.CashRow) error {
			if r.Amount != 0 {
				out = append(out, &entry{CashRow: r})
			}
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("open entries on 1000: %w", err)
	}
	return out, nil
}

// describe collects what a bank may call an entry. Returned money is booked with the return
// as its cause, a merchant's money with the payout, and a manually paid refund with the
// refund: the bank names its entry, the one that it returns, the check or the wire.
func describe(ctx context.Context, b Bank, cash []*entry) error {
	s, err := moved(ctx, b, cash)
	if err != nil {
		return err
	}
	filed, err := store.FiledTransfers(ctx, b, slices.Sorted(maps.Keys(s.Transfers)))
	if err != nil {
		return err
	}
	of := map[string]store.BankEntry{}
	for _, f := range filed {
		of[f.Transfer] = f
	}
	for _, e := range cash {
		e.name(e.Entry)
		e.name(e.Cause)
		by := e.Cause
		if p := s.Payouts[e.Cause]; p != nil {
			by = p.Transfer
		}
		if f, found := of[by]; found {
			e.file = f.File
			e.name(fmt.Sprintf("%07d", f.Trace))
		}
		if t := s.Transfers[by]; t != nil {
			e.name(t.ID)
			e.name(t.Payment)
			e.name(t.Payout)
			e.name(t.Reference)
		} else if p := s.Payments[e.Payment]; p != nil {
			e.ofPayment(p, s.Transfers[p.Transfer], of[p.Transfer])
		}
		e.ofReceipt(s.Receipts[e.Cause])
	}
	return nil
}

// moved loads the payments and payouts of entries, and the transfers that have moved them.
func moved(ctx context.Context, b Bank, cash []*entry) (*credit.State, error) {
	s := credit.NewState()
	var k credit.Keys
	for _, e := range cash {
		switch {
		case strings.HasPrefix(e.Cause, "trf_"):
			k.Transfers = append(k.Transfers, e.Cause)
		case strings.HasPrefix(e.Cause, "po_"):
			k.Payouts = append(k.Payouts, e.Cause)
		case strings.HasPrefix(e.Cause, "rcp_"):
			k.Receipts = append(k.Receipts, e.Cause)
		case e.Payment != "":
			k.Payments = append(k.Payments, e.Payment)
		}
	}
	err := b.View(ctx, func(v store.View) error {
		if err := v.Load(s, k); err != nil {
			return err
		}
		var more []string
		for _, p := range s.Payments {
			if p != nil && p.Transfer != "" && s.Transfers[p.Transfer] == nil {
				more = append(more, p.Transfer)
			}
		}
		for _, p := range s.Payouts {
			if p != nil && p.Transfer != "" {
				more = append(more, p.Transfer)
			}
		}
		return v.Load(s, credit.Keys{Transfers: more})
	})
	return s, err
}

// ofPayment names an entry of a payment whose cause is not a transfer: money that was
// manually received or paid back, or that was returned.
func (e *entry) ofPayment(p *credit.Payment, t *credit.Transfer, filed store.BankEntry) {
	for _, r := range p.Refunds {
		if r.ID == e.Cause {
			e.name(r.Reference)
			return
		}
	}
	e.name(p.ID)
	e.name(p.Reference)
	e.name(p.ExternalID)
	if t != nil {
		e.name(t.ID)
		e.name(t.Reference)
	}
	if filed.Trace != 0 {
		e.name(fmt.Sprintf("%07d", filed.Trace))
	}
}

// ofReceipt names an entry of unidentified money: by what came with it, or by the wire that
// sent it back. r may be nil.
func (e *entry) ofReceipt(r *credit.Receipt) {
	switch {
	case r == nil:
	case e.Amount < 0:
		e.name(r.BackReference)
	default:
		e.name(r.Reference)
	}
}

// shortest is the minimum length of a name: shorter ones occur in any text by chance.
const shortest = 4

func (e *entry) name(text string) {
	if n := normal(text); len(n) >= shortest && !slices.Contains(e.names, n) {
		e.names = append(e.names, n)
	}
}

// normal returns a text as words of lower-case letters and digits separated by single
// spaces.
func normal(text string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9') && r != '_'
	}), " ")
}

// traceDigits is the length of a trace number: eight digits of the bank, seven of the
// entry.
const traceDigits = 15

// named is the content of a line's reference.
type named struct {
	text string   // normalized, between spaces
	seq  []string // last seven digits of what has the length of a trace number
	sure bool     // it names one thing: nothing else is tried
}

func read(reference string) named {
	n := named{text: " " + normal(reference) + " "}
	for _, word := range strings.Fields(n.text) {
		_, err := strconv.ParseUint(word, 10, 64)
		switch {
		case err == nil && len(word) == traceDigits:
			n.seq, n.sure = append(n.seq, word[traceDigits-7:]), true
		case strings.HasPrefix(word, "trf_"), strings.HasPrefix(word, "pay_"), strings.HasPrefix(word, "po_"), strings.HasPrefix(word, "ent_"), strings.HasPrefix(word, "rcp_"):
			n.sure = true
		}
	}
	return n
}

func (n named) calls(e *entry) bool {
	return slices.ContainsFunc(e.names, func(name string) bool {
		return strings.Contains(n.text, " "+name+" ") || slices.Contains(n.seq, name)
	})
}

// set is entries that a bank may book as one amount.
type set struct {
	entries []*entry // in order of posting
	amount  money.Amount
	day     calendar.Date
}

// ofOneCause reports whether all entries of a set come from one event.
func (s set) ofOneCause() bool {
	first := s.entries[0]
	return !slices.ContainsFunc(s.entries, func(e *entry) bool { return e.Cause != first.Cause || e.Event != first.Event })
}

func (s set) key() string {
	ids := make([]string, len(s.entries))
	for i, e := range s.entries {
		ids[i] = e.Entry
	}
	return strings.Join(ids, " ")
}

// setsOf lists each entry alone, and the batches: what was sent in one file and booked on
// one day, in, out and net; of what is in no file, the total of one kind of event on a day;
// and the total of one cause, which is booked order by order.
func setsOf(cash []*entry) map[money.Amount][]set {
	type batch struct {
		name string
		day  calendar.Date
		side int // 0: both
	}
	batches, order := map[batch][]*entry{}, []batch{}
	out := map[money.Amount][]set{}
	for _, e := range cash {
		out[e.Amount] = append(out[e.Amount], set{[]*entry{e}, e.Amount, e.Date})
		name := cmp.Or(e.file, e.Event)
		for _, k := range []batch{{name, e.Date, 0}, {name, e.Date, cmp.Compare(e.Amount, 0)}, {e.Event + " " + e.Cause, e.Date, 0}} {
			if batches[k] == nil {
				order = append(order, k)
			}
			batches[k] = append(batches[k], e)
		}
	}
	seen := map[string]bool{}
	for _, k := range order {
		s := set{entries: batches[k], day: k.day}
		for _, e := range s.entries {
			s.amount = s.amount.Add(e.Amount)
		}
		if len(s.entries) < 2 || seen[s.key()] {
			continue
		}
		seen[s.key()] = true
		out[s.amount] = append(out[s.amount], s)
	}
	return out
}

// pair finds the matches: first what lines name, then what fits by amount. A line is never
// combined with an entry from which it was severed.
func pair(lines []store.BankLine, cash []*entry, severed map[string][]string) (out []store.BankMatch) {
	used := map[string]bool{} // entries
	matched := map[string]bool{}
	for _, byName := range []bool{true, false} {
		left := slices.DeleteFunc(slices.Clone(cash), func(e *entry) bool { return used[e.Entry] })
		sets := setsOf(left)
		fits := map[string][]set{} // by line
		claims := map[string]int{} // by entry: lines that it fits
		for _, l := range lines {
			if matched[l.ID] {
				continue
			}
			fits[l.ID] = slices.DeleteFunc(fitting(l, sets[l.Amount], byName), func(s set) bool {
				return slices.ContainsFunc(s.entries, func(e *entry) bool { return slices.Contains(severed[l.ID], e.Entry) })
			})
			mine := map[string]bool{}
			for _, s := range fits[l.ID] {
				for _, e := range s.entries {
					mine[e.Entry] = true
				}
			}
			for id := range mine { // unordered: counts
				claims[id]++
			}
		}
		for _, l := range lines {
			if len(fits[l.ID]) != 1 || slices.ContainsFunc(fits[l.ID][0].entries, func(e *entry) bool { return claims[e.Entry] > 1 }) {
				continue
			}
			s := fits[l.ID][0]
			matched[l.ID] = true
			m := store.BankMatch{Rule: ruleOf(s, byName), Lines: []string{l.ID}, Amount: l.Amount}
			for _, e := range s.entries {
				used[e.Entry], m.Entries = true, append(m.Entries, e.Entry)
			}
			out = append(out, m)
		}
	}
	return out
}

func ruleOf(s set, byName bool) store.MatchRule {
	switch {
	case byName:
		return store.MatchReference
	case len(s.entries) > 1:
		return store.MatchBatch
	}
	return store.MatchAmount
}

// fitting lists the sets with a line's amount that it may be.
func fitting(l store.BankLine, sets []set, byName bool) (out []set) {
	says := read(l.Reference)
	for _, s := range sets {
		switch {
		case byName && (slices.ContainsFunc(s.entries, says.calls) && s.ofOneCause() || s.entries[0].file != "" && strings.Contains(says.text, " "+normal(s.entries[0].file)+" ")):
			out = append(out, s)
		case !byName && !says.sure && near(l.Date, s.day):
			out = append(out, s)
		}
	}
	return out
}

// near reports whether two dates are within the window.
func near(a, b calendar.Date) bool {
	return max(a, b) <= min(a, b).AddBankingDays(windowDays)
}
