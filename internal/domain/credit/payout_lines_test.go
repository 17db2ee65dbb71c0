package credit_test

import (
	"fmt"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
)

// owesMany is a merchant that owes many small lines of one kind, and is owed the net of one
// capture.
func owesMany(t *testing.T, kind credit.PayoutLineKind, lines int, each money.Amount) (*world, credit.Actor, money.Amount) {
	w := newWorld(t)
	shop := w.shop("M", marketSettings())
	w.must(operator, merchants.SetMerchantAccount{Merchant: shop.Merchant, Bank: testBank("1111"), Debits: true})
	c := w.buyer("A", "5000.00", shop)
	capture := func(amount string, external bool) *credit.Order {
		o := w.must(shop, lending.CreateOrder{Company: c.ID, Amount: cents(amount), Installments: 3, External: external, Authorize: true}).(*credit.Order)
		return w.must(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}).(*credit.Order)
	}
	o := capture("1200.00", true)
	w.now = w.zone.At(w.today().AddBankingDays(1), 16, 0)
	w.must(system, merchants.PayMerchant{Merchant: shop.Merchant})
	var owed credit.Changes // as from that many payments or refunds
	for i := range lines {
		owed.Lines = append(owed.Lines, &credit.PayoutLine{
			ID: fmt.Sprintf("pol_%05d", i), Merchant: shop.Merchant, Kind: kind, Company: c.ID, Order: o.Key, Source: "rfd",
			Amount: each, Due: w.today(), At: w.now, Version: 1,
		})
	}
	w.apply(owed)
	if _, paid := w.must(system, merchants.PayMerchant{Merchant: shop.Merchant}).(*credit.Payout); paid {
		t.Fatal("a payout of nothing")
	}
	next := capture("500.00", false)
	w.now = w.zone.At(w.today().AddBankingDays(1), 16, 0)
	return w, shop, next.Captured.Sub(next.Discount)
}

// payAll pays a merchant as the scheduler does, and sums what is netted and sent.
func payAll(w *world, merchant string) (netted, sent money.Amount, passes int) {
	for passes = range 20 {
		p, paid := w.must(system, merchants.PayMerchant{Merchant: merchant}).(*credit.Payout)
		if paid {
			netted, sent = netted.Add(p.Clawback).Add(p.Collected), sent.Add(p.Net)
		}
		waits := false
		for _, l := range w.all.Lines {
			waits = waits || l.Waits() && !l.Kind.Owes()
		}
		if !waits {
			return netted, sent, passes
		}
	}
	return netted, sent, passes
}

// A merchant that owes more lines than a payout holds is still paid for a newer capture, and
// only the rest once it owes nothing (F32, F33).
func TestMerchantThatOwesManyLinesIsPaid(t *testing.T) {
	for _, kind := range []credit.PayoutLineKind{credit.LineCollected, credit.LineClawback} {
		for _, test := range []struct {
			lines int
			each  money.Amount
		}{{credit.MaxLines - 1, 10}, {credit.MaxLines + 1, 10}, {3*credit.MaxLines + 7, 10}, {3*credit.MaxLines + 7, 20}} {
			w, shop, adds := owesMany(t, kind, test.lines, test.each)
			owed := money.Amount(test.lines) * test.each
			netted, sent, passes := payAll(w, shop.Merchant)
			if netted != min(owed, adds) || sent != adds-netted {
				t.Errorf("%d lines of %s and %s: netted %s, sent %s of %s in %d passes", test.lines, kind, test.each, netted, sent, adds, passes)
			}
			left := money.Amount(0)
			for _, l := range w.all.Lines {
				if l.Waits() && l.Kind.Owes() {
					left = left.Add(l.Left())
				}
			}
			if left != owed-netted {
				t.Errorf("%d lines of %s: %s is left, must be %s", test.lines, kind, left, owed-netted)
			}
		}
	}
}

// A merchant remits for everything it has collected, even in more lines than are loaded.
func TestManyCollectedLinesAreRemitted(t *testing.T) {
	w, shop, _ := owesMany(t, credit.LineCollected, credit.MaxLines+100, 10)
	w.must(operator, merchants.RemitCollected{Merchant: shop.Merchant, Amount: (credit.MaxLines + 100) * 10})
	netted, sent, _ := payAll(w, shop.Merchant)
	if netted != 1000 || sent != cents("485.00") {
		t.Errorf("netted %s, sent %s", netted, sent)
	}
}

// Clawbacks that are too old are written off, however many there are: the command is
// resubmitted until it changes nothing. Those that a payout netted are not among them.
func TestManyClawbacksAreWrittenOff(t *testing.T) {
	w, shop, adds := owesMany(t, credit.LineClawback, 2*credit.MaxLines+3, 100)
	if netted, sent, _ := payAll(w, shop.Merchant); netted != adds || sent != 0 {
		t.Fatalf("netted %s, sent %s of %s", netted, sent, adds)
	}
	w.now = w.zone.At(w.today().AddDays(200), 9, 0)
	passes, lost := 0, money.Amount(0)
	for {
		ch, r := w.do(system, merchants.AgeClawbacks{Merchant: shop.Merchant})
		if r != nil || ch.Empty() {
			break
		}
		passes++
		for _, e := range ch.Entries {
			for _, p := range e.Postings {
				if p.Account == ledger.ProvisionAndLosses {
					lost = lost.Add(p.Amount)
				}
			}
		}
	}
	if passes != 2 || lost != (2*credit.MaxLines+3)*100-adds {
		t.Errorf("%s is lost in %d passes", lost, passes)
	}
}

// Merged debt may come from several orders.
func TestManyClawbacksOfSeveralOrders(t *testing.T) {
	w, shop, adds := owesMany(t, credit.LineClawback, 3, 10)
	c := w.buyer("B", "5000.00", shop)
	o := w.must(shop, lending.CreateOrder{Company: c.ID, Amount: cents("100.00"), Installments: 3, External: true, Authorize: true}).(*credit.Order)
	w.must(shop, lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured})
	var owed credit.Changes
	for i := range credit.MaxLines {
		owed.Lines = append(owed.Lines, &credit.PayoutLine{
			ID: fmt.Sprintf("pol_9%04d", i), Merchant: shop.Merchant, Kind: credit.LineClawback, Company: c.ID, Order: o.Key, Source: "rfd",
			Amount: 10, Due: w.today(), At: w.now, Version: 1,
		})
	}
	w.apply(owed)
	if netted, sent, _ := payAll(w, shop.Merchant); netted != (credit.MaxLines+3)*10 || sent != adds-netted {
		t.Errorf("netted %s, sent %s of %s", netted, sent, adds)
	}
}
