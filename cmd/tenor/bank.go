package main

import (
	"context"
	"fmt"

	"tenor/client"
)

// done is what an act of a sandbox's bank answers: nothing, which programs read as
// {"done": true}.
type bankDone struct{}

func bankNoun() noun[bankDone] {
	return noun[bankDone]{
		head: []string{"DONE"}, row: func(*bankDone) []any { return []any{true} }, key: func(*bankDone) string { return "done" },
	}
}

// bankAct makes an act of the sandbox's bank that has no answer.
func bankAct(ctx context.Context, a *app, c *change, act func(*client.Client, ...client.Option) error, text string) error {
	x, raw, err := send(ctx, a, c, bankNoun(), func(api *client.Client, o ...client.Option) (*bankDone, error) {
		return &bankDone{}, act(api, o...)
	})
	if x == nil || err != nil {
		return err
	}
	raw.Body = []byte(`{"done":true}`)
	return c.done(a, raw, "done", []any{true}, text)
}

type bankFailNext struct {
	change
	Code    string `arg:"" help:"Return code: R01, R02 …"`
	Company int64  `placeholder:"ID" help:"The next debit of this company; absent: of anybody." complete:"company"`
}

// Examples are shown by -h.
func (bankFailNext) Examples() []string {
	return []string{"bank fail-next R01", "bank fail-next R02 --company 1000000001"}
}

// Run is called by the parser.
func (c *bankFailNext) Run(ctx context.Context, a *app) error {
	whose := ""
	if c.Company != 0 {
		whose = fmt.Sprintf(" of %d", c.Company)
	}
	return bankAct(ctx, a, &c.change, func(api *client.Client, o ...client.Option) error {
		return api.FailNextDebit(ctx, c.Code, c.Company, o...)
	}, fmt.Sprintf("The next debit%s comes back with %s.", whose, clean(c.Code)))
}

type bankReturn struct {
	change
	Payment string `arg:"" help:"A payment whose debit was sent: pay_…"`
	Code    string `arg:"" help:"Return code: R01, R02 …"`
}

// Examples are shown by -h.
func (bankReturn) Examples() []string { return []string{"bank return pay_… R10"} }

// Run is called by the parser.
func (c *bankReturn) Run(ctx context.Context, a *app) error {
	a.subject = c.Payment
	return bankAct(ctx, a, &c.change, func(api *client.Client, o ...client.Option) error {
		return api.ReturnDebit(ctx, c.Payment, c.Code, o...)
	}, fmt.Sprintf("The debit of %s comes back with %s. See: %s payments get %s", c.Payment, clean(c.Code), a.program, c.Payment))
}

type bankNotice struct {
	change
	Company int64  `arg:"" help:"Company about whose account the notice is." complete:"company"`
	Code    string `arg:"" help:"Change code: C01, C02 …"`
}

// Examples are shown by -h.
func (bankNotice) Examples() []string { return []string{"bank notice 1000000001 C01"} }

// Run is called by the parser.
func (c *bankNotice) Run(ctx context.Context, a *app) error {
	return bankAct(ctx, a, &c.change, func(api *client.Client, o ...client.Option) error {
		return api.SendBankNotice(ctx, c.Company, c.Code, o...)
	}, fmt.Sprintf("The bank says %s of the account of %d. See: %s companies methods %d", clean(c.Code), c.Company, a.program, c.Company))
}

type bankSettle struct{ change }

// Examples are shown by -h.
func (bankSettle) Examples() []string { return []string{"bank settle"} }

// Run is called by the parser.
func (c *bankSettle) Run(ctx context.Context, a *app) error {
	return act(ctx, a, &c.change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.SettleDebits(ctx, o...)
	}, func(x *client.SandboxClock) string {
		if x.Status == "advancing" {
			return clockLine(x)
		}
		return "All that was on its way has settled. " + clockLine(x)
	})
}

type sandboxCompany struct {
	change
	Preset string `arg:"" enum:"approved,small_line,pending,declined,on_hold,suspended,suspends_later,closed" help:"What becomes of it: approved, small_line, pending, declined, on_hold, suspended, suspends_later (in 30 days) or closed."`
}

// Examples are shown by -h.
func (sandboxCompany) Examples() []string {
	return []string{"sandbox company approved", "sandbox company small_line -q"}
}

// Run is called by the parser.
func (c *sandboxCompany) Run(ctx context.Context, a *app) error {
	return act(ctx, a, &c.change, companyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.MakeSandboxCompany(ctx, c.Preset, o...)
	}, func(x *client.Company) string {
		return fmt.Sprintf("Made %s: %s, %s, line %s.", clean(x.Name), x.ID, x.Status, dollars(x.CreditLine.Limit))
	})
}
