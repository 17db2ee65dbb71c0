package storetest

import (
	"context"
	"errors"
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
)

// sent returns transfers that may be filed, and some that may not, with an entry of the
// books.
func sent(n int) credit.Changes {
	c := credit.Changes{Companies: []*credit.Company{{ID: 7, Status: credit.CompanyApproved, Version: 1}}, Entries: []ledger.Entry{{
		ID: "ent", BookDate: 20_454, ValueDate: 20_454, Currency: money.USD,
		Postings: []ledger.Posting{{Account: ledger.Cash, Amount: 5}, {Account: ledger.Cash, Amount: -5}},
	}}}
	for i := range n {
		x := credit.Transfer{
			ID: fmt.Sprintf("trf_%03d", i), Rail: credit.ACH, Kind: credit.TransferRefund, Company: 7, Amount: 5, Status: credit.TransferSent,
			SentAt: wall(n - i/2), CreatedAt: wall(0), Version: 1,
		}
		if i%3 == 0 {
			x.Status = credit.TransferSettled
		}
		c.Transfers = append(c.Transfers, &x)
	}
	never := func(id string, rail credit.Method, status credit.TransferStatus) {
		x := *c.Transfers[0]
		x.ID, x.Rail, x.Status = id, rail, status
		if status == credit.TransferQueued || status == credit.TransferCanceled {
			x.SentAt = time.Time{}
		}
		c.Transfers = append(c.Transfers, &x)
	}
	never("queued", credit.ACH, credit.TransferQueued)
	never("canceled", credit.ACH, credit.TransferCanceled)
	never("failed", credit.ACH, credit.TransferFailed)
	never("returned", credit.ACH, credit.TransferReturned)
	never("card", credit.Card, credit.TransferSent)
	return c
}

// unfiled lists the ids of unfiled transfers.
func unfiled(t *testing.T, b store.Viewer, limit int) []string {
	t.Helper()
	var ids []string
	for _, x := range must(store.Unfiled(context.Background(), b, limit))(t) {
		ids = append(ids, x.ID)
	}
	return ids
}

// testExchange follows files and notices through their whole lives.
func testExchange(t *testing.T, b store.Backend) {
	commit(t, b, batchOf(b, sent(6)))
	testFiles(t, b)
	testFilesIn(t, b)
	testNotices(t, b)
	transfersOf := must(store.FiledTransfers(context.Background(), b, []string{"trf_004", "trf_000", "none"}))(t)
	equal(t, "entries of transfers", []store.BankEntry{{Transfer: "trf_004", File: "a", Trace: 1}}, transfersOf)
}

func testFiles(t *testing.T, b store.Backend) {
	ctx := context.Background()
	order := []string{"trf_004", "trf_005", "trf_002", "trf_003", "trf_000", "trf_001"} // by sending
	equal(t, "in no file", order, unfiled(t, b, 100))
	equal(t, "the oldest two", order[:2], unfiled(t, b, 2))
	n := 0
	f := *filled[store.BankFile](&n)
	f.ID, f.State = "a", store.FileBuilt
	put := func(id string, transfers ...string) error {
		x := f
		x.ID = id
		_, _, err := b.PutFile(ctx, x, transfers)
		return err
	}
	got, entries, err := b.PutFile(ctx, f, order[:2])
	if err != nil {
		t.Fatal(err)
	}
	f.FirstTrace, f.Entries = 1, 2
	want := []store.BankEntry{{Transfer: order[0], File: "a", Trace: 1}, {Transfer: order[1], File: "a", Trace: 2}}
	equal(t, "file", f, got)
	equal(t, "entries", want, entries)
	equal(t, "entries of the file", want, must(store.FileEntries(ctx, b, "a"))(t))
	equal(t, "files", []store.BankFile{f}, must(store.Files(ctx, b, store.FileBuilt, 9))(t))
	equal(t, "the rest", order[2:], unfiled(t, b, 100))
	before := dump(t, b)
	for name, c := range map[string]struct{ got, want error }{
		"a file twice":                  {put("a", order[2]), store.ErrTaken},
		"a transfer in two files":       {put("b", order[2], order[0]), store.ErrTaken},
		"a transfer twice in a file":    {put("b", order[2], order[2]), store.ErrTaken},
		"a file of nothing":             {put("b"), store.ErrRefused},
		"a transfer that is not there":  {put("b", order[2], "none"), store.ErrRefused},
		"a transfer that was not sent":  {put("b", "queued"), store.ErrRefused},
		"a canceled transfer":           {put("b", "canceled"), store.ErrRefused},
		"a transfer that has failed":    {put("b", "failed"), store.ErrRefused},
		"a transfer that has come back": {put("b", "returned"), store.ErrRefused},
		"a card charge":                 {put("b", "card"), store.ErrRefused},
		"a state that is none":          {b.MoveFile(ctx, "a", "LOST", wall(1)), store.ErrRefused},
		"a file that is not there":      {b.MoveFile(ctx, "none", store.FileSent, wall(1)), store.ErrRefused},
	} {
		if !errors.Is(c.got, c.want) {
			t.Errorf("%s: %v", name, c.got)
		}
	}
	same(t, before, dump(t, b))
	if err := put("b", order[2]); err != nil {
		t.Fatal(err)
	}
	equal(t, "numbers go on", []store.BankEntry{{Transfer: order[2], File: "b", Trace: 3}}, must(store.EntryByTrace(ctx, b, 3))(t))
	equal(t, "a number that nobody has", []store.BankEntry(nil), must(store.EntryByTrace(ctx, b, 4))(t))
	testFileStates(t, b, f)
	// A batch that moves a transfer leaves it in its file.
	moved := *sent(6).Transfers[4]
	moved.Status, moved.Version = credit.TransferSettled, 2
	commit(t, b, batchOf(b, credit.Changes{Transfers: []*credit.Transfer{&moved}}))
	equal(t, "in no file after a batch", order[3:], unfiled(t, b, 100))
}

// testFileStates moves a file to its end and tries every step back.
func testFileStates(t *testing.T, b store.Backend, f store.BankFile) {
	ctx := context.Background()
	for i, to := range []store.FileState{store.FileSent, store.FileSent, store.FileAccepted} {
		if err := b.MoveFile(ctx, f.ID, to, wall(i)); err != nil {
			t.Fatal(err)
		}
	}
	for _, to := range []store.FileState{store.FileBuilt, store.FileSent, store.FileRefused} {
		if err := b.MoveFile(ctx, f.ID, to, wall(9)); !errors.Is(err, store.ErrRefused) {
			t.Errorf("an accepted file became %s: %v", to, err)
		}
	}
	f.State, f.MovedAt = store.FileAccepted, wall(2)
	equal(t, "accepted files", []store.BankFile{f}, must(store.Files(ctx, b, store.FileAccepted, 9))(t))
	equal(t, "sent files", []store.BankFile(nil), must(store.Files(ctx, b, store.FileSent, 9))(t))
}

// testFilesIn lists the files to be sent, and those the bank has not responded to, as a
// view shows them.
func testFilesIn(t *testing.T, b store.Backend) {
	ctx := context.Background()
	in := func(state store.FileState, p store.Page) (ids []string) {
		view(t, b, func(v store.View) {
			for _, f := range must(store.ListFiles(v, state, p))(t) {
				if f.State != state {
					t.Errorf("%s is %s", f.ID, f.State)
				}
				ids = append(ids, f.ID)
			}
		})
		return ids
	}
	sent := func(p store.Page) []string { return in(store.FileSent, p) }
	for i, transfer := range []string{"trf_003", "trf_001"} {
		if _, _, err := b.PutFile(ctx, store.BankFile{ID: fmt.Sprint("s", i), State: store.FileBuilt, CreatedAt: wall(500)}, []string{transfer}); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "before they are sent", []string(nil), sent(store.Page{Limit: 9}))
	equal(t, "to be sent", []string{"s1", "s0", "b"}, in(store.FileBuilt, store.Page{Limit: 9}))
	for _, id := range []string{"s0", "s1", "b"} {
		if err := b.MoveFile(ctx, id, store.FileSent, wall(501)); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "when they are", []string(nil), in(store.FileBuilt, store.Page{Limit: 9}))
	equal(t, "unanswered", []string{"s1", "s0", "b"}, sent(store.Page{Limit: 9}))
	equal(t, "the first", []string{"s1"}, sent(store.Page{Limit: 1}))
	equal(t, "the rest", []string{"s0", "b"}, sent(store.Page{Limit: 9, AfterAt: wall(500), AfterID: "s1"}))
	for id, to := range map[string]store.FileState{"s1": store.FileRefused, "b": store.FileAccepted} {
		if err := b.MoveFile(ctx, id, to, wall(502)); err != nil {
			t.Fatal(err)
		}
	}
	equal(t, "after the bank's answers", []string{"s0"}, sent(store.Page{Limit: 9}))
}

func testNotices(t *testing.T, b store.Backend) {
	ctx := context.Background()
	notice := func(id string, second int, code string) store.BankNotice {
		return store.BankNotice{Rail: credit.ACH, ID: id, Kind: "RETURN", Transfer: "trf_000", Code: code, Payload: []byte(`{"a":"ü"}`), At: wall(second)}
	}
	list := []store.BankNotice{notice("c", 1, "R01"), notice("a", 2, "R02"), notice("b", 2, "R01"), notice("d", 0, "")}
	list[3].Transfer, list[3].Payload = "", nil
	twin := notice("a", 2, "R03")
	twin.Rail = credit.Card
	for _, n := range append(list, twin) {
		if !must(b.PutNotice(ctx, n))(t) {
			t.Errorf("notice %s is not fresh", n.ID)
		}
	}
	again := notice("a", 7, "R04")
	if must(b.PutNotice(ctx, again))(t) {
		t.Error("a notice is fresh twice")
	}
	equal(t, "open notices", []store.BankNotice{list[3], list[0], list[1], list[2], twin}, must(store.OpenNotices(ctx, b, 9))(t))
	equal(t, "codes", map[string]int{"R01": 2, "R02": 1, "R03": 1}, must(store.NoticesSince(ctx, b, time.Time{}))(t))
	equal(t, "codes since", map[string]int{"R01": 1, "R02": 1, "R03": 1}, must(store.NoticesSince(ctx, b, wall(2)))(t))
	for i, result := range []string{"done", "again"} {
		if err := b.CloseNotice(ctx, credit.ACH, "c", result, wall(5+i)); err != nil {
			t.Error(err)
		}
	}
	equal(t, "open notices", []store.BankNotice{list[3], list[1]}, must(store.OpenNotices(ctx, b, 2))(t))
	if closed := `"RETURN" "trf_000" "R01" "{\"a\":\"ü\"}" ` + fmt.Sprint(wall(1).UnixMicro(), " ", wall(5).UnixMicro()) + ` "done"`; !strings.Contains(string(dump(t, b)), closed) {
		t.Errorf("the closed notice is not %s", closed)
	}
	testReviews(t, b)
	none := notice("e", 1, "")
	none.Transfer = "none"
	if _, err := b.PutNotice(ctx, none); !errors.Is(err, store.ErrRefused) {
		t.Errorf("a notice of a transfer that is not there: %v", err)
	}
	none.Transfer, none.Result = "", "done"
	if _, err := b.PutNotice(ctx, none); !errors.Is(err, store.ErrRefused) {
		t.Errorf("an open notice with a result: %v", err)
	}
	if err := b.CloseNotice(ctx, credit.Card, "c", "x", wall(9)); !errors.Is(err, store.ErrRefused) {
		t.Errorf("a notice that is not there: %v", err)
	}
}

// testReviews closes notices in all ways, and has a person handle what was left.
func testReviews(t *testing.T, b store.Backend) {
	ctx := context.Background()
	left := func(waiting bool, p store.Page) (keys []string) {
		view(t, b, func(v store.View) {
			for _, n := range must(store.ListBankNotices(v, store.BankNoticeFilter{Waiting: waiting}, p))(t) {
				keys = append(keys, n.Key())
			}
		})
		return keys
	}
	for _, id := range []string{"v", "w", "x/1", "x/2", "y", "z"} {
		must(b.PutNotice(ctx, store.BankNotice{Rail: credit.ACH, ID: id, Kind: "ACK", Payload: []byte("{}"), At: wall(20 + int(id[0]))}))(t)
	}
	for id, result := range map[string]string{"v": store.NoticeDone, "w": store.NoticeIgnored, "x/1": store.NoticeUnmatched, "x/2": store.NoticeLate, "y": "transfer_locked"} {
		if err := b.CloseNotice(ctx, credit.ACH, id, result, wall(200)); err != nil {
			t.Fatal(err)
		}
	}
	all := []string{"ACH/y", "ACH/x/2", "ACH/x/1"}
	equal(t, "left for review", all, left(false, store.Page{Limit: 9}))
	equal(t, "two of them", all[:2], left(true, store.Page{Limit: 2}))
	equal(t, "the rest", all[2:], left(true, store.Page{Limit: 2, AfterAt: wall(20 + 'x'), AfterID: "ACH/x/2"}))
	before := dump(t, b)
	for why, err := range map[string]error{
		"not there": b.ReviewNotice(ctx, credit.Card, "y", "ann", "seen", wall(201)), "not dealt with": b.ReviewNotice(ctx, credit.ACH, "z", "ann", "seen", wall(201)),
		"done": b.ReviewNotice(ctx, credit.ACH, "v", "ann", "seen", wall(201)), "ignored": b.ReviewNotice(ctx, credit.ACH, "w", "ann", "seen", wall(201)),
		"by nobody": b.ReviewNotice(ctx, credit.ACH, "y", "", "seen", wall(201)), "without a note": b.ReviewNotice(ctx, credit.ACH, "y", "ann", "", wall(201)),
	} {
		if !errors.Is(err, store.ErrRefused) {
			t.Errorf("%s: %v", why, err)
		}
	}
	same(t, before, dump(t, b))
	for i, by := range []string{"ann", "ben"} {
		if err := b.ReviewNotice(ctx, credit.ACH, "x/1", by, "asked the bank", wall(201+i)); err != nil {
			t.Error(err)
		}
	}
	equal(t, "waiting", []string{"ACH/y", "ACH/x/2"}, left(true, store.Page{Limit: 9}))
	equal(t, "left for review once", all, left(false, store.Page{Limit: 9}))
	view(t, b, func(v store.View) {
		n, found, err := store.BankNoticeOf(v, credit.ACH, "x/1")
		if err != nil || !found || n.ReviewedBy != "ann" || n.ReviewNote != "asked the bank" || !n.ReviewedAt.Equal(wall(201)) || n.Result != store.NoticeUnmatched {
			t.Errorf("%+v, %t, %v", n, found, err)
		}
		if _, found, err := store.BankNoticeOf(v, credit.ACH, "none"); found || err != nil {
			t.Errorf("a notice that is not there: %t, %v", found, err)
		}
	})
}

// testTraces starts close to the last number of seven digits.
func testTraces(t *testing.T, b store.Backend) {
	ctx := context.Background()
	commit(t, b, batchOf(b, sent(6)))
	put := func(id string, second int, transfers ...string) store.BankFile {
		t.Helper()
		f, _, err := b.PutFile(ctx, store.BankFile{ID: id, State: store.FileBuilt, CreatedAt: wall(second)}, transfers)
		if err != nil {
			t.Fatal(err)
		}
		return f
	}
	put("first", 1, "trf_000")
	if err := b.PutSetting(ctx, store.LastTrace, []byte("9999997")); err != nil {
		t.Fatal(err)
	}
	if f := put("second", 2, "trf_001", "trf_002", "trf_003"); f.FirstTrace != 9_999_998 {
		t.Errorf("the file begins with %d", f.FirstTrace)
	}
	want := []store.BankEntry{{Transfer: "trf_003", File: "second", Trace: 1}, {Transfer: "trf_000", File: "first", Trace: 1}}
	equal(t, "number 1", want, must(store.EntryByTrace(ctx, b, 1))(t))
	if f := put("third", 3, "trf_004"); f.FirstTrace != 2 {
		t.Errorf("the next file begins with %d", f.FirstTrace)
	}
}

// testExchanges does random things with files, notices and lines in the backend and in
// memory: their answers and contents must be equal.
func testExchanges(t *testing.T, b store.Backend) {
	s, reference := seed(t), memory.New()
	batch := batchOf(reference, sent(60))
	commit(t, reference, batch)
	commit(t, b, batch)
	r := &banker{rng: rand.New(rand.NewPCG(s, 9))}
	taken := 0
	for i := range 400 {
		act := r.act()
		want, got := act(reference), act(b)
		if want != got {
			t.Fatalf("act %d answers %q instead of %q", i, got, want)
		}
		if !strings.Contains(want, refusedWord) {
			taken++
		}
		if i%50 == 49 {
			same(t, dump(t, reference), dump(t, b))
		}
	}
	t.Logf("%d acts taken", taken)
	if taken < 100 || taken == 400 {
		t.Error("the test is empty")
	}
}

const refusedWord = "refused"

// banker generates the acts of banks and of those who talk to them.
type banker struct {
	rng   *rand.Rand
	files int
}

// act generates one act. It returns the result in words.
func (r *banker) act() func(store.Backend) string {
	ctx, at := context.Background(), wall(r.rng.IntN(50))
	said := func(v any, err error) string {
		if errors.Is(err, store.ErrRefused) || errors.Is(err, store.ErrTaken) {
			return refusedWord
		}
		return fmt.Sprint(v, err)
	}
	switch r.rng.IntN(13) {
	case 0:
		limit := r.rng.IntN(4)
		return func(b store.Backend) string {
			list, err := store.Unfiled(ctx, b, limit)
			ids := ""
			for _, x := range list {
				ids += x.ID + " "
			}
			return said(ids, err)
		}
	case 1, 2:
		return r.putFile(at, said)
	case 3:
		id := fmt.Sprint("f", r.rng.IntN(r.files+1))
		to := []store.FileState{store.FileBuilt, store.FileSent, store.FileAccepted, store.FileRefused}[r.rng.IntN(4)]
		return func(b store.Backend) string { return said("", b.MoveFile(ctx, id, to, at)) }
	case 4, 5:
		n := store.BankNotice{
			Rail: []credit.Method{credit.ACH, credit.Card}[r.rng.IntN(2)], ID: fmt.Sprint("n", r.rng.IntN(40)), Kind: "RETURN",
			Code: []string{"", "R01", "R02"}[r.rng.IntN(3)], At: at, Transfer: []string{"", "trf_001", "none"}[r.rng.IntN(3)],
		}
		return func(b store.Backend) string { return said(b.PutNotice(ctx, n)) }
	case 6:
		id, result := fmt.Sprint("n", r.rng.IntN(40)), []string{store.NoticeDone, store.NoticeIgnored, store.NoticeUnmatched, "x"}[r.rng.IntN(4)]
		return func(b store.Backend) string { return said("", b.CloseNotice(ctx, credit.ACH, id, result, at)) }
	case 8:
		id, by := fmt.Sprint("n", r.rng.IntN(40)), []string{"", "ann", "ben"}[r.rng.IntN(3)]
		return func(b store.Backend) string { return said("", b.ReviewNotice(ctx, credit.ACH, id, by, "seen", at)) }
	case 7:
		lines := []store.BankLine{{ID: fmt.Sprint("l", r.rng.IntN(40)), Date: calendar.Date(20_454 + r.rng.IntN(9)), Amount: money.Amount(r.rng.IntN(3) - 1)}}
		return func(b store.Backend) string { return said(b.PutBankLines(ctx, lines)) }
	}
	return r.reconcile(at, said)
}

// putFile generates a file, which may include a transfer that is not allowed.
func (r *banker) putFile(at time.Time, said func(any, error) string) func(store.Backend) string {
	f := store.BankFile{ID: fmt.Sprint("f", r.files), State: store.FileBuilt, CreatedAt: at, CutOff: at, MovedAt: at}
	r.files += r.rng.IntN(2) // the id may repeat
	var transfers []string
	for range r.rng.IntN(4) {
		transfers = append(transfers, fmt.Sprintf("trf_%03d", r.rng.IntN(60)))
	}
	if r.rng.IntN(8) == 0 {
		transfers = slices.Insert(transfers, 0, []string{"card", "failed", "none"}[r.rng.IntN(3)])
	}
	return func(b store.Backend) string {
		got, entries, err := b.PutFile(context.Background(), f, transfers)
		return said(fmt.Sprint(got, entries), err)
	}
}
