package bench

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// listener accepts connections from webhook senders on this machine, until it is closed together
// with them.
type listener struct {
	net.Listener
	serve func(net.Conn)

	running sync.WaitGroup
	mu      sync.Mutex
	open    map[net.Conn]bool
	closed  bool
}

func listen(serve func(net.Conn)) (*listener, error) {
	on, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("listen: %w", err)
	}
	l := &listener{Listener: on, serve: serve, open: map[net.Conn]bool{}}
	l.running.Go(l.accept)
	return l, nil
}

func (l *listener) url() string { return "http://" + l.Addr().String() + "/" }

func (l *listener) accept() {
	for {
		c, err := l.Accept()
		if err != nil {
			return // it was closed
		}
		l.mu.Lock()
		keep := !l.closed
		if keep {
			l.open[c] = true
		}
		l.mu.Unlock()
		if !keep {
			_ = c.Close()
			return
		}
		l.running.Go(func() {
			l.serve(c)
			l.mu.Lock()
			delete(l.open, c)
			l.mu.Unlock()
			_ = c.Close() // no request is in flight
		})
	}
}

func (l *listener) close() error {
	err := l.Listener.Close()
	l.mu.Lock()
	l.closed = true
	for c := range l.open {
		_ = c.Close() // unblocks its goroutine
	}
	l.mu.Unlock()
	l.running.Wait()
	return err
}

// abyss accepts connections, reads, and never responds.
type abyss struct{ *listener }

func newAbyss() (*abyss, error) {
	l, err := listen(func(c net.Conn) {
		for b := make([]byte, 4<<10); ; {
			if _, err := c.Read(b); err != nil {
				return // the sender has given up
			}
		}
	})
	return &abyss{l}, err
}

// receiver accepts webhooks and records when and in which order they arrived. It speaks just
// enough HTTP for that: what it uses, the server lacks.
type receiver struct {
	*listener

	mu    sync.Mutex
	first map[string]time.Time // arrival time by event
	order []string             // events in order of arrival, each once
}

func newReceiver() (x *receiver, err error) {
	x = &receiver{first: map[string]time.Time{}}
	x.listener, err = listen(x.answer)
	return x, err
}

// accepted is the response to everything.
const accepted = "HTTP/1.1 204 No Content\r\n\r\n"

func (x *receiver) answer(c net.Conn) {
	in := bufio.NewReaderSize(c, 8<<10)
	for {
		event, length, err := readHead(in)
		if err == nil {
			_, err = in.Discard(length)
		}
		if err != nil {
			return // the sender is gone, or did not send a webhook: then one is missing
		}
		x.take(event, time.Now())
		if _, err := c.Write([]byte(accepted)); err != nil {
			return
		}
	}
}

var errNoWebhook = errors.New("no webhook")

// readHead reads the head of a request: the event's ID, and the length of the body.
func readHead(in *bufio.Reader) (event string, length int, err error) {
	for first := true; ; first = false {
		line, err := in.ReadSlice('\n')
		if err != nil {
			return "", 0, err
		}
		line = bytes.TrimRight(line, "\r\n")
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch {
		case len(line) == 0 && (event == "" || length <= 0):
			return "", 0, errNoWebhook
		case len(line) == 0:
			return event, length, nil
		case first:
		case bytes.EqualFold(name, []byte("webhook-id")):
			event = string(bytes.TrimSpace(value))
		default:
			if length, err = bodyLength(line, length); err != nil {
				return "", 0, err
			}
		}
	}
}

func (x *receiver) take(event string, at time.Time) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if _, again := x.first[event]; !again {
		x.first[event] = at
		x.order = append(x.order, event)
	}
}

// count returns how many events have arrived.
func (x *receiver) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.order)
}

// wrong compares what arrived with what happened: a missing event, an unknown one, and one that
// arrived before its predecessor of the same object.
func (x *receiver) wrong(events []store.EventRow) (found []string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	known := make(map[string]store.EventRow, len(events))
	next := map[credit.ObjectRef]int64{}
	missing, example := 0, ""
	for _, e := range events {
		known[e.ID] = e
		if k, seen := next[e.Object]; !seen || e.Sequence < k {
			next[e.Object] = e.Sequence
		}
		if _, came := x.first[e.ID]; !came {
			missing, example = missing+1, e.ID
		}
	}
	if missing > 0 {
		found = append(found, fmt.Sprintf("%d of %d events are missing, such as %s", missing, len(events), example))
	}
	invented, disordered := 0, 0
	for _, id := range x.order {
		e, made := known[id]
		switch {
		case !made:
			invented++
		case e.Sequence != next[e.Object]:
			disordered++
		}
		if made {
			next[e.Object] = e.Sequence + 1
		}
	}
	if invented > 0 {
		found = append(found, fmt.Sprintf("%d events came that never happened", invented))
	}
	if disordered > 0 {
		found = append(found, fmt.Sprintf("%d events came before their predecessor", disordered))
	}
	return found
}
