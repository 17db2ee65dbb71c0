package bench

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

// CPU time is that of the servers, of the database server with our port, and of its
// sessions, also of those that have ended; other database servers are not counted.
func TestAccountant(t *testing.T) {
	proc := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(proc, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	stat := func(pid, name, parent, times string) {
		write(pid+"/stat", pid+" ("+name+") S "+parent+" 0 0 0 0 0 0 0 0 0 "+times+" 20 0\n")
	}
	stat("10", "tenor (1)", "1", "7 3 99 99")
	stat("20", "postgres", "1", "1 1 10 20")
	write("20/cwd/postmaster.pid", "20\n/data\n0\n5544\n")
	stat("21", "postgres", "20", "100 100 0 0")
	stat("22", "psql", "20", "1000 1000 0 0")
	stat("30", "postgres", "1", "5000 0 0 0")
	write("30/cwd/postmaster.pid", "30\n/other\n0\n5545\n")
	stat("31", "postgres", "30", "5000 0 0 0")
	write("self/stat", "not a number")

	a := accountant{proc: proc, servers: []int{10}}
	if got, ok := a.total(); !ok || got != 10*clockTick {
		t.Errorf("a server: %v, %v", got, ok)
	}
	a.port = "5544"
	if got, ok := a.total(); !ok || got != (10+32+200)*clockTick {
		t.Errorf("with its database: %v, %v", got, ok)
	}
	if got, ok := (accountant{proc: proc, servers: []int{10}, port: "5546"}).total(); ok {
		t.Errorf("a database on another machine: %v", got)
	}
	if got, ok := (accountant{proc: proc, servers: []int{11}}).total(); ok {
		t.Errorf("a server that is gone: %v", got)
	}
	if got, ok := (accountant{proc: "/proc", servers: []int{os.Getpid()}}).total(); ok && got > 24*time.Hour {
		t.Errorf("this process: %v", got)
	}
}
