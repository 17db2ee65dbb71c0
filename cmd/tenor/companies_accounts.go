package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"tenor/client"
	"tenor/internal/calendar"
	fakebank "tenor/internal/rails/fake"
)

// authorizationFlags are a holder's consent to debits.
type authorizationFlags struct {
	AcceptedAt momentFlag `required:"" placeholder:"DATE" help:"When the holder has authorized debits: a date, or an instant."`
	Written    bool       `help:"The holder has signed; absent: agreed to it on a page."`
	Reference  string     `placeholder:"TEXT" help:"Your own reference to the record of it."`
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
	zone, err := businessZone()
	if err != nil {
		return x, err
	}
	day, err := calendar.Parse(string(f.AcceptedAt))
	x.AcceptedAt = zone.At(day, 0, 0)
	return x, err
}

type companyAddMethod struct {
	change
	companyKeyed
	authorizationFlags
	Routing  string `required:"" placeholder:"NUMBER" help:"Nine digits that name the bank."`
	Account  string `name:"account-file" required:"" placeholder:"FILE" help:"File with the account's number and nothing else; - reads it from standard input."`
	Holder   string `required:"" placeholder:"NAME" help:"Name of the holder."`
	Savings  bool   `help:"It is a savings account; absent: a checking account."`
	Consumer bool   `help:"It is a person's; absent: a business's."`
	Verify   bool   `xor:"proof" help:"Send two micro-deposits, and debit nothing before their amounts are named."`
	Prenote  bool   `xor:"proof" help:"Send an entry without money, and debit nothing in the three banking days after it."`
}

// Examples are shown by -h.
func (companyAddMethod) Examples() []string {
	return []string{
		"companies add-method 1000000001 --routing 021000021 --account-file ./account --holder 'Alder Kitchens LLC' --accepted-at 2026-01-09 --reference consent-8841",
		"companies add-method 1000000001 --routing 021000021 --account-file - --holder 'Alder Kitchens LLC' --accepted-at 2026-01-09 --verify",
	}
}

// Run is called by the parser. The number is never on the command line, where others on
// the machine could read it.
func (c *companyAddMethod) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	number, err := a.readAll(c.Account)
	if err != nil {
		return &failure{code: exitUsage, text: "read the account's number", err: err}
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
	return act(ctx, a, &c.change, methodNoun(), func(api *client.Client, o ...client.Option) (*client.PaymentMethod, error) {
		return api.AddPaymentMethod(ctx, c.ID, r, o...)
	}, func(m *client.PaymentMethod) string { return added(a, c.ID, m) })
}

// added says what became of a new account, and what is next.
func added(a *app, company string, m *client.PaymentMethod) string {
	next := fmt.Sprintf("Next: %s companies autopay %s --on --method %s", a.program, company, m.ID)
	switch {
	case m.Verification != nil:
		next = fmt.Sprintf("When the deposits have arrived: %s companies verify-method %s %s --amounts USD,USD", a.program, company, m.ID)
	case m.Status != "ACTIVE":
		next = fmt.Sprintf("It can be debited when its prenote has passed. See: %s companies methods %s", a.program, company)
	}
	return fmt.Sprintf("Added %s: %s, %s. %s", m.ID, accountOf(m), m.Status, next)
}

// methodKeyed is an account of a company.
type methodKeyed struct {
	companyKeyed
	Method string `arg:"" help:"Identifier of the account: pm_…, as companies methods lists it."`
}

type companyVerifyMethod struct {
	change
	methodKeyed
	Amounts []amountFlag `required:"" placeholder:"USD,USD" help:"Both micro-deposits, in any order."`
}

// Examples are shown by -h.
func (companyVerifyMethod) Examples() []string {
	return []string{"companies verify-method 1000000001 pm_… --amounts 0.32,0.45"}
}

// Run is called by the parser.
func (c *companyVerifyMethod) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	if len(c.Amounts) != 2 {
		return &failure{code: exitUsage, text: "--amounts takes two amounts, such as 0.32,0.45"}
	}
	var wrong error
	err := act(ctx, a, &c.change, methodNoun(), func(api *client.Client, o ...client.Option) (*client.PaymentMethod, error) {
		return api.VerifyPaymentMethod(ctx, c.ID, c.Method, [2]client.Amount{client.Amount(c.Amounts[0]), client.Amount(c.Amounts[1])}, o...)
	}, func(m *client.PaymentMethod) string {
		if m.Status == "ACTIVE" {
			return fmt.Sprintf("%s is ACTIVE. Next: %s companies autopay %s --on --method %s", m.ID, a.program, c.ID, m.ID)
		}
		wrong = &failure{code: exitCheckFailed, text: "those are not the amounts"}
		if m.Verification != nil {
			return fmt.Sprintf("%s is %s: %d tries are left, until %s.", m.ID, m.Status, m.Verification.TriesLeft, m.Verification.ExpiresOn)
		}
		return fmt.Sprintf("%s is %s: it cannot be debited any more. Add the account again.", m.ID, m.Status)
	})
	return cmp.Or(err, wrong)
}

type companyAuthorizeMethod struct {
	change
	methodKeyed
	authorizationFlags
}

// Examples are shown by -h.
func (companyAuthorizeMethod) Examples() []string {
	return []string{"companies authorize-method 1000000001 pm_… --accepted-at 2026-02-20 --written --reference form-12"}
}

// Run is called by the parser.
func (c *companyAuthorizeMethod) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	x, err := c.authorization()
	if err != nil {
		return err
	}
	return act(ctx, a, &c.change, methodNoun(), func(api *client.Client, o ...client.Option) (*client.PaymentMethod, error) {
		return api.AuthorizePaymentMethod(ctx, c.ID, c.Method, x, o...)
	}, func(m *client.PaymentMethod) string {
		return fmt.Sprintf("Recorded that debits of %s were authorized on %s. If collection has stopped: %s orders resume KEY", m.ID, newYork(m.Authorization.AcceptedAt), a.program)
	})
}

type companyVouchMethod struct {
	change
	methodKeyed
	Reason  string `required:"" help:"Why, for the record."`
	Consent string `placeholder:"RECORD" help:"The record of the company's own consent to the account."`
	Only    bool   `name:"consent-only" help:"Record the consent, and do not vouch for the account."`
}

// Examples are shown by -h.
func (companyVouchMethod) Examples() []string {
	return []string{"companies vouch-method 1000000001 pm_… --reason 'voided check on file'", "companies vouch-method 1000000001 pm_… --consent-only --consent 'call of 20 January' --reason 'asked the company'"}
}

// Run is called by the parser.
func (c *companyVouchMethod) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	verified := !c.Only
	return act(ctx, a, &c.change, methodNoun(), func(api *client.Client, o ...client.Option) (*client.PaymentMethod, error) {
		return api.VouchForPaymentMethod(ctx, c.ID, c.Method, client.Vouching{Reason: c.Reason, Verified: &verified, Consent: c.Consent}, o...)
	}, func(m *client.PaymentMethod) string { return fmt.Sprintf("%s is %s.", m.ID, m.Status) })
}

type companyRemoveMethod struct {
	change
	consent
	methodKeyed
}

// Examples are shown by -h.
func (companyRemoveMethod) Examples() []string {
	return []string{"companies remove-method 1000000001 pm_… --yes"}
}

// Run is called by the parser.
func (c *companyRemoveMethod) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	return remove(ctx, a, &c.change, c.consent, removal{
		id: c.Method, said: "Removed " + c.Method + ".", ask: fmt.Sprintf("Remove the account %s? It is never debited again.", c.Method), see: "companies methods " + c.ID,
	}, func(api *client.Client) error { return api.RemovePaymentMethod(ctx, c.ID, c.Method) })
}

type sandboxAccount struct {
	change
	companyKeyed
	Returns string `xor:"fate" placeholder:"CODE" help:"Each debit comes back with this code: R01."`
	Late    string `xor:"fate" placeholder:"CODE" help:"Debits settle, and come back on the last day that the code allows: R10."`
	Once    string `xor:"fate" placeholder:"CODE" help:"The first debit comes back, later ones hold: R01. Once in a sandbox for each code."`
	Notice  string `xor:"fate" placeholder:"CODE" help:"Debits settle with a notification of change: C01."`
}

// Examples are shown by -h.
func (sandboxAccount) Examples() []string {
	return []string{"sandbox account 1000000001 --returns R01", "sandbox account 1000000001 --late R10", "sandbox account 1000000001"}
}

// number is the account's number at the sandbox's bank: it says what its debits do.
func (c *sandboxAccount) number() (string, error) {
	for i, code := range []string{c.Returns, c.Late, c.Once, c.Notice} {
		if code == "" {
			continue
		}
		number, ok := fakebank.AccountFor(i+1, strings.ToUpper(code))
		if !ok {
			return "", &failure{code: exitUsage, text: fmt.Sprintf("the bank has no such code for it: %q", code)}
		}
		return number, nil
	}
	return fakebank.Account, nil
}

// Run is called by the parser. The company has authorized debits when it was made, which
// is not in the future of any sandbox.
func (c *sandboxAccount) Run(ctx context.Context, a *app) error {
	a.subject = c.ID
	number, err := c.number()
	if err != nil {
		return err
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	if _, err := api.BusinessClock(ctx); err != nil { // nobody else has one: this is no account for live data
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
	return act(ctx, a, &c.change, methodNoun(), func(api *client.Client, o ...client.Option) (*client.PaymentMethod, error) {
		return api.AddPaymentMethod(ctx, c.ID, r, o...)
	}, func(m *client.PaymentMethod) string { return added(a, c.ID, m) })
}

// removal is a deletion: done twice it is done once, so it needs no key, and has no dry
// run.
type removal struct {
	id   string // of what goes
	ask  string // the question before
	said string // when it is gone
	see  string // command that shows it
}

// remove deletes. The server's answer is empty, so what --json prints is made here.
func remove(ctx context.Context, a *app, c *change, yes consent, r removal, do func(*client.Client) error) error {
	if c.DryRun {
		return &failure{code: exitUsage, text: "a deletion has no dry run", hint: a.then("See what it is:", r.see)}
	}
	if err := yes.ask(a, r.ask); err != nil {
		return err
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	again := c.RetryLast
	if err := c.draw(a, api.Address()); err != nil {
		return err
	}
	switch err := do(api); {
	case again && errors.Is(err, client.CodeNotFound): // the one before has done it
	case err != nil:
		return c.failed(ctx, err)
	}
	body := fmt.Sprintf(`{"id":%q,"deleted":true}`, r.id)
	return c.done(a, client.Response{Body: []byte(body)}, r.id, []any{r.id, "deleted"}, r.said)
}
