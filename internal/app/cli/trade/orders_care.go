package trade

import (
	"context"
	"fmt"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// OrderHold is the command "orders hold".
type OrderHold struct {
	terminal.Change
	terminal.Versioned
	orderKeyed
	Days   int    `required:"" placeholder:"N" help:"Length of the hold in days from today, at most 365; 0 ends the current hold."`
	Reason string `required:"" placeholder:"TEXT" help:"Reason, for the record."`
}

func (OrderHold) Examples() []string {
	return []string{"orders hold ord_… --days 30 --reason 'goods disputed'", "orders hold ord_… --days 0 --reason 'settled with the shop'"}
}

func (c *OrderHold) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if c.Days < 0 || c.Days > 365 {
		return &exit.Failure{Code: exit.Usage, Text: "--days must be between 0 and 365"}
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.HoldOrder(ctx, c.Key, c.Days, c.Reason, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		if c.Days == 0 {
			return fmt.Sprintf("Ended the hold on %s. See: %s payments schedule %s", nameOf(o), a.Program, o.Key)
		}
		return a.WithUndo(fmt.Sprintf("%s is on dispute hold for %d days: no autopay, no late fees.", nameOf(o), c.Days),
			fmt.Sprintf("orders hold %s --days 0 --reason …", o.Key))
	})
}

// OrderReschedule is the command "orders reschedule".
type OrderReschedule struct {
	terminal.Change
	terminal.Versioned
	terminal.Consent
	orderKeyed
	Installment int               `required:"" placeholder:"N" help:"First installment to move; it must not be due yet. Later ones follow monthly."`
	Due         terminal.DateFlag `required:"" placeholder:"DATE" help:"New due date, at most 92 days after the current one."`
	Reason      string            `required:"" placeholder:"TEXT" help:"Reason, for the record."`
}

func (OrderReschedule) Examples() []string {
	return []string{
		"orders reschedule ord_… --installment 3 --due 2026-04-30 --reason 'flood damage' --yes",
		"orders reschedule ord_… --installment 3 --due 2026-04-30 --reason 'flood damage' --dry-run",
	}
}

func (c *OrderReschedule) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if c.Installment < 1 || c.Installment > 36 {
		return &exit.Failure{Code: exit.Usage, Text: "--installment must be between 1 and 36"}
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Move installment %d of %s to %s, and the ones after it?", c.Installment, c.Key, c.Due)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ReviseSchedule(ctx, c.Key, client.ScheduleRevision{Installment: c.Installment, DueDate: string(c.Due), Reason: c.Reason}, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Installment %d of %s is now due %s, later ones monthly after that. See: %s payments schedule %s", c.Installment, nameOf(o), c.Due, a.Program, o.Key)
	})
}

// OrderReamortize is the command "orders reamortize".
type OrderReamortize struct {
	terminal.Change
	terminal.Versioned
	terminal.Consent
	orderKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Reason, for the record."`
}

func (OrderReamortize) Examples() []string {
	return []string{"orders reamortize ord_… --reason hardship --dry-run", "orders reamortize ord_… --reason hardship --yes"}
}

func (c *OrderReamortize) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Spread the unpaid balance of %s over the remaining installments?", c.Key)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ReviseSchedule(ctx, c.Key, client.ScheduleRevision{Reamortize: true, Reason: c.Reason}, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Spread the unpaid balance of %s over the remaining installments. See: %s payments schedule %s", nameOf(o), a.Program, o.Key)
	})
}

// OrderChargeOff is the command "orders charge-off".
type OrderChargeOff struct {
	terminal.Change
	terminal.Versioned
	terminal.TypedConfirmation
	orderKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Reason, for the record."`
}

func (OrderChargeOff) Examples() []string {
	return []string{"orders charge-off ord_… --reason 'company dissolved'", "orders charge-off ord_… --reason 'company dissolved' --dry-run"}
}

func (c *OrderChargeOff) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if !c.DryRun {
		if err := c.ConfirmTyped(a, fmt.Sprintf("Charge off order %s?", c.Key), c.Key); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ChargeOffOrder(ctx, c.Key, c.Reason, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Charged off %s. Financing %s. Payments from now on are recoveries. See: %s ledger entries --order %s", nameOf(o), o.FinancingStatus, a.Program, o.Key)
	})
}

// OrderReverse is the command "orders reverse-charge-off".
type OrderReverse struct {
	terminal.Change
	terminal.Versioned
	terminal.TypedConfirmation
	orderKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Reason, for the record."`
}

func (OrderReverse) Examples() []string {
	return []string{"orders reverse-charge-off ord_… --reason 'wrong company'", "orders reverse-charge-off ord_… --reason 'wrong company' --dry-run"}
}

func (c *OrderReverse) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if !c.DryRun {
		if err := c.ConfirmTyped(a, fmt.Sprintf("Reverse the charge-off of order %s?", c.Key), c.Key); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ReverseChargeOff(ctx, c.Key, c.Reason, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Reversed the charge-off of %s. Financing %s. To collect what came due meanwhile: %s orders resume %s. The company stays suspended; to release it: %s companies release %d",
			nameOf(o), o.FinancingStatus, a.Program, o.Key, a.Program, o.CompanyID)
	})
}

// FeeWaive is the command "orders fees waive".
type FeeWaive struct {
	terminal.Change
	terminal.Versioned
	terminal.Consent
	orderKeyed
	Fee    string `arg:"" help:"Fee ID, fee_…, as shown by payments schedule."`
	Reason string `required:"" placeholder:"TEXT" help:"Reason, for the record."`
}

func (FeeWaive) Examples() []string {
	return []string{"orders fees waive ord_… fee_… --reason 'the bank was closed' --yes"}
}

func (c *FeeWaive) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Waive the unpaid part of %s?", c.Fee)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.WaiveFee(ctx, c.Key, c.Fee, c.Reason, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Waived the unpaid part of %s. See: %s payments schedule %s", c.Fee, a.Program, o.Key)
	})
}
