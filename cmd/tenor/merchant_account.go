package main

import (
	"context"
	"fmt"
	"strings"

	"tenor/client"
)

type merchantPayAccount struct {
	change
	consent
	merchantKeyed
	audited
	Routing     string `required:"" placeholder:"DIGITS" help:"Nine digits that name the bank."`
	AccountFile string `required:"" placeholder:"FILE" help:"File with the account number; - reads standard input. It is never a flag: other users of the machine could read it."`
	Holder      string `required:"" placeholder:"NAME" help:"Name of the account's holder."`
	Savings     bool   `help:"It is a savings account."`
	Debits      bool   `help:"The agreement lets clawbacks be debited from it."`
	Contact     string `placeholder:"EMAIL" help:"Who is told when the account, or this address, is to change; absent: as it is."`
}

// Examples are shown by -h.
func (merchantPayAccount) Examples() []string {
	return []string{"merchants account set mch_… --routing 021000021 --account-file account.txt --holder 'Harbor Supply Inc' --reason 'a letter of the merchant' --yes"}
}

// Run is called by the parser.
func (c *merchantPayAccount) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	number, err := a.readAll(c.AccountFile)
	if err != nil {
		return &failure{code: exitUsage, text: "read the account number", err: err}
	}
	r := client.MerchantAccountRequest{RoutingNumber: c.Routing, AccountNumber: strings.TrimSpace(string(number)), AccountType: "CHECKING", HolderName: c.Holder, Debits: c.Debits, Contact: c.Contact}
	if c.Savings {
		r.AccountType = "SAVINGS"
	}
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Pay %s to %s? In place of another account it waits for the cooling-off. A hold that a failed payout has caused ends with it.", c.ID, clean(c.Holder))); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.SetMerchantAccount(ctx, c.ID, r, c.because(o)...)
	}, func(m *client.Merchant) string {
		return paidTo(a, m)
	})
}

// paidTo says where a merchant is paid, and what a change of it waits for.
func paidTo(a *app, m *client.Merchant) string {
	p := m.Account.Pending
	switch {
	case p == nil && m.Account.Bank == nil:
		return fmt.Sprintf("%s (%s) has no bank account.", clean(m.Name), m.ID)
	case p == nil:
		return fmt.Sprintf("%s (%s) is paid to the account …%s of %s, from the next run on.", clean(m.Name), m.ID, m.Account.Bank.Last4, clean(m.Account.Bank.HolderName))
	case p.NeedsSecond && p.ConfirmedBy == "":
		return fmt.Sprintf("The change to …%s waits until %s, and for another client of the lender: %s merchants account confirm %s --reason TEXT", p.Bank.Last4, p.EffectiveFrom, a.program, m.ID)
	}
	return fmt.Sprintf("The change to …%s takes effect on %s. To end it: %s merchants account cancel %s --reason TEXT", p.Bank.Last4, p.EffectiveFrom, a.program, m.ID)
}

type merchantConfirmAccount struct {
	change
	consent
	merchantKeyed
	audited
}

// Examples are shown by -h.
func (merchantConfirmAccount) Examples() []string {
	return []string{"merchants account confirm mch_… --reason 'asked by telephone' --yes"}
}

// Run is called by the parser.
func (c *merchantConfirmAccount) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Pay %s to the account that waits, from its day on?", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.ConfirmMerchantAccount(ctx, c.ID, c.because(o)...)
	}, func(m *client.Merchant) string { return paidTo(a, m) })
}

type merchantCancelAccount struct {
	change
	merchantKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Why."`
}

// Examples are shown by -h.
func (merchantCancelAccount) Examples() []string {
	return []string{"merchants account cancel mch_… --reason 'the merchant has not asked for it'"}
}

// Run is called by the parser.
func (c *merchantCancelAccount) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return act(ctx, a, &c.change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.CancelMerchantAccount(ctx, c.ID, c.Reason, o...)
	}, func(m *client.Merchant) string { return paidTo(a, m) })
}
