//go:build linux

package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"tenor/internal/store"
	"tenor/internal/store/sqlite"
)

// Figures of the test of power loss in every build. A night's run takes more.
const (
	powerAcks       = 400
	powerClients    = 2
	powerCheckpoint = 100 // pages of the log
	powerImages     = 600
	controlImages   = 240
	minimumCommits  = 300
)

// TestPowerLoss takes the power away from a server that was recorded, at its
// writes, truncations, syncs and answers, and opens what the disk would hold: only
// what a returned sync covers, everything that was written, or a random part of
// it in sectors of 512 bytes. Every answer that had begun to leave must be kept.
//
// The same run with synchronous=NORMAL must lose answers, or the test sees
// nothing. Names in a directory count as safe at once, and disks that lie about a
// flush are beyond it.
func TestPowerLoss(t *testing.T) {
	strace := requireStrace(t)
	s := seed(t)
	full := recordServer(t, strace, s, false)
	random := rand.New(rand.NewPCG(s, 9))
	all := moments(full.recording, nil)
	found := examine(t, full.recording, nil, sample(all, powerImages, random), full.promises, random)

	normal := recordServer(t, strace, s, true)
	lossy := examine(t, normal.recording, nil, sample(moments(normal.recording, nil), controlImages, random), normal.promises, random)

	t.Logf("power loss: %d commits / %d checkpoints / %d of %d images / lost %d / corrupt %d / verified %d; control NORMAL: %d commits, lost %d of %d",
		full.commits, full.checkpoints, found.images, len(all), found.lost, found.corrupt, found.verified, normal.commits, lossy.lost, lossy.images)
	t.Log("limits: names in a directory count as safe at once; a disk that lies about a flush is beyond this test")
	if full.commits < minimumCommits || full.checkpoints == 0 || full.resets == 0 {
		t.Errorf("%d commits, %d checkpoints, %d restarts of the log: too little happened", full.commits, full.checkpoints, full.resets)
	}
	if found.lost != 0 || found.corrupt != 0 {
		t.Errorf("lost %d, corrupt %d:\n%s", found.lost, found.corrupt, strings.Join(found.first, "\n"))
	}
	if lossy.lost == 0 {
		t.Error("control: nothing was lost with synchronous=NORMAL")
	}
	if lossy.corrupt != 0 {
		t.Errorf("control: %d images were corrupt, not only older:\n%s", lossy.corrupt, strings.Join(lossy.first, "\n"))
	}
}

// recorded is a run with what its clients were told.
type recorded struct {
	*recording
	promises                     map[int64]promise // by Commit-Seq
	commits, checkpoints, resets int
}

// recordServer runs the recorded server from an empty directory under strace
// until its clients have enough answers.
func recordServer(t *testing.T, strace string, s uint64, normal bool) recorded {
	t.Helper()
	dir, output := t.TempDir(), filepath.Join(t.TempDir(), "trace")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	env := []string{serverEnv + "=" + dir, fmt.Sprintf("%s=%d", checkpointEnv, powerCheckpoint)}
	if normal {
		env = append(env, normalEnv+"=1")
	}
	begin := time.Now()
	server := start(t, env, append(append([]string{strace}, straceArgs(output)...), self)...)
	c := newClient(server.url, recordedToken)
	defer c.close()
	r := recorded{promises: load(t, c, s)}
	server.killTraced(t)
	if r.recording, err = parseFile(output, dir, nil); err != nil {
		t.Fatal(err)
	}
	r.count(t, dir)
	t.Logf("recorded %d answers, %d steps in %s, NORMAL %v", len(r.promises), len(r.steps), time.Since(begin).Round(time.Millisecond), normal)
	return r
}

// load has clients work until they have enough answers, and returns what these
// promise.
func load(t *testing.T, c *client, s uint64) map[int64]promise {
	t.Helper()
	var mu sync.Mutex
	var wg sync.WaitGroup
	promises := map[int64]promise{}
	for i := range powerClients {
		wg.Go(func() {
			shop := newShop(fmt.Sprintf("p%d", i), []string{strconv.Itoa(recordedCompany)}, rand.New(rand.NewPCG(s, uint64(i))))
			for range powerAcks / powerClients {
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

// promised reads what an answer says for ever.
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

// count counts the commits in the books, the syncs that ended a checkpoint of the
// log into the database, and how often the log began again.
func (r *recorded) count(t *testing.T, dir string) {
	t.Helper()
	db, err := sqlite.Open(filepath.Join(dir, "tenor.db"), sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	err = db.View(context.Background(), func(v store.View) error {
		return v.EachBatch(func(store.BatchRow) error { r.commits++; return nil })
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
