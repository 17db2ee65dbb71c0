package merchants

import (
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// undone is a debit that a payout has canceled, with the clawbacks it was for.
type undone struct {
	debit *credit.Transfer
	lines []string
}

// cancelClawback cancels the debit of a merchant's clawbacks if it has not been sent: they
// wait again, and a payout nets them (F41.9). It returns nil if there was none.
func cancelClawback(d *credit.Draft, merchant string) *undone {
	id := d.Merchants.Peek(merchant).Debit
	if id == "" || d.Transfers.Peek(id).Status != credit.TransferQueued {
		return nil
	}
	u := &undone{debit: d.Transfers.Edit(id)}
	u.debit.Status, u.debit.NextAt = credit.TransferCanceled, time.Time{}
	for _, l := range d.Debited(merchant) {
		d.Lines.Edit(l.ID).Netted = 0
		u.lines = append(u.lines, l.ID)
	}
	d.Merchants.Edit(merchant).Debit = ""
	return u
}

// debitAgain debits what a payout has left of a canceled debit's clawbacks, on the same day:
// small captures must not postpone it forever.
func debitAgain(d *credit.Draft, u *undone) {
	var rest []*credit.PayoutLine
	for _, id := range u.lines {
		if l := d.Lines.Peek(id); l.Waits() && l.Amount > 0 {
			rest = append(rest, l)
		}
	}
	debit(d, d.Merchants.Peek(u.debit.Merchant), rest)
	if id := d.Merchants.Peek(u.debit.Merchant).Debit; id != "" {
		t := d.Transfers.Edit(id)
		t.SendOn, t.SettlesOn, t.NextAt = u.debit.SendOn, u.debit.SettlesOn, d.Env.Zone.At(u.debit.SendOn, credit.CutOffHour, 0)
	}
}

// recover nets the merchant's written-off clawbacks from the payout, as far as it goes, and
// returns the amount.
func recover(d *credit.Draft, p *credit.Payout) money.Amount {
	part := min(d.Merchants.Peek(p.Merchant).WrittenOff, p.Net)
	if part <= 0 {
		return 0
	}
	m := d.Merchants.Edit(p.Merchant)
	m.WrittenOff = m.WrittenOff.Sub(part)
	id := d.Entry(credit.EntryClawbackRecovered, p.ID, d.Env.Today(), payments.MerchantLine(ledger.MerchantPayable, part, p.Merchant), payments.MerchantLine(ledger.ProvisionAndLosses, -part, p.Merchant))
	l := d.AddLine(credit.PayoutLine{Merchant: p.Merchant, Kind: credit.LineClawback, Source: id, Amount: part, Due: d.Env.Today()})
	l.Netted, l.Payout = part, p.ID
	return part
}
