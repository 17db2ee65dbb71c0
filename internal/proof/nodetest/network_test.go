//go:build linux

package nodetest

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"
	"time"

	"tenor/internal/domain/money"
)

// Parameters of the network test.
const (
	traders         = 6
	tradedCompanies = 3
)

// TestNetwork is T20: shops use networks that lose requests and responses, truncate them, delay
// them, send them several times, and let later ones overtake earlier ones. Every shop retries
// under the same key until it knows. Afterwards the result is that of a server with a reliable
// network, and no command was decided twice.
func TestNetwork(t *testing.T) {
	for _, on := range []struct {
		name string
		open func(*testing.T, int) *house
	}{{"SQLite", onSQLite}, {"PostgreSQL", onPostgres}} {
		t.Run(on.name, func(t *testing.T) {
			random := rand.New(rand.NewPCG(seed(t), 20))
			begin := time.Now()
			n := &networks{t: t, house: on.open(t, tradedCompanies), twin: onSQLite(t, tradedCompanies), tally: &tally{count: map[string]int{}}}
			n.trade(random)
			n.keysAgain()
			n.once()
			n.compare()
			n.control(random)
			n.hangUp()
			n.house.finish()
			n.twin.finish()
			t.Logf("network: acts %d / %s / %s", n.acts(), n.tally, time.Since(begin).Round(time.Millisecond))
		})
	}
}

// networks is the state of the test.
type networks struct {
	t       *testing.T
	house   *house
	twin    *house
	tally   *tally
	traders []*trader
}

func (n *networks) acts() (sum int) {
	for _, x := range n.traders {
		sum += len(x.deeds)
	}
	return sum
}

// trade lets all shops work concurrently.
func (n *networks) trade(random *rand.Rand) {
	n.t.Helper()
	errs := make([]error, traders)
	var done sync.WaitGroup
	for i := range traders {
		x := newTrader(n.t, n.t.Context(), n.house, fmt.Sprintf("shop%d", i), rand.New(rand.NewPCG(random.Uint64(), uint64(i))), n.tally)
		n.traders = append(n.traders, x)
		done.Go(func() { errs[i] = x.trade(*dealsFlag) })
	}
	done.Wait()
	for i, err := range errs {
		if err != nil {
			n.t.Errorf("shop %d: %v", i, err)
		}
	}
	if n.t.Failed() {
		n.t.FailNow()
	}
	for _, m := range mischiefs {
		if n.tally.count[m.name] == 0 {
			n.t.Errorf("no request was %s: the test means less", m.name)
		}
	}
	if n.tally.count[duplicates] == 0 || n.tally.count[reordered] == 0 {
		n.t.Errorf("%s: the test means nothing", n.tally)
	}
}

// keysAgain sends every request once more to every server: the same bytes must come back.
func (n *networks) keysAgain() {
	n.t.Helper()
	c := n.house.client()
	for _, x := range n.traders {
		for _, d := range x.deeds {
			for node := range n.house.servers {
				a, err := c.at(node, x.request(d.act))
				if err != nil || !a.Replayed || !a.same(d.answer) {
					n.t.Errorf("%s again: %+v, %v; it had been %+v", d.key, a, err, d.answer)
				}
			}
		}
	}
}

// once checks the audit log: each key was decided once, and nothing else was.
func (n *networks) once() {
	n.t.Helper()
	found := n.house.decisions()
	for _, x := range n.traders {
		for _, d := range x.deeds {
			if found[d.key] != 1 {
				n.t.Errorf("%s was decided %d times", d.key, found[d.key])
			}
			delete(found, d.key)
		}
	}
	if len(found) > 0 {
		n.t.Errorf("nobody asked for %v", found)
	}
}

// compare compares everything with our own arithmetic, and with the server without mischief.
func (n *networks) compare() {
	n.t.Helper()
	c, twin := n.house.client(), n.twin.client()
	var sales []*sale
	for _, x := range n.traders {
		sales = append(sales, x.sales...)
	}
	wrong, err := checkSales(c, sales)
	if err != nil {
		n.t.Fatal(err)
	}
	for _, p := range append(wrong, checkLines(c, n.house.Companies, sales)...) {
		n.t.Error(p)
	}
	for _, x := range n.traders {
		problems, err := x.compare(c, twin, n.twin.Companies)
		if err != nil {
			n.t.Fatal(err)
		}
		for _, p := range problems {
			n.t.Error(p)
		}
	}
	for i := range n.house.Companies {
		here, err := c.line(n.house.Companies[i])
		there, err2 := twin.line(n.twin.Companies[i])
		if err != nil || err2 != nil || here != there {
			n.t.Errorf("company %d: line %+v, without mischief %+v, %v %v", i+1, here, there, err, err2)
		}
	}
}

// hangUp closes what mischief has left open: a stopping server would wait for the rest of a
// request.
func (n *networks) hangUp() {
	n.t.Helper()
	for _, x := range n.traders {
		for _, p := range x.links {
			if err := p.Close(); err != nil {
				n.t.Error(err)
			}
		}
	}
}

// control is a shop that retries under another key, like one without keys: it pays twice, and the
// comparison must see it.
func (n *networks) control(random *rand.Rand) {
	n.t.Helper()
	x := newTrader(n.t, n.t.Context(), n.house, "naive", random, n.tally)
	for _, a := range []struct {
		what   string
		amount money.Amount
	}{{"create", 500_00}, {"capture", 0}, {"pay", 100_00}} {
		next := x.act(a.what, a.amount)
		got, err := x.again(x.request(next))
		if err == nil && a.what == "pay" { // its response is lost, and it is sent again
			r := x.request(next)
			r.Key += "-again"
			got, err = x.again(r)
		}
		if err == nil {
			err = x.learn(next, got, "")
		}
		if err != nil {
			n.t.Fatal(err)
		}
	}
	problems, err := x.compare(n.house.client(), n.twin.client(), n.twin.Companies)
	if err != nil || len(problems) == 0 {
		n.t.Errorf("a shop that paid twice is not seen: %v", err)
	}
}
