package linear

import (
	"context"
	"fmt"
	"math/rand/v2"
	"sync"
)

// client is one caller, which makes one call at a time.
type client struct {
	*sender
	pool   *pool
	number int
	random *rand.Rand
	sent   int       // keys used
	open   []Request // writes without a definite response
	last   Request   // its last answered write
	pause  pause
}

// mostOpen is how many unanswered writes a client leaves before it only retries them.
const mostOpen = 3

// One write in this many goes to two nodes at once, or is resent although it was answered.
const (
	twinsIn  = 16
	againIn  = 24
	limitsIn = 40
)

func (c *client) run(ctx context.Context) {
	for ctx.Err() == nil && c.left.Add(-1) >= 0 {
		switch {
		case len(c.open) > 0 && (len(c.open) >= mostOpen || c.in(2)):
			c.askOpen(ctx)
		case c.last.Key != "" && c.in(againIn):
			c.call(ctx, c.number, c.base(), c.last)
		default:
			c.new(ctx)
		}
	}
}

// in is true once in n times.
func (c *client) in(n int) bool { return c.random.IntN(n) == 0 }

// askOpen retries the oldest write without a response.
func (c *client) askOpen(ctx context.Context) {
	r := c.open[0]
	if a, ok := c.ask(ctx, c.number, c.base(), r); ok {
		c.open = c.open[1:]
		c.learn(r, a)
		return
	}
	c.pause.over(ctx)
}

// new makes a new call.
func (c *client) new(ctx context.Context) {
	r := c.draw()
	if !r.Op.Read() && r.Op != SetLimit && c.in(twinsIn) {
		c.left.Add(-1)
		c.twins(ctx, r)
		return
	}
	if a, ok := c.ask(ctx, c.number, c.base(), r); ok {
		c.learn(r, a)
		return
	}
	c.missed(ctx, r)
}

func (c *client) missed(ctx context.Context, r Request) {
	if !r.Op.Read() {
		c.open = append(c.open, r)
	}
	c.pause.over(ctx)
}

// twins sends one write to two nodes at once.
func (c *client) twins(ctx context.Context, r Request) {
	var answers [2]Answer
	var ok [2]bool
	var both sync.WaitGroup
	for i := range 2 {
		base := c.base()
		both.Go(func() { answers[i], ok[i] = c.ask(ctx, c.number, base, r) })
	}
	both.Wait()
	for i := range 2 {
		if ok[i] {
			c.learn(r, answers[i])
			return
		}
	}
	c.missed(ctx, r)
}

// learn adds what a response shows to the pool.
func (c *client) learn(r Request, a Answer) {
	c.pause = pause{}
	if !r.Op.Read() {
		c.last = r
	}
	c.pool.learn(r, a)
}

// draw generates a request with a new key.
func (c *client) draw() Request {
	d := c.driver
	r := Request{Company: d.Companies[c.random.IntN(len(d.Companies))]}
	key := c.number
	if d.Second != "" {
		r.Caller, key = c.number%2, c.number/2 // two clients have the same keys
	}
	c.choose(&r)
	c.sent++
	switch {
	case r.Op == SetLimit: // the operator is a single API client
		r.Caller, r.Key = 0, fmt.Sprintf("%s-limit-%d-%d", c.rec.Run(), c.number, c.sent)
	case !r.Op.Read():
		r.Key = fmt.Sprintf("%s-%d-%d", c.rec.Run(), key, c.sent)
	}
	return r
}

// choose generates the operation, its order and its amount.
func (c *client) choose(r *Request) {
	d := c.driver
	if d.SetLimit != nil && c.in(limitsIn) {
		if limit := c.pool.limit(r.Company); limit > 0 {
			r.Op, r.Amount = SetLimit, limit*int64(1+c.random.IntN(3))/2
			return
		}
	}
	deal, some := c.pool.order(r.Company, c.random)
	n := c.random.IntN(100)
	if !some && n >= 30 {
		n = n % 40 // nothing to work on yet
	}
	if n >= 40 {
		r.Order = deal.key
	}
	unit := c.pool.unit
	steps := unit * int64(1+c.random.IntN(5))
	switch {
	case n < 30:
		r.Op, r.Amount = Authorize, c.pool.fill(r.Company, steps, c.random)
	case n < 40:
		r.Op = ReadCompany
	case n < 48:
		r.Op = ReadOrder
	case n < 58:
		r.Op, r.Amount = SetAmount, steps
	case n < 70:
		r.Op = Capture
		if c.in(3) {
			r.Amount = steps
		}
	case n < 80:
		r.Op = Cancel
	case n < 89:
		r.Op = Refund
		if !c.in(3) {
			r.Amount = max(deal.captured/int64(1+c.random.IntN(4)), unit/4)
		}
	default:
		r.Op, r.Amount = Pay, max(deal.captured/int64(1+c.random.IntN(3)), unit/4)
	}
}
