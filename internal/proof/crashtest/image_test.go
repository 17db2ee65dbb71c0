//go:build linux

package crashtest

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/core/verify"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
)

// promise is what an acknowledgment guarantees: this object has at least this version.
type promise struct {
	order, payment string
	version        int
}

// the last one completed
type moment struct {
	step int // the last that happened
	kind imageKind
	busy bool // during a checkpoint
	// failed means that a sync has just failed: what it was for was never acknowledged, but may
	// exist.
	failed bool
}

// moments returns the distinguishable instants. Among those with the same bytes only the last one
// counts: by then the most has been acknowledged.
func moments(p *recording, before map[string][]byte) []moment {
	d := newDisk()
	var all []moment
	last := [imageKinds]int{onlySafe: -1, everything: -1} // index in all of the current image
	for i, s := range p.steps {
		d.apply(s, before)
		m := moment{step: i, busy: d.unsafe("tenor.db")}
		for kind := range torn {
			changed := s.kind != acked && s.kind != returned && s.kind != flushing
			if kind == onlySafe {
				changed = s.kind == flushed && s.ok || s.kind == created || s.kind == removed
			}
			m.kind = kind
			if changed || last[kind] < 0 {
				last[kind] = len(all)
				all = append(all, m)
			}
			all[last[kind]] = m
		}
		if m.busy || d.unsafe("tenor.db-wal") {
			m.kind = torn
			all = append(all, m)
		}
	}
	return all
}

// sample chooses at most n random moments, as many of each kind within checkpoints as outside.
func sample(all []moment, n int, random *rand.Rand) []moment {
	groups := map[moment][]moment{}
	for _, m := range all {
		g := moment{kind: m.kind, busy: m.busy}
		groups[g] = append(groups[g], m)
	}
	var drawn []moment
	for kind := range imageKinds {
		for _, busy := range []bool{false, true} {
			g := groups[moment{kind: kind, busy: busy}]
			random.Shuffle(len(g), func(i, j int) { g[i], g[j] = g[j], g[i] })
			drawn = append(drawn, g[:min(len(g), n/(2*int(imageKinds)))]...)
		}
	}
	slices.SortFunc(drawn, func(a, b moment) int { return a.step - b.step })
	return drawn
}

// outcome counts what was found on the images.
type outcome struct {
	images, lost, corrupt, verified int
	unacked                         int      // after a failed sync, with a commit that was never reported
	first                           []string // the first few problems
}

func (o *outcome) note(format string, args ...any) {
	if len(o.first) < 5 {
		o.first = append(o.first, fmt.Sprintf(format, args...))
	}
}

// examine cuts the power at each moment and opens the store to see what is left.
func examine(t *testing.T, p *recording, before map[string][]byte, chosen []moment, promises map[int64]promise, random *rand.Rand) outcome {
	t.Helper()
	type job struct {
		moment
		number int
		files  map[string][]byte
		acks   []int64
	}
	var mu sync.Mutex
	var found outcome
	var wg sync.WaitGroup
	jobs, dir := make(chan job), quick(t)
	for range 2 {
		wg.Go(func() {
			for j := range jobs {
				v := inspect(filepath.Join(dir, fmt.Sprint(j.number)), j.files, j.acks, promises, j.number%verifyImages == 0)
				mu.Lock()
				found.count(v, j.moment, j.acks)
				mu.Unlock()
			}
		})
	}
	d, done := newDisk(), 0
	for i, m := range chosen {
		for ; done <= m.step; done++ {
			d.apply(p.steps[done], before)
		}
		jobs <- job{m, i, d.image(m.kind, random), slices.Clone(d.acks)}
	}
	close(jobs)
	wg.Wait()
	return found
}

// verifyImages is how often an image is completely verified: that takes longer than everything
// else.
const verifyImages = 25

// verdict is the result for one image.
type verdict struct {
	corrupt  error
	lost     []string
	seq      int64 // of the last commit
	verified bool
}

func (o *outcome) count(v verdict, m moment, acks []int64) {
	o.images++
	if v.verified {
		o.verified++
	}
	if m.failed && len(acks) > 0 && v.seq > slices.Max(acks) {
		o.unacked++
	}
	if v.corrupt != nil {
		o.corrupt++
		o.note("step %d, image %d: %v", m.step, m.kind, v.corrupt)
	}
	if len(v.lost) > 0 {
		o.lost++
		o.note("step %d, image %d: lost %v", m.step, m.kind, v.lost)
	}
}

// inspect writes an image to a directory, opens it like a restart and looks for what was
// acknowledged.
func inspect(dir string, files map[string][]byte, acks []int64, promises map[int64]promise, whole bool) (v verdict) {
	if err := os.Mkdir(dir, 0o700); err != nil {
		return verdict{corrupt: err}
	}
	defer os.RemoveAll(dir)
	for name, b := range files {
		if err := os.WriteFile(filepath.Join(dir, name), b, 0o600); err != nil {
			return verdict{corrupt: err}
		}
	}
	db, err := sqlite.Open(filepath.Join(dir, "tenor.db"), sqlite.Options{})
	if err != nil {
		return verdict{corrupt: err}
	}
	defer db.Close()
	_, err = db.Integrity(context.Background(), func(text string) { v.corrupt = errors.New(text) })
	if v.corrupt = errors.Join(err, v.corrupt); v.corrupt != nil {
		return v
	}
	v.corrupt = db.View(context.Background(), func(view store.View) error {
		v.seq = view.Seq()
		v.lost, err = missing(view, acks, promises)
		return err
	})
	if whole && v.corrupt == nil {
		v.verified, v.corrupt = true, verifyBooks(db)
	}
	return v
}

// missing lists the promises that the books do not keep.
func missing(view store.View, acks []int64, promises map[int64]promise) (lost []string, err error) {
	var keys credit.Keys
	for _, q := range acks {
		if q > view.Seq() {
			lost = append(lost, fmt.Sprintf("commit %d, the last is %d", q, view.Seq()))
		}
		if p := promises[q]; p.order != "" {
			keys.Orders = append(keys.Orders, p.order)
		} else if p.payment != "" {
			keys.Payments = append(keys.Payments, p.payment)
		}
	}
	s := credit.NewState()
	if err := view.Load(s, keys); err != nil {
		return lost, err
	}
	for _, q := range acks {
		switch p := promises[q]; {
		case p.order != "" && (s.Orders[p.order] == nil || s.Orders[p.order].Version < p.version):
			lost = append(lost, fmt.Sprintf("order %s, version %d", p.order, p.version))
		case p.payment != "" && (s.Payments[p.payment] == nil || s.Payments[p.payment].Version < p.version):
			lost = append(lost, fmt.Sprintf("payment %s, version %d", p.payment, p.version))
		}
	}
	return lost, nil
}

func verifyBooks(db store.Backend) error {
	zone, err := newYork()
	if err != nil {
		return err
	}
	r, err := verify.Run(context.Background(), db, verify.Options{Scratch: memory.Scratch, Zone: zone, EncodeEvent: encodeEvent, Wire: resource.APIVersion})
	if err == nil && !r.Clean() {
		err = fmt.Errorf("verify: %+v", r.Violations)
	}
	return err
}
