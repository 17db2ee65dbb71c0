package payments

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// paidTwice credits the merchant with what a debit collected for clawbacks that a payout
// netted while the debit was pending.
func paidTwice(d *credit.Draft, t *credit.Transfer, taken money.Amount) {
	if rest := t.Amount.Sub(taken); rest > 0 {
		d.Entry(credit.EntryClawbackDebited, t.ID, d.Env.Today(), MerchantLine(ledger.Cash, rest, t.Merchant), MerchantLine(ledger.MerchantPayable, -rest, t.Merchant))
		d.AddLine(credit.PayoutLine{Merchant: t.Merchant, Kind: credit.LineRepaid, Source: t.ID, Amount: rest, Due: d.Env.Today()})
	}
}

// owedTwice takes back from the merchant what paidTwice credited, because the debit came back.
func owedTwice(d *credit.Draft, t *credit.Transfer, back money.Amount) {
	if rest := t.Amount.Sub(back); rest > 0 {
		d.Entry(credit.EntryClawbackReturned, t.ID, d.Env.Today(), MerchantLine(ledger.ClawbackReceivable, rest, t.Merchant), MerchantLine(ledger.Cash, -rest, t.Merchant))
		d.AddLine(credit.PayoutLine{Merchant: t.Merchant, Kind: credit.LineClawback, Source: t.ID, Amount: rest, Due: d.Env.Today()})
	}
}
