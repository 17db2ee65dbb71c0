package trade

import (
	"context"
	"encoding/json"
	"fmt"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

func checkoutNoun() terminal.Noun[client.Checkout] {
	return terminal.Noun[client.Checkout]{
		Head: []string{"ID", ">AMOUNT", "STATUS", "REASON", "ORDER", "CART", "EXPIRES"},
		Row: func(x *client.Checkout) []any {
			return []any{x.ID, x.Amount, x.Status, terminal.Maybe(x.Reason), x.OrderKey, terminal.Maybe(x.RemoteID), x.ExpiresAt}
		},
		Key: func(x *client.Checkout) string { return x.ID },
		Text: func(a *terminal.App, x *client.Checkout) error {
			return terminal.Facts(a.Out, "id", x.ID, "status", x.Status, "reason", x.Reason, "amount", x.Amount, "order", x.OrderKey, "company", terminal.CompanyOf(x.CompanyID),
				"installments", terminal.CountOf(x.Installments), "mode", x.Mode, "cart", x.RemoteID, "customer", x.RemoteCustomerID, "address", x.CheckoutURL,
				"expires", x.ExpiresAt, "accepted", x.AcceptedAt, "completed", x.CompletedAt, "created", x.CreatedAt)
		},
	}
}

// CheckoutsList is the command "checkouts list".
type CheckoutsList struct {
	terminal.Remote
	terminal.Paging
	Status terminal.WordFlag `placeholder:"STATUS" help:"${checkout_status}." complete:"checkout-status"`
	From   terminal.DateFlag `placeholder:"DATE" help:"Created on or after this business date."`
	To     terminal.DateFlag `placeholder:"DATE" help:"Created on or before this business date."`
}

func (CheckoutsList) Examples() []string {
	return []string{"checkouts list --status OPEN", "checkouts list --from 2026-01-01 --all --json"}
}

func (c *CheckoutsList) Run(ctx context.Context, a *terminal.App) error {
	f := client.CheckoutFilter{Status: string(c.Status), From: string(c.From), To: string(c.To)}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, checkoutNoun(), f, (*client.Client).ListCheckouts)
}

type checkoutKeyed struct {
	ID string `arg:"" help:"Checkout ID: chk_…"`
}

// CheckoutShow is the command "checkouts show".
type CheckoutShow struct {
	terminal.Remote
	checkoutKeyed
}

func (CheckoutShow) Examples() []string { return []string{"checkouts show chk_…"} }

func (c *CheckoutShow) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Get(ctx, a, &c.Remote, checkoutNoun(), c.ID, (*client.Client).Checkout)
}

// CheckoutCreate is the command "checkouts create".
type CheckoutCreate struct {
	terminal.Change
	Amount       terminal.AmountFlag `arg:"" optional:"" help:"Amount to finance. Default: from --file or --order."`
	ReturnURL    string              `name:"return-url" placeholder:"URL" help:"Return URL after the buyer accepts; %ORDER_KEY% is replaced by the order key."`
	CancelURL    string              `name:"cancel-url" placeholder:"URL" help:"Return URL otherwise; %REASON% is replaced by the reason."`
	Mode         string              `enum:"redirect,modal,link" default:"redirect" placeholder:"MODE" help:"How the buyer opens it: redirect, modal or link."`
	Email        string              `placeholder:"ADDRESS" help:"Work e-mail of the buyer."`
	Company      int64               `placeholder:"ID" help:"Only people who act for this company can accept." complete:"company"`
	Order        string              `placeholder:"KEY" help:"With --mode link: the CREATED order whose terms the buyer should accept." complete:"order"`
	Installments []int               `placeholder:"N" help:"Offer only these numbers of installments."`
	Cart         string              `name:"cart" placeholder:"ID" help:"Your cart ID; sending the same cart again returns the same checkout."`
	ExpiresIn    int                 `placeholder:"SECONDS" help:"Seconds until it expires, 900 to 2592000."`
	File         string              `placeholder:"FILE" help:"Request body as JSON, - for standard input; flags override it."`
}

func (CheckoutCreate) Examples() []string {
	return []string{
		"checkouts create 1200 --return-url 'https://shop.example/done?order=%ORDER_KEY%' --cancel-url https://shop.example/cart",
		"checkouts create --mode link --order ord_… --email ada@alder.example", "checkouts create --file cart.json",
	}
}

// request builds the request from the flags and the file.
func (c *CheckoutCreate) request(a *terminal.App) (r client.CheckoutRequest, err error) {
	if c.File != "" {
		text, err := a.ReadAll(c.File)
		if err != nil {
			return r, err
		}
		if err := json.Unmarshal(text, &r); err != nil {
			return r, &exit.Failure{Code: exit.Usage, Text: "the file is not a checkout request in JSON", Hint: err.Error()}
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

func (c *CheckoutCreate) Run(ctx context.Context, a *terminal.App) error {
	r, err := c.request(a)
	if err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, checkoutNoun(), func(api *client.Client, o ...client.Option) (*client.Checkout, error) {
		return api.CreateCheckout(ctx, r, o...)
	}, func(x *client.Checkout) string {
		return a.WithUndo(fmt.Sprintf("Created %s (%s) for order %s. Send the buyer to %s", x.ID, terminal.Dollars(x.Amount), x.OrderKey, x.CheckoutURL), "checkouts expire "+x.ID)
	})
}

// CheckoutComplete is the command "checkouts complete".
type CheckoutComplete struct {
	terminal.Change
	checkoutKeyed
}

func (CheckoutComplete) Examples() []string { return []string{"checkouts complete chk_…"} }

func (c *CheckoutComplete) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.CompleteCheckout(ctx, c.ID, o...)
	}, func(x *client.Order) string {
		return a.WithUndo(fmt.Sprintf("Order %s (%s) is %s.", x.Key, terminal.Dollars(x.Amount), x.Status), "orders cancel "+x.Key)
	})
}

// CheckoutExpire is the command "checkouts expire".
type CheckoutExpire struct {
	terminal.Change
	terminal.Consent
	checkoutKeyed
}

func (CheckoutExpire) Examples() []string { return []string{"checkouts expire chk_… --yes"} }

func (c *CheckoutExpire) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Expire %s and cancel its accepted order?", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, checkoutNoun(), func(api *client.Client, o ...client.Option) (*client.Checkout, error) {
		return api.ExpireCheckout(ctx, c.ID, o...)
	}, func(x *client.Checkout) string { return fmt.Sprintf("%s is %s.", x.ID, x.Status) })
}
