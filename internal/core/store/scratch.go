package store

import (
	"context"
	"fmt"
	"time"
)

// Scratch stores short-lived values that are not decisions: codes, sessions, unsent form
// input. Callers hash or seal any secrets in a value.
type Scratch interface {
	// Scratch stores a value under a name until it expires, replacing the version that was
	// read; version 0 if there was none, or only an expired one. It reports false, and
	// stores nothing, if somebody else wrote first.
	Scratch(ctx context.Context, s ScratchRow, now time.Time) (kept bool, err error)
	// Unscratch deletes the value under a name, and reports whether this call did: of
	// concurrent callers exactly one gets true.
	Unscratch(ctx context.Context, name string) (gone bool, err error)
	// SweepScratch deletes at most limit values that have expired at now, and counts them.
	SweepScratch(ctx context.Context, now time.Time, limit int) (int, error)
}

// Scratched returns the value under a name if it has not expired at now; pass version to
// Scratch to replace it.
func Scratched(ctx context.Context, db Viewer, name string, now time.Time) (value []byte, version int64, found bool, err error) {
	row, found, err := find[ScratchRow](ctx, db, byText(&ScratchTable, name))
	if err != nil {
		return nil, 0, false, fmt.Errorf("read scratch: %w", err)
	}
	if !found || !row.Until.After(now) {
		return nil, 0, false, nil
	}
	return row.Value, row.Version, true, nil
}

// ScratchRow is one short-lived value.
type ScratchRow struct {
	Name    string
	Value   []byte
	Until   time.Time
	Version int64 // of the version it replaces; once stored, its own
}

// ScratchTable is the table of short-lived values.
var ScratchTable = Table[ScratchRow]{
	Name: "scratch", Key: 1,
	Columns: []Column[ScratchRow]{
		text("name", func(r *ScratchRow) *string { return &r.Name }),
		bytesOf("value", func(r *ScratchRow) *[]byte { return &r.Value }),
		instant("until", func(r *ScratchRow) *time.Time { return &r.Until }),
		integer("version", func(r *ScratchRow) *int64 { return &r.Version }),
	},
}
