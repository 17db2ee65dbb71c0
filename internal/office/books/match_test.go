package books

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

var seedFlag = flag.Uint64("books.seed", 0, "seed of the random histories; 0: another one each time")

const friday = calendar.Date(20_490) // 2026-02-06

// Each row is a day's statement and the entries of its book: what is matched, and by which
// rule. An entry is "id cause file amount day"; days count from a Friday.
func TestPair(t *testing.T) {
	for name, c := range map[string]struct {
		lines, entries, want string
	}{
		"by amount, a weekend apart":       {"l 207.06 3 ACH CREDIT", "a trf_1 - 207.06 0", "AMOUNT l=a"},
		"by amount, not a fortnight apart": {"l 207.06 14 ACH CREDIT", "a trf_1 - 207.06 0", ""},
		"two entries of the amount":        {"l 207.06 0 ACH", "a trf_1 - 207.06 0; b trf_2 - 207.06 0", ""},
		"two lines of the amount":          {"l 207.06 0 ACH; m 207.06 0 ACH", "a trf_1 - 207.06 0", ""},
		"the line names the transfer":      {"l 5.00 0 REF TRF_1.; m 5.00 0 ACH", "a trf_1 - 5.00 0; b trf_2 - 5.00 0", "REFERENCE l=a AMOUNT m=b"},
		"named long ago":                   {"l 5.00 60 trf_1", "a trf_1 - 5.00 0", "REFERENCE l=a"},
		"named with another amount":        {"l 5.01 0 trf_1", "a trf_1 - 5.00 0; b trf_2 - 5.01 0", ""},
		"a part of a name":                 {"l 5.00 14 trf_12", "a trf_1 - 5.00 0", ""},
		"a trace number":                   {"l -5.00 0 PAYOUT 021000020000017; m -5.00 0 PAYOUT", "a trf_1 f/17 -5.00 0; b trf_2 f/18 -5.00 0", "REFERENCE l=a AMOUNT m=b"},
		"a file as one amount":             {"l 300.00 0 ACH BATCH", "a trf_1 f/1 100.00 0; b trf_2 f/2 200.00 0; c trf_3 g/3 50.00 0", "BATCH l=a+b"},
		"in and out of a file":             {"l 300.00 0 IN; m -70.00 0 OUT", "a trf_1 f/1 300.00 0; b trf_2 f/2 -40.00 0; c trf_3 f/3 -30.00 0", "AMOUNT l=a BATCH m=b+c"},
		"a file, net":                      {"l 30.00 0 NET", "a trf_1 f/1 100.00 0; b trf_2 f/2 -70.00 0", "BATCH l=a+b"},
		"a file by its name":               {"l 30.00 20 ACHF_20260206_A", "a trf_1 achf_20260206_A/1 10.00 0; b trf_2 achf_20260206_A/2 20.00 0", "REFERENCE l=a+b"},
		"a batch, or one entry":            {"l 30.00 0 X", "a trf_1 f/1 10.00 0; b trf_2 f/2 20.00 0; c trf_3 - 30.00 0", ""},
		"a batch and a part of it":         {"l 30.00 0 X; m 10.00 0 Y", "a trf_1 f/1 10.00 0; b trf_2 f/2 20.00 0", ""},
		"card deposits of a day":           {"l 30.00 1 CARDS", "a trf_1 - 10.00 0; b trf_2 - 20.00 0; c trf_3 - 5.00 1", "BATCH l=a+b"},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, m := range pair(parseLines(c.lines), parseEntries(c.entries), nil) {
				got = append(got, fmt.Sprintf("%s %s=%s", m.Rule, strings.Join(m.Lines, "+"), strings.Join(m.Entries, "+")))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%q instead of %q", got, c.want)
			}
		})
	}
}

// An undone match is not made again, and the line may match something else.
func TestPairSevered(t *testing.T) {
	for name, c := range map[string]struct{ lines, entries, want string }{
		"that pair":                     {"l 5.00 0 X", "a trf_1 - 5.00 0", ""},
		"by its name neither":           {"l 5.00 0 trf_1", "a trf_1 - 5.00 0", ""},
		"another line and the entry":    {"m 5.00 0 X", "a trf_1 - 5.00 0", "m=a"},
		"the line and another entry":    {"l 5.00 0 X", "a trf_1 - 5.00 0; b trf_2 - 5.00 0", "l=b"},
		"a batch that the entry is of":  {"l 8.00 0 X", "a trf_1 f/1 5.00 0; b trf_2 f/2 3.00 0", ""},
		"the entry in another's batch":  {"m 8.00 0 X", "a trf_1 f/1 5.00 0; b trf_2 f/2 3.00 0", "m=a+b"},
		"each with what is left for it": {"l 5.00 0 X; m 5.00 0 Y", "a trf_1 - 5.00 0; b trf_2 - 5.00 0", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, m := range pair(parseLines(c.lines), parseEntries(c.entries), severed([]store.BankMatch{{Lines: []string{"l"}, Entries: []string{"a"}}})) {
				got = append(got, strings.Join(m.Lines, "+")+"="+strings.Join(m.Entries, "+"))
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%q instead of %q", got, c.want)
			}
		})
	}
}

// An undone match stays undone however often matching runs, until it is made manually.
func TestUndoneStaysUndone(t *testing.T) {
	ctx := context.Background()
	w := &world{t: t, rng: rand.New(rand.NewPCG(1, 1)), db: memory.New(), today: friday}
	for len(w.cash) != 1 {
		w.cash = nil
		w.db = memory.New()
		w.book()
	}
	if _, err := w.db.PutBankLines(ctx, []store.BankLine{{ID: "l", Date: friday, Amount: w.cash[0].Amount, Reference: "X"}}); err != nil {
		t.Fatal(err)
	}
	look := func(want int) {
		t.Helper()
		if n, err := Match(ctx, w.db, w.now(), friday, "system", w.draw); err != nil || n != want {
			t.Fatalf("%d lines are matched instead of %d: %v", n, want, err)
		}
	}
	look(1)
	made, err := store.Matches(ctx, w.db, store.Page{Limit: 2})
	if err != nil || len(made) != 1 {
		t.Fatal(made, err)
	}
	if err := w.db.UndoMatch(ctx, made[0].ID, "ann", w.now()); err != nil {
		t.Fatal(err)
	}
	look(0)
	m := NewMatch(w.now(), "ann", w.draw)
	m.Lines, m.Entries, m.Amount = made[0].Lines, made[0].Entries, made[0].Amount
	if err := w.db.PutMatches(ctx, []store.BankMatch{m}); err != nil {
		t.Fatal(err)
	}
	look(0)
}

func parseLines(text string) (out []store.BankLine) {
	for row := range strings.SplitSeq(text, "; ") {
		f := strings.SplitN(row, " ", 4)
		out = append(out, store.BankLine{ID: f[0], Amount: money.MustParse(f[1]), Date: friday + day(f[2]), Reference: f[3]})
	}
	return out
}

func day(text string) (n calendar.Date) {
	_, _ = fmt.Sscan(text, &n)
	return n
}

func parseEntries(text string) (out []*entry) {
	for row := range strings.SplitSeq(text, "; ") {
		f := strings.Split(row, " ")
		e := &entry{CashRow: store.CashRow{Entry: f[0], Cause: f[1], Event: "SETTLED", Amount: money.MustParse(f[3]), Date: friday + day(f[4])}}
		if file, trace, found := strings.Cut(f[2], "/"); found {
			e.file = file
			e.name(fmt.Sprintf("%07d", day(trace)))
		}
		e.name(e.Cause)
		out = append(out, e)
	}
	return out
}

// world is a book with random cash and a bank that reports it in its own way.
type world struct {
	t       *testing.T
	rng     *rand.Rand
	db      *memory.DB
	today   calendar.Date
	seq     int
	cash    []store.CashRow  // all entries
	lines   []store.BankLine // all lines
	matches []string         // that may be in effect
}

func (w *world) now() time.Time { return calendar.NewZone(time.UTC).At(w.today, 12, 0) }

// draw is random, from the test's seed.
func (w *world) draw() (seed [16]byte) {
	for i := range seed {
		seed[i] = byte(w.rng.IntN(256))
	}
	return seed
}

// book commits entries of today on 1000.
func (w *world) book() {
	w.t.Helper()
	var c credit.Changes
	for range w.rng.IntN(6) {
		w.seq++
		e := ledger.Entry{ID: fmt.Sprintf("ent_%05d", w.seq), BookDate: w.today, ValueDate: w.today, Event: []string{"ACH_SETTLED", "CARD_SETTLED"}[w.rng.IntN(2)],
			Cause: fmt.Sprintf("trf_%05d", w.seq), Currency: money.USD}
		amount := money.Amount(w.rng.IntN(41) - 20)
		if amount == 0 {
			amount = 21
		}
		e.Postings = []ledger.Posting{{Account: ledger.Cash, Amount: amount}, {Account: ledger.LenderFunding, Amount: -amount}}
		c.Entries = append(c.Entries, e)
		w.cash = append(w.cash, store.CashRow{Entry: e.ID, Date: w.today, Event: e.Event, Cause: e.Cause, Amount: amount})
	}
	batch := store.Batch{Node: "n", Epoch: 1, At: w.now(), BusinessDate: w.today, ID: store.BatchID{byte(w.today), byte(w.today >> 8), 1},
		Decided: []store.Decided{{Changes: c, Audit: store.Audit{At: w.now(), Command: "test", Result: "ok", Payload: []byte("{}")}}}}
	if _, err := w.db.Update(context.Background(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
		w.t.Fatal(err)
	}
}

// tell has the bank send lines: entries one by one or in one amount, named or not, and
// lines of its own.
func (w *world) tell() {
	w.t.Helper()
	var fresh []store.BankLine
	for range w.rng.IntN(5) {
		l := store.BankLine{ID: fmt.Sprint("l", len(w.lines)+len(fresh)), Date: w.today.AddDays(-w.rng.IntN(4)), Reference: "DEPOSIT", Amount: money.Amount(w.rng.IntN(9) - 4)}
		if len(w.cash) > 0 && w.rng.IntN(4) > 0 {
			e := w.cash[len(w.cash)-1-w.rng.IntN(min(len(w.cash), 8))]
			l.Amount = e.Amount
			switch w.rng.IntN(3) {
			case 0:
				l.Reference = "X " + e.Cause
			case 1:
				l.Amount = 0
				for _, o := range w.cash {
					if o.Date == e.Date && o.Event == e.Event {
						l.Amount += o.Amount
					}
				}
			}
		}
		fresh = append(fresh, l)
	}
	if _, err := w.db.PutBankLines(context.Background(), fresh); err != nil {
		w.t.Fatal(err)
	}
	w.lines = append(w.lines, fresh...)
}

// byHand matches equal sums on both sides, and undoes something.
func (w *world) byHand() {
	ctx := context.Background()
	m := NewMatch(w.now(), "ann", w.draw)
	for range 30 {
		if len(w.lines) == 0 || len(w.cash) == 0 {
			return
		}
		m.Lines = []string{w.lines[w.rng.IntN(len(w.lines))].ID}
		m.Entries = []string{w.cash[w.rng.IntN(len(w.cash))].Entry}
		if w.rng.IntN(3) == 0 {
			m.Lines, m.Entries = append(m.Lines, w.lines[w.rng.IntN(len(w.lines))].ID), nil
		}
		lines, entries, err := store.SumsOf(ctx, w.db, m.Lines, m.Entries)
		if m.Amount = lines; err != nil || lines != entries {
			continue
		}
		if w.db.PutMatches(ctx, []store.BankMatch{m}) == nil {
			w.matches = append(w.matches, m.ID)
			break
		}
	}
	list, err := store.Matches(ctx, w.db, store.Page{Limit: 20})
	if err == nil && len(list) > 0 && w.rng.IntN(2) == 0 {
		_ = w.db.UndoMatch(ctx, list[w.rng.IntN(len(list))].ID, "ann", w.now()) // it may already be undone
	}
}

// check computes the proof for a day, and compares it with plain sums.
func (w *world) check(asOf calendar.Date) (open int) {
	w.t.Helper()
	bank, book := money.Amount(0), money.Amount(0)
	for _, l := range w.lines {
		if l.Date <= asOf {
			bank += l.Amount
		}
	}
	for _, e := range w.cash {
		if e.Date <= asOf {
			book += e.Amount
		}
	}
	var r *Reconciliation
	err := w.db.View(context.Background(), func(v store.View) (err error) {
		r, err = Reconcile(v, asOf)
		return err
	})
	if err != nil {
		w.t.Fatal(err)
	}
	lines, entries := money.Amount(0), money.Amount(0)
	for _, x := range r.Lines {
		lines += x.Amount
	}
	for _, x := range r.Entries {
		entries += x.Amount
	}
	if r.Bank != bank || r.Ledger != book || !r.Proven() || bank-book != lines-entries {
		w.t.Fatalf("%s: bank %s of %s, ledger %s of %s, open %s and %s, sums %s and %s", asOf, r.Bank, bank, r.Ledger, book, lines, entries, r.LinesSum, r.EntriesSum)
	}
	for _, list := range [][]OpenItem{r.Lines, r.Entries} {
		if !slices.IsSortedFunc(list, func(a, b OpenItem) int { return int(a.Date - b.Date) }) {
			w.t.Errorf("%s: the aged list is not in order", asOf)
		}
	}
	return len(r.Lines) + len(r.Entries)
}

// PO6: whatever was matched, automatically or manually, and undone, the balances of bank
// and ledger differ by what is open, to the cent, on every day.
func TestProof(t *testing.T) {
	seed := *seedFlag
	if seed == 0 {
		seed = uint64(time.Now().UnixNano()) % 100_000
	}
	t.Logf("seed %d", seed)
	rules := map[store.MatchRule]int{}
	for n := range uint64(12) {
		w := &world{t: t, rng: rand.New(rand.NewPCG(seed, n)), db: memory.New(), today: friday}
		open := 0
		for range 40 {
			w.book()
			w.tell()
			if _, err := Match(context.Background(), w.db, w.now(), w.today, "system", w.draw); err != nil {
				t.Fatal(err)
			}
			w.byHand()
			open += w.check(w.today)
			w.check(friday.AddDays(w.rng.IntN(45)))
			w.today++
		}
		list, err := store.Matches(context.Background(), w.db, store.Page{Limit: 10_000})
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range list {
			rules[m.Rule]++
			if len(m.ID) != 30 {
				t.Errorf("match %q", m.ID)
			}
		}
		if open == 0 {
			t.Error("nothing was ever open: the test is empty")
		}
	}
	for _, r := range []store.MatchRule{store.MatchReference, store.MatchBatch, store.MatchAmount, store.MatchByHand} {
		if rules[r] == 0 {
			t.Errorf("nothing was matched by %s: %v", r, rules)
		}
	}
}

// The bank's line for returned money is matched by the debit that it names, although the
// entry's cause is the return and it is booked order by order; a payout by its transfer; a
// manually paid refund by its wire's reference; unidentified money by what came with it
// (PO6).
func TestNamesOfWhatWentBack(t *testing.T) {
	db, at := memory.New(), calendar.NewZone(time.UTC).At(friday, 12, 0)
	entry := func(id, event, cause string, amounts ...money.Amount) ledger.Entry {
		e := ledger.Entry{ID: id, BookDate: friday, ValueDate: friday, Event: event, Cause: cause, Currency: money.USD}
		for _, a := range amounts {
			dim := ledger.Dimensions{Payment: "pay_1"}
			e.Postings = append(e.Postings, ledger.Posting{Account: ledger.Cash, Amount: a, Dimensions: dim}, ledger.Posting{Account: ledger.PaymentsPending, Amount: -a, Dimensions: dim})
		}
		return e
	}
	const alder = 1_000_000_001
	c := credit.Changes{
		Companies: []*credit.Company{{ID: alder, Name: "Alder", Version: 1}}, Merchants: []*credit.Merchant{{ID: "mch_1", Name: "Shop", Version: 1}},
		Payments: []*credit.Payment{{
			ID: "pay_1", Company: alder, Amount: 100_00, Currency: money.USD, Method: credit.ACH, Direction: "IN", Transfer: "trf_1", Version: 1,
			Refunds: []credit.PaymentRefund{{ID: "rfd_1", Reference: "Wire 4711"}},
		}},
		Receipts: []*credit.Receipt{
			{ID: "rcp_1", Amount: 30_00, Method: credit.Wire, Reference: "Wire 2231", Status: payments.ReceiptOpen, CreatedAt: at, Version: 1},
			{ID: "rcp_2", Amount: 30_00, Method: credit.Wire, Reference: "Wire 2232", Status: payments.ReceiptReturned, BackReference: "Wire 3102", CreatedAt: at, EndedAt: at, Version: 1},
		},
		Payouts: []*credit.Payout{{ID: "po_1", Merchant: "mch_1", Date: friday, Gross: 50_00, Net: 50_00, Transfer: "trf_2", Version: 1}},
		Transfers: []*credit.Transfer{
			{ID: "trf_1", Rail: credit.ACH, Kind: credit.TransferPayment, Company: alder, Payment: "pay_1", Amount: 100_00, Status: credit.TransferReturned, Version: 1},
			{ID: "trf_2", Rail: credit.ACH, Kind: credit.TransferPayout, Merchant: "mch_1", Payout: "po_1", Amount: 50_00, Status: credit.TransferSettled, SentAt: at, Version: 1},
		},
		Entries: []ledger.Entry{
			entry("in", "ACH_SETTLED", "trf_1", 100_00), entry("back a", "ACH_RETURNED", "ret_1", -60_00), entry("back b", "ACH_RETURNED", "ret_1", -40_00),
			entry("lost", "RECEIPT_RECORDED", "rcp_1", 30_00), entry("found", "RECEIPT_RECORDED", "rcp_2", 30_00), entry("sent", "RECEIPT_RETURNED", "rcp_2", -30_00),
			entry("given", "PAYMENT_REFUND_PAID", "rfd_1", -30_00), entry("other", "LENDER_WITHDREW", "draw", -30_00), entry("paid", "MERCHANT_PAYOUT_SETTLED", "po_1", -50_00),
		},
	}
	batch := store.Batch{Node: "n", Epoch: 1, At: at, BusinessDate: friday, ID: store.BatchID{1}, Decided: []store.Decided{{Changes: c, Audit: store.Audit{At: at, Command: "test", Result: "ok", Payload: []byte("{}")}}}}
	if _, err := db.Update(context.Background(), func(tx store.Tx) error { return tx.Apply(batch) }); err != nil {
		t.Fatal(err)
	}
	if _, err := db.PutBankLines(context.Background(), parseLines("l 100.00 0 ACH trf_1; m -100.00 3 RETURN trf_1; n -30.00 0 OUTGOING WIRE 4711; o -50.00 0 PAYOUT trf_2; p 30.00 0 INCOMING WIRE 2232; q 30.00 0 INCOMING WIRE 2231; r -30.00 0 OUTGOING WIRE 3102")); err != nil {
		t.Fatal(err)
	}
	drawn := byte(0)
	draw := func() (seed [16]byte) { drawn++; seed[0] = drawn; return seed }
	if _, err := Match(context.Background(), db, at, friday+3, "system", draw); err != nil {
		t.Fatal(err)
	}
	var got []string
	list, err := store.Matches(context.Background(), db, store.Page{Limit: 10})
	for _, m := range list {
		got = append(got, fmt.Sprintf("%s %s=%s", m.Rule, strings.Join(m.Lines, "+"), strings.Join(m.Entries, "+")))
	}
	slices.Sort(got)
	if want := "REFERENCE l=in, REFERENCE m=back a+back b, REFERENCE n=given, REFERENCE o=paid, REFERENCE p=found, REFERENCE q=lost, REFERENCE r=sent"; err != nil || strings.Join(got, ", ") != want {
		t.Errorf("matched %q, want %q (%v)", got, want, err)
	}
}

// Ages are banking days: over Presidents' Day the weekend and the Monday do not count.
func TestAge(t *testing.T) {
	age := ages(calendar.Of(2026, 2, 17))
	for text, want := range map[string]int{"2026-02-17": 0, "2026-02-16": 1, "2026-02-13": 1, "2026-02-12": 2, "2026-02-18": 0} {
		if got := age(calendar.MustParse(text)); got != want {
			t.Errorf("%s: %d instead of %d", text, got, want)
		}
	}
}
