package sim

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/verify"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/webhook"
)

// receivers answers everything with 204.
type receivers struct{}

func (receivers) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: 204, Body: io.NopCloser(strings.NewReader("")), Request: r, Header: http.Header{}, ProtoMajor: 1}, nil
}

// What the real sender does with a random business, with endpoints that come and go and change
// what they subscribe to, passes verify: nothing extra, nothing missing (EV2, EV6).
func TestWhatIsSentIsClean(t *testing.T) {
	for _, seed := range seedsOf(t, 3) {
		r, err := NewRun(memory.New(), NewRand(seed), 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.heal(); err != nil {
			t.Fatal(err)
		}
		sent := 0 // the most at once: deleting an endpoint deletes its deliveries
		for round := 0; round < 3 || sent == 0 && round < 50; round++ {
			if err := r.Drive(40); err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for _, kind := range accessKinds() {
				if err := r.Step(kind); err != nil {
					t.Fatalf("seed %d: %v", seed, err)
				}
			}
			sent = max(sent, r.send(t, seed))
			report, err := verify.Run(context.Background(), r.World.DB, verify.Options{
				Scratch: memory.Scratch, Zone: calendar.NewZone(r.Model.location), Wire: resource.APIVersion, Open: Opened,
				EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
					return resource.EncodeEvent(e, at, by)
				},
			})
			if err != nil || !report.Clean() {
				t.Fatalf("seed %d: %v %v", seed, err, report.Violations)
			}
		}
		if sent == 0 {
			t.Errorf("seed %d: nothing was sent", seed)
		}
	}
}

// send runs a sender until everything has been sent, and returns the number of deliveries.
func (r *Run) send(t *testing.T, seed uint64) int {
	t.Helper()
	s, err := webhook.New(webhook.Config{
		Backend: r.World.DB, Submit: noCommands{t}, Open: func([]byte, string) ([]byte, error) { return make([]byte, 32), nil },
		Client: &http.Client{Transport: receivers{}}, Alone: true, Poll: time.Millisecond,
	})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Run(ctx) }()
	defer func() {
		cancel()
		if err := <-done; err != nil {
			t.Errorf("seed %d: the sender: %v", seed, err)
		}
	}()
	want := r.toSend(t)
	for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		got, open := 0, 0
		if err := r.World.DB.View(ctx, func(v store.View) error {
			return store.Each(v, &store.Deliveries, func(d store.Delivery) error {
				if got++; d.State == store.DeliveryPending {
					open++
				}
				return nil
			})
		}); err != nil {
			t.Fatal(err)
		}
		if got >= want && open == 0 {
			return got
		}
		if time.Now().After(until) {
			t.Fatalf("seed %d: %d deliveries with %d unfinished, want %d", seed, got, open, want)
		}
	}
}

// toSend counts the deliveries that must exist: by the history of each endpoint that still gets
// any, and its resends.
func (r *Run) toSend(t *testing.T) int {
	t.Helper()
	n := 0
	if err := r.World.DB.View(context.Background(), func(v store.View) error {
		versions := map[string][]store.EndpointVersion{}
		if err := store.EachEndpointVersion(v, func(x store.EndpointVersion) error {
			versions[x.Endpoint.ID] = append(versions[x.Endpoint.ID], x)
			return nil
		}); err != nil {
			return err
		}
		resends, err := store.ListResends(v, 0, 10_000)
		if err != nil {
			return err
		}
		for _, h := range versions {
			if last := h[len(h)-1].Endpoint; !last.DeletedAt.IsZero() {
				continue
			}
			events, err := store.Stream(v, h[0].Endpoint.Merchant, store.Place{}, 100_000)
			if err != nil {
				return err
			}
			n += countWanted(h, events, resends)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	return n
}

func countWanted(h []store.EndpointVersion, events []store.EventRow, resends []store.ResendRow) (n int) {
	for _, e := range events {
		i := slices.IndexFunc(h, func(v store.EndpointVersion) bool { return v.Q <= e.Q && (v.UntilQ == 0 || e.Q < v.UntilQ) })
		if i < 0 {
			continue
		}
		x := h[i].Endpoint
		wanted := x.Enabled && (len(x.EventTypes) == 0 || slices.Contains(x.EventTypes, e.Type))
		if e.Type == credit.WebhookTestEvent {
			wanted = e.Object.ID == x.ID
		}
		if !wanted {
			continue
		}
		n++
		for _, s := range resends {
			if s.Endpoint == x.ID && s.Q > e.Q && (s.Event == e.ID || s.Event == "" && !e.At.Before(s.From) && e.At.Before(s.To)) {
				n++
			}
		}
	}
	return n
}

// noCommands is a submitter that must not be called: no receiver answers 410.
type noCommands struct{ t *testing.T }

func (x noCommands) Submit(context.Context, engine.Request) (engine.Result, error) {
	x.t.Error("the sender has submitted a command")
	return engine.Result{}, engine.ErrClosed
}
