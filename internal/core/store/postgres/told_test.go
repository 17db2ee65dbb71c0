package postgres

import (
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/storetest"
	"tenor/internal/proof/pgtest"
)

// What stood in rows of its own before migration 0002 stands packed afterwards, and is the same.
func TestMigrationOfEvents(t *testing.T) {
	db := reopen(t, nil, oldBook(t), nil)
	defer db.Close()
	storetest.MigratedEvents(t, db)
}

// A commit whose events cannot be read is passed over and reported.
func TestDamagedEvents(t *testing.T) {
	url := oldBook(t)
	db := reopen(t, nil, url, nil)
	if err := with(t.Context(), url, func(k *conn) error {
		return k.script(`INSERT INTO batches SELECT decode(repeat('01', 16), 'hex'), node, 2, 2, at, business_date, rules, wire, digest, hash, false FROM batches;
			INSERT INTO audit SELECT 2, at, client_id, merchant_id, operator, request_id, 'l', address, company_id, object, command, payload, seed, result, body_hash, '\x01ff'::bytea FROM audit;
			INSERT INTO idempotency (client_id, key, q) VALUES ('cli', 'l', 2);
			INSERT INTO event_readers VALUES ('m', 2);
			UPDATE books SET q = 2`)
	}); err != nil {
		t.Fatal(err)
	}
	storetest.DamagedEvents(t, func(damaged store.Damaged) store.Backend {
		db = reopen(t, db, url, damaged)
		return db
	})
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// reopen closes a database and opens the one at url.
func reopen(t *testing.T, db *DB, url string, damaged store.Damaged) *DB {
	t.Helper()
	if db != nil {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	db, err := Open(t.Context(), url, Options{Damaged: damaged})
	if err != nil {
		t.Fatal(err)
	}
	return db
}

// oldBook makes a database as it was before migration 0002, with one commit.
func oldBook(t *testing.T) (url string) {
	t.Helper()
	url = pgtest.Database(t)
	events := storetest.OldEvents()
	at := store.Micros(events[0].At)
	err := with(t.Context(), url, func(k *conn) error {
		files, err := store.MigrationFiles(migrations)
		if err == nil {
			err = k.script("CREATE TABLE migrations (name text COLLATE \"C\" PRIMARY KEY, checksum text NOT NULL)")
		}
		if err == nil {
			err = k.migrate(files[0])
		}
		put := func(sql string, args ...store.Value) {
			if err == nil {
				err = k.query(sql, args, nil)
			}
		}
		const hash = `decode(repeat('00', 32), 'hex')`
		put("INSERT INTO batches VALUES (decode(repeat('00', 16), 'hex'), 'n', 1, 1, $1, '2026-03-01', 1, 'v', "+hash+", "+hash+", false)", at)
		put("INSERT INTO audit VALUES (1, $1, 'cli', 'm', false, 'req', 'k', '', 5, 'ord_1', 'order.create', '{}', decode(repeat('00', 16), 'hex'), 'ok', "+hash+")", at)
		put("INSERT INTO idempotency VALUES ('cli', 'k', "+hash+", 201, $1, 'application/json', '', '', 1, $2, 5, false)", blob([]byte(storetest.OldAnswer)), at)
		put("UPDATE books SET q = 1, at = $1", at)
		for _, e := range events {
			payload := text(string(e.Payload))
			payload.Null = e.Payload == nil
			put("INSERT INTO events VALUES (1, $1, $2, $3, $4, $5, $6, 5, $7, $8, $9)", integer(int64(e.N)), text(e.ID), text(string(e.Type)),
				text(e.Object.Type), text(e.Object.ID), integer(e.Sequence), text(e.Merchant), at, payload)
			for _, m := range e.Readers {
				put("INSERT INTO event_readers VALUES ($1, 1, $2)", text(m), integer(int64(e.N)))
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return url
}
