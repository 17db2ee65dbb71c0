//go:build linux

package nodetest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"tenor/internal/domain/money"
)

// patience ends a hung wait. It decides nothing.
const patience = 90 * time.Second

// request is what a client sends.
type request struct {
	Key, Method, Path, Body string
	Match                   string `json:",omitempty"` // If-Match, an entity tag in its quotes
}

// String formats a request for a report.
func (r request) String() string { return fmt.Sprintf("%s %s, key %s", r.Method, r.Path, r.Key) }

// answer is the response, as far as a replay must repeat it (ID2).
type answer struct {
	Status                           int
	Body                             string
	ContentType, Location, ETag, Seq string
	Replayed                         bool   `json:"-"`
	RetryAfter                       string `json:"-"` // seconds, of a refusal that may be retried
}

// same reports whether a replay repeats a response byte for byte.
func (a answer) same(b answer) bool {
	a.Replayed, b.Replayed = false, false
	return a == b
}

func (a answer) accepted() bool { return a.Status/100 == 2 }

// code returns that of a problem, "" for any other response.
func (a answer) code() string {
	var p struct{ Code string }
	if a.accepted() || json.Unmarshal([]byte(a.Body), &p) != nil {
		return ""
	}
	return p.Code
}

// definite reports whether the response tells the outcome of the request.
func (a answer) definite() bool {
	return a.Status >= 200 && a.Status < 500 && a.Status != http.StatusTooManyRequests && a.code() != "idempotency_key_in_use"
}

// seq returns the commit sequence of a write, 0 if it has none.
func (a answer) seq() int64 {
	q, err := strconv.ParseInt(a.Seq, 10, 64)
	if err != nil {
		return 0
	}
	return q
}

// read extracts what a test needs from the body.
func (a answer) read(into any) error {
	if !a.accepted() {
		return fmt.Errorf("%d %s", a.Status, a.Body)
	}
	return json.Unmarshal([]byte(a.Body), into)
}

// client sends requests to nodes in turn, and never retries by itself. It ends with its test.
type client struct {
	ctx   context.Context
	token string
	bases []string
	turn  atomic.Uint64
	http  *http.Client
}

func newClient(ctx context.Context, token string, bases ...string) *client {
	return &client{ctx: ctx, token: token, bases: bases, http: &http.Client{
		Timeout: 30 * time.Second, Transport: &http.Transport{MaxIdleConnsPerHost: 256, DisableCompression: true},
	}}
}

// newFrugalClient returns a client that uses one connection per request, so that a test can break
// a particular one.
func newFrugalClient(ctx context.Context, token string, bases ...string) *client {
	c := newClient(ctx, token, bases...)
	c.http.Transport.(*http.Transport).DisableKeepAlives = true
	return c
}

// from makes a client use another address of this machine: a single address may use only part of
// a server's capacity.
func (c *client) from(address string) *client {
	d := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}}
	c.http.Transport.(*http.Transport).DialContext = d.DialContext
	return c
}

// within returns the same client with requests canceled with a context.
func (c *client) within(ctx context.Context) *client {
	return &client{ctx: ctx, token: c.token, bases: c.bases, http: c.http}
}

// as returns the same client with another token.
func (c *client) as(token string) *client {
	return &client{ctx: c.ctx, token: token, bases: c.bases, http: c.http}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// do sends a request to the next node.
func (c *client) do(r request) (answer, error) { return c.at(int(c.turn.Add(1)), r) }

// at sends a request to one node, modulo their number.
func (c *client) at(node int, r request) (answer, error) {
	var body io.Reader
	if r.Body != "" {
		body = strings.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(c.ctx, r.Method, c.bases[node%len(c.bases)]+r.Path, body)
	if err != nil {
		return answer{}, err
	}
	req.GetBody = nil // or the library would send it again under the same key
	req.Header.Set("Authorization", "Bearer "+c.token)
	if r.Key != "" {
		req.Header.Set("Idempotency-Key", r.Key)
	}
	if r.Match != "" {
		req.Header.Set("If-Match", r.Match)
	}
	if r.Body != "" {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return answer{}, err
	}
	return readAnswer(resp)
}

// readAnswer reads a response to its end and closes it. A truncated one does not count.
func readAnswer(resp *http.Response) (answer, error) {
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return answer{}, err
	}
	h := resp.Header
	return answer{
		Status: resp.StatusCode, Body: string(text), ContentType: h.Get("Content-Type"), Location: h.Get("Location"),
		ETag: h.Get("ETag"), Seq: h.Get("Commit-Seq"), Replayed: h.Get("Idempotency-Replayed") == "true",
		RetryAfter: h.Get("Retry-After"),
	}, nil
}

// until tries one node after the other until one gives a definite response. lost is how many did
// not. A node that no longer accepts writes has found its books wrong: no response will come.
func (c *client) until(r request) (a answer, lost int, err error) {
	for end := time.Now().Add(patience); ; lost++ {
		if a, err = c.do(r); err == nil && a.definite() {
			return a, lost, nil
		}
		if time.Now().After(end) || c.ctx.Err() != nil || a.code() == "read_only" {
			return a, lost, fmt.Errorf("%s: no definite answer: %d %s, %v", r, a.Status, a.Body, err)
		}
		time.Sleep(5 * time.Millisecond)
	}
}

// must sends a set-up request and decodes its response.
func (c *client) must(r request, into any) error {
	a, _, err := c.until(r)
	if err == nil {
		err = a.read(into)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r, err)
	}
	return nil
}

// get reads a resource.
func (c *client) get(path string, into any) error {
	return c.must(request{Method: http.MethodGet, Path: path}, into)
}

// order, payment and line are the parts of the API's resources that the tests check.
type order struct {
	Key      string       `json:"key"`
	Number   string       `json:"merchant_order_id"`
	Status   string       `json:"status"`
	Amount   money.Amount `json:"amount"`
	Captured money.Amount `json:"captured_amount"`
	Refunded money.Amount `json:"refunded_amount"`
	Refunds  []struct{ ID string }
}

type payment struct {
	ID     string       `json:"id"`
	Amount money.Amount `json:"amount"`
}

type line struct {
	Limit       money.Amount `json:"limit"`
	Available   money.Amount `json:"available"`
	Reserved    money.Amount `json:"reserved"`
	Outstanding money.Amount `json:"outstanding"`
	OnHold      money.Amount `json:"on_hold"`
}

func (c *client) line(company string) (line, error) {
	var found struct {
		Line line `json:"credit_line"`
	}
	err := c.get("/v2/companies/"+company, &found)
	return found.Line, err
}

// walk reads a whole list, page by page. The path has a query.
func walk[T any](c *client, path string) (all []T, err error) {
	for cursor := ""; ; {
		var page struct {
			Data []T
			More bool    `json:"has_more"`
			Next *string `json:"next_cursor"`
		}
		if err := c.get(path+"&limit=100"+cursor, &page); err != nil {
			return nil, err
		}
		all = append(all, page.Data...)
		if !page.More || page.Next == nil {
			return all, nil
		}
		cursor = "&cursor=" + *page.Next
	}
}

// Requests of the tests. Orders have one installment (NET30), which bears no charge: every cent
// paid is principal, on any day.

func post(key, path, body string) request {
	return request{Key: key, Method: http.MethodPost, Path: path, Body: body}
}

func authorize(key, company string, amount money.Amount, number string) request {
	if number != "" {
		number = fmt.Sprintf(`,"merchant_order_id":%q`, number)
	}
	return post(key, "/order", fmt.Sprintf(`{"company_id":%q,"amount":%q,"installments":1,"status":"AUTHORIZED"%s}`, company, amount, number))
}

func patch(key, order, body string) request {
	return request{Key: key, Method: http.MethodPatch, Path: "/v1/order/" + order, Body: body}
}

func capture(key, order string) request { return patch(key, order, `{"status":"CAPTURED"}`) }
func cancel(key, order string) request  { return patch(key, order, `{"status":"CANCELED"}`) }

func refund(key, order string, amount money.Amount) request {
	return patch(key, order+"/refund", fmt.Sprintf(`{"amount":%q}`, amount))
}

func pay(key, order string, amount money.Amount) request {
	return post(key, "/payment", fmt.Sprintf(`{"order_key":%q,"amount":%q,"method":"WIRE"}`, order, amount))
}

func payBack(key, payment string, amount money.Amount) request {
	return post(key, "/payment/"+payment+"/refund", fmt.Sprintf(`{"amount":%q}`, amount))
}

// together runs work n times concurrently: all start when all are ready.
func together(n int, work func(i int)) {
	start := make(chan struct{})
	var ready, done sync.WaitGroup
	for i := range n {
		ready.Add(1)
		done.Go(func() {
			ready.Done()
			<-start
			work(i)
		})
	}
	ready.Wait()
	close(start)
	done.Wait()
}
