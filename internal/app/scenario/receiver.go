package scenario

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"time"

	"tenor/client"
)

// receiver is the merchant's own webhook receiver. It keeps a copy of each order and trusts the
// event with the highest sequence, in whatever order they arrive.
type receiver struct {
	url  string
	http *http.Server
	wall func() time.Time

	mu      sync.Mutex
	secret  string
	down    bool
	taken   map[Await]int // by type and object
	refused map[Await]int
	known   map[string]known // orders by key
	more    chan struct{}    // closed when something arrives, then replaced
}

// known is an order as known to the receiver.
type known struct {
	sequence int64
	status   string
}

// maxWebhook bounds what is read of one webhook.
const maxWebhook = 1 << 20

// listen starts a receiver on the loopback address.
func listen(wall func() time.Time) (*receiver, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen for webhooks: %w", err)
	}
	h := &receiver{
		url: "http://" + l.Addr().String() + "/tenor", wall: wall,
		taken: map[Await]int{}, refused: map[Await]int{}, known: map[string]known{}, more: make(chan struct{}),
	}
	h.http = &http.Server{Handler: h, ReadHeaderTimeout: 5 * time.Second}
	go func() { _ = h.http.Serve(l) }() // ends with close
	return h, nil
}

func (h *receiver) close() error { return h.http.Close() }

// trust sets the secret that signs webhooks.
func (h *receiver) trust(secret string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.secret = secret
}

// answer sets whether the receiver accepts events from now on.
func (h *receiver) answer(up bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.down = !up
}

// ServeHTTP accepts a signed webhook, unless the receiver is down.
func (h *receiver) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	body, err := io.ReadAll(http.MaxBytesReader(w, req.Body, maxWebhook))
	h.mu.Lock()
	defer h.mu.Unlock()
	var e client.Event
	if err == nil {
		e, err = client.VerifyWebhook([]string{h.secret}, req.Header, body, h.wall())
	}
	if err != nil {
		w.WriteHeader(http.StatusBadRequest)
		return
	}
	at := Await{Type: e.Type, Object: e.Object.ID}
	if h.down {
		h.refused[at]++
		w.WriteHeader(http.StatusInternalServerError)
	} else {
		h.taken[at]++
		h.learn(e)
		w.WriteHeader(http.StatusNoContent)
	}
	close(h.more)
	h.more = make(chan struct{})
}

// learn updates an order from an event, unless a later event arrived before it.
func (h *receiver) learn(e client.Event) {
	if !strings.HasPrefix(e.Type, "order.") || e.Sequence <= h.known[e.Object.ID].sequence {
		return
	}
	var o struct{ Status string }
	if json.Unmarshal(e.Data.Object, &o) == nil {
		h.known[e.Object.ID] = known{e.Sequence, o.Status}
	}
}

// status returns an order's status as known to the receiver.
func (h *receiver) status(key string) string {
	h.mu.Lock()
	defer h.mu.Unlock()
	if x, found := h.known[key]; found {
		return x.status
	}
	return "(not received)"
}

// until waits for a condition on the receiver: ok is called with its lock held.
func (h *receiver) until(ctx context.Context, patience time.Duration, ok func() bool) error {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	for {
		h.mu.Lock()
		done, more := ok(), h.more
		h.mu.Unlock()
		if done {
			return nil
		}
		select {
		case <-more:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// await waits for an event at the receiver.
func (r *run) await(ctx context.Context, x *Step) error {
	object, err := r.fill(x.Await.Object, false)
	if err != nil {
		return err
	}
	want, got, h := max(1, x.Await.Times), 0, r.hook
	err = h.until(ctx, r.Patience, func() bool {
		count := h.taken
		if x.Await.Refused {
			count = h.refused
		}
		got = count[Await{Type: x.Await.Type, Object: object}]
		return got >= want
	})
	if err != nil {
		r.differ(fmt.Sprintf("step %d: webhook %s", r.step, x.Await.Type), fmt.Sprintf("%d times", want), fmt.Sprintf("%d times", got))
		return errBroken
	}
	r.tell(Line{Say: x.Say, Event: x.Await.Type})
	return nil
}
