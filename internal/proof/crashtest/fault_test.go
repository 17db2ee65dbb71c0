//go:build linux

package crashtest

import (
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

// fault is a failing system call.
type fault struct {
	call, err string
	from      []int // at which call of a thread
	more      []int // the same, for the nightly run
	ever      bool  // and at all later ones
}

// faults are what fails. The tracer counts per thread, so what a number hits is random; small
// ones hit the start.
var faults = []fault{
	{"fsync", "EIO", []int{1, 6}, []int{2, 4, 8, 10}, false},
	{"fsync", "EIO", []int{8}, []int{1, 4, 6, 10}, true},
	{"pwrite64", "ENOSPC", []int{160}, []int{20, 80, 240, 320}, true},
	{"pwrite64", "EIO", []int{120}, []int{60, 180, 240}, false},
}

const (
	faultRequests = 24
	faultImages   = 24 // maximum per run
	faultPatience = 2 * time.Second
)

// TestFailingCalls makes a flush or a write of the running server fail, once or forever. No 2xx
// response may leave before its commit is durable; a failed sync makes nothing durable, and the
// next one does not make up for it. After a restart every key has a definite response and the
// books are correct.
//
// A commit whose sync failed is not a failed commit: its rows were written, and a restart at that
// instant finds them. The test insists on having seen that.
func TestFailingCalls(t *testing.T) {
	withinOneDay(t)
	strace := requireStrace(t)
	s := seed(t)
	program := proctest.Build(t, "")
	template := newWorld(t, program, t.TempDir(), 1)
	var sum faulted
	for _, f := range faults {
		for _, n := range suite.By(f.from, slices.Concat(f.from, f.more)) {
			when := fmt.Sprint(n)
			if f.ever {
				when += "+"
			}
			inject := fmt.Sprintf("inject=%s:error=%s:when=%s", f.call, f.err, when)
			run := &faultRun{t: t, program: program, world: template.copyTo(t, t.TempDir()), random: rand.New(rand.NewPCG(s, uint64(n))), sum: &sum}
			run.run(strace, inject)
		}
	}
	t.Logf("failing calls: %d runs / %d failed calls / %d refused to start / %d acked / %d images / lost %d / corrupt %d / %d commits present whose sync failed",
		sum.runs, sum.failures, sum.refused, sum.acked, sum.found.images, sum.found.lost, sum.found.corrupt, sum.present)
	if sum.present == 0 {
		t.Error("no commit was there whose sync had failed: the test has not seen what it is for")
	}
	if sum.failures < sum.runs/2 || sum.acked == 0 {
		t.Error("too little happened for the test to mean anything")
	}
}

// faulted summarizes all runs.
type faulted struct {
	runs, failures, refused, acked, present int
	found                                   outcome
}

type faultRun struct {
	t       *testing.T
	program string
	world   world
	random  *rand.Rand
	sum     *faulted
	calls   []*sent
}

func (r *faultRun) run(strace, inject string) {
	r.t.Helper()
	r.sum.runs++
	before := r.world.files(r.t)
	output := filepath.Join(r.t.TempDir(), "trace")
	server, err := proctest.Launch(r.t, nil, traced(strace, output, r.world.Command(r.program), "-e", inject)...)
	shop := newShop("f", r.world.Companies, r.random)
	promises := map[int64]promise{}
	if errors.Is(err, proctest.ErrEarly) {
		r.sum.refused++
	} else {
		promises = r.work(server, shop)
		killTraced(r.t, server)
	}
	failures := strings.Count(read(r.t, output), "(INJECTED)")
	r.sum.failures += failures
	p, err := parseFile(output, r.world.dir, slices.Sorted(maps.Keys(before)))
	if err != nil {
		r.t.Fatalf("%s: %v", inject, err)
	}
	failed := failedSyncs(p)
	chosen := append(sample(moments(p, before), faultImages, r.random), failed...)
	slices.SortStableFunc(chosen, func(a, b moment) int { return a.step - b.step })
	found := examine(r.t, p, before, chosen, promises, r.random)
	r.control(p, before)
	if found.lost+found.corrupt > 0 {
		r.t.Errorf("%s: lost %d, corrupt %d of %d images:\n%s", inject, found.lost, found.corrupt, found.images, strings.Join(found.first, "\n"))
	}
	r.sum.present += found.unacked
	r.sum.found.images += found.images
	r.sum.found.lost += found.lost
	r.sum.found.corrupt += found.corrupt
	r.recover(inject, shop)
}

// failedSyncs are the instants at which a dying process leaves everything that it wrote, although
// syncing it has failed.
func failedSyncs(p *recording) (out []moment) {
	names := map[int]string{}
	for i, s := range p.steps {
		if s.kind == created {
			names[s.file] = s.name
		}
		if s.kind == flushed && !s.ok && names[s.file] == "tenor.db-wal" {
			out = append(out, moment{step: i, kind: everything, failed: true})
		}
	}
	return out
}

// control invents a response at the end of the recording, which must be reported missing.
func (r *faultRun) control(p *recording, before map[string][]byte) {
	r.t.Helper()
	p.steps = append(p.steps, step{kind: acked, seq: 1 << 40})
	found := examine(r.t, p, before, []moment{{step: len(p.steps) - 1, kind: everything}}, nil, r.random)
	if found.lost != 1 {
		r.t.Errorf("control: an invented answer was not missed: %+v", found)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

// work sends requests until there are enough, or until one gets no definite response. Reads must
// still be answered then.
func (r *faultRun) work(server *proctest.Process, shop *shop) map[int64]promise {
	r.t.Helper()
	c := newClient(server.URL, r.world.Token)
	c.http.Timeout = faultPatience
	defer c.close()
	promises := map[int64]promise{}
	for range faultRequests {
		req := shop.next()
		call := &sent{request: req}
		r.calls = append(r.calls, call)
		a, err := c.do(req)
		if err != nil || !a.definite() {
			if err == nil && a.Status != http.StatusServiceUnavailable {
				r.t.Errorf("answered %d %s", a.Status, a.Body)
			}
			break
		}
		call.acked = &a
		q, p, err := promised(a)
		if err = errors.Join(err, shop.apply(req.Key, a)); err != nil {
			r.t.Fatal(err)
		}
		promises[q] = p
		r.sum.acked++
	}
	c.http.Timeout = proctest.Timeout // a busy machine is not a fault
	if _, err := c.line(r.world.Companies[0]); err != nil {
		r.t.Errorf("a read after the fault: %v", err)
	}
	return promises
}

// recover starts the server without faults, sends every key again and verifies.
func (r *faultRun) recover(inject string, shop *shop) {
	r.t.Helper()
	server := r.world.Serve(r.t, r.program)
	c := newClient(server.URL, r.world.Token)
	defer c.close()
	found := replay(c, r.calls, func(key string, a answer) {
		if err := shop.apply(key, a); err != nil {
			r.t.Errorf("%s: %v", inject, err)
		}
	})
	problems := slices.Concat(found.lost, found.indefinite, shop.check(c), checkLines(c, r.world.Companies, shop.deals))
	for _, p := range problems {
		r.t.Errorf("%s: %s", inject, p)
	}
	server.Stop(r.t)
	r.world.Verify(r.t, r.program)
}
