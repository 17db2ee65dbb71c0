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

// PayClawback records money that a merchant has sent for its clawbacks (F32, F39), oldest
// first: what refunds after payout made it owe. What a debit in progress has taken is left
// out. If there are more than MaxLines clawbacks, the oldest can be paid at once. Result is
// the *Merchant.
type PayClawback struct {
	Merchant  string       `json:"merchant"`
	Amount    money.Amount `json:"amount"`
	Reference string       `json:"reference"`
}

func (PayClawback) Name() string { return "payout.pay_clawback" }

// Keys requests the merchant and its waiting lines.
func (c PayClawback) Keys(*credit.State, credit.Env) credit.Keys { return merchantKeys(c.Merchant) }

func (c PayClawback) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	return lending.AdmitMerchant(s, c.Merchant)
}

func (c PayClawback) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	var lines []*credit.PayoutLine
	owed := money.Amount(0)
	for _, l := range dueLines(d, c.Merchant) {
		if l.Kind == credit.LineClawback && l.Left() > 0 {
			lines = append(lines, l)
			owed = owed.Add(l.Left())
		}
	}
	if c.Amount <= 0 || c.Amount > owed {
		return credit.Changes{}, credit.ValidationFailed.With(fmt.Sprintf("The merchant owes %s of clawbacks.", owed), map[string]any{"owed": owed})
	}
	paidIn(d, lines, c.Amount, credit.EntryClawbackPaid, cmp.Or(c.Reference, c.Merchant), ledger.ClawbackReceivable)
	noteOwed(d, c.Merchant)
	return d.Done(d.Merchants.Peek(c.Merchant), false), nil
}

// paidIn deducts what a merchant has sent from the lines it is for, in order, and returns what
// is left.
func paidIn(d *credit.Draft, lines []*credit.PayoutLine, left money.Amount, event, cause string, account ledger.Account) money.Amount {
	paid := left
	for _, l := range lines {
		part := min(left, l.Left())
		if part == 0 {
			break
		}
		id := d.Entry(event, cause, d.Env.Today(), payments.OwnLine(ledger.Cash, part, l), payments.OwnLine(account, -part, l))
		take(d, l, part, id)
		left = left.Sub(part)
	}
	if len(lines) > 0 {
		d.Settled(lines[0].Merchant, paid.Sub(left))
	}
	return left
}
