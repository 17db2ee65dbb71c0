package storetest

import (
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

func (c *change) newReceipt() string {
	w := c.w
	x := &credit.Receipt{
		ID: w.id("rcp"), Amount: money.Amount(1 + w.rng.IntN(90_000)), Method: pick(w, []credit.Method{credit.Check, credit.Wire, credit.CashM, credit.Other}),
		Received: w.today().AddDays(-w.rng.IntN(9)), Reference: "é 77", Status: payments.ReceiptOpen, CreatedAt: w.at, Version: 1,
	}
	w.receipts = append(w.receipts, x.ID)
	c.Receipts = append(c.Receipts, x)
	return "receipt.record"
}

func (c *change) endReceipt() string {
	w := c.w
	if len(w.receipts) == 0 {
		return "nothing"
	}
	x := *w.State.Receipts[pick(w, w.receipts)]
	if x.Status != payments.ReceiptOpen {
		return "nothing"
	}
	x.Version++
	x.Status, x.EndedAt, x.BackReference = payments.ReceiptReturned, w.at, "wire 9"
	if len(w.payments) > 0 && w.rng.IntN(2) == 0 {
		x.Status, x.BackReference, x.Payment = payments.ReceiptIdentified, "", pick(w, w.payments)
	}
	c.Receipts = append(c.Receipts, &x)
	return "receipt.identify"
}

// listReceipts compares lists of unidentified receipts.
func listReceipts(t *testing.T, w *World, v store.View) {
	t.Helper()
	at := func(x *credit.Receipt) (time.Time, string) { return x.CreatedAt, x.ID }
	for _, status := range []credit.ReceiptStatus{"", payments.ReceiptOpen, payments.ReceiptIdentified, payments.ReceiptReturned} {
		want := expected(items(all(w.State.Receipts), at), func(x any) bool { return status == "" || x.(*credit.Receipt).Status == status })
		walk(t, "receipts", want, func(p store.Page) ([]item, error) {
			list, err := store.ListReceipts(v, store.ReceiptFilter{Status: status}, p)
			return items(list, at), err
		})
	}
}
