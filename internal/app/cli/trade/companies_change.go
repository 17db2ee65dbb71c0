package trade

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
	"tenor/internal/app/cli/local"
	"tenor/internal/app/exit"
	"tenor/internal/app/node"
	"tenor/internal/app/terminal"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/edge/resource"
)

// companyResource is a company as the lender sees it.
func companyResource(made any) any {
	return resource.NewCompany(made.(*credit.Company), resource.Lateness{}, true)
}

// companyAddressFlags are a company's billing address.
type companyAddressFlags struct {
	Street     string `placeholder:"TEXT" help:"Billing address: street and number."`
	City       string `placeholder:"TEXT" help:"Billing address: city."`
	State      string `placeholder:"TEXT" help:"Billing address: state, such as NY; some rules differ by state."`
	PostalCode string `placeholder:"TEXT" help:"Billing address: ZIP code."`
	Country    string `placeholder:"TEXT" help:"Billing address: country, such as US."`
}

// CompanyCreate is the command "companies create".
type CompanyCreate struct {
	local.Lender
	node.RailFlags
	terminal.Audited
	Name      string              `arg:"" help:"Trade name of the company."`
	LegalName string              `placeholder:"TEXT" help:"Legal name."`
	Email     string              `placeholder:"TEXT" help:"E-mail address."`
	Phone     string              `placeholder:"TEXT" help:"Phone number."`
	Address   companyAddressFlags `embed:""`
	Tier      string              `default:"A" enum:"A,B,C" help:"Tier, which sets the rate: A, B or C."`
	Limit     terminal.AmountFlag `required:"" placeholder:"USD" help:"Credit line."`
	Merchants []string            `name:"merchant" placeholder:"ID" help:"Merchants it can buy from." complete:"merchant"`
}

func (CompanyCreate) Examples() []string {
	return []string{"companies create 'Alder Kitchens' --limit 25000 --merchant mch_… --reason 'approved by underwriting'", "companies create 'Alder Kitchens' --limit 25000 --merchant mch_… --data ./data --reason 'approved by underwriting'"}
}

func (c *CompanyCreate) Run(ctx context.Context, a *terminal.App) error {
	at, err := c.Place(a)
	if err != nil {
		return err
	}
	c.Why = c.Reason
	say := func(x *client.Company) string {
		text := fmt.Sprintf("Created %s: %s, line %s.", terminal.Clean(x.Name), x.ID, terminal.Dollars(x.CreditLine.Limit))
		if x.Status != string(credit.CompanyApproved) {
			text += fmt.Sprintf(" It is %s. See: %s alarms", x.Status, a.Program)
		}
		return text
	}
	name := strings.TrimSpace(c.Name)
	if at == nil {
		r := client.CompanyRequest{
			Name: name, LegalName: c.LegalName, Email: c.Email, Phone: c.Phone, BillingAddress: (*client.CompanyAddress)(&c.Address), Tier: c.Tier, Limit: client.Amount(c.Limit), Merchants: c.Merchants,
		}
		return terminal.Act(ctx, a, &c.Change, CompanyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
			return api.CreateCompany(ctx, r, c.WithReason(o)...)
		}, say)
	}
	if c.Sanctions, err = c.List(); err != nil {
		return err
	}
	limit, err := money.Parse(string(c.Limit))
	if err != nil {
		return &exit.Failure{Code: exit.Usage, Text: "--limit", Err: err}
	}
	return local.Decide(ctx, a, &c.Lender, at, false, CompanyNoun(), lending.CreateCompany{
		Title: name, LegalName: c.LegalName, Email: c.Email, Phone: c.Phone, BillingAddress: credit.CompanyAddress(c.Address), Tier: c.Tier, Limit: limit,
		Status: credit.CompanyApproved, Merchants: c.Merchants,
	}, companyResource, say)
}

// companyAct is a command that changes one company.
type companyAct struct {
	local.Lender
	ID int64 `arg:"" help:"Company ID: ten digits." complete:"company"`
}

// update makes the change, on a server or in a database.
func (c *companyAct) update(ctx context.Context, a *terminal.App, ask func(*client.Client, string, ...client.Option) (*client.Company, error), cmd lending.UpdateCompany, say func(*client.Company) string) error {
	a.Subject = strconv.FormatInt(c.ID, 10)
	at, err := c.Place(a)
	if err != nil {
		return err
	}
	if at == nil {
		return terminal.Act(ctx, a, &c.Change, CompanyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
			return ask(api, a.Subject, o...)
		}, say)
	}
	cmd.Company = c.ID
	return local.Decide(ctx, a, &c.Lender, at, false, CompanyNoun(), cmd, companyResource, func(x *client.Company) string {
		text := say(x)
		if strings.Contains(text, " Undo: ") {
			text += at.Flag()
		}
		return text
	})
}

// companyLinks is a command that changes who may use a company.
type companyLinks struct {
	companyAct
	terminal.Audited
	Merchant []string `required:"" placeholder:"ID" help:"Merchant IDs; one at a time against a server." complete:"merchant"`
}

// linked makes the change, and says who may now use the company.
func (c *companyLinks) linked(ctx context.Context, a *terminal.App, remove bool) error {
	at, err := c.Place(a)
	if err != nil {
		return err
	}
	if at == nil && len(c.Merchant) > 1 {
		return &exit.Failure{Code: exit.Usage, Text: "a server takes one --merchant at a time"}
	}
	c.Why = c.Reason
	cmd, undo, ask := lending.UpdateCompany{Link: c.Merchant}, "unlink", (*client.Client).LinkCompany
	if remove {
		cmd, undo, ask = lending.UpdateCompany{Unlink: c.Merchant}, "link", (*client.Client).UnlinkCompany
	}
	return c.update(ctx, a, func(api *client.Client, id string, o ...client.Option) (*client.Company, error) {
		return ask(api, ctx, id, c.Merchant[0], c.Reason, o...)
	}, cmd, func(x *client.Company) string {
		text := fmt.Sprintf("%s (%s) can buy from: %s.", terminal.Clean(x.Name), x.ID, terminal.Dash(strings.Join(x.Merchants, " ")))
		return a.WithUndo(text, fmt.Sprintf("companies %s %s --merchant %s --reason undo", undo, x.ID, strings.Join(c.Merchant, ",")))
	})
}

// CompanyLink is the command "companies link".
type CompanyLink struct {
	companyLinks
	Remove bool `hidden:"" help:"The same as unlink."`
}

func (CompanyLink) Examples() []string {
	return []string{"companies link 4821073356 --merchant mch_… --reason 'approved by underwriting'", "companies link 4821073356 --merchant mch_… --data ./data --reason 'approved by underwriting'"}
}

func (c *CompanyLink) Run(ctx context.Context, a *terminal.App) error {
	return c.linked(ctx, a, c.Remove)
}

// CompanyUnlink is the command "companies unlink".
type CompanyUnlink struct{ companyLinks }

func (CompanyUnlink) Examples() []string {
	return []string{"companies unlink 4821073356 --merchant mch_… --reason 'approved by underwriting'"}
}

func (c *CompanyUnlink) Run(ctx context.Context, a *terminal.App) error {
	return c.linked(ctx, a, true)
}

// CompanyLine is the command "companies line".
type CompanyLine struct {
	companyAct
	terminal.AuditedBeside
	Limit   terminal.AmountFlag `arg:"" help:"Limit for outstanding, reserved and held amounts together."`
	Reasons []string            `name:"reason" sep:"none" placeholder:"TEXT" help:"Reason for lowering it, for the adverse action notice: a code such as credit_score, or text; up to four."`
}

func (CompanyLine) Examples() []string {
	return []string{"companies line 4821073356 30000 --because 'audited financials'", "companies line 4821073356 10000 --reason credit_score --reason 'Sales fell by half.' --because 'audited financials'", "companies line 4821073356 30000 --data ./data --because 'audited financials'"}
}

func (c *CompanyLine) Run(ctx context.Context, a *terminal.App) error {
	c.Why = c.Because
	limit, err := money.Parse(string(c.Limit))
	if err != nil {
		return &exit.Failure{Code: exit.Usage, Text: "credit line", Err: err}
	}
	return c.update(ctx, a, func(api *client.Client, id string, o ...client.Option) (*client.Company, error) {
		return api.SetCreditLine(ctx, id, client.CreditLineRequest{Limit: client.Amount(c.Limit), Reasons: c.Reasons, Reason: c.Because}, o...)
	}, lending.UpdateCompany{Limit: &limit, Reasons: c.Reasons}, func(x *client.Company) string {
		return fmt.Sprintf("%s (%s) has a credit line of %s, %s available.", terminal.Clean(x.Name), x.ID, terminal.Dollars(x.CreditLine.Limit), terminal.Dollars(x.CreditLine.Available))
	})
}

// CompanyHold is the command "companies hold".
type CompanyHold struct {
	companyAct
	Code   string `default:"manual_hold" placeholder:"WORD" help:"Reason code."`
	Reason string `placeholder:"TEXT" help:"Reason in words."`
}

func (CompanyHold) Examples() []string {
	return []string{"companies hold 4821073356 --reason 'verifying the address'", "companies hold 4821073356 --data ./data"}
}

func (c *CompanyHold) Run(ctx context.Context, a *terminal.App) error {
	c.Why = c.Reason
	why := client.StatusReason{Code: c.Code, Message: c.Reason}
	return c.update(ctx, a, func(api *client.Client, id string, o ...client.Option) (*client.Company, error) {
		return api.HoldCompany(ctx, id, why, o...)
	}, lending.UpdateCompany{Status: credit.CompanyOnHold, StatusCode: c.Code, StatusMessage: c.Reason}, func(x *client.Company) string {
		return a.WithUndo(stands(x), "companies release "+x.ID+" --reason undo")
	})
}

// stands describes a company's status.
func stands(x *client.Company) string {
	return fmt.Sprintf("%s (%s) is %s.", terminal.Clean(x.Name), x.ID, x.Status)
}

// CompanyRelease is the command "companies release".
type CompanyRelease struct {
	companyAct
	terminal.Audited
}

func (CompanyRelease) Examples() []string {
	return []string{"companies release 4821073356 --reason 'approved by underwriting'", "companies release 4821073356 --data ./data --reason 'approved by underwriting'"}
}

func (c *CompanyRelease) Run(ctx context.Context, a *terminal.App) error {
	c.Why = c.Reason
	return c.update(ctx, a, func(api *client.Client, id string, o ...client.Option) (*client.Company, error) {
		return api.ReleaseCompany(ctx, id, c.Reason, o...)
	}, lending.UpdateCompany{Status: credit.CompanyApproved}, stands)
}

// CompanyClose is the command "companies close".
type CompanyClose struct {
	companyAct
	terminal.TypedConfirmation
	terminal.AuditedBeside
	Code    string   `default:"closed_by_operator" placeholder:"WORD" help:"Reason code; requested_by_company if the company requested it."`
	Message string   `placeholder:"TEXT" help:"Reason in words."`
	Reasons []string `name:"reason" sep:"none" placeholder:"TEXT" help:"Reason for the adverse action notice: a code such as credit_score, or text; up to four. Default: the reason code, if it is specific."`
}

func (CompanyClose) Examples() []string {
	return []string{"companies close 4821073356 --code requested_by_company --because 'approved by underwriting'", "companies close 4821073356 --reason 'The business has closed.' --confirm=4821073356 --because 'approved by underwriting'"}
}

func (c *CompanyClose) Run(ctx context.Context, a *terminal.App) error {
	c.Why = c.Because
	if !c.DryRun {
		if err := c.ConfirmTyped(a, fmt.Sprintf("Close company %d? This is permanent.", c.ID), strconv.FormatInt(c.ID, 10)); err != nil {
			return err
		}
	}
	return c.update(ctx, a, func(api *client.Client, id string, o ...client.Option) (*client.Company, error) {
		return api.CloseCompany(ctx, id, client.CompanyClosing{Code: c.Code, Message: c.Message, Reasons: c.Reasons, Reason: c.Because}, o...)
	}, lending.UpdateCompany{Status: credit.CompanyClosed, StatusCode: c.Code, StatusMessage: c.Message, Reasons: c.Reasons}, stands)
}
