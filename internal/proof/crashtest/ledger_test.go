//go:build linux

package crashtest

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
)

// record is a line in the harness's own ledger: what a client was about to send, or the response
// that it got.
type record struct {
	Client  int
	Request *request `json:",omitempty"` // an intent
	Key     string   `json:",omitempty"` // of an acknowledgment
	Answer  *answer  `json:",omitempty"`
}

// journal is the harness's own memory of intents and acknowledgments: one file per cycle, each
// line flushed to disk before anybody continues.
type journal struct {
	mu   sync.Mutex
	file *os.File
}

func newJournal(t *testing.T) *journal {
	t.Helper()
	f, err := os.Create(filepath.Join(t.TempDir(), "ledger.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return &journal{file: f}
}

func (j *journal) write(r record) error {
	text, err := json.Marshal(r)
	if err != nil {
		return err
	}
	j.mu.Lock()
	_, err = j.file.Write(append(text, '\n'))
	j.mu.Unlock()
	return errors.Join(err, j.file.Sync())
}

// sent is a request with what the harness knows about its response.
type sent struct {
	request
	acked *answer // nil: the outcome is unknown
}

// read returns what each client sent, in order.
func (j *journal) read() (map[int][]*sent, error) {
	f, err := os.Open(j.file.Name())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	byClient, byKey := map[int][]*sent{}, map[string]*sent{}
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r record
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return nil, err
		}
		switch {
		case r.Request != nil:
			s := &sent{request: *r.Request}
			byClient[r.Client] = append(byClient[r.Client], s)
			byKey[s.Key] = s
		case byKey[r.Key] == nil:
			return nil, fmt.Errorf("the ledger has an answer to %q, which was never sent", r.Key)
		default:
			byKey[r.Key].acked = r.Answer
		}
	}
	return byClient, lines.Err()
}

// replayed is the result of replaying a cycle's keys.
type replayed struct {
	keys, acked, executed, confirmed int      // executed now, or confirmed to have been executed before
	lost                             []string // acknowledged, but missing or different
	indefinite                       []string // never got a definite response
}

func (r *replayed) add(o replayed) {
	r.keys += o.keys
	r.acked += o.acked
	r.executed += o.executed
	r.confirmed += o.confirmed
	r.lost = append(r.lost, o.lost...)
	r.indefinite = append(r.indefinite, o.indefinite...)
}

// replay sends every key again. What was acknowledged must be replayed with the same bytes; what
// was not must get a definite response now, which is passed to settle.
func replay(c *client, calls []*sent, settle func(key string, a answer)) (found replayed) {
	for _, s := range calls {
		found.keys++
		a, err := c.do(s.request)
		what := fmt.Sprintf("%s %s, key %s", s.Method, s.Path, s.Key)
		switch {
		case err != nil:
			found.indefinite = append(found.indefinite, fmt.Sprintf("%s: %v", what, err))
		case s.acked != nil:
			found.acked++
			if !a.Replayed || !s.acked.same(a) {
				found.lost = append(found.lost, fmt.Sprintf("%s: acknowledged %+v, now %+v", what, *s.acked, a))
			}
		case !a.definite():
			found.indefinite = append(found.indefinite, fmt.Sprintf("%s: %d %s", what, a.Status, a.Body))
		default:
			if a.Replayed {
				found.confirmed++
			} else {
				found.executed++
			}
			settle(s.Key, a)
		}
	}
	return found
}
