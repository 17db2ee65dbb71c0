package trade

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// accountOf describes an account without its number.
func accountOf(m *client.PaymentMethod) string {
	switch {
	case m.Bank != nil && m.Bank.RoutingNumber == "": // another merchant's: only its last four digits are shown
		return fmt.Sprintf("%s …%s", m.Bank.AccountType, m.Bank.Last4)
	case m.Bank != nil:
		return fmt.Sprintf("%s …%s at %s", m.Bank.AccountType, m.Bank.Last4, m.Bank.RoutingNumber)
	case m.Card != nil:
		return fmt.Sprintf("%s …%s until %02d/%d", m.Card.Brand, m.Card.Last4, m.Card.ExpMonth, m.Card.ExpYear)
	}
	return ""
}

func methodNoun() terminal.Noun[client.PaymentMethod] {
	return terminal.Noun[client.PaymentMethod]{
		Head: []string{"ID", "TYPE", "STATUS", "ACCOUNT", "WHY", "CREATED"},
		Row: func(m *client.PaymentMethod) []any {
			return []any{m.ID, m.Type, m.Status, accountOf(m), terminal.Maybe(m.DisabledReason), m.CreatedAt}
		},
		Key: func(m *client.PaymentMethod) string { return m.ID },
	}
}

// CompanyMethods is the command "companies methods".
type CompanyMethods struct{ companyPart }

func (CompanyMethods) Examples() []string { return []string{"companies methods 1000000001"} }

func (c *CompanyMethods) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, methodNoun(), c.ID, (*client.Client).ListPaymentMethods)
}

func monthNoun() terminal.Noun[client.StatementMonth] {
	return terminal.Noun[client.StatementMonth]{
		Head: []string{"MONTH", "FROM", "TO", "FINAL"},
		Row:  func(s *client.StatementMonth) []any { return []any{s.Month, s.From, s.To, s.Final} },
		Key:  func(s *client.StatementMonth) string { return s.Month },
	}
}

func statementNoun() terminal.Noun[client.Statement] {
	return terminal.Noun[client.Statement]{
		Head: monthNoun().Head,
		Row:  func(s *client.Statement) []any { return []any{s.Month, s.From, s.To, s.Final} },
		Key:  func(s *client.Statement) string { return s.Month },
		Text: func(a *terminal.App, s *client.Statement) error {
			if err := terminal.Facts(a.Out, "month", s.Month, "final", s.Final, "opening", s.Opening, "closing", s.Closing); err != nil || len(s.Lines) == 0 {
				return err
			}
			fmt.Fprintln(a.Out)
			t := terminal.NewTable("DATE", "KIND", "ORDER", ">AMOUNT")
			for _, l := range s.Lines {
				t.Row(l.Date, l.Kind, terminal.Maybe(l.OrderKey), l.Amount)
			}
			return a.Show(t)
		},
	}
}

// CompanyStatements is the command "companies statements".
type CompanyStatements struct {
	companyPart
	Month  string `arg:"" optional:"" help:"Month of the statement, YYYY-MM. Default: list the months."`
	Format string `enum:"text,html,pdf,csv" default:"text" help:"html or pdf for reading, csv for the balance history."`
	Out    string `short:"o" type:"path" placeholder:"FILE" help:"Output file; it must not exist."`
}

func (CompanyStatements) Examples() []string {
	return []string{"companies statements 1000000001", "companies statements 1000000001 2026-02", "companies statements 1000000001 2026-02 --format pdf -o february.pdf"}
}

func (c *CompanyStatements) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if c.Month == "" {
		return terminal.ListOf(ctx, a, &c.Remote, c.Paging, monthNoun(), c.ID, (*client.Client).ListStatements)
	}
	if _, err := time.Parse("2006-01", c.Month); err != nil {
		return &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("%q is not a month such as 2026-02", c.Month)}
	}
	if kind, printed := map[string]string{"html": client.HTML, "pdf": client.PDF, "csv": client.CSV}[c.Format]; printed && !c.JSON {
		api, err := c.Connect(a)
		if err != nil {
			return err
		}
		return c.Write(a, c.Out, func(w io.Writer) error { return api.StatementFile(ctx, c.ID, c.Month, kind, w) })
	}
	return terminal.One(ctx, a, &c.Remote, statementNoun(), func(api *client.Client, o ...client.Option) (*client.Statement, error) {
		return api.Statement(ctx, c.ID, c.Month, o...)
	})
}

// CompanyAutopay is the command "companies autopay".
type CompanyAutopay struct {
	terminal.Change
	companyKeyed
	On          bool                `xor:"state" help:"Debit installments on their collection dates."`
	Off         bool                `xor:"state" help:"Turn autopay off."`
	Method      string              `placeholder:"ID" help:"Account to debit: pm_…"`
	ApplyCredit bool                `xor:"credit" help:"Apply unapplied credit to what is due on any of its orders; requires the company's consent."`
	KeepCredit  bool                `xor:"credit" help:"Stop doing so."`
	AcceptedAt  terminal.MomentFlag `placeholder:"TIME" help:"When the company authorized it: a date or an instant. Required when a merchant turns it on."`
	Reference   string              `help:"Your reference to the record of the authorization."`
}

func (CompanyAutopay) Examples() []string {
	return []string{"companies autopay 1000000001 --off", "companies autopay 1000000001 --on --method pm_…", "companies autopay 1000000001 --apply-credit"}
}

func (c *CompanyAutopay) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	wish := client.AutopayChange{PaymentMethodID: c.Method}
	if c.On || c.Off {
		wish.Enabled = &c.On
	}
	if c.ApplyCredit || c.KeepCredit {
		wish.ApplyCreditToDue = &c.ApplyCredit
	}
	if c.AcceptedAt != "" || c.Reference != "" {
		given, err := authorizationFlags{AcceptedAt: c.AcceptedAt, Reference: c.Reference}.authorization()
		if err != nil {
			return err
		}
		wish.Authorization = &client.Given{AcceptedAt: given.AcceptedAt, Reference: given.Reference}
	}
	if wish.Enabled == nil && wish.PaymentMethodID == "" && wish.ApplyCreditToDue == nil {
		return &exit.Failure{Code: exit.Usage, Text: "give --on, --off, --method, --apply-credit or --keep-credit"}
	}
	return terminal.Act(ctx, a, &c.Change, CompanyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.SetAutopay(ctx, c.ID, wish, o...)
	}, func(x *client.Company) string {
		if wish.Enabled == nil && wish.PaymentMethodID == "" {
			return c.creditSaid(a, x)
		}
		state, undo := "off", "on"
		if x.Autopay.Enabled {
			state, undo = "on", "off"
		}
		return a.WithUndo(fmt.Sprintf("Autopay for %s (%s) is %s.", terminal.Clean(x.Name), x.ID, state), fmt.Sprintf("companies autopay %s --%s", x.ID, undo))
	})
}

// creditSaid says what now happens with a company's credit.
func (c *CompanyAutopay) creditSaid(a *terminal.App, x *client.Company) string {
	state, undo := "is kept until it is sent back", "apply"
	if x.ApplyCreditToDue {
		state, undo = "is applied to what is due on any of its orders", "keep"
	}
	return a.WithUndo(fmt.Sprintf("Unapplied credit of %s (%s) %s.", terminal.Clean(x.Name), x.ID, state), fmt.Sprintf("companies autopay %s --%s-credit", x.ID, undo))
}

func creditNoun() terminal.Noun[client.Credit] {
	return terminal.Noun[client.Credit]{
		Head: []string{"SOURCE", "ORDER", ">AMOUNT", "MADE", "NEXT", "WAITS"},
		Row: func(x *client.Credit) []any {
			return []any{x.Source, terminal.Maybe(x.OrderKey), x.Amount, x.MadeOn, x.NextAt, terminal.Maybe(x.Waits)}
		},
		Key: func(x *client.Credit) string { return x.Source },
	}
}

// CompanyCredits is the command "companies credits".
type CompanyCredits struct{ companyPart }

func (CompanyCredits) Examples() []string { return []string{"companies credits 1000000001"} }

func (c *CompanyCredits) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return terminal.ListOf(ctx, a, &c.Remote, c.Paging, creditNoun(), c.ID, (*client.Client).ListCompanyCredits)
}

// CompanyUnfreeze is the command "companies unfreeze".
type CompanyUnfreeze struct {
	terminal.Change
	terminal.Consent
	companyKeyed
	Reason string `required:"" placeholder:"TEXT" help:"Findings, for the record."`
}

func (CompanyUnfreeze) Examples() []string {
	return []string{"companies unfreeze 1000000001 --reason 'the bank lifted its freeze' --yes"}
}

func (c *CompanyUnfreeze) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Unfreeze the money of closed company %s?", c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, CompanyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.UnfreezeCompany(ctx, c.ID, c.Reason, o...)
	}, func(x *client.Company) string {
		return fmt.Sprintf("The money of %s (%s) is no longer frozen. Status: %s.", terminal.Clean(x.Name), x.ID, x.Status)
	})
}

// CompanyReport is the command "companies report".
type CompanyReport struct {
	terminal.Change
	terminal.Versioned
	terminal.Consent
	companyKeyed
	Kind   string            `required:"" enum:"bankruptcy,fraud" placeholder:"WORD" help:"bankruptcy or fraud."`
	On     terminal.DateFlag `required:"" placeholder:"DATE" help:"Date of the notice or the discovery."`
	Reason string            `required:"" placeholder:"TEXT" help:"Details, for the record."`
}

func (CompanyReport) Examples() []string {
	return []string{"companies report 1000000001 --kind bankruptcy --on 2026-01-05 --reason 'chapter 7, case 26-10442' --yes"}
}

func (c *CompanyReport) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Record %s for company %s?", c.Kind, c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, CompanyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.ReportCompany(ctx, c.ID, strings.ToUpper(c.Kind), string(c.On), c.Reason, append(o, c.Options()...)...)
	}, func(x *client.Company) string {
		text := fmt.Sprintf("Recorded %s for %s (%s).", c.Kind, terminal.Clean(x.Name), x.ID)
		for _, r := range x.Reports {
			if r.Kind == strings.ToUpper(c.Kind) {
				text += fmt.Sprintf(" Its orders are proposed for charge-off from %s: %s alarms.", r.ProposesOn, a.Program)
			}
		}
		return text
	})
}

// CompanyWithdrawReport is the command "companies withdraw-report".
type CompanyWithdrawReport struct {
	terminal.Change
	terminal.Versioned
	terminal.Consent
	companyKeyed
	Kind   string `required:"" enum:"bankruptcy,fraud" placeholder:"WORD" help:"Report to withdraw: bankruptcy or fraud."`
	Reason string `required:"" placeholder:"TEXT" help:"Reason, for the record."`
}

func (CompanyWithdrawReport) Examples() []string {
	return []string{"companies withdraw-report 1000000001 --kind bankruptcy --reason 'the case was dismissed' --yes"}
}

func (c *CompanyWithdrawReport) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Withdraw the %s report on company %s?", c.Kind, c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, CompanyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.WithdrawReport(ctx, c.ID, strings.ToUpper(c.Kind), c.Reason, append(o, c.Options()...)...)
	}, func(x *client.Company) string {
		return fmt.Sprintf("No %s is on record for %s (%s). Status: %s.", c.Kind, terminal.Clean(x.Name), x.ID, x.Status)
	})
}
