package store

import (
	"context"
	"fmt"
	"time"
)

// Scratch keeps what is short-lived and no decision: codes, sessions, what somebody has
// typed and not sent. Whoever keeps a value hashes or seals what is secret in it.
type Scratch interface {
	// Scratch keeps a value under a name until it ends, in the place of the version that was
	// read; 0 if nothing was there, or nothing that had not ended at now. It is false if
	// somebody else was quicker: then nothing is kept.
	Scratch(ctx context.Context, s ScratchRow, now time.Time) (kept bool, err error)
	// Unscratch forgets what is kept under a name, and reports whether this call did: of
	// many callers one is told so.
	Unscratch(ctx context.Context, name string) (gone bool, err error)
	// SweepScratch forgets what has ended at now, at most limit values, and counts them.
	SweepScratch(ctx context.Context, now time.Time, limit int) (int, error)
}

// Scratched returns what is kept under a name and has not ended at now; version is what
// Scratch asks for to replace it.
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
	Version int64 // of what it replaces; as it is stored, its own
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
