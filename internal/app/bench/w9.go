package bench

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"tenor/internal/office/credential"
)

// Sizes of W9.
const (
	clerks     = 20
	clickEvery = time.Second
	listLimit  = 200.0  // ms, of the 95th percentile
	pageLimit  = 1000.0 // ms, of the slowest page
)

// clicks are the pages that a clerk opens in turn; those of lists have their own target.
func (s *site) clicks(n int) []click {
	order := s.shop.orders[n%len(s.shop.orders)]
	company := strconv.FormatInt(s.shop.companies[n%len(s.shop.companies)], 10)
	return []click{
		{"home", "/console", false}, {"orders", "/console/orders", true}, {"an order", "/console/orders/" + order, false},
		{"captured orders", "/console/orders?status=CAPTURED", true}, {"search", "/console/search?q=" + order, false},
		{"companies", "/console/companies", true}, {"a company", "/console/companies/" + company, false}, {"its orders", "/console/companies/" + company + "/orders", true},
		{"payments", "/console/payments", true}, {"payouts", "/console/payouts", true}, {"applications", "/console/applications", true},
		{"reports", "/console/reports", false}, {"cash", "/console/reports/cash", false}, {"current orders", "/console/reports/aging/CURRENT", true}, {"due", "/console/reports/due", true},
		{"collections", "/console/reports/collections", false}, {"exposure", "/console/reports/exposure", false},
		{"approvals", "/console/approvals", true}, {"ledger", "/console/ledger", false}, {"audit log", "/console/audit", true},
	}
}

type click struct {
	name, path string
	list       bool
}

// staff is W9: twenty of the lender's staff open a page a second each, on a book with many orders,
// alone and beside an open loop that authorizes at half of W1's rate.
func (r *runner) staff(ctx context.Context, s, _ *site) error {
	desk, err := r.openDesk(ctx, s)
	if err != nil {
		return fmt.Errorf("sign staff in: %w", err)
	}
	lasts := max(10*time.Second, r.cfg.Duration)
	if r.cfg.Quick {
		lasts = time.Second
	}
	half := 0.0
	m := measurement{site: s, workload: W9, variant: "W1", connections: usual, do: authorize}
	most := r.closed(m)
	load := measurement{site: s, workload: W9, variant: "half of W1, staff beside it", connections: openedAtOnce, do: authorize}
	err = r.rounds(ctx, s.kind, []step{
		{most.name, func(ctx context.Context) error {
			err := most.run(ctx)
			if rounds := m.row(r).Rounds; len(rounds) > 0 {
				half = rounds[len(rounds)-1] / 2
			}
			return err
		}},
		{"staff alone", func(ctx context.Context) error { return desk.work(ctx, "alone", lasts) }},
		{"staff beside W1", func(ctx context.Context) error {
			var all sync.WaitGroup
			var own error
			all.Go(func() { own = desk.work(ctx, "beside W1", lasts) })
			err := r.load(load, func(callers []*caller) *result { return openLoop(ctx, callers, max(half, 1), lasts, authorize) })
			all.Wait()
			return errors.Join(err, own)
		}},
	})
	if err != nil {
		return err
	}
	r.report.atMost(s.kind, "w9.lists", "W9: 95 % of the console's lists beside W1", listLimit, "ms", desk.lists)
	r.report.atMost(s.kind, "w9.pages", "W9: the slowest of the console's pages beside W1, 95 %", pageLimit, "ms", desk.slowest)
	return nil
}

// desk is a member of the staff who has signed in, in the browsers of all clerks.
type desk struct {
	*runner
	site      *site
	cookies   map[string]string
	transport *http.Transport
	// Beside W1, of each round, in milliseconds: the 95th percentile of all lists, and that of the
	// page with the highest.
	lists, slowest []float64
}

var (
	setUpLink   = regexp.MustCompile(`/console/set-up/\S+`)
	setUpSecret = regexp.MustCompile(`>([A-Z2-7]{4}(?: [A-Z2-7]{1,4})+)<`)
)

// openDesk invites a member at the server's command line while no server runs, and signs in.
func (r *runner) openDesk(ctx context.Context, s *site) (*desk, error) {
	if err := s.halt(); err != nil {
		return nil, err
	}
	invite := exec.CommandContext(ctx, r.cfg.Binary, append([]string{"staff", "invite", "clerk@example.test", "--name", "Clerk", "--role", "admin,finance,underwriter,auditor"}, s.args...)...)
	invite.Env = append(os.Environ(), s.env...)
	text, err := invite.CombinedOutput()
	link := setUpLink.Find(text)
	if err != nil || link == nil {
		return nil, fmt.Errorf("invite: %w: %.300s", err, text)
	}
	if err := r.serve(ctx, s, 1, "--trusted-proxies", "127.0.0.1/32"); err != nil {
		return nil, err
	}
	d := &desk{runner: r, site: s, transport: &http.Transport{MaxIdleConnsPerHost: clerks}}
	var pages result
	p := newPatron(s.servers[0].host, d.transport, 0, &pages)
	if err := p.get(ctx, string(link)); err != nil {
		return nil, err
	}
	secret := setUpSecret.FindStringSubmatch(p.body)
	if secret == nil {
		return nil, errors.New("the page of the link has no secret")
	}
	code, err := credential.Code(strings.ReplaceAll(secret[1], " ", ""), time.Now())
	if err != nil {
		return nil, err
	}
	if err := p.post(ctx, p.path[strings.LastIndex(p.path, "/")+1:], "password", "three umbrellas and a kiosk", "code", code); err != nil {
		return nil, err
	}
	d.cookies = p.cookies
	return d, p.post(ctx, "recovery")
}

// work lets the clerks click, and records each page's times.
func (d *desk) work(ctx context.Context, variant string, lasts time.Duration) error {
	var mu sync.Mutex
	var all sync.WaitGroup
	byPage, lists := map[string]*result{}, &result{}
	begin := time.Now()
	for n := range clerks {
		all.Go(func() {
			var own result
			p := newPatron(d.site.servers[0].host, d.transport, n+1, &own)
			p.cookies = maps.Clone(d.cookies)
			time.Sleep(clickEvery * time.Duration(n) / clerks)
			for i := n; time.Since(begin) < lasts && ctx.Err() == nil; i++ {
				pages := d.site.clicks(n*1000 + i)
				x, next := pages[i%len(pages)], time.Now().Add(clickEvery)
				own = result{}
				err := p.get(ctx, x.path)
				mu.Lock()
				if byPage[x.name] == nil {
					byPage[x.name] = &result{}
				}
				byPage[x.name].merge(&own)
				if x.list {
					lists.merge(&own)
				}
				mu.Unlock()
				if err == nil {
					time.Sleep(time.Until(next))
				}
			}
		})
	}
	all.Wait()
	return d.record(variant, byPage, lists, time.Since(begin))
}

// record keeps the times of one round.
func (d *desk) record(variant string, byPage map[string]*result, lists *result, took time.Duration) error {
	slowest := 0.0
	for _, name := range slices.Sorted(maps.Keys(byPage)) {
		x := byPage[name]
		x.elapsed = took
		d.report.row(d.site.kind, W9, name+", "+variant, clerks, "requests/s").add(x)
		slowest = max(slowest, float64(x.latency.quantile(0.95))/1e6)
		if x.errors > 0 {
			d.invalid("%s: W9: %s %s: %d of %d pages failed: %v", d.site.kind, name, variant, x.errors, x.requests, x.first)
		}
	}
	if variant != "alone" {
		d.lists = append(d.lists, float64(lists.latency.quantile(0.95))/1e6)
		d.slowest = append(d.slowest, slowest)
	}
	return nil
}
