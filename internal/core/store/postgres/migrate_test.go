package postgres

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenor/internal/core/store"
	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/pgtest"
)

// before is a database with the schema of migrations up to one, without that one.
func before(t *testing.T, name string) string {
	t.Helper()
	url := pgtest.Database(t)
	files, err := store.MigrationFiles(migrations)
	if err != nil {
		t.Fatal(err)
	}
	err = with(t.Context(), url, func(k *conn) error {
		k.patience(0)
		if err := k.script(`CREATE TABLE migrations (name text COLLATE "C" PRIMARY KEY, checksum text NOT NULL)`); err != nil {
			return err
		}
		for _, f := range files {
			if f.Name == name {
				return nil
			}
			if err := k.migrate(f); err != nil {
				return err
			}
		}
		return fmt.Errorf("there is no migration %s", name)
	})
	if err != nil {
		t.Fatal(err)
	}
	return url
}

// beforeWebhooks are rows of a database that has no webhooks yet: merchants m1 to m3,
// and company 7, which m1 made, to which m2 was linked at commit 4, and from which m1
// was unlinked at commit 10. The batch of commits 6 to 8 changed it twice, so the
// version of commit 6 was never written.
func beforeWebhooks() []string {
	company := func(q int, linked string) cells {
		return cells{"company_id": "7", "status": "'APPROVED'", "linked": "'" + linked + "'", "q": fmt.Sprint(q), "servicing": absent}
	}
	event := func(q, n int, object, id, merchant string) string {
		return insertRow("events", cells{
			"q": fmt.Sprint(q), "n": fmt.Sprint(n), "id": fmt.Sprintf("'evt_%d_%d'", q, n), "object_type": "'" + object + "'",
			"object_id": "'" + id + "'", "sequence": fmt.Sprint(q*10 + n + 1), "company_id": "7", "merchant_id": "'" + merchant + "'",
		})
	}
	list := []string{"ALTER TABLE events DISABLE TRIGGER events_sequence"}
	for _, m := range []string{"m1", "m2", "m3"} {
		list = append(list, insertRow("merchants", cells{"id": "'" + m + "'", "account": absent, "limits": absent, "settled": absent, "owed_since": absent, "debit": absent, "written_off": absent, "shop": absent}))
	}
	for i, v := range []cells{company(1, `["m1"]`), company(4, `["m1","m2"]`), company(8, `["m1","m2"]`)} {
		list = append(list, insertRow("company_history", v.but(cells{"until_q": []string{"4", "8", "10"}[i]})))
	}
	return append(list,
		insertRow("companies", company(10, `["m2"]`)),
		event(1, 0, "company", "7", ""), event(1, 1, "company", "7", ""),
		event(2, 0, "order", "o1", "m1"), event(3, 0, "payment", "p1", "-"), event(3, 1, "order", "o3", "m3"),
		event(4, 0, "company", "7", ""), event(6, 0, "company", "7", ""), event(10, 0, "company", "7", ""),
		`INSERT INTO clients VALUES ('c1', 'm1', 'Till', '["orders:read"]', 60, '2026-01-01 12:00Z', NULL),
			('c2', '', 'Tool', NULL, 0, '2026-01-01 13:00Z', '2026-01-02 12:00Z')`,
		"INSERT INTO tokens VALUES (decode(repeat('05', 32), 'hex'), 'c1', '[\"orders:read\"]', '2026-02-01 12:00Z', NULL)",
		"INSERT INTO idempotency VALUES ('c1', 'k', decode(repeat('00', 32), 'hex'), 201, 'body', 'application/json', '/x', '', 3, '2026-01-01 12:00Z', 7)",
		"UPDATE books SET q = 10, at = '2026-01-02', business_date = '2026-01-02'",
	)
}

// TestWebhooksMigration brings a database with data to the schema of webhooks: nothing
// is lost, and everybody may read the events that were its own when they happened.
func TestWebhooksMigration(t *testing.T) {
	url := before(t, "0002_webhooks.sql")
	err := with(t.Context(), url, func(k *conn) error { return k.script(strings.Join(beforeWebhooks(), "; ")) })
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), url, Options{Keep: true}); err == nil {
		t.Error("the old schema was taken as it is")
	}
	db, err := Open(t.Context(), url, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var got []string
	err = db.View(t.Context(), func(v store.View) error {
		err := store.Each(v, &store.EventReaders, func(r store.ReaderRow) error {
			got = append(got, fmt.Sprint(r.Merchant, " ", r.Q, " ", r.N))
			return nil
		})
		if err != nil {
			return err
		}
		list, err := v.Stream("m1", store.Place{Q: 1}, 10)
		if len(list) != 4 || list[0].ID != "evt_1_1" || list[3].ID != "evt_6_0" {
			t.Errorf("m1's stream: %+v", list)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"m1 1 0", "m1 1 1", "m1 2 0", "m1 4 0", "m1 6 0", "m2 4 0", "m2 6 0", "m2 10 0", "m3 3 1"}
	if !slices.Equal(got, want) {
		t.Errorf("readers: %q", got)
	}
	accessMigrated(t, db)
}

// accessMigrated looks at clients, tokens and stored answers, and uses them.
func accessMigrated(t *testing.T, db *DB) {
	t.Helper()
	var list []*credit.Client
	err := db.View(t.Context(), func(v store.View) (err error) {
		list, err = store.ListClients(v, "", store.Page{Limit: 9})
		return err
	})
	slices.SortFunc(list, func(a, b *credit.Client) int { return strings.Compare(a.ID, b.ID) })
	if err != nil || len(list) != 2 {
		t.Fatalf("clients: %+v, %v", list, err)
	}
	want := &credit.Client{
		ID: "c1", Merchant: "m1", Name: "Till", Scopes: []string{"orders:read"}, PerMinute: 60, Burst: access.DefaultBurst,
		CreatedAt: list[0].CreatedAt, UpdatedAt: list[0].CreatedAt, RevokedAt: list[0].RevokedAt,
	}
	if d := cmp.Diff(want, list[0]); d != "" || list[0].CreatedAt.IsZero() || list[0].RevokedAt.IsZero() || list[1].RevokedAt.IsZero() {
		t.Errorf("clients: %s, %+v", d, list)
	}
	var hash [32]byte
	for i := range hash {
		hash[i] = 5
	}
	if p, found, err := db.TokenByHash(t.Context(), hash); err != nil || found {
		t.Errorf("the token: %+v, %v, %v", p, found, err)
	}
	update(t, db, store.NotCommitted, func(tx store.Tx) error {
		key := store.KeyID{Client: "c1", Key: "k"}
		answers, err := tx.Load(credit.NewState(), credit.Keys{}, []store.KeyID{key})
		if a := answers[key]; a.Sealed || string(a.Body) != "body" {
			t.Errorf("the stored answer: %+v", a)
		}
		return err
	})
}

// TestMigratedSchema compares the tables that the migrations make one by one, with data
// in them, with those of an empty database.
func TestMigratedSchema(t *testing.T) {
	const facts = ownFacts + ` UNION ALL SELECT tgrelid::regclass || '|trigger ' || tgname || '|' FROM pg_trigger WHERE NOT tgisinternal
		UNION ALL SELECT conrelid::regclass || '|constraint ' || conname || ' ' || pg_get_constraintdef(oid) || '|'
		FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND conrelid::regclass::text <> 'migrations'`
	url := before(t, "0002_webhooks.sql")
	err := with(t.Context(), url, func(k *conn) error { return k.script(strings.Join(beforeWebhooks(), "; ")) })
	if err == nil {
		err = Migrate(t.Context(), url, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	var migrated []string
	err = with(t.Context(), url, func(k *conn) error {
		return k.query(facts, nil, func(r *row) error { migrated = append(migrated, r.text(0)); return nil })
	})
	if err != nil {
		t.Fatal(err)
	}
	migrated = slices.DeleteFunc(migrated, func(s string) bool { return strings.HasPrefix(s, "migrations|") })
	same(t, "the migrated schema", ownRows(t, fromFiles(t), facts), migrated)
}
