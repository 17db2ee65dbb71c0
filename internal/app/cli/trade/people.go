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

// ofCompany is a command about something that belongs to a company; the company is its first
// argument.
type ofCompany struct {
	Company string `arg:"" help:"Company ID: ten digits." complete:"company"`
}

// PeopleList is the command "people list".
type PeopleList struct {
	terminal.Remote
	ofCompany
}

func (PeopleList) Examples() []string { return []string{"people list 4821073356"} }

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
	Email     string              `arg:"" help:"E-mail address of the person. Somebody new to the company gets an invitation."`
	Role      terminal.WordFlag   `required:"" placeholder:"ROLE" help:"${person_role}." complete:"person-role"`
	Limit     terminal.AmountFlag `placeholder:"USD" help:"Largest order a BUYER can accept; only for BUYER."`
	FirstName string              `placeholder:"TEXT" help:"First name of a new person."`
	LastName  string              `placeholder:"TEXT" help:"Last name of a new person."`
}

func (PeopleSet) Examples() []string {
	return []string{
		"people set 4821073356 bea@alder.example --role OWNER --reason 'previous owner left; articles reviewed' --yes",
		"people set 4821073356 gil@alder.example --role BUYER --limit 500 --reason 'requested by the owner'",
	}
}

func (c *PeopleSet) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Company
	r := client.PersonRequest{Email: c.Email, FirstName: c.FirstName, LastName: c.LastName, Role: string(c.Role), Limit: client.Amount(c.Limit)}
	if r.Role == "OWNER" && !c.DryRun {
		if err := c.Ask(a, false, fmt.Sprintf("Make %s an owner of company %s, who can sign and manage its accounts and people?", c.Email, c.Company)); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, personNoun(), func(api *client.Client, o ...client.Option) (*client.Person, error) {
		return api.SetPerson(ctx, c.Company, r, c.WithReason(o)...)
	}, func(x *client.Person) string {
		if x.Invited {
			return fmt.Sprintf("Invited %s as %s of %s. The invitation must be accepted. Owners are notified by e-mail.", x.ID, x.Role, c.Company)
		}
		return fmt.Sprintf("%s is now %s of %s. Owners are notified by e-mail.", x.ID, x.Role, c.Company)
	})
}

// PeopleRemove is the command "people remove".
type PeopleRemove struct {
	terminal.Change
	terminal.Consent
	ofCompany
	terminal.Audited
	Person string `arg:"" help:"Person ID: per_…"`
}

func (PeopleRemove) Examples() []string {
	return []string{"people remove 4821073356 per_… --reason 'left the company' --yes"}
}

func (c *PeopleRemove) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Company
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("End the role of %s at company %s?", c.Person, c.Company)); err != nil {
		return err
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
	Out string `short:"o" type:"path" placeholder:"FILE" help:"Output file for the signed document; it must not exist."`
}

func (CompanyAgreement) Examples() []string {
	return []string{"companies agreement 4821073356", "companies agreement 4821073356 -o agreement.pdf"}
}

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
	File  string            `arg:"" help:"Signed document: PDF, PNG or JPEG, at most 10 MiB."`
	By    string            `required:"" placeholder:"NAME" help:"Name of the signer, as on the document."`
	Title string            `required:"" placeholder:"TEXT" help:"Title of the signer, as on the document."`
	On    terminal.DateFlag `required:"" placeholder:"DATE" help:"Date of the signature, not in the future."`
}

func (CompanySigned) Examples() []string {
	return []string{"companies signed 4821073356 agreement.pdf --by 'Ada Marsh' --title 'Managing member' --on 2026-01-09 --reason 'received by mail' --yes"}
}

func (c *CompanySigned) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	data, err := os.ReadFile(c.File)
	if err != nil {
		return &exit.Failure{Code: exit.Usage, Text: err.Error()}
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Record that %s signed the master agreement for company %s?", c.By, c.ID)); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, CompanyNoun(), func(api *client.Client, o ...client.Option) (*client.Company, error) {
		return api.RecordPaperSignature(ctx, c.ID, client.PaperSignature{SignerName: c.By, SignerTitle: c.Title, SignedOn: string(c.On), Document: base64.StdEncoding.EncodeToString(data)}, c.WithReason(o)...)
	}, func(x *client.Company) string {
		return fmt.Sprintf("Recorded: %s (%s) signed on paper on %s. Its orders can be authorized.", terminal.Clean(x.Name), x.ID, c.On)
	})
}
