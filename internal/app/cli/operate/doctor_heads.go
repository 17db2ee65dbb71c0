package operate

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"tenor/internal/app/node"
	"tenor/internal/core/store"
)

// signedHeads checks that the audit chain is signed, and that its heads reach the place where
// they protect it.
func (x *examination) signedHeads(ctx context.Context) []finding {
	const name = "heads"
	if x.db == nil || x.mode != node.Live {
		return nil
	}
	var last store.SignedHead
	var head store.Head
	err := x.db.View(ctx, func(v store.View) (err error) {
		var again error
		last, _, err = store.LastHead(v)
		head, again = v.Head()
		return errors.Join(err, again)
	})
	var state node.HeadExport
	var text []byte
	var noted bool
	if err == nil {
		text, noted, err = store.Setting(ctx, x.db, node.SettingHeads)
	}
	if err == nil && noted {
		err = json.Unmarshal(text, &state)
	}
	now := x.a.Wall()
	verifying := x.a.Program + " verify" + x.at.Flag() + " --head FILE"
	switch {
	case err != nil:
		return []finding{{name, failed, err.Error(), ""}}
	case last.Number == 0 && head.Q == 0:
		return []finding{fine(name, "nothing to sign yet")}
	case last.Number == 0:
		return []finding{{name, warning, "no signed head of the audit chain", "A server signs one within a minute of starting."}}
	case head.Q > last.Q && now.Sub(last.At) > node.HeadOverdue && now.Sub(head.At) > node.HeadOverdue:
		return []finding{{name, warning, fmt.Sprintf("commits after %d are not signed; the last head is of %s", last.Q, last.At.Format(time.RFC3339)), "A running server signs every minute; its log says why it did not."}}
	case !noted:
		return []finding{{name, warning, fmt.Sprintf("head %d is signed but not exported; anyone who can write to the database could truncate its log unnoticed", last.Number),
			"Run serve with --heads TARGET, out of reach of the database owner, or keep the output of:\n  " + x.a.Program + " verify" + x.at.Flag() + " --json"}}
	case !state.Failing.IsZero() || last.Number > state.Number && now.Sub(cmp.Or(state.Failing, state.At)) > node.HeadOverdue && now.Sub(last.At) > node.HeadOverdue:
		return []finding{{name, failed, fmt.Sprintf("head %d is not exported to %s, where head %d is since %s: %s", last.Number, state.Target, state.Number,
			cmp.Or(state.At, state.Failing).Format(time.RFC3339), cmp.Or(state.Error, "no server is exporting")), "Check that it is writable. If a head there contradicts the books, keep it and run\n  " + verifying}}
	}
	return []finding{fine(name, fmt.Sprintf("head %d covers commit %d; exported to %s at %s", last.Number, last.Q, state.Target, state.At.Format(time.RFC3339)))}
}
