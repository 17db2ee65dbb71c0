//go:build linux

package crashtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenor/internal/core/failpoint"
	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

// maxHits is how often each point of the engine and the store kills the server.
func maxHits() int { return suite.By(2, 12) }

// points are those that a command can currently reach.
var points = []failpoint.Point{
	failpoint.BeforeBegin, failpoint.AfterLoad, failpoint.AfterDecide, failpoint.MidApply, failpoint.BeforeCommit,
	failpoint.BeforeAnswer, failpoint.BetweenAnswers,
}

// TestCrashPoints makes the server kill itself at the first, second, … hit of each point while
// two clients run their stories, restarts it, sends every key again and lets the stories finish.
// Then everything stored must equal the result of an undisturbed run.
func TestCrashPoints(t *testing.T) {
	withinOneDay(t)
	program := proctest.Build(t, "failpoint")
	template := newWorld(t, program, t.TempDir(), 2)
	calm := tellStories(t, program, template, "")
	if calm.killed {
		t.Fatal("it was killed without a failpoint")
	}
	if twice := tellStories(t, program, template, ""); cmp.Diff(calm.state, twice.state) != "" {
		t.Fatalf("two calm runs differ:\n%s", differ(calm.state, twice.state))
	}
	kills, confirmed, executed := 0, 0, 0
	for _, point := range points {
		hits := 0
		for n := 1; n <= maxHits(); n++ {
			r := tellStories(t, program, template, fmt.Sprintf("%s=kill@%d", point, n))
			if !r.killed {
				break
			}
			hits++
			confirmed += r.found.confirmed
			executed += r.found.executed
			if d := differ(calm.state, r.state); d != "" {
				t.Errorf("%s, hit %d, differs from a calm run:\n%s", point, n, d)
			}
		}
		if hits < 2 {
			t.Errorf("%s was hit %d times", point, hits)
		}
		kills += hits
	}
	t.Logf("crash points: %d points, %d kills / differences 0 / unanswered: %d had happened, %d had not", len(points), kills, confirmed, executed)
	if confirmed == 0 || executed == 0 {
		t.Error("no kill fell before a commit, or none after one")
	}
	controlStory(t, program, template, calm.state)
}

// telling is a run of both stories.
type telling struct {
	killed bool
	found  replayed
	state  string
}

// tellStories runs both stories on a copy of the world with failpoints armed until the server
// dies.
func tellStories(t *testing.T, program string, template world, failpoints string) telling {
	t.Helper()
	w := template.copyTo(t, t.TempDir())
	server := w.Serve(t, program, "TENOR_FAILPOINTS="+failpoints)
	both := tellers(w)
	all(t, both, server.URL, w.Token)
	if t.Failed() { // a story failed: the server will not die of it
		server.Terminate(t)
		t.FailNow()
	}
	var r telling
	if r.killed = !done(both); r.killed {
		server.Wait(t)
		if !server.Killed() {
			t.Fatalf("%s: ended with %v\n%s", failpoints, server.Err(), server.Log())
		}
		server = w.Serve(t, program)
		for _, teller := range both {
			found, err := teller.again(newClient(server.URL, w.Token))
			if err != nil || len(found.lost)+len(found.indefinite) > 0 {
				t.Fatalf("%s: %v, lost %v, indefinite %v", failpoints, err, found.lost, found.indefinite)
			}
			r.found.add(found)
		}
		all(t, both, server.URL, w.Token)
		if !done(both) {
			t.Fatalf("%s: the stories did not end", failpoints)
		}
	}
	if server.Terminate(t); server.Killed() {
		r.killed = true // at the last response: nothing is left to send
	} else if server.Err() != nil {
		t.Fatalf("%s: ended with %v", failpoints, server.Err())
	}
	var err error
	if r.state, err = state(w.dir); err != nil {
		t.Fatalf("%s: %v", failpoints, err)
	}
	return r
}

// all runs the tellers concurrently until they are done or the server is gone.
func all(t *testing.T, both []*teller, url, token string) {
	t.Helper()
	var wg sync.WaitGroup
	for i, teller := range both {
		wg.Go(func() {
			c := newClient(url, token)
			defer c.close()
			if err := teller.tell(c, fmt.Sprintf("t%d", i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

func done(both []*teller) bool {
	for _, t := range both {
		if len(t.answers) < len(t.script) {
			return false
		}
	}
	return true
}

// differ shows the first rows that differ between two states, "" if they are equal.
func differ(a, b string) string {
	d := cmp.Diff(strings.Split(a, "\n"), strings.Split(b, "\n"))
	return d[:min(len(d), 3000)]
}

// controlStory sends one payment again under a new key and without an ID of its own, like a
// client without keys after a crash. The comparison must see the second effect.
func controlStory(t *testing.T, program string, template world, calm string) {
	t.Helper()
	w := template.copyTo(t, t.TempDir())
	server := w.Serve(t, program)
	both := tellers(w)
	second := both[1]
	second.script = append(second.script, second.script[0])
	second.script[len(second.script)-1] = func(t *teller) request {
		return request{Method: "POST", Path: "/payment", Body: fmt.Sprintf(`{"order_key":%q,"amount":"0.01","method":"WIRE"}`, t.child)}
	}
	all(t, both, server.URL, w.Token)
	server.Stop(t)
	changed, err := state(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	if differ(calm, changed) == "" {
		t.Error("control: one payment more was not seen")
	}
}

// TestCrashInMigration kills the creation of a database at statements of its schema: at the first
// ones, and then at each of a stride with a random start. The next start completes it.
func TestCrashInMigration(t *testing.T) {
	program := proctest.Build(t, "failpoint")
	kills, from := 0, 1+rand.IntN(*everyStatement)
	for n := 1; ; n++ {
		if n > 3 && (n-from)%*everyStatement != 0 {
			continue
		}
		w := worldIn(t.TempDir())
		armed := fmt.Sprintf("TENOR_FAILPOINTS=%s=kill@%d", failpoint.Migration, n)
		server, err := proctest.Launch(t, []string{armed}, w.Command(program)...)
		if err == nil {
			server.Stop(t)
			break // it has no so many statements
		}
		if !server.Killed() {
			t.Fatalf("statement %d: %v", n, err)
		}
		kills++
		w.Serve(t, program).Stop(t)
		if s, err := state(w.dir); err != nil || strings.Contains(s, "merchants") {
			t.Fatalf("after a kill at statement %d: %v, %s", n, err, s)
		}
	}
	t.Logf("crash points: statements of migrations, one of %d from the %dth on: %d kills", *everyStatement, from, kills)
	if kills < 5 {
		t.Errorf("only %d kills", kills)
	}
}
