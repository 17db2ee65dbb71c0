package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// entries walks the ledger twice: first to find which entries are reversed, then to check
// each one and to sum the postings.
func entries(r *run) error {
	reversed := map[string]*ledger.Entry{} // by id; filled as entries pass
	if err := store.EachEntry(r.view, func(e store.EntryRow) error {
		if e.Reverses != "" {
			if _, twice := reversed[e.Reverses]; twice {
				r.broken("LG4", "entry "+e.ID, "%s is reversed twice", e.Reverses)
			}
			reversed[e.Reverses] = nil
		}
		return r.ctx.Err()
	}); err != nil {
		return err
	}
	w := &booker{run: r, reversed: reversed, totals: map[money.Currency]map[bool]money.Amount{}}
	r.balances, r.parts = ledger.Balances{}, map[string]release{}
	r.position, r.days = map[string]credit.Position{}, map[store.DayTotalKey]store.DayTotalRow{}
	r.months, r.ending = map[calendar.Date]month{}, map[string]bool{}
	if err := store.EachEntry(r.view, w.entry); err != nil {
		return err
	}
	w.closeCommit()
	for _, c := range slices.Sorted(maps.Keys(w.totals)) {
		for memo, sum := range w.totals[c] {
			if sum != 0 {
				r.broken("LG2", "ledger", "all postings in %s add up to %s, not zero (memo: %t)", c, sum, memo)
			}
		}
	}
	return nil
}

// booker checks entries in commit order.
type booker struct {
	*run
	reversed map[string]*ledger.Entry
	totals   map[money.Currency]map[bool]money.Amount
	batch    int // of the last entry's commit
	q        int64
	released []release // in commit q
	captured []release
}

func (w *booker) entry(e store.EntryRow) error {
	object := "entry " + e.ID
	if err := e.Check(); err != nil {
		w.broken("LG1", object, "%v", err)
	}
	if e.ValueDate > e.BookDate {
		w.broken("LG7", object, "has the value date %s, after its book date %s", e.ValueDate, e.BookDate)
	}
	w.checkCommit(object, e)
	w.checkReversal(object, e)
	if w.totals[e.Currency] == nil {
		w.totals[e.Currency] = map[bool]money.Amount{}
	}
	for _, p := range e.Postings {
		w.totals[e.Currency][p.Account.Memo()] = w.totals[e.Currency][p.Account.Memo()].Add(p.Amount)
		w.checkPosting(object, e, p)
	}
	w.balances.Post(e.Entry, store.BalanceDimensions)
	store.DayTotalsOf(e.Entry, func(x store.DayTotalRow) { w.days[x.DayTotalKey] = x.Plus(w.days[x.DayTotalKey]) })
	for _, x := range credit.Moved(e.Entry) {
		w.position[x.Merchant] = x.Plus(w.position[x.Merchant])
	}
	w.checkPayable(object, e)
	w.noteParts(e)
	w.noteBooks(e)
	return w.each(e.Q)
}

// checkCommit compares the book date with the business date of the commit.
func (w *booker) checkCommit(object string, e store.EntryRow) {
	for w.batch < len(w.batches) && w.batches[w.batch].LastQ < e.Q {
		w.batch++
	}
	if w.batch == len(w.batches) || e.Q < w.batches[w.batch].FirstQ {
		w.broken("LG5", object, "refers to commit %d, which does not exist", e.Q)
		return
	}
	b := w.batches[w.batch]
	if e.BookDate != b.BusinessDate || !e.At.Equal(b.At) {
		w.broken("LG7", object, "was booked on %s at %s, its commit on %s at %s", e.BookDate, e.At, b.BusinessDate, b.At)
	}
}

func (w *booker) checkReversal(object string, e store.EntryRow) {
	if _, ok := w.reversed[e.ID]; ok {
		kept := e.Entry
		w.reversed[e.ID] = &kept
	}
	if e.Reverses == "" {
		return
	}
	old := w.reversed[e.Reverses]
	switch {
	case old == nil || e.Reverses == e.ID:
		w.broken("LG4", object, "reverses %s, which does not precede it", e.Reverses)
	case old.Reverses != "":
		w.broken("LG4", object, "reverses %s, which is itself a reversal", e.Reverses)
	default:
		if err := ledger.CheckReversals([]ledger.Entry{*old, e.Entry}); err != nil {
			w.broken("LG4", object, "%v", err)
		}
		w.reversed[e.Reverses] = nil // a second reversal has been reported
	}
}

// checkPosting checks that a line names things that exist and belong together: a line of an
// order has that order's company and merchant, so that no account has two spellings.
func (w *booker) checkPosting(object string, e store.EntryRow, p ledger.Posting) {
	key := ledger.BalanceKey{Account: p.Account, Dimensions: p.Dimensions, Currency: e.Currency}
	if again, err := ledger.ParseBalanceKey(key.String()); err != nil || again != key {
		w.broken("LG8", object, "account %s does not survive encoding", key)
	}
	if e.Currency != money.USD {
		w.broken("MN4", object, "has currency %s", e.Currency)
	}
	switch o := w.orders[p.Order]; {
	case p.Order != "" && o == nil:
		w.broken("AU1", object, "refers to order %s, which does not exist", p.Order)
	case p.Order != "" && (o.company != p.Company || o.merchant != p.Merchant):
		w.broken("LG8", object, "posts to order %s with the wrong company %d or merchant %q", p.Order, p.Company, p.Merchant)
	case p.Company != 0 && w.companies[p.Company] == nil:
		w.broken("AU1", object, "refers to company %d, which does not exist", p.Company)
	case p.Merchant != "" && w.merchants[p.Merchant] == nil:
		w.broken("AU1", object, "refers to merchant %q, which does not exist", p.Merchant)
	}
	if pay := w.paid[p.Payment]; p.Payment != "" && (pay == nil || pay.company != p.Company) {
		w.broken("AU1", object, "refers to payment %s, which does not belong to company %d", p.Payment, p.Company)
	}
}

// checkPayable checks that money a merchant pays back for us is booked as owed to it only
// beyond what it holds for us on the order: first 1210, then 2000 (F33, F35). Entries of a
// return combine several payments, and are skipped.
func (w *booker) checkPayable(object string, e store.EntryRow) {
	if e.Event != "PAYMENT_REFUNDED" || e.Reverses != "" {
		return
	}
	for _, p := range e.Postings {
		if p.Account != ledger.MerchantPayable || p.Order == "" || p.Amount >= 0 {
			continue
		}
		held := ledger.BalanceKey{Account: ledger.DueFromMerchant, Dimensions: store.BalanceDimensions(p), Currency: e.Currency}
		if sum := w.balances[held]; sum > 0 {
			w.broken("LG6", object, "owes the merchant %s on order %s, although the merchant still holds %s", -p.Amount, p.Order, sum)
		}
	}
}

// noteParts records what the capture of a part took from its parent: both are in one commit
// (OR10).
func (w *booker) noteParts(e store.EntryRow) {
	if e.Q != w.q {
		w.closeCommit()
		w.q = e.Q
	}
	for _, p := range e.Postings {
		switch {
		case p.Account == ledger.Reserved && p.Amount < 0:
			w.released = append(w.released, release{p.Order, -p.Amount})
		case e.Event == "ORDER_CAPTURED" && (p.Account == ledger.LoanPrincipal || p.Account == ledger.UnfundedExternal):
			w.captured = append(w.captured, release{p.Order, p.Amount})
		}
	}
}

func (w *booker) closeCommit() {
	for _, c := range w.captured {
		for _, x := range w.released {
			if x.order != c.order {
				w.parts[c.order] = x
			}
		}
	}
	w.released, w.captured = w.released[:0], w.captured[:0]
}

// balances compares every stored balance with the sum of its postings, and checks the sign
// of each: a sum alone can hide a negative account (LG3, LG6).
func balances(r *run) error {
	left := maps.Clone(r.balances)
	if err := store.EachBalance(r.view, func(k ledger.BalanceKey, amount int64) error {
		sum, ok := left[k]
		if !ok {
			r.broken("LG3", "balance "+k.String(), "has no postings")
		} else {
			r.equal("LG3", "balance "+k.String(), "balance", money.Amount(amount), sum)
		}
		delete(left, k)
		return r.each(0)
	}); err != nil {
		return err
	}
	for _, k := range sortedKeys(left) {
		r.broken("LG3", "balance "+k.String(), "is missing; its postings add up to %s", left[k])
	}
	r.byOrder = map[string]map[ledger.Account]money.Amount{}
	for k, sum := range r.balances {
		if k.Order == "" {
			continue
		}
		if r.byOrder[k.Order] == nil {
			r.byOrder[k.Order] = map[ledger.Account]money.Amount{}
		}
		r.byOrder[k.Order][k.Account] = r.byOrder[k.Order][k.Account].Add(sum)
	}
	checkSigns(r)
	return nil
}

// dayTotals compares the stored totals of days with the sums of their postings (LG3).
func dayTotals(r *run) error {
	left := maps.Clone(r.days)
	if err := store.Each(r.view, &store.DayTotals, func(x store.DayTotalRow) error {
		object := "total " + dayTotalName(x.DayTotalKey)
		sum, ok := left[x.DayTotalKey]
		if !ok {
			r.broken("LG3", object, "has no postings")
		} else if sum != x {
			r.broken("LG3", object, "is %s debit, %s credit of %d postings, which are %s, %s, %d", x.Debits, x.Credits, x.Postings, sum.Debits, sum.Credits, sum.Postings)
		}
		delete(left, x.DayTotalKey)
		return r.each(0)
	}); err != nil {
		return err
	}
	names := map[string]bool{}
	for k := range left {
		names[dayTotalName(k)] = true
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		r.broken("LG3", "total "+name, "is missing")
	}
	return nil
}

func dayTotalName(k store.DayTotalKey) string {
	return fmt.Sprintf("%s %d %s %s", k.Date, k.Account, k.Event, k.Currency)
}

func sortedKeys(b ledger.Balances) []ledger.BalanceKey {
	return slices.SortedFunc(maps.Keys(b), func(a, b ledger.BalanceKey) int { return cmp.Compare(a.String(), b.String()) })
}

// sign is the side that an account's balance must be on, for each owner.
type sign struct {
	account ledger.Account
	debit   bool
	of      func(ledger.BalanceKey) string
}

func ofOrder(k ledger.BalanceKey) string {
	if k.Order == "" {
		return ""
	}
	return "order " + k.Order
}

func ofCompany(k ledger.BalanceKey) string { return fmt.Sprint("company ", k.Company) }

func ofMerchant(k ledger.BalanceKey) string { return "merchant " + k.Merchant }

func ofAll(ledger.BalanceKey) string { return "ledger" }

// signs returns those of LG6.
func signs() []sign {
	return []sign{
		{ledger.LoanPrincipal, true, ofOrder}, {ledger.ChargeReceivable, true, ofOrder}, {ledger.FeesReceivable, true, ofOrder},
		{ledger.DueFromMerchant, true, ofOrder}, {ledger.Reserved, true, ofOrder}, {ledger.UnfundedExternal, true, ofOrder},
		{ledger.UnearnedCharge, false, ofOrder}, {ledger.ChargeIncome, false, ofOrder}, {ledger.MerchantDiscount, false, ofOrder},
		{ledger.LateFeeIncome, false, ofOrder}, {ledger.ReturnedFeeIncome, false, ofOrder},
		{ledger.ACHDebitsInTransit, true, ofAll}, {ledger.ClawbackReceivable, true, ofMerchant},
		{ledger.MerchantPayable, false, ofMerchant}, {ledger.BorrowerCredit, false, ofCompany},
		{ledger.ACHCreditsInTransit, false, ofAll}, {ledger.RefundsInTransit, false, ofAll}, {ledger.PaymentsPending, false, ofAll},
	}
}

func checkSigns(r *run) {
	for _, s := range signs() {
		sums := map[string]money.Amount{}
		for k, amount := range r.balances {
			if k.Account != s.account {
				continue
			}
			if of := s.of(k); of != "" {
				sums[of] = sums[of].Add(amount)
			}
		}
		for _, of := range slices.Sorted(maps.Keys(sums)) {
			if sum := sums[of]; s.debit && sum < 0 || !s.debit && sum > 0 {
				r.broken("LG6", of, "account %d has a balance of %s, on the wrong side", s.account, sum)
			}
		}
	}
}

// balance is the balance of an order's account.
func (r *run) balance(order string, a ledger.Account) money.Amount { return r.byOrder[order][a] }
