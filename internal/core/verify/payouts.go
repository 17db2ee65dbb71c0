package verify

import (
	"cmp"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// payoutFacts is the part of a payout that other rows are compared with.
type payoutFacts struct {
	merchant string
	eventSeq int64

	gross, discount, refunds, repaid, clawback, collected money.Amount // of its lines
	carried                                               money.Amount
}

// standing is an account of a merchant, for an order or for a company's payments.
type standing struct {
	account  ledger.Account
	merchant string
	order    string
	company  int64 // for payments without an order
}

// payouts compares each payout with its lines and its transfer, each line with its origin
// and with what ended it, and the merchants' accounts with the waiting lines (PO1 to PO4).
func payouts(r *run) error {
	w := paid{run: r, waiting: map[standing]money.Amount{}, captures: map[string]int{}, lists: map[string][]string{}}
	if err := store.EachOf(r.view, store.PayoutLineNoun, func(l *credit.PayoutLine) error {
		r.guard("PO2", "payout line "+l.ID, func() { w.line(l) })
		return r.each(0)
	}); err != nil {
		return err
	}
	if err := store.EachOf(r.view, store.PayoutNoun, func(p *credit.Payout) error {
		r.guard("PO2", "payout "+p.ID, func() { w.payout(p) })
		return r.each(0)
	}); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(r.orders)) {
		o := r.orders[key]
		if want := o.captured > 0 && !o.unfunded; want != (w.captures[key] == 1) {
			r.broken("PO3", "order "+key, "captured %s (funded: %t), but has %d payout lines for its capture", o.captured, !o.unfunded, w.captures[key])
		}
	}
	w.compare()
	if err := w.compareLists(); err != nil {
		return err
	}
	return cash(r)
}

type paid struct {
	*run
	waiting  map[standing]money.Amount
	captures map[string]int
	lists    map[string][]string // lines by the key under which they are loaded
}

func (w *paid) line(l *credit.PayoutLine) {
	object := "payout line " + l.ID
	w.lists[l.Of()] = append(w.lists[l.Of()], l.ID)
	o := w.orders[l.Order]
	if w.merchants[l.Merchant] == nil || l.Order != "" && (o == nil || o.company != l.Company || o.merchant != l.Merchant) ||
		l.Company != 0 && w.companies[l.Company] == nil {
		w.broken("AU1", object, "belongs to merchant %q, company %d and order %q, which do not match", l.Merchant, l.Company, l.Order)
		return
	}
	if l.Amount < 0 || l.Netted != 0 && (l.Netted != l.Amount || !l.Kind.Owes()) {
		w.broken("PO2", object, "of kind %s has %s of %s netted", l.Kind, l.Netted, l.Amount)
	}
	if l.Kind == credit.LineCapture {
		w.captures[l.Order]++
		if o == nil || l.Gross != o.captured || l.Discount < 0 || l.Discount > o.discount || l.Refunds < 0 ||
			l.Amount != l.Gross.Sub(l.Discount).Sub(l.Refunds) || l.Source != l.Order {
			w.broken("PO2", object, "is %s, but captured %s, discount %s and refunded %s do not add up to it", l.Amount, l.Gross, l.Discount, l.Refunds)
		}
	} else if l.Gross != 0 || l.Discount != 0 || l.Refunds != 0 {
		w.broken("PO2", object, "of kind %s has amounts of a capture", l.Kind)
	}
	if p := w.payouts[l.Source]; l.Kind == credit.LineCarried && p != nil {
		p.carried = p.carried.Add(l.Amount)
	}
	w.end(object, l)
}

// end checks what ended a line: a payout, a settled debit, an entry, or nothing was left of
// it. A waiting line is in its account's balance.
func (w *paid) end(object string, l *credit.PayoutLine) {
	if l.Payout == "" {
		w.wait(l)
		return
	}
	p, t := w.payouts[l.Payout], w.transfers[l.Payout]
	switch {
	case p != nil && p.merchant == l.Merchant && (!l.Kind.Owes() || l.Netted == l.Amount):
		p.include(l)
	case t != nil && t.kind == credit.TransferClawback && t.merchant == l.Merchant && l.Kind == credit.LineClawback &&
		l.Netted == l.Amount && (t.status == credit.TransferSettled || t.status == credit.TransferReturned):
	case l.Kind.Owes() && l.Netted == l.Amount && w.ending[l.Payout]:
	case l.Amount == 0 && l.Payout == l.Source:
	default:
		w.broken("PO2", object, "of kind %s and %s refers to %s, which did not end it", l.Kind, l.Amount, l.Payout)
	}
}

func (w *paid) wait(l *credit.PayoutLine) {
	at := standing{account: ledger.MerchantPayable, merchant: l.Merchant}
	if l.Kind.Owes() {
		if at.account = ledger.DueFromMerchant; l.Kind == credit.LineClawback {
			at.account = ledger.ClawbackReceivable
		}
		if at.order = l.Order; l.Order == "" {
			at.company = l.Company
		}
		w.waiting[at] = w.waiting[at].Add(l.Amount)
		return
	}
	w.waiting[at] = w.waiting[at].Sub(l.Amount)
}

// include adds a line to the figures of its payout.
func (p *payoutFacts) include(l *credit.PayoutLine) {
	switch l.Kind {
	case credit.LineCapture:
		p.gross, p.discount, p.refunds = p.gross.Add(l.Gross), p.discount.Add(l.Discount), p.refunds.Add(l.Refunds)
	case credit.LineClawback:
		p.clawback = p.clawback.Add(l.Amount)
	case credit.LineCollected:
		p.collected = p.collected.Add(l.Amount)
	default:
		p.repaid = p.repaid.Add(l.Amount)
	}
}

func (w *paid) payout(p *credit.Payout) {
	object, x := "payout "+p.ID, w.payouts[p.ID]
	if w.merchants[p.Merchant] == nil {
		w.broken("AU1", object, "belongs to merchant %q, which does not exist", p.Merchant)
	}
	for _, f := range []struct {
		what        string
		stored, sum money.Amount
	}{
		{"gross", p.Gross, x.gross}, {"discount", p.Discount, x.discount}, {"refunds", p.Refunds, x.refunds}, {"repaid", p.Repaid, x.repaid},
		{"clawback", p.Clawback, x.clawback}, {"collected", p.Collected, x.collected},
		{"net", p.Net, p.Gross.Sub(p.Discount).Sub(p.Refunds).Add(p.Repaid).Sub(p.Clawback).Sub(p.Collected)},
	} {
		w.equal("PO2", object, f.what, f.stored, f.sum)
	}
	if p.Net < 0 {
		w.broken("PO3", object, "has a negative net of %s", p.Net)
	}
	if p.Status == credit.PayoutPending {
		at := standing{account: ledger.MerchantPayable, merchant: p.Merchant}
		w.waiting[at] = w.waiting[at].Sub(p.Net)
	}
	w.moved(object, p, x.carried)
}

// moved compares a payout with its transfer, and checks what it put back (PO4).
func (w *paid) moved(object string, p *credit.Payout, carried money.Amount) {
	t := w.transfers[p.Transfer]
	if p.Net > 0 && (t == nil || t.kind != credit.TransferPayout || t.payout != p.ID || t.amount != p.Net || t.merchant != p.Merchant) || p.Net == 0 && p.Transfer != "" {
		w.broken("PO4", object, "of %s has the transfer %q, which is not its own", p.Net, p.Transfer)
		return
	}
	ok := p.Net == 0 && p.Status == credit.PayoutSettled
	switch {
	case t == nil:
	case p.Status == credit.PayoutPending:
		ok = t.status == credit.TransferQueued
	case p.Status == credit.PayoutSent:
		ok = t.status == credit.TransferSent
	case p.Status == credit.PayoutSettled:
		ok = t.status == credit.TransferSettled
	case p.Status == credit.PayoutFailed:
		ok = t.status == credit.TransferFailed || t.status == credit.TransferReturned || t.status == credit.TransferCanceled
	}
	failed := p.Status == credit.PayoutFailed
	if !ok || failed != (p.Failure != nil) && t != nil && t.status != credit.TransferCanceled {
		w.broken("PO4", object, "of %s is %s (failed: %t), which does not match its transfer", p.Net, p.Status, p.Failure != nil)
	}
	if back := money.Amount(0); failed {
		w.equal("PO4", object, "amount restored", carried, p.Net)
	} else {
		w.equal("PO4", object, "amount restored", carried, back)
	}
}

// compare compares the waiting lines with 2000, 1200 and 1210 (PO1).
func (w *paid) compare() {
	posted := map[standing]money.Amount{}
	for k, sum := range w.balances {
		at := standing{account: k.Account, merchant: k.Merchant}
		switch k.Account {
		case ledger.MerchantPayable:
		case ledger.ClawbackReceivable, ledger.DueFromMerchant:
			if at.order = k.Order; k.Order == "" {
				at.company = k.Company
			}
		default:
			continue
		}
		posted[at] = posted[at].Add(sum)
	}
	all := maps.Clone(w.waiting)
	maps.Copy(all, posted)
	for _, at := range slices.SortedFunc(maps.Keys(all), func(a, b standing) int {
		return cmp.Or(cmp.Compare(a.account, b.account), cmp.Compare(a.merchant, b.merchant), cmp.Compare(a.order, b.order), cmp.Compare(a.company, b.company))
	}) {
		if w.waiting[at] != posted[at] {
			w.broken("PO1", "merchant "+at.merchant, "open lines and payouts add up to %s on %d (order %q, company %d), its balance is %s",
				w.waiting[at], at.account, at.order, at.company, posted[at])
		}
	}
}

// keysAtOnce bounds how many lists of lines are loaded at once.
const keysAtOnce = 500

// compareLists checks that an order's list contains each of its lines: paid-out amounts are
// found through it (PO2).
func (w *paid) compareLists() error {
	for keys := range slices.Chunk(slices.Sorted(maps.Keys(w.lists)), keysAtOnce) {
		s := credit.NewState()
		if err := w.view.Load(s, credit.Keys{Lines: keys}); err != nil {
			return err
		}
		for _, key := range keys {
			found := slices.Sorted(slices.Values(s.OrderLines[key]))
			if !slices.Equal(found, slices.Sorted(slices.Values(w.lists[key]))) {
				w.broken("PO2", "order "+key, "lists %d payout lines, but has %d", len(found), len(w.lists[key]))
			}
		}
	}
	return nil
}
