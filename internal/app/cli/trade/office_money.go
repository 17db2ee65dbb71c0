package trade

import (
	"context"
	"fmt"
	"strconv"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

func transferNoun() terminal.Noun[client.Transfer] {
	return terminal.Noun[client.Transfer]{
		Head: []string{"ID", "RAIL", "KIND", "STATUS", ">AMOUNT", "SENDS", "SETTLES", "OF", "CODE", "DEBIT"},
		Row: func(x *client.Transfer) []any {
			return []any{x.ID, x.Rail, x.Kind, x.Status, x.Amount, x.SendOn, x.SettlesOn, terminal.Maybe(transferOf(x)), terminal.Maybe(x.ReturnCode), x.Debit}
		},
		Key: func(x *client.Transfer) string { return x.ID },
	}
}

// transferOf returns what a transfer is for: a payment, a payout, otherwise its counterparty.
func transferOf(x *client.Transfer) string {
	switch {
	case x.PaymentID != "":
		return x.PaymentID
	case x.PayoutID != "":
		return x.PayoutID
	case x.CompanyID != 0:
		return strconv.FormatInt(x.CompanyID, 10)
	}
	return x.MerchantID
}

// TransfersList is the command "transfers list".
type TransfersList struct {
	terminal.Remote
	terminal.Paging
	Company  int64             `placeholder:"ID" help:"For this company." complete:"company"`
	Merchant string            `placeholder:"ID" help:"For this merchant: mch_…" complete:"merchant"`
	Payment  string            `placeholder:"ID" help:"For this payment: pay_…"`
	Rail     terminal.WordFlag `placeholder:"RAIL" help:"${rail}." complete:"rail"`
	Status   terminal.WordFlag `placeholder:"STATUS" help:"${transfer_status}." complete:"transfer-status"`
}

func (TransfersList) Examples() []string {
	return []string{"transfers list --status SENT", "transfers list --payment pay_…"}
}

func (c *TransfersList) Run(ctx context.Context, a *terminal.App) error {
	f := client.TransferFilter{CompanyID: c.Company, MerchantID: c.Merchant, PaymentID: c.Payment, Rail: string(c.Rail), Status: string(c.Status)}
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, transferNoun(), f, (*client.Client).ListTransfers)
}

// TransferSameDay is the command "transfers same-day".
type TransferSameDay struct {
	terminal.Change
	terminal.Consent
	ID     string `arg:"" help:"Transfer ID: trf_…"`
	Reason string `required:"" placeholder:"TEXT" help:"Reason."`
}

func (TransferSameDay) Examples() []string {
	return []string{"transfers same-day trf_… --reason 'promised to the buyer' --yes"}
}

func (c *TransferSameDay) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Send %s for same-day settlement?", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, transferNoun(), func(api *client.Client, o ...client.Option) (*client.Transfer, error) {
		return api.SendSameDay(ctx, c.ID, c.Reason, o...)
	}, func(x *client.Transfer) string {
		return fmt.Sprintf("%s (%s) settles on %s.", x.ID, terminal.Dollars(x.Amount), x.SettlesOn)
	})
}

// PaymentReturn is the command "payments return".
type PaymentReturn struct {
	terminal.Change
	terminal.Consent
	terminal.Versioned
	paymentKeyed
	Code   string `default:"bounced" enum:"bounced,called_back,recorded_in_error" help:"Cause of the return: bounced, called_back or recorded_in_error."`
	Reason string `placeholder:"TEXT" help:"Note."`
}

func (PaymentReturn) Examples() []string {
	return []string{"payments return pay_… --reason 'check 1042 came back' --yes", "payments return pay_… --dry-run"}
}

func (c *PaymentReturn) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Return %s? What it paid becomes unpaid again, with the original due dates.", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.ReturnPayment(ctx, c.ID, client.PaymentReturn{Code: c.Code, Message: c.Reason}, append(o, c.Options()...)...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("Payment %s (%s) is %s. What it paid is unpaid again.", p.ID, terminal.Dollars(p.Amount), p.Status)
	})
}

// PaymentReverse is the command "payments reverse".
type PaymentReverse struct {
	terminal.Change
	terminal.Consent
	terminal.Versioned
	paymentKeyed
	Reason terminal.WordFlag `required:"" placeholder:"REASON" help:"Error in the debit: ${reversal}." complete:"reversal"`
	Note   string            `placeholder:"TEXT" help:"Note."`
}

func (PaymentReverse) Examples() []string {
	return []string{"payments reverse pay_… --reason DUPLICATE --note 'sent twice' --yes", "payments reverse pay_… --reason WRONG_AMOUNT --dry-run"}
}

func (c *PaymentReverse) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Reverse %s? The full amount goes back to the account, and what it paid becomes unpaid again.", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.ReversePayment(ctx, c.ID, client.PaymentReversal{Reason: string(c.Reason), Note: c.Note}, append(o, c.Options()...)...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("Payment %s (%s) is %s; the reversal goes out in the next file. See: %s payments owed", p.ID, terminal.Dollars(p.Amount), p.Status, a.Program)
	})
}

// CompanySendCredit is the command "companies send-credit".
type CompanySendCredit struct {
	terminal.Change
	terminal.Consent
	companyKeyed
	terminal.Audited
	Amount terminal.AmountFlag `arg:"" optional:"" help:"Amount. Default: all that can be sent."`
	Method string              `placeholder:"ID" help:"Bank account to send it to: pm_…. Default: where it came from."`
}

func (CompanySendCredit) Examples() []string {
	return []string{"companies send-credit 1000000001 --yes --reason 'approved by underwriting'", "companies send-credit 1000000001 25.00 --dry-run --reason 'approved by underwriting'"}
}

func (c *CompanySendCredit) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	what := "all credit that can be sent"
	if c.Amount != "" {
		what = terminal.Dollars(client.Amount(c.Amount)) + " of credit"
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Send %s back to %s?", what, c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.SendCredit(ctx, c.ID, client.CreditRefund{Amount: client.Amount(c.Amount), PaymentMethodID: c.Method}, c.WithReason(o)...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("Sent, starting with %s. See: %s payments owed", p.ID, a.Program)
	})
}

// OrderAutopay is the command "orders autopay".
type OrderAutopay struct {
	terminal.Change
	terminal.Versioned
	orderKeyed
	On  bool `xor:"state" required:"" help:"Include this order in the company's autopay."`
	Off bool `xor:"state" required:"" help:"Exclude it."`
}

func (OrderAutopay) Examples() []string { return []string{"orders autopay ord_… --off"} }

func (c *OrderAutopay) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	state, undo := "excludes", "on"
	if c.On {
		state, undo = "includes", "off"
	}
	return terminal.Act(ctx, a, &c.Change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.SetOrderAutopay(ctx, c.Key, c.On, append(o, c.Options()...)...)
	}, func(o *client.Order) string {
		return a.WithUndo(fmt.Sprintf("Autopay %s %s.", state, nameOf(o)), fmt.Sprintf("orders autopay %s --%s", o.Key, undo))
	})
}

// MerchantLimits is the command "merchants limits".
type MerchantLimits struct {
	terminal.Change
	terminal.Consent
	merchantKeyed
	Exposure  terminal.AmountFlag `placeholder:"AMOUNT" help:"Exposure limit: unpaid principal of its orders plus what it owes. Default: 50,000.00."`
	Unlimited bool                `help:"No exposure limit."`
	Due       terminal.AmountFlag `placeholder:"AMOUNT" help:"Limit on what it owes from collections and clawbacks. Default: set by rule."`
	Reason    string              `required:"" placeholder:"TEXT" help:"Reason."`
}

func (MerchantLimits) Examples() []string {
	return []string{"merchants limits mch_… --exposure 250000.00 --reason 'audited financials for 2025' --yes"}
}

func (c *MerchantLimits) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if c.Unlimited && c.Exposure != "" {
		return &exit.Failure{Code: exit.Usage, Text: "--exposure and --unlimited cannot be combined"}
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Set the limits of %s? Omitted limits go back to their defaults.", c.ID)); err != nil {
		return err
	}
	r := client.MerchantLimitsRequest{Exposure: client.Amount(c.Exposure), Unlimited: c.Unlimited, Due: client.Amount(c.Due), Reason: c.Reason}
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.SetMerchantLimits(ctx, c.ID, r, o...)
	}, func(m *client.Merchant) string {
		return fmt.Sprintf("The exposure limit of %s (%s) is %s.", terminal.Clean(m.Name), m.ID, limitText(m.Limits.Exposure, "unlimited"))
	})
}

// limitText formats a limit.
func limitText(x client.Amount, none string) string {
	if x == "" {
		return none
	}
	return terminal.Dollars(x)
}

func remittanceNoun() terminal.Noun[client.Remittance] {
	return terminal.Noun[client.Remittance]{
		Head: []string{"MERCHANT", ">AMOUNT", "REFERENCE"},
		Row:  func(x *client.Remittance) []any { return []any{x.MerchantID, x.Amount, terminal.Maybe(x.Reference)} },
		Key:  func(x *client.Remittance) string { return x.MerchantID },
	}
}

// MerchantRemit is the command "merchants remit".
type MerchantRemit struct {
	terminal.Change
	terminal.Consent
	merchantKeyed
	terminal.Audited
	Amount    terminal.AmountFlag `arg:"" help:"Amount the merchant sent."`
	Reference string              `placeholder:"TEXT" help:"Reference, such as the wire's."`
}

func (MerchantRemit) Examples() []string {
	return []string{"merchants remit mch_… 207.06 --reference 'wire 2231' --yes --reason 'approved by underwriting'"}
}

func (c *MerchantRemit) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Record a remittance of %s from %s?", terminal.Dollars(client.Amount(c.Amount)), c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, remittanceNoun(), func(api *client.Client, o ...client.Option) (*client.Remittance, error) {
		return api.RemitCollected(ctx, c.ID, client.RemittanceRequest{Amount: client.Amount(c.Amount), Reference: c.Reference, Reason: c.Reason}, o...)
	}, func(x *client.Remittance) string {
		return fmt.Sprintf("Recorded %s from %s.", terminal.Dollars(x.Amount), x.MerchantID)
	})
}

// MerchantPayClawback is the command "merchants pay-clawback".
type MerchantPayClawback struct {
	terminal.Change
	terminal.Consent
	merchantKeyed
	terminal.Audited
	Amount    terminal.AmountFlag `arg:"" help:"Amount the merchant sent."`
	Reference string              `placeholder:"TEXT" help:"Reference, such as the wire's."`
}

func (MerchantPayClawback) Examples() []string {
	return []string{"merchants pay-clawback mch_… 48.50 --reference 'wire 2251' --yes --reason 'approved by underwriting'"}
}

func (c *MerchantPayClawback) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Record a clawback payment of %s from %s?", terminal.Dollars(client.Amount(c.Amount)), c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, remittanceNoun(), func(api *client.Client, o ...client.Option) (*client.Remittance, error) {
		return api.PayClawback(ctx, c.ID, client.RemittanceRequest{Amount: client.Amount(c.Amount), Reference: c.Reference, Reason: c.Reason}, o...)
	}, func(x *client.Remittance) string {
		return fmt.Sprintf("Recorded %s from %s.", terminal.Dollars(x.Amount), x.MerchantID)
	})
}

func entryNoun() terminal.Noun[client.Entry] {
	return terminal.Noun[client.Entry]{
		Head: []string{"ENTRY", "DATE", "EVENT"},
		Row:  func(x *client.Entry) []any { return []any{x.ID, x.BookDate, x.Event} },
		Key:  func(x *client.Entry) string { return x.ID },
		Text: func(a *terminal.App, x *client.Entry) error {
			return terminal.Facts(a.Out, "entry", x.ID, "date", x.BookDate, "event", x.Event)
		},
	}
}

// LedgerFund is the command "ledger fund".
type LedgerFund struct {
	terminal.Change
	terminal.Consent
	Amount    terminal.AmountFlag `arg:"" help:"Amount of cash."`
	Out       bool                `help:"Take the cash out. Default: put it in."`
	Reference string              `required:"" placeholder:"TEXT" help:"Note."`
}

func (LedgerFund) Examples() []string {
	return []string{"ledger fund 100000 --reference 'initial funding' --yes", "ledger fund 5000 --out --reference dividend --dry-run"}
}

func (c *LedgerFund) Run(ctx context.Context, a *terminal.App) error {
	direction, what := "IN", "puts in"
	if c.Out {
		direction, what = "OUT", "takes out"
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Record that the lender %s %s?", what, terminal.Dollars(client.Amount(c.Amount)))); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, entryNoun(), func(api *client.Client, o ...client.Option) (*client.Entry, error) {
		return api.MoveFunding(ctx, client.Amount(c.Amount), direction, c.Reference, o...)
	}, func(x *client.Entry) string {
		return fmt.Sprintf("Posted %s on %s: %s %s.", x.ID, x.BookDate, x.Event, terminal.Dollars(client.Amount(c.Amount)))
	})
}
