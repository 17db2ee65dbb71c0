package storetest

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"tenor/internal/core/store"
)

// walkStored compares walks over the stored tables with a dump.
func walkStored(t *testing.T, b store.Backend, v store.View) {
	t.Helper()
	whole := string(dump(t, b))
	for _, s := range store.Repeating() {
		var part bytes.Buffer
		d, rows := store.NewDump(&part), 0
		d.Table(s)
		err := v.Stored(s, func(values []store.Value) error {
			rows++
			d.Row(s, values)
			return nil
		})
		if err = errors.Join(err, d.Close()); err != nil || rows == 0 && s.Lookups == 0 {
			t.Errorf("%d rows of %s: %v", rows, s.Name, err)
		}
		if !strings.Contains(whole, part.String()) {
			t.Errorf("the rows of %s are not those of a dump", s.Name)
		}
	}
}
