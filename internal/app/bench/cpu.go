package bench

import (
	"bytes"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// clockTick is the unit of the kernel's process accounting, the same on every Linux.
const clockTick = 10 * time.Millisecond

// accountant adds up the CPU time of a site's servers and of its database server, if that
// runs on this machine.
type accountant struct {
	proc    string // /proc, except in tests
	servers []int
	port    string // of PostgreSQL; empty: none
}

func newAccountant(s *site) accountant {
	a := accountant{proc: "/proc"}
	for _, x := range s.servers {
		a.servers = append(a.servers, x.cmd.Process.Pid)
	}
	if s.kind == Postgres {
		if u, err := url.Parse(s.target); err == nil {
			a.port = u.Port()
			if a.port == "" {
				a.port = "5432"
			}
		}
	}
	return a
}

// total is the CPU time used so far, in user and kernel mode. It is false where the kernel
// does not say, or if the database server is elsewhere.
func (a accountant) total() (time.Duration, bool) {
	ticks := int64(0)
	for _, pid := range a.servers {
		x, ok := a.process(strconv.Itoa(pid))
		if !ok {
			return 0, false
		}
		ticks += x.own
	}
	if a.port != "" {
		n, ok := a.postgres()
		if !ok {
			return 0, false
		}
		ticks += n
	}
	return time.Duration(ticks) * clockTick, true
}

// process is what the kernel counts for a process, in ticks.
type process struct {
	name   string
	parent string
	own    int64
	ended  int64 // of children that have ended
}

// process reads /proc/PID/stat. The name is in parentheses and may contain any character.
func (a accountant) process(pid string) (process, bool) {
	text, err := os.ReadFile(filepath.Join(a.proc, pid, "stat"))
	from, to := bytes.IndexByte(text, '('), bytes.LastIndexByte(text, ')')
	if err != nil || from < 0 || to < from {
		return process{}, false
	}
	fields := strings.Fields(string(text[to+1:]))
	const parent, user, system, endedUser, endedSystem = 1, 11, 12, 13, 14
	if len(fields) <= endedSystem {
		return process{}, false
	}
	number := func(at int) int64 {
		n, _ := strconv.ParseInt(fields[at], 10, 64) // the kernel writes numbers
		return n
	}
	return process{
		name: string(text[from+1 : to]), parent: fields[parent],
		own: number(user) + number(system), ended: number(endedUser) + number(endedSystem),
	}, true
}

// postgres adds up a database server, found by its port, with its sessions.
func (a accountant) postgres() (ticks int64, found bool) {
	entries, err := os.ReadDir(a.proc)
	if err != nil {
		return 0, false
	}
	all := map[string]process{}
	server := ""
	for _, e := range entries {
		if _, err := strconv.Atoi(e.Name()); err != nil {
			continue
		}
		if x, ok := a.process(e.Name()); ok && x.name == "postgres" {
			all[e.Name()] = x
			if a.listens(e.Name()) {
				server = e.Name()
			}
		}
	}
	for pid, x := range all { // unordered: a sum
		if pid == server {
			ticks += x.own + x.ended
		} else if x.parent == server {
			ticks += x.own
		}
	}
	return ticks, server != ""
}

// listens reports whether a process is the server with our port: it runs in its data
// directory, whose postmaster.pid begins with its process ID and has the port in its fourth
// line.
func (a accountant) listens(pid string) bool {
	text, err := os.ReadFile(filepath.Join(a.proc, pid, "cwd", "postmaster.pid"))
	lines := strings.Split(string(text), "\n")
	return err == nil && len(lines) > 3 && strings.TrimSpace(lines[0]) == pid && strings.TrimSpace(lines[3]) == a.port
}

// account measures what a request costs servers and database together, beside a load.
func (r *runner) account(m measurement, run func() (requests int64)) error {
	a := newAccountant(m.site)
	before, known := a.total()
	n := run()
	if !known || n == 0 {
		return nil
	}
	after, known := a.total()
	if !known {
		return fmt.Errorf("account: a process of %s is gone", m.site.name)
	}
	r.report.row(m.site.kind, m.workload, cpuVariant, m.connections, "µs").put(microseconds(after-before) / float64(n))
	return nil
}

// cpuVariant is the row of what account measures.
const cpuVariant = "CPU of server and database"
