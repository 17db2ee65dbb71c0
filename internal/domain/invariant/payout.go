package invariant

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// lines checks that each payout line fits its kind, keeps its owner, and is taken once.
func (k *checker) lines() error {
	for _, l := range k.c.Lines {
		old := k.s.Lines[l.ID]
		switch {
		case l.Amount < 0 || l.Netted != 0 && l.Netted != l.Amount || l.Netted != 0 && !l.Kind.Owes():
			return violated("PO2", "line %s of %s has %s netted", l.ID, l.Amount, l.Netted)
		case l.Kind == credit.LineCapture && l.Amount != l.Gross.Sub(l.Discount).Sub(l.Refunds):
			return violated("PO2", "line %s is %s, but captured %s, discount %s and refunded %s do not add up to it", l.ID, l.Amount, l.Gross, l.Discount, l.Refunds)
		case l.Kind != credit.LineCapture && (l.Gross != 0 || l.Discount != 0 || l.Refunds != 0):
			return violated("PO2", "line %s of kind %s has amounts of a capture", l.ID, l.Kind)
		case old != nil && (old.Owner() != l.Owner() || old.Kind != l.Kind || old.Source != l.Source || old.Gross != l.Gross):
			return violated("AU1", "line %s has changed its owner, kind, source or gross amount", l.ID)
		case old != nil && old.Payout != "" && !freedOnly(old, l):
			return violated("PO2", "line %s belongs to payout %s and has changed", l.ID, old.Payout)
		case old == nil && l.Kind == credit.LineCapture && !k.capturedNow(l):
			return violated("PO3", "line %s belongs to order %s, which was not captured for %s", l.ID, l.Order, l.Gross)
		}
	}
	return k.linesPosted()
}

// freedOnly reports whether the only change of an ended line is that its money is freed
// (F41.4).
func freedOnly(old, l *credit.PayoutLine) bool {
	was := *old
	was.NextAt, was.Version = l.NextAt, l.Version
	return was == *l && l.NextAt.IsZero()
}

// capturedNow reports whether a line is of a capture of this command.
func (k *checker) capturedNow(l *credit.PayoutLine) bool {
	o, was := k.order(l.Order), k.s.Orders[l.Order]
	return o != nil && o.Captured == l.Gross && o.Discount == l.Discount && (was == nil || was.Captured == 0)
}

// standing sums waiting lines by merchant account: what is owed to a merchant on 2000, and by
// an owner's lines on 1200 and 1210.
type standing struct {
	payable map[string]money.Amount
	owed    map[owedBy]money.Amount
}

type owedBy struct {
	account ledger.Account
	owner   credit.LineOwner
}

func (t *standing) add(l *credit.PayoutLine, sign money.Amount) {
	switch {
	case l == nil || !l.Waits():
	case l.Kind == credit.LineClawback:
		t.owed[owedBy{ledger.ClawbackReceivable, l.Owner()}] += sign * l.Amount
	case l.Kind == credit.LineCollected:
		t.owed[owedBy{ledger.DueFromMerchant, l.Owner()}] += sign * l.Amount
	default:
		t.payable[l.Merchant] -= sign * l.Amount
	}
}

// linesPosted compares the command's changes of lines and payouts with its postings on the
// merchant accounts (PO1): an unsent payout is still owed.
func (k *checker) linesPosted() error {
	t := standing{map[string]money.Amount{}, map[owedBy]money.Amount{}}
	for _, l := range k.c.Lines {
		t.add(l, +1)
		t.add(k.s.Lines[l.ID], -1)
	}
	for _, p := range k.c.Payouts {
		if p.Status == credit.PayoutPending {
			t.payable[p.Merchant] -= p.Net
		}
		if old := k.s.Payouts[p.ID]; old != nil && old.Status == credit.PayoutPending {
			t.payable[p.Merchant] += old.Net
		}
	}
	for _, e := range k.c.Entries {
		for _, p := range e.Postings {
			switch p.Account {
			case ledger.MerchantPayable:
				t.payable[p.Merchant] -= p.Amount
			case ledger.ClawbackReceivable, ledger.DueFromMerchant:
				owner, _ := credit.OwnerOf(p)
				if owner.Of == "" {
					owner = credit.LineOwner{Of: credit.AccountKey(0), Merchant: p.Merchant}
				}
				t.owed[owedBy{p.Account, owner}] -= p.Amount
			}
		}
	}
	for m, x := range t.payable { // unordered: any one that is off is a violation
		if x != 0 {
			return violated("PO1", "merchant %s: lines and payouts differ by %s from the postings on 2000", m, x)
		}
	}
	for of, x := range t.owed { // unordered: any one that is off is a violation
		if x != 0 {
			return violated("PO1", "lines of %v differ by %s from the postings on %d", of.owner, x, of.account)
		}
	}
	return nil
}

// payouts requires that a payout is the sum of its lines, never negative, made for a merchant
// that may be paid, and follows its transitions (PO2, PO3, PO4).
func (k *checker) payouts() error {
	for _, p := range k.c.Payouts {
		old := k.s.Payouts[p.ID]
		switch {
		case p.Net != p.Gross.Sub(p.Discount).Sub(p.Refunds).Add(p.Repaid).Sub(p.Clawback).Sub(p.Collected):
			return violated("PO2", "payout %s: net %s is not the sum of its amounts", p.ID, p.Net)
		case p.Net < 0 || p.Clawback < 0 || p.Collected < 0:
			return violated("PO3", "payout %s with net %s has a negative amount", p.ID, p.Net)
		case old == nil:
			if err := k.freshPayout(p); err != nil {
				return err
			}
		case old.Merchant != p.Merchant || old.Net != p.Net || old.Gross != p.Gross || old.Clawback != p.Clawback || old.Collected != p.Collected:
			return violated("PO2", "payout %s has changed its merchant or amounts", p.ID)
		case old.Status != p.Status:
			if err := k.movedPayout(old, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func (k *checker) freshPayout(p *credit.Payout) error {
	m := k.s.Merchants[p.Merchant]
	if m == nil || m.Account.Bank == nil || m.Account.HeldReason != "" {
		return violated("PO3", "payout %s was created for a merchant that is on hold or has no bank account", p.ID)
	}
	var adds, clawback, collected money.Amount
	for _, l := range k.c.Lines {
		if l.Payout != p.ID {
			continue
		}
		switch l.Kind {
		case credit.LineClawback:
			clawback = clawback.Add(l.Amount)
		case credit.LineCollected:
			collected = collected.Add(l.Amount)
		default:
			adds = adds.Add(l.Amount)
		}
	}
	if adds.Sub(clawback).Sub(collected) != p.Net || clawback != p.Clawback || collected != p.Collected {
		return violated("PO2", "payout %s of %s does not match its lines: %s payable, %s clawed back, %s collected", p.ID, p.Net, adds, clawback, collected)
	}
	if want := credit.PayoutPending; p.Net > 0 && p.Status != want || p.Net == 0 && p.Status != credit.PayoutSettled {
		return violated("PO4", "payout %s of %s was created as %s", p.ID, p.Net, p.Status)
	}
	return nil
}

// movedPayout checks PO4's transitions; a failed payout restores its net once. A settled one
// may still come back (F32).
func (k *checker) movedPayout(old, p *credit.Payout) error {
	ok := old.Status == credit.PayoutPending || // one command may send and settle it
		old.Status == credit.PayoutSent && (p.Status == credit.PayoutSettled || p.Status == credit.PayoutFailed) ||
		old.Status == credit.PayoutSettled && p.Status == credit.PayoutFailed
	if !ok {
		return violated("PO4", "payout %s goes from %s to %s", p.ID, old.Status, p.Status)
	}
	back := money.Amount(0)
	for _, l := range k.c.Lines {
		if l.Kind == credit.LineCarried && l.Source == p.ID && k.s.Lines[l.ID] == nil {
			back = back.Add(l.Amount)
		}
	}
	if want := p.Net; p.Status == credit.PayoutFailed && back != want || p.Status != credit.PayoutFailed && back != 0 {
		return violated("PO4", "payout %s is %s and restores %s", p.ID, p.Status, back)
	}
	return nil
}
