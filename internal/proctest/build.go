package proctest

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// programs are built once for all tests of the process.
var programs builds

type builds struct {
	mu  sync.Mutex
	dir string // "" outside Main
}

// Main runs the tests and removes afterwards what [Build] has built. TestMain may
// return its result to the system or just return.
func Main(m *testing.M) (code int) {
	if err := programs.open(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer programs.remove()
	return m.Run()
}

func (b *builds) open() (err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.dir, err = os.MkdirTemp("", "tenor-proctest-")
	return err
}

func (b *builds) remove() {
	b.mu.Lock()
	defer b.mu.Unlock()
	os.RemoveAll(b.dir) // what is left in a temporary directory harms nobody
	b.dir = ""
}

// Build returns the path of the program tenor, built with the build tags, which
// are separated by commas; "" for none. TestMain must call [Main].
func Build(t testing.TB, tags string) string {
	t.Helper()
	begin := time.Now()
	path, fresh, err := programs.tenor(tags)
	if err != nil {
		t.Fatal(err)
	}
	if fresh {
		t.Logf("built tenor with tags %q in %s", tags, time.Since(begin).Round(time.Millisecond))
	}
	return path
}

var errNotMain = errors.New("proctest.Build: TestMain does not call proctest.Main")

func (b *builds) tenor(tags string) (path string, fresh bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.dir == "" {
		return "", false, errNotMain
	}
	path = filepath.Join(b.dir, "tenor"+strings.ReplaceAll(tags, ",", "-"))
	if _, err := os.Stat(path); err == nil {
		return path, false, nil
	}
	cmd := exec.Command("go", "build", "-tags", tags, "-o", path, "tenor/cmd/tenor")
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", false, fmt.Errorf("build tenor: %w\n%s", err, out)
	}
	return path, true, nil
}
