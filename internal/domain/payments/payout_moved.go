package payments

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// movedKeys requests what the outcome of a merchant's transfer needs.
func movedKeys(t *credit.Transfer) credit.Keys {
	if t.Merchant == "" || t.Kind != credit.TransferPayout && t.Kind != credit.TransferClawback {
		return credit.Keys{}
	}
	k := credit.Keys{Merchants: []string{t.Merchant}}
	if t.Kind == credit.TransferPayout {
		k.Payouts = []string{t.Payout}
	} else {
		k.Waiting = []string{t.Merchant}
		if t.Status == credit.TransferSettled { // it may come back
			k.Ended = []string{t.ID}
		}
	}
	return k
}

// moveLine updates the owner of a merchant's transfer (a payout, or a clawback debit) to its
// new status, and posts it (F32). The keys of movedKeys must be loaded; f is why it failed or
// came back.
func moveLine(d *credit.Draft, t *credit.Transfer, f *credit.Failure) {
	if t.Kind == credit.TransferClawback {
		clawbackMoved(d, t)
		return
	}
	p := d.Payouts.Edit(t.Payout)
	post := func(event string, debit, credit ledger.Account) {
		d.Entry(event, p.ID, d.Env.Today(), MerchantLine(debit, p.Net, p.Merchant), MerchantLine(credit, -p.Net, p.Merchant))
	}
	switch t.Status {
	case credit.TransferSent:
		p.Status, p.SentAt = credit.PayoutSent, d.Env.Now
		post(credit.EntryPayoutInitiated, ledger.MerchantPayable, ledger.ACHCreditsInTransit)
	case credit.TransferSettled:
		p.Status, p.SettledAt = credit.PayoutSettled, d.Env.Now
		post(credit.EntryPayoutSettled, ledger.ACHCreditsInTransit, ledger.Cash)
		d.PayoutEvent(credit.PayoutSettledEvent, p.ID)
	case credit.TransferFailed:
		post(credit.EntryPayoutFailed, ledger.ACHCreditsInTransit, ledger.MerchantPayable)
		payoutFailed(d, p, f)
	case credit.TransferReturned:
		post(credit.EntryPayoutFailed, ledger.Cash, ledger.MerchantPayable)
		payoutFailed(d, p, f)
	case credit.TransferCanceled: // it was never sent: nothing to post
		payoutFailed(d, p, f)
	}
}

// payoutFailed carries the whole net over to later payouts, and holds these until the bank
// account is corrected (PO4).
func payoutFailed(d *credit.Draft, p *credit.Payout, f *credit.Failure) {
	p.Status, p.Failure = credit.PayoutFailed, f
	d.AddLine(credit.PayoutLine{Merchant: p.Merchant, Kind: credit.LineCarried, Source: p.ID, Amount: p.Net, Due: d.Env.Today()})
	m := d.Merchants.Edit(p.Merchant)
	if m.Account.Broken = true; m.Account.HeldReason == "" {
		m.Account.HeldReason = HeldPayoutFailed
	}
	d.PayoutEvent(credit.PayoutFailedEvent, p.ID)
}

// clawbackMoved ends the clawbacks of a settled debit, and lets those of a failed one wait
// again. A failed debit is not retried automatically: the merchant's debits are off until a
// person sets its account.
func clawbackMoved(d *credit.Draft, t *credit.Transfer) {
	switch t.Status {
	case credit.TransferSettled:
		taken := money.Amount(0)
		for _, l := range d.Debited(t.Merchant) {
			taken = taken.Add(l.Amount)
			d.Entry(credit.EntryClawbackDebited, t.ID, d.Env.Today(), OwnLine(ledger.Cash, l.Amount, l), OwnLine(ledger.ClawbackReceivable, -l.Amount, l))
			d.Lines.Edit(l.ID).Payout = t.ID
			d.Settled(t.Merchant, l.Amount)
		}
		paidTwice(d, t, taken)
		d.Merchants.Edit(t.Merchant).Debit = ""
	case credit.TransferFailed, credit.TransferCanceled:
		for _, l := range d.Debited(t.Merchant) {
			d.Lines.Edit(l.ID).Netted = 0
		}
		m := d.Merchants.Edit(t.Merchant)
		m.Account.Debits, m.Debit = false, ""
	case credit.TransferReturned:
		clawbacksBack(d, t)
		d.Merchants.Edit(t.Merchant).Account.Debits = false
	}
}

// clawbacksBack lets the clawbacks of a debit that came back wait again, each on its own, for
// the same refund and with its original age, because the merchant has owed it ever since
// (F32): its day decides when it is netted, its age when it is debited or written off.
func clawbacksBack(d *credit.Draft, t *credit.Transfer) {
	back := money.Amount(0)
	for _, id := range d.State.Ended[t.ID] {
		was := d.Lines.Peek(id)
		back = back.Add(was.Amount)
		d.Entry(credit.EntryClawbackReturned, t.ID, d.Env.Today(), OwnLine(ledger.ClawbackReceivable, was.Amount, was), OwnLine(ledger.Cash, -was.Amount, was))
		again := *was
		again.Netted, again.Payout = 0, ""
		d.AddLine(again).At = was.At
		d.Settled(t.Merchant, -was.Amount)
	}
	owedTwice(d, t, back)
}
