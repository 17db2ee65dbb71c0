//go:build linux

package nodetest

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync"

	"tenor/internal/domain/money"
)

// mixers is the number of clients, and mixes how many decisions each makes.
const (
	mixers = 12
	mixes  = 15
)

// mix is a round of mixed decisions: everybody reserves, changes, captures, cancels, refunds and
// pays on one line and works on the same orders, while the lender changes the limit. In the order
// of their sequences, all decisions are those of the book.
type mix struct {
	*racing
	company string

	mu     sync.Mutex
	orders []string
	calls  []mixed
}

// mixed is a call and its effect on the book.
type mixed struct {
	call
	take func(b *book, c call) error
}

// first is the limit at the start of a round of mixed decisions.
const first = money.Amount(1500_00)

func (r *racing) mixed() {
	r.t.Helper()
	m := &mix{racing: r, company: r.company(first.String())}
	errs := make([]error, mixers)
	randoms := make([]*rand.Rand, mixers)
	for i := range randoms {
		randoms[i] = rand.New(rand.NewPCG(r.random.Uint64(), uint64(i)))
	}
	prefix := r.key()
	done := make(chan struct{})
	go func() {
		defer close(done)
		together(mixers, func(i int) { errs[i] = m.work(i, prefix, randoms[i]) })
	}()
	limits := []money.Amount{700_00, 2500_00, 1200_00}
	for _, limit := range limits {
		r.Run(r.t, r.program, "companies", "line", m.company, limit.String(), "--reason", "credit_score", "--because", "x", "--quiet")
	}
	<-done
	r.no(errs...)
	r.attempts += len(m.calls) + len(limits)
	m.replay(limits)
}

// work makes one client's calls, to its own node.
func (m *mix) work(i int, prefix string, random *rand.Rand) error {
	for n := range mixes {
		q, take := m.draw(fmt.Sprintf("%s-%d-%d", prefix, i, n), random)
		a, err := m.client.at(i, q)
		if err != nil {
			return err
		}
		if !a.definite() {
			return fmt.Errorf("%s: %d %s", q, a.Status, a.Body)
		}
		m.learn(mixed{call{q, a}, take})
	}
	return nil
}

// draw generates a request, for an order created by anyone.
func (m *mix) draw(key string, random *rand.Rand) (request, func(*book, call) error) {
	amount := money.Amount(1+random.IntN(8)) * 50_00
	m.mu.Lock()
	o := ""
	if n := len(m.orders); n > 0 {
		o = m.orders[n-1-random.IntN(min(n, 6))]
	}
	m.mu.Unlock()
	n := random.IntN(10)
	switch {
	case o == "" || n < 4:
		return authorize(key, m.company, amount, ""), func(b *book, c call) error { return b.authorize(c, amount) }
	case n == 4:
		return patch(key, o, fmt.Sprintf(`{"amount":%q}`, amount)), func(b *book, c call) error { return b.setAmount(c, o, amount) }
	case n < 7:
		return capture(key, o), func(b *book, c call) error { return b.capture(c, o) }
	case n == 7:
		return cancel(key, o), func(b *book, c call) error { return b.cancel(c, o) }
	case n == 8:
		return refund(key, o, amount), func(b *book, c call) error { return b.refund(c, o, amount) }
	}
	return pay(key, o, amount), func(b *book, c call) error { return b.pay(c, o, amount) }
}

func (m *mix) learn(c mixed) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.calls = append(m.calls, c)
	var made order
	if c.answer.Location != "" && c.answer.read(&made) == nil && made.Status == "AUTHORIZED" {
		m.orders = append(m.orders, made.Key)
	}
}

// replay applies all decisions to a book in the order of their sequences.
func (m *mix) replay(limits []money.Amount) {
	m.t.Helper()
	changes, err := m.limitSeqs(len(limits))
	m.no(err)
	slices.SortFunc(m.calls, func(a, b mixed) int { return int(a.answer.seq() - b.answer.seq()) })
	b := newBook(first)
	for _, c := range m.calls {
		for len(changes) > 0 && changes[0] < c.answer.seq() {
			b.limit, limits, changes = limits[0], limits[1:], changes[1:]
		}
		if c.answer.seq() == 0 {
			m.t.Errorf("%s has no sequence: %d %s", c.request, c.answer.Status, c.answer.Body)
			continue
		}
		if err := c.take(b, c.call); err != nil {
			m.t.Fatal(err)
		}
	}
	if len(limits) > 0 {
		b.limit = limits[len(limits)-1]
	}
	m.compare(m.company, b)
}

// limitSeqs returns the sequences of the limit changes, which the command line does not print.
func (m *mix) limitSeqs(n int) (seqs []int64, err error) {
	rows, err := m.gate.look.Query(m.t.Context(), "SELECT q FROM audit WHERE company_id = $1::text::bigint AND command = 'company.update' ORDER BY q", m.company)
	if err != nil {
		return nil, err
	}
	defer rows.Close()
	for rows.Next() {
		var q int64
		if err := rows.Scan(&q); err != nil {
			return nil, err
		}
		seqs = append(seqs, q)
	}
	if len(seqs) != n {
		err = fmt.Errorf("%d changes of the limit are in the audit log, %d were made", len(seqs), n)
	}
	return seqs, errors.Join(err, rows.Err())
}
