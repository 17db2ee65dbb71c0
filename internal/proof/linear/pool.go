package linear

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sync"
)

// pool is the clients' shared knowledge: a few orders of each company, so that they compete for
// them, and the last known state of its line. It may be outdated; then requests are refused,
// which is equally useful.
type pool struct {
	unit int64

	mu     sync.Mutex
	orders map[string][]deal
	lines  map[string]View // last seen
	limits map[string]int64
}

// deal is an order with the amount known to have been captured, in cents.
type deal struct {
	key      string
	captured int64
	over     bool // it uses none of the line
}

// poolSize is approximately how many orders of a company clients compete for.
const poolSize = 12

func newPool(d *Driver) *pool {
	return &pool{unit: cmp.Or(d.Unit, defaultUnit), orders: map[string][]deal{}, lines: map[string]View{}, limits: map[string]int64{}}
}

func (p *pool) learn(r Request, a Answer) {
	p.mu.Lock()
	defer p.mu.Unlock()
	v := a.View
	switch {
	case r.Op == Authorize && a.Code == "insufficient_credit":
		p.lines[r.Company] = v // it shows what is left
	case r.Op == Authorize && a.Status == 201:
		p.add(r.Company, deal{key: v.Order})
	case r.Op.Read() && r.Order == "" && a.Status == 200:
		p.lines[r.Company] = v
		if p.limits[r.Company] == 0 {
			p.limits[r.Company] = v.Limit
		}
	case v.Order != "":
		at := slices.IndexFunc(p.orders[r.Company], func(d deal) bool { return d.key == v.Order })
		if at >= 0 {
			d := &p.orders[r.Company][at]
			d.captured = max(d.captured, v.Captured)
			d.over = d.over || v.Status == "CANCELED" || v.Financing == "PAID_OFF" || v.Unapplied > 0
		}
	}
}

// add adds an order, and removes the oldest that no longer uses any of the line. Others are kept:
// otherwise the line would be full forever.
func (p *pool) add(company string, d deal) {
	all := append(p.orders[company], d)
	if len(all) > poolSize {
		if at := slices.IndexFunc(all, func(d deal) bool { return d.over }); at >= 0 {
			all = slices.Delete(all, at, at+1)
		}
	}
	p.orders[company] = all
}

// order chooses an order of a company: every other time the newest, so that many want the same
// one at once.
func (p *pool) order(company string, random *rand.Rand) (deal, bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	all := p.orders[company]
	if len(all) == 0 {
		return deal{}, false
	}
	if random.IntN(2) == 0 {
		return all[len(all)-1], true
	}
	return all[random.IntN(len(all))], true
}

// limit returns the first limit that was seen.
func (p *pool) limit(company string) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.limits[company]
}

// fill returns the amount of a new order: mostly some steps, sometimes exactly what is left of
// the line, or one cent more.
func (p *pool) fill(company string, steps int64, random *rand.Rand) int64 {
	p.mu.Lock()
	defer p.mu.Unlock()
	left := p.lines[company].Available
	if left < p.unit/4 || left > 4*p.unit {
		return steps
	}
	switch random.IntN(4) {
	case 0:
		return left
	case 1:
		return left + 1
	}
	return steps
}
