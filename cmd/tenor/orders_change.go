package main

import (
	"context"
	"fmt"
	"strconv"
	"strings"

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
		"orders create --company 1000000001 --amount 1200 --installments 6 --authorize --dry-run",
	}
}

// Run is called by the parser.
func (c *orderCreate) Run(ctx context.Context, a *app) error {
	r := client.OrderRequest{
		CompanyID: c.Company, Amount: client.Amount(c.Amount), MerchantOrderID: c.MerchantOrderID, Installments: c.Installments,
		ExternallyManagedPayments: c.External, Metadata: c.Metadata,
	}
	if c.Authorize {
		r.Status = "AUTHORIZED"
	}
	return act(ctx, a, &c.change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.CreateOrder(ctx, r, o...)
	}, func(o *client.Order) string {
		next, did := "authorize", "Created"
		if o.Status == "AUTHORIZED" {
			next, did = "capture", "Authorized"
		}
		return fmt.Sprintf("%s %s (%s): %s. Next: %s orders %s %s", did, nameOf(o), dollars(o.Amount), o.Key, a.program, next, o.Key)
	})
}

type orderUpdate struct {
	change
	versioned
	orderKeyed
	Amount          amountFlag        `placeholder:"USD" help:"Another amount."`
	Installments    int               `placeholder:"N" help:"Another number of installments."`
	MerchantOrderID string            `name:"merchant-order-id" placeholder:"TEXT" help:"The merchant's own order number."`
	MerchantStatus  string            `placeholder:"TEXT" help:"The shop's own status text."`
	Metadata        map[string]string `placeholder:"NAME=TEXT" help:"The merchant's own notes."`
}

// Examples are shown by -h.
func (orderUpdate) Examples() []string {
	return []string{"orders update ord_… --installments 6", "orders update ord_… --amount 900 --merchant-order-id PO-2 --if-version 3"}
}

// Run is called by the parser.
func (c *orderUpdate) Run(ctx context.Context, a *app) error {
	patch := client.OrderChange{
		Amount: client.Amount(c.Amount), Installments: c.Installments, MerchantOrderID: c.MerchantOrderID,
		MerchantStatus: c.MerchantStatus, Metadata: c.Metadata,
	}
	return changeOrder(ctx, a, &c.change, c.Key, patch, func(o *client.Order) string {
		return fmt.Sprintf("Updated %s (%s), version %d. See: %s orders get %s", nameOf(o), dollars(o.Amount), o.Version, a.program, o.Key)
	}, c.options()...)
}

// changeOrder sends a change of an order and says what came of it.
func changeOrder(ctx context.Context, a *app, c *change, key string, patch client.OrderChange, say func(*client.Order) string, more ...client.Option) error {
	a.subject = key
	return act(ctx, a, c, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.UpdateOrder(ctx, key, patch, append(o, more...)...)
	}, say)
}

type orderAuthorize struct {
	change
	versioned
	orderKeyed
	Installments int `placeholder:"N" help:"Choose a number of installments in the same step."`
}

// Examples are shown by -h.
func (orderAuthorize) Examples() []string {
	return []string{"orders authorize ord_…", "orders authorize ord_… --installments 6", "orders authorize ord_… --dry-run"}
}

// Run is called by the parser.
func (c *orderAuthorize) Run(ctx context.Context, a *app) error {
	return changeOrder(ctx, a, &c.change, c.Key, client.OrderChange{Status: "AUTHORIZED", Installments: c.Installments}, func(o *client.Order) string {
		until := ""
		if o.AuthorizationExpiresAt != nil {
			until = " until " + o.AuthorizationExpiresAt.UTC().Format("Jan 2")
		}
		return fmt.Sprintf("Authorized %s (%s)%s. Next: %s orders capture %s", nameOf(o), dollars(o.AuthorizedAmount), until, a.program, o.Key)
	}, c.options()...)
}

type orderCapture struct {
	change
	versioned
	orderKeyed
	Amount amountFlag `placeholder:"USD" help:"Capture less; the rest is released."`
}

// Examples are shown by -h.
func (orderCapture) Examples() []string {
	return []string{"orders capture ord_…", "orders capture ord_… --amount 900 --if-version 3", "orders capture ord_… --dry-run"}
}

// Run is called by the parser.
func (c *orderCapture) Run(ctx context.Context, a *app) error {
	return changeOrder(ctx, a, &c.change, c.Key, client.OrderChange{Status: "CAPTURED", Amount: client.Amount(c.Amount)}, func(o *client.Order) string {
		return captured(a, o, "")
	}, c.options()...)
}

func captured(a *app, o *client.Order, more string) string {
	text := fmt.Sprintf("Captured %s (%s).", nameOf(o), dollars(o.CapturedAmount))
	if o.Terms != nil && o.Terms.FirstDueDate != "" {
		text += " First installment " + day(o.Terms.FirstDueDate) + "."
	}
	if more != "" {
		text += " " + more
	}
	return fmt.Sprintf("%s See: %s payments schedule %s", text, a.program, o.Key)
}

type orderPartial struct {
	change
	versioned
	orderKeyed
	Amount          amountFlag `required:"" placeholder:"USD" help:"The part to capture."`
	MerchantOrderID string     `name:"merchant-order-id" placeholder:"TEXT" help:"Order number of the part."`
}

// Examples are shown by -h.
func (orderPartial) Examples() []string { return []string{"orders partial ord_… --amount 400"} }

// Run is called by the parser.
func (c *orderPartial) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	part := client.PartialCapture{Amount: client.Amount(c.Amount), MerchantOrderID: c.MerchantOrderID}
	return act(ctx, a, &c.change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.CapturePart(ctx, c.Key, part, append(o, c.options()...)...)
	}, func(o *client.Order) string {
		return captured(a, o, "The rest stays authorized as "+c.Key+".")
	})
}

type orderCancel struct {
	change
	versioned
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
	if err := c.confirm(ctx, a); err != nil {
		return err
	}
	return changeOrder(ctx, a, &c.change, c.Key, client.OrderChange{Status: "CANCELED"}, func(o *client.Order) string {
		return fmt.Sprintf("Canceled %s (%s). What was reserved is free again.", nameOf(o), dollars(o.Amount))
	}, c.options()...)
}

// confirm shows what is about to be canceled and asks.
func (c *orderCancel) confirm(ctx context.Context, a *app) error {
	if c.DryRun {
		return nil
	}
	if c.Yes || !a.interactive {
		return c.ask(a, "")
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	o, err := api.Order(ctx, c.Key)
	if err != nil {
		return err
	}
	return c.ask(a, fmt.Sprintf("Cancel %s (%s, %s)?", nameOf(o), dollars(o.Amount), o.Status))
}

type orderExtend struct {
	change
	versioned
	orderKeyed
}

// Examples are shown by -h.
func (orderExtend) Examples() []string { return []string{"orders extend ord_…"} }

// Run is called by the parser.
func (c *orderExtend) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	return act(ctx, a, &c.change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ExtendOrder(ctx, c.Key, append(o, c.options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Extended %s until %s. It cannot be extended again.", nameOf(o), instant(o.AuthorizationExpiresAt))
	})
}

type orderRefund struct {
	change
	versioned
	moneyBack
	orderKeyed
	Amount    amountFlag  `placeholder:"USD" help:"What to refund; absent: all that is left."`
	Reason    string      `placeholder:"TEXT" help:"Why."`
	Reference string      `placeholder:"TEXT" help:"The merchant's own number for the refund."`
	Items     []goodsFlag `placeholder:"SKU=N" help:"What came back, separated by commas; N is 1 if it is left out."`
}

// goodsFlag is some of an order's goods.
type goodsFlag client.RefundItem

// UnmarshalText reads SKU, or SKU=N.
func (f *goodsFlag) UnmarshalText(text []byte) error {
	sku, count, given := strings.Cut(string(text), "=")
	n := 1
	if given {
		n, _ = strconv.Atoi(count)
	}
	if sku == "" || n < 1 {
		return fmt.Errorf("%q is not goods such as CHAIR-1=2", text)
	}
	*f = goodsFlag{SKU: sku, Quantity: n}
	return nil
}

// Examples are shown by -h.
func (orderRefund) Examples() []string {
	return []string{
		"orders refund ord_…", "orders refund ord_… --amount 300 --reference RMA-88 --items CHAIR-1=2 --yes", "orders refund ord_… --dry-run",
		"orders refund ord_… --confirm=PO-7781",
	}
}

// Run is called by the parser.
func (c *orderRefund) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	amount := client.Amount(c.Amount)
	if !c.DryRun {
		if err := c.approve(a, amount, func() (refundable, error) { return c.read(ctx, a) }); err != nil {
			return err
		}
	}
	r := client.OrderRefund{Amount: amount, Reason: c.Reason, Reference: c.Reference}
	for _, x := range c.Items {
		r.Items = append(r.Items, client.RefundItem(x))
	}
	return act(ctx, a, &c.change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.RefundOrder(ctx, c.Key, r, append(o, c.options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Refunded of %s: %s so far, %s left. Status %s. See: %s payments schedule %s",
			nameOf(o), dollars(o.RefundedAmount), dollars(o.RefundableAmount), o.Status, a.program, o.Key)
	})
}

func (c *orderRefund) read(ctx context.Context, a *app) (refundable, error) {
	api, err := c.connect(a)
	if err != nil {
		return refundable{}, err
	}
	o, err := api.Order(ctx, c.Key)
	if err != nil {
		return refundable{}, err
	}
	return refundable{name: nameOf(o), key: o.Key, left: o.RefundableAmount}, nil
}
