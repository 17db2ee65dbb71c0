package sim

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"time"
	_ "time/tzdata"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/edge/resource"
)

// Clock is virtual time. A run has one goroutine and moves it manually.
type Clock struct{ now time.Time }

// Now returns the current instant.
func (c *Clock) Now() time.Time { return c.now }

// Set moves the clock forward; it never goes back.
func (c *Clock) Set(t time.Time) {
	if t.After(c.now) {
		c.now = t
	}
}

// After returns a timer that has already fired: the clock jumps to its end.
func (c *Clock) After(d time.Duration) <-chan time.Time {
	c.now = c.now.Add(d)
	done := make(chan time.Time, 1)
	done <- c.now
	return done
}

// Request is a command as a client sends it. The actor's Key makes it safe to
// repeat.
type Request struct {
	Actor   credit.Actor
	Command credit.Command
}

// Answer is a client's response.
type Answer struct {
	Err      error // of package engine; the rest is zero
	Status   int
	Code     string // of a refusal, "" if accepted
	ID       string // of the resource in the body
	Body     []byte
	Location string
	ETag     string
	Q        int64
	Replayed bool
}

// Same reports whether two answers are the same response.
func (a Answer) Same(b Answer) bool {
	return a.Status == b.Status && string(a.Body) == string(b.Body) && a.Location == b.Location && a.ETag == b.ETag && a.Q == b.Q
}

// World is an engine on a backend with virtual time.
type World struct {
	DB     store.Backend
	Engine *engine.Engine
	Clock  *Clock
	Alarms []engine.Alarm

	Zone    calendar.Zone
	seeds   uint64 // commands and batches created so far
	batches uint64
}

// Start returns the instant at which worlds begin: a Saturday noon in New York; three hours
// earlier it was still the 10th everywhere in the country.
func Start() time.Time { return time.Date(2026, time.January, 10, 17, 0, 0, 0, time.UTC) }

// BusinessZone returns the zone of every world.
func BusinessZone() (*time.Location, error) { return time.LoadLocation(calendar.NewYork) }

// NewWorld returns an engine on a backend at the first instant. limits changes
// the engine's configuration and may be nil.
func NewWorld(db store.Backend, limits func(*engine.Config)) (*World, error) {
	location, err := BusinessZone()
	if err != nil {
		return nil, fmt.Errorf("new world: %w", err)
	}
	w := &World{DB: db, Clock: &Clock{Start()}, Zone: calendar.NewZone(location)}
	return w, w.Restart(limits)
}

// Restart puts a new engine on the backend; the old one's memory is gone.
func (w *World) Restart(limits func(*engine.Config)) error {
	cfg := engine.Config{
		Backend: w.DB, Zone: w.Zone, Now: w.Clock.Now, After: w.Clock.After, Node: "sim",
		EncodeEvent: func(e credit.Event, at time.Time, by credit.Actor) ([]byte, error) {
			return resource.EncodeEvent(e, at, by)
		},
		Wire:       resource.APIVersion,
		Seal:       Sealed,
		Open:       Opened,
		NewBatchID: w.batchID,
		Alarm: func(a engine.Alarm) {
			if a.What != engine.AlarmUnknown { // the fault that the run injected
				w.Alarms = append(w.Alarms, a)
			}
		},
	}
	if limits != nil {
		limits(&cfg)
	}
	e, err := engine.New(cfg)
	if err != nil {
		return fmt.Errorf("restart world: %w", err)
	}
	w.Engine = e
	return nil
}

func (w *World) batchID() (id store.BatchID) {
	w.batches++
	binary.BigEndian.PutUint64(id[8:], w.batches)
	return id
}

// Request turns a client's request into the engine's, with the next seed.
func (w *World) Request(r Request) (engine.Request, error) {
	w.seeds++
	return NewRequest(r, w.seeds)
}

// NewRequest turns a client's request into the engine's. The number is its seed.
func NewRequest(r Request, number uint64) (engine.Request, error) {
	payload, err := journal.EncodeCommand(r.Command)
	if err != nil {
		return engine.Request{}, err
	}
	q := engine.Request{Command: r.Command, Actor: r.Actor, Address: "192.0.2.1", Encode: Encode}
	q.RequestHash = sha256.Sum256(append([]byte(r.Command.Name()+"\n"), payload...))
	binary.BigEndian.PutUint64(q.Seed[8:], number)
	return q, nil
}

// Enqueue puts a request into the queue.
func (w *World) Enqueue(ctx context.Context, r Request) (*engine.Ticket, error) {
	q, err := w.Request(r)
	if err != nil {
		return nil, err
	}
	return w.Engine.Enqueue(ctx, q)
}

// Do has one request decided alone.
func (w *World) Do(r Request) Answer { return w.Batch(r)[0] }

// Batch has requests decided in one batch, in their order within a merchant.
func (w *World) Batch(requests ...Request) []Answer {
	ctx := context.Background()
	answers, tickets := make([]Answer, len(requests)), make([]*engine.Ticket, len(requests))
	for i, r := range requests {
		if tickets[i], answers[i].Err = w.Enqueue(ctx, r); answers[i].Err != nil {
			tickets[i] = nil
		}
	}
	for w.Engine.Step(ctx) && w.Engine.Stats().QueueDepth > 0 {
	}
	for i, t := range tickets {
		if t != nil {
			answers[i] = AnswerOf(t)
		}
	}
	return answers
}

// AnswerOf reads the result of a finished ticket.
func AnswerOf(t *engine.Ticket) Answer {
	select {
	case <-t.Done():
	default:
		return Answer{Err: fmt.Errorf("sim: not answered")}
	}
	r, err := t.Result()
	if err != nil {
		return Answer{Err: err}
	}
	return NewAnswer(r)
}

// NewAnswer converts a result.
func NewAnswer(r engine.Result) Answer {
	a := Answer{Status: r.Status, Body: r.Body, Location: r.Location, ETag: r.ETag, Q: r.Q, Replayed: r.Replayed}
	var body struct {
		Code    string
		Key, ID json.RawMessage
	}
	if err := json.Unmarshal(r.Body, &body); err != nil {
		return Answer{Err: fmt.Errorf("sim: answer %s: %w", r.Body, err)}
	}
	a.Code = body.Code
	if a.ID = strings.Trim(string(body.Key), `"`); a.ID == "" {
		a.ID = strings.Trim(string(body.ID), `"`)
	}
	return a
}

// Encode writes an answer as the API would: the resource, or the problem's code
// with its members.
func Encode(c credit.Changes, r *credit.Rejection) engine.Response {
	if r != nil {
		body, err := json.Marshal(map[string]any{"code": r.Code, "detail": r.Detail, "members": r.Members})
		if err != nil {
			return engine.Response{Status: 500}
		}
		return engine.Response{Status: r.Status, Body: body, ContentType: "application/problem+json"}
	}
	response := engine.Response{Status: 200, ContentType: "application/json"}
	if c.Created {
		response.Status = 201
	}
	var shown any
	switch x := c.Result.(type) {
	case *credit.Order:
		shown, response.ETag = resource.NewOrder(x), fmt.Sprintf("%q", fmt.Sprint(x.Version))
		response.Location = "/v1/order/" + x.Key
	case *credit.Payment:
		shown = resource.NewPayment(x)
	case *credit.Company:
		shown = resource.NewCompany(x, resource.Lateness{}, true)
	case *credit.Merchant:
		shown = resource.NewMerchant(x, nil)
	case credit.Program:
		shown = resource.NewProgram(x)
	case *credit.Client:
		shown, response.Secret = resource.NewAPIClient(x, "tns_s3cr3t"), true
	case *credit.Endpoint:
		shown, response.Secret = resource.NewWebhook(x, "whsec_s3cr3t"), true
	case credit.Resend:
		shown = resource.NewResend(&x)
	default:
		shown = railResource(x)
	}
	body, err := resource.Encode(shown)
	if err != nil {
		return engine.Response{Status: 500}
	}
	response.Body = body
	return response
}

// Sealed and Opened replace a deployment's key. The same value is sealed to the same bytes, since
// a seed means one run.
func Sealed(body []byte, about string) []byte {
	out := append([]byte("for "+about+": "), body...)
	for i := range out {
		out[i] ^= 0x5a
	}
	return out
}

// Opened returns what was sealed for a place.
func Opened(bytes []byte, about string) ([]byte, error) {
	out := slices.Clone(bytes)
	for i := range out {
		out[i] ^= 0x5a
	}
	body, ok := strings.CutPrefix(string(out), "for "+about+": ")
	if !ok {
		return nil, fmt.Errorf("sim: a value about something else than %s", about)
	}
	return []byte(body), nil
}

// Hash returns the hash of everything that the backend holds.
func Hash(db store.Viewer) (string, error) {
	h := sha256.New()
	if err := store.WriteDump(context.Background(), db, h); err != nil {
		return "", fmt.Errorf("hash: %w", err)
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
