package main

import (
	"context"
	"encoding/json"
	"fmt"
	"strconv"

	"tenor/client"
)

func checkoutNoun() noun[client.Checkout] {
	return noun[client.Checkout]{
		head: []string{"ID", ">AMOUNT", "STATUS", "REASON", "ORDER", "CART", "EXPIRES"},
		row: func(x *client.Checkout) []any {
			return []any{x.ID, x.Amount, x.Status, maybe(x.Reason), x.OrderKey, maybe(x.RemoteID), x.ExpiresAt}
		},
		key: func(x *client.Checkout) string { return x.ID },
		text: func(a *app, x *client.Checkout) error {
			return facts(a.out, "id", x.ID, "status", x.Status, "reason", x.Reason, "amount", x.Amount, "order", x.OrderKey, "company", companyOf(x.CompanyID),
				"installments", countOf(x.Installments), "mode", x.Mode, "cart", x.RemoteID, "customer", x.RemoteCustomerID, "address", x.CheckoutURL,
				"expires", x.ExpiresAt, "accepted", x.AcceptedAt, "completed", x.CompletedAt, "created", x.CreatedAt)
		},
	}
}

// companyOf and countOf are numbers as facts tell them: nothing of zero.
func companyOf(id int64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatInt(id, 10)
}

func countOf(n int) string { return companyOf(int64(n)) }

type checkoutsList struct {
	remote
	paging
	Status wordFlag `placeholder:"STATUS" help:"OPEN, PENDING_REVIEW, ACCEPTED, COMPLETED, CANCELED, DECLINED or EXPIRED." complete:"checkout-status"`
	From   dateFlag `placeholder:"DATE" help:"Created on or after this business date."`
	To     dateFlag `placeholder:"DATE" help:"Created on or before this business date."`
}

// Examples are shown by -h.
func (checkoutsList) Examples() []string {
	return []string{"checkouts list --status OPEN", "checkouts list --from 2026-01-01 --all --json"}
}

// Run is called by the parser.
func (c *checkoutsList) Run(ctx context.Context, a *app) error {
	f := client.CheckoutFilter{Status: string(c.Status), From: string(c.From), To: string(c.To)}
	return list(ctx, a, &c.remote, c.paging, checkoutNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Checkout], error) {
		return api.ListCheckouts(ctx, f, p, o...)
	})
}

type checkoutKeyed struct {
	ID string `arg:"" help:"Identifier of the checkout: chk_…"`
}

type checkoutShow struct {
	remote
	checkoutKeyed
}

// Examples are shown by -h.
func (checkoutShow) Examples() []string { return []string{"checkouts show chk_…"} }

// Run is called by the parser.
func (c *checkoutShow) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return one(ctx, a, &c.remote, checkoutNoun(), func(api *client.Client, o ...client.Option) (*client.Checkout, error) {
		return api.Checkout(ctx, c.ID, o...)
	})
}

type checkoutCreate struct {
	change
	Amount       amountFlag `arg:"" optional:"" help:"What is to be financed; absent: that of --file or --order."`
	ReturnURL    string     `name:"return-url" placeholder:"URL" help:"Where the buyer goes after accepting; %ORDER_KEY% stands for the order's key."`
	CancelURL    string     `name:"cancel-url" placeholder:"URL" help:"Where the buyer goes otherwise; %REASON% stands for why."`
	Mode         string     `enum:"redirect,modal,link" default:"redirect" placeholder:"MODE" help:"How the buyer comes to it: redirect, modal or link."`
	Email        string     `placeholder:"ADDRESS" help:"The buyer's work e-mail."`
	Company      int64      `placeholder:"ID" help:"Only people of this company may accept." complete:"company"`
	Order        string     `placeholder:"KEY" help:"With --mode link: a CREATED order whose terms the buyer is to accept." complete:"order"`
	Installments []int      `placeholder:"N" help:"Offer only these numbers of installments."`
	Cart         string     `name:"cart" placeholder:"ID" help:"Your identifier of the cart: the same cart again is the same checkout."`
	ExpiresIn    int        `placeholder:"SECONDS" help:"Until it expires, 900 to 2592000."`
	File         string     `placeholder:"FILE" help:"The request as JSON, - for standard input; what flags say holds over it."`
}

// Examples are shown by -h.
func (checkoutCreate) Examples() []string {
	return []string{
		"checkouts create 1200 --return-url 'https://shop.example/done?order=%ORDER_KEY%' --cancel-url https://shop.example/cart",
		"checkouts create --mode link --order ord_… --email ada@alder.example", "checkouts create --file cart.json",
	}
}

// request is what the flags and the file ask for.
func (c *checkoutCreate) request(a *app) (r client.CheckoutRequest, err error) {
	if c.File != "" {
		text, err := a.readAll(c.File)
		if err != nil {
			return r, err
		}
		if err := json.Unmarshal(text, &r); err != nil {
			return r, &failure{code: exitUsage, text: "the file is not the request of a checkout as JSON", hint: err.Error()}
		}
	}
	given := func(to *string, value string) {
		if value != "" {
			*to = value
		}
	}
	given((*string)(&r.Amount), string(c.Amount))
	given(&r.ReturnURL, c.ReturnURL)
	given(&r.CancelURL, c.CancelURL)
	given(&r.OrderKey, c.Order)
	given(&r.RemoteID, c.Cart)
	if r.Mode == "" || c.Mode != "redirect" {
		r.Mode = c.Mode
	}
	if c.Email != "" {
		if r.Buyer == nil {
			r.Buyer = &client.Buyer{}
		}
		r.Buyer.Email = c.Email
	}
	if c.Company != 0 {
		r.CompanyID = c.Company
	}
	if len(c.Installments) > 0 {
		r.Installments = c.Installments
	}
	if c.ExpiresIn != 0 {
		r.ExpiresIn = c.ExpiresIn
	}
	return r, nil
}

// Run is called by the parser.
func (c *checkoutCreate) Run(ctx context.Context, a *app) error {
	r, err := c.request(a)
	if err != nil {
		return err
	}
	return act(ctx, a, &c.change, checkoutNoun(), func(api *client.Client, o ...client.Option) (*client.Checkout, error) {
		return api.CreateCheckout(ctx, r, o...)
	}, func(x *client.Checkout) string {
		return a.mildly(fmt.Sprintf("Created %s of %s for order %s. Send the buyer to %s", x.ID, dollars(x.Amount), x.OrderKey, x.CheckoutURL), "checkouts expire "+x.ID)
	})
}

type checkoutComplete struct {
	change
	checkoutKeyed
}

// Examples are shown by -h.
func (checkoutComplete) Examples() []string { return []string{"checkouts complete chk_…"} }

// Run is called by the parser.
func (c *checkoutComplete) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.CompleteCheckout(ctx, c.ID, o...)
	}, func(x *client.Order) string {
		return a.mildly(fmt.Sprintf("Order %s of %s is %s.", x.Key, dollars(x.Amount), x.Status), "orders cancel "+x.Key)
	})
}

type checkoutExpire struct {
	change
	consent
	checkoutKeyed
}

// Examples are shown by -h.
func (checkoutExpire) Examples() []string { return []string{"checkouts expire chk_… --yes"} }

// Run is called by the parser.
func (c *checkoutExpire) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("End %s, and the order that was accepted in it?", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, checkoutNoun(), func(api *client.Client, o ...client.Option) (*client.Checkout, error) {
		return api.ExpireCheckout(ctx, c.ID, o...)
	}, func(x *client.Checkout) string { return fmt.Sprintf("%s is %s.", x.ID, x.Status) })
}
