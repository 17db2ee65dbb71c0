package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptrace"
	"net/netip"
	"strconv"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/ports/outbound"
)

const (
	// keptAnswer is how much of an answer is stored for the merchant to see, in bytes.
	keptAnswer = 1 << 10
	// viewTimeout is how long a database read may take.
	viewTimeout = 30 * time.Second

	userAgent = "Tenor-Webhooks/1"
)

// job is one attempt to make.
type job struct {
	it       *item // the desk's; a worker only returns it
	id       string
	event    string
	merchant string
	payload  []byte // nil: read it first
	target   *credit.Endpoint
	url      string
}

// result is the result of an attempt.
type result struct {
	it         *item
	target     *credit.Endpoint
	at         time.Time // wall clock
	began      time.Time // monotonic clock
	took       time.Duration
	status     int    // 0 without an answer
	reason     string // why it failed; "" if it was accepted
	answer     string
	retryAfter time.Duration
	// own is a failure on our side: no attempt was made, or it was cut short. It does not
	// count.
	own error
}

// attempt posts an event to an endpoint. It sends the stored payload, byte for byte (EV4).
func (s *Sender) attempt(ctx context.Context, j job) result {
	r := result{it: j.it, target: j.target}
	body := j.payload
	if body == nil {
		if body, r.own = s.payload(ctx, j); r.own != nil {
			return r
		}
	}
	r.at, r.began = s.now(), time.Now()
	keys, err := s.keys(j.target, r.at)
	if err != nil {
		r.own = err
		return r
	}
	s.post(ctx, &r, j, keys, body)
	return r
}

// post makes the request and records its result.
func (s *Sender) post(ctx context.Context, r *result, j job, keys [][]byte, body []byte) {
	limited, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	var remote net.Addr
	request, err := http.NewRequestWithContext(httptrace.WithClientTrace(limited, &httptrace.ClientTrace{
		GotConn: func(i httptrace.GotConnInfo) { remote = i.Conn.RemoteAddr() },
	}), http.MethodPost, j.url, bytes.NewReader(body))
	if err != nil {
		r.reason = "The address is not a URL."
		return
	}
	timestamp := unixSeconds(r.at)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", userAgent)
	request.Header.Set(HeaderID, j.event)
	request.Header.Set(HeaderTimestamp, timestamp)
	request.Header.Set(HeaderSignature, sign(keys, j.event, timestamp, body))
	answer, err := s.client.Do(request)
	if err != nil {
		r.took, r.reason = time.Since(r.began), outbound.Reason(err)
		if ctx.Err() != nil {
			r.own = context.Cause(ctx)
		}
		return
	}
	s.read(r, answer, remote)
}

// read records an answer. Only 2xx is acceptance; its text is for the merchant, and only if
// it comes from where the merchant could have sent a request itself (A54).
func (s *Sender) read(r *result, answer *http.Response, remote net.Addr) {
	r.status = answer.StatusCode
	text := outbound.Excerpt(answer.Body, keptAnswer)
	if s.cfg.Sandbox || isPublic(remote) {
		r.answer = text
	}
	r.took = time.Since(r.began)
	switch {
	case r.status >= 200 && r.status <= 299:
		return
	case r.status >= 300 && r.status <= 399:
		r.reason = "The receiver answered " + strconv.Itoa(r.status) + ". Redirects are not followed."
	case r.status == http.StatusGone:
		r.reason = "The receiver answered 410 Gone."
	default:
		r.reason = "The receiver answered " + strconv.Itoa(r.status) + "."
	}
	r.retryAfter = parseRetryAfter(answer.Header.Get("Retry-After"), s.now())
}

func isPublic(a net.Addr) bool {
	if a == nil {
		return false
	}
	p, err := netip.ParseAddrPort(a.String())
	return err == nil && outbound.Public(p.Addr())
}

var errNoEvent = errors.New("its event does not exist")

// payload reads the payload to send.
func (s *Sender) payload(ctx context.Context, j job) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, viewTimeout)
	defer cancel()
	var row *store.EventRow
	err := s.cfg.Backend.View(ctx, func(v store.View) (err error) {
		row, _, err = store.EventOf(v, j.event, j.merchant)
		return err
	})
	if err == nil && row == nil {
		err = errNoEvent
	}
	if err != nil {
		return nil, fmt.Errorf("payload of delivery %s: %w", j.id, err)
	}
	return row.Payload, nil
}
