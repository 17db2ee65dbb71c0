//go:build linux

package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/proof/proctest"
	"tenor/internal/proof/suite"
)

// Parameters of the power loss test.
const (
	powerClients    = 2
	powerCheckpoint = 100 // pages of the WAL
)

// How many answers a run gets: of the recorded server, and of the program, whose log is long.
func serverAcks() int { return suite.By(200, programAcks) }

const programAcks = 400

// At how many moments the power is cut in each run: of the recorded server, of the program, whose
// images are larger, and of the control.
func powerImages() int   { return suite.By(12, 1000) }
func programImages() int { return suite.By(8, 300) }
func controlImages() int { return suite.By(20, 300) }

// TestPowerLoss cuts the power of recorded servers at their writes, truncations, syncs and
// responses, and opens what the disk would contain: only what a completed sync covers, everything
// that was written, or a random part of it in sectors of 512 bytes. Every response that had
// started to leave must be kept.
//
// The same run with synchronous=NORMAL must lose responses, or the test sees nothing. Directory
// entries count as durable at once, and disks that lie about a flush are out of scope.
func TestPowerLoss(t *testing.T) {
	strace := requireStrace(t)
	s := seed(t)
	random := rand.New(rand.NewPCG(s, 9))
	t.Log("limits: names in a directory count as safe at once; a disk that lies about a flush is beyond this test")
	full := recordServer(t, strace, s, false)
	full.keeps(t, "short log", powerImages(), random)
	recordProgram(t, strace, s).keeps(t, "tenor serve", programImages(), random)

	normal := recordServer(t, strace, s, true)
	lossy := normal.examine(t, controlImages(), random)
	t.Logf("power loss, control NORMAL: %d commits / %d images / lost %d > 0", normal.commits, lossy.images, lossy.lost)
	if lossy.lost == 0 {
		t.Error("control: nothing was lost with synchronous=NORMAL")
	}
	if lossy.corrupt != 0 {
		t.Errorf("control: %d images were corrupt, not only older:\n%s", lossy.corrupt, strings.Join(lossy.first, "\n"))
	}
}

// recorded is a run with its clients' responses.
type recorded struct {
	*recording
	before                       map[string][]byte // content before it started
	acks                         int               // how many its clients were to get
	promises                     map[int64]promise // by Commit-Seq
	commits, checkpoints, resets int
}

func (r recorded) examine(t *testing.T, images int, random *rand.Rand) outcome {
	t.Helper()
	return examine(t, r.recording, r.before, sample(moments(r.recording, r.before), images, random), r.promises, random)
}

// keeps checks that no image of a run lacks what was acknowledged.
func (r recorded) keeps(t *testing.T, name string, images int, random *rand.Rand) {
	t.Helper()
	found := r.examine(t, images, random)
	t.Logf("power loss, %s: %d commits / %d checkpoints / %d images / lost %d / corrupt %d / verified %d",
		name, r.commits, r.checkpoints, found.images, found.lost, found.corrupt, found.verified)
	if r.commits < r.acks*3/4 || r.checkpoints == 0 || r.resets == 0 {
		t.Errorf("%s: %d commits, %d checkpoints, %d restarts of the log: too little happened", name, r.commits, r.checkpoints, r.resets)
	}
	if found.lost != 0 || found.corrupt != 0 {
		t.Errorf("%s: lost %d, corrupt %d:\n%s", name, found.lost, found.corrupt, strings.Join(found.first, "\n"))
	}
}

// recordServer runs the recorded server from an empty directory under strace until its clients
// have enough responses.
func recordServer(t *testing.T, strace string, s uint64, normal bool) recorded {
	t.Helper()
	dir := t.TempDir()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{serverEnv + "=" + dir, fmt.Sprintf("%s=%d", checkpointEnv, powerCheckpoint)}
	if normal {
		env = append(env, normalEnv+"=1")
	}
	w := worldIn(dir)
	w.Companies, w.Token = []string{strconv.Itoa(recordedCompany)}, recordedToken
	return recordRun(t, strace, w, s, serverAcks(), env, self)
}

// recordProgram does the same with the real program, on an existing world: its WAL is long, so
// there are few checkpoints.
func recordProgram(t *testing.T, strace string, s uint64) recorded {
	t.Helper()
	program := proctest.Build(t, "")
	w := newWorld(t, program, t.TempDir(), 1)
	return recordRun(t, strace, w, s, programAcks, nil, w.Command(program)...)
}

func recordRun(t *testing.T, strace string, w world, s uint64, acks int, env []string, argv ...string) recorded {
	t.Helper()
	output := filepath.Join(t.TempDir(), "trace")
	r := recorded{before: w.files(t), acks: acks}
	server := proctest.Start(t, env, traced(strace, output, argv)...)
	c := newClient(server.URL, w.Token)
	defer c.close()
	r.promises = load(t, c, w.Companies, s, acks)
	killTraced(t, server) // the power fails while it runs
	var err error
	if r.recording, err = parseFile(output, w.dir, slices.Sorted(maps.Keys(r.before))); err != nil {
		t.Fatal(err)
	}
	r.count(t, w.dir)
	return r
}

// load runs clients until they have enough responses, and returns what these promise.
func load(t *testing.T, c *client, companies []string, s uint64, acks int) map[int64]promise {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	promises := map[int64]promise{}
	for i := range powerClients {
		wg.Go(func() {
			shop := newShop(fmt.Sprintf("p%d", i), companies, rand.New(rand.NewPCG(s, uint64(i))))
			for range acks / powerClients {
				r := shop.next()
				a, err := c.do(r)
				if err == nil {
					err = shop.apply(r.Key, a)
				}
				q, p, e := promised(a)
				if err = errors.Join(err, e); err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				promises[q] = p
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	return promises
}

// promised extracts what a response guarantees permanently.
func promised(a answer) (q int64, p promise, err error) {
	if a.Status != http.StatusOK && a.Status != http.StatusCreated {
		return 0, p, fmt.Errorf("%d %s", a.Status, a.Body)
	}
	var body struct{ Key, ID string }
	if err := json.Unmarshal([]byte(a.Body), &body); err != nil {
		return 0, p, err
	}
	p.order, p.payment = body.Key, body.ID
	if p.version, err = strconv.Atoi(strings.Trim(a.ETag, `"`)); err != nil {
		return 0, p, err
	}
	q, err = strconv.ParseInt(a.QSeq, 10, 64)
	return q, p, err
}

func parseFile(output, dir string, before []string) (*recording, error) {
	f, err := os.Open(output)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseTrace(f, dir, before)
}

// count counts the commits in the books, the syncs that completed a checkpoint of the WAL into
// the database, and how often the WAL restarted.
func (r *recorded) count(t *testing.T, dir string) {
	t.Helper()
	db, err := sqlite.Open(filepath.Join(dir, "tenor.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(context.Background(), func(v store.View) error {
		return store.EachBatch(v, func(store.BatchRow) error { r.commits++; return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	names := map[int]string{}
	dirty := false
	for _, s := range r.steps {
		switch {
		case s.kind == created:
			names[s.file] = s.name
		case names[s.file] == "tenor.db-wal" && s.kind == written && s.at == 0:
			r.resets++
		case names[s.file] == "tenor.db" && s.kind == written:
			dirty = true
		case names[s.file] == "tenor.db" && s.kind == flushed && s.ok && dirty:
			dirty = false
			r.checkpoints++
		}
	}
}
