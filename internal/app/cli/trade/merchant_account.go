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
	Routing     string `required:"" placeholder:"DIGITS" help:"Nine digits that name the bank."`
	AccountFile string `required:"" placeholder:"FILE" help:"File with the account number; - reads standard input. It is never a flag: other users of the machine could read it."`
	Holder      string `required:"" placeholder:"NAME" help:"Name of the account's holder."`
	Savings     bool   `help:"It is a savings account."`
	Debits      bool   `help:"The agreement lets clawbacks be debited from it."`
	Contact     string `placeholder:"EMAIL" help:"Who is told when the account, or this address, is to change; absent: as it is."`
}

// Examples are shown by -h.
func (MerchantPayAccount) Examples() []string {
	return []string{"merchants account set mch_… --routing 021000021 --account-file account.txt --holder 'Harbor Supply Inc' --reason 'a letter of the merchant' --yes"}
}

// Run is called by the parser.
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
	if !c.DryRun {
		if err := c.Ask(a, fmt.Sprintf("Pay %s to %s? In place of another account it waits for the cooling-off. A hold that a failed payout has caused ends with it.", c.ID, terminal.Clean(c.Holder))); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.SetMerchantAccount(ctx, c.ID, r, c.WithReason(o)...)
	}, func(m *client.Merchant) string {
		return paidTo(a, m)
	})
}

// paidTo says where a merchant is paid, and what a change of it waits for.
func paidTo(a *terminal.App, m *client.Merchant) string {
	p := m.PayoutAccount.Pending
	switch {
	case p == nil && m.PayoutAccount.Bank == nil:
		return fmt.Sprintf("%s (%s) has no bank account.", terminal.Clean(m.Name), m.ID)
	case p == nil:
		return fmt.Sprintf("%s (%s) is paid to the account …%s of %s, from the next run on.", terminal.Clean(m.Name), m.ID, m.PayoutAccount.Bank.Last4, terminal.Clean(m.PayoutAccount.Bank.HolderName))
	case p.NeedsSecond && p.ConfirmedBy == "":
		return fmt.Sprintf("The change to …%s waits until %s, and for another client of the lender: %s merchants account confirm %s --reason TEXT", p.Bank.Last4, p.EffectiveFrom, a.Program, m.ID)
	}
	return fmt.Sprintf("The change to …%s takes effect on %s. To end it: %s merchants account cancel %s --reason TEXT", p.Bank.Last4, p.EffectiveFrom, a.Program, m.ID)
}

// MerchantConfirmAccount is the command "merchants account confirm".
type MerchantConfirmAccount struct {
	terminal.Change
	terminal.Consent
	merchantKeyed
	terminal.Audited
}

// Examples are shown by -h.
func (MerchantConfirmAccount) Examples() []string {
	return []string{"merchants account confirm mch_… --reason 'asked by telephone' --yes"}
}

// Run is called by the parser.
func (c *MerchantConfirmAccount) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if !c.DryRun {
		if err := c.Ask(a, fmt.Sprintf("Pay %s to the account that waits, from its day on?", c.ID)); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.ConfirmMerchantAccount(ctx, c.ID, c.Reason, o...)
	}, func(m *client.Merchant) string { return paidTo(a, m) })
}

// MerchantCancelAccount is the command "merchants account cancel".
type MerchantCancelAccount struct {
	terminal.Change
	merchantKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Why."`
}

// Examples are shown by -h.
func (MerchantCancelAccount) Examples() []string {
	return []string{"merchants account cancel mch_… --reason 'the merchant has not asked for it'"}
}

// Run is called by the parser.
func (c *MerchantCancelAccount) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.CancelMerchantAccount(ctx, c.ID, c.Reason, o...)
	}, func(m *client.Merchant) string { return paidTo(a, m) })
}
