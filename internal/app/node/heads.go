package node

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"tenor/internal/core/engine"
	"tenor/internal/core/seal"
	"tenor/internal/core/store"
	"tenor/internal/ports/outbound"
)

// SettingHeads records the state of the export of signed heads, for doctor.
const SettingHeads = "heads_export"

// alarmHeads is the alarm for signed heads that are not created or not exported.
const alarmHeads = "heads"

const (
	headPatience = time.Minute      // between two alarms about the same problem
	headLast     = 3 * time.Second  // for the head signed at shutdown
	HeadOverdue  = 10 * time.Minute // a head or an export that is later is a fault
)

// HeadsFlag is where signed heads are exported to.
type HeadsFlag struct {
	Heads string `name:"heads" env:"TENOR_HEADS" placeholder:"TARGET" help:"Where to export signed heads of the audit chain: a file, a directory or an https URL, out of reach of anyone who can write to the database."`
}

// HeadExport is the value of SettingHeads.
type HeadExport struct {
	Target  string    `json:"target"` // without secrets in its address
	Number  int64     `json:"number"` // of the last exported head, 0 if none
	At      time.Time `json:"at"`     // when it was exported
	Failing time.Time `json:"failing,omitzero"`
	Error   string    `json:"error,omitempty"`
}

// HeadDuty signs and exports the heads of a live node.
type HeadDuty struct {
	signer engine.Signer
	db     store.Backend
	target headTarget // nil: nowhere
	log    *slog.Logger
	alarm  func(what string) // counts an alarm
	Wall   func() time.Time

	State HeadExport
	since time.Time // when it began to fail; zero while it works
	told  time.Time // when the last alarm was raised
}

// Heads returns the duty that signs and exports a node's heads. A sandbox has none: its key is in
// its database, so its signature would prove nothing.
func (n *Node) Heads(target string, wall func() time.Time, log *slog.Logger) (*HeadDuty, error) {
	if n.Mode != Live || n.Ring == nil {
		return nil, nil
	}
	to, err := openHeadTarget(target)
	if err != nil {
		return nil, err
	}
	d := &HeadDuty{db: n.DB, target: to, log: log, alarm: n.Metrics.Alarm, Wall: wall}
	d.signer = engine.Signer{Backend: n.DB, Now: wall, Keys: HeadKeys(*n.Ring)}
	return d, nil
}

// HeadKeys returns the keys of a ring that sign heads, newest first.
func HeadKeys(ring seal.Ring) (keys []engine.HeadKey) {
	for _, s := range ring.Signers() {
		keys = append(keys, s)
	}
	return keys
}

// PublicKeys returns the keys that verify a ring's heads, by key ID.
func PublicKeys(ring seal.Ring) map[string][32]byte {
	keys := map[string][32]byte{}
	for _, s := range ring.Signers() {
		keys[s.ID()] = s.PublicKey()
	}
	return keys
}

// Run signs and exports until the context ends, and then once more: after an orderly shutdown,
// every commit is covered by a head.
func (d *HeadDuty) Run(ctx context.Context) error {
	tick := time.NewTicker(engine.SignEvery)
	defer tick.Stop()
	for {
		d.RunDue(ctx, false)
		select {
		case <-ctx.Done():
			end, cancel := context.WithTimeout(context.WithoutCancel(ctx), headLast)
			defer cancel()
			d.RunDue(end, true)
			return nil
		case <-tick.C:
		}
	}
}

// RunDue signs a head if one is due, and exports the last one if it is not exported yet. A head
// covers everything before it, so one that was never exported leaves no gap.
func (d *HeadDuty) RunDue(ctx context.Context, now bool) {
	last, _, err := d.signer.Sign(ctx, now)
	if err != nil && ctx.Err() == nil {
		d.ring("sign", err)
	}
	if d.target == nil || last.Number == 0 || last.Number == d.State.Number {
		if err == nil {
			d.since = time.Time{}
		}
		return
	}
	first := d.State.Number == 0
	if first {
		err = d.extends(ctx, last)
	}
	if !first || err == nil {
		err = d.send(ctx, last)
	}
	at := d.Wall().UTC()
	switch {
	case err == nil:
		d.since, d.State = time.Time{}, HeadExport{Target: d.target.String(), Number: last.Number, At: at}
	case ctx.Err() != nil:
		return
	default:
		d.ring("export to "+d.target.String(), err)
		if d.State.Error == err.Error() {
			return // already reported, and since when
		}
		d.State.Target, d.State.Error = d.target.String(), err.Error()
		if d.State.Failing.IsZero() {
			d.State.Failing = at
		}
	}
	text, err := json.Marshal(d.State)
	if err == nil {
		err = d.db.PutSetting(ctx, SettingHeads, text)
	}
	if err != nil && ctx.Err() == nil {
		d.ring("note the export", err)
	}
}

// extends refuses to continue after an exported head that the book does not extend: rewritten
// rows, a truncated tail, another book, an older copy. A later epoch is a declared restore. It
// runs once, when a server starts.
func (d *HeadDuty) extends(ctx context.Context, last store.SignedHead) error {
	kept, found, err := d.target.last()
	if err != nil || !found {
		return err
	}
	same, met := false, errors.New("met")
	err = d.db.View(ctx, func(v store.View) error {
		return store.Each(v, &store.SignedHeads, func(h store.SignedHead) error {
			if h.Number < kept.Number {
				return ctx.Err()
			}
			same = engine.HeadDigest(h) == engine.HeadDigest(kept)
			return met
		})
	})
	switch {
	case err != nil && !errors.Is(err, met):
		return err
	case same, kept.Book == last.Book && kept.Epoch < last.Epoch:
		return nil
	}
	return fmt.Errorf("the books do not extend exported head %d at commit %d: %w", kept.Number, kept.Q, errHeadKept)
}

func (d *HeadDuty) send(ctx context.Context, h store.SignedHead) error {
	text, err := json.Marshal(engine.NewHeadDocument(h))
	if err != nil {
		return err
	}
	return d.target.put(ctx, h.At, append(text, '\n'))
}

// ring raises an alarm. A problem that may pass, such as a database that is briefly unreachable,
// is reported once it has lasted for a while, and not on every attempt.
func (d *HeadDuty) ring(what string, err error) {
	now := d.Wall()
	if d.since.IsZero() {
		d.since = now
	}
	if now.Sub(d.since) < headPatience && !errors.Is(err, errHeadKept) || !d.told.IsZero() && now.Sub(d.told) < headPatience {
		return
	}
	d.told = now
	d.alarm(alarmHeads)
	d.log.Error("alarm", "what", alarmHeads, "doing", what, "error", err.Error())
}

// errHeadKept means that the book does not extend an exported head.
var errHeadKept = errors.New("leave both unchanged and run tenor verify --head with it")

// webTarget exports heads by POST.
type webTarget struct {
	url, shown string
	client     *http.Client
}

func (t *webTarget) String() string { return t.shown }

func (t *webTarget) last() (store.SignedHead, bool, error) { return store.SignedHead{}, false, nil }

func (t *webTarget) put(ctx context.Context, _ time.Time, text []byte) error {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url, bytes.NewReader(text))
	if err != nil {
		return errors.New("no valid address") // the error would show it in full
	}
	r.Header.Set("Content-Type", "application/json")
	answer, err := t.client.Do(r)
	if err != nil {
		return errors.New(outbound.Reason(err))
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return fmt.Errorf("returned %d", answer.StatusCode)
	}
	return nil
}
