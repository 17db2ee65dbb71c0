package merchants

import (
	"cmp"
	"fmt"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// AgeClawbacks debits clawbacks that were not netted in time from the merchant's account if
// the agreement allows, and writes off those that are too old (F32). It leaves what money
// waiting for the merchant will already net, even while payouts are held. An account that
// rejected a payout is not debited either. A merchant has at most one debit in progress. The
// command sees the MaxLines oldest clawbacks, and must be submitted again until it changes
// nothing. Result is the *Merchant.
type AgeClawbacks struct {
	Merchant string `json:"merchant"`
}

func (AgeClawbacks) Name() string { return "payout.age" }

// Keys requests the merchant with its waiting lines, then the orders of the clawbacks, whose
// programs set the deadlines.
func (c AgeClawbacks) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := merchantKeys(c.Merchant)
	for _, id := range s.Waiting[c.Merchant] {
		if l := s.Lines[id]; l.Kind == credit.LineClawback && l.Order != "" && l.Due < e.Today() {
			k.Orders = append(k.Orders, l.Order)
		}
	}
	return k
}

func (c AgeClawbacks) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	return lending.AdmitMerchant(s, c.Merchant)
}

func (c AgeClawbacks) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	m := s.Merchants[c.Merchant]
	d := credit.NewDraft(s, e)
	var late []*credit.PayoutLine
	moving, due := false, dueLines(d, m.ID)
	covered := toBePaid(due)
	for _, l := range due {
		settings := settingsOf(d, m, l)
		age := e.Zone.Date(l.At).DaysUntil(e.Today())
		switch {
		case l.Kind != credit.LineClawback:
		case l.Netted != 0:
			moving = true
		case covered > 0:
			covered = covered.Sub(l.Amount)
		case settings != nil && age >= settings.ClawbackWriteOff:
			writeOff(d, l)
		case settings != nil && age >= settings.ClawbackDebitDays:
			late = append(late, l)
		}
	}
	if !moving && len(late) > 0 && m.Account.Debits && m.Account.Bank != nil && !m.Account.Broken {
		debit(d, m, late)
	}
	noteOwed(d, m.ID)
	if len(d.Changes.Lines)+len(d.Changes.Merchants) == 0 {
		return credit.Changes{Result: m}, nil
	}
	return d.Done(d.Merchants.Peek(m.ID), false), nil
}

// toBePaid sums the lines that add to a payout.
func toBePaid(due []*credit.PayoutLine) money.Amount {
	sum := money.Amount(0)
	for _, l := range due {
		if !l.Kind.Owes() {
			sum = sum.Add(l.Amount)
		}
	}
	return sum
}

// settingsOf are the settings that apply to a merchant's line: those of its order, else those
// in force.
func settingsOf(d *credit.Draft, m *credit.Merchant, l *credit.PayoutLine) *credit.Settings {
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
func writeOff(d *credit.Draft, l *credit.PayoutLine) {
	cost := payments.OwnLine(ledger.ProvisionAndLosses, l.Amount, l)
	id := d.Entry(credit.EntryClawbackWrittenOff, l.Source, d.Env.Today(), cost, payments.OwnLine(ledger.ClawbackReceivable, -l.Amount, l))
	take(d, l, l.Amount, id)
	m := d.Merchants.Edit(l.Merchant)
	m.WrittenOff = m.WrittenOff.Add(l.Amount)
}

// debit debits clawbacks from the merchant's account in one transfer, as many as it can carry.
// The lines wait until it has settled, and no payout nets them.
func debit(d *credit.Draft, m *credit.Merchant, late []*credit.PayoutLine) {
	sum := money.Amount(0)
	for _, l := range late {
		if sum.Add(l.Amount) > credit.MaxTransfer {
			continue
		}
		l = d.Lines.Edit(l.ID)
		l.Netted = l.Amount
		sum = sum.Add(l.Amount)
	}
	if sum != 0 {
		d.Merchants.Edit(m.ID).Debit = instruct(d, &credit.Transfer{Kind: credit.TransferClawback, Merchant: m.ID, Amount: sum, Entry: "CLAWBACK"})
	}
}

// RemitCollected records money that a merchant has sent for what it collected (F33), oldest
// first. If more lines wait than are loaded, the merchant may send more than those amount to:
// the rest is owed to it, and the next payout nets it with the others. Result is the
// *Merchant.
type RemitCollected struct {
	Merchant  string       `json:"merchant"`
	Amount    money.Amount `json:"amount"`
	Reference string       `json:"reference"`
}

func (RemitCollected) Name() string { return "payout.remit" }

// Keys requests the merchant and its waiting lines.
func (c RemitCollected) Keys(*credit.State, credit.Env) credit.Keys { return merchantKeys(c.Merchant) }

func (c RemitCollected) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	return lending.AdmitMerchant(s, c.Merchant)
}

func (c RemitCollected) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	var lines []*credit.PayoutLine
	owed := money.Amount(0)
	for _, l := range dueLines(d, c.Merchant) {
		if l.Kind == credit.LineCollected {
			lines = append(lines, l)
			owed = owed.Add(l.Left())
		}
	}
	if c.Amount <= 0 || c.Amount > owed && len(lines) < credit.MaxLines {
		return credit.Changes{}, credit.ValidationFailed.With(fmt.Sprintf("The merchant owes %s of what it has collected.", owed), map[string]any{"owed": owed})
	}
	cause := cmp.Or(c.Reference, c.Merchant) // the merchant's own reference, if it gave one
	if left := paidIn(d, lines, c.Amount, credit.EntryCollectedRemitted, cause, ledger.DueFromMerchant); left > 0 {
		id := d.Entry(credit.EntryCollectedRemitted, cause, e.Today(), payments.MerchantLine(ledger.Cash, left, c.Merchant), payments.MerchantLine(ledger.MerchantPayable, -left, c.Merchant))
		d.AddLine(credit.PayoutLine{Merchant: c.Merchant, Kind: credit.LineRepaid, Source: id, Amount: left, Due: e.Today()})
	}
	noteOwed(d, c.Merchant)
	return d.Done(d.Merchants.Peek(c.Merchant), false), nil
}
