package trade

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"os"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

func personNoun() terminal.Noun[client.Person] {
	return terminal.Noun[client.Person]{
		Head: []string{"ID", "E-MAIL", "NAME", "ROLE", ">LIMIT", "INVITED", "VERIFIED"},
		Row: func(x *client.Person) []any {
			return []any{x.ID, terminal.Maybe(x.Email), terminal.Maybe(strings.TrimSpace(x.FirstName + " " + x.LastName)), terminal.Maybe(x.Role), x.Limit, yesNo(x.Invited), x.VerifiedAt}
		},
		Key: func(x *client.Person) string { return x.ID },
	}
}

func yesNo(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}

// ofCompany is a command about what belongs to a company, which comes first.
type ofCompany struct {
	Company string `arg:"" help:"Identifier of the company: ten digits." complete:"company"`
}

// PeopleList is the command "people list".
type PeopleList struct {
	terminal.Remote
	ofCompany
}

// Examples are shown by -h.
func (PeopleList) Examples() []string { return []string{"people list 4821073356"} }

// Run is called by the parser.
func (c *PeopleList) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Company
	return terminal.List(ctx, a, &c.Remote, terminal.Paging{}, personNoun(), func(api *client.Client, _ client.Paging, o ...client.Option) (*client.Page[client.Person], error) {
		return api.ListPeople(ctx, c.Company, o...)
	})
}

// PeopleSet is the command "people set".
type PeopleSet struct {
	terminal.Change
	terminal.Consent
	ofCompany
	terminal.Audited
	Email     string              `arg:"" help:"Who it is. Somebody who does not act for the company yet is invited there."`
	Role      terminal.WordFlag   `required:"" placeholder:"ROLE" help:"OWNER, BUYER or VIEWER." complete:"person-role"`
	Limit     terminal.AmountFlag `placeholder:"USD" help:"The largest order that a BUYER accepts; of a BUYER alone."`
	FirstName string              `placeholder:"TEXT" help:"First name, of who is invited."`
	LastName  string              `placeholder:"TEXT" help:"Last name, of who is invited."`
}

// Examples are shown by -h.
func (PeopleSet) Examples() []string {
	return []string{
		"people set 4821073356 bea@alder.example --role OWNER --reason 'the owner has left, articles seen' --yes",
		"people set 4821073356 gil@alder.example --role BUYER --limit 500 --reason 'asked for by the owner'",
	}
}

// Run is called by the parser.
func (c *PeopleSet) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Company
	r := client.PersonRequest{Email: c.Email, FirstName: c.FirstName, LastName: c.LastName, Role: string(c.Role), Limit: client.Amount(c.Limit)}
	if r.Role == "OWNER" && !c.DryRun {
		if err := c.Ask(a, fmt.Sprintf("Let %s sign for company %s and change its accounts and people?", c.Email, c.Company)); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, personNoun(), func(api *client.Client, o ...client.Option) (*client.Person, error) {
		return api.SetPerson(ctx, c.Company, r, c.WithReason(o)...)
	}, func(x *client.Person) string {
		if x.Invited {
			return fmt.Sprintf("%s is invited as %s of %s and has to accept. Owners of the company are told by mail.", x.ID, x.Role, c.Company)
		}
		return fmt.Sprintf("%s is %s of %s. Owners of the company are told by mail.", x.ID, x.Role, c.Company)
	})
}

// PeopleRemove is the command "people remove".
type PeopleRemove struct {
	terminal.Change
	terminal.Consent
	ofCompany
	terminal.Audited
	Person string `arg:"" help:"Identifier of the person: per_…"`
}

// Examples are shown by -h.
func (PeopleRemove) Examples() []string {
	return []string{"people remove 4821073356 per_… --reason 'has left the company' --yes"}
}

// Run is called by the parser.
func (c *PeopleRemove) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Company
	if !c.DryRun {
		if err := c.Ask(a, fmt.Sprintf("End the role of %s at company %s?", c.Person, c.Company)); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, personNoun(), func(api *client.Client, o ...client.Option) (*client.Person, error) {
		return api.RemovePerson(ctx, c.Company, c.Person, c.Reason, o...)
	}, func(x *client.Person) string {
		return fmt.Sprintf("%s no longer acts for %s.", x.ID, c.Company)
	})
}

func agreementNoun() terminal.Noun[client.MasterAgreement] {
	return terminal.Noun[client.MasterAgreement]{
		Key: func(x *client.MasterAgreement) string { return x.Document.ID },
		Row: func(x *client.MasterAgreement) []any { return []any{x.CompanyID, x.Document.ID, x.SignedOn} },
		Text: func(a *terminal.App, x *client.MasterAgreement) error {
			name, title := "", ""
			if x.Signer != nil {
				name, title = x.Signer.Name, x.Signer.Title
			}
			return terminal.Facts(a.Out, "company", terminal.CompanyOf(x.CompanyID), "document", x.Document.ID, "type", x.Document.ContentType, "sha256", x.Document.SHA256,
				"signed", x.SignedOn, "on paper", yesNo(x.OnPaper), "recorded", x.RecordedAt, "signed by", name, "title", title)
		},
	}
}

// CompanyAgreement is the command "companies agreement".
type CompanyAgreement struct {
	terminal.Remote
	companyKeyed
	Out string `short:"o" type:"path" placeholder:"FILE" help:"File to write what was signed to; it must not exist."`
}

// Examples are shown by -h.
func (CompanyAgreement) Examples() []string {
	return []string{"companies agreement 4821073356", "companies agreement 4821073356 -o agreement.pdf"}
}

// Run is called by the parser.
func (c *CompanyAgreement) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	if c.Out == "" {
		return terminal.One(ctx, a, &c.Remote, agreementNoun(), func(api *client.Client, o ...client.Option) (*client.MasterAgreement, error) {
			return api.MasterAgreement(ctx, c.ID, o...)
		})
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	return c.Write(a, c.Out, func(w io.Writer) error { return api.MasterAgreementFile(ctx, c.ID, w) })
}

// CompanySigned is the command "companies signed".
type CompanySigned struct {
	terminal.Change
	terminal.Consent
	companyKeyed
	terminal.Audited
	File  string            `arg:"" help:"The signed paper: a PDF, PNG or JPEG of at most 10 MiB."`
	By    string            `required:"" placeholder:"NAME" help:"Who signed, as the paper says it."`
	Title string            `required:"" placeholder:"TEXT" help:"Role at the business, as the paper says it."`
	On    terminal.DateFlag `required:"" placeholder:"DATE" help:"When it was signed, today at the latest."`
}

// Examples are shown by -h.
func (CompanySigned) Examples() []string {
	return []string{"companies signed 4821073356 agreement.pdf --by 'Ada Marsh' --title 'Managing member' --on 2026-01-09 --reason 'sent by post' --yes"}
}

// Run is called by the parser.
func (c *CompanySigned) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	data, err := os.ReadFile(c.File)
	if err != nil {
		return &exit.Failure{Code: exit.Usage, Text: err.Error()}
	}
	if !c.DryRun {
		if err := c.Ask(a, fmt.Sprintf("Record that %s has signed the master agreement for company %s?", c.By, c.ID)); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, CompanyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.RecordPaperSignature(ctx, c.ID, client.PaperSignature{SignerName: c.By, SignerTitle: c.Title, SignedOn: string(c.On), Document: base64.StdEncoding.EncodeToString(data)}, c.WithReason(o)...)
	}, func(x *client.Company) string {
		return fmt.Sprintf("%s (%s) has signed on paper, %s. Its orders can be authorized.", terminal.Clean(x.Name), x.ID, c.On)
	})
}
