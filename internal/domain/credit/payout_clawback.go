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
func (d *Draft) cancelClawback(merchant string) *undone {
	id := d.Merchants.Peek(merchant).Debit
	if id == "" || d.Transfers.Peek(id).Status != TransferQueued {
		return nil
	}
	u := &undone{debit: d.Transfers.Edit(id)}
	u.debit.Status, u.debit.NextAt = TransferCanceled, time.Time{}
	for _, l := range d.debited(merchant) {
		d.Lines.Edit(l.ID).Netted = 0
		u.lines = append(u.lines, l.ID)
	}
	d.Merchants.Edit(merchant).Debit = ""
	return u
}

// debitAgain debits what a payout has left of the clawbacks of a debit that it has canceled,
// on the same day: small captures must not keep it away for ever.
func (d *Draft) debitAgain(u *undone) {
	var rest []*PayoutLine
	for _, id := range u.lines {
		if l := d.Lines.Peek(id); l.waits() && l.Amount > 0 {
			rest = append(rest, l)
		}
	}
	d.debit(d.Merchants.Peek(u.debit.Merchant), rest)
	if id := d.Merchants.Peek(u.debit.Merchant).Debit; id != "" {
		t := d.Transfers.Edit(id)
		t.SendOn, t.SettlesOn, t.NextAt = u.debit.SendOn, u.debit.SettlesOn, d.Env.Zone.At(u.debit.SendOn, cutOffHour, 0)
	}
}

// recover nets what was written off of the merchant's clawbacks from the payout, as far as it
// goes, and returns how much that is.
func (d *Draft) recover(p *Payout) money.Amount {
	part := min(d.Merchants.Peek(p.Merchant).WrittenOff, p.Net)
	if part <= 0 {
		return 0
	}
	m := d.Merchants.Edit(p.Merchant)
	m.WrittenOff = m.WrittenOff.Sub(part)
	id := d.Entry(entryClawbackRecovered, p.ID, d.Env.Today(), merchantLine(ledger.MerchantPayable, part, p.Merchant), merchantLine(ledger.ProvisionAndLosses, -part, p.Merchant))
	l := d.addLine(PayoutLine{Merchant: p.Merchant, Kind: LineClawback, Source: id, Amount: part, Due: d.Env.Today()})
	l.Netted, l.Payout = part, p.ID
	return part
}

// paidTwice owes the merchant what a debit has brought for clawbacks that a payout has netted
// while it was on its way.
func (d *Draft) paidTwice(t *Transfer, taken money.Amount) {
	if rest := t.Amount.Sub(taken); rest > 0 {
		d.Entry(entryClawbackDebited, t.ID, d.Env.Today(), merchantLine(ledger.Cash, rest, t.Merchant), merchantLine(ledger.MerchantPayable, -rest, t.Merchant))
		d.addLine(PayoutLine{Merchant: t.Merchant, Kind: LineRepaid, Source: t.ID, Amount: rest, Due: d.Env.Today()})
	}
}

// owedTwice takes back from the merchant what paidTwice has owed it, for the debit has come
// back.
func (d *Draft) owedTwice(t *Transfer, back money.Amount) {
	if rest := t.Amount.Sub(back); rest > 0 {
		d.Entry(entryClawbackReturned, t.ID, d.Env.Today(), merchantLine(ledger.ClawbackReceivable, rest, t.Merchant), merchantLine(ledger.Cash, -rest, t.Merchant))
		d.addLine(PayoutLine{Merchant: t.Merchant, Kind: LineClawback, Source: t.ID, Amount: rest, Due: d.Env.Today()})
	}
}
