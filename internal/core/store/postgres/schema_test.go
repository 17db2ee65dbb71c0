package postgres

import (
	"cmp"
	"context"
	"errors"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"

	"tenor/internal/core/store"
	"tenor/internal/proof/pgtest"
)

const ownFiles, otherFiles = "migrations", "../sqlite/migrations"

// columnKinds are the types that each dialect has for a column. JSON is no jsonb,
// because its bytes count.
var columnKinds = map[store.Type]struct{ own, other string }{
	store.Integer: {"bigint", "INTEGER"}, store.Bool: {"boolean", "INTEGER"}, store.Day: {"date", "INTEGER"},
	store.Instant: {"timestamp with time zone", "INTEGER"}, store.Text: {"text C", "TEXT"}, store.JSON: {"text", "TEXT"},
	store.Bytes: {"bytea", "BLOB"},
}

// ownFacts and otherFacts ask a dialect for its tables: table|fact|type, where the
// fact must hold of both and the type is a column's. What table_info does not list
// is a generated column; an index's expressions have no common name.
const (
	ownFacts = `SELECT concat(table_name, '|', concat_ws(' ', 'column', column_name, is_nullable), '|',
			concat_ws(' ', data_type, collation_name))
		FROM information_schema.columns WHERE table_schema = 'public' AND is_generated = 'NEVER'
		UNION ALL SELECT i.indrelid::regclass || '|' || concat_ws(' ',
			CASE WHEN i.indisprimary THEN 'key' ELSE 'index ' || c.relname END, CASE WHEN i.indisunique THEN 'unique' END,
			CASE WHEN i.indpred IS NOT NULL THEN 'partial' END,
			(SELECT string_agg(a.attname, ' ' ORDER BY a.attnum) FROM pg_attribute a WHERE a.attrelid = c.oid AND i.indkey[a.attnum - 1] <> 0)) || '|'
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = 'public'::regnamespace`
	otherTables = "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
	otherFacts  = `SELECT t.name || '|' || concat_ws(' ', 'column', c.name, iif(c."notnull" = 1 OR c.pk > 0, 'NO', 'YES')) || '|' || c.type
		FROM (` + otherTables + `) t, pragma_table_info(t.name) c
		UNION ALL SELECT t.name || '|key unique ' || (SELECT group_concat(c.name, ' ' ORDER BY c.pk) FROM pragma_table_info(t.name) c WHERE c.pk > 0) || '|'
		FROM (` + otherTables + `) t
		UNION ALL SELECT t.name || '|' || concat_ws(' ', 'index', l.name, iif(l."unique", 'unique', NULL), iif(l.partial, 'partial', NULL),
			(SELECT group_concat(c.name, ' ' ORDER BY c.seqno) FROM pragma_index_info(l.name) c)) || '|'
		FROM (` + otherTables + `) t, pragma_index_list(t.name) l WHERE l.origin = 'c'`
)

// TestSameTables compares the tables that the migrations of both dialects make,
// with each other and with the columns that the program writes.
func TestSameTables(t *testing.T) {
	if ours, theirs := fileNames(t, ownFiles), fileNames(t, otherFiles); !slices.Equal(ours, theirs) {
		t.Errorf("migrations %v, of SQLite %v", ours, theirs)
	}
	own, other := factsOf(ownRows(t, fromFiles(t), ownFacts)), factsOf(otherRows(t, otherFacts))
	for _, s := range slices.Concat(store.Schemas(), store.Beside()) {
		var ours, theirs []string
		for i, c := range s.Columns {
			column := "column " + c + " " // in any order: a migration adds columns at the end
			ours = append(ours, column+columnKinds[s.Types[i]].own)
			theirs = append(theirs, column+columnKinds[s.Types[i]].other)
		}
		key := "key unique " + strings.Join(s.Columns[:s.Key], " ")
		same(t, s.Name+" as it is written", own[s.Name].typed, append(ours, key))
		same(t, s.Name+" as SQLite's is written", other[s.Name].typed, append(theirs, key))
		same(t, s.Name, own[s.Name].facts, other[s.Name].facts)
		delete(own, s.Name)
		delete(other, s.Name)
	}
	if len(own)+len(other) > 0 {
		t.Errorf("tables that are not written: %v, of SQLite %v", own, other)
	}
}

// tableFacts are what both dialects can say of a table, and its columns and key
// with types.
type tableFacts struct{ facts, typed []string }

func factsOf(rows []string) map[string]tableFacts {
	tables := map[string]tableFacts{}
	for _, r := range rows {
		part := strings.Split(r, "|")
		f := tables[part[0]]
		f.facts = append(f.facts, part[1])
		if words := strings.Fields(part[1]); words[0] == "column" {
			f.typed = append(f.typed, strings.Join(words[:2], " ")+" "+part[2])
		} else if words[0] == "key" {
			f.typed = append(f.typed, part[1])
		}
		tables[part[0]] = f
	}
	return tables
}

// same compares two lists, whose order counts for nothing.
func same(t *testing.T, what string, a, b []string) {
	t.Helper()
	slices.Sort(a)
	slices.Sort(b)
	if !slices.Equal(a, b) {
		t.Errorf("%s:\n%s\nagainst\n%s", what, strings.Join(a, "\n"), strings.Join(b, "\n"))
	}
}

func fileNames(t *testing.T, dir string) []string {
	names, err := fs.Glob(os.DirFS(dir), "*.sql")
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has %d files: %v", dir, len(names), err)
	}
	return names
}

// eachFile calls fn with the text of each migration.
func eachFile(t *testing.T, dir string, fn func(string) error) {
	for _, name := range fileNames(t, dir) {
		text, err := os.ReadFile(filepath.Join(dir, name))
		if err == nil {
			err = fn(string(text))
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
}

// fromFiles returns a connection to a database that the files of this dialect made.
func fromFiles(t *testing.T) *pgx.Conn {
	t.Helper()
	ctx := context.Background()
	c, err := pgx.Connect(ctx, pgtest.Database(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(ctx) }) // the database is dropped anyway
	eachFile(t, ownFiles, func(sql string) error { _, err := c.Exec(ctx, sql); return err })
	return c
}

// ownRows returns a query's rows, which are of one text.
func ownRows(t *testing.T, c *pgx.Conn, sql string) []string {
	t.Helper()
	rows, _ := c.Query(context.Background(), sql) // CollectRows returns its error
	list, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// otherRows asks a database that SQLite's files made.
func otherRows(t *testing.T, sql string) (list []string) {
	t.Helper()
	c, err := sqlite.OpenConn(":memory:")
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	eachFile(t, otherFiles, func(sql string) error { return sqlitex.ExecuteScript(c, sql, nil) })
	err = sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{ResultFunc: func(s *sqlite.Stmt) error {
		list = append(list, s.ColumnText(0))
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// entryOf are the lines of an entry and the entry.
func entryOf(q int, entry cells, amounts ...int) []string {
	at := cells{"q": strconv.Itoa(q), "n": "0", "reverses": "NULL"}
	var list []string
	for i, amount := range amounts {
		list = append(list, insertRow("postings", at.but(cells{"line": strconv.Itoa(i), "amount": strconv.Itoa(amount), "account": "1000"})))
	}
	return append(list, insertRow("entries", at.but(entry)))
}

const sixteen, another = "decode(repeat('07', 16), 'hex')", "decode(repeat('08', 16), 'hex')"

// firstRows are valid rows of all tables: order o1 is authorized, o2 captured.
func firstRows() []string {
	list := []string{
		insertRow("merchants", cells{"id": "'m1'"}),
		insertRow("merchants", cells{"id": "'m2'"}),
		insertRow("merchant_positions", cells{"merchant_id": "'m1'"}),
		insertRow("programmes", cells{"merchant_id": "'m1'"}),
		insertRow("companies", cells{"status": "'APPROVED'", "version": "5", "event_seq": "5"}),
		insertRow("companies", cells{"company_id": "2", "status": "'PENDING'"}),
		insertRow("company_merchants", cells{"merchant_id": "'m1'"}),
		insertRow("orders", inStatus("o1", "AUTHORIZED")),
		insertRow("orders", inStatus("o2", "CAPTURED")),
		insertRow("loans", cells{"order_key": "'o2'", "merchant_id": "'m1'"}),
		insertRow("installments", cells{"order_key": "'o2'"}),
		insertRow("fees", cells{"order_key": "'o2'"}),
		insertRow("payments", succeeded("p1")),
		insertRow("invoices", cells{"id": "'i1'", "order_key": "'o2'", "merchant_id": "'m1'", "status": "'OPEN'"}),
		insertRow("money_events", cells{"id": "'e1'"}),
		insertRow("money_touches", cells{"event_id": "'e1'"}),
		insertRow("batches", cells{"id": sixteen}),
		insertRow("events", cells{"id": "'a'", "object_id": "'o1'"}),
		insertRow("events", cells{"id": "'b'", "n": "2", "object_id": "'o1'", "sequence": "2"}),
		insertRow("claims", cells{"owner": "'o1'"}),
		insertRow("audit", cells{"seed": sixteen}),
		insertRow("clients", cells{"id": "'c1'", "scopes": `'["a","b"]'`, "version": "5"}),
		insertRow("tokens", cells{"client_id": "'c1'", "scopes": `'["b"]'`}),
		"UPDATE books SET q = 5, at = '2026-01-02', business_date = '2026-01-02'",
	}
	for _, table := range strings.Fields("company_history order_history endpoint_history credits balances idempotency settings") {
		list = append(list, insertRow(table, nil))
	}
	list = append(list, entryOf(1, cells{"id": "'n1'"}, 5, -5)...)
	return slices.Concat(list, entryOf(2, cells{"id": "'n2'", "reverses": "'n1'"}, -5, 5), webhookRows(), railRows(), lenderRows(), receiptRows(), recordRows(), headRows())
}

func inStatus(key, status string) cells {
	day := map[bool]string{true: "'2026-01-01'", false: "NULL"}[status == "CAPTURED" || status == "RETURNED"]
	return cells{
		"order_key": "'" + key + "'", "merchant_id": "'m1'", "currency": "'USD'", "status": "'" + status + "'",
		"financing_status": "'NONE'", "capture_date": day, "version": "5", "event_seq": "5",
	}
}

func succeeded(id string) cells {
	return cells{
		"id": "'" + id + "'", "order_key": "'o2'", "merchant_id": "'m1'", "order_merchant_id": "'m1'", "currency": "'USD'",
		"status": "'SUCCEEDED'", "method": "'ACH'", "direction": "'IN'", "version": "5", "event_seq": "5",
		"payment_method_id": "NULL", "on_hold": "0",
	}
}

// tryAll runs statements in a transaction that is always rolled back.
func tryAll(c *pgx.Conn, list ...string) error {
	_, err := c.Exec(context.Background(), "BEGIN; "+strings.Join(list, "; ")+"; SET CONSTRAINTS ALL IMMEDIATE")
	_, end := c.Exec(context.Background(), "ROLLBACK")
	return errors.Join(err, end)
}

// filled is a database with the first rows in it.
func filled(t *testing.T) *pgx.Conn {
	t.Helper()
	c := fromFiles(t)
	if _, err := c.Exec(context.Background(), strings.Join(firstRows(), "; ")); err != nil {
		t.Fatal(err)
	}
	return c
}

// TestRules offers each constraint, unique index and trigger of the schema what it
// must refuse, by its name, and fails if one was forgotten.
func TestRules(t *testing.T) {
	c := filled(t)
	left := map[string]bool{}
	for _, name := range ownRows(t, c, `SELECT conname::text FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f')
		UNION SELECT tgname::text FROM pg_trigger WHERE NOT tgisinternal
		UNION SELECT c.relname::text FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
		WHERE i.indisunique AND c.relnamespace = 'public'::regnamespace`) {
		left[name] = true
	}
	for _, r := range slices.Concat(keyRules(), fixedRules(), rowRules(), crossRules(), webhookRules(), railRules(), lenderRules(), receiptRules(), recordRules(), headRules()) {
		t.Run(r.name, func(t *testing.T) {
			delete(left, r.name)
			err, refused := tryAll(c, r.sql...), (*pgconn.PgError)(nil)
			if !errors.As(err, &refused) || refused.Code != r.code || refused.ConstraintName != r.name {
				t.Errorf("%s\nis answered with %v", strings.Join(r.sql, "; "), err)
			}
		})
	}
	delete(left, "installments_principal_check") // the check of what is paid refuses before
	delete(left, "installments_finance_charge_check")
	for _, name := range slices.Sorted(maps.Keys(left)) {
		t.Errorf("no test offends %s", name)
	}
	if err := tryAll(c, claimFor("o2")); err == nil || !strings.Contains(err.Error(), "23502") {
		t.Errorf("a claim was taken twice: %v", err)
	}
}

// rule is what a constraint, unique index or trigger refuses.
type rule struct {
	name, code string
	sql        []string
}

const codeBroken, codeOrphan, codeTaken = "23514", "23503", "23505"

func keyRules() []rule {
	var list []rule
	for _, s := range store.Schemas() {
		list = append(list, rule{s.Name + "_pkey", codeTaken, []string{"INSERT INTO " + s.Name + " SELECT * FROM " + s.Name + " LIMIT 1"}})
	}
	call := insertRow("requests", nil)
	return append(list,
		rule{"requests_pkey", codeTaken, []string{call, call}},
		rule{"entries_id", codeTaken, entryOf(3, cells{"id": "'n1'"}, 5, -5)},
		rule{"entries_reverses", codeTaken, entryOf(3, cells{"reverses": "'n1'"}, -5, 5)},
		rule{"events_id", codeTaken, []string{insertRow("events", cells{"n": "3", "id": "'a'"})}},
		rule{"events_object", codeTaken, []string{insertRow("events", cells{"n": "3", "object_id": "'o1'"})}},
		rule{"programmes_merchant_id_fkey", codeOrphan, []string{insertRow("programmes", cells{"merchant_id": "'none'"})}},
		rule{"merchant_positions_merchant_id_fkey", codeOrphan, []string{insertRow("merchant_positions", cells{"merchant_id": "'none'"})}},
		rule{"tokens_client_id_fkey", codeOrphan, []string{"DELETE FROM clients"}},
	)
}

// fixedRules are those of what stays as it is. A column that is named is refused even
// if it keeps its value, so that no rows are compared.
func fixedRules() []rule {
	var list []rule
	add := func(name, sql string) { list = append(list, rule{name, codeBroken, []string{sql}}) }
	for _, pair := range strings.Fields("batches.node programmes.settings company_history.name order_history.status postings.amount" +
		" entries.cause events.payload audit.command") {
		table, column, _ := strings.Cut(pair, ".")
		add(table+"_keep", "UPDATE "+table+" SET "+column+" = "+column)
		add(table+"_keep", "DELETE FROM "+table)
		add(table+"_keep", "TRUNCATE "+table)
	}
	for _, column := range strings.Fields("client_id key request status content_type location etag q at company_id") {
		add("idempotency_keep", "UPDATE idempotency SET "+column+" = "+column)
	}
	add("idempotency_sealed", "UPDATE idempotency SET body = 'x', sealed = false")
	add("idempotency_sealed", "UPDATE idempotency SET body = '', sealed = true")
	add("company_merchants_keep", "UPDATE company_merchants SET created_at = NULL")
	add("money_touches_keep", "UPDATE money_touches SET company_id = 2")
	for _, table := range strings.Fields("books merchants companies orders loans payments invoices money_events") {
		add(table+"_stay", "DELETE FROM "+table)
		add(table+"_stay", "TRUNCATE "+table+" CASCADE")
	}
	for table, fixed := range map[string]string{
		"books": "book", "merchants": "id", "companies": "company_id", "installments": "order_key number", "fees": "order_key n",
		"orders": "order_key company_id merchant_id currency parent", "loans": "order_key company_id merchant_id",
		"payments": "id company_id merchant_id order_merchant_id order_key amount currency direction",
		"invoices": "id order_key company_id merchant_id", "credits": "company_id source", "money_events": "id",
	} {
		for _, column := range strings.Fields(fixed) {
			add(table+"_identity", "UPDATE "+table+" SET "+column+" = "+column)
		}
	}
	return list
}

// rowRules are of what a row says alone: the value that breaks each.
func rowRules() []rule {
	var list []rule
	for name, sql := range map[string]string{
		"orders_status_check": "UPDATE orders SET status = '' WHERE status = 'CAPTURED'",
		"orders_check":        "UPDATE orders SET refunded = captured + 1",
		"orders_check1":       "UPDATE orders SET capture_date = NULL WHERE status = 'CAPTURED'",
		"payments_check":      "UPDATE payments SET refunded = amount + 1",
		"installments_check":  "UPDATE installments SET paid_principal = principal + 1",

		"installments_ahead_check": "UPDATE installments SET ahead = -1",
		"installments_check1":      "UPDATE installments SET paid_finance_charge = finance_charge + 1",
		"fees_check":               "UPDATE fees SET paid = amount + 1",
		"batches_check":            insertRow("batches", cells{"id": another, "first_q": "2"}),
		"entries_check":            insertRow("entries", cells{"value_date": "'2026-01-02'"}),
	} {
		list = append(list, rule{name, codeBroken, []string{sql}})
	}
	words := strings.Fields("orders.amount=0 orders.amount=1000000001 orders.financing_status='' orders.installments=37" +
		" orders.authorized_amount=-1 orders.reserved=-1 orders.captured=1000000001 companies.status='' companies.credit_limit=-1" +
		" companies.reserved=-1 companies.outstanding=-1 companies.on_hold=-1 companies.unapplied_credit=-1 books.q=-1 books.hash=''" +
		" fees.amount=-1 fees.waived=-1 payments.status='' payments.method='' payments.unapplied=-1 invoices.paid=-1 invoices.status=''" +
		" credits.amount=0 claims.owner='' tokens.hash='' INSERT batches.id='' batches.digest='' batches.hash='' audit.seed=''" +
		" audit.body_hash='' idempotency.request='' programmes.version=0 installments.number=0 payments.amount=0 payments.direction=''" +
		" postings.amount=0 events.sequence=0")
	inserts := slices.Index(words, "INSERT")
	for i, word := range slices.Delete(words, inserts, inserts+1) {
		column, value, _ := strings.Cut(word, "=")
		table, column, _ := strings.Cut(column, ".")
		sql := "UPDATE " + table + " SET " + column + " = " + value
		if i >= inserts {
			row := map[string]cells{"payments": succeeded("p2"), "audit": {"seed": sixteen}, "batches": {"id": another}}[table]
			sql = insertRow(table, row.but(cells{column: value}))
		}
		list = append(list, rule{table + "_" + column + "_check", codeBroken, []string{sql}})
	}
	return list
}

// crossRules are of what rows say of each other.
func crossRules() []rule {
	var list []rule
	add := func(name string, sql ...string) { list = append(list, rule{name, codeBroken, sql}) }
	both := func(table string, good, bad cells) string { // in one statement
		_, values, _ := strings.Cut(insertRow(table, bad), " VALUES ")
		return insertRow(table, good) + ", " + values
	}
	add("books_grow", "UPDATE books SET q = q - 1")
	add("books_grow", "UPDATE books SET at = '2026-01-01'")
	add("books_grow", "UPDATE books SET business_date = '2026-01-01'")
	for _, column := range []string{"version", "event_seq"} {
		for table, trigger := range map[string]string{"companies": "version", "orders": "life", "payments": "life"} {
			add(table+"_"+trigger, "UPDATE "+table+" SET "+column+" = "+column+" - 1")
		}
	}
	for _, edge := range strings.Fields("CAPTURED-AUTHORIZED AUTHORIZED-CREATED CANCELED-AUTHORIZED RETURNED-CAPTURED") {
		from, to, _ := strings.Cut(edge, "-")
		add("orders_life", insertRow("orders", inStatus("o3", from)), "UPDATE orders SET status = '"+to+
			"', capture_date = "+inStatus("", to)["capture_date"]+" WHERE order_key = 'o3'")
	}
	for _, edge := range strings.Fields("PENDING-SCHEDULED SUCCEEDED-PENDING REFUNDED-SUCCEEDED FAILED-PENDING CANCELED-SCHEDULED") {
		from, to, _ := strings.Cut(edge, "-")
		add("payments_life", insertRow("payments", succeeded("p2").but(cells{"status": "'" + from + "'"})),
			"UPDATE payments SET status = '"+to+"' WHERE id = 'p2'")
	}
	for _, column := range strings.Fields("amount installments terms merchant_order_id cart shipping billing") {
		value := cmp.Or(map[string]string{"amount": "2", "installments": "2"}[column], "NULL")
		add("orders_life", "UPDATE orders SET "+column+" = "+value+" WHERE status = 'CAPTURED'")
	}
	add("orders_life", "UPDATE orders SET capture_date = capture_date + 1 WHERE status = 'CAPTURED'")
	add("orders_company", both("orders", inStatus("o3", "CREATED"), inStatus("o4", "CREATED").but(cells{"company_id": "9"})))
	add("orders_merchant", both("orders", inStatus("o3", "CREATED"), inStatus("o4", "CREATED").but(cells{"merchant_id": "'none'"})))
	add("company_merchants_company", insertRow("company_merchants", cells{"company_id": "9", "merchant_id": "'m1'"}))
	add("credits_company", insertRow("credits", cells{"company_id": "9"}))
	add("money_events_company", insertRow("money_events", cells{"company_id": "9"}))
	add("company_merchants_merchant", insertRow("company_merchants", cells{"merchant_id": "'none'"}))
	add("money_events_company_still", "UPDATE money_events SET company_id = 9")
	add("money_touches_event", insertRow("money_touches", cells{"event_id": "'none'"}))
	add("installments_loan", both("installments", cells{"order_key": "'o2'", "number": "2"}, cells{"order_key": "'o1'"}))
	add("fees_loan", insertRow("fees", cells{"order_key": "'o1'"}))
	for column, value := range map[string]string{"order_key": "'none'", "company_id": "2", "merchant_id": "'m2'"} {
		loan := cells{"order_key": "'o1'", "merchant_id": "'m1'"}
		add("loans_parent", insertRow("loans", loan.but(cells{column: value})))
		add("invoices_parent", insertRow("invoices", loan.but(cells{"status": "'OPEN'", column: value})))
	}
	for column, value := range map[string]string{"order_key": "'none'", "company_id": "2", "order_merchant_id": "'m2'", "currency": "'EUR'"} {
		add("payments_parent", both("payments", succeeded("p2"), succeeded("p3").but(cells{column: value})))
	}
	add("payments_company", insertRow("payments", succeeded("p2").but(cells{"order_key": "NULL", "company_id": "9"})))
	add("entries_balance", entryOf(3, nil, 5)...)
	add("entries_balance", entryOf(3, nil)...)
	add("entries_balance", entryOf(3, nil, 5, -4)...)
	add("entries_balance", append([]string{insertRow("postings", cells{"q": "3", "n": "0", "line": "9", "account": "9000"}),
		insertRow("postings", cells{"q": "3", "n": "0", "amount": "-1"})}, entryOf(3, nil)...)...)
	add("entries_reversal", entryOf(3, cells{"reverses": "'n2'"}, 5, -5)...)
	add("entries_reversal", entryOf(3, cells{"reverses": "'none'"}, 5, -5)...)
	add("postings_closed", insertRow("postings", cells{"n": "0", "line": "9"}))
	add("batches_lines", entryOf(3, nil, 5, -5)[0], insertRow("batches", cells{"id": another, "first_q": "2", "last_q": "4"}))
	add("events_sequence", insertRow("events", cells{"n": "3", "object_id": "'o1'", "sequence": "4"}))
	add("events_sequence", both("events", cells{"n": "3", "id": "'c'", "object_id": "'o3'"},
		cells{"n": "4", "id": "'d'", "object_id": "'o3'", "sequence": "3"}))
	add("tokens_scopes", insertRow("tokens", cells{"hash": "decode(repeat('01', 32), 'hex')", "client_id": "'c1'", "scopes": `'["a","c"]'`}))
	add("tokens_scopes", `UPDATE tokens SET scopes = '["a","c"]'`)
	return list
}

// TestValidChanges offers what must be accepted.
func TestValidChanges(t *testing.T) {
	c, barred := filled(t), insertRow("batches", cells{"id": another, "first_q": "0", "last_q": "0", "tombstone": "true"})
	for name, list := range map[string][]string{
		"an order passes all statuses at once": {insertRow("orders", inStatus("o3", "CREATED")),
			"UPDATE orders SET status = 'RETURNED', capture_date = '2026-01-03', version = version + 3 WHERE order_key = 'o3'"},
		"a batch writes an order again": {insertRow("orders", inStatus("o3", "CREATED")) + ", " +
			strings.SplitN(insertRow("orders", inStatus("o1", "AUTHORIZED")), " VALUES ", 2)[1] +
			" ON CONFLICT (order_key) DO UPDATE SET status = excluded.status, version = orders.version + 1"},
		"a returned payment settles after all": {"UPDATE payments SET status = 'RETURNED'", "UPDATE payments SET status = 'SUCCEEDED'"},
		"an owner repeats a claim":             {claimFor("o1")},
		"a released claim has another owner":   {"DELETE FROM claims", claimFor("o2")},
		"an entry with its lines": append(entryOf(3, cells{"id": "'n3'"}, 5, -3, -2),
			insertRow("batches", cells{"id": another, "first_q": "3", "last_q": "3"})),
		"a tombstone, twice": {barred, barred + " ON CONFLICT (id) DO NOTHING"},
		"a touch, twice":     {insertRow("money_touches", cells{"event_id": "'e1'"}) + " ON CONFLICT (order_key, event_id) DO NOTHING"},
		"a dispute is won": {insertRow("transfers", transferOf("x").but(cells{"rail": "'CARD'", "status": "'RETURNED'"})),
			"UPDATE transfers SET status = 'SETTLED' WHERE id = 'x'"},
		"a payout comes back":            {"UPDATE payouts SET status = 'SETTLED'", "UPDATE payouts SET status = 'FAILED'"},
		"a waiting line is refunded":     {"UPDATE payout_lines SET amount = amount - 2, refunds = refunds + 2 WHERE id = 'l2'"},
		"a payout includes a line":       {"UPDATE payout_lines SET payout_id = 'po1', version = version + 1 WHERE id = 'l2'"},
		"a failed payout is carried":     {insertRow("payout_lines", lineOf("x").but(cells{"kind": "'CARRIED'", "company_id": "0", "order_key": "NULL", "of_key": "'0'"}))},
		"a clawback is debited":          {"UPDATE payout_lines SET payout_id = 't2' WHERE id = 'l2'"},
		"a clawback is written off":      {"UPDATE payout_lines SET payout_id = 'n1' WHERE id = 'l2'"},
		"nothing is left of a line":      {insertRow("payout_lines", lineOf("x").but(cells{"source": "'p1'", "payout_id": "'p1'"}))},
		"a bank line is open again":      {"UPDATE bank_lines SET match_id = NULL", "UPDATE bank_matches SET undone_at = now() WHERE id = 'bm1'"},
		"a notice of the bank, again":    {insertRow("bank_notices", noticeOf("bn1")) + " ON CONFLICT (rail, id) DO NOTHING"},
		"an entry after a closed month":  append(entryOf(3, cells{"id": "'n3'", "value_date": "'2025-12-31'"}, 5, -5), insertRow("batches", cells{"id": another, "first_q": "3", "last_q": "3"})),
		"a file is accepted before sent": {insertRow("bank_files", cells{"id": "'x'", "state": "'BUILT'"}), "UPDATE bank_files SET state = 'ACCEPTED' WHERE id = 'x'"},
		"what may go":                    {"DELETE FROM credits", "DELETE FROM company_merchants", "DELETE FROM idempotency", "DELETE FROM installments", "DELETE FROM fees"},
	} {
		t.Run(name, func(t *testing.T) {
			if err := tryAll(c, list...); err != nil {
				t.Error(err)
			}
		})
	}
}

func claimFor(owner string) string {
	return insertRow("claims", cells{"owner": "'" + owner + "'"}) +
		" ON CONFLICT (kind, scope, name) DO UPDATE SET owner = CASE WHEN claims.owner = excluded.owner THEN claims.owner END"
}
