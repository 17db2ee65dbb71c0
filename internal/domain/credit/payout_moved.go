package credit

import (
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// movedKeys asks for what the outcome of a merchant's transfer needs.
func movedKeys(t *Transfer) Keys {
	if t.Merchant == "" || t.Kind != TransferPayout && t.Kind != TransferClawback {
		return Keys{}
	}
	k := Keys{Merchants: []string{t.Merchant}}
	if t.Kind == TransferPayout {
		k.Payouts = []string{t.Payout}
	} else {
		k.Waiting = []string{t.Merchant}
		if t.Status == TransferSettled { // it may come back
			k.Ended = []string{t.ID}
		}
	}
	return k
}

// moved tells the owner of a merchant's transfer (a payout, a clawback that is
// debited) what its status has become, and posts it (F32). What movedKeys names must
// have been loaded; f says why it failed or came back.
func (d *Draft) moved(t *Transfer, f *Failure) {
	if t.Kind == TransferClawback {
		d.clawbackMoved(t)
		return
	}
	p := d.Payouts.Edit(t.Payout)
	post := func(event string, debit, credit ledger.Account) {
		d.Entry(event, p.ID, d.Env.Today(), MerchantLine(debit, p.Net, p.Merchant), MerchantLine(credit, -p.Net, p.Merchant))
	}
	switch t.Status {
	case TransferSent:
		p.Status, p.SentAt = PayoutSent, d.Env.Now
		post(entryPayoutInitiated, ledger.MerchantPayable, ledger.ACHCreditsInTransit)
	case TransferSettled:
		p.Status, p.SettledAt = PayoutSettled, d.Env.Now
		post(entryPayoutSettled, ledger.ACHCreditsInTransit, ledger.Cash)
		d.PayoutEvent(PayoutSettledEvent, p.ID)
	case TransferFailed:
		post(entryPayoutFailed, ledger.ACHCreditsInTransit, ledger.MerchantPayable)
		d.payoutFailed(p, f)
	case TransferReturned:
		post(entryPayoutFailed, ledger.Cash, ledger.MerchantPayable)
		d.payoutFailed(p, f)
	case TransferCanceled: // it was never sent: nothing is to be posted
		d.payoutFailed(p, f)
	}
}

// payoutFailed carries the whole net to the payouts to come, and holds these until
// the bank account is mended (PO4).
func (d *Draft) payoutFailed(p *Payout, f *Failure) {
	p.Status, p.Failure = PayoutFailed, f
	d.AddLine(PayoutLine{Merchant: p.Merchant, Kind: LineCarried, Source: p.ID, Amount: p.Net, Due: d.Env.Today()})
	m := d.Merchants.Edit(p.Merchant)
	if m.Account.Broken = true; m.Account.HeldReason == "" {
		m.Account.HeldReason = HeldPayoutFailed
	}
	d.PayoutEvent(PayoutFailedEvent, p.ID)
}

// clawbackMoved ends the clawbacks of a debit when it has settled, and lets them wait
// again when it has failed. A debit that does not hold is not tried again by itself:
// the merchant's debits are off until a person sets its account.
func (d *Draft) clawbackMoved(t *Transfer) {
	switch t.Status {
	case TransferSettled:
		taken := money.Amount(0)
		for _, l := range d.Debited(t.Merchant) {
			taken = taken.Add(l.Amount)
			d.Entry(entryClawbackDebited, t.ID, d.Env.Today(), OwnLine(ledger.Cash, l.Amount, l), OwnLine(ledger.ClawbackReceivable, -l.Amount, l))
			d.Lines.Edit(l.ID).Payout = t.ID
			d.Settled(t.Merchant, l.Amount)
		}
		d.paidTwice(t, taken)
		d.Merchants.Edit(t.Merchant).Debit = ""
	case TransferFailed, TransferCanceled:
		for _, l := range d.Debited(t.Merchant) {
			d.Lines.Edit(l.ID).Netted = 0
		}
		m := d.Merchants.Edit(t.Merchant)
		m.Account.Debits, m.Debit = false, ""
	case TransferReturned:
		d.clawbacksBack(t)
		d.Merchants.Edit(t.Merchant).Account.Debits = false
	}
}

// clawbacksBack lets the clawbacks of a debit that has come back wait again, each for
// itself: of the same refund and as old as it was, for the merchant has owed it ever
// since (F32): by its day it is netted, by its age debited or written off.
func (d *Draft) clawbacksBack(t *Transfer) {
	back := money.Amount(0)
	for _, id := range d.State.Ended[t.ID] {
		was := d.Lines.Peek(id)
		back = back.Add(was.Amount)
		d.Entry(entryClawbackReturned, t.ID, d.Env.Today(), OwnLine(ledger.ClawbackReceivable, was.Amount, was), OwnLine(ledger.Cash, -was.Amount, was))
		again := *was
		again.Netted, again.Payout = 0, ""
		d.AddLine(again).At = was.At
		d.Settled(t.Merchant, -was.Amount)
	}
	d.owedTwice(t, back)
}

// Debited lists the clawbacks of a merchant of which a debit is on its way.
func (d *Draft) Debited(merchant string) []*PayoutLine {
	var out []*PayoutLine
	for _, id := range d.State.Waiting[merchant] {
		if l := d.Lines.Peek(id); l.Kind == LineClawback && l.Netted != 0 && l.Waits() {
			out = append(out, l)
		}
	}
	return out
}
