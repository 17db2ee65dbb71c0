package trade

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
	"tenor/internal/core/clock"
	"tenor/internal/domain/calendar"
	fakebank "tenor/internal/ports/rails/fake"
)

// authorizationFlags describe an account holder's consent to debits.
type authorizationFlags struct {
	AcceptedAt terminal.MomentFlag `required:"" placeholder:"DATE" help:"When the account holder authorized debits: a date or an instant."`
	Written    bool                `help:"The account holder signed on paper. Default: agreed online."`
	Reference  string              `placeholder:"TEXT" help:"Your reference to the record of the authorization."`
}

func (f authorizationFlags) authorization() (client.Authorization, error) {
	x := client.Authorization{Channel: "WEB", Reference: f.Reference}
	if f.Written {
		x.Channel = "WRITTEN"
	}
	if at, err := time.Parse(time.RFC3339Nano, string(f.AcceptedAt)); err == nil {
		x.AcceptedAt = at
		return x, nil
	}
	zone, err := clock.BusinessZone()
	if err != nil {
		return x, err
	}
	day, err := calendar.Parse(string(f.AcceptedAt))
	x.AcceptedAt = zone.At(day, 0, 0)
	return x, err
}

// CompanyAddMethod is the command "companies add-method".
type CompanyAddMethod struct {
	terminal.Change
	companyKeyed
	authorizationFlags
	Routing  string `required:"" placeholder:"NUMBER" help:"Routing number: nine digits."`
	Account  string `name:"account-file" required:"" placeholder:"FILE" help:"File with the account number and nothing else; - for standard input."`
	Holder   string `required:"" placeholder:"NAME" help:"Name of the account holder."`
	Savings  bool   `help:"Savings account. Default: checking account."`
	Consumer bool   `help:"Personal account. Default: business account."`
	Verify   bool   `xor:"proof" help:"Send two micro-deposits; no debits until their amounts are confirmed."`
	Prenote  bool   `xor:"proof" help:"Send a prenote; no debits for three banking days after it."`
}

func (CompanyAddMethod) Examples() []string {
	return []string{
		"companies add-method 1000000001 --routing 021000021 --account-file ./account --holder 'Alder Kitchens LLC' --accepted-at 2026-01-09 --reference consent-8841",
		"companies add-method 1000000001 --routing 021000021 --account-file - --holder 'Alder Kitchens LLC' --accepted-at 2026-01-09 --verify",
	}
}

// Run is called by the parser. The account number is never on the command line, where others on
// the machine could read it.
func (c *CompanyAddMethod) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	number, err := a.ReadAll(c.Account)
	if err != nil {
		return &exit.Failure{Code: exit.Usage, Text: "read the account number", Err: err}
	}
	r := client.PaymentMethodRequest{
		Type: "ACH", RoutingNumber: c.Routing, AccountNumber: strings.TrimSpace(string(number)), HolderName: c.Holder, Verify: c.Verify, Prenote: c.Prenote,
	}
	if c.Savings {
		r.AccountType = "SAVINGS"
	}
	if c.Consumer {
		r.HolderType = "CONSUMER"
	}
	if r.Authorization, err = c.authorization(); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, methodNoun(), func(api *client.Client, o ...client.Option) (*client.PaymentMethod, error) {
		return api.AddPaymentMethod(ctx, c.ID, r, o...)
	}, func(m *client.PaymentMethod) string { return added(a, c.ID, m) })
}

// added describes the state of a new account, and the next step.
func added(a *terminal.App, company string, m *client.PaymentMethod) string {
	next := fmt.Sprintf("Next: %s companies autopay %s --on --method %s", a.Program, company, m.ID)
	switch {
	case m.Verification != nil:
		next = fmt.Sprintf("When the deposits arrive: %s companies verify-method %s %s --amounts USD,USD", a.Program, company, m.ID)
	case m.Status != "ACTIVE":
		next = fmt.Sprintf("It can be debited once its prenote clears. See: %s companies methods %s", a.Program, company)
	}
	return fmt.Sprintf("Added %s: %s, %s. %s", m.ID, accountOf(m), m.Status, next)
}

// methodKeyed is an account of a company.
type methodKeyed struct {
	companyKeyed
	Method string `arg:"" help:"Payment method ID, pm_…, as shown by companies methods."`
}

// CompanyVerifyMethod is the command "companies verify-method".
type CompanyVerifyMethod struct {
	terminal.Change
	methodKeyed
	Amounts []terminal.AmountFlag `required:"" placeholder:"USD,USD" help:"Both micro-deposit amounts, in any order."`
}

func (CompanyVerifyMethod) Examples() []string {
	return []string{"companies verify-method 1000000001 pm_… --amounts 0.32,0.45"}
}

func (c *CompanyVerifyMethod) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if len(c.Amounts) != 2 {
		return &exit.Failure{Code: exit.Usage, Text: "--amounts takes two amounts, such as 0.32,0.45"}
	}
	var wrong error
	err := terminal.Act(ctx, a, &c.Change, methodNoun(), func(api *client.Client, o ...client.Option) (*client.PaymentMethod, error) {
		return api.VerifyPaymentMethod(ctx, c.ID, c.Method, []client.Amount{client.Amount(c.Amounts[0]), client.Amount(c.Amounts[1])}, o...)
	}, func(m *client.PaymentMethod) string {
		if m.Status == "ACTIVE" {
			return fmt.Sprintf("%s is ACTIVE. Next: %s companies autopay %s --on --method %s", m.ID, a.Program, c.ID, m.ID)
		}
		wrong = &exit.Failure{Code: exit.CheckFailed, Text: "the amounts do not match"}
		if m.Verification != nil {
			return fmt.Sprintf("%s is %s: %d attempts left, until %s.", m.ID, m.Status, m.Verification.TriesLeft, m.Verification.ExpiresOn)
		}
		return fmt.Sprintf("%s is %s and cannot be debited. Add the account again.", m.ID, m.Status)
	})
	return cmp.Or(err, wrong)
}

// CompanyAuthorizeMethod is the command "companies authorize-method".
type CompanyAuthorizeMethod struct {
	terminal.Change
	methodKeyed
	authorizationFlags
}

func (CompanyAuthorizeMethod) Examples() []string {
	return []string{"companies authorize-method 1000000001 pm_… --accepted-at 2026-02-20 --written --reference form-12"}
}

func (c *CompanyAuthorizeMethod) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	x, err := c.authorization()
	if err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, methodNoun(), func(api *client.Client, o ...client.Option) (*client.PaymentMethod, error) {
		return api.AuthorizePaymentMethod(ctx, c.ID, c.Method, x, o...)
	}, func(m *client.PaymentMethod) string {
		return fmt.Sprintf("Recorded: debits from %s were authorized on %s. If collection has stopped: %s orders resume KEY", m.ID, terminal.NewYork(m.Authorization.AcceptedAt), a.Program)
	})
}

// CompanyVouchMethod is the command "companies vouch-method".
type CompanyVouchMethod struct {
	terminal.Change
	methodKeyed
	Reason  string `required:"" help:"Reason, for the record."`
	Consent string `placeholder:"RECORD" help:"Reference to the record of the company's own consent to the account."`
	Only    bool   `name:"consent-only" help:"Record only the consent, without vouching for the account."`
}

func (CompanyVouchMethod) Examples() []string {
	return []string{"companies vouch-method 1000000001 pm_… --reason 'voided check on file'", "companies vouch-method 1000000001 pm_… --consent-only --consent 'call of 20 January' --reason 'asked the company'"}
}

func (c *CompanyVouchMethod) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	verified := !c.Only
	return terminal.Act(ctx, a, &c.Change, methodNoun(), func(api *client.Client, o ...client.Option) (*client.PaymentMethod, error) {
		return api.VouchForPaymentMethod(ctx, c.ID, c.Method, client.Vouching{Reason: c.Reason, Verified: &verified, CompanyConsent: c.Consent}, o...)
	}, func(m *client.PaymentMethod) string { return fmt.Sprintf("%s is %s.", m.ID, m.Status) })
}

// CompanyRemoveMethod is the command "companies remove-method".
type CompanyRemoveMethod struct {
	terminal.Change
	terminal.Consent
	methodKeyed
}

func (CompanyRemoveMethod) Examples() []string {
	return []string{"companies remove-method 1000000001 pm_… --yes"}
}

func (c *CompanyRemoveMethod) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	return Remove(ctx, a, &c.Change, c.Consent, Removal{
		ID: c.Method, Said: "Removed " + c.Method + ".", Ask: fmt.Sprintf("Remove account %s? It will never be debited again.", c.Method), See: "companies methods " + c.ID,
	}, func(api *client.Client) error { return api.RemovePaymentMethod(ctx, c.ID, c.Method) })
}

// SandboxAccount is the command "sandbox account".
type SandboxAccount struct {
	terminal.Change
	companyKeyed
	Returns string `xor:"fate" placeholder:"CODE" help:"Every debit is returned with this code: R01."`
	Late    string `xor:"fate" placeholder:"CODE" help:"Debits settle and are returned on the last day the code allows: R10."`
	Once    string `xor:"fate" placeholder:"CODE" help:"The first debit is returned, later ones settle: R01. Once per code in a sandbox."`
	Notice  string `xor:"fate" placeholder:"CODE" help:"Debits settle with a notification of change: C01."`
}

func (SandboxAccount) Examples() []string {
	return []string{"sandbox account 1000000001 --returns R01", "sandbox account 1000000001 --late R10", "sandbox account 1000000001"}
}

// number returns an account number at the sandbox's bank that makes debits behave as the flags
// say.
func (c *SandboxAccount) number() (string, error) {
	for i, code := range []string{c.Returns, c.Late, c.Once, c.Notice} {
		if code == "" {
			continue
		}
		number, ok := fakebank.AccountFor(i+1, strings.ToUpper(code))
		if !ok {
			return "", &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("the simulated bank does not support the code %q here", code)}
		}
		return number, nil
	}
	return fakebank.Account, nil
}

// Run is called by the parser. The authorization dates from the company's creation, which is in
// the past in every sandbox.
func (c *SandboxAccount) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	number, err := c.number()
	if err != nil {
		return err
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	if _, err := api.SandboxClock(ctx); err != nil { // only a sandbox has a clock: such an account does not belong in live data
		return err
	}
	company, err := api.Company(ctx, c.ID)
	if err != nil {
		return err
	}
	r := client.PaymentMethodRequest{
		Type: "ACH", RoutingNumber: fakebank.Routing, AccountNumber: number, HolderName: company.Name,
		Authorization: client.Authorization{Channel: "WEB", AcceptedAt: company.CreatedAt, Reference: "sandbox"},
	}
	return terminal.Act(ctx, a, &c.Change, methodNoun(), func(api *client.Client, o ...client.Option) (*client.PaymentMethod, error) {
		return api.AddPaymentMethod(ctx, c.ID, r, o...)
	}, func(m *client.PaymentMethod) string { return added(a, c.ID, m) })
}

// Removal is a deletion. It is idempotent, so it needs no key, and it has no dry run.
type Removal struct {
	ID   string // of what is removed
	Ask  string // the question to confirm
	Said string // printed once it is removed
	See  string // the command that shows it
}

// Remove deletes. The server's response is empty, so this builds what --json prints.
func Remove(ctx context.Context, a *terminal.App, c *terminal.Change, yes terminal.Consent, r Removal, do func(*client.Client) error) error {
	if c.DryRun {
		return &exit.Failure{Code: exit.Usage, Text: "deletions have no dry run", Hint: a.Then("Show it first:", r.See)}
	}
	if err := yes.Ask(a, false, r.Ask); err != nil {
		return err
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	again := c.RetryLast
	if err := c.Draw(a, api.Address()); err != nil {
		return err
	}
	switch err := do(api); {
	case again && errors.Is(err, client.CodeNotFound): // an earlier attempt removed it
	case err != nil:
		return c.Failed(ctx, err)
	}
	body := fmt.Sprintf(`{"id":%q,"deleted":true}`, r.ID)
	return c.Done(a, client.Response{Body: []byte(body)}, r.ID, []any{r.ID, "deleted"}, r.Said)
}
