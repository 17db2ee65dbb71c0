package linear

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// errNotSent means that no connection could be made, so nobody got the request.
var errNotSent = errors.New("linear: not sent")

// sender sends requests, and records the results.
type sender struct {
	driver *Driver
	http   *http.Client
	rec    *Recorder
	turn   atomic.Int64 // of the nodes
	left   atomic.Int64 // calls that may still be made
}

func (d *Driver) sender(rec *Recorder) (*sender, error) {
	if len(d.Bases) == 0 || d.Token == "" || len(d.Companies) == 0 {
		return nil, errors.New("linear: a driver needs bases, a token and companies")
	}
	s := &sender{driver: d, rec: rec, http: &http.Client{
		Transport: &http.Transport{MaxIdleConnsPerHost: 2 * d.clients(), DisableCompression: true}, // and no proxy
		Timeout:   cmp.Or(d.Timeout, 10*time.Second),
	}}
	s.left.Store(1 << 62)
	if d.Operations > 0 {
		s.left.Store(int64(d.Operations))
	}
	return s, nil
}

// base returns the next node.
func (s *sender) base() string {
	return s.driver.Bases[int(s.turn.Add(1))%len(s.driver.Bases)]
}

// call makes one call and records it, and reports whether it got a definite response.
func (s *sender) call(ctx context.Context, client int, base string, r Request) bool {
	_, ok := s.ask(ctx, client, base, r)
	return ok
}

// ask is call with the response. A request that could not be sent leaves no trace: it can have
// had no effect.
func (s *sender) ask(ctx context.Context, client int, base string, r Request) (Answer, bool) {
	n := s.rec.Begin(client, base, r)
	reply, err := s.exchange(ctx, base, r)
	if errors.Is(err, errNotSent) {
		s.rec.drop(n)
		s.left.Add(1)
		return Answer{}, false
	}
	if err != nil || !reply.Definite() {
		return Answer{}, false
	}
	a, err := reply.answer()
	if err != nil { // definite, but not from Tenor: the check will find it
		a = Answer{Status: reply.Status, Seq: reply.Seq, Code: "unreadable"}
	}
	s.rec.End(n, a)
	return a, true
}

// look reads without recording, and retries until there is a definite response.
func (s *sender) look(ctx context.Context, r Request) (Answer, error) {
	for wait := (pause{}); ; {
		reply, err := s.exchange(ctx, s.base(), r)
		if err == nil && reply.Definite() {
			return reply.answer()
		}
		if !wait.over(ctx) {
			return Answer{}, fmt.Errorf("no answer: %w", errors.Join(context.Cause(ctx), err))
		}
	}
}

// maxBody is the maximum number of bytes read of a response.
const maxBody = 1 << 20

// exchange sends a request and reads the whole reply. The end of the context does not interrupt
// it, since then the outcome would be unknown; the client's own timeout does.
func (s *sender) exchange(ctx context.Context, base string, r Request) (Reply, error) {
	ctx = context.WithoutCancel(ctx)
	if r.Op == SetLimit {
		ctx, cancel := context.WithTimeout(ctx, s.http.Timeout)
		defer cancel()
		return s.driver.SetLimit(ctx, r.Company, r.Key, r.Amount)
	}
	q, err := s.request(ctx, base, r)
	if err != nil {
		return Reply{}, err
	}
	res, err := s.http.Do(q)
	if err != nil {
		var dial *net.OpError
		if errors.As(err, &dial) && dial.Op == "dial" {
			err = fmt.Errorf("%w: %w", errNotSent, err)
		}
		return Reply{}, err
	}
	defer res.Body.Close()
	body, err := io.ReadAll(io.LimitReader(res.Body, maxBody))
	if err != nil {
		return Reply{}, fmt.Errorf("read answer: %w", err)
	}
	seq, err := sequence(r.Op, res.Header)
	return Reply{Status: res.StatusCode, Seq: seq, Replayed: res.Header.Get("Idempotency-Replayed") == "true", Body: body}, err
}

// request builds the HTTP request.
func (s *sender) request(ctx context.Context, base string, r Request) (*http.Request, error) {
	method, path, body := form(r)
	q, err := http.NewRequestWithContext(ctx, method, base+path, bytes.NewReader(body))
	if err != nil {
		return nil, fmt.Errorf("request: %w", err)
	}
	token := s.driver.Token
	if r.Caller == 1 {
		token = s.driver.Second
	}
	q.Header.Set("Authorization", "Bearer "+token)
	if body == nil {
		q.Body, q.ContentLength = nil, 0
		return q, nil
	}
	q.Header.Set("Content-Type", "application/json")
	q.Header.Set("Idempotency-Key", r.Key)
	// Otherwise the transport would silently resend a request with a key after a lost connection,
	// and the history would not contain both.
	q.GetBody = nil
	return q, nil
}

// form returns the method, path and body of a request.
func form(r Request) (method, path string, body []byte) {
	order := "/v1/order/" + r.Order
	switch r.Op {
	case Authorize:
		return http.MethodPost, "/order", fmt.Appendf(nil, `{"company_id":%q,"amount":%q,"installments":1,"status":"AUTHORIZED","merchant_order_id":%q}`,
			r.Company, decimal(r.Amount), r.Reference())
	case SetAmount:
		return http.MethodPatch, order, fmt.Appendf(nil, `{"amount":%q}`, decimal(r.Amount))
	case Capture:
		if r.Amount != 0 {
			return http.MethodPatch, order, fmt.Appendf(nil, `{"status":"CAPTURED","amount":%q}`, decimal(r.Amount))
		}
		return http.MethodPatch, order, []byte(`{"status":"CAPTURED"}`)
	case Cancel:
		return http.MethodPatch, order, []byte(`{"status":"CANCELED"}`)
	case Refund:
		if r.Amount != 0 {
			return http.MethodPatch, order + "/refund", fmt.Appendf(nil, `{"amount":%q}`, decimal(r.Amount))
		}
		return http.MethodPatch, order + "/refund", []byte(`{}`)
	case Pay:
		return http.MethodPost, "/payment", fmt.Appendf(nil, `{"order_key":%q,"amount":%q,"method":"WIRE","external_id":%q}`,
			r.Order, decimal(r.Amount), r.Reference())
	case ReadOrder:
		return http.MethodGet, order, nil
	}
	return http.MethodGet, "/v2/companies/" + r.Company, nil
}

// decimal formats cents for the API.
func decimal(cents int64) string { return fmt.Sprintf("%d.%02d", cents/100, cents%100) }

// pause waits with increasing intervals between attempts at a server that is down, up to a
// quarter of a second.
type pause struct{ last time.Duration }

// over waits and reports whether the context is still alive.
func (p *pause) over(ctx context.Context) bool {
	p.last = min(max(2*p.last, 2*time.Millisecond), 250*time.Millisecond)
	t := time.NewTimer(p.last)
	defer t.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-t.C:
		return ctx.Err() == nil
	}
}
