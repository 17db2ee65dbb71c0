package sim

import (
	"fmt"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// totals are balances summed up from postings in one pass: of the whole house, of each company,
// merchant and order.
type totals struct {
	house    map[ledger.Account]int64
	company  map[int64]map[ledger.Account]int64
	merchant map[string]map[ledger.Account]int64
	order    map[string]map[ledger.Account]int64
	remitted map[string]int64 // by merchants, of what they had collected, and for clawbacks
	forgiven map[string]int64 // merchants' clawbacks that were written off and not netted since
}

func (b *Books) totals() *totals {
	t := &totals{
		house: map[ledger.Account]int64{}, company: map[int64]map[ledger.Account]int64{}, merchant: map[string]map[ledger.Account]int64{},
		order: map[string]map[ledger.Account]int64{}, remitted: map[string]int64{}, forgiven: map[string]int64{},
	}
	for _, e := range b.Entries {
		for _, p := range e.Postings {
			x := int64(p.Amount)
			t.house[p.Account] += x
			addTo(t.company, p.Company, p.Account, x)
			addTo(t.merchant, p.Merchant, p.Account, x)
			addTo(t.order, p.Order, p.Account, x)
			switch {
			case (e.Event == "COLLECTED_REMITTED" || e.Event == "CLAWBACK_PAID") && p.Account == ledger.Cash:
				t.remitted[p.Merchant] += x
			case (e.Event == "CLAWBACK_WRITTEN_OFF" || e.Event == "CLAWBACK_RECOVERED") && p.Account == ledger.ProvisionAndLosses:
				t.forgiven[p.Merchant] += x
			}
		}
	}
	return t
}

func addTo[K comparable](sums map[K]map[ledger.Account]int64, k K, a ledger.Account, x int64) {
	if sums[k] == nil {
		sums[k] = map[ledger.Account]int64{}
	}
	sums[k][a] += x
}

// checkTotals: the balance of an account is what the objects say it is for.
func (b *Books) checkTotals() error {
	t := b.totals()
	for _, check := range []func(*totals) error{b.checkOwedBack, b.checkMerchantMoney, b.checkIncome, b.checkHouse} {
		if err := check(t); err != nil {
			return err
		}
	}
	return b.checkInvoices()
}

// checkOwedBack: 2110 is what companies are to get back and have not got yet (F35).
func (b *Books) checkOwedBack(t *totals) error {
	want := map[int64]int64{}
	for _, p := range b.Payments {
		if p.Direction == "OUT" && p.Status == credit.PaymentPending {
			want[p.Company] += int64(p.Amount)
		}
		for _, r := range p.Refunds {
			if r.Status == credit.RefundPending || r.Status == credit.RefundFailed {
				want[p.Company] += int64(r.Amount)
			}
		}
	}
	for id := range b.Companies {
		if got := -t.company[id][ledger.RefundsInTransit]; got != want[id] {
			return fmt.Errorf("F35: 2110 of company %d is %d, its open refunds %d", id, got, want[id])
		}
	}
	return nil
}

// checkMerchantMoney: what a merchant was paid and is still owed, less what it owes, is what its
// orders and the money in its hands say (PO1).
func (b *Books) checkMerchantMoney(t *totals) error {
	want := map[string]int64{}
	for _, o := range b.Orders {
		if o.Captured > 0 && !o.Terms.Unfunded {
			want[o.Merchant] += int64(o.Captured - o.Discount - o.Refunded + o.DiscountBack)
		}
	}
	for _, p := range b.Payments {
		if p.FromMerchant {
			want[b.holderOf(p)] -= b.inHand(p)
		}
	}
	b.addHeldBack(want)
	for _, p := range b.Payouts {
		if p.Status == credit.PayoutSent || p.Status == credit.PayoutSettled {
			want[p.Merchant] -= int64(p.Net)
		}
	}
	for _, x := range b.Transfers {
		if x.Kind == credit.TransferClawback && x.Status == credit.TransferSettled {
			want[x.Merchant] += int64(x.Amount)
		}
	}
	for _, m := range b.Merchants {
		of := t.merchant[m.ID]
		got := -of[ledger.MerchantPayable] - of[ledger.ClawbackReceivable] - of[ledger.DueFromMerchant]
		if w := want[m.ID] + t.remitted[m.ID] + t.forgiven[m.ID]; got != w {
			return fmt.Errorf("PO1: %s is owed %d by 2000, 1200 and 1210, its orders, payments and payouts say %d", m.ID, got, w)
		}
	}
	return nil
}

// holderOf returns the merchant that has the money of a payment.
func (b *Books) holderOf(p *credit.Payment) string {
	if o := b.Orders[p.Order]; o != nil {
		return o.Merchant
	}
	return p.Merchant
}

// inHand is what a merchant holds of a payment for the lender: what was paid on funded orders,
// and what is credit. If the payment was returned, the merchant has paid back what was refunded
// of it, and the lender owes it that.
func (b *Books) inHand(p *credit.Payment) int64 {
	sum := int64(0)
	if o := b.Orders[p.Order]; !Counts(p) && o != nil && o.Terms.Unfunded {
		return sentByLender(p) // what went back to the buyer is the merchant's own loss, whoever sent it
	}
	if !Counts(p) {
		for _, r := range p.Refunds {
			if r.Status == credit.RefundSettled && !r.Withdrawn && r.Transfer == "" && r.Method == "" { // otherwise the lender sent it
				sum -= int64(r.Amount)
			}
		}
		return sum
	}
	for _, a := range p.Allocations {
		if o := b.Orders[a.Order]; !o.Terms.Unfunded {
			sum += int64(a.Fee + a.Charge + a.Principal)
		}
	}
	return sum + sentByLender(p) + int64(p.Unapplied)
}

// sentByLender is credit that a merchant had paid in and that goes back on the lender's rail
// (F36).
func sentByLender(p *credit.Payment) int64 {
	sum := int64(0)
	for _, r := range p.Refunds {
		if (r.Transfer != "" || r.Method != "") && r.Status != credit.RefundCanceled {
			sum += int64(r.Amount)
		}
	}
	return sum
}

// addHeldBack adds what else merchants are owed: what a refund of an order that they collect
// themselves leaves them to pay back to the buyer (F33).
func (b *Books) addHeldBack(want map[string]int64) {
	for _, e := range b.Money {
		o := b.Orders[e.Order]
		if e.Returned || o == nil || o.Terms == nil || o.Terms.Unfunded {
			continue
		}
		for _, x := range e.Posted {
			if o.External && x.Effect.Kind == schedule.EffectRefunded {
				want[o.Merchant] += int64(x.Effect.Credit)
			}
			for _, s := range x.Effect.Shares {
				if s.Held && !o.External { // it goes back through whoever collected it (F13.4)
					want[b.holderOf(b.Payments[s.Payment])] += int64(s.Amount)
				}
			}
		}
	}
}

// checkIncome: the income of an order is what its loan has earned and the fees it was charged,
// less what was waived. For a charged-off order it is in memo, as is everything owed on it (F17).
func (b *Books) checkIncome(t *totals) error {
	for key, l := range b.Loans {
		o, of := b.Orders[key], t.order[key]
		if o.Terms.Unfunded {
			continue
		}
		earned, fees, owed := int64(0), int64(0), -int64(l.Waived)
		for _, r := range l.Rows {
			earned += int64(r.Recognised)
			owed += int64(r.Principal - r.PaidPrincipal + r.Recognised - r.PaidCharge)
		}
		for _, f := range l.Fees {
			switch {
			case f.Kind == schedule.OtherReceivable:
				fees -= int64(f.Waived)
			case l.ChargedOff:
				fees += int64(f.Paid)
			default:
				fees += int64(f.Amount)
			}
			owed += int64(f.Amount - f.Paid)
		}
		if !l.ChargedOff {
			owed = 0
		}
		if got := of[ledger.ChargedOff]; got != owed {
			return fmt.Errorf("F17: 9020 of %s is %d, what is owed after its charge-off %d", key, got, owed)
		}
		if got := -of[ledger.LateFeeIncome] - of[ledger.ReturnedFeeIncome] - of[ledger.Concessions]; got != fees-int64(l.Waived) {
			return fmt.Errorf("PA7: 4020, 4030 and 5200 of %s are %d, its fees %d, its waived charge %s", key, got, fees, l.Waived)
		}
		if got := -of[ledger.ChargeIncome]; !o.Servicing.Nonaccrual && !l.ChargedOff && got != earned {
			return fmt.Errorf("PA7: 4000 of %s is %d, its rows have earned %d", key, got, earned)
		}
	}
	return nil
}

// checkHouse: the allowance matches the lender's record, and 2130 is the money that nobody has
// been able to match.
func (b *Books) checkHouse(t *totals) error {
	if got := -t.house[ledger.Allowance]; b.Lender != nil && got != int64(b.Lender.Allowance) {
		return fmt.Errorf("F17: 1900 is %d, the lender's record %s", got, b.Lender.Allowance)
	}
	open := int64(0)
	for _, r := range b.Receipts {
		if r.Status == payments.ReceiptOpen {
			open += int64(r.Amount)
		}
		if p := b.Payments[r.Payment]; r.Status == payments.ReceiptIdentified && (p == nil || p.Amount != r.Amount || p.EffectiveDate != r.Received || p.Method != r.Method) {
			return fmt.Errorf("F39: receipt %s of %s by %s on %s has become the payment %+v", r.ID, r.Amount, r.Method, r.Received, p)
		}
	}
	if got := -t.house[ledger.UnidentifiedReceipts]; got != open {
		return fmt.Errorf("F39: 2130 is %d, open receipts %d", got, open)
	}
	return nil
}

// checkInvoices: an invoice's lines add up to its amount, and its open amount is what is unpaid.
func (b *Books) checkInvoices() error {
	for id, i := range b.Invoices {
		sum := int64(0)
		for _, x := range i.Lines {
			sum += int64(x.Amount)
		}
		if sum != int64(i.AmountDue) {
			return fmt.Errorf("F31: invoice %s is over %s, its lines come to %d", id, i.AmountDue, sum)
		}
		if paid := i.Status == credit.InvoicePaid || i.Status == credit.InvoiceVoid; paid != (i.Paid == i.AmountDue) {
			return fmt.Errorf("F31: invoice %s is %s with %s of %s paid", id, i.Status, i.Paid, i.AmountDue)
		}
	}
	return nil
}
