package verify

import (
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/internal/core/engine"
	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	sqlitestore "tenor/internal/core/store/sqlite"
	"tenor/internal/edge/resource"
)

// headKey is a key that signs heads, by its id.
type headKey string

func (k headKey) private() ed25519.PrivateKey {
	seed := sha256.Sum256([]byte(k))
	return ed25519.NewKeyFromSeed(seed[:])
}

func (k headKey) ID() string { id, _, _ := strings.Cut(string(k), " "); return id }

func (k headKey) PublicKey() [32]byte { return [32]byte(k.private().Public().(ed25519.PublicKey)) }

func (k headKey) Sign(text []byte) [64]byte { return [64]byte(ed25519.Sign(k.private(), text)) }

// deployment returns the contents of its key file.
func deployment() map[string][32]byte {
	return map[string][32]byte{"k1": headKey("k1").PublicKey(), "k2": headKey("k2").PublicKey()}
}

// sign signs a head with the named keys, the first as the newest.
func (b *book) sign(keys ...string) { b.t.Helper(); signHead(b.t, b.db, b.now, keys...) }

func signHead(t testing.TB, db store.Backend, now time.Time, keys ...string) store.SignedHead {
	t.Helper()
	s := engine.Signer{Backend: db, Now: func() time.Time { return now }}
	for _, k := range keys {
		s.Keys = append(s.Keys, headKey(k))
	}
	h, fresh, err := s.Sign(context.Background(), true)
	if err != nil || !fresh {
		t.Fatalf("no new head: %v", err)
	}
	return h
}

// forger has access to a database file, but to no key of the deployment. It knows the
// program well enough to recompute the whole chain.
type forger struct {
	t    *testing.T
	file string
}

// rechain recomputes the digests and hashes of all batches from the current audit rows.
func (f forger) rechain() {
	f.t.Helper()
	db, err := sqlitestore.Open(f.file, sqlitestore.Options{Shared: true})
	if err != nil {
		f.t.Fatal(err)
	}
	rows := map[int64]store.Audit{}
	var sql strings.Builder
	var hash [32]byte
	err = db.View(context.Background(), func(v store.View) error {
		err := store.EachAudit(v, 0, func(q int64, a store.Audit) error { rows[q] = a; return nil })
		return errors.Join(err, store.EachBatch(v, func(b store.BatchRow) error {
			var list []store.Audit
			for q := b.FirstQ; q <= b.LastQ && !b.Tombstone; q++ {
				list = append(list, rows[q])
			}
			digest := engine.AuditDigest(b.Rules, b.Wire, list)
			hash = sha256.Sum256(slices.Concat(hash[:], digest[:]))
			fmt.Fprintf(&sql, "UPDATE batches SET digest = x'%x', hash = x'%x' WHERE id = x'%x';", digest, hash, b.ID)
			return nil
		}))
	})
	if err = errors.Join(err, db.Close()); err != nil {
		f.t.Fatal(err)
	}
	f.run(sql.String() + fmt.Sprintf("UPDATE books SET hash = x'%x'", hash))
}

func (f forger) run(sql string) {
	f.t.Helper()
	c, err := sqlite.OpenConn(f.file, sqlite.OpenReadWrite)
	if err != nil {
		f.t.Fatal(err)
	}
	defer c.Close()
	if err := sqlitex.ExecuteScript(c, sql, nil); err != nil {
		f.t.Fatal(err)
	}
}

// signs has somebody sign a head for the file's current state.
func (f forger) signs(keys ...string) {
	f.t.Helper()
	db, err := sqlitestore.Open(f.file, sqlitestore.Options{NormalSync: true})
	if err != nil {
		f.t.Fatal(err)
	}
	signHead(f.t, db, time.Date(2026, 12, 1, 12, 0, 0, 0, time.UTC), keys...)
	if err := db.Close(); err != nil {
		f.t.Fatal(err)
	}
}

// cutTail removes what came after the second head: audit rows, batches and that head. Other
// data of those commits does not matter here.
const cutTail = `DELETE FROM heads WHERE number > 2;
	DELETE FROM audit WHERE q > (SELECT max(commit_seq) FROM heads);
	DELETE FROM batches WHERE last_q > (SELECT max(commit_seq) FROM heads);
	UPDATE books SET q = (SELECT max(commit_seq) FROM heads), hash = (SELECT hash FROM heads ORDER BY number DESC LIMIT 1)`

// Changes that a forger makes to a file, and what detects them: the heads in the file, or
// one kept elsewhere.
func TestForgedChains(t *testing.T) {
	dir := t.TempDir()
	clean := filepath.Join(dir, "clean.db")
	makeClean(t, clean)
	kept := lastHead(t, clean)
	if r := verifyHead(t, clean, kept); !r.Clean() || r.Head == nil || r.Head.Number != 3 {
		t.Fatalf("the clean database: %v, head %v", r.Violations, r.Head)
	}
	other := filepath.Join(dir, "other.db")
	makeClean(t, other)
	stranger := lastHead(t, other)
	changed := kept
	changed.Q--
	for i, x := range []struct {
		what   string
		sql    string
		forge  func(f forger) // after the rows were changed
		kept   *store.SignedHead
		within string // what detects it without a head from elsewhere; "" if nothing does
		with   string // and with one
	}{
		{"actor, all hashes anew", `UPDATE audit SET client_id = 'cli_other' WHERE q = 5`, forger.rechain, &kept, "rows up to there were rewritten", "rows up to there were rewritten"},
		{"address, all hashes anew", `UPDATE audit SET address = '192.0.2.77' WHERE q = 5`, forger.rechain, &kept, "rows up to there were rewritten", "rows up to there were rewritten"},
		{"request id, all hashes anew", `UPDATE audit SET request_id = 'req_other' WHERE q = 5`, forger.rechain, &kept, "rows up to there were rewritten", "rows up to there were rewritten"},
		{"operator, all hashes anew", `UPDATE audit SET operator = 1 - operator WHERE q = 9`, forger.rechain, &kept, "rows up to there were rewritten", "rows up to there were rewritten"},
		{"result, all hashes anew", `UPDATE audit SET result = 'invalid' WHERE q = 5`, forger.rechain, &kept, "rows up to there were rewritten", "rows up to there were rewritten"},
		{"actor, all hashes anew, all heads gone", `UPDATE audit SET client_id = 'cli_other' WHERE q = 5; DELETE FROM heads`, forger.rechain, &kept,
			"", "this book ends at head 0"},
		{"the tail with its head", cutTail, nil, &kept, "", "its tail was cut off"},
		{"the tail alone", `DELETE FROM audit WHERE q > (SELECT commit_seq FROM heads WHERE number = 2); DELETE FROM batches WHERE last_q > (SELECT commit_seq FROM heads WHERE number = 2);
			UPDATE books SET (q, hash) = (SELECT commit_seq, hash FROM heads WHERE number = 2)`, nil, &kept, "its tail was cut off", "its tail was cut off"},
		{"a head's hash", `UPDATE heads SET hash = zeroblob(32) WHERE number = 2`, nil, &kept, "is not signed with its key", "is not signed with its key"},
		{"a head's time", `UPDATE heads SET at = at + 1 WHERE number = 3`, nil, &kept, "is not signed with its key", "differs from head 3 of this book"},
		{"a head from between", `DELETE FROM heads WHERE number = 2`, nil, &kept, "those in between were deleted", "those in between were deleted"},
		{"the first head", `DELETE FROM heads WHERE number = 1`, nil, &kept, "those in between were deleted", "those in between were deleted"},
		{"the last head", `DELETE FROM heads WHERE number = 3`, nil, &kept, "", "this book ends at head 2"},
		{"rows, signed again by the deployment", `UPDATE audit SET client_id = 'cli_other' WHERE q = 5; DELETE FROM heads`,
			func(f forger) { f.rechain(); f.signs("k2") }, &kept, "", "a different book, or its heads were deleted"},
		{"the last head, signed again by the deployment", `DELETE FROM heads WHERE number = 3`, func(f forger) { f.signs("k2", "k1") }, &kept, "", "differs from head 3 of this book"},
		{"rows, signed by the forger", `UPDATE audit SET client_id = 'cli_other' WHERE q = 5; DELETE FROM heads`,
			func(f forger) { f.rechain(); f.signs("k9") }, &kept, "which is not in the key file", "a different book"},
		{"rows, signed by the forger under an id of ours", `UPDATE audit SET client_id = 'cli_other' WHERE q = 5; DELETE FROM heads`,
			func(f forger) { f.rechain(); f.signs("k2 forged") }, &kept, "not signed with the deployment's key k2", "a different book"},
		{"the key, swapped", `UPDATE heads SET old_signature = x'' WHERE number = 3`, nil, &kept, "the key was swapped", "the key was swapped"},
		{"another book's head in its place", ``, nil, &stranger, "", "a different book"},
		{"a head that was changed on its way", ``, nil, &changed, "", "it was forged or changed"},
	} {
		t.Run(x.what, func(t *testing.T) {
			file := filepath.Join(dir, fmt.Sprint("forged", i, ".db"))
			copyFile(t, clean, file)
			defer os.Remove(file)
			if x.sql != "" {
				change(t, file, x.sql)
			}
			if x.forge != nil {
				x.forge(forger{t, file})
			}
			saysOfHeads(t, "the file alone", verifyFile(t, file), x.within)
			saysOfHeads(t, "with a head that was kept", verifyHead(t, file, *x.kept), x.with)
		})
	}
}

// saysOfHeads compares a report's statements about heads with the expected ones.
func saysOfHeads(t *testing.T, what string, r Report, want string) {
	t.Helper()
	var said []string
	for _, v := range r.Violations {
		if v.Invariant == "AU8" {
			said = append(said, v.Object+": "+v.Detail)
		}
	}
	if text := strings.Join(said, "\n"); want == "" && text != "" || !strings.Contains(text, want) {
		t.Errorf("%s: want %q, said\n%s", what, want, text)
	}
}

// A head that a restore left behind is reported with the head that the book continues from,
// and one from before it is extended.
func TestRestoredEpoch(t *testing.T) {
	dir := t.TempDir()
	file, backup := filepath.Join(dir, "book.db"), filepath.Join(dir, "backup.db")
	makeClean(t, file)
	before := lastHead(t, file)
	copyFile(t, file, backup)
	forger{t, file}.signs("k1", "k2") // what continued after the backup
	lost := lastHead(t, file)
	change(t, backup, `UPDATE books SET epoch = epoch + 1`)
	forger{t, backup}.signs("k2")
	first := lastHead(t, backup)
	if first.Epoch != 2 || first.Number != before.Number+1 || first.Previous != engine.HeadDigest(before) || first.Book != before.Book {
		t.Errorf("the epoch's first head %+v does not name the one it followed", first)
	}
	saysOfHeads(t, "a head from before", verifyHead(t, backup, before), "")
	saysOfHeads(t, "the first of the epoch", verifyHead(t, backup, first), "")
	saysOfHeads(t, "one that was left behind", verifyHead(t, backup, lost), "epoch 2 continues from head 3")
}

// A book without heads is valid: a book that no server runs does not need them.
func TestNoHeads(t *testing.T) {
	b := newBook(t, memory.New())
	r := verifyBook(t, b.db)
	if !r.Clean() || r.Head != nil || !strings.Contains(noteOf(t, r, "signed heads"), "no head was ever signed") {
		t.Errorf("%v, %q", r.Violations, noteOf(t, r, "signed heads"))
	}
}

func lastHead(t *testing.T, file string) (h store.SignedHead) {
	t.Helper()
	db, err := sqlitestore.Open(file, sqlitestore.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if err := db.View(context.Background(), func(v store.View) (err error) { h, _, err = store.LastHead(v); return err }); err != nil {
		t.Fatal(err)
	}
	return h
}

func verifyHead(t *testing.T, file string, kept store.SignedHead) Report {
	t.Helper()
	db, err := sqlitestore.Open(file, sqlitestore.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	r, err := Run(context.Background(), db, Options{
		Scratch: memory.Scratch,
		Zone:    zone(t), EncodeEvent: encodeEvent, Wire: resource.APIVersion, Open: opened, Keys: deployment(),
		Heads: []GivenHead{{From: "kept head", Head: kept}},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// The audit log is also checked by itself: what was changed, left out or added is found, and a
// changed table, which it does not look at, is not.
func TestAuditOnly(t *testing.T) {
	file := filepath.Join(t.TempDir(), "tenor.db")
	disk, err := sqlitestore.Open(file, sqlitestore.Options{})
	if err != nil {
		t.Fatal(err)
	}
	newBook(t, disk).live()
	if err := disk.Close(); err != nil {
		t.Fatal(err)
	}
	unguard(t, file)
	run := func() Report {
		t.Helper()
		db, err := sqlitestore.Open(file, sqlitestore.Options{Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		most := 0
		r, err := Run(context.Background(), db, Options{AuditOnly: true, Zone: zone(t), Progress: func(_, total int) { most = total }})
		if err != nil || len(r.Checks) != auditPasses || r.Checks[0].Rows < 100 || most != auditPasses*int(r.Seq) {
			t.Fatalf("%+v, %d, %v", r.Checks, most, err)
		}
		return r
	}
	alter(t, file, `UPDATE orders SET amount = amount + 1 WHERE order_key = (SELECT min(order_key) FROM orders)`)
	if r := run(); !r.Clean() {
		t.Errorf("a whole log: %v", r.Violations)
	}
	for _, x := range [][2]string{{"AU5", `UPDATE audit SET address = '198.51.100.1' WHERE q = 5`}, {"AU7", `DELETE FROM audit WHERE q = 7`}} {
		if r := run(); found(r, x[0]) {
			t.Errorf("%s is broken before: %v", x[0], r.Violations)
		}
		alter(t, file, x[1])
		if r := run(); !found(r, x[0]) {
			t.Errorf("%s: %v", x[1], r.Violations)
		}
	}
}
