package sqlite

import (
	"errors"
	"path/filepath"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
)

// What stood in rows of its own before migration 0002 stands packed afterwards, and is the same.
func TestMigrationOfEvents(t *testing.T) {
	db := reopen(t, nil, oldBook(t), nil)
	defer db.Close()
	storetest.MigratedEvents(t, db)
}

// A commit whose events cannot be read is passed over and reported.
func TestDamagedEvents(t *testing.T) {
	path := oldBook(t)
	db := reopen(t, nil, path, nil)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = nil
	k, err := connect(path, Options{}, writing)
	if err != nil {
		t.Fatal(err)
	}
	err = k.script(`INSERT INTO batches SELECT x'01010101010101010101010101010101', node, 2, 2, at, business_date, rules, wire, digest, hash, 0 FROM batches;
		INSERT INTO audit SELECT 2, at, client_id, merchant_id, operator, request_id, 'l', address, company_id, object, command, payload, seed, result, body_hash, x'01ff' FROM audit;
		INSERT INTO idempotency (client_id, key, q) VALUES ('cli', 'l', 2);
		INSERT INTO event_readers VALUES ('m', 2);
		UPDATE books SET q = 2`)
	if err := errors.Join(err, k.c.Close()); err != nil {
		t.Fatal(err)
	}
	storetest.DamagedEvents(t, func(damaged store.Damaged) store.Backend {
		db = reopen(t, db, path, damaged)
		return db
	})
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// reopen closes a database and opens the one at path.
func reopen(t *testing.T, db *DB, path string, damaged store.Damaged) *DB {
	t.Helper()
	if db != nil {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db, err := Open(path, Options{Live: true, Damaged: damaged})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// oldBook makes a database as it was before migration 0002, with one commit.
func oldBook(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "tenor.db")
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
	return path
}
