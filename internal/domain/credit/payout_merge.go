package credit

import (
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// mergeOwed puts what a merchant owes together if more of it waits than is seen and what
// is seen comes to less than the merchant would be paid: nothing is paid to a merchant
// that still owes (F32). It reports whether it has done so.
func (d *Draft) mergeOwed(merchant string, due []*PayoutLine) bool {
	adds, owed := toBePaid(due), money.Amount(0)
	for _, side := range []struct {
		kind    PayoutLineKind
		account ledger.Account
	}{{LineClawback, ledger.ClawbackReceivable}, {LineCollected, ledger.DueFromMerchant}} { // as they are netted
		lines := ofSide(due, side.kind)
		for _, l := range lines {
			owed = owed.Add(l.Left())
		}
		if adds > owed && len(lines) >= MaxLines {
			return d.merge(merchant, side.kind, side.account, lines)
		}
	}
	return false
}

func ofSide(lines []*PayoutLine, kind PayoutLineKind) []*PayoutLine {
	var out []*PayoutLine
	for _, l := range lines {
		if l.Kind == kind {
			out = append(out, l)
		}
	}
	return out
}

// merge makes one line of many: it is the merchant's own and names no order. It is netted
// where the first of them stood, and as old as the youngest, so that nothing is debited or
// written off too early. Lines of which a debit is on its way stay; it reports false if
// there are not two others.
func (d *Draft) merge(merchant string, kind PayoutLineKind, account ledger.Account, lines []*PayoutLine) bool {
	var merged []*PayoutLine
	var owners []lineOwner
	posts, sums, total := map[lineOwner][]ledger.Posting{}, map[lineOwner]money.Amount{}, money.Amount(0)
	for _, l := range lines {
		if l.Left() > 0 {
			x := l.owner()
			if posts[x] == nil {
				owners = append(owners, x)
			}
			posts[x] = append(posts[x], ownLine(account, -l.Amount, l))
			merged, sums[x], total = append(merged, l), sums[x].Add(l.Amount), total.Add(l.Amount)
		}
	}
	if len(merged) < 2 {
		return false
	}
	by := map[lineOwner]string{} // an entry posts on one order
	for _, x := range owners {
		by[x] = d.Entry(entryOwedMerged, merchant, d.Env.Today(), append([]ledger.Posting{merchantLine(account, sums[x], merchant)}, posts[x]...)...)
	}
	at := merged[0].At
	for _, l := range merged {
		at = later(at, l.At)
		d.take(l, l.Amount, by[l.owner()])
	}
	one := d.addLine(PayoutLine{Merchant: merchant, Kind: kind, Source: by[owners[0]], Amount: total, Due: merged[0].Due})
	one.At = at
	return true
}
