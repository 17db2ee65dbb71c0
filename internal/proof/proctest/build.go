package proctest

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/proof/suite"
)

// programs are built once for all tests of the process.
var programs builds

type builds struct {
	mu  sync.Mutex
	dir string // "" outside Main
}

// Main runs the tests and then removes what [Build] has built. TestMain may pass its result to
// os.Exit or just return.
func Main(m *testing.M) (code int) {
	suite.Alone()
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
	os.RemoveAll(b.dir) // leftovers in a temporary directory are harmless
	b.dir = ""
}

// Build returns the path of the program tenor, built with the build tags, separated by commas; ""
// for none. TestMain must call [Main].
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
	program, err := Program(tags)
	if err != nil {
		return "", false, err
	}
	return path, true, os.Symlink(program, path)
}

// Program returns the path of the program tenor, built with the build tags, in the compiler's
// cache. All packages of a test run share it, and it is linked once: go run keeps what it has
// linked, unlike go build. Start it under another name: under its own it assumes that it was
// started with go run.
func Program(tags string) (path string, err error) {
	for range 2 { // the first time the path is where it was linked, and it is then moved to the cache
		cmd := exec.Command("go", "run", "-exec", "echo", "-tags", tags, "tenor/cmd/tenor")
		cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
		var said bytes.Buffer
		cmd.Stderr = &said
		out, err := cmd.Output()
		if err != nil {
			return "", fmt.Errorf("build tenor: %w\n%s", err, said.Bytes())
		}
		path = strings.TrimSpace(string(out))
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("build tenor: go run does not keep %s", path)
}
