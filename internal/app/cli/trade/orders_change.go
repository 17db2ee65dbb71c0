package trade

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
	"tenor/internal/app/terminal"
)

// OrderCreate is the command "orders create".
type OrderCreate struct {
	terminal.Change
	Company         int64               `required:"" placeholder:"ID" help:"Company that buys."`
	Amount          terminal.AmountFlag `required:"" placeholder:"USD" help:"Amount to finance, such as 1200.00."`
	MerchantOrderID string              `name:"merchant-order-id" placeholder:"TEXT" help:"The merchant's order number."`
	Installments    int                 `placeholder:"N" help:"Number of installments; can be chosen later."`
	Authorize       bool                `help:"Also authorize it."`
	External        bool                `help:"The merchant collects the payments itself."`
	Metadata        map[string]string   `placeholder:"NAME=TEXT" help:"Merchant notes."`
}

func (OrderCreate) Examples() []string {
	return []string{
		"orders create --company 1000000001 --amount 1200 --installments 6 --merchant-order-id PO-1",
		"orders create --company 1000000001 --amount 1200 --installments 6 --authorize -q",
		"orders create --company 1000000001 --amount 1200 --installments 6 --authorize --dry-run",
	}
}

func (c *OrderCreate) Run(ctx context.Context, a *terminal.App) error {
	r := client.OrderRequest{
		CompanyID: c.Company, Amount: client.Amount(c.Amount), MerchantOrderID: c.MerchantOrderID, Installments: c.Installments,
		ExternallyManagedPayments: c.External, Metadata: c.Metadata,
	}
	if c.Authorize {
		r.Status = "AUTHORIZED"
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.CreateOrder(ctx, r, o...)
	}, func(o *client.Order) string {
		next, did := "authorize", "Created"
		if o.Status == "AUTHORIZED" {
			next, did = "capture", "Authorized"
		}
		return fmt.Sprintf("%s %s (%s): %s. Next: %s orders %s %s", did, nameOf(o), terminal.Dollars(o.Amount), o.Key, a.Program, next, o.Key)
	})
}

// OrderUpdate is the command "orders update".
type OrderUpdate struct {
	terminal.Change
	terminal.Versioned
	orderKeyed
	Amount          terminal.AmountFlag `placeholder:"USD" help:"New amount."`
	Installments    int                 `placeholder:"N" help:"New number of installments."`
	MerchantOrderID string              `name:"merchant-order-id" placeholder:"TEXT" help:"The merchant's order number."`
	MerchantStatus  string              `placeholder:"TEXT" help:"Status text of the shop."`
	Metadata        map[string]string   `placeholder:"NAME=TEXT" help:"Merchant notes."`
}

func (OrderUpdate) Examples() []string {
	return []string{"orders update ord_… --installments 6", "orders update ord_… --amount 900 --merchant-order-id PO-2 --if-version 3"}
}

func (c *OrderUpdate) Run(ctx context.Context, a *terminal.App) error {
	patch := client.OrderChange{
		Amount: client.Amount(c.Amount), Installments: c.Installments, MerchantOrderID: c.MerchantOrderID,
		MerchantStatus: c.MerchantStatus,
	}
	for name, note := range c.Metadata {
		if patch.Metadata == nil {
			patch.Metadata = map[string]*string{}
		}
		patch.Metadata[name] = &note
	}
	return changeOrder(ctx, a, &c.Change, c.Key, patch, func(o *client.Order) string {
		return fmt.Sprintf("Updated %s (%s), version %d. See: %s orders get %s", nameOf(o), terminal.Dollars(o.Amount), o.Version, a.Program, o.Key)
	}, c.Options()...)
}

// changeOrder sends a change of an order and prints the result.
func changeOrder(ctx context.Context, a *terminal.App, c *terminal.Change, key string, patch client.OrderChange, say func(*client.Order) string, more ...client.Option) error {
	a.Subject = key
	return terminal.Act(ctx, a, c, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.UpdateOrder(ctx, key, patch, append(o, more...)...)
	}, say)
}

// OrderAuthorize is the command "orders authorize".
type OrderAuthorize struct {
	terminal.Change
	terminal.Versioned
	orderKeyed
	Installments int `placeholder:"N" help:"Also choose the number of installments."`
}

func (OrderAuthorize) Examples() []string {
	return []string{"orders authorize ord_…", "orders authorize ord_… --installments 6", "orders authorize ord_… --dry-run"}
}

func (c *OrderAuthorize) Run(ctx context.Context, a *terminal.App) error {
	return changeOrder(ctx, a, &c.Change, c.Key, client.OrderChange{Status: "AUTHORIZED", Installments: c.Installments}, func(o *client.Order) string {
		until := ""
		if o.AuthorizationExpiresAt != nil {
			until = " until " + o.AuthorizationExpiresAt.UTC().Format("Jan 2")
		}
		return fmt.Sprintf("Authorized %s (%s)%s. Next: %s orders capture %s", nameOf(o), terminal.Dollars(o.AuthorizedAmount), until, a.Program, o.Key)
	}, c.Options()...)
}

// OrderCapture is the command "orders capture".
type OrderCapture struct {
	terminal.Change
	terminal.Versioned
	orderKeyed
	Amount terminal.AmountFlag `placeholder:"USD" help:"Capture less than the full amount; the rest is released."`
}

func (OrderCapture) Examples() []string {
	return []string{"orders capture ord_…", "orders capture ord_… --amount 900 --if-version 3", "orders capture ord_… --dry-run"}
}

func (c *OrderCapture) Run(ctx context.Context, a *terminal.App) error {
	return changeOrder(ctx, a, &c.Change, c.Key, client.OrderChange{Status: "CAPTURED", Amount: client.Amount(c.Amount)}, func(o *client.Order) string {
		return captured(a, o, "")
	}, c.Options()...)
}

func captured(a *terminal.App, o *client.Order, more string) string {
	text := fmt.Sprintf("Captured %s (%s).", nameOf(o), terminal.Dollars(o.CapturedAmount))
	if o.Terms != nil && o.Terms.FirstDueDate != "" {
		text += " First installment " + terminal.Day(o.Terms.FirstDueDate) + "."
	}
	if more != "" {
		text += " " + more
	}
	return fmt.Sprintf("%s See: %s payments schedule %s", text, a.Program, o.Key)
}

// OrderPartial is the command "orders partial".
type OrderPartial struct {
	terminal.Change
	terminal.Versioned
	orderKeyed
	Amount          terminal.AmountFlag `required:"" placeholder:"USD" help:"Amount to capture."`
	MerchantOrderID string              `name:"merchant-order-id" placeholder:"TEXT" help:"Merchant's order number for the captured part."`
}

func (OrderPartial) Examples() []string { return []string{"orders partial ord_… --amount 400"} }

func (c *OrderPartial) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	part := client.PartialCapture{Amount: client.Amount(c.Amount), MerchantOrderID: c.MerchantOrderID}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.CapturePart(ctx, c.Key, part, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return captured(a, o, "The rest stays authorized as "+c.Key+".")
	})
}

// OrderCancel is the command "orders cancel".
type OrderCancel struct {
	terminal.Change
	terminal.Versioned
	terminal.Consent
	orderKeyed
}

func (OrderCancel) Examples() []string {
	return []string{"orders cancel ord_…", "orders cancel ord_… --yes"}
}

func (c *OrderCancel) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if err := c.confirm(ctx, a); err != nil {
		return err
	}
	return changeOrder(ctx, a, &c.Change, c.Key, client.OrderChange{Status: "CANCELED"}, func(o *client.Order) string {
		return fmt.Sprintf("Canceled %s (%s). The reserved amount is available again.", nameOf(o), terminal.Dollars(o.Amount))
	}, c.Options()...)
}

// confirm shows what is about to be canceled, and asks.
func (c *OrderCancel) confirm(ctx context.Context, a *terminal.App) error {
	if c.DryRun {
		return nil
	}
	if c.Yes || !a.Interactive {
		return c.Ask(a, false, "")
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	o, err := api.Order(ctx, c.Key)
	if err != nil {
		return err
	}
	return c.Ask(a, false, fmt.Sprintf("Cancel %s (%s, %s)?", nameOf(o), terminal.Dollars(o.Amount), o.Status))
}

// OrderExtend is the command "orders extend".
type OrderExtend struct {
	terminal.Change
	terminal.Versioned
	orderKeyed
}

func (OrderExtend) Examples() []string { return []string{"orders extend ord_…"} }

func (c *OrderExtend) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ExtendOrder(ctx, c.Key, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Extended %s until %s. It cannot be extended again.", nameOf(o), terminal.Instant(o.AuthorizationExpiresAt))
	})
}

// OrderRefund is the command "orders refund".
type OrderRefund struct {
	terminal.Change
	terminal.Versioned
	terminal.MoneyBack
	orderKeyed
	Amount    terminal.AmountFlag `placeholder:"USD" help:"Amount to refund. Default: everything not yet refunded."`
	Reason    string              `placeholder:"TEXT" help:"Reason."`
	Reference string              `placeholder:"TEXT" help:"The merchant's reference for the refund."`
	Items     []goodsFlag         `placeholder:"SKU=N" help:"Returned items, comma-separated; N defaults to 1."`
}

// goodsFlag selects some of an order's goods.
type goodsFlag client.RefundItem

// UnmarshalText parses SKU, or SKU=N.
func (f *goodsFlag) UnmarshalText(text []byte) error {
	sku, count, given := strings.Cut(string(text), "=")
	n := 1
	if given {
		n, _ = strconv.Atoi(count)
	}
	if sku == "" || n < 1 {
		return fmt.Errorf("%q is not an item such as CHAIR-1=2", text)
	}
	*f = goodsFlag{SKU: sku, Quantity: n}
	return nil
}

func (OrderRefund) Examples() []string {
	return []string{
		"orders refund ord_…", "orders refund ord_… --amount 300 --reference RMA-88 --items CHAIR-1=2 --yes", "orders refund ord_… --dry-run",
		"orders refund ord_… --confirm=PO-7781",
	}
}

func (c *OrderRefund) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	amount := client.Amount(c.Amount)
	if !c.DryRun {
		if err := c.Approve(a, amount, func() (terminal.Refundable, error) { return c.read(ctx, a) }); err != nil {
			return err
		}
	}
	r := client.OrderRefund{Amount: amount, Reason: c.Reason, Reference: c.Reference}
	for _, x := range c.Items {
		r.Items = append(r.Items, client.RefundItem(x))
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.RefundOrder(ctx, c.Key, r, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Refunded %[2]s of %[1]s so far, %[3]s left. Status %[4]s. See: %s payments schedule %s",
			nameOf(o), terminal.Dollars(o.RefundedAmount), terminal.Dollars(o.RefundableAmount), o.Status, a.Program, o.Key)
	})
}

func (c *OrderRefund) read(ctx context.Context, a *terminal.App) (terminal.Refundable, error) {
	api, err := c.Connect(a)
	if err != nil {
		return terminal.Refundable{}, err
	}
	o, err := api.Order(ctx, c.Key)
	if err != nil {
		return terminal.Refundable{}, err
	}
	return terminal.Refundable{Name: nameOf(o), Key: o.Key, Left: o.RefundableAmount}, nil
}
