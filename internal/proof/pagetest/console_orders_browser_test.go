package pagetest

import (
	"strconv"
	"strings"
	"testing"

	"tenor/client"
	"tenor/internal/app/cli"
	"tenor/internal/app/cli/operate"
	"tenor/internal/app/exit"
	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
	"tenor/internal/proof/suite"
)

// sold is a captured order of a sandbox's first company.
func sold(t *testing.T, w operate.World, number string) *client.Order {
	t.Helper()
	api, err := client.New(w.URL, w.Token)
	if err != nil {
		t.Fatal(err)
	}
	o, err := api.CreateOrder(t.Context(), client.OrderRequest{
		CompanyID: 1000000001, Amount: "1200.00", Installments: 6, Status: "AUTHORIZED", MerchantOrderID: number,
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
// on a page that first shows what changes; a second person approves more than the limit: narrow and
// dark, and, at night, wide and light.
func TestConsoleOrderInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	two(t, w, "300.00")
	views := []browsertest.View{{Width: 390, Dark: true}, {Width: 1360}}
	for i, v := range views[:suite.By(1, 2)] {
		s := &clerkTab{Tab: b.Tab(t, v), t: t, w: w, view: v}
		number := "PO-778" + strconv.Itoa(i)
		o := sold(t, w, number)
		s.as("finance")
		s.Go(w.URL + "/console/orders")
		s.looks("orders")
		s.Go(w.URL + "/console/orders?status=CANCELED")
		s.looks("no orders")
		s.Go(w.URL + "/console/search?q=PO-9")
		s.looks("search without a hit")
		s.Fill("q", number)
		browsertest.Eval[bool](s.Tab, "document.getElementById('search').form.submit(), true")
		s.Await("/console/orders/" + o.Key)
		s.looks("order")
		for _, tab := range []string{"schedule", "ledger", "explain"} {
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
		s.approved(o)
	}
}

// two makes two people act together, at the server's command line.
func two(t *testing.T, w operate.World, limit string) {
	t.Helper()
	var out, errs devtest.Pipe
	if code := cli.Run(t.Context(), []string{"staff", "approvals", "--required", "--limit", "payments:refund=" + limit, "--data", w.Data}, devtest.App(&out, &errs)); code != exit.Done {
		t.Fatalf("approvals: %d %s", code, errs.String())
	}
}

// as signs in as a made-up person of a sandbox.
func (s *clerkTab) as(role string) {
	s.t.Helper()
	s.Go(s.w.Console)
	browsertest.Eval[bool](s.Tab, "document.querySelector('input[value="+role+"]').form.submit(), true")
	s.Await("/console")
}

// approved asks for a refund above the limit, and approves it as somebody else.
func (s *clerkTab) approved(o *client.Order) {
	s.t.Helper()
	s.Go(s.w.URL + "/console/orders/" + o.Key + "/act/refund")
	s.Fill("amount", "250.00")
	s.Fill("reason", "Two shelves returned")
	s.Press("Show what changes")
	s.looks("refund above the limit")
	s.Press("Ask for approval: Refund $250.00")
	s.Await("/console/approvals/apv_")
	s.looks("own request")
	at := browsertest.Eval[string](s.Tab, "location.pathname")
	s.as("finance-2")
	s.Go(s.w.URL + "/console/approvals")
	s.looks("approvals")
	s.Go(s.w.URL + at)
	s.Fill("reason", "Agreed by phone")
	s.looks("request")
	s.Press("Approve and do it")
	s.Await(at)
	if text := s.Text(); !strings.Contains(text, "Approved") || !strings.Contains(text, "Agreed by phone") {
		s.t.Error("the page does not say that it was approved")
	}
	s.looks("approved")
}
