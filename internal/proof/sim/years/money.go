package years

import (
	"fmt"
	"slices"

	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/journal"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
	"tenor/internal/proof/sim"
)

// transit: the accounts for money in transit hold only what waits for a person: money for buyers
// that the bank has not delivered, or that is paid manually.
func (y *Years) transit(b *sim.Books) error {
	owed := int64(0)
	for _, p := range b.Payments {
		for _, r := range p.Refunds {
			if r.Status == credit.RefundFailed || r.Status == credit.RefundPending && r.Transfer == "" {
				owed += int64(r.Amount)
			}
		}
	}
	all := func(ledger.Posting) bool { return true }
	for account, want := range map[ledger.Account]int64{
		ledger.ACHDebitsInTransit: 0, ledger.ACHCreditsInTransit: 0, ledger.CardReceivable: 0, ledger.PaymentsPending: 0, ledger.RefundsInTransit: -owed,
	} {
		if got := b.Sum(account, all); got != want {
			return fmt.Errorf("PO6: %d is %d, want %d", account, got, want)
		}
	}
	return nil
}

// cash: account 1000 agrees with what the bank has moved, for each payment, for each payout, and
// in total (PO6).
func (y *Years) cash(b *sim.Books) error {
	of, want, got := map[string]string{}, map[string]int64{}, map[string]int64{}
	seen := map[string]bool{}
	for _, t := range b.Transfers {
		group := t.ID
		if t.Payment != "" {
			group = t.Payment
		} else if t.Payout != "" {
			group = t.Payout
		}
		of[t.ID] = group
		if x := y.bank.moved[t.ID[max(0, len(t.ID)-15):]]; x != nil && t.Rail == credit.ACH {
			want[group] += x.cash()
			seen[x.id] = true
			if x.amount != int64(t.Amount) {
				return fmt.Errorf("PO6: the bank was told to move %d for %s of %s", x.amount, t.ID, t.Amount)
			}
		}
		if c := y.bank.charges[t.ID]; c != nil {
			want[group] += c.cash()
		}
	}
	if len(seen) != len(y.bank.moved) {
		return fmt.Errorf("PO6: the bank has %d entries, the books know of %d", len(y.bank.moved), len(seen))
	}
	if err := manual(b, want); err != nil {
		return err
	}
	for _, e := range b.Entries {
		for _, p := range e.Postings {
			if p.Account != ledger.Cash {
				continue
			}
			group := p.Payment
			if group == "" {
				if group = e.Cause; of[group] != "" {
					group = of[group]
				}
				if want[group] == 0 && of[e.Cause] == "" && b.Payout(group) == nil {
					group = "others"
				}
			}
			got[group] += int64(p.Amount)
		}
	}
	for _, group := range sim.SortedKeys(got, want) {
		if got[group] != want[group] {
			return fmt.Errorf("PO6: the books have %d on 1000 for %s, the bank %d\n%s", got[group], group, want[group], y.told(b, group))
		}
	}
	return nil
}

// told lists what is known of a payment or a payout, for the reader of a failure.
func (y *Years) told(b *sim.Books, group string) string {
	text := ""
	for _, t := range b.Transfers {
		if t.ID == group || t.Payment == group || t.Payout == group {
			text += fmt.Sprintf("transfer %+v\nbank %+v\nprocessor %+v\n", *t, y.bank.moved[t.ID[max(0, len(t.ID)-15):]], y.bank.charges[t.ID])
		}
	}
	for _, e := range b.Entries {
		if e.Cause == group || slices.ContainsFunc(e.Postings, func(p ledger.Posting) bool { return p.Payment == group }) {
			text += fmt.Sprintf("entry %s %s %s %+v\n", e.BookDate, e.Event, e.Cause, e.Postings)
		}
	}
	return text
}

// manual adds what was paid manually, from the command log: what staff recorded, and what the
// lender contributed.
func manual(b *sim.Books, want map[string]int64) error {
	returned := map[string]bool{} // once: repeating it changes nothing
	for _, a := range b.Audits {
		if a.Result != "ok" {
			continue
		}
		c, err := journal.DecodeCommand(a.Command, a.Payload)
		if err != nil {
			return err
		}
		switch c := c.(type) {
		case compliance.MoveFunding:
			want["others"] += int64(c.Amount)
		case merchants.RemitCollected:
			want["others"] += int64(c.Amount)
		case merchants.PayClawback:
			want["others"] += int64(c.Amount)
		case payments.RecordReceipt:
			want["others"] += int64(c.Amount)
		case payments.ReturnReceipt:
			want["others"] -= int64(b.Receipt(c.Receipt).Amount)
		case payments.RecordPayment:
			if p := b.Payments[a.Object]; c.Method != credit.ACH && c.Method != credit.Card && !p.FromMerchant {
				want[p.ID] += int64(c.Amount)
			}
		case payments.ReturnPayment:
			if p := b.Payments[c.Payment]; !p.FromMerchant && !returned[p.ID] {
				returned[p.ID] = true
				want[p.ID] -= int64(p.Amount)
			}
		case payments.PayRefund:
			if r := b.Refund(c.Payment, c.Refund); c.Method != "" && !returned[r.ID] {
				returned[r.ID] = true
				want[c.Payment] -= int64(r.Amount)
			}
		}
	}
	return nil
}

// inFlight: an item has at most one debit in flight that was built for it (PA9).
func inFlight(b *sim.Books) error {
	of := map[schedule.Ref]string{}
	for _, id := range sim.SortedKeys(b.Payments) {
		p := b.Payments[id]
		if p.Status != credit.PaymentScheduled && p.Status != credit.PaymentPending {
			continue
		}
		for _, item := range p.Items {
			if of[item] != "" {
				return fmt.Errorf("PA9: %s and %s are both to collect %+v", of[item], id, item)
			}
			of[item] = id
		}
	}
	return nil
}

// attempts: an ACH debit has at most two retries and, including them, one fee for insufficient
// funds, and an installment has at most one late fee (PA9, PA10, F23).
func attempts(b *sim.Books) error {
	tries, late := map[string]int{}, map[string]int{}
	for _, p := range b.Payments {
		if p.Original != "" && p.Method == credit.ACH {
			tries[p.Original]++
		}
	}
	for key, l := range b.Loans {
		for _, f := range l.Fees {
			if f.Kind == schedule.LateFeeKind {
				late[fmt.Sprint("installment ", f.Installment, " of ", key)]++
			}
		}
	}
	for _, id := range sim.SortedKeys(tries) {
		if tries[id] > 2 {
			return fmt.Errorf("F23: %d retries of %s", tries[id], id)
		}
	}
	for _, id := range sim.SortedKeys(late) {
		if late[id] > 1 {
			return fmt.Errorf("PA10: %d late fees on %s", late[id], id)
		}
	}
	return nil
}
