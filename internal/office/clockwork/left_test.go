package clockwork_test

import (
	"context"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/office/alarm"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/fake"
)

// left lists what was left for review, oldest first, as "kind code result".
func left(w *world) (list []store.BankNotice, words []string) {
	w.view(func(v store.View) (err error) {
		list, err = store.ListBankNotices(v, store.BankNoticeFilter{}, store.Page{Limit: 100})
		return err
	})
	slices.Reverse(list)
	for _, n := range list {
		words = append(words, strings.TrimSpace(n.Kind+" "+n.Code)+" "+n.Result)
	}
	return list, words
}

// leftAre checks what was left for review, and that each item is an alarm.
func leftAre(w *world, want ...string) []store.BankNotice {
	w.t.Helper()
	list, got := left(w)
	if !slices.Equal(got, want) {
		w.t.Errorf("left: %q, not %q", got, want)
	}
	open, err := alarm.Open(context.Background(), w.db, alarm.Setup{Zone: w.zone}, w.clock.Now())
	if err != nil {
		w.t.Fatal(err)
	}
	for _, n := range list {
		if !slices.ContainsFunc(open, func(a alarm.Alarm) bool { return a.Subject == n.Ref() }) {
			w.t.Errorf("%s is no alarm", n.Key())
		}
	}
	return list
}

// A bank message that nobody can use is an alarm with its text and source, and delays
// nothing; once reviewed it is no longer one, even when the bank repeats it.
func TestWhatNobodyCanUse(t *testing.T) {
	other := newWorld(t, "2026-01-15 10:00") // another lender at the same bank, whose return comes to us
	tools := other.merchant("Tool Works", twelve(6))
	other.capture(tools, other.order(tools, other.company("Oak Kitchens", fake.Account, tools), "PO-9", 900_00, 6, false))
	other.to("2026-01-21 12:00")
	if err := other.bank.ReturnNow(1, "R03"); err != nil {
		t.Fatal(err)
	}
	foreign, err := other.bank.Fetch(context.Background())
	if err != nil || len(foreign) != 1 {
		t.Fatalf("%d files, %v", len(foreign), err)
	}

	w, s := sells(t)
	w.to("2026-01-21 12:00")
	s.files = []rails.Incoming{{Name: "scan.pdf", Content: []byte("%PDF-1.7\x00a letter\n")}, {Name: "in/" + foreign[0].Name, Content: foreign[0].Content}}
	again := slices.Clone(s.files)
	if err := w.bank.Notice(fake.Account, "C08"); err == nil {
		t.Error("an account to which nothing was sent was corrected")
	}
	if err := w.bank.Notice("200100200", "C08"); err != nil {
		t.Fatal(err)
	}
	w.to("2026-01-21 13:00")
	list := leftAre(w, "CHANGE C08 unusable", "RETURN R03 unmatched", "UNREADABLE unmatched")
	if got := transfers(w); got != "PAYOUT SETTLED" {
		t.Error(got)
	}
	for i, want := range map[int]string{1: "in/" + foreign[0].Name, 2: "scan.pdf"} {
		said, err := list[i].Details()
		if err != nil || list[i].From() != want || said.Message == "" || i == 1 && (said.Trace != 1 || said.Amount != 873_00 || said.Last4 != "0200") {
			t.Errorf("from %s: %+v, %v", list[i].From(), said, err)
		}
	}
	for _, n := range list {
		if err := w.db.ReviewNotice(context.Background(), n.Rail, n.ID, "cli_operator", "seen", w.clock.Now()); err != nil {
			t.Fatal(err)
		}
	}
	s.files = again
	w.to("2026-01-22 12:00")
	w.alarmsAre("2026-01-22 13:00")
}

// A return after its deadline takes the money back like any other, and can be disputed for
// five banking days (F22). One in time cannot.
func TestALateReturnIsAnAlarm(t *testing.T) {
	for day, late := range map[string]bool{"2026-01-22": false, "2026-01-23": true} { // it settles on 01-20
		w, _ := sells(t)
		w.to(day + " 12:00")
		if err := w.bank.ReturnNow(1, "R03"); err != nil {
			t.Fatal(err)
		}
		w.to(day + " 13:00")
		if got := transfers(w); got != "PAYOUT RETURNED" {
			t.Errorf("%s: %s", day, got)
		}
		want := []string{"payouts_held"}
		if late {
			leftAre(w, "RETURN R03 late")
			want = append(want, "late_return 2026-01-30")
		}
		w.alarmsAre(day+" 14:00", want...)
	}
}

// gossip is a processor that also has news of somebody else's charge.
type gossip struct {
	rails.Processor
	news []rails.CardNews
}

func (g *gossip) News(ctx context.Context) ([]rails.CardNews, error) {
	list, err := g.Processor.News(ctx)
	return append(slices.Clone(g.news), list...), err
}

func (g *gossip) Done(ctx context.Context, id string) error {
	n := len(g.news)
	if g.news = slices.DeleteFunc(g.news, func(x rails.CardNews) bool { return x.ID == id }); len(g.news) < n {
		return nil
	}
	return g.Processor.Done(ctx, id)
}

// News of a charge that is not ours needs review, and delays no other news.
func TestNewsOfAnotherCharge(t *testing.T) {
	w := newWorld(t, "2026-01-15 10:00")
	g := &gossip{Processor: w.cards, news: []rails.CardNews{{ID: "evt_1", Kind: "SETTLED", Reference: "pi_1", Key: "trf_of_another_book", Cost: 30}}}
	w.cards = g
	w.work = w.scheduler(w.db)
	w.turn()
	if len(g.news) != 0 {
		t.Errorf("%+v is still news", g.news)
	}
	list := leftAre(w, "SETTLED unmatched")
	if said, err := list[0].Details(); err != nil || said.Key != "trf_of_another_book" || said.Reference != "pi_1" || list[0].Transfer != "" {
		t.Errorf("%+v, %v", said, err)
	}
}
