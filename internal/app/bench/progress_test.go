package bench

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A bar is one line that is redrawn with the progress and the remaining time; at the end nothing
// of it is left.
func TestBar(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	show, end := Bar(&out, func() time.Time { return now })
	show("fill", 0, 100)
	show("fill", 1, 100) // too soon after the last one
	now = now.Add(10 * time.Second)
	show("fill", 50, 100)
	show("check", 0, 0)
	end()
	end()
	lines := strings.Split(strings.TrimPrefix(out.String(), "\r"), "\r")
	for i, want := range []string{"[" + strings.Repeat(" ", 30) + "] 0/100  fill", "[" + strings.Repeat("=", 15) + strings.Repeat(" ", 15) + "] 50/100  fill, 10s left", "check", "", ""} {
		if i >= len(lines) || strings.TrimRight(lines[i], " ") != want {
			t.Fatalf("line %d of %q, want %q", i, lines, want)
		}
	}
	if len(lines) != 5 || len(lines[3]) < len("check") {
		t.Errorf("the last line is not wiped: %q", lines)
	}
}

// Without a terminal there is a line for each activity, and one for each tenth if it takes long.
func TestLines(t *testing.T) {
	var out strings.Builder
	now := time.Unix(0, 0)
	show := Lines(&out, func() time.Time { return now })
	show("sqlite: measure w1", 0, 20)
	show("sqlite: measure w2", 5, 20) // not long enough yet
	now = now.Add(time.Minute)
	show("sqlite: measure w1", 10, 20)
	show("sqlite: measure w2", 11, 20)
	show("check", 0, 0)
	if want := "sqlite\nsqlite 50 %\ncheck\n"; out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// An interrupted run stops its servers and leaves nothing behind.
func TestInterruptedRun(t *testing.T) {
	if testing.Short() {
		t.Skip("it builds and starts the program")
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	c := quick(t, W1, Ceiling)
	c.Duration = time.Hour // only the interruption ends it
	c.Progress = func(what string, _, _ int) {
		if strings.Contains(what, "measure w1") {
			logs, _ := filepath.Glob(filepath.Join(c.Dir, "*", "server-*.log"))
			for _, name := range logs {
				text, _ := os.ReadFile(name)
				host := listening(text)
				t.Cleanup(func() {
					if x, err := dial(host, ""); err == nil {
						x.close()
						t.Errorf("a server still listens at %s", host)
					}
				})
			}
			if len(logs) != 2 {
				t.Errorf("%d servers, want 2", len(logs))
			}
			cancel()
		}
	}
	report, err := Run(ctx, c)
	if !errors.Is(err, context.Canceled) || report == nil || report.Valid() {
		t.Errorf("interrupted: %v", err)
	}
	if left, err := os.ReadDir(c.Dir); err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}
