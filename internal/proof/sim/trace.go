package sim

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"testing"

	"tenor/internal/core/store"
)

// Trace is what a run leaves behind: everything stored, all events, every answer, and the state
// of its source of choices.
type Trace struct {
	state, events, answers string
	next                   uint64
}

// TraceOf returns what a run has left behind.
func TraceOf(t *testing.T, r *Run, source *Rand, answers []byte) Trace {
	t.Helper()
	state, err := Hash(r.World.DB)
	if err != nil {
		t.Fatal(err)
	}
	events := sha256.New()
	for _, e := range r.Books.Events {
		fmt.Fprintf(events, "%d %d %s\n", e.Q, e.N, e.Payload)
	}
	sum := sha256.Sum256(answers)
	return Trace{state, hex.EncodeToString(events.Sum(nil)), hex.EncodeToString(sum[:]), source.Uint64()}
}

// AnswersOf returns the bodies of all stored answers, in commit order.
func AnswersOf(b *Books) []byte {
	var all []string
	for k, a := range b.Answers {
		all = append(all, fmt.Sprintf("%08d %s %s %d %s %s %s", a.Q, k.Client, k.Key, a.Status, a.Location, a.ETag, a.Body))
	}
	slices.Sort(all)
	return fmt.Append(nil, all)
}

// SameDump compares two dumps line by line and shows the first difference.
func SameDump(t *testing.T, a, b store.Backend) {
	t.Helper()
	var x, y bytes.Buffer
	if err := store.WriteDump(t.Context(), a, &x); err != nil {
		t.Fatal(err)
	}
	if err := store.WriteDump(t.Context(), b, &y); err != nil {
		t.Fatal(err)
	}
	want, got := bytes.Split(x.Bytes(), []byte("\n")), bytes.Split(y.Bytes(), []byte("\n"))
	for i := range min(len(want), len(got)) {
		if !bytes.Equal(want[i], got[i]) {
			t.Fatalf("dumps differ in line %d:\n%s\n%s", i+1, want[i], got[i])
		}
	}
	if len(want) != len(got) {
		t.Fatalf("dumps of %d and %d lines", len(want), len(got))
	}
}
