//go:build linux

package crashtest

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"
)

// sector is what a disk writes completely or not at all.
const sector = 512

// disk is a machine's view of a server's files: the durable bytes, and what the kernel has
// received since.
type disk struct {
	files map[int]*content
	names map[string]int
	acks  []int64 // Commit-Seq of every response that has started to leave
}

// content is one file.
type content struct {
	safe    []byte
	shown   []byte            // what every reader on the running machine sees
	changes []*change         // in issue order
	syncs   map[int][]*change // what a running sync will make durable
}

// change is a write or truncation that is not known to be durable.
type change struct {
	op       int
	truncate bool
	at       int64
	data     []byte
	done     bool // it has returned
	// A sync that should have made it durable failed. The kernel considers such pages clean: it
	// shows them to every reader, and no later sync writes them.
	orphan bool
}

func newContent(b []byte) *content {
	return &content{safe: bytes.Clone(b), shown: bytes.Clone(b), syncs: map[int][]*change{}}
}

func newDisk() *disk { return &disk{files: map[int]*content{}, names: map[string]int{}} }

// apply applies one step. before is the content of files from before the recording.
func (d *disk) apply(s step, before map[string][]byte) {
	f := d.files[s.file]
	switch s.kind {
	case created:
		d.files[s.file], d.names[s.name] = newContent(before[s.name]), s.file
	case removed:
		delete(d.names, s.name)
	case written, truncated:
		f.changes = append(f.changes, &change{op: s.op, truncate: s.kind == truncated, at: s.at, data: s.data})
	case returned:
		f.end(s)
	case flushing:
		for _, c := range f.changes {
			if c.done && !c.orphan {
				f.syncs[s.op] = append(f.syncs[s.op], c)
			}
		}
	case flushed:
		f.flush(f.syncs[s.op], s.ok)
		delete(f.syncs, s.op)
	case acked:
		d.acks = append(d.acks, s.seq)
	}
}

// end records the result of a change. A failed one is visible to nobody.
func (f *content) end(s step) {
	i := slices.IndexFunc(f.changes, func(c *change) bool { return c.op == s.op })
	c := f.changes[i]
	if !s.ok {
		f.changes = slices.Delete(f.changes, i, i+1)
		return
	}
	c.done = true
	f.shown = c.onto(f.shown, nil)
}

// flush makes changes durable, or none of them if the sync failed.
func (f *content) flush(covered []*change, ok bool) {
	for _, c := range covered {
		if !ok {
			c.orphan = true
			continue
		}
		if i := slices.Index(f.changes, c); i >= 0 { // otherwise another sync was first
			f.safe = c.onto(f.safe, nil)
			f.changes = slices.Delete(f.changes, i, i+1)
		}
	}
}

// onto applies a change to bytes, or only to the sectors chosen by keep.
func (c *change) onto(b []byte, keep func() bool) []byte {
	if keep == nil {
		keep = func() bool { return true }
	}
	if c.truncate {
		if keep() {
			b = resize(b, c.at)
		}
		return b
	}
	for from := int64(0); from < int64(len(c.data)); {
		to := min(from+sector-(c.at+from)%sector, int64(len(c.data)))
		if keep() {
			if end := c.at + to; end > int64(len(b)) {
				b = resize(b, end)
			}
			copy(b[c.at+from:], c.data[from:to])
		}
		from = to
	}
	return b
}

func resize(b []byte, n int64) []byte {
	if n <= int64(len(b)) {
		return b[:n]
	}
	return append(b, make([]byte, n-int64(len(b)))...)
}

// imageKind is how much of the non-durable data survives a power loss.
type imageKind int

const (
	onlySafe imageKind = iota
	everything
	torn // a random part, in sectors
	imageKinds
)

// image returns what is on the disk after a power loss.
func (d *disk) image(kind imageKind, random *rand.Rand) map[string][]byte {
	files := map[string][]byte{}
	for name, number := range d.names {
		files[name] = d.files[number].image(kind, random)
	}
	return files
}

func (f *content) image(kind imageKind, random *rand.Rand) []byte {
	if kind == everything {
		b := bytes.Clone(f.shown)
		for _, c := range f.changes {
			if !c.done {
				b = c.onto(b, nil)
			}
		}
		return b
	}
	b := bytes.Clone(f.safe)
	for _, c := range f.changes {
		if kind == torn && !c.orphan {
			b = c.onto(b, func() bool { return random.IntN(2) == 0 })
		}
	}
	return b
}

// unsafe reports whether a named file has changes that are not durable.
func (d *disk) unsafe(name string) bool {
	number, ok := d.names[name]
	return ok && len(d.files[number].changes) > 0
}

func TestDisk(t *testing.T) {
	write := func(op int, at int64, data string) step {
		return step{kind: written, op: op, at: at, data: []byte(data)}
	}
	done := func(op int) step { return step{kind: returned, op: op, ok: true} }
	base := []step{{kind: created, name: "tenor.db"}, write(1, 0, "aaaa"), done(1)}
	cases := []struct {
		name             string
		steps            []step
		safe, everything string
	}{
		{"before any sync", nil, "", "aaaa"},
		{"a sync that runs makes nothing safe", []step{{kind: flushing, op: 2}}, "", "aaaa"},
		{"a sync that returned", []step{{kind: flushing, op: 2}, {kind: flushed, op: 2, ok: true}}, "aaaa", "aaaa"},
		{"issued while the sync ran", []step{{kind: flushing, op: 2}, write(3, 4, "b"), {kind: flushed, op: 2, ok: true}}, "aaaa", "aaaab"},
		{"issued before the sync, returned within", []step{write(3, 4, "b"), {kind: flushing, op: 2}, done(3), {kind: flushed, op: 2, ok: true}}, "aaaa", "aaaab"},
		{"a failed sync leaves nothing for the next", []step{
			{kind: flushing, op: 2}, {kind: flushed, op: 2}, {kind: flushing, op: 3}, {kind: flushed, op: 3, ok: true}}, "", "aaaa"},
		{"written again after a failed sync", []step{
			{kind: flushing, op: 2}, {kind: flushed, op: 2}, write(3, 0, "cc"), done(3), {kind: flushing, op: 4}, {kind: flushed, op: 4, ok: true}}, "cc", "ccaa"},
		{"a failed write", []step{write(3, 4, "b"), {kind: returned, op: 3}}, "", "aaaa"},
		{"truncated", []step{{kind: truncated, op: 3, at: 2}, done(3)}, "", "aa"},
	}
	for _, c := range cases {
		d := newDisk()
		for _, s := range append(slices.Clone(base), c.steps...) {
			d.apply(s, nil)
		}
		safe, all := string(d.image(onlySafe, nil)["tenor.db"]), string(d.image(everything, nil)["tenor.db"])
		if safe != c.safe || all != c.everything {
			t.Errorf("%s: safe %q, everything %q", c.name, safe, all)
		}
	}
}

// A torn image keeps whole sectors and loses whole sectors.
func TestTornSectors(t *testing.T) {
	d := newDisk()
	d.apply(step{kind: created, name: "tenor.db"}, map[string][]byte{"tenor.db": make([]byte, 2048)})
	d.apply(step{kind: written, op: 1, at: 100, data: bytes.Repeat([]byte{1}, 1800)}, nil)
	random, seen := rand.New(rand.NewPCG(1, 2)), map[string]bool{}
	for range 200 {
		b := d.image(torn, random)["tenor.db"]
		pattern := ""
		for _, at := range []int{100, 512, 1024, 1536} {
			end := min(at/sector*sector+sector, 1900)
			if n := bytes.Count(b[at:end], []byte{1}); n != 0 && n != end-at {
				t.Fatalf("sector at %d is torn itself", at)
			}
			pattern += string('0' + b[at])
		}
		seen[pattern] = true
	}
	if len(seen) != 16 {
		t.Errorf("%d of 16 patterns", len(seen))
	}
}
