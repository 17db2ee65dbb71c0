package credit

import (
	"cmp"
	"fmt"

	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// AgeClawbacks debits clawbacks that have not been netted in time from the merchant's
// account if the agreement allows, and writes off those that are too old (F32). What will
// be netted from money that waits for the merchant already is left, also while payouts are
// held. An account that has not taken a payout is not debited either. One debit of a
// merchant is on its way at a time. It sees the MaxLines oldest clawbacks; it is to be
// submitted again until it changes nothing. Result is the *Merchant.
type AgeClawbacks struct {
	Merchant string `json:"merchant"`
}

func (AgeClawbacks) Name() string { return "payout.age" }

// Keys asks for the merchant with what waits for it, then for the orders of the
// clawbacks, whose programs say when.
func (c AgeClawbacks) Keys(s *State, e Env) Keys {
	k := merchantKeys(c.Merchant)
	for _, id := range s.Waiting[c.Merchant] {
		if l := s.Lines[id]; l.Kind == LineClawback && l.Order != "" && l.Due < e.Today() {
			k.Orders = append(k.Orders, l.Order)
		}
	}
	return k
}

func (c AgeClawbacks) Admit(s *State, _ Env) *Rejection { return admitMerchant(s, c.Merchant) }

func (c AgeClawbacks) Decide(s *State, e Env) (Changes, *Rejection) {
	m := s.Merchants[c.Merchant]
	d := NewDraft(s, e)
	var late []*PayoutLine
	moving, due := false, d.due(m.ID)
	covered := toBePaid(due)
	for _, l := range due {
		settings := d.settingsOf(m, l)
		age := e.Zone.Date(l.At).DaysUntil(e.Today())
		switch {
		case l.Kind != LineClawback:
		case l.Netted != 0:
			moving = true
		case covered > 0:
			covered = covered.Sub(l.Amount)
		case settings != nil && age >= settings.ClawbackWriteOff:
			d.writeOff(l)
		case settings != nil && age >= settings.ClawbackDebitDays:
			late = append(late, l)
		}
	}
	if !moving && len(late) > 0 && m.Account.Debits && m.Account.Bank != nil && !m.Account.Broken {
		d.debit(m, late)
	}
	d.noteOwed(m.ID)
	if len(d.Changes.Lines)+len(d.Changes.Merchants) == 0 {
		return Changes{Result: m}, nil
	}
	return d.Done(d.Merchants.Peek(m.ID), false), nil
}

// toBePaid sums the lines that add to a payout.
func toBePaid(due []*PayoutLine) money.Amount {
	sum := money.Amount(0)
	for _, l := range due {
		if !l.Kind.Owes() {
			sum = sum.Add(l.Amount)
		}
	}
	return sum
}

// settingsOf are the settings that a line of a merchant goes by: those of its order,
// else those in force.
func (d *Draft) settingsOf(m *Merchant, l *PayoutLine) *Settings {
	p := m.InForce(d.Env.Today())
	if o := d.State.Orders[l.Order]; o != nil {
		p = m.VersionOf(o.Program)
	}
	if p == nil {
		return nil
	}
	return &p.Settings
}

// writeOff ends a clawback that nobody will pay.
func (d *Draft) writeOff(l *PayoutLine) {
	cost := ownLine(ledger.ProvisionAndLosses, l.Amount, l)
	id := d.Entry(entryClawbackWrittenOff, l.Source, d.Env.Today(), cost, ownLine(ledger.ClawbackReceivable, -l.Amount, l))
	d.take(l, l.Amount, id)
	m := d.Merchants.Edit(l.Merchant)
	m.WrittenOff = m.WrittenOff.Add(l.Amount)
}

// debit takes clawbacks from the merchant's account in one transfer, as many as it can
// carry. Until that has settled the lines wait, and no payout nets them.
func (d *Draft) debit(m *Merchant, late []*PayoutLine) {
	sum := money.Amount(0)
	for _, l := range late {
		if sum.Add(l.Amount) > MaxTransfer {
			continue
		}
		l = d.Lines.Edit(l.ID)
		l.Netted = l.Amount
		sum = sum.Add(l.Amount)
	}
	if sum != 0 {
		d.Merchants.Edit(m.ID).Debit = d.instruct(&Transfer{Kind: TransferClawback, Merchant: m.ID, Amount: sum, Entry: "CLAWBACK"})
	}
}

// RemitCollected records money that a merchant has sent for what it had collected
// (F33), oldest first. If more waits than is seen, the merchant may send more than that
// comes to: the rest is owed to it, and the next payout nets it with what was not seen.
// Result is the *Merchant.
type RemitCollected struct {
	Merchant  string       `json:"merchant"`
	Amount    money.Amount `json:"amount"`
	Reference string       `json:"reference"`
}

func (RemitCollected) Name() string { return "payout.remit" }

// Keys asks for the merchant and what waits for it.
func (c RemitCollected) Keys(*State, Env) Keys { return merchantKeys(c.Merchant) }

func (c RemitCollected) Admit(s *State, _ Env) *Rejection { return admitMerchant(s, c.Merchant) }

func (c RemitCollected) Decide(s *State, e Env) (Changes, *Rejection) {
	d := NewDraft(s, e)
	var lines []*PayoutLine
	owed := money.Amount(0)
	for _, l := range d.due(c.Merchant) {
		if l.Kind == LineCollected {
			lines = append(lines, l)
			owed = owed.Add(l.Left())
		}
	}
	if c.Amount <= 0 || c.Amount > owed && len(lines) < MaxLines {
		return Changes{}, ValidationFailed.With(fmt.Sprintf("The merchant owes %s of what it has collected.", owed), map[string]any{"owed": owed})
	}
	cause := cmp.Or(c.Reference, c.Merchant) // the merchant's own reference, if it gave one
	if left := d.paidIn(lines, c.Amount, entryCollectedRemitted, cause, ledger.DueFromMerchant); left > 0 {
		id := d.Entry(entryCollectedRemitted, cause, e.Today(), merchantLine(ledger.Cash, left, c.Merchant), merchantLine(ledger.MerchantPayable, -left, c.Merchant))
		d.addLine(PayoutLine{Merchant: c.Merchant, Kind: LineRepaid, Source: id, Amount: left, Due: e.Today()})
	}
	d.noteOwed(c.Merchant)
	return d.Done(d.Merchants.Peek(c.Merchant), false), nil
}
