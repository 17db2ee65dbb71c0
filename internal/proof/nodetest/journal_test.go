//go:build linux

package nodetest

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

// journal is the harness's own memory of intents and acknowledgments. Each line is flushed to
// disk before anybody continues: its content does not depend on the servers with which it is
// compared.
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

// replayed is the result of replaying keys.
type replayed struct {
	keys, acked, executed, confirmed int      // executed now, or confirmed to have been executed before
	lost                             []string // acknowledged, but missing or different
}

func (r *replayed) add(o replayed) {
	r.keys += o.keys
	r.acked += o.acked
	r.executed += o.executed
	r.confirmed += o.confirmed
	r.lost = append(r.lost, o.lost...)
}

// replay sends every key again, until there is a definite response. What was acknowledged must be
// replayed with the same bytes; the result of what was not is passed to settle. An error means a
// key that is never answered.
func replay(c *client, calls []*sent, settle func(key string, a answer)) (found replayed, err error) {
	for _, s := range calls {
		a, _, err := c.until(s.request)
		if err != nil {
			return found, err
		}
		found.keys++
		switch {
		case s.acked != nil:
			found.acked++
			if !a.Replayed || !s.acked.same(a) {
				found.lost = append(found.lost, fmt.Sprintf("%s: acknowledged %+v, now %+v", s, *s.acked, a))
			}
			continue
		case a.Replayed:
			found.confirmed++
		default:
			found.executed++
		}
		s.acked = &a // compared with a later replay
		settle(s.Key, a)
	}
	return found, nil
}
