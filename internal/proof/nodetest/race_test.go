//go:build linux

package nodetest

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"testing"
	"time"

	"tenor/internal/domain/money"
	"tenor/internal/proof/pgtest"
)

// racing is the state of T17 over its rounds.
type racing struct {
	*site
	gate     *gate
	client   *client
	random   *rand.Rand
	rich     string // a company whose line is never exhausted
	sent     int    // number of keys
	attempts int
	over     int // reservations above a line
}

// readersEach is how many reading connections a node has.
const readersEach = 8

// TestRace is T17: two nodes compete for the same line, order or payment. What is accepted is
// exactly what fits.
func TestRace(t *testing.T) {
	s := seed(t)
	begin := time.Now()
	r := &racing{site: openSite(t, pgtest.Database(t), 1, "--readers", fmt.Sprint(readersEach)), random: rand.New(rand.NewPCG(s, 17))}
	r.gate, r.client, r.rich = newGate(t, r.url), r.site.client(), r.Companies[0]
	r.warm()
	for round := range *roundsFlag {
		for _, x := range lines[round%len(lines)] {
			r.reservations(x)
		}
		r.pairs()
		r.mixed()
		if t.Failed() {
			t.Fatalf("in round %d", round+1)
		}
	}
	r.finish()
	t.Logf("races: rounds %d / attempts %d / over %d / %s", *roundsFlag, r.attempts, r.over, time.Since(begin).Round(time.Millisecond))
}

// key returns a new Idempotency-Key.
func (r *racing) key() string {
	r.sent++
	return fmt.Sprintf("race-%d", r.sent)
}

// warm makes both nodes write, and read more at once than they have connections for.
func (r *racing) warm() {
	r.t.Helper()
	r.gate.shut()
	var all sync.WaitGroup
	each := 4 * readersEach
	errs := make([]error, len(r.nodes)*(each+1))
	for i := range errs {
		q := request{Method: http.MethodGet, Path: "/v2/companies/" + r.rich}
		if i < len(r.nodes) {
			q = authorize(r.key(), r.rich, 100, "")
		}
		all.Go(func() {
			a, err := r.client.at(i, q)
			if err != nil || !a.definite() { // connecting may take long
				a, _, err = r.client.until(q)
			}
			if err == nil {
				err = a.read(&struct{}{})
			}
			errs[i] = err
		})
	}
	r.gate.await(len(r.nodes), len(r.nodes)) // readers share their connections
	r.gate.open()
	all.Wait()
	r.no(errs...)
}

// no fails the test if there is an error.
func (r *racing) no(errs ...error) {
	r.t.Helper()
	for _, err := range errs {
		if err != nil {
			r.t.Fatal(err)
		}
	}
}

// contest is n reservations of an amount on a line, in cents.
type contest struct {
	line, amount money.Amount
	n            int
}

// lines are the races of each round.
var lines = [][]contest{
	{{1000_00, 100_00, 160}},
	{{1050_00, 100_00, 160}},
	{{1000_00, 100_00, 8}, {99_99, 100_00, 20}},
	{{1000_00, 100_00, 50}},
	{{1000_00, 333_34, 160}},
}

// reservations checks CL7: of n requests for a on v exactly min(n, ⌊v/a⌋) are accepted, and each
// refusal is justified at its own sequence.
func (r *racing) reservations(x contest) {
	r.t.Helper()
	company := r.company(x.line.String())
	requests := make([]request, x.n)
	for i := range requests {
		requests[i] = authorize(r.key(), company, x.amount, "")
	}
	answers := r.race(requests)
	book := newBook(x.line)
	accepted, want := 0, min(x.n, int(x.line/x.amount))
	for _, c := range inOrder(r.t, requests, answers) {
		r.judge(book.authorize(c, x.amount))
		if c.answer.accepted() {
			accepted++
		}
	}
	if accepted != want {
		r.over += max(0, accepted-want)
		r.t.Errorf("%d of %d reservations of %s on %s were accepted, expected %d", accepted, x.n, x.amount, x.line, want)
	}
	r.compare(company, book)
}

// race sends all requests at once, half of them to each node. Both nodes have a batch ready
// before either may start.
func (r *racing) race(requests []request) []answer {
	r.t.Helper()
	answers, errs := make([]answer, len(requests)), make([]error, len(requests))
	done := make(chan struct{})
	r.gate.shut()
	go func() {
		defer close(done)
		together(len(requests), func(i int) { answers[i], errs[i] = r.client.at(i, requests[i]) })
	}()
	r.gate.await(len(r.nodes), 0)
	r.gate.open()
	<-done
	r.no(errs...)
	r.attempts += len(requests)
	return answers
}

// judge reports a decision that contradicts the book.
func (r *racing) judge(err error) {
	r.t.Helper()
	if err != nil {
		r.t.Error(err)
	}
}

// compare compares the line shown by the API with the book.
func (r *racing) compare(company string, b *book) {
	r.t.Helper()
	found, err := r.client.line(company)
	r.no(err)
	if found != b.line() {
		r.t.Errorf("company %s: line %+v, expected %+v", company, found, b.line())
	}
}
