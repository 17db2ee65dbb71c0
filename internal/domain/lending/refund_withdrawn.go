package lending

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// refundsWithdrawn is the total of a payment's refunds that this command has canceled.
func refundsWithdrawn(d *credit.Draft, p *credit.Payment) money.Amount {
	sum := money.Amount(0)
	was := d.State.Payments[p.ID]
	for _, r := range p.Refunds {
		if i := was.RefundAt(r.ID); r.Status == credit.RefundCanceled && (i < 0 || was.Refunds[i].Status != credit.RefundCanceled) {
			sum = sum.Add(r.Amount)
		}
	}
	return sum
}
