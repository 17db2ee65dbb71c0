package buyer

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"tenor/internal/core/store"
)

func aboutScratch(name string) string { return "scratch/" + name }

// ReadScratch decrypts the short-lived value under a name, and returns the version to replace;
// found is false if there is none, or if it is sealed under a key that is gone.
func (d *Desk) ReadScratch(ctx context.Context, name string, into any) (version int64, found bool, err error) {
	sealed, version, found, err := store.Scratched(ctx, d.Store, name, d.Wall())
	if err != nil || !found {
		return 0, false, err
	}
	text, err := d.Open(sealed, aboutScratch(name))
	if err != nil {
		return 0, false, nil //nolint:nilerr // under a key that is gone: as if it had ended
	}
	return version, true, json.Unmarshal(text, into)
}

// WriteScratch seals a value and keeps it until a wall-clock instant, in place of the version
// that was read, 0 if there was none. It reports false, and keeps nothing, if somebody else wrote
// first.
func (d *Desk) WriteScratch(ctx context.Context, name string, value any, until time.Time, version int64) (bool, error) {
	text, err := json.Marshal(value)
	if err != nil {
		return false, fmt.Errorf("buyer: keep %T: %w", value, err)
	}
	return d.Store.Scratch(ctx, store.ScratchRow{Name: name, Value: d.Seal(text, aboutScratch(name)), Until: until, Version: version}, d.Wall())
}

// Count counts an event in a window that begins with the first one, and reports whether it is
// within the limit.
func (d *Desk) Count(ctx context.Context, name string, most int, window time.Duration) (bool, error) {
	for range 10 {
		var seen struct {
			N   int       `json:"n"`
			End time.Time `json:"end"`
		}
		version, found, err := d.ReadScratch(ctx, name, &seen)
		if err != nil {
			return false, err
		}
		if !found {
			seen.End = d.Wall().Add(window)
		}
		if seen.N >= most {
			return false, nil
		}
		seen.N++
		kept, err := d.WriteScratch(ctx, name, seen, seen.End, version)
		if err != nil || kept {
			return kept, err
		}
	}
	return false, nil // so many concurrent ones are too many
}
