package sqlite

import (
	"path/filepath"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
)

// What stood in rows of its own before migration 0002 stands packed afterwards, and is the same.
func TestMigrationOfEvents(t *testing.T) {
	path := filepath.Join(t.TempDir(), "tenor.db")
	k, err := connect(path, Options{}, writing)
	if err != nil {
		t.Fatal(err)
	}
	files, err := store.MigrationFiles(migrations)
	if err == nil {
		err = k.script("CREATE TABLE migrations (name TEXT PRIMARY KEY, checksum TEXT NOT NULL) STRICT")
	}
	if err == nil {
		err = k.migrate(files[0])
	}
	put := func(sql string, args ...store.Value) {
		if err == nil {
			err = k.query(sql, args, nil)
		}
	}
	events := storetest.OldEvents()
	at := store.Micros(events[0].At)
	put("INSERT INTO batches VALUES (zeroblob(16), 'n', 1, 1, ?1, 20513, 1, 'v', zeroblob(32), zeroblob(32), 0)", at)
	put("INSERT INTO audit VALUES (1, ?1, 'cli', 'm', 0, 'req', 'k', '', 5, 'ord_1', 'order.create', '{}', zeroblob(16), 'ok', zeroblob(32))", at)
	put("INSERT INTO idempotency VALUES ('cli', 'k', zeroblob(32), 201, ?1, 'application/json', '', '', 1, ?2, 5, 0)", blob([]byte(storetest.OldAnswer)), at)
	put("UPDATE books SET q = 1, at = ?1", at)
	for _, e := range events {
		payload := text(string(e.Payload))
		payload.Null = e.Payload == nil
		put("INSERT INTO events VALUES (1, ?1, ?2, ?3, ?4, ?5, ?6, 5, ?7, ?8, ?9)", integer(int64(e.N)), text(e.ID), text(string(e.Type)),
			text(e.Object.Type), text(e.Object.ID), integer(e.Sequence), text(e.Merchant), at, payload)
		for _, m := range e.Readers {
			put("INSERT INTO event_readers VALUES (?1, 1, ?2)", text(m), integer(int64(e.N)))
		}
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := k.c.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := Open(path, Options{Live: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	storetest.MigratedEvents(t, db)
}
