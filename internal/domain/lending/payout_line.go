package lending

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// captureLine is the line of an order's capture, nil for an order that the lender does not
// fund.
func captureLine(d *credit.Draft, o *credit.Order) *credit.PayoutLine {
	if all := d.LinesOf(credit.LineOwner{Of: o.Key, Merchant: o.Merchant}, credit.LineCapture); len(all) > 0 {
		return all[0]
	}
	return nil
}

// owe creates the line of a capture: the merchant is paid from the run of its day on (F32).
func owe(d *credit.Draft, o *credit.Order) {
	if o.Terms.Unfunded {
		return
	}
	delay := d.State.Merchants[o.Merchant].VersionOf(o.Program).Settings.PayoutDelayDays
	d.AddLine(credit.PayoutLine{
		Merchant: o.Merchant, Kind: credit.LineCapture, Company: o.Company, Order: o.Key, Source: o.Key, Gross: o.Captured, Discount: o.Discount,
		Amount: o.Captured.Sub(o.Discount), Due: o.CaptureDate.AddBankingDays(delay),
	})
}

// refundLine takes a refund off its capture's line while that line waits, and reports whether
// it came too late: then it is clawed back (F13.6).
func refundLine(d *credit.Draft, o *credit.Order, amount, discount money.Amount) (late bool) {
	l := captureLine(d, o)
	if l == nil || !l.Waits() {
		return l != nil
	}
	l = d.Lines.Edit(l.ID)
	l.Refunds, l.Discount = l.Refunds.Add(amount), l.Discount.Sub(discount)
	l.Amount = l.Gross.Sub(l.Discount).Sub(l.Refunds)
	return false
}

// dueFrom is what a merchant holds for us on an order, or of a company's payments: the waiting
// lines, and what this command has posted on 1210 so far (F33).
func dueFrom(d *credit.Draft, x credit.LineOwner) money.Amount {
	sum := d.Posted(x, ledger.DueFromMerchant)
	for _, l := range d.LinesOf(x, credit.LineCollected) {
		if was := d.State.Lines[l.ID]; was != nil && was.Waits() {
			sum = sum.Add(was.Amount)
		}
	}
	return sum
}

// FirstLines keeps the first credit.MaxLines waiting lines of each side, in order of (Due, ID): what
// adds to a payout, clawbacks, what the merchant has collected. However many wait on one side,
// the others are seen.
func FirstLines(lines []*credit.PayoutLine) []*credit.PayoutLine {
	count := map[credit.PayoutLineKind]int{}
	var out []*credit.PayoutLine
	for _, l := range lines {
		if count[l.Kind.Side()]++; count[l.Kind.Side()] <= credit.MaxLines {
			out = append(out, l)
		}
	}
	return out
}
