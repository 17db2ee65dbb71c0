//go:build linux

package nodetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"tenor/internal/core/store"
	"tenor/internal/domain/money"
	"tenor/internal/proof/pgtest"
)

// waveKeys is how many keys start at one barrier: more concurrent callers would only wait for
// each other's connections.
const waveKeys = 5

// storm is the state of T19.
type storm struct {
	*site
	client      *client
	toRefund    string // an order for the refunds
	toPay       string // and one for the payments
	began, lost atomic.Int64
	replays     int
	differences int
}

// kind is a request that takes effect each time it is executed: only its key prevents a second
// effect.
type kind struct {
	name    string
	request func(s *storm, key string, n int) request
}

var kinds = []kind{
	{"order", func(s *storm, key string, n int) request {
		return authorize(key, s.Companies[0], money.Amount(10_00+n), "")
	}},
	{"refund", func(s *storm, key string, _ int) request { return refund(key, s.toRefund, 1_00) }},
	{"payment", func(s *storm, key string, _ int) request { return pay(key, s.toPay, 1_00) }},
}

// TestStorm is T19: many callers send one key to both nodes at once, while one of the nodes is
// killed. Each key is executed once, and everybody gets the same bytes.
func TestStorm(t *testing.T) {
	random := rand.New(rand.NewPCG(seed(t), 19))
	begin := time.Now()
	s := &storm{site: openSite(t, pgtest.Database(t), 1)}
	s.client = s.site.client()
	s.toRefund, s.toPay = s.loan("refunds"), s.loan("payments")
	requests := make([]request, *keysFlag)
	for n := range requests {
		requests[n] = kinds[n%len(kinds)].request(s, fmt.Sprintf("storm-%d", n), n)
	}
	waves := (len(requests) + waveKeys - 1) / waveKeys
	at := waves/3 + random.IntN(waves/3+1) // the wave in which a node is killed
	victim := s.nodes[random.IntN(len(s.nodes))]
	var took figures
	for w := range waves {
		wave := requests[w*waveKeys : min(len(requests), (w+1)*waveKeys)]
		beside := func() {}
		if w == at {
			pause := time.Duration(random.IntN(10)) * time.Millisecond
			beside = func() {
				time.Sleep(pause)
				s.kill(victim)
				took = s.restart(victim)
			}
		}
		s.wave(wave, beside)
	}
	s.effects(requests)
	s.recorded(requests)
	s.others(requests)
	s.finish()
	t.Logf("same key: keys %d / callers %d / replays %d / byte differences %d / unanswered %d / node back in %s / %s", len(requests),
		2**callersFlag, s.replays, s.differences, s.lost.Load(), took.quantile(100), time.Since(begin).Round(time.Millisecond))
	if s.replays == 0 || s.began.Load() == 0 {
		t.Error("nothing was replayed: the test means nothing")
	}
}

// loan captures an order of 10,000.
func (s *storm) loan(key string) string {
	s.t.Helper()
	var o order
	err := s.client.must(authorize(key, s.Companies[0], 10_000_00, ""), &o)
	if err == nil {
		err = s.client.must(capture(key+"-c", o.Key), &o)
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return o.Key
}

// wave sends the requests of one barrier, runs beside in this goroutine meanwhile, and compares
// the responses for each key.
func (s *storm) wave(wave []request, beside func()) {
	s.t.Helper()
	callers := len(s.nodes) * *callersFlag
	answers, errs := make([]answer, callers*len(wave)), make([]error, callers*len(wave))
	var done sync.WaitGroup
	done.Go(func() {
		together(len(answers), func(i int) {
			var lost int
			answers[i], lost, errs[i] = s.client.until(wave[i%len(wave)])
			s.lost.Add(int64(lost))
		})
	})
	beside()
	done.Wait()
	if err := errors.Join(errs...); err != nil {
		s.t.Fatal(err)
	}
	for n, r := range wave {
		fresh := 0
		for i := n; i < len(answers); i += len(wave) {
			if answers[i].Replayed {
				s.replays++
			} else {
				fresh++
			}
			if !answers[i].accepted() || !answers[i].same(answers[n]) {
				s.differences++
				s.t.Errorf("%s: one caller got %+v, another %+v", r, answers[n], answers[i])
			}
		}
		// The executing one may have got no response.
		if fresh > 1 {
			s.t.Errorf("%s: %d callers were told that theirs was the execution", r, fresh)
		}
		s.began.Add(int64(fresh))
	}
}

// effects checks through the API what all keys have done.
func (s *storm) effects(requests []request) {
	s.t.Helper()
	orders, err := walk[order](s.client, "/v1/orders?company_id="+s.Companies[0])
	if err != nil {
		s.t.Fatal(err)
	}
	byAmount, refunded, count := map[money.Amount]int{}, 0, map[string]int{}
	for _, o := range orders {
		byAmount[o.Amount]++
		if o.Key == s.toRefund {
			refunded = len(o.Refunds)
		}
	}
	for n := range requests {
		k := kinds[n%len(kinds)].name
		count[k]++
		if amount := money.Amount(10_00 + n); k == "order" && byAmount[amount] != 1 {
			s.t.Errorf("%d orders of %s, which one key asked for", byAmount[amount], amount)
		}
	}
	payments, err := walk[payment](s.client, "/payments?order_key="+s.toPay)
	if err != nil {
		s.t.Fatal(err)
	}
	const loans = 2
	if len(orders) != count["order"]+loans || refunded != count["refund"] || len(payments) != count["payment"] {
		s.t.Errorf("%d orders, %d refunds, %d payments, expected %v and %d orders", len(orders), refunded, len(payments), count, loans)
	}
}

// recorded checks in the database: each key has one decision, and its events are those of every
// other key of its kind, each once.
func (s *storm) recorded(requests []request) {
	s.t.Helper()
	conn := dial(s.t, s.url)
	usual := map[string]string{}
	for n, r := range requests {
		decisions, events := s.decided(conn, r.Key)
		k := kinds[n%len(kinds)].name
		if _, known := usual[k]; !known {
			usual[k] = events
		}
		if decisions != 1 || events == "" || events != usual[k] {
			s.t.Errorf("%s: %d decisions with the events %q, expected those of any %s, %q", r, decisions, events, k, usual[k])
		}
	}
	s.t.Logf("events of a key: %v", usual)
}

// decided counts the decisions of a key, and lists the types of their events.
func (s *storm) decided(conn *pgx.Conn, key string) (decisions int, events string) {
	s.t.Helper()
	rows, err := conn.Query(s.t.Context(), `SELECT q, at, told FROM audit WHERE idempotency_key = $1 ORDER BY q`, key)
	if err != nil {
		s.t.Fatal(err)
	}
	defer rows.Close()
	var types []string
	for ; rows.Next(); decisions++ {
		var x store.ToldRow
		if err := rows.Scan(&x.Q, &x.At, &x.Told); err != nil {
			s.t.Fatal(err)
		}
		told, err := store.Unpack(x.Told, x.Q, x.At)
		if err != nil {
			s.t.Fatal(err)
		}
		for _, e := range told.Events {
			types = append(types, string(e.Type))
		}
	}
	if err := rows.Err(); err != nil {
		s.t.Fatal(err)
	}
	return decisions, strings.Join(types, " ")
}

// others uses the same keys for another body, and as another API client.
func (s *storm) others(requests []request) {
	s.t.Helper()
	foreign := s.client.as(s.second)
	together(len(requests), func(n int) {
		r := requests[n]
		other := r
		other.Body = `{"amount":"2.50"}`
		if r.Method == http.MethodPost {
			other = authorize(r.Key, s.Companies[0], 2_50, "")
		}
		for node := range s.nodes {
			if a, err := s.client.at(node, other); err != nil || a.Status != http.StatusUnprocessableEntity || a.code() != "idempotency_key_reused" {
				s.t.Errorf("%s with another body at node %d: %d %s %v", r, node+1, a.Status, a.Body, err)
			}
		}
		if kinds[n%len(kinds)].name != "order" {
			return
		}
		// A key belongs to its API client: another client's key is a different one (ID1).
		var mine, theirs order
		a, err := foreign.at(n, r)
		err = errors.Join(err, a.read(&theirs), s.client.must(r, &mine))
		if err != nil || a.Replayed || theirs.Key == mine.Key {
			s.t.Errorf("%s by another API client: %d %s, replayed: %t, %v", r, a.Status, a.Body, a.Replayed, err)
		}
	})
}
