package credit

import (
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// EntryClawbackRecovered is a clawback that was written off and is netted after all (F41.9).
const EntryClawbackRecovered = "CLAWBACK_RECOVERED"

// paidTwice owes the merchant what a debit has brought for clawbacks that a payout has netted
// while it was on its way.
func (d *Draft) paidTwice(t *Transfer, taken money.Amount) {
	if rest := t.Amount.Sub(taken); rest > 0 {
		d.Entry(entryClawbackDebited, t.ID, d.Env.Today(), MerchantLine(ledger.Cash, rest, t.Merchant), MerchantLine(ledger.MerchantPayable, -rest, t.Merchant))
		d.AddLine(PayoutLine{Merchant: t.Merchant, Kind: LineRepaid, Source: t.ID, Amount: rest, Due: d.Env.Today()})
	}
}

// owedTwice takes back from the merchant what paidTwice has owed it, for the debit has come
// back.
func (d *Draft) owedTwice(t *Transfer, back money.Amount) {
	if rest := t.Amount.Sub(back); rest > 0 {
		d.Entry(entryClawbackReturned, t.ID, d.Env.Today(), MerchantLine(ledger.ClawbackReceivable, rest, t.Merchant), MerchantLine(ledger.Cash, -rest, t.Merchant))
		d.AddLine(PayoutLine{Merchant: t.Merchant, Kind: LineClawback, Source: t.ID, Amount: rest, Due: d.Env.Today()})
	}
}
