//go:build linux

package nodetest

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/edge/auth"
	"tenor/internal/proof/proctest"
)

// How many requests a server processes concurrently, and how many of them for one merchant; more
// are refused (EN11, A60).
const (
	places         = 1024
	merchantPlaces = 256
)

// Parameters of the overload test.
const (
	floodMerchants = places/merchantPlaces + 1 // one more than fill all slots
	excess         = 24                        // callers of each beyond its slots
	liveCallers    = 400
	liveRequests   = 2 // of each
	quietRequests  = 40
	burst          = 300 // concurrent requests of a client with the usual rate limit
	// mostMemory and mostFiles are how much a server may grow, whoever calls.
	mostMemory = 256 << 20
	mostFiles  = 30
	// holding is how long the store may be blocked: after that a server says that nothing was
	// committed, which looks like a refusal for lack of a slot. If the load was not established by
	// then, it is repeated, at most mostFloods times.
	holding    = 8 * time.Second
	mostFloods = 5
)

// TestOverload is the part of T26 that does not depend on a clock: far more callers than slots,
// while the store is blocked and while it works. The excess is refused with a problem that says
// when to retry, and has no effect; what was acknowledged exists; the server can be probed
// meanwhile, another merchant is served, and after the load everything is as before.
func TestOverload(t *testing.T) {
	t.Setenv("GOGC", "100") // its memory is measured: it collects as it does by default
	begin := time.Now()
	o := newOverload(t)
	o.calm()
	memory, files := o.memory(), o.files()
	o.oneMerchant()
	o.everyPlace()
	o.live()
	o.rateLimit()
	o.control()
	o.rest(memory, files)
	o.finish()
	t.Logf("overload: requests %d / accepted %d / refused for want of a place %d / by the rate limit %d / memory %d MiB before, at most %d / %s",
		o.count.sent, o.count.accepted, o.count.crowded, o.count.limited, memory>>20, o.memory()>>20, time.Since(begin).Round(time.Millisecond))
}

// overload is the state of the test.
type overload struct {
	*house
	flooders []*customer
	quiet    *customer
	count    struct{ sent, accepted, crowded, limited int }
	peak     int64 // the server's memory when it ended
}

// customer is a merchant that requests orders, each under its own key and number.
type customer struct {
	t        *testing.T
	name     string
	merchant string
	company  string
	token    string
	client   *client
	asked    []*asked
}

// asked is a request with its outcome.
type asked struct {
	request
	number string
	answer answer
	err    error
}

func newOverload(t *testing.T) *overload {
	t.Helper()
	o := &overload{house: fillSQLite(t, 1)}
	for i := range floodMerchants {
		name := fmt.Sprint("flood", i+1)
		merchant := o.Run(t, o.program, "merchants", "create", name, "--reason", "x", "--quiet")
		company := o.Run(t, o.program, "companies", "create", name, "--reason", "x", "--limit", "9000000", "--merchant", merchant, "--quiet")
		token := o.Run(t, o.program, "token", "--merchant", merchant, "--ttl", "24h", "--quiet")
		o.flooders = append(o.flooders, &customer{t: t, name: name, merchant: merchant, company: company, token: token})
	}
	o.quiet = &customer{t: t, name: "quiet", merchant: o.Merchant, company: o.Companies[0], token: o.Token}
	o.serve()
	for i, c := range append(o.flooders, o.quiet) {
		// The server closes an unused connection after a while: a request that arrives just then gets
		// no response, which is not being tested here.
		c.client = newFrugalClient(t.Context(), c.token, o.servers[0].URL).from(fmt.Sprint("127.0.0.", i+1))
		t.Cleanup(c.client.close)
	}
	return o
}

// next creates n new requests.
func (c *customer) next(n int) []*asked {
	var list []*asked
	for range n {
		number := fmt.Sprintf("%s-%d", c.name, len(c.asked))
		a := &asked{request: authorize(number, c.company, 10_00, "no-"+number), number: "no-" + number}
		c.asked = append(c.asked, a)
		list = append(list, a)
	}
	return list
}

// flood sends requests all at once. answered receives each one once it has its response.
func (c *customer) flood(list []*asked, answered chan<- *asked) {
	together(len(list), func(i int) {
		list[i].answer, list[i].err = c.client.do(list[i].request)
		answered <- list[i]
	})
}

// calm is a server without load.
func (o *overload) calm() {
	o.t.Helper()
	for _, c := range append(o.flooders, o.quiet) {
		o.serves(c)
	}
}

// serves lets a customer order, and read, at the first attempt.
func (o *overload) serves(c *customer) {
	o.t.Helper()
	for _, a := range c.next(1) {
		if a.answer, a.err = c.client.do(a.request); a.err != nil || !a.answer.accepted() {
			o.t.Errorf("%s: %d %s, %v", a.request, a.answer.Status, a.answer.Body, a.err)
		}
	}
	o.reads(c)
}

func (o *overload) reads(c *customer) {
	o.t.Helper()
	if a, err := c.client.do(request{Method: http.MethodGet, Path: "/v1/orders"}); err != nil || a.Status != http.StatusOK {
		o.t.Errorf("%s reads: %d %s, %v", c.name, a.Status, a.Body, err)
	}
}

// probes checks that the server is alive and ready.
func (o *overload) probes() {
	o.t.Helper()
	for _, path := range []string{"/healthz", "/readyz"} {
		if a, err := o.quiet.client.do(request{Method: http.MethodGet, Path: path}); err != nil || a.Status != http.StatusOK {
			o.t.Errorf("%s: %d %s, %v", path, a.Status, a.Body, err)
		}
	}
}

// hold blocks the store: nobody can write until it is released.
func (o *overload) hold() (letGo func()) {
	o.t.Helper()
	db, err := o.open(o.t.Context())
	if err != nil {
		o.t.Fatal(err)
	}
	held, free, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := db.Update(context.WithoutCancel(o.t.Context()), func(store.Tx) error {
			close(held)
			<-free
			return nil
		})
		ended <- err
	}()
	select {
	case <-held:
	case err := <-ended:
		o.t.Fatalf("hold the store: %v", err)
	}
	return func() {
		o.t.Helper()
		close(free)
		if err := errors.Join(<-ended, db.Close()); err != nil {
			o.t.Fatal(err)
		}
	}
}

// oneMerchant fills the slots of one merchant, and blocks the requests in them. All its other
// requests are refused at once; the others find the server as usual.
func (o *overload) oneMerchant() {
	o.t.Helper()
	accepted := o.squeeze(o.flooders[:1], merchantPlaces, func() {
		o.probes()
		o.reads(o.quiet)
	})
	if accepted != merchantPlaces {
		o.t.Errorf("%d of a merchant were accepted, it has %d places", accepted, merchantPlaces)
	}
	o.after(o.flooders[0], o.quiet)
}

// everyPlace fills all slots.
func (o *overload) everyPlace() {
	o.t.Helper()
	// A request being refused occupies a slot for a moment, so another may miss it.
	accepted := o.squeeze(o.flooders, places, o.probes)
	if accepted > places || accepted < places/2 {
		o.t.Errorf("%d were accepted at %d places", accepted, places)
	}
	o.after(append(o.flooders, o.quiet)...)
}

// squeeze sends more than there are slots while the store is blocked, until no more wait than
// there are slots; then it calls meanwhile, and releases the store. It returns how many were
// accepted.
func (o *overload) squeeze(customers []*customer, most int, meanwhile func()) (accepted int) {
	o.t.Helper()
	for range mostFloods {
		n := len(customers) * (merchantPlaces + excess)
		var sent []*asked
		answered := make(chan *asked, n)
		letGo := o.hold()
		var floods sync.WaitGroup
		for _, c := range customers {
			list := c.next(merchantPlaces + excess)
			sent = append(sent, list...)
			floods.Go(func() { c.flood(list, answered) })
		}
		up := o.refusals(answered, n-most)
		if up {
			meanwhile()
		}
		letGo()
		floods.Wait()
		if !up {
			o.after(customers...)
			continue
		}
		for _, a := range sent {
			if a.err == nil && a.answer.accepted() {
				accepted++
			}
		}
		return accepted
	}
	o.t.Fatalf("more than %d requests wait at a time, or this machine does not send so many within %s", most, holding)
	return 0
}

// refusals waits until a number of requests has been refused while the store is blocked.
func (o *overload) refusals(answered <-chan *asked, n int) bool {
	o.t.Helper()
	end := time.After(holding)
	var got []*asked
	for range n {
		select {
		case a := <-answered:
			got = append(got, a)
		case <-end:
			return false
		}
	}
	for _, a := range got {
		o.problem(a, http.StatusServiceUnavailable, "overloaded")
	}
	return true
}

// live is a flood from one merchant while the store works. Another merchant is never refused.
func (o *overload) live() {
	o.t.Helper()
	c := o.flooders[0]
	list := c.next(liveCallers * liveRequests)
	var flood sync.WaitGroup
	flood.Go(func() {
		together(liveCallers, func(i int) {
			for _, a := range list[i*liveRequests : (i+1)*liveRequests] {
				a.answer, a.err = c.client.do(a.request)
			}
		})
	})
	for range quietRequests {
		o.serves(o.quiet)
		o.probes()
	}
	flood.Wait()
	o.after(c, o.quiet)
}

// problem checks a refusal against its contract: the code, when to retry, and what every problem
// document contains.
func (o *overload) problem(a *asked, status int, code string) {
	o.t.Helper()
	var p struct {
		Type, Title, Detail, Instance, Code string
		Status                              int
		ID                                  string `json:"request_id"`
	}
	err := errors.Join(a.err, readProblem(a.answer, &p))
	if err != nil || a.answer.Status != status || p.Status != status || p.Code != code || a.answer.ContentType != "application/problem+json" ||
		p.Type != "http://tenor.test/docs/errors/"+code || p.Title == "" || p.Detail == "" || p.ID == "" || p.Instance != "/v1/requests/"+p.ID {
		o.t.Errorf("%s: expected %d %s, got %d %s %s, %v", a.request, status, code, a.answer.Status, a.answer.ContentType, a.answer.Body, err)
	}
	if s := a.answer.RetryAfter; len(s) == 0 || s < "1" || len(s) > 2 {
		o.t.Errorf("%s: Retry-After is %q", a.request, s)
	}
}

// after checks the end of a load: the server serves at once, what was acknowledged exists, what
// was refused does not, and is executed when requested again.
func (o *overload) after(customers ...*customer) {
	o.t.Helper()
	for _, c := range customers {
		o.serves(c)
	}
	for _, c := range customers {
		for _, p := range o.compare(c) {
			o.t.Error(p)
		}
	}
	for _, c := range customers {
		for _, a := range c.asked {
			switch a.answer.code() {
			case "overloaded":
				o.count.crowded++
			case "rate_limited":
				o.count.limited++
			}
		}
		together(len(c.asked), func(i int) { c.asked[i].insist(c) })
		for _, p := range o.compare(c) {
			o.t.Error(p)
		}
	}
}

// insist resends a refused request until it is accepted.
func (a *asked) insist(c *customer) {
	if a.err == nil && a.answer.accepted() {
		return
	}
	again, _, err := c.client.until(a.request)
	if err == nil && again.Replayed && a.err == nil && a.answer.code() == "overloaded" {
		c.t.Errorf("%s was refused, and yet executed", a.request)
	}
	a.answer, a.err = again, err
}

// compare compares the orders of a customer with its responses.
func (o *overload) compare(c *customer) (problems []string) {
	o.t.Helper()
	found, err := walk[order](c.client, "/v1/orders?")
	if err != nil {
		o.t.Fatal(err)
	}
	there := map[string]int{}
	for _, x := range found {
		there[x.Number]++
	}
	for _, a := range c.asked {
		n := there[a.number]
		delete(there, a.number)
		switch {
		case a.err == nil && a.answer.accepted():
			if n != 1 {
				problems = append(problems, fmt.Sprintf("%s was accepted, and there are %d orders", a.request, n))
			}
		case a.err == nil && (a.answer.code() == "overloaded" || a.answer.code() == "rate_limited"):
			if n != 0 {
				problems = append(problems, fmt.Sprintf("%s was refused, and is there", a.request))
			}
		case n > 1 || a.answer.code() != "outcome_unknown":
			problems = append(problems, fmt.Sprintf("%s: %d %s, %v, and there are %d orders", a.request, a.answer.Status, a.answer.Body, a.err, n))
		}
	}
	for number, n := range there {
		problems = append(problems, fmt.Sprintf("%s: %d orders that nobody asked for", number, n))
	}
	return problems
}

// rateLimit makes a client with the usual limit send too much at once: what exceeds its burst and
// its rate is refused, while another client of the same merchant is not.
func (o *overload) rateLimit() {
	o.t.Helper()
	c := *o.flooders[1]
	o.beside(func(db store.Backend) error {
		issuer, err := proctest.Desk(db)
		if err != nil {
			return err
		}
		other, err := issuer.NewClient(o.t.Context(), c.merchant, "usual", nil)
		if err != nil {
			return err
		}
		token, _, err := issuer.NewToken(o.t.Context(), other, nil, time.Hour)
		c.client = c.client.as(token)
		return err
	})
	list := o.flooders[1].next(burst)
	begin := time.Now()
	c.flood(list, make(chan *asked, burst))
	most := access.DefaultBurst + int(time.Since(begin).Seconds()*auth.DefaultPerMinute/60) + 1
	accepted := 0
	for _, a := range list {
		if a.err == nil && a.answer.accepted() {
			accepted++
			continue
		}
		o.problem(a, http.StatusTooManyRequests, "rate_limited")
	}
	if accepted > most || accepted < access.DefaultBurst {
		o.t.Errorf("%d of %d were accepted, the limit allows at least %d and at most %d", accepted, burst, access.DefaultBurst, most)
	}
	o.after(o.flooders[1])
}

// control invents an acknowledgment, and an order that nobody requested: both must be found.
func (o *overload) control() {
	o.t.Helper()
	c := *o.quiet
	c.asked = append(c.asked[1:len(c.asked):len(c.asked)], &asked{request: request{Key: "invented"}, number: "no-invented", answer: answer{Status: http.StatusCreated}})
	if problems := o.compare(&c); len(problems) != 2 {
		o.t.Errorf("an answer that nobody gave and an order that nobody asked for: found %q", problems)
	}
}
