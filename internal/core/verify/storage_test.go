package verify

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	zombie "zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/core/store/sqlite"
	"tenor/internal/edge/resource"
	"tenor/internal/proof/suite"
)

// pageSize is SQLite's.
const pageSize = 4096

// A page of the file that is lost, damaged, or from an earlier time is named by verify, or changes
// nothing that anybody reads.
func TestDamagedPages(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenor.db")
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = db.Close() }()
	b := newBook(t, db)
	early := fileOf(t, path)
	b.live()
	late := fileOf(t, path)
	sound := dumpOf(t, late)
	tried, named, told := 0, 0, 0
	for at := pageSize; at+pageSize <= len(late); at += pageSize {
		stale := bytes.Repeat([]byte{0}, pageSize)
		if at+pageSize <= len(early) && !bytes.Equal(early[at:at+pageSize], late[at:at+pageSize]) {
			stale = early[at : at+pageSize]
		} else if (at/pageSize)%suite.By(9, 2) != 0 {
			continue
		}
		file := bytes.Clone(late)
		copy(file[at:], stale)
		tried++
		switch {
		case damage(t, file, true) != "":
			if named++; named <= 3 && damage(t, file, false) == "" {
				t.Errorf("page %d: the storage is damaged, and verify finds nothing", at/pageSize)
			}
		case kept(dumpOf(t, file)) == kept(sound): // nobody reads it, or it may be gone
		case damage(t, file, false) == "":
			t.Errorf("page %d is damaged, and verify says nothing", at/pageSize)
		default:
			told++
		}
	}
	if tried < 20 || named < tried/2 || told == 0 {
		t.Errorf("%d damaged pages: %d damage the storage, %d only the books", tried, named, told)
	}
}

// fileOf is all that was written to a database.
func fileOf(t *testing.T, path string) []byte {
	t.Helper()
	k, err := zombie.OpenConn(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = k.Close() }()
	if err := sqlitex.ExecuteTransient(k, "PRAGMA wal_checkpoint(TRUNCATE)", nil); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// damage is what verify says of a file, "" if it is sound: of its storage alone, or of all.
func damage(t *testing.T, file []byte, storage bool) (why string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tenor.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return err.Error()
	}
	defer func() { _ = db.Close() }()
	if storage {
		if _, err := db.Integrity(t.Context(), func(text string) { why = text }); err != nil {
			return err.Error()
		}
		return why
	}
	report, err := Run(t.Context(), db, Options{Zone: zone(t), Scratch: memory.Scratch, EncodeEvent: encodeEvent, Wire: resource.APIVersion, Open: opened})
	if err != nil {
		return err.Error()
	}
	for _, v := range report.Violations {
		return v.Detail
	}
	return ""
}

// kept is a dump without what may be gone: signed heads, whose loss only a copy elsewhere shows (AU8),
// and answers, which are not kept for ever.
func kept(dump string) string {
	for _, table := range []string{store.SignedHeads.Name, store.Idempotency.Name} {
		before, rest, _ := strings.Cut(dump, "\n== "+table+" ")
		_, after, _ := strings.Cut(rest, "\n== ")
		dump = before + "\n== " + after
	}
	return dump
}

// dumpOf is everything in a file, or why it cannot be read.
func dumpOf(t *testing.T, file []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "tenor.db")
	if err := os.WriteFile(path, file, 0o600); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.Open(path, sqlite.Options{})
	if err != nil {
		return err.Error()
	}
	defer func() { _ = db.Close() }()
	var out bytes.Buffer
	if err := store.WriteDump(t.Context(), db, &out); err != nil {
		return err.Error()
	}
	return out.String()
}
