package integrate

import (
	"context"
	"fmt"

	"tenor/client"
	"tenor/internal/app/cli/trade"
	"tenor/internal/app/terminal"
)

// bankDone is the result of an act of the sandbox's bank: it is empty, which programs read as
// {"done": true}.
type bankDone struct{}

func bankNoun() terminal.Noun[bankDone] {
	return terminal.Noun[bankDone]{
		Head: []string{"DONE"}, Row: func(*bankDone) []any { return []any{true} }, Key: func(*bankDone) string { return "done" },
	}
}

// bankAct runs an act of the sandbox's bank that returns nothing.
func bankAct(ctx context.Context, a *terminal.App, c *terminal.Change, act func(*client.Client, ...client.Option) error, text string) error {
	x, raw, err := terminal.Send(ctx, a, c, bankNoun(), func(api *client.Client, o ...client.Option) (*bankDone, error) {
		return &bankDone{}, act(api, o...)
	})
	if x == nil || err != nil {
		return err
	}
	raw.Body = []byte(`{"done":true}`)
	return c.Done(a, raw, "done", []any{true}, text)
}

// BankFailNext is the command "bank fail-next".
type BankFailNext struct {
	terminal.Change
	Code    string `arg:"" help:"Return code: R01, R02 …"`
	Company int64  `placeholder:"ID" help:"Only the next debit of this company. Default: any company." complete:"company"`
}

func (BankFailNext) Examples() []string {
	return []string{"bank fail-next R01", "bank fail-next R02 --company 1000000001"}
}

func (c *BankFailNext) Run(ctx context.Context, a *terminal.App) error {
	whose := ""
	if c.Company != 0 {
		whose = fmt.Sprintf(" of %d", c.Company)
	}
	return bankAct(ctx, a, &c.Change, func(api *client.Client, o ...client.Option) error {
		return api.FailNextDebit(ctx, client.DebitFailure{ReturnCode: c.Code, CompanyID: c.Company}, o...)
	}, fmt.Sprintf("The next debit%s will be returned with %s.", whose, terminal.Clean(c.Code)))
}

// BankReturn is the command "bank return".
type BankReturn struct {
	terminal.Change
	Payment string `arg:"" help:"Payment whose debit was sent: pay_…"`
	Code    string `arg:"" help:"Return code: R01, R02 …"`
}

func (BankReturn) Examples() []string { return []string{"bank return pay_… R10"} }

func (c *BankReturn) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Payment
	return bankAct(ctx, a, &c.Change, func(api *client.Client, o ...client.Option) error {
		return api.ReturnDebit(ctx, c.Payment, c.Code, o...)
	}, fmt.Sprintf("The debit of %s will be returned with %s. See: %s payments get %s", c.Payment, terminal.Clean(c.Code), a.Program, c.Payment))
}

// BankNotice is the command "bank notice".
type BankNotice struct {
	terminal.Change
	Company int64  `arg:"" help:"Company whose account the notice is about." complete:"company"`
	Code    string `arg:"" help:"Change code: C01, C02 …"`
}

func (BankNotice) Examples() []string { return []string{"bank notice 1000000001 C01"} }

func (c *BankNotice) Run(ctx context.Context, a *terminal.App) error {
	return bankAct(ctx, a, &c.Change, func(api *client.Client, o ...client.Option) error {
		return api.SendBankNotice(ctx, c.Company, c.Code, o...)
	}, fmt.Sprintf("The bank sent %s for the account of company %d. See: %s companies methods %d", terminal.Clean(c.Code), c.Company, a.Program, c.Company))
}

// BankSettle is the command "bank settle".
type BankSettle struct{ terminal.Change }

func (BankSettle) Examples() []string { return []string{"bank settle"} }

func (c *BankSettle) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Act(ctx, a, &c.Change, clockNoun(), func(api *client.Client, o ...client.Option) (*client.SandboxClock, error) {
		return api.SettleDebits(ctx, o...)
	}, func(x *client.SandboxClock) string {
		if x.Status == "advancing" {
			return clockLine(x)
		}
		return "Everything in transit has settled. " + clockLine(x)
	})
}

// SandboxCompany is the command "sandbox company".
type SandboxCompany struct {
	terminal.Change
	Preset string `arg:"" enum:"approved,small_line,pending,declined,on_hold,suspended,suspends_later,closed" help:"Outcome: approved, small_line, pending, declined, on_hold, suspended, suspends_later (in 30 days) or closed."`
}

func (SandboxCompany) Examples() []string {
	return []string{"sandbox company approved", "sandbox company small_line -q"}
}

func (c *SandboxCompany) Run(ctx context.Context, a *terminal.App) error {
	return terminal.Act(ctx, a, &c.Change, trade.CompanyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.MakeSandboxCompany(ctx, c.Preset, o...)
	}, func(x *client.Company) string {
		return fmt.Sprintf("Created %s: %s, %s, line %s.", terminal.Clean(x.Name), x.ID, x.Status, terminal.Dollars(x.CreditLine.Limit))
	})
}
