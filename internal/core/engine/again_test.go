package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// replay decides requests again as one logged batch.
func (r *rig) replay(requests ...Request) []Again {
	r.t.Helper()
	tickets := make([]*Ticket, len(requests))
	for i, q := range requests {
		tickets[i] = &Ticket{ctx: context.Background(), request: q, logged: &logged{}}
	}
	list, err := (&Replayer{r.Engine}).decide(context.Background(), tickets)
	if err != nil {
		r.t.Fatal(err)
	}
	return list
}

// results lists the results in audit rows.
func results(list []Again) string {
	var all []string
	for _, x := range list {
		all = append(all, x.Audit.Result)
	}
	return strings.Join(all, " ")
}

// Everything in the log keeps its place, even what would leave no trace today.
func TestReplayKeepsEveryPlace(t *testing.T) {
	r := newRig(t)
	hidden := request("hidden")
	hidden.Command.(*command).admit = func(*credit.State) *credit.Rejection { return &credit.Rejection{Reason: credit.NotFound} }
	list := r.replay(request("a"), hidden, deciding("no", refuse(credit.InsufficientCredit)), request("b"))
	if got, want := results(list), "ok "+credit.NotFound.Code+" "+credit.InsufficientCredit.Code+" ok"; got != want {
		t.Errorf("came out as %q, want %q", got, want)
	}
	if got := r.commands(); got != "a hidden no b " {
		t.Errorf("the log that it leaves: %q", got)
	}
	if got := r.backend.state.Companies[1].Version; got != 2 {
		t.Errorf("%d commands have changed the company, want 2", got)
	}
}

// A neighbor without a trace had loaded what a command turned out to need: the command is
// still decided in its own batch, not in the next one.
func TestReplayLoadsWhatANeighborHad(t *testing.T) {
	r := newRig(t)
	r.backend.state.Companies[2] = &credit.Company{ID: 2, Version: 7}
	led := request("led")
	led.Command.(*command).keys = func(s *credit.State) credit.Keys {
		if c := s.Companies[1]; c != nil && c.Version > 0 {
			return credit.Keys{Companies: []int64{1, 2}}
		}
		return credit.Keys{Companies: []int64{1}}
	}
	saw := 0
	led.Command.(*command).decide = func(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
		saw = s.Companies[2].Version
		return raise(s, e)
	}
	if got := results(r.replay(request("a"), led)); got != "ok ok" || saw != 7 {
		t.Errorf("came out as %q, and saw version %d, want 7", got, saw)
	}
	if n := len(r.backend.batches); n != 1 {
		t.Errorf("%d batches, want 1", n)
	}
}

// What panics, contradicts the books or cannot be read changes nothing and reports why; its
// neighbors are decided.
func TestReplayLeavesOutWhatBreaks(t *testing.T) {
	r := newRig(t)
	wrong := deciding("wrong", func(*credit.State, credit.Env) (credit.Changes, *credit.Rejection) {
		return credit.Changes{Companies: []*credit.Company{{ID: 1, Version: -1}}}, nil
	})
	list := r.replay(deciding("boom", breaks), request("a"), wrong, request("b"))
	if got := results(list); got != "undecided ok undecided ok" {
		t.Errorf("came out as %q", got)
	}
	for i, want := range []string{"boom", "", "CL2", ""} {
		if err := list[i].Err; (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("command %d: error %v, want %q", i, err, want)
		}
	}
	if got := r.backend.state.Companies[1].Version; got != 2 || len(r.backend.batches) != 1 {
		t.Errorf("version %d in %d batches, want 2 in 1", got, len(r.backend.batches))
	}
	r = newRig(t)
	list, err := (&Replayer{r.Engine}).Replay(context.Background(), store.BatchRow{At: start}, []store.Audit{{}, {Command: "none", Payload: []byte("{}")}})
	if err != nil || !errors.Is(list[0].Err, ErrUnreadable) || !errors.Is(list[1].Err, ErrUnreadable) {
		t.Errorf("rows that hold no command: %+v, %v", list, err)
	}
}

// If the database refuses rows, only their command is left out; the others are written.
func TestReplayFindsWhatIsRefused(t *testing.T) {
	r := newRig(t)
	r.backend.rule = func(d store.Decided) error {
		if d.Audit.Command == "test.bad" {
			return errRule
		}
		return nil
	}
	list := r.replay(request("a"), request("bad"), request("b"), request("c"))
	if got := results(list); got != "ok undecided ok ok" || !errors.Is(list[1].Err, store.ErrRefused) {
		t.Errorf("came out as %q, %v", got, list[1].Err)
	}
	if got := r.backend.head.Q; got != 4 {
		t.Errorf("the log ends at %d, want 4", got)
	}
}

// A failing database ends the replay; nothing is retried forever.
func TestReplayEndsWithItsDatabase(t *testing.T) {
	r := newRig(t)
	r.backend.script = []outcome{fails}
	tickets := []*Ticket{{ctx: context.Background(), request: request("a"), logged: &logged{}}}
	if _, err := (&Replayer{r.Engine}).decide(context.Background(), tickets); err == nil {
		t.Error("no error")
	}
}
