//go:build unix

package pgtest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

// timeout ends hangs. It is far above what anything here takes: test machines are slow.
const timeout = 60 * time.Second

// installation is where the server's programs are, and the user who runs them.
type installation struct {
	bin string // directory
	// credential is that of an ordinary user if the tests run as root, which the server refuses;
	// otherwise nil.
	credential *syscall.Credential
}

// errNone means that no server is installed.
var errNone = errors.New("apt-get install -y postgresql")

// installed looks for the server once.
var installed = sync.OnceValues(find)

// Need skips the test if there is no PostgreSQL, or fails it if the variable TENOR_TEST_REQUIRE
// is "all". The other functions of this package call it.
func Need(t testing.TB) {
	t.Helper()
	_, err := installed()
	if err != nil {
		suite.Missing(t, "PostgreSQL", err.Error())
	}
}

func find() (installation, error) {
	if suite.Bare() {
		return installation{}, errNone
	}
	bin, err := findPrograms("/usr/lib/postgresql/*/bin")
	if err != nil {
		return installation{}, err
	}
	credential, err := ordinary()
	return installation{bin, credential}, err
}

// findPrograms returns the directory of the programs: that of the postgres in the PATH, otherwise
// those of the newest version in the directories of the pattern, where Debian's packages install
// them.
func findPrograms(pattern string) (string, error) {
	if path, err := exec.LookPath("postgres"); err == nil {
		if path, err = filepath.EvalSymlinks(path); err == nil && complete(filepath.Dir(path)) {
			return filepath.Dir(path), nil
		}
	}
	dirs, err := filepath.Glob(pattern)
	if err != nil {
		return "", err
	}
	best, version := "", 0
	for _, dir := range dirs {
		v, err := strconv.Atoi(filepath.Base(filepath.Dir(dir)))
		if err == nil && v > version && complete(dir) {
			best, version = dir, v
		}
	}
	if best == "" {
		return "", errNone
	}
	return best, nil
}

// complete reports whether a directory has all required programs.
func complete(dir string) bool {
	for _, name := range []string{"postgres", "initdb", "pg_basebackup"} {
		if _, err := exec.LookPath(filepath.Join(dir, name)); err != nil {
			return false
		}
	}
	return true
}

// ordinary returns the user for running the programs if the tests run as root.
func ordinary() (*syscall.Credential, error) {
	if os.Getuid() != 0 {
		return nil, nil
	}
	u, err := user.Lookup("postgres")
	if err != nil {
		u, err = user.Lookup("nobody")
	}
	if err != nil {
		return nil, fmt.Errorf("root may not run PostgreSQL, and there is no ordinary user: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return nil, err
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return nil, err
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}, nil
}

// command returns a program of the server, run as the right user.
func (i installation) command(ctx context.Context, dir, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, filepath.Join(i.bin, name), args...)
	cmd.Dir = dir // that user may have no access to the tests' directory
	for _, e := range os.Environ() {
		if !strings.HasPrefix(e, "PG") && !strings.HasPrefix(e, "LC_") { // for another server, another sort order
			cmd.Env = append(cmd.Env, e)
		}
	}
	cmd.Env = append(cmd.Env, "LC_ALL=C", "HOME="+dir)
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: i.credential, Setpgid: true}
	return cmd
}

// run runs a program to its end and returns an error with its output.
func (i installation) run(dir, name string, args ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	var out bytes.Buffer
	cmd := i.command(ctx, dir, name, args...)
	cmd.Stdout, cmd.Stderr = &out, &out
	err := proctest.Spawn(cmd)
	if err == nil {
		err = cmd.Wait()
	}
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", name, err, out.Bytes())
	}
	return nil
}

// memory is where Linux has a file system in memory.
const memory = "/dev/shm"

// home returns where servers keep their data, "" for the directory of temporary files: by day in
// memory, because a test of a server mostly waits for its disk. A server that was killed finds
// there what it wrote. Nights use the disk.
func home() string {
	if os.Getenv("TMPDIR") != "" {
		return ""
	}
	return suite.By(inMemory(), "")
}

// directory creates a directory for a server, owned by the user who runs it. It is not the test's
// own one, to which that user may have no access.
func (i installation) directory() (string, error) {
	dir, err := os.MkdirTemp(home(), "tenor-pg-")
	if err != nil { // no memory that this user may write
		dir, err = os.MkdirTemp("", "tenor-pg-")
	}
	if err != nil {
		return "", err
	}
	err = os.Chmod(dir, 0o711)
	if err == nil && i.credential != nil {
		err = os.Chown(dir, int(i.credential.Uid), int(i.credential.Gid))
	}
	if err != nil {
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	return dir, nil
}
