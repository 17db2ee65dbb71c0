package webhook

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
)

func openSQLite(t testing.TB, path string) *sqlite.DB {
	t.Helper()
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// The same on SQLite: events before and after the sender starts, a receiver that refuses at
// first, a resend, a disabled endpoint, and a second process after the first.
func TestOnSQLite(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenor.db")
	w := newWorldOn(t, openSQLite(t, path))
	shop := w.merchant("Shop")
	good, flaky, closed := w.endpoint(shop, "https://good.example/hook"), w.endpoint(shop, "https://flaky.example/hook"),
		w.endpoint(shop, "https://closed.example/hook", credit.OrderCapturedEvent)
	w.net.answer("flaky.example", func(m *message) reply {
		if e := w.event(2); m.n == 0 && m.id == e.ID {
			return reply{status: 500}
		}
		return reply{}
	})
	w.net.answer("closed.example", func(*message) reply { return reply{status: 500} })
	emit := func(n int) {
		for i := range n {
			w.emit(shop, order(fmt.Sprint("o", i%5)), credit.OrderUpdatedEvent)
		}
	}
	emit(20)
	w.emit(shop, order("o1"), credit.OrderCapturedEvent)
	s, stop := w.start()
	until(t, "the events of before", func() bool { return s.Stats().Delivered >= 21 })
	emit(20)
	s.Notify()
	w.submit(access.UpdateEndpoint{Endpoint: closed.ID, Enabled: value(false)})
	w.submit(access.ResendEvents{Endpoint: good.ID, From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour)})
	stop()
	w.start()
	all := func(id string, n int, state store.DeliveryState) func() bool {
		return func() bool { return slices.Equal(w.states(id), repeat(n, state)) }
	}
	until(t, "all at the good one, twice", all(good.ID, 82, store.DeliverySucceeded))
	until(t, "all at the flaky one", all(flaky.ID, 41, store.DeliverySucceeded))
	until(t, "none at the closed one", all(closed.ID, 1, store.DeliveryCanceled))
	if n := w.pending(); n != 0 {
		t.Errorf("%d are pending", n)
	}
	checkOrder(t, w, "good.example")
	checkOrder(t, w, "flaky.example")
	for _, d := range w.deliveries(flaky.ID) {
		if a := w.attempts(d.ID); d.Attempts < 1 || len(a) != d.Attempts {
			t.Errorf("%d attempts of %+v", len(a), d)
		}
	}
}
