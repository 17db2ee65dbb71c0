package pagetest

import (
	"strings"
	"testing"

	"tenor/client"
	"tenor/internal/app/cli/operate"
	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
)

// sold is a captured order of a sandbox's first company.
func sold(t *testing.T, w operate.World) *client.Order {
	t.Helper()
	api, err := client.New(w.URL, w.Token)
	if err != nil {
		t.Fatal(err)
	}
	o, err := api.CreateOrder(t.Context(), client.OrderRequest{
		CompanyID: 1000000001, Amount: "1200.00", Installments: 6, Status: "AUTHORIZED", MerchantOrderID: "PO-7781",
		CartItems: []client.CartItem{{Name: "Shelf, oak", SKU: "SH-0112", Price: "1200.00", Quantity: 1}},
	})
	if err == nil {
		o, err = api.UpdateOrder(t.Context(), o.Key, client.OrderChange{Status: "CAPTURED"})
	}
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// Somebody of finance finds an order by its number, reads all of its page, and refunds a part of it
// on a page that first shows what changes: wide and narrow, light and dark.
func TestConsoleOrderInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	o := sold(t, w)
	for _, v := range []browsertest.View{{Width: 1360}, {Width: 390, Dark: true}} {
		s := &clerkTab{Tab: b.Tab(t, v), t: t, w: w, view: v, both: true}
		s.Go(w.Console)
		browsertest.Eval[bool](s.Tab, "document.querySelector('input[value=finance]').form.submit(), true")
		s.Await("/console")
		s.Go(w.URL + "/console/orders")
		s.looks("orders")
		s.Go(w.URL + "/console/orders?status=CANCELED")
		s.looks("no orders")
		s.Go(w.URL + "/console/search?q=PO-9")
		s.looks("search without a hit")
		s.Fill("q", "PO-7781")
		browsertest.Eval[bool](s.Tab, "document.getElementById('search').form.submit(), true")
		s.Await("/console/orders/" + o.Key)
		s.looks("order")
		for _, tab := range []string{"schedule", "ledger"} {
			s.Go(w.URL + "/console/orders/" + o.Key + "/" + tab)
			s.looks("order " + tab)
		}
		s.Go(w.URL + "/console/orders/" + o.Key + "/act/refund")
		s.Fill("amount", "100.00")
		s.Press("Show what changes")
		s.looks("refund without a reason")
		s.Fill("reason", "Damaged door, agreed with the buyer")
		s.Press("Show what changes")
		s.looks("refund")
		s.Press("Refund $100.00")
		s.Await("/console/orders/" + o.Key)
		if !strings.Contains(s.Text(), "The order is refunded.") {
			t.Errorf("%d pixels: the page does not say what was done", v.Width)
		}
		s.looks("refunded")
		s.Go(w.URL + "/console/approvals")
		s.looks("approvals")
	}
}
