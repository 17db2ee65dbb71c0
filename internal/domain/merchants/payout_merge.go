package merchants

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// mergeOwed puts what a merchant owes together if more of it waits than is seen and what
// is seen comes to less than the merchant would be paid: nothing is paid to a merchant
// that still owes (F32). It reports whether it has done so.
func mergeOwed(d *credit.Draft, merchant string, due []*credit.PayoutLine) bool {
	adds, owed := toBePaid(due), money.Amount(0)
	for _, side := range []struct {
		kind    credit.PayoutLineKind
		account ledger.Account
	}{{credit.LineClawback, ledger.ClawbackReceivable}, {credit.LineCollected, ledger.DueFromMerchant}} { // as they are netted
		lines := ofSide(due, side.kind)
		for _, l := range lines {
			owed = owed.Add(l.Left())
		}
		if adds > owed && len(lines) >= credit.MaxLines {
			return merge(d, merchant, side.kind, side.account, lines)
		}
	}
	return false
}

func ofSide(lines []*credit.PayoutLine, kind credit.PayoutLineKind) []*credit.PayoutLine {
	var out []*credit.PayoutLine
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
func merge(d *credit.Draft, merchant string, kind credit.PayoutLineKind, account ledger.Account, lines []*credit.PayoutLine) bool {
	var merged []*credit.PayoutLine
	var owners []credit.LineOwner
	posts, sums, total := map[credit.LineOwner][]ledger.Posting{}, map[credit.LineOwner]money.Amount{}, money.Amount(0)
	for _, l := range lines {
		if l.Left() > 0 {
			x := l.Owner()
			if posts[x] == nil {
				owners = append(owners, x)
			}
			posts[x] = append(posts[x], payments.OwnLine(account, -l.Amount, l))
			merged, sums[x], total = append(merged, l), sums[x].Add(l.Amount), total.Add(l.Amount)
		}
	}
	if len(merged) < 2 {
		return false
	}
	by := map[credit.LineOwner]string{} // an entry posts on one order
	for _, x := range owners {
		by[x] = d.Entry(credit.EntryOwedMerged, merchant, d.Env.Today(), append([]ledger.Posting{payments.MerchantLine(account, sums[x], merchant)}, posts[x]...)...)
	}
	at := merged[0].At
	for _, l := range merged {
		at = credit.Later(at, l.At)
		take(d, l, l.Amount, by[l.Owner()])
	}
	one := d.AddLine(credit.PayoutLine{Merchant: merchant, Kind: kind, Source: by[owners[0]], Amount: total, Due: merged[0].Due})
	one.At = at
	return true
}
