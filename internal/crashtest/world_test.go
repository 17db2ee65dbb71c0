//go:build linux

package crashtest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"tenor/internal/money"
	"tenor/internal/store/sqlite"
)

// world is a data directory with a merchant, its companies and a token.
type world struct {
	dir       string
	merchant  string
	companies []string
	token     string
}

// tenor runs a command of the program and returns what it prints.
func tenor(t *testing.T, program string, args ...string) string {
	t.Helper()
	var stderr bytes.Buffer
	cmd := exec.Command(program, args...)
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("tenor %s: %v\n%s%s", strings.Join(args, " "), err, out, stderr.Bytes())
	}
	return strings.TrimSpace(string(out))
}

// newWorld fills a new data directory with the program's own commands.
func newWorld(t *testing.T, program, dir string, companies int) world {
	t.Helper()
	w := world{dir: dir}
	w.merchant = tenor(t, program, "merchants", "create", "Harbor Supply", "--data", dir, "--quiet")
	for i := range companies {
		id := tenor(t, program, "companies", "create", fmt.Sprintf("Buyer %d", i+1), "--limit", "9000000", "--merchant", w.merchant, "--data", dir, "--quiet")
		w.companies = append(w.companies, id)
	}
	w.token = tenor(t, program, "token", "--merchant", w.merchant, "--data", dir, "--ttl", "24h", "--quiet")
	if err := unlimited(dir); err != nil {
		t.Fatal(err)
	}
	return w
}

// unlimited lifts the rate limit of every client: a crash test asks faster than
// any shop.
func unlimited(dir string) (err error) {
	db, err := sqlite.Open(filepath.Join(dir, "tenor.db"), sqlite.Options{Shared: true})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	clients, err := db.Clients(context.Background())
	if err != nil {
		return err
	}
	for _, c := range clients {
		c.PerMinute = 60_000_000
		if err := db.PutClient(context.Background(), c); err != nil {
			return err
		}
	}
	return nil
}

// copyTo copies a world that nobody holds.
func (w world) copyTo(t *testing.T, dir string) world {
	t.Helper()
	if err := os.CopyFS(dir, os.DirFS(w.dir)); err != nil {
		t.Fatal(err)
	}
	w.dir = dir
	return w
}

// files holds the bytes of its database.
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

// serve starts the program on a world. Answers name their address, so it is
// always the same one.
func (w world) serve(t *testing.T, program string, env ...string) *process {
	t.Helper()
	return start(t, env, w.command(program)...)
}

func (w world) command(program string) []string {
	return []string{program, "serve", "--data", w.dir, "--addr", "127.0.0.1:0", "--public-url", "http://tenor.test", "--drain", "0s"}
}

// verify runs tenor verify and fails the test if it finds anything.
func (w world) verify(t *testing.T, program string) {
	t.Helper()
	out, err := exec.Command(program, "verify", "--data", w.dir).CombinedOutput()
	if err != nil {
		t.Fatalf("tenor verify: %v\n%s", err, out)
	}
}

// request is what a client sends.
type request struct {
	Key, Method, Path, Body string
}

// answer is what it gets, as far as a replay must repeat it (ID2).
type answer struct {
	Status                            int
	Body                              string
	ContentType, Location, ETag, QSeq string
	Replayed                          bool `json:"-"`
}

// same reports whether a replay repeats an answer byte for byte.
func (a answer) same(b answer) bool {
	a.Replayed, b.Replayed = false, false
	return a == b
}

// definite reports whether the answer tells what became of the request.
func (a answer) definite() bool {
	return a.Status >= 200 && a.Status < 500 && a.Status != http.StatusTooManyRequests
}

// client sends requests and never repeats one by itself.
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
		return answer{}, err // an answer that was cut off is none
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

// order and company are what the tests look at in the API's resources.
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
