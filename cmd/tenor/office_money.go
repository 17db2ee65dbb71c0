package main

import (
	"context"
	"fmt"
	"strconv"

	"tenor/client"
)

func transferNoun() noun[client.Transfer] {
	return noun[client.Transfer]{
		head: []string{"ID", "RAIL", "KIND", "STATUS", ">AMOUNT", "SENDS", "SETTLES", "OF", "CODE", "DEBIT"},
		row: func(x *client.Transfer) []any {
			return []any{x.ID, x.Rail, x.Kind, x.Status, x.Amount, x.SendOn, x.SettlesOn, maybe(transferOf(x)), maybe(x.ReturnCode), x.Debit}
		},
		key: func(x *client.Transfer) string { return x.ID },
	}
}

// transferOf is what a transfer is for: a payment, a payout, else whoever is on its other
// side.
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

type transfersList struct {
	remote
	paging
	Company  int64    `placeholder:"ID" help:"Of this company." complete:"company"`
	Merchant string   `placeholder:"ID" help:"Of this merchant: mch_…" complete:"merchant"`
	Payment  string   `placeholder:"ID" help:"Of this payment: pay_…"`
	Rail     wordFlag `placeholder:"RAIL" help:"ACH or CARD." complete:"rail"`
	Status   wordFlag `placeholder:"STATUS" help:"QUEUED, SENT, SETTLED, FAILED, RETURNED or CANCELED." complete:"transfer-status"`
}

// Examples are shown by -h.
func (transfersList) Examples() []string {
	return []string{"transfers list --status SENT", "transfers list --payment pay_…"}
}

// Run is called by the parser.
func (c *transfersList) Run(ctx context.Context, a *app) error {
	f := client.TransferFilter{CompanyID: c.Company, MerchantID: c.Merchant, PaymentID: c.Payment, Rail: string(c.Rail), Status: string(c.Status)}
	return list(ctx, a, &c.remote, c.paging, transferNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.Transfer], error) {
		return api.ListTransfers(ctx, f, p, o...)
	})
}

type transferSameDay struct {
	change
	consent
	ID     string `arg:"" help:"The transfer: trf_…"`
	Reason string `required:"" placeholder:"TEXT" help:"Why."`
}

// Examples are shown by -h.
func (transferSameDay) Examples() []string {
	return []string{"transfers same-day trf_… --reason 'promised to the buyer' --yes"}
}

// Run is called by the parser.
func (c *transferSameDay) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Let %s settle today?", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, transferNoun(), func(api *client.Client, o ...client.Option) (*client.Transfer, error) {
		return api.SendSameDay(ctx, c.ID, c.Reason, o...)
	}, func(x *client.Transfer) string {
		return fmt.Sprintf("%s of %s settles on %s.", x.ID, dollars(x.Amount), x.SettlesOn)
	})
}

type paymentReturn struct {
	change
	consent
	versioned
	paymentKeyed
	Code   string `default:"bounced" enum:"bounced,called_back,recorded_in_error" help:"Why it is not there: bounced, called_back or recorded_in_error."`
	Reason string `placeholder:"TEXT" help:"What is known of it."`
}

// Examples are shown by -h.
func (paymentReturn) Examples() []string {
	return []string{"payments return pay_… --reason 'check 1042 came back' --yes", "payments return pay_… --dry-run"}
}

// Run is called by the parser.
func (c *paymentReturn) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Take %s back? What it had paid is open again, with its old dates.", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.ReturnPayment(ctx, c.ID, client.PaymentReturn{Code: c.Code, Message: c.Reason}, append(o, c.options()...)...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("Payment %s of %s is %s. What it had paid is open again.", p.ID, dollars(p.Amount), p.Status)
	})
}

type paymentReverse struct {
	change
	consent
	versioned
	paymentKeyed
	Reason wordFlag `required:"" placeholder:"REASON" help:"What was wrong: DUPLICATE, WRONG_RECEIVER, WRONG_AMOUNT or WRONG_DATE." complete:"reversal"`
	Note   string   `placeholder:"TEXT" help:"What is known of it."`
}

// Examples are shown by -h.
func (paymentReverse) Examples() []string {
	return []string{"payments reverse pay_… --reason DUPLICATE --note 'sent twice' --yes", "payments reverse pay_… --reason WRONG_AMOUNT --dry-run"}
}

// Run is called by the parser.
func (c *paymentReverse) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Reverse %s? All of it goes back to the account, and what it had paid is open again.", c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.ReversePayment(ctx, c.ID, client.PaymentReversal{Reason: string(c.Reason), Note: c.Note}, append(o, c.options()...)...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("Payment %s of %s is %s, and goes back with the next file. See: %s payments owed", p.ID, dollars(p.Amount), p.Status, a.program)
	})
}

type companySendCredit struct {
	change
	consent
	companyKeyed
	audited
	Amount amountFlag `arg:"" optional:"" help:"How much; absent: all that can be sent."`
	Method string     `placeholder:"ID" help:"Bank account to which it goes: pm_…; absent: back to where it came from."`
}

// Examples are shown by -h.
func (companySendCredit) Examples() []string {
	return []string{"companies send-credit 1000000001 --yes --reason 'approved by the credit desk'", "companies send-credit 1000000001 25.00 --dry-run --reason 'approved by the credit desk'"}
}

// Run is called by the parser.
func (c *companySendCredit) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	what := "all credit that can be sent"
	if c.Amount != "" {
		what = dollars(client.Amount(c.Amount)) + " of credit"
	}
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Send %s back to %s?", what, c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, paymentNoun(), func(api *client.Client, o ...client.Option) (*client.Payment, error) {
		return api.SendCredit(ctx, c.ID, client.CreditRefund{Amount: client.Amount(c.Amount), PaymentMethodID: c.Method}, c.because(o)...)
	}, func(p *client.Payment) string {
		return fmt.Sprintf("On its way, beginning with %s. See: %s payments owed", p.ID, a.program)
	})
}

type orderAutopay struct {
	change
	versioned
	orderKeyed
	On  bool `xor:"state" required:"" help:"The company's autopay debits this order."`
	Off bool `xor:"state" required:"" help:"It does not."`
}

// Examples are shown by -h.
func (orderAutopay) Examples() []string { return []string{"orders autopay ord_… --off"} }

// Run is called by the parser.
func (c *orderAutopay) Run(ctx context.Context, a *app) error {
	a.subject = c.Key
	state, undo := "does not debit", "on"
	if c.On {
		state, undo = "debits", "off"
	}
	return act(ctx, a, &c.change, orderNoun(), func(api *client.Client, o ...client.Option) (*client.Order, error) {
		return api.SetOrderAutopay(ctx, c.Key, c.On, append(o, c.options()...)...)
	}, func(o *client.Order) string {
		return a.mildly(fmt.Sprintf("Autopay %s %s.", state, nameOf(o)), fmt.Sprintf("orders autopay %s --%s", o.Key, undo))
	})
}

type merchantLimits struct {
	change
	consent
	merchantKeyed
	Exposure  amountFlag `placeholder:"AMOUNT" help:"Largest unpaid principal of its orders, with what it owes; 50,000.00 if it is not given."`
	Unlimited bool       `help:"There is no limit of the exposure."`
	Due       amountFlag `placeholder:"AMOUNT" help:"Largest amount that it may owe of what it collected and of clawbacks; by rule if it is not given."`
	Reason    string     `required:"" placeholder:"TEXT" help:"Why."`
}

// Examples are shown by -h.
func (merchantLimits) Examples() []string {
	return []string{"merchants limits mch_… --exposure 250000.00 --reason 'audited accounts of 2025' --yes"}
}

// Run is called by the parser.
func (c *merchantLimits) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if c.Unlimited && c.Exposure != "" {
		return &failure{code: exitUsage, text: "--exposure and --unlimited exclude each other"}
	}
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Set the limits of %s? What is not given takes its default.", c.ID)); err != nil {
			return err
		}
	}
	r := client.MerchantLimitsRequest{Exposure: client.Amount(c.Exposure), Unlimited: c.Unlimited, Due: client.Amount(c.Due), Reason: c.Reason}
	return act(ctx, a, &c.change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.SetMerchantLimits(ctx, c.ID, r, o...)
	}, func(m *client.Merchant) string {
		return fmt.Sprintf("%s (%s) may expose the lender to %s.", clean(m.Name), m.ID, limitText(m.Limits.Exposure, "any amount"))
	})
}

// limitText is a limit as it is printed.
func limitText(x client.Amount, none string) string {
	if x == "" {
		return none
	}
	return dollars(x)
}

func remittanceNoun() noun[client.Remittance] {
	return noun[client.Remittance]{
		head: []string{"MERCHANT", ">AMOUNT", "REFERENCE"},
		row:  func(x *client.Remittance) []any { return []any{x.MerchantID, x.Amount, maybe(x.Reference)} },
		key:  func(x *client.Remittance) string { return x.MerchantID },
	}
}

type merchantRemit struct {
	change
	consent
	merchantKeyed
	audited
	Amount    amountFlag `arg:"" help:"What the merchant has sent."`
	Reference string     `placeholder:"TEXT" help:"A reference, such as the wire's."`
}

// Examples are shown by -h.
func (merchantRemit) Examples() []string {
	return []string{"merchants remit mch_… 207.06 --reference 'wire 2231' --yes --reason 'approved by the credit desk'"}
}

// Run is called by the parser.
func (c *merchantRemit) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Record %s from %s for what it had collected?", dollars(client.Amount(c.Amount)), c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, remittanceNoun(), func(api *client.Client, o ...client.Option) (*client.Remittance, error) {
		return api.RemitCollected(ctx, c.ID, client.Amount(c.Amount), c.Reference, c.because(o)...)
	}, func(x *client.Remittance) string {
		return fmt.Sprintf("Recorded %s from %s.", dollars(x.Amount), x.MerchantID)
	})
}

type merchantPayClawback struct {
	change
	consent
	merchantKeyed
	audited
	Amount    amountFlag `arg:"" help:"What the merchant has sent."`
	Reference string     `placeholder:"TEXT" help:"A reference, such as the wire's."`
}

// Examples are shown by -h.
func (merchantPayClawback) Examples() []string {
	return []string{"merchants pay-clawback mch_… 48.50 --reference 'wire 2251' --yes --reason 'approved by the credit desk'"}
}

// Run is called by the parser.
func (c *merchantPayClawback) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Record %s from %s for its clawbacks?", dollars(client.Amount(c.Amount)), c.ID)); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, remittanceNoun(), func(api *client.Client, o ...client.Option) (*client.Remittance, error) {
		return api.PayClawback(ctx, c.ID, client.Amount(c.Amount), c.Reference, c.because(o)...)
	}, func(x *client.Remittance) string {
		return fmt.Sprintf("Recorded %s from %s.", dollars(x.Amount), x.MerchantID)
	})
}

func entryNoun() noun[client.Entry] {
	return noun[client.Entry]{
		head: []string{"ENTRY", "DATE", "EVENT"},
		row:  func(x *client.Entry) []any { return []any{x.ID, x.BookDate, x.Event} },
		key:  func(x *client.Entry) string { return x.ID },
		text: func(a *app, x *client.Entry) error {
			return facts(a.out, "entry", x.ID, "date", x.BookDate, "event", x.Event)
		},
	}
}

type ledgerFund struct {
	change
	consent
	Amount    amountFlag `arg:"" help:"How much cash moves."`
	Out       bool       `help:"The lender takes it out; else it puts it in."`
	Reference string     `required:"" placeholder:"TEXT" help:"What it was."`
}

// Examples are shown by -h.
func (ledgerFund) Examples() []string {
	return []string{"ledger fund 100000 --reference 'first funding' --yes", "ledger fund 5000 --out --reference dividend --dry-run"}
}

// Run is called by the parser.
func (c *ledgerFund) Run(ctx context.Context, a *app) error {
	direction, what := "IN", "puts in"
	if c.Out {
		direction, what = "OUT", "takes out"
	}
	if !c.DryRun {
		if err := c.ask(a, fmt.Sprintf("Record that the lender %s %s?", what, dollars(client.Amount(c.Amount)))); err != nil {
			return err
		}
	}
	return act(ctx, a, &c.change, entryNoun(), func(api *client.Client, o ...client.Option) (*client.Entry, error) {
		return api.MoveFunding(ctx, client.Amount(c.Amount), direction, c.Reference, o...)
	}, func(x *client.Entry) string {
		return fmt.Sprintf("Posted %s on %s: %s %s.", x.ID, x.BookDate, x.Event, dollars(client.Amount(c.Amount)))
	})
}
