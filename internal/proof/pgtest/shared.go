//go:build unix

package pgtest

import (
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"tenor/internal/proof/suite"
)

// one is the server shared by the tests of the process. It and [first] are the state of the package,
// because a server takes a second to create and a database a tenth.
var one shared

type shared struct {
	mu      sync.Mutex
	allowed bool // somebody will stop it
	cluster *Cluster
	err     error
	made    int              // number of databases
	masters map[string]error // databases that are copied, and why one could not be created
}

// Main runs the tests and stops the shared server afterwards. TestMain may pass its result to
// os.Exit or just return.
func Main(m *testing.M) int {
	defer Shared()()
	return m.Run()
}

// Shared allows tests to use [Database] and returns a function that stops the server. It is for a
// TestMain that does more than [Main].
func Shared() (stop func()) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.allowed = true
	first.allow()
	suite.Alone()
	return one.stop
}

func (s *shared) stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.cluster != nil {
		s.cluster.remove()
	}
	s.cluster, s.allowed, s.masters = nil, false, nil
	first.remove()
}

// Database returns the URL of a new, empty database on the shared server, which is started on
// first use. The database is dropped at the end of the test, even if clients are still connected.
func Database(t testing.TB) string {
	t.Helper()
	Need(t)
	return database(t, "")
}

// Copy returns the URL of a new database that is a copy of a master, which is dropped like that
// of [Database]. The first test that needs the master creates it: prepare is called with the URL
// of an empty database, and must leave no connection behind.
func Copy(t testing.TB, master string, prepare func(url string) error) string {
	t.Helper()
	Need(t)
	if err := one.master(t, master, prepare); err != nil {
		t.Fatal(err)
	}
	return database(t, " TEMPLATE "+master)
}

// copied returns how a database is copied: as files, which takes two checkpoints, if these are
// cheap because the files are in memory.
func (c *Cluster) copied() string {
	if filepath.Dir(c.dir) == memory {
		return " STRATEGY FILE_COPY"
	}
	return ""
}

func database(t testing.TB, like string) string {
	t.Helper()
	c, name, err := one.next()
	if err != nil {
		t.Fatal(err)
	}
	c.Exec(t, "postgres", "CREATE DATABASE "+name+like+c.copied())
	t.Cleanup(func() {
		c.Exec(t, "postgres", "DROP DATABASE "+name+" WITH (FORCE)")
		c.explain(t)
	})
	return c.URL(name)
}

var errNotMain = errors.New("pgtest.Database: TestMain does not call pgtest.Main")

// master creates a database to copy, once.
func (s *shared) master(t testing.TB, name string, prepare func(url string) error) error {
	t.Helper()
	c, _, err := s.next()
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err, made := s.masters[name]; made {
		return err
	}
	if s.masters == nil {
		s.masters = map[string]error{}
	}
	c.Exec(t, "postgres", "CREATE DATABASE "+name)
	s.masters[name] = prepare(c.URL(name))
	return s.masters[name]
}

// next returns the server and the name of the next database.
func (s *shared) next() (*Cluster, string, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.allowed {
		return nil, "", errNotMain
	}
	if s.cluster == nil && s.err == nil {
		s.cluster, s.err = create(Options{})
	}
	s.made++
	return s.cluster, fmt.Sprintf("test_%d", s.made), s.err
}
