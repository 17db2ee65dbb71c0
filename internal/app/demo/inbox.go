package demo

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"sync"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
)

// inbox is a merchant's own webhook receiver: it accepts what is properly signed, and remembers
// it.
type inbox struct {
	url  string
	http *http.Server

	mu      sync.Mutex
	secret  string
	events  []client.Event // each once, in order of arrival
	ids     map[string]bool
	refused int           // not signed properly
	more    chan struct{} // closed when something arrives, then replaced
}

// maxWebhook bounds what is read of one webhook.
const maxWebhook = 1 << 20

// listenForEvents starts one on the loopback address.
func listenForEvents() (*inbox, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, &exit.Failure{Code: exit.Refused, Text: "listen for webhooks", Err: err}
	}
	r := &inbox{url: "http://" + l.Addr().String() + "/tenor", ids: map[string]bool{}, more: make(chan struct{})}
	r.http = &http.Server{Handler: r, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = r.http.Serve(l) }() // ends with close
	return r, nil
}

func (r *inbox) close() error { return r.http.Close() }

// trust sets the secret that signs webhooks.
func (r *inbox) trust(secret string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.secret = secret
}

// ServeHTTP receives a webhook.
func (r *inbox) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxWebhook))
	r.mu.Lock()
	defer r.mu.Unlock()
	var e client.Event
	if err == nil {
		e, err = client.VerifyWebhook([]string{r.secret}, req.Header, body, time.Now())
	}
	if err != nil {
		r.refused++
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	if !r.ids[e.ID] {
		r.ids[e.ID] = true
		r.events = append(r.events, e)
		close(r.more)
		r.more = make(chan struct{})
	}
	w.WriteHeader(http.StatusNoContent)
}

// patienceForEvents is how long to wait for an event. It only prevents a hang.
const patienceForEvents = time.Minute

// await waits for the first matching event among those received so far and later.
func (r *inbox) await(ctx context.Context, what string, fits func(client.Event) bool) (client.Event, error) {
	ctx, cancel := context.WithTimeout(ctx, patienceForEvents)
	defer cancel()
	for {
		r.mu.Lock()
		i, more := slices.IndexFunc(r.events, fits), r.more
		var e client.Event
		if i >= 0 {
			e = r.events[i]
		}
		r.mu.Unlock()
		if i >= 0 {
			return e, nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			if errors.Is(ctx.Err(), context.Canceled) {
				return e, ctx.Err()
			}
			return e, &exit.Failure{Code: exit.CheckFailed, Text: "no webhook received for " + what}
		}
	}
}

// has reports whether an event has arrived.
func (r *inbox) has(id string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.ids[id]
}

// inOrder reports the first problem with what arrived: a signature, or an object whose events
// were out of order or had a gap.
func (r *inbox) inOrder() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.refused > 0 {
		return fmt.Errorf("%d webhooks had a bad signature", r.refused)
	}
	last := map[client.EventObject]int64{}
	for _, e := range r.events {
		if e.Sequence != last[e.Object]+1 && last[e.Object] != 0 {
			return fmt.Errorf("%s: event %d came after event %d", e.Object.ID, e.Sequence, last[e.Object])
		}
		last[e.Object] = e.Sequence
	}
	return nil
}
