package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// A server that does not respond ends the run, and what it was doing is saved: the state of its
// threads, and its goroutines.
func TestHangIsDissected(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no signal asks for stacks there")
	}
	c := quick(t, W2)
	c.Binary, c.patience = c.Bare[0], 3*time.Second // the request should have arrived by then
	t.Setenv(silentEnv, "1")
	report, err := Run(context.Background(), c)
	if !errors.Is(err, os.ErrDeadlineExceeded) || report == nil || report.Valid() {
		t.Fatalf("a server that answers nothing: %v", err)
	}
	left, globErr := filepath.Glob(filepath.Join(c.Dir, "*"))
	if globErr != nil || len(left) != 1 || !strings.Contains(err.Error(), left[0]) {
		t.Fatalf("left are %q, and the error is %v", left, err)
	}
	text, readErr := os.ReadFile(left[0])
	if readErr != nil {
		t.Fatal(readErr)
	}
	for _, want := range []string{"generator itself did not run for up to", "goroutine ", "bench.neverAnswer"} {
		if !strings.Contains(string(text), want) {
			t.Errorf("it does not tell of %q:\n%s", want, text)
		}
	}
	if runtime.GOOS == "linux" && !strings.Contains(string(text), " S ") {
		t.Errorf("it does not tell of a thread that sleeps:\n%s", text)
	}
}

// Failures other than a missing response do not trigger it.
func TestBrokenConnectionIsNoHang(t *testing.T) {
	r := &runner{cfg: Config{Dir: t.TempDir()}}
	for _, err := range []error{nil, &lostError{errors.New("reset")}, errors.New("503 instead of 201")} {
		if got := r.autopsy(&site{}, &result{first: err}); got != nil {
			t.Errorf("%v: %v", err, got)
		}
	}
}

// A generator that was not scheduled reports for how long: then its server is not to blame.
func TestGaps(t *testing.T) {
	start := time.Now()
	at := start
	beats, ended, longest := make(chan time.Time), make(chan struct{}), make(chan time.Duration)
	looked := make(chan struct{})
	now := func() time.Time {
		defer func() { looked <- struct{}{} }()
		return at
	}
	go func() { longest <- gaps(beats, now, ended) }()
	<-looked
	for _, after := range []time.Duration{pulse, 2 * pulse, 2*pulse + 7*time.Second, 3*pulse + 7*time.Second, 3*pulse + 9*time.Second} {
		at = start.Add(after)
		beats <- at
		<-looked
	}
	close(ended)
	if got := <-longest; got != 7*time.Second-pulse {
		t.Errorf("the longest gap is %s, want %s", got, 7*time.Second-pulse)
	}
}
