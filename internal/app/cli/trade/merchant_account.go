package trade

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// MerchantPayAccount is the command "merchants account set".
type MerchantPayAccount struct {
	terminal.Change
	terminal.Consent
	merchantKeyed
	terminal.Audited
	Routing     string `required:"" placeholder:"DIGITS" help:"Routing number: nine digits."`
	AccountFile string `required:"" placeholder:"FILE" help:"File with the account number; - for standard input. Never a flag, because other users of the machine could read it."`
	Holder      string `required:"" placeholder:"NAME" help:"Name of the account holder."`
	Savings     bool   `help:"Savings account. Default: checking account."`
	Debits      bool   `help:"The agreement allows debiting clawbacks from it."`
	Contact     string `placeholder:"EMAIL" help:"E-mail address notified of changes to the account or to this address. Default: unchanged."`
}

func (MerchantPayAccount) Examples() []string {
	return []string{"merchants account set mch_… --routing 021000021 --account-file account.txt --holder 'Harbor Supply Inc' --reason 'letter from the merchant' --yes"}
}

func (c *MerchantPayAccount) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	number, err := a.ReadAll(c.AccountFile)
	if err != nil {
		return &exit.Failure{Code: exit.Usage, Text: "read the account number", Err: err}
	}
	r := client.MerchantAccountRequest{RoutingNumber: c.Routing, AccountNumber: strings.TrimSpace(string(number)), AccountType: "CHECKING", HolderName: c.Holder, Debits: c.Debits, ContactEmail: c.Contact}
	if c.Savings {
		r.AccountType = "SAVINGS"
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Pay %s to the account of %s? Replacing an account is subject to the cooling-off period. This also releases a hold caused by a failed payout.", c.ID, terminal.Clean(c.Holder))); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.SetMerchantAccount(ctx, c.ID, r, c.WithReason(o)...)
	}, func(m *client.Merchant) string {
		return paidTo(a, m)
	})
}

// paidTo says where a merchant is paid, and what a pending change waits for.
func paidTo(a *terminal.App, m *client.Merchant) string {
	p := m.PayoutAccount.Pending
	switch {
	case p == nil && m.PayoutAccount.Bank == nil:
		return fmt.Sprintf("%s (%s) has no bank account.", terminal.Clean(m.Name), m.ID)
	case p == nil:
		return fmt.Sprintf("%s (%s) is paid to account …%s of %s, from the next payout run.", terminal.Clean(m.Name), m.ID, m.PayoutAccount.Bank.Last4, terminal.Clean(m.PayoutAccount.Bank.HolderName))
	case p.NeedsSecond && p.ConfirmedBy == "":
		return fmt.Sprintf("The change to …%s takes effect on %s, after another lender client confirms it: %s merchants account confirm %s --reason TEXT", p.Bank.Last4, p.EffectiveFrom, a.Program, m.ID)
	}
	return fmt.Sprintf("The change to …%s takes effect on %s. To cancel it: %s merchants account cancel %s --reason TEXT", p.Bank.Last4, p.EffectiveFrom, a.Program, m.ID)
}

// MerchantConfirmAccount is the command "merchants account confirm".
type MerchantConfirmAccount struct {
	terminal.Change
	terminal.Consent
	merchantKeyed
	terminal.Audited
}

func (MerchantConfirmAccount) Examples() []string {
	return []string{"merchants account confirm mch_… --reason 'confirmed by phone' --yes"}
}

func (c *MerchantConfirmAccount) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Confirm the new account of %s? Payouts go to it from its effective date.", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.ConfirmMerchantAccount(ctx, c.ID, c.Reason, o...)
	}, func(m *client.Merchant) string { return paidTo(a, m) })
}

// MerchantCancelAccount is the command "merchants account cancel".
type MerchantCancelAccount struct {
	terminal.Change
	merchantKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Reason."`
}

func (MerchantCancelAccount) Examples() []string {
	return []string{"merchants account cancel mch_… --reason 'not requested by the merchant'"}
}

func (c *MerchantCancelAccount) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.CancelMerchantAccount(ctx, c.ID, c.Reason, o...)
	}, func(m *client.Merchant) string { return paidTo(a, m) })
}
