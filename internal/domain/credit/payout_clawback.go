package credit

import (
	"time"

	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// entryClawbackRecovered is a clawback that was written off and is netted after all (F41.9).
const entryClawbackRecovered = "CLAWBACK_RECOVERED"

// undone is a debit that a payout has canceled, with the clawbacks that it was for.
type undone struct {
	debit *Transfer
	lines []string
}

// cancelClawback cancels the debit of a merchant's clawbacks if it has not been sent: they
// wait again, and a payout nets them (F41.9). It returns nil if there was none.
func (d *draft) cancelClawback(merchant string) *undone {
	id := d.merchants.peek(merchant).Debit
	if id == "" || d.transfers.peek(id).Status != TransferQueued {
		return nil
	}
	u := &undone{debit: d.transfers.edit(id)}
	u.debit.Status, u.debit.NextAt = TransferCanceled, time.Time{}
	for _, l := range d.debited(merchant) {
		d.lines.edit(l.ID).Netted = 0
		u.lines = append(u.lines, l.ID)
	}
	d.merchants.edit(merchant).Debit = ""
	return u
}

// debitAgain debits what a payout has left of the clawbacks of a debit that it has canceled,
// on the same day: small captures must not keep it away for ever.
func (d *draft) debitAgain(u *undone) {
	var rest []*PayoutLine
	for _, id := range u.lines {
		if l := d.lines.peek(id); l.waits() && l.Amount > 0 {
			rest = append(rest, l)
		}
	}
	d.debit(d.merchants.peek(u.debit.Merchant), rest)
	if id := d.merchants.peek(u.debit.Merchant).Debit; id != "" {
		t := d.transfers.edit(id)
		t.SendOn, t.SettlesOn, t.NextAt = u.debit.SendOn, u.debit.SettlesOn, d.e.Zone.At(u.debit.SendOn, cutOffHour, 0)
	}
}

// recover nets what was written off of the merchant's clawbacks from the payout, as far as it
// goes, and returns how much that is.
func (d *draft) recover(p *Payout) money.Amount {
	part := min(d.merchants.peek(p.Merchant).WrittenOff, p.Net)
	if part <= 0 {
		return 0
	}
	m := d.merchants.edit(p.Merchant)
	m.WrittenOff = m.WrittenOff.Sub(part)
	id := d.entry(entryClawbackRecovered, p.ID, d.e.Today(), merchantLine(ledger.MerchantPayable, part, p.Merchant), merchantLine(ledger.ProvisionAndLosses, -part, p.Merchant))
	l := d.addLine(PayoutLine{Merchant: p.Merchant, Kind: LineClawback, Source: id, Amount: part, Due: d.e.Today()})
	l.Netted, l.Payout = part, p.ID
	return part
}

// paidTwice owes the merchant what a debit has brought for clawbacks that a payout has netted
// while it was on its way.
func (d *draft) paidTwice(t *Transfer, taken money.Amount) {
	if rest := t.Amount.Sub(taken); rest > 0 {
		d.entry(entryClawbackDebited, t.ID, d.e.Today(), merchantLine(ledger.Cash, rest, t.Merchant), merchantLine(ledger.MerchantPayable, -rest, t.Merchant))
		d.addLine(PayoutLine{Merchant: t.Merchant, Kind: LineRepaid, Source: t.ID, Amount: rest, Due: d.e.Today()})
	}
}

// owedTwice takes back from the merchant what paidTwice has owed it, for the debit has come
// back.
func (d *draft) owedTwice(t *Transfer, back money.Amount) {
	if rest := t.Amount.Sub(back); rest > 0 {
		d.entry(entryClawbackReturned, t.ID, d.e.Today(), merchantLine(ledger.ClawbackReceivable, rest, t.Merchant), merchantLine(ledger.Cash, -rest, t.Merchant))
		d.addLine(PayoutLine{Merchant: t.Merchant, Kind: LineClawback, Source: t.ID, Amount: rest, Due: d.e.Today()})
	}
}
