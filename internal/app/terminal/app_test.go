package terminal

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tenor/internal/app/exit"
)

// longest is how long a test waits for something that must happen. It only prevents a hang.
const longest = time.Minute

// pipe can be written and read concurrently.
type pipe struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (p *pipe) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Write(b)
}

func (p *pipe) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}

// testApp is an app that captures its output.
func testApp(out, err io.Writer) *App {
	return &App{In: strings.NewReader(""), Out: out, Err: err, Getenv: os.Getenv, Program: "tenor", Wall: time.Now}
}

func TestStartedAs(t *testing.T) {
	dir := t.TempDir()
	binary := filepath.Join(dir, "tenor")
	if err := os.WriteFile(binary, nil, 0o700); err != nil {
		t.Fatal(err)
	}
	found := func(string) (string, error) { return binary, nil }
	none := func(string) (string, error) { return "", errors.New("not found") }
	for _, x := range []struct {
		arg0 string
		look func(string) (string, error)
		want string
	}{
		{"/cache/go-build123/b001/exe/tenor", none, "go run ./cmd/tenor"},
		{"/cache/go-build/75/7544a1e0-d/tenor", none, "go run ./cmd/tenor"},
		{"tenor", found, "tenor"},
		{binary, found, "tenor"},
		{"./tenor", none, "./tenor"},
		{"/opt/other/tenor", found, "/opt/other/tenor"},
	} {
		if got := StartedAs(x.arg0, x.look); got != x.want {
			t.Errorf("%s: %s, want %s", x.arg0, got, x.want)
		}
	}
}

func TestInterrupt(t *testing.T) {
	var out pipe
	ended := make(chan int, 1)
	ctx, stop := Interruptible(&out, func(code int) { ended <- code })
	defer stop()
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	if err := self.Signal(os.Interrupt); err != nil {
		t.Skipf("no signals here: %v", err)
	}
	select {
	case <-ctx.Done():
	case <-time.After(longest):
		t.Fatal("the first signal did not end the context")
	}
	if out.String() != "Stopping… (again to force)\n" || !errors.Is(context.Cause(ctx), errInterrupted) {
		t.Errorf("printed %q, cause %v", out.String(), context.Cause(ctx))
	}
	if err := self.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
	select {
	case code := <-ended:
		if code != exit.Interrupted {
			t.Errorf("the second signal ended with %d", code)
		}
	case <-time.After(longest):
		t.Fatal("the second signal did not end the process")
	}
}
