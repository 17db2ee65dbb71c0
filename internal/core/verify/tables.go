package verify

import "tenor/internal/core/store"

// compared configures the comparison of a table that commands write with the one that the
// log produces.
type compared struct {
	store.Schema
	rule       string                                                 // violated by a difference, unless its column has an invariant of its own
	lost, more string                                                 // violated by a missing row, or by one that no command made
	object     string                                                 // formats a row's key
	aside      []string                                               // columns that no command writes
	mayLack    bool                                                   // rows are deleted over time
	unlike     func(r *run, stored []store.Value, column string) bool // reports whether a column of a row may differ
}

// uncompared are the tables that decideAgain skips, and why.
var uncompared = map[string]string{
	store.Books.Name:       chained,
	store.Batches.Name:     chained,
	store.Audits.Name:      "it is what is decided again, and compared commit by commit",
	store.Idempotency.Name: "the log holds no requests, so no answer is made again; the pass over answers has their hashes",
	store.DueTotals.Name:   "compareDues does it: a migration has added up the days before it",
	store.Vault.Name:       "what is personal is in no log, may be erased, and is sealed with keys that change",

	store.Settings.Name: unwritten, store.Deliveries.Name: unwritten, store.Attempts.Name: unwritten, store.Cursors.Name: unwritten, store.Leases.Name: unwritten,
	store.BankFiles.Name: unwritten, store.BankEntries.Name: unwritten, store.BankNotices.Name: unwritten, store.BankLineTable.Name: unwritten,
	store.BankMatches.Name: unwritten, store.CashItems.Name: unwritten, store.SignedHeads.Name: unwritten, store.ScratchTable.Name: unwritten,
}

const (
	chained   = "digests cover the hashes of answers, which are not made again; the pass over the audit chain has them"
	unwritten = "no command writes it"
)

// tables lists the compared tables: those of the ledger and the log, the dependents of
// nouns, and the nouns with their former versions.
func tables() []compared {
	out := []compared{
		{Schema: store.Entries.Schema(), rule: "LG5", object: "entry %[2]s of commit %[1]s"},
		{Schema: store.Postings.Schema(), rule: "LG5", object: "line %[3]s of entry %[2]s of commit %[1]s"},
		{Schema: store.Balances.Schema(), rule: "LG3", object: "balance of %[3]s for order %[1]q, company %[2]s, merchant %[4]q"},
		{Schema: store.DayTotals.Schema(), rule: "LG3", object: "total of %[3]s on account %[2]s on %[1]s"},
		{Schema: store.Positions.Schema(), rule: "LG3", object: "merchant %s"},
		{Schema: store.Events.Schema(), rule: "EV4", object: "event %[2]s of commit %[1]s", unlike: otherForm},
		{Schema: store.EventReaders.Schema(), lost: "AU2", more: "EV6", object: "events of commit %[2]s for merchant %[1]s"},
		{Schema: store.EventObjects.Schema(), lost: "AU2", more: "EV6", object: "events of %[1]s %[2]s in commit %[3]s"},
		{Schema: store.Resends.Schema(), rule: "AU7", object: "resend %s"},
		{Schema: store.Programs.Schema(), rule: "AU7", object: "merchant %s, program %s"},
		{Schema: store.CompanyMerchants.Schema(), rule: "AU1", object: "link of company %s and merchant %s"},
		{Schema: store.Loans.Schema(), rule: "F34", lost: "AU7", more: "AU7", object: "loan %s"},
		{Schema: store.Installments.Schema(), rule: "F34", lost: "AU7", more: "AU7", object: "row %[2]s of loan %[1]s"},
		{Schema: store.Fees.Schema(), rule: "F34", lost: "AU7", more: "AU7", object: "fee %[2]s of loan %[1]s"},
		{Schema: store.Credits.Schema(), rule: "PA6", object: "credit %[2]s of company %[1]s"},
		{Schema: store.MoneyEvents.Schema(), rule: "AU7", object: "money event %s"},
		{Schema: store.MoneyTouches.Schema(), rule: "F34", object: "money event %[2]s in the history of %[1]s"},
		{Schema: store.Claims.Schema(), rule: "OR8", object: "%s %[3]q of %[2]q"},
	}
	for _, n := range store.Nouns {
		c := compared{Schema: n.Schema(), rule: "AU7", object: n.Name() + " %s", aside: n.Traits().Aside}
		c.mayLack = n == store.TokenNoun // ended ones are deleted
		out = append(out, c)
		if past := n.Traits().Past; past != nil {
			c := compared{Schema: *past, rule: "AU7", object: n.Name() + " %[2]s until commit %[1]s"}
			if n == store.OrderNoun {
				c.rule = "OR2"
			}
			out = append(out, c)
		}
	}
	return out
}

// otherForm reports whether an event's payload has a format that this program does not
// write.
func otherForm(r *run, stored []store.Value, column string) bool {
	return column == "payload" && !r.comparable(stored[0].Int)
}
