//go:build linux

package crashtest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store/sqlite"
	"tenor/internal/domain/money"
	"tenor/internal/proof/proctest"
)

// world is a data directory with a merchant, its companies and a token.
type world struct {
	proctest.World
	dir string
}

// worldIn is the world in an existing directory, filled or empty.
func worldIn(dir string) world {
	return world{proctest.World{Flags: []string{"--data", dir}}, dir}
}

// newWorld fills a new data directory with the program's own commands.
func newWorld(t *testing.T, program, dir string, companies int) world {
	t.Helper()
	w := worldIn(dir)
	w.World = proctest.NewWorld(t, program, companies, w.Flags...)
	if err := w.unlimited(); err != nil {
		t.Fatal(err)
	}
	return w
}

// unlimited lifts every client's rate limit, and the limit on what the merchant may owe: a crash
// test is faster than any shop, and no payout nets what the merchant collects.
func (w world) unlimited() (err error) {
	db, err := sqlite.Open(filepath.Join(w.dir, "tenor.db"), sqlite.Options{})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	ctx := context.Background()
	return errors.Join(proctest.LiftLimits(ctx, db), proctest.LetOwe(ctx, db, w.Merchant))
}

// copyTo copies a world that is not open.
func (w world) copyTo(t *testing.T, dir string) world {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	w.dir, w.Flags = dir, worldIn(dir).Flags
	return w
}

// files returns the bytes of its database files.
func (w world) files(t *testing.T) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for _, name := range []string{"tenor.db", "tenor.db-wal"} {
		b, err := os.ReadFile(filepath.Join(w.dir, name))
		if err == nil {
			files[name] = b
		} else if !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
	}
	return files
}

// request is what a client sends.
type request struct {
	Key, Method, Path, Body string
}

// answer is a response, as far as a replay must repeat it (ID2).
type answer struct {
	Status                            int
	Body                              string
	ContentType, Location, ETag, QSeq string
	Replayed                          bool `json:"-"`
}

// same reports whether a replay repeats a response byte for byte.
func (a answer) same(b answer) bool {
	a.Replayed, b.Replayed = false, false
	return a == b
}

// definite reports whether the response tells the outcome of the request.
func (a answer) definite() bool {
	return a.Status >= 200 && a.Status < 500 && a.Status != http.StatusTooManyRequests
}

// client sends requests and never retries by itself.
type client struct {
	url, token string
	http       *http.Client
}

func newClient(url, token string) *client {
	return &client{url, token, &http.Client{Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 64}}}
}

func (c *client) do(r request) (answer, error) {
	var body io.Reader
	if r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	req, err := http.NewRequest(r.Method, c.url+r.Path, body)
	if err != nil {
		return answer{}, err
	}
	req.GetBody = nil // or the library would send it again under the same key
	req.Header.Set("Authorization", "Bearer "+c.token)
	if r.Key != "" {
		req.Header.Set("Idempotency-Key", r.Key)
	}
	if r.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err // a truncated response does not count
	}
	return answer{
		Status: resp.StatusCode, Body: string(text), ContentType: resp.Header.Get("Content-Type"), Location: resp.Header.Get("Location"),
		ETag: resp.Header.Get("ETag"), QSeq: resp.Header.Get("Commit-Seq"), Replayed: resp.Header.Get("Idempotency-Replayed") == "true",
	}, nil
}

func (c *client) close() { c.http.CloseIdleConnections() }

// get reads a resource.
func (c *client) get(path string, into any) error {
	a, err := c.do(request{Method: http.MethodGet, Path: path})
	if err != nil {
		return err
	}
	if a.Status != http.StatusOK {
		return fmt.Errorf("get %s: %d %s", path, a.Status, a.Body)
	}
	return json.Unmarshal([]byte(a.Body), into)
}

// order and company are the parts of the API's resources that the tests check.
type order struct {
	Key      string       `json:"key"`
	Number   string       `json:"merchant_order_id"`
	Status   string       `json:"status"`
	Amount   money.Amount `json:"amount"`
	Captured money.Amount `json:"captured_amount"`
	Refunded money.Amount `json:"refunded_amount"`
	Version  int          `json:"version"`
}

type line struct {
	Limit       money.Amount `json:"limit"`
	Available   money.Amount `json:"available"`
	Reserved    money.Amount `json:"reserved"`
	Outstanding money.Amount `json:"outstanding"`
	OnHold      money.Amount `json:"on_hold"`
}

func (c *client) ordersNumbered(number string) ([]order, error) {
	var list struct{ Data []order }
	err := c.get("/v1/orders?merchant_order_id="+number, &list)
	return list.Data, err
}

func (c *client) line(company string) (line, error) {
	var found struct {
		Line line `json:"credit_line"`
	}
	err := c.get("/v2/companies/"+company, &found)
	return found.Line, err
}

// allOrders walks the whole list and returns how often each number occurs.
func (c *client) allOrders() (map[string]int, error) {
	seen, cursor := map[string]int{}, ""
	for {
		var page struct {
			Data []order
			More bool    `json:"has_more"`
			Next *string `json:"next_cursor"`
		}
		if err := c.get("/v1/orders?limit=100"+cursor, &page); err != nil {
			return nil, err
		}
		for _, o := range page.Data {
			seen[o.Number]++
		}
		if !page.More || page.Next == nil {
			return seen, nil
		}
		cursor = "&cursor=" + *page.Next
	}
}
