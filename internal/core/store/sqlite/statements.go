package sqlite

import (
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// The statements that read, built once from the tables.
//
// Wherever a statement only reads, bound values have a sign: +?1 is the same value as ?1,
// but SQLite does not look at it. It does look at a bare one when it plans a LIMIT, and
// when it compares the condition with that of a partial index, and then prepares the whole
// statement again each time another value is bound. That was four fifths of the time of a
// short list.
var (
	programsByID     = byKey(store.Programs.Schema(), "merchant_id", " ORDER BY t.merchant_id, t.version")
	creditsByCompany = byKey(store.Credits.Schema(), "company_id", " ORDER BY t.company_id, t.q, t.n")
	loansByKey       = byKey(store.Loans.Schema(), "order_key", "")
	rowsByKey        = byKey(store.Installments.Schema(), "order_key", " ORDER BY t.order_key, t.number")
	feesByKey        = byKey(store.Fees.Schema(), "order_key", " ORDER BY t.order_key, t.n")

	claimsByName = "SELECT " + columns(store.Claims.Schema(), "t.") +
		" FROM input i CROSS JOIN claims t ON t.kind = i.c0 AND t.scope = i.c1 AND t.name = i.c2"
	// An answer of which only the key is stored stands in the audit log.
	answerColumns = "SELECT t.client_id, t.key, coalesce(t.request, zeroblob(32)), coalesce(t.status, 0), t.body, coalesce(t.content_type, '')," +
		" coalesce(t.location, ''), coalesce(t.etag, ''), t.q, coalesce(t.at, a.at), coalesce(t.company_id, a.company_id, 0)," +
		" coalesce(t.sealed, 0), t.request IS NULL, a.told"
	answersByKey = answerColumns + " FROM input i CROSS JOIN idempotency t ON t.client_id = i.c0 AND t.key = i.c1" +
		" LEFT JOIN audit a ON a.q = t.q AND t.request IS NULL"
	allAnswers     = answerColumns + " FROM idempotency t LEFT JOIN audit a ON a.q = t.q AND t.request IS NULL ORDER BY t.client_id, t.key"
	historyByOrder = "SELECT " + columns(store.MoneyEvents.Schema(), "e.") + ", t.order_key" +
		" FROM input i CROSS JOIN money_touches t ON t.order_key = i.c0 CROSS JOIN money_events e ON e.id = t.event_id" +
		" ORDER BY t.order_key, e.q, e.n"
	accountsByCompany = "SELECT t.company_id, t.order_key, t.captured_at FROM input i CROSS JOIN loans t ON t.company_id = i.c0"
	seqOfBook         = "SELECT q FROM books WHERE book = +?1"
	headOfBook        = "SELECT " + columns(store.Books.Schema(), "") + " FROM books WHERE book = +?1"
	batchByID         = "SELECT " + columns(store.Batches.Schema(), "") + " FROM batches WHERE id = +?1"
	tokenByHash       = "SELECT " + columns(store.Audits.Schema(), "a.") + ", " + columns(store.Clients.Schema(), "c.") + ", " + columns(store.Tokens.Schema(), "t.") +
		" FROM tokens t CROSS JOIN clients c ON c.id = t.client_id CROSS JOIN audit a INDEXED BY audit_access" +
		" ON a.object IN (lower(hex(t.hash)), c.id) AND " + isAccess + " WHERE t.hash = +?1 ORDER BY a.q"
	clientByID = "SELECT " + columns(store.Audits.Schema(), "a.") + ", " + columns(store.Clients.Schema(), "c.") +
		" FROM clients c CROSS JOIN audit a INDEXED BY audit_access ON a.object = c.id AND " + isAccess + " WHERE c.id = +?1 ORDER BY a.q"

	// A released lease has no holder.
	takeLease = "INSERT INTO leases (" + columns(store.Leases.Schema(), "") + ") VALUES (?1, ?2, 1, ?3)" +
		" ON CONFLICT (name) DO UPDATE SET token = token + (holder <> excluded.holder), holder = excluded.holder, until = excluded.until" +
		" WHERE holder IN (excluded.holder, '') OR coalesce(until, 0) <= ?4 RETURNING " + columns(store.Leases.Schema(), "")
	leaveLease = "UPDATE leases SET holder = '', until = NULL WHERE name = ?1 AND holder = ?2 AND token = ?3"
	leasesHeld = "SELECT count(*) FROM input i CROSS JOIN leases t ON t.name = i.c0 AND t.holder = i.c1 AND t.token = i.c2"

	purgeTokens = "DELETE FROM tokens WHERE hash IN (SELECT hash FROM tokens INDEXED BY tokens_end WHERE " + tokenEnd +
		" < +?1 ORDER BY " + tokenEnd + ", hash LIMIT +?2)"
	purgeDeliveries = "DELETE FROM deliveries WHERE id IN (SELECT id FROM deliveries INDEXED BY deliveries_finished" +
		" WHERE finished_at IS NOT NULL AND finished_at < +?1 ORDER BY finished_at, id LIMIT +?2)"
)

// isAccess is the condition of the index audit_access, verbatim.
var isAccess = "a.command IN ('" + strings.Join(store.AccessCommands(), "', '") + "')"

// tokenEnd is the expression of an index: when a token ends.
const tokenEnd = "coalesce(min(expires_at, revoked_at), expires_at, revoked_at)"

// lookup is a statement that finds rows by key: any number of keys joined from the input
// table, or one that is bound. A read of one resource needs one key per noun, and the
// virtual table would more than double its search: 0.83 µs instead of 0.34.
type lookup struct{ many, one string }

// firstLines selects the first lines on each side that wait for a merchant. What it owes
// has an index of its own, so that the scan does not pass what it is owed.
func firstLines(merchant string) string {
	return firstOf(merchant, "payout_lines_waiting", "w.kind NOT IN ('CLAWBACK', 'COLLECTED')") + " UNION ALL " +
		firstOf(merchant, "payout_lines_owed", owed("w", "CLAWBACK")) + " UNION ALL " + firstOf(merchant, "payout_lines_owed", owed("w", "COLLECTED"))
}

func firstOf(merchant, index, kind string) string {
	return "SELECT id FROM (SELECT w.id FROM payout_lines w INDEXED BY " + index + " WHERE w.merchant_id = " + merchant +
		" AND w.payout_id IS NULL AND " + kind + " ORDER BY w.due_on, w.id LIMIT " + number(credit.MaxLines) + ")"
}

// owed is the condition for lines of a kind in the index payout_lines_owed: the index's own
// condition, which makes it usable, and the kind's.
func owed(of, kind string) string {
	return of + ".kind IN ('CLAWBACK', 'COLLECTED') AND " + of + ".kind = '" + kind + "'"
}

// byKey selects the rows of a table whose column is in the input.
func byKey(s store.Schema, column, order string) lookup {
	selected := "SELECT " + columns(s, "t.") + " FROM "
	return lookup{
		many: selected + "input i CROSS JOIN " + s.Name + " t ON t." + column + " = i.c0" + order,
		one:  selected + s.Name + " t WHERE t." + column + " = +?1" + order,
	}
}

func number(i int) string { return strconv.Itoa(i) }

// statements are the statements that write a batch, built once from the tables.
var statements = newStatements()

type statementSet struct {
	head, batches, tombstone, audits      string
	answers, keys                         string
	programs, links, unlink               string
	loans, installments, installmentsGone string
	fees, feesGone                        string
	credits, creditsClosed                string
	money, touches, released, claims      string
	postings, entries, balances           string
	totals, dues, positions               string
	setting, settle                       string
	signed                                string
	resends, readers, objects             string
	deliveries, attempts, cursors         string
}

// Columns that never change are not written again: an index on a column that an UPDATE
// names is rewritten even if the value is the same, and that is a page of the log for each
// row. A change of such a column would be a bug; invariant.Check and verify look for it.
var (
	fixedLoan = []string{"company_id", "merchant_id", "captured_at"}
	// A delivery that is written again also keeps its place in lists.
	fixedDelivery = []string{
		"endpoint_id", "merchant_id", "resend_id", "event_id", "type", "object_type", "object_id", "sequence", "event_q",
		"event_n", "url", "created_at",
	}
)

// addPosition adds to an existing position of a merchant.
const addPosition = " ON CONFLICT (merchant_id) DO UPDATE SET principal = principal + excluded.principal, " +
	"clawback = clawback + excluded.clawback, collected = collected + excluded.collected, payable = payable + excluded.payable"

// unlinkGone deletes links. Companies are written first, so their lists show which are
// gone.
const unlinkGone = "DELETE FROM company_merchants WHERE (company_id, merchant_id) IN (" +
	"SELECT t.company_id, t.merchant_id FROM input i CROSS JOIN company_merchants t ON t.company_id = i.c0 " +
	"CROSS JOIN companies c ON c.company_id = i.c0 " +
	"WHERE NOT EXISTS (SELECT 1 FROM json_each(c.linked) l WHERE l.value = t.merchant_id))"

func newStatements() statementSet {
	return statementSet{
		// A batch must not change the epoch.
		head: "UPDATE books SET q = i.c1, hash = i.c2, at = i.c3, business_date = i.c4 FROM input i WHERE book = i.c0",

		batches:   insertInto(store.Batches.Schema()),
		tombstone: insertInto(store.Batches.Schema()) + " ON CONFLICT (id) DO NOTHING",
		audits:    insertInto(store.Logged.Schema()),
		answers:   insertInto(store.Idempotency.Schema()),
		keys:      insertInto(store.AnswerKeys.Schema()),
		programs:  insertInto(store.Programs.Schema()),
		links:     insertInto(store.CompanyMerchants.Schema()) + " ON CONFLICT (company_id, merchant_id) DO NOTHING",
		unlink:    unlinkGone,

		loans:            upsert(store.Loans.Schema(), fixedLoan...),
		installments:     upsertChanged(store.Installments.Schema()),
		installmentsGone: goneFrom("installments", "number > i.c1"),
		fees:             upsertChanged(store.Fees.Schema()),
		feesGone:         goneFrom("fees", "n >= i.c2"),
		credits:          upsert(store.Credits.Schema(), "q", "n"),
		creditsClosed:    deleteFrom(store.Credits.Schema()),
		money:            upsert(store.MoneyEvents.Schema(), "q", "n"),
		touches:          insertInto(store.MoneyTouches.Schema()) + " ON CONFLICT (order_key, event_id) DO NOTHING",
		released:         deleteFrom(store.Claims.Schema()),
		// A claim may be repeated by its owner. Another owner's becomes NULL, which the
		// column refuses.
		claims: insertInto(store.Claims.Schema()) + " ON CONFLICT (kind, scope, name) DO UPDATE SET q = excluded.q, " +
			"owner = CASE WHEN owner = excluded.owner THEN owner END",
		postings: insertInto(store.Postings.Schema()),
		entries:  insertInto(store.Entries.Schema()),
		balances: insertInto(store.Balances.Schema()) +
			" ON CONFLICT (order_key, company_id, account, merchant_id, currency) DO UPDATE SET amount = amount + excluded.amount",
		totals: insertInto(store.DayTotals.Schema()) +
			" ON CONFLICT (book_date, account, event, currency) DO UPDATE SET debits = debits + excluded.debits, credits = credits + excluded.credits, postings = postings + excluded.postings",
		dues: insertInto(store.DueTotals.Schema()) + " ON CONFLICT (book_date, due_date, held_from, held_days, currency) DO UPDATE SET " +
			"scheduled = scheduled + excluded.scheduled, principal = principal + excluded.principal, charge = charge + excluded.charge, " +
			"installments = installments + excluded.installments, orders = orders + excluded.orders, exposure = exposure + excluded.exposure",
		positions: insertInto(store.Positions.Schema()) + addPosition,
		setting:   upsert(store.Settings.Schema()),
		settle:    insertInto(store.Settings.Schema()) + " ON CONFLICT (name) DO NOTHING",
		signed:    insertInto(store.SignedHeads.Schema()),

		resends: insertInto(store.Resends.Schema()),
		readers: insertInto(store.EventReaders.Schema()),
		objects: insertInto(store.EventObjects.Schema()),
		deliveries: upsert(store.Deliveries.Schema(), fixedDelivery...) +
			" WHERE deliveries.state = 'PENDING' AND excluded.attempts >= deliveries.attempts",
		attempts: insertInto(store.Attempts.Schema()) + " ON CONFLICT (delivery_id, n) DO NOTHING",
		cursors:  upsert(store.Cursors.Schema()),
	}
}

// The statements that read rails, payouts and the exchange.
var (
	positionsByMerchant = byKey(store.Positions.Schema(), "merchant_id", "")
	linesByOf           = byKey(store.PayoutLines.Schema(), "of_key", " ORDER BY t.of_key, t.due_on, t.id")
	linesByPayout       = byKey(store.PayoutLines.Schema(), "payout_id", " ORDER BY t.payout_id, t.due_on, t.id")

	// As many of a merchant's waiting lines as a payout may have on each side, in order.
	linesWaiting = lookup{
		many: "SELECT " + columns(store.PayoutLines.Schema(), "t.") + " FROM input i CROSS JOIN payout_lines t ON t.id IN (" +
			firstLines("i.c0") + ") ORDER BY t.merchant_id, t.due_on, t.id",
		one: "SELECT " + columns(store.PayoutLines.Schema(), "") + " FROM payout_lines WHERE id IN (" +
			firstLines("+?1") + ") ORDER BY due_on, id",
	}
)

// railTexts are the statements that write rails, payouts and the exchange, built once from
// the tables.
var railTexts = struct {
	file, fileEntries, filed, bankNotice, bankLines, bankMatches string
}{
	file:        insertInto(store.BankFiles.Schema()),
	fileEntries: insertInto(store.BankEntries.Schema()),
	filed:       "UPDATE transfers SET filed = 1 WHERE id IN (SELECT i.c0 FROM input i)",
	bankNotice:  insertInto(store.BankNotices.Schema()) + " ON CONFLICT (rail, id) DO NOTHING",
	bankLines:   insertInto(store.BankLineTable.Schema()) + " ON CONFLICT (id) DO NOTHING",
	bankMatches: insertInto(store.BankMatches.Schema()),
}

// nounText are the statements of one noun.
type nounText struct {
	columns string
	types   []store.Type
	at      string // the version as of a commit
	began   int    // its column with the commit that wrote it
	byKey   lookup
	past    string   // saves the versions about to be replaced; "" if none are kept
	put     []string // to run in order
}

// nounTexts are built once from the nouns, in their order.
var nounTexts = newNounTexts()

func newNounTexts() []nounText {
	out := make([]nounText, len(store.Nouns))
	for i, n := range store.Nouns {
		s, t := n.Schema(), n.Traits()
		out[i].types, out[i].columns = s.Types, columns(s, "")
		out[i].byKey = byKey(s, s.Columns[0], "")
		if t.Past != nil {
			out[i].began = slices.Index(s.Columns, "q")
			out[i].past = keepPast(s, *t.Past, out[i].began)
			out[i].at = versionAt(n)
		}
		keep := slices.Concat(t.Fixed, t.Aside)
		switch {
		case t.Once:
			out[i].put = []string{insertInto(s)}
		case t.Seldom != nil:
			both := upsertSeldom(s, t.Seldom, keep...)
			out[i].put = both[:]
		default:
			out[i].put = []string{upsert(s, keep...)}
		}
	}
	return out
}

// versionAt selects the current version of a record, ?1, and the first past version that
// ended after a commit, ?2. The log has the commits that may have changed it: ?3 is its text as
// the log has it. They are read one by one until one has a version. Without its LIMIT SQLite
// forgets the order of a subquery that is joined.
func versionAt(n store.Noun) string {
	s, t := n.Schema(), n.Traits()
	id := s.Columns[0]
	changed := "SELECT q FROM event_objects WHERE object_type = '" + t.Object + "' AND object_id = +?3 AND q > +?2" +
		" UNION ALL SELECT q FROM audit WHERE object = +?3 AND object <> '' AND q > +?2"
	if n == store.CompanyNoun {
		changed += " UNION ALL SELECT q FROM audit WHERE company_id = +?1 AND company_id <> 0 AND q > +?2"
	}
	return "SELECT " + columns(s, "") + " FROM " + s.Name + " WHERE " + id + " = +?1 UNION ALL SELECT " + columns(s.Kept(), "") + strings.Repeat(", NULL", s.Lookups) +
		" FROM (SELECT h.* FROM (" + changed + " ORDER BY q LIMIT -1) c CROSS JOIN " + t.Past.Name + " h ON h.until_q = c.q AND h." + id +
		" = +?1 WHERE (SELECT q FROM " + s.Name + " WHERE " + id + " = +?1) > +?2 LIMIT 1)"
}

// vaultTexts write to the vault.
var vaultTexts = struct{ put, erase string }{insertInto(store.Vault.Schema()), deleteFrom(store.Vault.Schema())}

// upsertSeldom is upsert in two statements: the first writes rows that are new or whose
// seldom columns are unchanged, and does not name those columns; the second writes the
// others.
func upsertSeldom(s store.Schema, seldom []string, keep ...string) [2]string {
	old, fresh, given := make([]string, len(seldom)), make([]string, len(seldom)), make([]string, len(seldom))
	for i, c := range seldom {
		old[i], fresh[i], given[i] = s.Name+"."+c, "excluded."+c, "c"+number(slices.Index(s.Columns, c))
	}
	same := " WHERE (" + strings.Join(old, ", ") + ") IS (" + strings.Join(fresh, ", ") + ")"
	changed := " CROSS JOIN " + s.Name + " t ON t." + s.Columns[0] + " = c0 WHERE (t." + strings.Join(seldom, ", t.") + ") IS NOT (" + strings.Join(given, ", ") + ")"
	return [2]string{
		upsert(s, slices.Concat(keep, seldom)...) + same,
		strings.Replace(upsert(s, keep...), " WHERE true", changed, 1),
	}
}

// upsertChanged is upsert that skips identical rows: of a loan's rows a payment changes one
// or two.
func upsertChanged(s store.Schema) string {
	rest := s.Columns[s.Key:]
	old, fresh := slices.Clone(rest), slices.Clone(rest)
	for i, c := range rest {
		old[i], fresh[i] = s.Name+"."+c, "excluded."+c
	}
	return upsert(s) + " WHERE (" + strings.Join(old, ", ") + ") IS NOT (" + strings.Join(fresh, ", ") + ")"
}

// goneFrom deletes the rows of loans that a new version of the loan does not have.
func goneFrom(table, which string) string {
	n, _, _ := strings.Cut(which, " ")
	return "DELETE FROM " + table + " WHERE (order_key, " + n + ") IN (SELECT t.order_key, t." + n +
		" FROM input i CROSS JOIN " + table + " t ON t.order_key = i.c0 AND t." + which + ")"
}
