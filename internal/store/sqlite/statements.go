package sqlite

import (
	"slices"
	"strconv"
	"strings"

	"tenor/internal/store"
)

func number(i int) string { return strconv.Itoa(i) }

// statements are the texts that write a batch, made once of the tables.
var statements = newStatements()

type statementSet struct {
	head, batches, audits, answers             string
	merchants, programmes                      string
	companies, companyPast, links, unlink      string
	orders, orderPast                          string
	loans, installments, installmentsGone      string
	fees, feesGone                             string
	payments, invoices, credits, creditsClosed string
	money, touches, released, claims           string
	postings, entries, balances, events        string
	client, token, setting                     string
}

func newStatements() statementSet {
	orders, companies := store.Orders.Schema(), store.Companies.Schema()
	return statementSet{
		// The epoch is not the batch's to change.
		head: "UPDATE books SET q = i.c1, hash = i.c2, at = i.c3, business_date = i.c4 FROM input i WHERE book = i.c0",

		batches:     insertInto(store.Batches.Schema()),
		audits:      insertInto(store.Audits.Schema()),
		answers:     insertInto(store.Idempotency.Schema()),
		merchants:   upsert(store.Merchants.Schema()),
		programmes:  insertInto(store.Programmes.Schema()),
		companies:   upsert(companies),
		companyPast: keepPast(companies, store.CompanyHistory.Schema(), len(companies.Columns)-1),
		links:       insertInto(store.CompanyMerchants.Schema()) + " ON CONFLICT (company_id, merchant_id) DO NOTHING",
		// Companies are written first, so their list says which links are gone.
		unlink: "DELETE FROM company_merchants WHERE (company_id, merchant_id) IN (" +
			"SELECT t.company_id, t.merchant_id FROM input i CROSS JOIN company_merchants t ON t.company_id = i.c0 " +
			"CROSS JOIN companies c ON c.company_id = i.c0 " +
			"WHERE NOT EXISTS (SELECT 1 FROM json_each(c.linked) l WHERE l.value = t.merchant_id))",

		orders:           upsert(orders),
		orderPast:        keepPast(orders, store.OrderHistory.Schema(), len(orders.Columns)-1),
		loans:            upsert(store.Loans.Schema()),
		installments:     upsertChanged(store.Installments.Schema()),
		installmentsGone: goneFrom("installments", "number > i.c1"),
		fees:             upsertChanged(store.Fees.Schema()),
		feesGone:         goneFrom("fees", "n >= i.c2"),
		payments:         upsert(store.Payments.Schema()),
		invoices:         upsert(store.Invoices.Schema()),
		credits:          upsert(store.Credits.Schema(), "q", "n"),
		creditsClosed:    deleteFrom(store.Credits.Schema()),
		money:            upsert(store.MoneyEvents.Schema(), "q", "n"),
		touches:          insertInto(store.MoneyTouches.Schema()) + " ON CONFLICT (order_key, event_id) DO NOTHING",
		released:         deleteFrom(store.Claims.Schema()),
		// A claim may be repeated by its owner. Another's turns into NULL, which the
		// column refuses.
		claims: insertInto(store.Claims.Schema()) + " ON CONFLICT (kind, scope, name) DO UPDATE SET q = excluded.q, " +
			"owner = CASE WHEN owner = excluded.owner THEN owner END",
		postings: insertInto(store.Postings.Schema()),
		entries:  insertInto(store.Entries.Schema()),
		balances: insertInto(store.Balances.Schema()) +
			" ON CONFLICT (order_key, company_id, account, merchant_id, currency) DO UPDATE SET amount = amount + excluded.amount",
		events:  insertInto(store.Events.Schema()),
		client:  upsert(store.Clients.Schema()),
		token:   upsert(store.Tokens.Schema()),
		setting: upsert(store.Settings.Schema()),
	}
}

// upsertChanged is upsert, but leaves rows that are equal already: of a loan's
// rows a payment changes one or two.
func upsertChanged(s store.Schema) string {
	rest := s.Columns[s.Key:]
	old, fresh := slices.Clone(rest), slices.Clone(rest)
	for i, c := range rest {
		old[i], fresh[i] = s.Name+"."+c, "excluded."+c
	}
	return upsert(s) + " WHERE (" + strings.Join(old, ", ") + ") IS NOT (" + strings.Join(fresh, ", ") + ")"
}

// goneFrom deletes the rows of loans that a new version of the loan has not.
func goneFrom(table, which string) string {
	n, _, _ := strings.Cut(which, " ")
	return "DELETE FROM " + table + " WHERE (order_key, " + n + ") IN (SELECT t.order_key, t." + n +
		" FROM input i CROSS JOIN " + table + " t ON t.order_key = i.c0 AND t." + which + ")"
}
