//go:build unix

package webhook

import (
	"context"
	"fmt"
	"testing"
	"time"

	"tenor/internal/core/store/postgres"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/pgtest"
)

// Two senders, each with connections of its own, on one PostgreSQL: one is killed midway,
// one is started, and another stops normally. Nothing is missing, each object's events
// arrived in order, and the endpoints were shared (T21).
func TestSendersOnPostgreSQL(t *testing.T) {
	cluster := pgtest.New(t, pgtest.Options{})
	url := cluster.CreateDatabase(t)
	connect := func() *postgres.DB {
		db, err := postgres.Open(context.Background(), url, postgres.Options{Readers: 4})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = db.Close() })
		return db
	}
	w := newWorldOn(t, connect())
	var shops, hosts []string
	// As many as needed to have endpoints among the duties of either sender: their ids
	// determine which ones they belong to.
	var low, high bool
	for i := 0; i < 8 || !low || !high; i++ {
		shops = append(shops, w.merchant(fmt.Sprint("Shop ", i)))
		hosts = append(hosts, fmt.Sprintf("shop%d.example", i))
		e := w.endpoint(shops[i], "https://"+hosts[i]+"/hook")
		low, high = low || dutyOf(e.ID) < dutyName(dutyCount/2), high || dutyOf(e.ID) >= dutyName(dutyCount/2)
		w.net.answer(hosts[i], func(*message) reply { return reply{after: 2 * time.Millisecond} })
	}
	quick := func(c *Config) { c.Lease, c.Poll = 1500*time.Millisecond, 50*time.Millisecond }
	first, _, stopFirst := w.startProcessOn(connect(), quick)
	_, second, stopSecond := w.startProcessOn(connect(), quick)
	emit := func(n int) {
		for i := range n {
			w.emit(shops[i%len(shops)], order(fmt.Sprint("o", i%len(shops), i%3)), credit.OrderUpdatedEvent, credit.OrderUpdatedEvent)
		}
	}
	emit(100)
	until(t, "both have delivered", func() bool {
		emit(len(shops))
		return second.Stats().Delivered > 0 && len(w.net.received(hosts[0])) > 0
	})
	emit(50)
	first.kill(stopFirst)
	emit(100)
	w.startProcessOn(connect(), quick)
	emit(50)
	stopSecond()
	emit(50)
	arrived := func() bool {
		for i, host := range hosts {
			seen := map[string]bool{}
			for _, m := range w.net.received(host) {
				seen[m.id] = true
			}
			for _, e := range w.sent {
				if e.Merchant == shops[i] && !seen[e.ID] {
					return false
				}
			}
		}
		return w.pending() == 0
	}
	until(t, "every event has arrived and is marked", arrived)
	for _, host := range hosts {
		checkOrder(t, w, host)
	}
}
