package main

import (
	"context"
	"fmt"

	"tenor/client"
)

type orderCreate struct {
	change
	Company         int64             `required:"" placeholder:"ID" help:"The company that buys."`
	Amount          amountFlag        `required:"" placeholder:"USD" help:"The amount to be financed, such as 1200.00."`
	MerchantOrderID string            `name:"merchant-order-id" placeholder:"TEXT" help:"The merchant's own order number."`
	Installments    int               `placeholder:"N" help:"Number of installments; may be chosen later."`
	Authorize       bool              `help:"Authorize it in the same step."`
	External        bool              `help:"The merchant collects the payments itself."`
	Metadata        map[string]string `placeholder:"NAME=TEXT" help:"The merchant's own notes."`
}

// Examples are shown by -h.
func (orderCreate) Examples() []string {
	return []string{
		"orders create --company 1000000001 --amount 1200 --installments 6 --merchant-order-id PO-1",
		"orders create --company 1000000001 --amount 1200 --installments 6 --authorize -q",
	}
}

// Run is called by the parser.
func (c *orderCreate) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	r := client.OrderRequest{
		CompanyID: c.Company, Amount: client.Amount(c.Amount), MerchantOrderID: c.MerchantOrderID, Installments: c.Installments,
		ExternallyManagedPayments: c.External, Metadata: c.Metadata,
	}
	if c.Authorize {
		r.Status = "AUTHORIZED"
	}
	var raw client.Response
	o, err := api.CreateOrder(ctx, r, c.options(&raw)...)
	if err != nil {
		return c.failed(err)
	}
	next, did := "authorize", "Created"
	if o.Status == "AUTHORIZED" {
		next, did = "capture", "Authorized"
	}
	return c.done(a, raw, o.Key, "%s %s (%s): %s. Next: %s orders %s %s", did, nameOf(o), dollars(o.Amount), o.Key, a.program, next, o.Key)
}

type orderUpdate struct {
	change
	orderKeyed
	Amount          amountFlag        `placeholder:"USD" help:"Another amount."`
	Installments    int               `placeholder:"N" help:"Another number of installments."`
	MerchantOrderID string            `name:"merchant-order-id" placeholder:"TEXT" help:"The merchant's own order number."`
	MerchantStatus  string            `placeholder:"TEXT" help:"The shop's own status text."`
	Metadata        map[string]string `placeholder:"NAME=TEXT" help:"The merchant's own notes."`
}

// Examples are shown by -h.
func (orderUpdate) Examples() []string {
	return []string{"orders update ord_… --installments 6", "orders update ord_… --amount 900 --merchant-order-id PO-2"}
}

// Run is called by the parser.
func (c *orderUpdate) Run(ctx context.Context, a *app) error {
	patch := client.OrderChange{
		Amount: client.Amount(c.Amount), Installments: c.Installments, MerchantOrderID: c.MerchantOrderID,
		MerchantStatus: c.MerchantStatus, Metadata: c.Metadata,
	}
	return c.patch(ctx, a, c.Key, patch, func(o *client.Order) string {
		return fmt.Sprintf("Updated %s (%s), version %d. See: %s orders get %s", nameOf(o), dollars(o.Amount), o.Version, a.program, o.Key)
	})
}

// patch sends a change of an order and says what came of it.
func (c *change) patch(ctx context.Context, a *app, key string, patch client.OrderChange, say func(*client.Order) string) error {
	a.subject = key
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	o, err := api.UpdateOrder(ctx, key, patch, c.options(&raw)...)
	if err != nil {
		return c.failed(err)
	}
	return c.done(a, raw, o.Key, "%s", say(o))
}

type orderAuthorize struct {
	change
	orderKeyed
	Installments int `placeholder:"N" help:"Choose a number of installments in the same step."`
}

// Examples are shown by -h.
func (orderAuthorize) Examples() []string {
	return []string{"orders authorize ord_…", "orders authorize ord_… --installments 6"}
}

// Run is called by the parser.
func (c *orderAuthorize) Run(ctx context.Context, a *app) error {
	return c.patch(ctx, a, c.Key, client.OrderChange{Status: "AUTHORIZED", Installments: c.Installments}, func(o *client.Order) string {
		until := ""
		if o.AuthorizationExpiresAt != nil {
			until = " until " + o.AuthorizationExpiresAt.UTC().Format("Jan 2")
		}
		return fmt.Sprintf("Authorized %s (%s)%s. Next: %s orders capture %s", nameOf(o), dollars(o.AuthorizedAmount), until, a.program, o.Key)
	})
}

type orderCapture struct {
	change
	orderKeyed
	Amount amountFlag `placeholder:"USD" help:"Capture less; the rest is released."`
}

// Examples are shown by -h.
func (orderCapture) Examples() []string {
	return []string{"orders capture ord_…", "orders capture ord_… --amount 900"}
}

// Run is called by the parser.
func (c *orderCapture) Run(ctx context.Context, a *app) error {
	return c.patch(ctx, a, c.Key, client.OrderChange{Status: "CAPTURED", Amount: client.Amount(c.Amount)}, func(o *client.Order) string {
		return captured(a, o)
	})
}

func captured(a *app, o *client.Order) string {
	first := ""
	if o.Terms != nil && o.Terms.FirstDueDate != "" {
		first = " First installment " + day(o.Terms.FirstDueDate) + "."
	}
	return fmt.Sprintf("Captured %s (%s).%s See: %s payments schedule %s", nameOf(o), dollars(o.CapturedAmount), first, a.program, o.Key)
}

type orderPartial struct {
	change
	orderKeyed
	Amount          amountFlag `required:"" placeholder:"USD" help:"The part to capture."`
	MerchantOrderID string     `name:"merchant-order-id" placeholder:"TEXT" help:"Order number of the part."`
}

// Examples are shown by -h.
func (orderPartial) Examples() []string { return []string{"orders partial ord_… --amount 400"} }

// Run is called by the parser.
func (c *orderPartial) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	o, err := api.CapturePart(ctx, c.Key, client.PartialCapture{Amount: client.Amount(c.Amount), MerchantOrderID: c.MerchantOrderID}, c.options(&raw)...)
	if err != nil {
		return c.failed(err)
	}
	return c.done(a, raw, o.Key, "%s The rest stays authorized as %s.", captured(a, o), c.Key)
}

type orderCancel struct {
	change
	consent
	orderKeyed
}

// Examples are shown by -h.
func (orderCancel) Examples() []string {
	return []string{"orders cancel ord_…", "orders cancel ord_… --yes"}
}

// Run is called by the parser.
func (c *orderCancel) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	if err := c.confirm(ctx, a, c.Key, c.consent, func(o *client.Order) string {
		return fmt.Sprintf("Cancel %s (%s, %s)?", nameOf(o), dollars(o.Amount), o.Status)
	}); err != nil {
		return err
	}
	return c.patch(ctx, a, c.Key, client.OrderChange{Status: "CANCELED"}, func(o *client.Order) string {
		return fmt.Sprintf("Canceled %s (%s). What was reserved is free again.", nameOf(o), dollars(o.Amount))
	})
}

// confirm shows what is about to happen to an order and asks.
func (c *change) confirm(ctx context.Context, a *app, key string, ask consent, question func(*client.Order) string) error {
	if ask.Yes || !a.interactive {
		return ask.ask(a, "")
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	o, err := api.Order(ctx, key)
	if err != nil {
		return err
	}
	return ask.ask(a, question(o))
}

type orderExtend struct {
	change
	orderKeyed
}

// Examples are shown by -h.
func (orderExtend) Examples() []string { return []string{"orders extend ord_…"} }

// Run is called by the parser.
func (c *orderExtend) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	o, err := api.ExtendOrder(ctx, c.Key, c.options(&raw)...)
	if err != nil {
		return c.failed(err)
	}
	return c.done(a, raw, o.Key, "Extended %s until %s. It cannot be extended again.", nameOf(o), instant(o.AuthorizationExpiresAt))
}

type orderRefund struct {
	change
	consent
	orderKeyed
	Amount    amountFlag `placeholder:"USD" help:"What to refund; absent: all that is left."`
	Reason    string     `placeholder:"TEXT" help:"Why."`
	Reference string     `placeholder:"TEXT" help:"The merchant's own number for the refund."`
}

// Examples are shown by -h.
func (orderRefund) Examples() []string {
	return []string{"orders refund ord_…", "orders refund ord_… --amount 300 --reference RMA-88 --yes"}
}

// Run is called by the parser.
func (c *orderRefund) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	if err := c.confirm(ctx, a, c.Key, c.consent, func(o *client.Order) string {
		amount := client.Amount(c.Amount)
		if amount == "" {
			amount = o.RefundableAmount
		}
		return fmt.Sprintf("Refund %s of %s (%s refundable)?", dollars(amount), nameOf(o), dollars(o.RefundableAmount))
	}); err != nil {
		return err
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	o, err := api.RefundOrder(ctx, c.Key, client.OrderRefund{Amount: client.Amount(c.Amount), Reason: c.Reason, Reference: c.Reference}, c.options(&raw)...)
	if err != nil {
		return c.failed(err)
	}
	return c.done(a, raw, o.Key, "Refunded of %s: %s so far, %s left. Status %s. See: %s payments schedule %s",
		nameOf(o), dollars(o.RefundedAmount), dollars(o.RefundableAmount), o.Status, a.program, o.Key)
}
