package postgres

import (
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// The statements that read, built once from the tables. Each takes its keys as one array,
// $1, whatever their number.
var (
	programsByID        = byKey(store.Programs.Schema(), "merchant_id", "text[]", " ORDER BY t.merchant_id, t.version")
	creditsByCompany    = byKey(store.Credits.Schema(), "company_id", "bigint[]", " ORDER BY t.company_id, t.q, t.n")
	loansByKey          = byKey(store.Loans.Schema(), "order_key", "text[]", "")
	rowsByKey           = byKey(store.Installments.Schema(), "order_key", "text[]", " ORDER BY t.order_key, t.number")
	feesByKey           = byKey(store.Fees.Schema(), "order_key", "text[]", " ORDER BY t.order_key, t.n")
	positionsByMerchant = byKey(store.Positions.Schema(), "merchant_id", "text[]", "")

	// linesByKey selects the lines of orders and companies, $1, the first of those that
	// wait for merchants, $2 (those that add to a payout, and those that deduct), and those
	// ended by debits, $3.
	linesByKey = "SELECT " + columns(store.PayoutLines.Schema(), "") + " FROM payout_lines WHERE id = ANY(ARRAY(" +
		"SELECT l.id FROM unnest($1::text[]) i(k) CROSS JOIN LATERAL (SELECT id FROM payout_lines x WHERE x.of_key = i.k OFFSET 0) l" +
		firstLines("$2", "NOT IN ('CLAWBACK', 'COLLECTED')") + firstLines("$2", "= 'CLAWBACK'") + firstLines("$2", "= 'COLLECTED'") +
		" UNION ALL SELECT l.id FROM unnest($3::text[]) i(k) CROSS JOIN LATERAL (SELECT id FROM payout_lines x WHERE x.payout_id = i.k OFFSET 0) l))"

	// For all captured orders of companies.
	accountsByCompany = "SELECT t.company_id, t.order_key FROM loans t WHERE t.company_id = ANY($1::bigint[])" +
		" ORDER BY t.company_id, t.captured_at, t.order_key"
	ordersByAccount = byAccount(store.Orders.Schema(), "")
	loansByAccount  = byAccount(store.Loans.Schema(), "")
	rowsByAccount   = byAccount(store.Installments.Schema(), " ORDER BY t.order_key, t.number")
	feesByAccount   = byAccount(store.Fees.Schema(), " ORDER BY t.order_key, t.n")

	claimsByName = "SELECT " + columns(store.Claims.Schema(), "t.") +
		" FROM unnest($1::text[], $2::text[], $3::text[]) i(kind, scope, name)" +
		" CROSS JOIN LATERAL (SELECT * FROM claims c WHERE c.kind = i.kind AND c.scope = i.scope AND c.name = i.name OFFSET 0) t"
	// An answer of which only the key is stored stands in the audit log.
	answerColumns = "SELECT t.client_id, t.key, coalesce(t.request, '\\x" + strings.Repeat("00", 32) + "'::bytea), coalesce(t.status, 0), t.body," +
		" coalesce(t.content_type, ''), coalesce(t.location, ''), coalesce(t.etag, ''), t.q, coalesce(t.at, x.at)," +
		" coalesce(t.company_id, x.company_id, 0), coalesce(t.sealed, false), t.request IS NULL, x.told"
	answersByKey = answerColumns + " FROM unnest($1::text[], $2::text[]) i(client, key)" +
		" CROSS JOIN LATERAL (SELECT * FROM idempotency a WHERE a.client_id = i.client AND a.key = i.key OFFSET 0) t" + toldOfAnswer
	allAnswers     = answerColumns + " FROM idempotency t" + toldOfAnswer + " ORDER BY t.client_id, t.key"
	toldOfAnswer   = " LEFT JOIN LATERAL (SELECT a.at, a.company_id, a.told FROM audit a WHERE a.q = t.q AND t.request IS NULL OFFSET 0) x ON true"
	historyByOrder = "SELECT " + columns(store.MoneyEvents.Schema(), "e.") + ", t.order_key" + touched +
		" ORDER BY t.order_key, e.q, e.n"
	paymentsOfHistory = "SELECT " + columns(store.Payments.Schema(), "p.") + " FROM payments p WHERE p.id = ANY(ARRAY(" +
		"SELECT e.id" + touched + " UNION SELECT e.payment_id" + touched + "))"
	touched = " FROM unnest($1::text[]) i(order_key)" +
		" CROSS JOIN LATERAL (SELECT * FROM money_touches m WHERE m.order_key = i.order_key OFFSET 0) t" +
		" CROSS JOIN LATERAL (SELECT * FROM money_events m WHERE m.id = t.event_id OFFSET 0) e"

	headOfBook  = "SELECT " + columns(store.Books.Schema(), "") + " FROM books WHERE book = 1"
	batchByID   = "SELECT " + columns(store.Batches.Schema(), "") + " FROM batches WHERE id = $1"
	tokenByHash = "SELECT " + columns(store.Audits.Schema(), "a.") + ", " + columns(store.Clients.Schema(), "c.") + ", " + columns(store.Tokens.Schema(), "t.") +
		" FROM tokens t CROSS JOIN LATERAL (SELECT * FROM clients x WHERE x.id = t.client_id OFFSET 0) c" +
		" CROSS JOIN LATERAL (SELECT * FROM audit a WHERE a.object = ANY(ARRAY[encode(t.hash, 'hex'), c.id]) AND " + isAccess + " OFFSET 0) a" +
		" WHERE t.hash = $1 ORDER BY a.q"
	clientByID = "SELECT " + columns(store.Audits.Schema(), "a.") + ", " + columns(store.Clients.Schema(), "c.") +
		" FROM clients c CROSS JOIN LATERAL (SELECT * FROM audit a WHERE a.object = c.id AND " + isAccess + " OFFSET 0) a WHERE c.id = $1 ORDER BY a.q"
)

// keyColumns are the statements whose rows show by which of the keys they were found, in
// this column, counted from 1.
var keyColumns = newKeyColumns()

func newKeyColumns() map[string]int {
	column := func(s store.Schema, name string) int { return slices.Index(s.Columns, name) + 1 }
	out := map[string]int{
		programsByID: column(store.Programs.Schema(), "merchant_id"), creditsByCompany: column(store.Credits.Schema(), "company_id"),
		loansByKey: column(store.Loans.Schema(), "order_key"), rowsByKey: column(store.Installments.Schema(), "order_key"),
		feesByKey: column(store.Fees.Schema(), "order_key"), positionsByMerchant: column(store.Positions.Schema(), "merchant_id"),
	}
	for i := range nounTexts {
		out[nounTexts[i].byKey] = 1
	}
	return out
}

// isAccess is the condition of the index audit_access, verbatim.
var isAccess = "a.command IN ('" + strings.Join(store.AccessCommands(), "', '") + "')"

// firstLines selects the first lines of one side that wait for the merchants of a
// parameter.
func firstLines(merchants, kind string) string {
	return " UNION ALL SELECT l.id FROM unnest(" + merchants + "::text[]) i(k) CROSS JOIN LATERAL (SELECT id FROM payout_lines x" +
		" WHERE x.merchant_id = i.k AND x.payout_id IS NULL AND x.kind " + kind +
		" ORDER BY x.due_on, x.id LIMIT " + number(credit.MaxLines) + ") l"
}

// forUpdate locks the rows a statement reads against all changes except to their key.
const forUpdate = " FOR NO KEY UPDATE"

// byKey selects the rows of a table whose column is one of the keys.
func byKey(s store.Schema, column, array, order string) string {
	return "SELECT " + columns(s, "t.") + " FROM unnest($1::" + array + ") i(k) CROSS JOIN LATERAL (SELECT * FROM " + s.Name +
		" x WHERE x." + column + " = i.k OFFSET 0) t" + order
}

// byAccount selects the rows of a table that belong to the captured orders of companies.
func byAccount(s store.Schema, order string) string {
	return "SELECT " + columns(s, "t.") + " FROM unnest($1::bigint[]) i(k)" +
		" CROSS JOIN LATERAL (SELECT order_key FROM loans l WHERE l.company_id = i.k OFFSET 0) a" +
		" CROSS JOIN LATERAL (SELECT * FROM " + s.Name + " x WHERE x.order_key = a.order_key OFFSET 0) t" + order
}

// columns lists a table's columns, each with the prefix.
func columns(s store.Schema, prefix string) string {
	names := slices.Clone(s.Columns)
	for i := range names {
		names[i] = prefix + names[i]
	}
	return strings.Join(names, ", ")
}

func number(i int) string { return strconv.Itoa(i) }

// arrays are PostgreSQL's names for arrays of a column's type.
var arrays = [...]string{
	store.Integer: "bigint[]", store.Bool: "boolean[]", store.Day: "date[]", store.Instant: "timestamptz[]",
	store.Text: "text[]", store.JSON: "text[]", store.Bytes: "bytea[]",
}

// sequence takes the next commits of the book, $2 of them, and lets one batch after the
// other through: its row stays locked until COMMIT (EN7). A book in another epoch, or ahead
// of the batch, ends the pipeline here (EN16, TM1).
const sequence = `UPDATE books SET
	epoch = CASE WHEN demand(epoch = $1, '` + codeFenced + `') THEN epoch END,
	q = CASE WHEN demand(epoch <> $1 OR (at IS NULL OR at <= $3) AND (business_date IS NULL OR business_date <= $4), '` + codeBehind + `') THEN q + $2 END,
	at = $3, business_date = $4, hash = sha256(hash || $5)
	WHERE book = 1 RETURNING q, hash`

// unchanged fails if something that the batch was decided on, and that no lock protected,
// has changed: programs of merchants, names that were found taken, the lender if it did not
// exist, and new due lines that wait for a merchant, because absent rows cannot be locked.
// Under the lock of the sequence none of it can change anymore (EN8).
var unchanged = `SELECT demand(NOT (EXISTS (
		SELECT FROM unnest($1::text[], $2::bigint[]) i(id, q)
		CROSS JOIN LATERAL (SELECT q FROM merchants WHERE id = i.id OFFSET 0) m WHERE m.q <> i.q)
	OR EXISTS (
		SELECT FROM unnest($3::text[], $4::text[], $5::text[], $6::text[]) i(kind, scope, name, owner)
		WHERE NOT EXISTS (SELECT FROM claims c WHERE c.kind = i.kind AND c.scope = i.scope AND c.name = i.name AND c.owner = i.owner))
	OR EXISTS (SELECT FROM lenders WHERE id = ANY($7::text[]))
	OR EXISTS (SELECT FROM (SELECT ''::text AS id WHERE false` + firstLines("$8", "NOT IN ('CLAWBACK', 'COLLECTED')") +
	firstLines("$8", "= 'CLAWBACK'") + firstLines("$8", "= 'COLLECTED'") + `) l
		WHERE NOT l.id = ANY($9::text[]) AND (SELECT due_on <= $10::date FROM payout_lines x WHERE x.id = l.id))
	), '` + codeChanged + `')`

// counted are the columns that contain a commit: the batch numbers its own from 1, and the
// statement adds the offset.
var counted = []string{"q", "first_q", "last_q", "until_q"}

// base is the offset of the batch's commits; parameter n is their number.
func base(n int) string { return "(SELECT q FROM books WHERE book = 1) - $" + number(n) + "::bigint" }

// insertInto copies rows, given as an array for each column, into a table: one statement
// however many rows. Pipelined single inserts of 64 rows took 28 µs per row where this took
// 15; with one row there is no difference.
//
// If the rows contain commits, the parameter after the arrays is the number of the batch's
// commits.
func insertInto(s store.Schema) string { return insert(s, true) }

// insert is insertInto, with commits either counted from the batch's offset or taken as
// they are.
func insert(s store.Schema, shift bool) string {
	n := len(s.Columns)
	from, in, out := make([]string, n), make([]string, n), make([]string, n)
	shifted := false
	for i, c := range s.Columns {
		from[i] = "$" + number(i+1) + "::" + arrays[s.Types[i]]
		in[i], out[i] = "c"+number(i), "i.c"+number(i)
		if shift && slices.Contains(counted, c) {
			out[i], shifted = out[i]+" + b.base", true
		}
	}
	sql := "INSERT INTO " + s.Name + " (" + columns(s, "") + ") SELECT " + strings.Join(out, ", ") +
		" FROM unnest(" + strings.Join(from, ", ") + ") i(" + strings.Join(in, ", ") + ")"
	if shifted {
		sql += " CROSS JOIN (SELECT " + base(n+1) + " AS base) b"
	}
	return sql
}

// isCounted reports whether a table's rows contain commits.
func isCounted(s store.Schema) bool {
	return slices.ContainsFunc(s.Columns, func(c string) bool { return slices.Contains(counted, c) })
}

// upsert is insertInto that, for existing rows, updates all columns except the key and
// those to keep.
func upsert(s store.Schema, keep ...string) string { return insertInto(s) + orUpdate(s, keep...) }

// orUpdate is the end of an insert whose rows replace existing ones.
func orUpdate(s store.Schema, keep ...string) string {
	var set []string
	for _, c := range s.Columns[s.Key:] {
		if !slices.Contains(keep, c) {
			set = append(set, c+" = excluded."+c)
		}
	}
	return " ON CONFLICT (" + strings.Join(s.Columns[:s.Key], ", ") + ") DO UPDATE SET " + strings.Join(set, ", ")
}

// upsertChanged is upsert that skips identical rows: of a loan's rows a payment changes one
// or two.
func upsertChanged(s store.Schema) string {
	rest := s.Columns[s.Key:]
	old, fresh := make([]string, len(rest)), make([]string, len(rest))
	for i, c := range rest {
		old[i], fresh[i] = s.Name+"."+c, "excluded."+c
	}
	return upsert(s) + " WHERE (" + strings.Join(old, ", ") + ") IS DISTINCT FROM (" + strings.Join(fresh, ", ") + ")"
}

// keepPast copies the stored versions of rows about to be overwritten into their history.
// Parameters: the keys, the new versions' commits, the number of commits.
func keepPast(now, history store.Schema) string {
	key := now.Columns[0]
	return "INSERT INTO " + history.Name + " (" + columns(history, "") + ") SELECT i.q + b.base, " +
		columns(now.Kept(), "t.") + " FROM unnest($1::" + arrays[now.Types[0]] + ", $2::bigint[]) i(k, q)" +
		" CROSS JOIN (SELECT " + base(3) + " AS base) b CROSS JOIN LATERAL (SELECT * FROM " + now.Name + " x WHERE x." + key + " = i.k OFFSET 0) t"
}

// deleteFrom deletes the rows whose key columns are given as arrays.
func deleteFrom(s store.Schema) string {
	from, names, on := make([]string, s.Key), make([]string, s.Key), make([]string, s.Key)
	for i, c := range s.Columns[:s.Key] {
		from[i], names[i] = "$"+number(i+1)+"::"+arrays[s.Types[i]], "c"+number(i)
		on[i] = "t." + c + " = i.c" + number(i)
	}
	return "DELETE FROM " + s.Name + " t USING unnest(" + strings.Join(from, ", ") + ") i(" + strings.Join(names, ", ") +
		") WHERE " + strings.Join(on, " AND ")
}

// statements are the statements that write, built once from the tables.
var statements = newStatements()

type statementSet struct {
	batches, tombstone, audits, answers, keys         string
	programs, links, unlink                           string
	loans, installments, installmentsGone             string
	fees, feesGone                                    string
	credits, creditsClosed                            string
	money, touches, released, claims                  string
	postings, entries, balances                       string
	totals, dues, positions                           string
	readers, objects, resends                         string
	setting, settle, head                             string
	deliveries, attempts, cursors                     string
	file, fileEntries, notice, bankLines, bankMatches string
}

// Columns that never change are not written again. A change of such a column would be a
// bug; invariant.Check and verify look for it.
var (
	fixedLoan = []string{"company_id", "merchant_id", "captured_at"}
	// Only the outcome of a delivery changes.
	fixedDelivery = []string{"endpoint_id", "merchant_id", "resend_id", "event_id", "type", "object_type", "object_id",
		"sequence", "event_q", "event_n", "url", "created_at"}
)

func newStatements() statementSet {
	claims := store.Claims.Schema()
	set := statementSet{
		batches:   batchWithHash(),
		tombstone: insert(store.Batches.Schema(), false) + " ON CONFLICT (id) DO NOTHING",
		audits:    insertInto(store.Logged.Schema()),
		answers:   insertInto(store.Idempotency.Schema()),
		keys:      insertInto(store.AnswerKeys.Schema()),
		programs:  insertInto(store.Programs.Schema()),
		links:     insertInto(store.CompanyMerchants.Schema()) + " ON CONFLICT (company_id, merchant_id) DO NOTHING",
		// The company row is written first; its list shows which links are gone.
		unlink: "DELETE FROM company_merchants t USING unnest($1::bigint[]) i(id), companies c" +
			" WHERE t.company_id = i.id AND c.company_id = i.id AND" +
			" NOT EXISTS (SELECT FROM jsonb_array_elements_text(coalesce(c.linked, '[]')::jsonb) l WHERE l = t.merchant_id)",
		loans:            upsert(store.Loans.Schema(), fixedLoan...),
		installments:     upsertChanged(store.Installments.Schema()),
		installmentsGone: goneFrom("installments", "number", ">"),
		fees:             upsertChanged(store.Fees.Schema()),
		feesGone:         goneFrom("fees", "n", ">="),
		credits:          upsert(store.Credits.Schema(), "q", "n"),
		creditsClosed:    deleteFrom(store.Credits.Schema()),
		money:            upsert(store.MoneyEvents.Schema(), "q", "n"),
		touches:          insertInto(store.MoneyTouches.Schema()) + " ON CONFLICT (order_key, event_id) DO NOTHING",
		released:         deleteFrom(claims),
		// Only its owner may repeat a claim.
		claims: insertInto(claims) + " ON CONFLICT (kind, scope, name) DO UPDATE SET " +
			"q = CASE WHEN demand(claims.owner = excluded.owner, '" + codeTaken + "') THEN excluded.q END",
		postings: insertInto(store.Postings.Schema()),
		entries:  insertInto(store.Entries.Schema()),
		balances: insertInto(store.Balances.Schema()) +
			" ON CONFLICT (order_key, company_id, account, merchant_id, currency) DO UPDATE SET amount = balances.amount + excluded.amount",
		totals: insertInto(store.DayTotals.Schema()) + " ON CONFLICT (book_date, account, event, currency) DO UPDATE SET " +
			"debits = day_totals.debits + excluded.debits, credits = day_totals.credits + excluded.credits, postings = day_totals.postings + excluded.postings",
		dues: insertInto(store.DueTotals.Schema()) + " ON CONFLICT (book_date, due_date, held_from, held_days, currency) DO UPDATE SET " +
			"scheduled = due_totals.scheduled + excluded.scheduled, principal = due_totals.principal + excluded.principal, charge = due_totals.charge + excluded.charge, " +
			"installments = due_totals.installments + excluded.installments, orders = due_totals.orders + excluded.orders, exposure = due_totals.exposure + excluded.exposure",
		positions: insertInto(store.Positions.Schema()) + " ON CONFLICT (merchant_id) DO UPDATE SET principal = merchant_positions.principal + excluded.principal, " +
			"clawback = merchant_positions.clawback + excluded.clawback, collected = merchant_positions.collected + excluded.collected, " +
			"payable = merchant_positions.payable + excluded.payable",
		readers: insertInto(store.EventReaders.Schema()), objects: insertInto(store.EventObjects.Schema()), resends: insertInto(store.Resends.Schema()),
	}
	set.aside()
	return set
}

// aside adds the statements that write no decision.
func (s *statementSet) aside() {
	settings, cursors := store.Settings.Schema(), store.Cursors.Schema()
	s.setting = upsert(settings)
	s.settle = insertInto(settings) + " ON CONFLICT (name) DO NOTHING"
	s.head = insertInto(store.SignedHeads.Schema()) + " ON CONFLICT (number) DO NOTHING"
	s.deliveries = recordDeliveries()
	s.attempts = insert(store.Attempts.Schema(), false) + " ON CONFLICT (delivery_id, n) DO NOTHING"
	s.cursors = insert(cursors, false) + orUpdate(cursors)
	s.file, s.fileEntries = insert(store.BankFiles.Schema(), false), insert(store.BankEntries.Schema(), false)
	s.notice = insert(store.BankNotices.Schema(), false) + " ON CONFLICT (rail, id) DO NOTHING"
	s.bankLines = insert(store.BankLineTable.Schema(), false) + " ON CONFLICT (id) DO NOTHING"
	s.bankMatches = insert(store.BankMatches.Schema(), false)
}

// nounText are the statements of one noun.
type nounText struct {
	types []store.Type
	byKey string // in key order, so that an appended forUpdate locks in that order (EN8)
	// New rows need no check for existing ones: a plain insert writes one WAL record less
	// per row, and fires only insert triggers.
	insert, upsert string
	past           string // saves the versions about to be replaced; "" if none are kept
	at             string // the version as of a commit
	began          int    // its column with the commit that wrote it
}

// nounTexts are built once from the nouns, in their order.
var nounTexts = newNounTexts()

func newNounTexts() []nounText {
	out := make([]nounText, len(store.Nouns))
	for i, n := range store.Nouns {
		s, t := n.Schema(), n.Traits()
		key := s.Columns[0]
		x := &out[i]
		x.types = s.Types
		if x.byKey = byKey(s, key, arrays[s.Types[0]], ""); t.Own {
			x.byKey = "SELECT " + columns(s, "") + " FROM " + s.Name + " WHERE " + key + " = ANY($1::" + arrays[s.Types[0]] + ") ORDER BY " + key
		}
		x.insert = insertInto(s)
		if !t.Once {
			x.upsert = upsert(s, slices.Concat(t.Fixed, t.Aside)...)
		}
		if t.Past != nil {
			x.past = keepPast(s, *t.Past)
			x.at, x.began = versionAt(n), slices.Index(s.Columns, "q")
		}
	}
	return out
}

// versionAt selects the current version of a record, $1, and the first past version that
// ended after a commit, $2. The log has the commits that may have changed it: $3 is its text as
// the log has it. They are read one by one until one has a version.
func versionAt(n store.Noun) string {
	s, t := n.Schema(), n.Traits()
	id, kept := s.Columns[0], columns(s.Kept(), "h.")
	for i := len(s.Columns) - s.Lookups; i < len(s.Columns); i++ {
		kept += ", NULL::" + strings.TrimSuffix(arrays[s.Types[i]], "[]")
	}
	changed := "(SELECT q FROM event_objects WHERE object_type = '" + t.Object + "' AND object_id = $3 AND q > $2 ORDER BY q)" +
		" UNION ALL (SELECT q FROM audit WHERE object = $3 AND object <> '' AND q > $2 ORDER BY q)"
	if n == store.CompanyNoun {
		changed += " UNION ALL (SELECT q FROM audit WHERE company_id = $1 AND company_id <> 0 AND q > $2 ORDER BY q)"
	}
	return "SELECT " + columns(s, "") + " FROM " + s.Name + " WHERE " + id + " = $1 UNION ALL (SELECT " + kept +
		" FROM (" + changed + " ORDER BY q) c CROSS JOIN LATERAL (SELECT * FROM " + t.Past.Name + " x WHERE x.until_q = c.q AND x." + id +
		" = $1 OFFSET 0) h WHERE (SELECT q FROM " + s.Name + " WHERE " + id + " = $1) > $2 ORDER BY c.q LIMIT 1)"
}

// lockCompanies locks the named companies, $1, those of the orders with a named history,
// $2, and those of the named records of each noun under a company, by keys from $3 on.
// Every other row of a company is written only under this lock, and a row's company never
// changes, so the subqueries need none.
var lockCompanies, underCompanies = newLock()

func newLock() (sql string, under []store.Noun) {
	sql = "SELECT company_id FROM companies WHERE company_id = ANY(ARRAY(SELECT unnest($1::bigint[])" + companyOf(store.OrderNoun, 2)
	for _, n := range store.Nouns {
		if n != store.CompanyNoun && n.Under() {
			under = append(under, n)
			sql += companyOf(n, len(under)+2)
		}
	}
	return sql + ")) ORDER BY company_id FOR NO KEY UPDATE", under
}

// companyOf selects the companies of a noun's rows by key.
func companyOf(n store.Noun, param int) string {
	s := n.Schema()
	return " UNION SELECT o.company_id FROM unnest($" + number(param) + "::" + arrays[s.Types[0]] + ") k(v) CROSS JOIN LATERAL (SELECT company_id FROM " +
		s.Name + " WHERE " + s.Columns[0] + " = k.v OFFSET 0) o"
}

// The statements of the vault.
var (
	putVault = insertInto(store.Vault.Schema())
)

// batchWithHash is insertInto with the hash that the sequence row has just got: only the
// server knows the previous one.
func batchWithHash() string {
	s := store.Batches.Schema()
	at := slices.Index(s.Columns, "hash")
	return strings.Replace(insertInto(s), "i.c"+number(at), "(SELECT hash FROM books WHERE book = 1)", 1)
}

// recordDeliveries inserts deliveries and updates existing ones; a finished one stays as it
// is, and so does one with more attempts. A delivery that names another endpoint, event or
// request than the existing one is refused.
func recordDeliveries() string {
	s := store.Deliveries.Schema()
	var own, theirs []string
	for _, c := range []string{"endpoint_id", "event_id", "resend_id"} {
		own, theirs = append(own, "deliveries."+c), append(theirs, "excluded."+c)
	}
	same := "(" + strings.Join(own, ", ") + ") = (" + strings.Join(theirs, ", ") + ")"
	move := strings.Replace(orUpdate(s, fixedDelivery...), "state = excluded.state", "state = CASE WHEN demand("+same+", '"+codeAnother+"') THEN excluded.state END", 1)
	return insert(s, false) + move + " WHERE deliveries.state = 'PENDING' AND deliveries.attempts <= excluded.attempts OR NOT " + same
}

// goneFrom deletes the rows of loans that a new version of the loan does not have.
func goneFrom(table, column, operator string) string {
	bound := map[string]string{"number": "last", "n": "fees"}[column]
	return "DELETE FROM " + table + " t USING unnest($1::text[], $2::bigint[], $3::bigint[]) i(k, last, fees)" +
		" WHERE t.order_key = i.k AND t." + column + " " + operator + " i." + bound
}
