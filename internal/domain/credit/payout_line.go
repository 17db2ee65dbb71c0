package credit

import (
	"cmp"
	"slices"
	"strconv"

	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// CutOffHour is the hour of the business zone at which files are built (F22).
const CutOffHour = 16

// EntryClawbackRecovered nets a clawback that had been written off (F41.9).
const EntryClawbackRecovered = "CLAWBACK_RECOVERED"

// LineOwner is what payout lines belong to: an order, or for company-level payments the
// company with the merchant that reported them.
type LineOwner struct{ Of, Merchant string }

// Owner is what the line belongs to.
func (l *PayoutLine) Owner() LineOwner { return LineOwner{l.Of(), l.Merchant} }

// OwnerOf is the owner of a posting on a merchant account, false if the posting names neither
// an order nor a company.
func OwnerOf(p ledger.Posting) (LineOwner, bool) {
	switch {
	case p.Order != "":
		return LineOwner{p.Order, p.Merchant}, true
	case p.Company != 0:
		return LineOwner{AccountKey(p.Company), p.Merchant}, true
	}
	return LineOwner{}, false
}

// Waits reports whether the line is open: no payout, debit, remittance or write-off has ended
// it.
func (l *PayoutLine) Waits() bool { return l.Payout == "" }

// LinesOf lists an owner's lines of a kind in the draft: loaded ones in load order, then new
// ones in creation order.
func (d *Draft) LinesOf(x LineOwner, kind PayoutLineKind) []*PayoutLine {
	var out []*PayoutLine
	for _, id := range d.State.OrderLines[x.Of] {
		if l := d.Lines.Peek(id); l.Kind == kind && l.Merchant == x.Merchant {
			out = append(out, l)
		}
	}
	for _, l := range d.Changes.Lines {
		if d.State.Lines[l.ID] == nil && l.Kind == kind && l.Owner() == x {
			out = append(out, l)
		}
	}
	return out
}

// AddLine adds a waiting line.
func (d *Draft) AddLine(l PayoutLine) *PayoutLine {
	l.ID, l.At, l.Version = d.IDs.Next(prefixLine), d.Env.Now, 1
	return d.Lines.Add(l.ID, &l)
}

// ends reports whether an entry settles lines that its own command has written.
func ends(event string) bool {
	switch event {
	case EntryClawbackNetted, EntryCollectedNetted, EntryClawbackDebited, EntryClawbackReturned, EntryClawbackWrittenOff, EntryClawbackPaid, EntryClawbackRecovered, EntryCollectedRemitted, EntryOwedMerged,
		EntryPayoutInitiated, EntryPayoutSettled, EntryPayoutFailed:
		return true
	}
	return false
}

// The entries about merchants' money (F39).
const (
	EntryClawbackNetted     = "CLAWBACK_NETTED"
	EntryClawbackDebited    = "CLAWBACK_DEBITED"
	EntryClawbackReturned   = "CLAWBACK_DEBIT_RETURNED"
	EntryClawbackWrittenOff = "CLAWBACK_WRITTEN_OFF"
	EntryClawbackPaid       = "CLAWBACK_PAID"
	EntryCollectedNetted    = "COLLECTED_NETTED"
	EntryCollectedRemitted  = "COLLECTED_REMITTED"
	EntryOwedMerged         = "MERCHANT_DEBT_MERGED"
	EntryPayoutInitiated    = "MERCHANT_PAYOUT_INITIATED"
	EntryPayoutSettled      = "MERCHANT_PAYOUT_SETTLED"
	EntryPayoutFailed       = "MERCHANT_PAYOUT_FAILED"
	entryMerchantSettled    = "MERCHANT_ACCOUNTS_SETTLED" // moves what was already paid or netted to the account where it is owed now
)

// Posted sums an owner's postings by the command on a merchant account.
func (d *Draft) Posted(x LineOwner, a ledger.Account) money.Amount {
	sum := money.Amount(0)
	for _, e := range d.Changes.Entries {
		for _, p := range e.Postings {
			if o, ok := OwnerOf(p); ok && o == x && p.Account == a && !ends(e.Event) {
				sum = sum.Add(p.Amount)
			}
		}
	}
	return sum
}

// finishLines makes the payout lines match the command's postings on the merchant accounts:
// 1210 and 1200 are lines that reduce a payout, 2000 lines that add to one. Money given back
// that a payout has already netted is owed to the merchant; money already paid out and no
// longer owed is clawed back (F32, F33).
func (d *Draft) finishLines() {
	for _, x := range d.lineOwners() {
		due := d.Posted(x, ledger.DueFromMerchant)
		if short := d.move(x, LineCollected, due, ledger.DueFromMerchant); short != 0 {
			d.correct(x, ledger.DueFromMerchant, ledger.MerchantPayable, short)
		}
		payable := -d.Posted(x, ledger.MerchantPayable) - d.changed(x, LineCapture)
		if short := d.move(x, LineRepaid, payable, ledger.MerchantPayable); short != 0 {
			d.correct(x, ledger.ClawbackReceivable, ledger.MerchantPayable, short)
		}
		d.move(x, LineClawback, d.Posted(x, ledger.ClawbackReceivable), ledger.ClawbackReceivable)
	}
}

// lineOwners lists the owners on whose merchant accounts the command has posted, sorted
// because line ids must not depend on map order.
func (d *Draft) lineOwners() []LineOwner {
	var out []LineOwner
	for _, e := range d.Changes.Entries {
		for _, p := range e.Postings {
			merchants := p.Account == ledger.DueFromMerchant || p.Account == ledger.MerchantPayable || p.Account == ledger.ClawbackReceivable
			if x, ok := OwnerOf(p); ok && merchants && !ends(e.Event) {
				out = append(out, x)
			}
		}
	}
	slices.SortFunc(out, func(a, b LineOwner) int { return cmp.Or(cmp.Compare(a.Of, b.Of), cmp.Compare(a.Merchant, b.Merchant)) })
	return slices.Compact(out)
}

// changed is the command's net change of an owner's lines of a kind.
func (d *Draft) changed(x LineOwner, kind PayoutLineKind) money.Amount {
	sum := money.Amount(0)
	for _, l := range d.LinesOf(x, kind) {
		sum = sum.Add(l.Amount)
		if was := d.State.Lines[l.ID]; was != nil {
			sum = sum.Sub(was.Amount)
		}
	}
	return sum
}

// move adds an amount to an owner's lines of a kind as a new line, or deducts it from waiting
// lines, latest first. It returns what could not be deducted.
func (d *Draft) move(x LineOwner, kind PayoutLineKind, amount money.Amount, a ledger.Account) money.Amount {
	if amount > 0 {
		at := d.dims(x)
		d.AddLine(PayoutLine{
			Merchant: x.Merchant, Kind: kind, Company: at.Company, Order: at.Order, Source: d.causeOn(x, a), Amount: amount, Due: d.Env.Today(),
		})
		return 0
	}
	for _, l := range slices.Backward(d.LinesOf(x, kind)) {
		if amount == 0 {
			break
		}
		if part := min(-amount, l.Left()); l.Waits() && part > 0 {
			l = d.Lines.Edit(l.ID)
			l.Amount = l.Amount.Sub(part)
			amount = amount.Add(part)
			if l.Amount == 0 {
				l.Payout = l.Source // nothing is left to pay or net
			}
		}
	}
	return -amount
}

// causeOn is the cause of an owner's last posting on an account.
func (d *Draft) causeOn(x LineOwner, a ledger.Account) string {
	for _, e := range slices.Backward(d.Changes.Entries) {
		for _, p := range e.Postings {
			if o, ok := OwnerOf(p); ok && o == x && p.Account == a && !ends(e.Event) {
				return e.Cause
			}
		}
	}
	return x.Of
}

// dims are the dimensions of an owner's postings on the merchant accounts.
func (d *Draft) dims(x LineOwner) ledger.Dimensions {
	if o := d.Orders.Peek(x.Of); o != nil {
		return ledger.Dimensions{Company: o.Company, Merchant: x.Merchant, Order: x.Of}
	}
	company, _ := strconv.ParseInt(x.Of, 10, 64)
	return ledger.Dimensions{Company: company, Merchant: x.Merchant}
}

// correct moves what a payout already settled from the account it was on to the account where
// it is owed now.
func (d *Draft) correct(x LineOwner, debit, credit ledger.Account, amount money.Amount) {
	d.Entry(entryMerchantSettled, d.causeOn(x, credit), d.Env.Today(),
		ledger.Posting{Account: debit, Amount: amount, Dimensions: d.dims(x)}, ledger.Posting{Account: credit, Amount: -amount, Dimensions: d.dims(x)})
}

// Debited lists a merchant's clawbacks with a debit in progress.
func (d *Draft) Debited(merchant string) []*PayoutLine {
	var out []*PayoutLine
	for _, id := range d.State.Waiting[merchant] {
		if l := d.Lines.Peek(id); l.Kind == LineClawback && l.Netted != 0 && l.Waits() {
			out = append(out, l)
		}
	}
	return out
}
