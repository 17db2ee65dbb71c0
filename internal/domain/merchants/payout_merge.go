package merchants

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// mergeOwed merges what a merchant owes if more of it waits than is loaded and the loaded part
// is less than the merchant would be paid: a merchant that still owes is paid nothing (F32).
// It reports whether it merged anything.
func mergeOwed(d *credit.Draft, merchant string, due []*credit.PayoutLine) bool {
	adds, owed := toBePaid(due), money.Amount(0)
	for _, side := range []struct {
		kind    credit.PayoutLineKind
		account ledger.Account
	}{{credit.LineClawback, ledger.ClawbackReceivable}, {credit.LineCollected, ledger.DueFromMerchant}} { // in netting order
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

// merge merges many lines into one, which is the merchant's own and names no order. It takes
// the first line's place in netting and the youngest line's age, so that nothing is debited or
// written off too early. Lines with a debit in progress stay; it returns false if fewer than
// two others remain.
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
	by := map[credit.LineOwner]string{} // an entry covers a single order
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
