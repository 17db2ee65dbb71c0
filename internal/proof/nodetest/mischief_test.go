//go:build linux

package nodetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tenor/internal/proof/faultproxy"
)

// mischief is what the network does to one request. It returns the definite response.
type mischief struct {
	name string
	run  func(x *trader, r request) (answer, error)
}

var mischiefs = []mischief{
	{"answer cut off", (*trader).answerCutOff},
	{"request cut off", (*trader).requestCutOff},
	{"request lost", (*trader).requestLost},
	{"answer lost", (*trader).answerLost},
	{"delayed in pieces", (*trader).delayed},
	{"sent by several at once", (*trader).together},
	{"overtaken by its repeat", (*trader).overtakenByRepeat},
	{"arrives when its client has gone", (*trader).arrivesAlone},
	{"repeated by the network", (*trader).repeated},
}

// tally counts what the network has done, by name.
type tally struct {
	mu    sync.Mutex
	count map[string]int
}

func (c *tally) add(what string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count[what] += n
}

func (c *tally) String() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []string
	for _, what := range slices.Sorted(maps.Keys(c.count)) {
		out = append(out, fmt.Sprintf("%s %d", what, c.count[what]))
	}
	return strings.Join(out, ", ")
}

// Other counters.
const (
	duplicates = "duplicates that arrived"
	reordered  = "reorderings"
)

// link chooses a connection to a server at random.
func (x *trader) link() (*faultproxy.Proxy, int) {
	n := x.random.IntN(len(x.links))
	return x.links[n], n
}

func (x *trader) anyBreak() faultproxy.Break {
	return []faultproxy.Break{faultproxy.Reset, faultproxy.Close, faultproxy.Silence}[x.random.IntN(3)]
}

// again sends a request until it has a definite response.
func (x *trader) again(r request) (answer, error) {
	a, _, err := x.client.until(r)
	return a, err
}

// attempt sends a request once, and gives up when happened is closed.
func (x *trader) attempt(node int, r request, happened <-chan struct{}) (answer, error) {
	ctx, cancel := context.WithCancel(x.client.ctx)
	defer cancel()
	go func() {
		select {
		case <-happened:
			cancel()
		case <-ctx.Done():
		}
	}()
	return x.client.within(ctx).at(node, r)
}

// answerCutOff breaks the connection within the first bytes of the response: the command was
// carried out, but its client does not know.
func (x *trader) answerCutOff(r request) (answer, error) {
	p, node := x.link()
	cut := p.CutAfter(faultproxy.ToClient, x.random.IntN(150), x.anyBreak())
	if a, err := x.attempt(node, r, cut.Done()); err == nil {
		return a, errors.New("an answer came through a cut")
	}
	a, err := x.again(r)
	x.tally.add(duplicates, 1)
	if err == nil && !a.Replayed {
		err = errors.New("it had been answered, and was executed again")
	}
	return a, err
}

// requestCutOff breaks the connection before the request is complete.
func (x *trader) requestCutOff(r request) (answer, error) {
	p, node := x.link()
	cut := p.CutAfter(faultproxy.ToServer, x.random.IntN(150), x.anyBreak())
	if a, err := x.attempt(node, r, cut.Done()); err == nil {
		return a, errors.New("an answer came to a request that was cut")
	}
	a, err := x.again(r)
	if err == nil && a.Replayed {
		err = errors.New("half a request was executed")
	}
	return a, err
}

// requestLost swallows the request.
func (x *trader) requestLost(r request) (answer, error) {
	return x.lose(r, faultproxy.ToServer)
}

// answerLost swallows the response, and nobody closes the connection.
func (x *trader) answerLost(r request) (answer, error) {
	defer x.tally.add(duplicates, 1)
	return x.lose(r, faultproxy.ToClient)
}

// lose drops the bytes in a direction, until something was dropped.
func (x *trader) lose(r request, d faultproxy.Direction) (answer, error) {
	p, node := x.link()
	dropped := make(chan struct{})
	var once sync.Once
	p.OnData(func(of faultproxy.Direction, _ faultproxy.ConnID, _ []byte) faultproxy.Action {
		if of == d {
			once.Do(func() { close(dropped) })
		}
		return faultproxy.Action{}
	})
	p.BlackHole(d, faultproxy.Drop)
	_, err := x.attempt(node, r, dropped)
	p.OnData(nil)
	p.Heal()
	if err == nil {
		return answer{}, errors.New("an answer came through a black hole")
	}
	return x.again(r)
}

// delayed sends the request slowly, a few bytes at a time.
func (x *trader) delayed(r request) (answer, error) {
	for _, p := range x.links {
		p.Latency(faultproxy.Both, 2*time.Millisecond, 2*time.Millisecond, x.random.Uint64())
		p.Slice(faultproxy.ToServer, 20+x.random.IntN(100), 0)
		defer p.Heal()
	}
	return x.again(r)
}

// together sends it several times concurrently, over all links: one is executed, and all get its
// response.
func (x *trader) together(r request) (answer, error) {
	n := 2 + x.random.IntN(4)
	x.tally.add(duplicates, n-1)
	answers, errs := make([]answer, n), make([]error, n)
	together(n, func(i int) { answers[i], errs[i] = x.again(r) })
	executed := 0
	for _, a := range answers {
		if !a.Replayed {
			executed++
		}
		if !a.same(answers[0]) {
			errs = append(errs, fmt.Errorf("one of %d got %+v, another %+v", n, answers[0], a))
		}
	}
	if executed != 1 {
		errs = append(errs, fmt.Errorf("%d of %d were told that theirs was the execution", executed, n))
	}
	return answers[0], errors.Join(errs...)
}

// straggler is a request held back by the network.
type straggler struct {
	request
	p      *faultproxy.Proxy
	id     faultproxy.ConnID
	gate   *faultproxy.Gate
	result chan outcome // what its sender gets
	gone   bool         // its sender has gone away
	answer answer       // of the request that overtook it
	after  int          // by how many acts it is late
}

type outcome struct {
	answer
	err error
}

// hold sends a request and holds it back. Half of the senders go away meanwhile.
func (x *trader) hold(r request) (*straggler, error) {
	p, node := x.link()
	s := &straggler{request: r, p: p, gate: faultproxy.NewGate(), result: make(chan outcome, 1)}
	var id atomic.Int64
	p.OnData(func(d faultproxy.Direction, of faultproxy.ConnID, _ []byte) faultproxy.Action {
		if d != faultproxy.ToServer {
			return faultproxy.Action{}
		}
		id.Store(int64(of))
		return s.gate.Hold()
	})
	go func() {
		a, err := x.client.at(node, r)
		s.result <- outcome{a, err}
	}()
	select {
	case <-s.gate.Caught():
	case got := <-s.result:
		return nil, fmt.Errorf("%s was not kept back: %+v", r, got)
	}
	p.OnData(nil)
	s.id = faultproxy.ConnID(id.Load())
	if x.random.IntN(2) == 0 {
		s.leave()
	}
	return s, nil
}

// leave makes its sender go away.
func (s *straggler) leave() {
	s.gone = true
	s.p.BreakClient(s.id)
}

// release lets it through and returns what its sender got. If nobody is waiting for it any more,
// it returns nothing once the server has finished with it.
func (s *straggler) release(ctx context.Context) (answer, error) {
	s.gate.Release()
	if s.gone {
		ctx, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		return answer{}, s.p.WaitGone(ctx, s.id)
	}
	got := <-s.result
	return got.answer, got.err
}

// overtakenByRepeat holds a request back, gets its retry answered, and lets the first one arrive
// some acts later.
func (x *trader) overtakenByRepeat(r request) (answer, error) {
	s, err := x.hold(r)
	if err != nil {
		return answer{}, err
	}
	if s.answer, err = x.again(r); err == nil && s.answer.Replayed {
		err = errors.New("a request that did not arrive was executed")
	}
	s.after = x.random.IntN(5)
	x.waiting = append(x.waiting, s)
	return s.answer, err
}

// arrive counts an act, and lets those arrive that are late enough: they get the response of
// their retry, byte for byte.
func (x *trader) arrive() error {
	var still []*straggler
	for _, s := range x.waiting {
		if s.after--; s.after >= 0 {
			still = append(still, s)
			continue
		}
		x.tally.add(duplicates, 1)
		x.tally.add(reordered, 1)
		a, err := s.release(x.client.ctx)
		if err == nil && !s.gone && (!a.Replayed || !a.same(s.answer)) {
			err = fmt.Errorf("it got %+v", a)
		}
		if err != nil {
			return fmt.Errorf("%s came late: %w; its repeat had got %+v", s.request, err, s.answer)
		}
	}
	x.waiting = still
	return nil
}

// arrivesAlone lets a request arrive after its client has gone. Whether it is executed then or by
// the retry, it is executed once.
func (x *trader) arrivesAlone(r request) (answer, error) {
	s, err := x.hold(r)
	if err != nil {
		return answer{}, err
	}
	s.leave()
	if _, err := s.release(x.client.ctx); err != nil {
		return answer{}, err
	}
	a, err := x.again(r)
	if a.Replayed {
		x.tally.add(duplicates, 1)
		x.tally.add("executed although nobody waited", 1)
	}
	return a, err
}

// repeated sends the bytes of an answered request again, several times concurrently, and keeps
// them for the end.
func (x *trader) repeated(r request) (answer, error) {
	p, node := x.link()
	a, err := x.client.at(node, r)
	if err != nil || !a.definite() {
		return x.again(r)
	}
	bytes := p.Recorded(faultproxy.ConnID(p.Accepted()))
	x.recorded = append(x.recorded, bytes)
	n := 1 + x.random.IntN(3)
	errs := make([]error, n)
	together(n, func(i int) { errs[i] = x.repeat(p, bytes, a) })
	return a, errors.Join(errs...)
}

// repeat sends bytes again, which must get the same response.
func (x *trader) repeat(p *faultproxy.Proxy, bytes []byte, want answer) error {
	x.tally.add(duplicates, 1)
	c, err := p.Replay(x.client.ctx, bytes)
	if err != nil {
		return err
	}
	defer c.Close()
	if err := c.SetReadDeadline(time.Now().Add(patience)); err != nil {
		return err
	}
	resp, err := http.ReadResponse(bufio.NewReader(c), nil)
	if err != nil {
		return fmt.Errorf("a repeated request has no answer: %w", err)
	}
	a, err := readAnswer(resp)
	if err == nil && (!a.Replayed || !a.same(want)) {
		err = fmt.Errorf("repeated, it got %+v instead of %+v", a, want)
	}
	return err
}

// repeatAll sends everything recorded again, all at once, much later.
func (x *trader) repeatAll() error {
	answers := map[string]answer{}
	for _, d := range x.deeds {
		answers[d.key] = d.answer
	}
	errs := make([]error, len(x.recorded))
	together(len(x.recorded), func(i int) {
		r, err := http.ReadRequest(bufio.NewReader(strings.NewReader(string(x.recorded[i]))))
		if err != nil {
			errs[i] = err
			return
		}
		errs[i] = x.repeat(x.links[i%len(x.links)], x.recorded[i], answers[r.Header.Get("Idempotency-Key")])
	})
	return errors.Join(errs...)
}

// overtake sends a, then b, and b arrives first. Then a is refused with a code, or accepted if
// that is "".
func (x *trader) overtake(a, b act, code string) error {
	s, err := x.hold(x.request(a))
	if err != nil {
		return err
	}
	x.tally.add(reordered, 1)
	second, err := x.again(x.request(b))
	if err == nil {
		err = x.learn(b, second, "")
	}
	if err != nil {
		return err
	}
	first, err := s.release(x.client.ctx)
	if err == nil && !first.definite() {
		first, err = x.again(s.request) // its sender has gone away
	}
	if err != nil {
		return err
	}
	return x.learn(a, first, code)
}
