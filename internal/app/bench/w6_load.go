package bench

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os/exec"
	"time"
)

// The callers during a day: few, at a fixed rate, so that they show what the day does to them and
// not what they do to it.
const (
	lightCallers = 4
	lightRate    = 200.0 // requests per second: four fifths read, one fifth authorizes
)

// Calling is the input of callers in a separate process.
//
// They are separate because the book's lender runs in the benchmark's process: a goroutine that
// sleeps until its next request is due wakes late while the lender computes, and no caller waits
// for that. The system wakes a separate process in time.
type Calling struct {
	Host      string   `json:"host"`  // where the API listens, host:port
	Token     string   `json:"token"` // of the merchant
	Name      string   `json:"name"`  // unique in the database: prefix of order numbers and keys
	Seed      uint64   `json:"seed"`
	Companies []int64  `json:"companies"` // buyers
	Orders    []string `json:"orders"`    // to read
}

// called is what they report: first that they have started, then their measurements.
type called struct {
	Requests int64          `json:"requests"`
	Errors   int64          `json:"errors"`
	First    string         `json:"first,omitempty"` // the first of these
	Gap      time.Duration  `json:"gap"`             // ns
	Elapsed  time.Duration  `json:"elapsed"`         // ns
	Max      time.Duration  `json:"max"`             // ns
	Counts   map[int]uint32 `json:"counts"`          // by bucket
	Created  []string       `json:"created"`         // acknowledged orders
}

// Call is the callers' process. It reads a Calling, reports on out that it has started, sends a
// light load until in ends, and writes its measurements to out.
func Call(ctx context.Context, in io.Reader, out io.Writer) error {
	var what Calling
	read := json.NewDecoder(in)
	if err := read.Decode(&what); err != nil {
		return fmt.Errorf("call: %w", err)
	}
	if len(what.Companies) == 0 || len(what.Orders) == 0 {
		return errors.New("call: companies and orders are needed")
	}
	s := &shop{token: what.Token, companies: what.Companies, orders: what.Orders, rng: rng(what.Seed)}
	callers, err := s.dial(lightCallers, what.Host)
	if err != nil {
		return fmt.Errorf("call: %w", err)
	}
	for i, c := range callers {
		c.name = fmt.Sprintf("%s-%d", what.Name, i)
	}
	write := json.NewEncoder(out)
	if err := write.Encode(called{}); err != nil {
		return fmt.Errorf("call: %w", err)
	}
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	go func() {
		defer stop()
		_, _ = io.Copy(io.Discard, in) // however it ends, the parent asks for no more
	}()
	const aDay = 24 * time.Hour // it is stopped before that
	sum := openLoop(ctx, callers, lightRate, aDay, light)
	s.leave(callers)
	return write.Encode(sum.told(s.acked.created))
}

// light is one request of a caller during a day.
func light(c *caller) error {
	if c.rng.below(5) == 0 {
		return authorize(c)
	}
	_, err := c.ask(&request{method: "GET", path: "/v1/order/" + c.shop.orders[c.rng.below(len(c.shop.orders))]}, 200)
	return err
}

// told converts a result for another process.
func (r *result) told(created []string) called {
	x := called{
		Requests: r.requests, Errors: r.errors, Gap: r.gap, Elapsed: r.elapsed, Max: r.latency.max, Counts: map[int]uint32{}, Created: created,
	}
	if r.first != nil {
		x.First = r.first.Error()
	}
	for i, n := range r.latency.counts {
		if n > 0 {
			x.Counts[i] = n
		}
	}
	return x
}

// result converts it back.
func (x *called) result() (*result, error) {
	r := &result{requests: x.Requests, errors: x.Errors, gap: x.Gap, elapsed: x.Elapsed}
	if x.First != "" {
		r.first = errors.New(x.First)
	}
	for i, n := range x.Counts {
		if i < 0 || i >= len(r.latency.counts) {
			return nil, fmt.Errorf("a histogram has no bucket %d", i)
		}
		r.latency.counts[i] = n
		r.latency.n += int64(n)
	}
	r.latency.max = x.Max
	return r, nil
}

// serveDay serves HTTP for the lender of a book until the book is closed.
func (r *runner) serveDay(ctx context.Context, b *dayBook) error {
	var err error
	if b.shop.token, err = token(ctx, b.db, b.eng, b.shop.merchant); err != nil {
		return err
	}
	server, err := r.cfg.API(b.db, b.eng, b.clock.Now)
	if err != nil {
		return fmt.Errorf("make the API: %w", err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	b.host = l.Addr().String()
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	lender := b.close
	b.close = func() error {
		err := server.Close()
		if served := <-ended; !errors.Is(served, http.ErrServerClosed) {
			err = errors.Join(err, served)
		}
		return errors.Join(err, lender())
	}
	return nil
}

// callers sends a light load while until runs.
func (r *runner) callers(ctx context.Context, b *dayBook, until func(context.Context) error) (*result, error) {
	b.shop.series++
	job, err := json.Marshal(Calling{
		Host: b.host, Token: b.shop.token, Name: fmt.Sprint(b.shop.series), Seed: b.shop.rng.next(),
		Companies: b.shop.companies, Orders: b.shop.orders,
	})
	if err != nil {
		return nil, err
	}
	p, err := startCallers(r.cfg.Callers, job)
	if err != nil {
		return nil, fmt.Errorf("start callers: %w", err)
	}
	err = until(ctx)
	told, ended := p.stop()
	if err = errors.Join(err, ended); err != nil {
		return nil, err
	}
	sum, err := told.result()
	if err != nil {
		return nil, err
	}
	b.shop.acked.created = append(b.shop.acked.created, told.Created...)
	if sum.errors > 0 {
		r.invalid("%s: %s: %d of %d requests failed: %v", b.kind, b.name(), sum.errors, sum.requests, sum.first)
	}
	return sum, nil
}

// callerProcess is a running Call.
type callerProcess struct {
	cmd  *exec.Cmd
	job  io.WriteCloser // closing it ends the load
	said *json.Decoder
	errs bytes.Buffer
}

// startCallers starts Call in a separate process and waits until it sends.
func startCallers(argv []string, job []byte) (*callerProcess, error) {
	p := &callerProcess{cmd: exec.Command(argv[0], argv[1:]...)}
	p.cmd.Stderr = &p.errs
	out, err := p.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if p.job, err = p.cmd.StdinPipe(); err != nil {
		return nil, err
	}
	p.said = json.NewDecoder(out)
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	_, err = p.job.Write(job)
	var begun called
	if err == nil {
		err = p.said.Decode(&begun)
	}
	if err != nil {
		_, ended := p.stop()
		return nil, errors.Join(err, ended)
	}
	return p, nil
}

// stop ends the load and returns the measurements.
func (p *callerProcess) stop() (sum called, err error) {
	err = p.job.Close()
	limit := time.AfterFunc(stopTimeout, func() { _ = p.cmd.Process.Kill() }) // it may have ended
	defer limit.Stop()
	err = errors.Join(err, p.said.Decode(&sum))
	if ended := p.cmd.Wait(); ended != nil {
		err = errors.Join(err, fmt.Errorf("%w\n%s", ended, p.errs.Bytes()))
	}
	return sum, err
}

// sleep waits for d, or until the context ends.
func sleep(ctx context.Context, d time.Duration) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(d):
		return nil
	}
}
