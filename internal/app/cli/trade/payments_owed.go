package trade

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// PaymentsOwed is the command "payments owed".
type PaymentsOwed struct {
	terminal.Remote
	terminal.Paging
}

func (PaymentsOwed) Examples() []string {
	return []string{"payments owed", "payments owed --all --json"}
}

func (c *PaymentsOwed) Run(ctx context.Context, a *terminal.App) error {
	return terminal.List(ctx, a, &c.Remote, c.Paging, owedNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.OwedRefund], error) {
		return api.ListOwedRefunds(ctx, p, o...)
	})
}

func owedNoun() terminal.Noun[client.OwedRefund] {
	return terminal.Noun[client.OwedRefund]{
		Head: []string{"PAYMENT", "COMPANY", "WHAT", ">AMOUNT", "SINCE", ">DAYS"},
		Row: func(x *client.OwedRefund) []any {
			return []any{x.PaymentID, x.CompanyID, owedWhat(x), x.Amount, x.Since, x.Days}
		},
		Key: func(x *client.OwedRefund) string { return x.PaymentID },
	}
}

// owedWhat describes what is waiting: credit to send back, or refunds with their statuses.
func owedWhat(x *client.OwedRefund) string {
	if x.Direction == "OUT" {
		return "credit sent back"
	}
	var parts []string
	for _, r := range x.Refunds {
		parts = append(parts, r.ID+" "+r.Status)
	}
	return strings.Join(parts, ", ")
}

// PaymentPayRefund is the command "payments pay-refund".
type PaymentPayRefund struct {
	terminal.Change
	terminal.Consent
	paymentKeyed
	terminal.Audited
	Refund    string            `arg:"" help:"Refund ID: rfd_…"`
	Method    string            `xor:"way" required:"" placeholder:"ID" help:"Company bank account to send it to: pm_…"`
	By        terminal.WordFlag `xor:"way" required:"" placeholder:"METHOD" help:"How it was paid manually: ${by_hand}." complete:"by-hand"`
	Reference string            `placeholder:"TEXT" help:"Check or wire number."`
}

func (PaymentPayRefund) Examples() []string {
	return []string{"payments pay-refund pay_… rfd_… --method pm_… --yes --reason 'approved by underwriting'", "payments pay-refund pay_… rfd_… --by CHECK --reference 1042 --yes --reason 'approved by underwriting'"}
}

func (c *PaymentPayRefund) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if c.Method != "" && c.Reference != "" {
		return &exit.Failure{Code: exit.Usage, Text: "--reference requires --by; it is for refunds paid manually"}
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Pay refund %s of %s?", c.Refund, c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.PayRefund(ctx, c.ID, c.Refund, client.RefundPayout{PaymentMethodID: c.Method, Method: string(c.By), Reference: c.Reference}, c.WithReason(o)...)
	}, func(p *client.Payment) string {
		if c.Method != "" {
			return fmt.Sprintf("Refund %s of %s is on its way to %s. See: %s payments owed", c.Refund, p.ID, c.Method, a.Program)
		}
		return fmt.Sprintf("Recorded refund %s of %s as paid by %s.", c.Refund, p.ID, c.By)
	})
}

// CompanyRequestCredit is the command "companies request-credit".
type CompanyRequestCredit struct {
	terminal.Change
	companyKeyed
}

func (CompanyRequestCredit) Examples() []string {
	return []string{"companies request-credit 1000000001"}
}

func (c *CompanyRequestCredit) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, CompanyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.RequestCredit(ctx, c.ID, o...)
	}, func(x *client.Company) string {
		return fmt.Sprintf("%s of %s (%s) will be sent back within seven banking days.", terminal.Dollars(x.UnappliedCredit), terminal.Clean(x.Name), x.ID)
	})
}

// OrderResume is the command "orders resume".
type OrderResume struct {
	terminal.Change
	terminal.Versioned
	orderKeyed
	Amount terminal.AmountFlag `placeholder:"USD" help:"For a debit not in line with the authorization (R11): amount of the corrected entry."`
	On     terminal.DateFlag   `placeholder:"DATE" help:"For such a debit: banking day the corrected entry settles."`
}

func (OrderResume) Examples() []string {
	return []string{"orders resume ord_…", "orders resume ord_… --amount 150.00 --on 2026-03-24"}
}

func (c *OrderResume) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.ResumeCollection(ctx, c.Key, client.CorrectedEntry{Amount: client.Amount(c.Amount), ScheduledDate: string(c.On)}, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return fmt.Sprintf("Autopay resumed for %s. See: %s payments schedule %s", nameOf(o), a.Program, o.Key)
	})
}
