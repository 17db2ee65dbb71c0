package store_test

import (
	"strings"
	"testing"
	"testing/fstest"

	"tenor/internal/core/store"
)

// The migrations a database has had must be a prefix of those this program knows.
func TestMigrationsDone(t *testing.T) {
	list, err := store.MigrationFiles(fstest.MapFS{
		"migrations/0002_more.sql": {Data: []byte("second")},
		"migrations/0001_init.sql": {Data: []byte("first")},
	})
	if err != nil || len(list) != 2 || list[0].Name != "0001_init.sql" {
		t.Fatalf("files %v, %v", list, err)
	}
	one, two := [2]string{list[0].Name, list[0].Checksum}, [2]string{list[1].Name, list[1].Checksum}
	for _, c := range []struct {
		name  string
		marks [][2]string
		done  int
		want  string // of the error
	}{
		{"nothing yet", nil, 0, ""},
		{"an older schema", [][2]string{one}, 1, ""},
		{"all", [][2]string{one, two}, 2, ""},
		{"a newer schema", [][2]string{one, two, {"0003_x.sql", "y"}}, 2, "newer than this program"},
		{"an edited migration", [][2]string{{one[0], "other"}}, 0, "does not match"},
		{"one left out", [][2]string{two}, 0, "does not match"},
	} {
		done, err := store.MigrationsDone(list, c.marks)
		if done != c.done || (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %d done, %v", c.name, done, err)
		}
	}
	if states := store.MigrationStates(list, 1); !states[0].Done || states[1].Done || states[1].SQL == "" {
		t.Errorf("states %v", states)
	}
}
