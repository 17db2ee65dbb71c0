package engine

import (
	"testing"

	"tenor/internal/domain/credit"
)

// A repeat gets the first answer again, byte for byte, with its commit sequence
// (ID2).
func TestReplay(t *testing.T) {
	r := newRig(t)
	first := r.want(r.batch(keyed("a", "k"))[0], "a", 1, nil)
	r.batch(request("b"))
	again := r.want(r.batch(keyed("a", "k"))[0], "a", 1, nil)
	if !again.Replayed || first.Replayed {
		t.Errorf("replayed: first %v, again %v", first.Replayed, again.Replayed)
	}
	if again.Status != 201 || again.ContentType != "application/json" || again.Location != "/a" || again.ETag != `"1"` {
		t.Errorf("replayed %+v", again.Response)
	}
	if r.commands() != "a b " {
		t.Errorf("log %q", r.commands())
	}
}

// The same key with another request is refused and changes nothing, in the same
// batch and later (ID3).
func TestKeyReused(t *testing.T) {
	r := newRig(t)
	got := r.batch(keyed("a", "k"), keyed("bb", "k"), keyed("a", "k"))
	r.want(got[0], "a", 1, nil)
	r.want(got[1], "", 0, ErrKeyReused)
	if x := r.want(got[2], "a", 1, nil); !x.Replayed {
		t.Error("the twin was not a replay")
	}
	r.want(r.batch(keyed("bb", "k"))[0], "", 0, ErrKeyReused)
	r.want(r.batch(keyed("a", "k"))[0], "a", 1, nil)
	if r.commands() != "a " {
		t.Errorf("log %q", r.commands())
	}
}

// A key is scoped to its client (ID1, M21).
func TestKeyIsScopedByClient(t *testing.T) {
	r := newRig(t)
	other := keyed("b", "k")
	other.Actor.Client = "another"
	got := r.batch(keyed("a", "k"), other)
	r.want(got[0], "a", 1, nil)
	if x := r.want(got[1], "b", 2, nil); x.Replayed {
		t.Error("another client's answer was replayed")
	}
}

// Refusals by precondition, state and rule are stored; a replay does not decide again
// (ID4).
func TestKeptRefusal(t *testing.T) {
	r := newRig(t)
	q := keyed("a", "k")
	q.Command.(*command).decide = refuse(credit.InsufficientCredit)
	r.want(r.batch(q)[0], "insufficient_credit", 1, nil)
	q.Command.(*command).decide = nil // the line was raised
	if x := r.want(r.batch(q)[0], "insufficient_credit", 1, nil); !x.Replayed || x.Status != 422 {
		t.Errorf("replayed %v with %d", x.Replayed, x.Status)
	}
}

// A key grants no access: existence and link are checked before a replay (ID5, M22), and
// their refusals are not stored.
func TestKeyIsNoPermission(t *testing.T) {
	r := newRig(t)
	r.want(r.batch(keyed("a", "k"))[0], "a", 1, nil)
	unlinked := keyed("a", "k")
	unlinked.Command.(*command).admit = func(*credit.State) *credit.Rejection {
		return &credit.Rejection{Reason: credit.CompanyNotLinked}
	}
	r.want(r.batch(unlinked)[0], "company_not_linked", 0, nil)
	r.want(r.batch(keyed("a", "k"))[0], "a", 1, nil)
}

// A refusal that is not stored leaves the key to its duplicate in the same batch.
func TestTwinOfAnUnkeptRefusal(t *testing.T) {
	r := newRig(t)
	admitted := false
	q := keyed("a", "k")
	q.Command.(*command).admit = func(*credit.State) *credit.Rejection {
		if !admitted {
			admitted = true
			return &credit.Rejection{Reason: credit.NotFound}
		}
		return nil
	}
	got := r.batch(q, q)
	r.want(got[0], "not_found", 0, nil)
	if x := r.want(got[1], "a", 1, nil); x.Replayed {
		t.Error("an answer that was not kept was replayed")
	}
}
