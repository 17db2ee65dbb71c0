package buyer

import (
	"context"
	"errors"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/underwriting"
	"tenor/internal/ports/facts"
	"tenor/internal/ports/facts/sandbox"
)

// Form is an application as submitted: its personal data is stored in the vault in this
// form.
type Form struct {
	Applicant Applicant          `json:"applicant"`
	Owners    []Owner            `json:"owners"`
	Business  Business           `json:"business"`
	Requested money.Amount       `json:"requested_limit"`
	Bank      *underwriting.Bank `json:"bank,omitempty"`
	Consents  Consents           `json:"consents"`
	Reference string             `json:"merchant_reference,omitempty"`
	Metadata  map[string]string  `json:"metadata,omitempty"`
	Kind      underwriting.Kind  `json:"kind"`
}

// Applicant is the applicant, who receives notices.
type Applicant struct {
	FirstName string `json:"first_name"`
	LastName  string `json:"last_name"`
	Email     string `json:"email"`
	Title     string `json:"title"`
	Phone     string `json:"phone,omitempty"`
}

// Owner is one of the people who own or control the business.
type Owner struct {
	FirstName string                `json:"first_name"`
	LastName  string                `json:"last_name"`
	Title     string                `json:"title,omitempty"`
	Email     string                `json:"email,omitempty"`
	Phone     string                `json:"phone,omitempty"`
	BirthDate calendar.Date         `json:"birth_date"`
	Address   credit.CompanyAddress `json:"address"`
	Percent   int                   `json:"ownership_percent"`
	Control   bool                  `json:"control_person"`
}

// Business is the application's data about the business.
type Business struct {
	LegalName        string                  `json:"legal_name"`
	TradingName      string                  `json:"trading_name,omitempty"`
	EntityType       underwriting.EntityType `json:"entity_type"`
	EIN              string                  `json:"ein"`
	FormedOn         calendar.Date           `json:"formed_on"`
	StateOfFormation string                  `json:"state_of_formation"`
	Address          credit.CompanyAddress   `json:"address"`
	Phone            string                  `json:"phone"`
	Website          string                  `json:"website,omitempty"`
	Industry         string                  `json:"industry,omitempty"`
	AnnualRevenue    money.Amount            `json:"annual_revenue"`
}

// Consents is what the applicant has agreed to, and where.
type Consents struct {
	CreditCheck       bool      `json:"credit_check"`
	ElectronicRecords bool      `json:"electronic_records"`
	AcceptedAt        time.Time `json:"accepted_at"`
	IP                string    `json:"ip,omitempty"`
	UserAgent         string    `json:"user_agent,omitempty"`
}

// Through is how an application was submitted.
type Through struct {
	Merchant string // of the pages; through the API it is the caller's
	Checkout string
	Company  int64  // for a LINE_INCREASE
	Person   string // for a LINE_INCREASE
	Language string // of the page, "" through the API
}

// EIN returns a tax number as nine digits, false if it is not one. Dashes and spaces are
// ignored.
func EIN(text string) (digits string, ok bool) {
	digits = strings.NewReplacer("-", "", " ", "").Replace(text)
	return digits, len(digits) == 9 && strings.Trim(digits, "0123456789") == ""
}

// magic returns the outcome of a sandbox's magic tax number; false for any other.
func (d *Desk) magic(ein string) (sandbox.Outcome, bool) {
	if !d.Sandbox {
		return sandbox.Outcome{}, false
	}
	return sandbox.Find(ein)
}

// Application returns the command that submits a form, with its personal data sealed.
func (d *Desk) Application(f Form, by Through) (onboarding.SubmitApplication, error) {
	digits, _ := EIN(f.Business.EIN)
	form, err := d.Keep(f)
	if err != nil {
		return onboarding.SubmitApplication{}, err
	}
	contact, err := d.Keep(Contact{Email: f.Applicant.Email, FirstName: f.Applicant.FirstName, LastName: f.Applicant.LastName, Phone: f.Applicant.Phone, Company: f.Business.LegalName})
	if err != nil {
		return onboarding.SubmitApplication{}, err
	}
	b := f.Business
	c := onboarding.SubmitApplication{
		Kind: f.Kind, Merchant: by.Merchant, Checkout: by.Checkout, Company: by.Company, Person: by.Person, Email: d.EmailHash(f.Applicant.Email),
		Form: form.ID, Contact: contact.ID, Language: by.Language, Requested: f.Requested, Bank: f.Bank, Reference: f.Reference, Metadata: f.Metadata,
		Business: credit.Business{
			LegalName: b.LegalName, TradingName: b.TradingName, EntityType: b.EntityType, EIN: d.Hash("ein", digits), EINLast4: digits[max(0, len(digits)-4):],
			FormedOn: b.FormedOn, StateOfFormation: b.StateOfFormation, Address: b.Address, Phone: b.Phone, Email: f.Applicant.Email,
			Website: b.Website, Industry: b.Industry, AnnualRevenue: b.AnnualRevenue,
		},
		Consents: credit.Consents{CreditCheck: f.Consents.CreditCheck, ElectronicRecords: f.Consents.ElectronicRecords, AcceptedAt: f.Consents.AcceptedAt},
		Secrets:  []credit.Secret{form, contact},
	}
	for _, o := range f.Owners {
		c.LargestOwner = max(c.LargestOwner, money.Rate(o.Percent)*money.RateScale/100)
		c.ControlPerson = c.ControlPerson || o.Control
	}
	if x, ok := d.magic(digits); ok && x.Ready == 0 {
		c.Business.EIN = "" // each application with it creates a company of its own
	}
	if f.Consents.IP+f.Consents.UserAgent != "" {
		kept, err := d.Keep(f.Consents)
		if err != nil {
			return onboarding.SubmitApplication{}, err
		}
		c.Consents.Evidence, c.Secrets = kept.ID, append(c.Secrets, kept)
	}
	return c, nil
}

// Apply submits a form from the pages and decides it, if the sources answer in time.
func (d *Desk) Apply(ctx context.Context, f Form, by Through, address string) (*credit.Application, error) {
	a, err := d.Send(ctx, f, by, address)
	if err != nil {
		return nil, err
	}
	return a, d.Decide(ctx, a.ID)
}

// Send submits a form from the pages. Decide, or the next RunDue, decides it.
func (d *Desk) Send(ctx context.Context, f Form, by Through, address string) (*credit.Application, error) {
	c, err := d.Application(f, by)
	if err != nil {
		return nil, err
	}
	result, err := d.do(ctx, c, address)
	if err != nil {
		return nil, err
	}
	return result.(*credit.Application), nil
}

// Decide queries the sources about an application that is SUBMITTED and records their
// answers, which decides it. It ignores any other.
func (d *Desk) Decide(ctx context.Context, id string) error {
	var a *credit.Application
	var x *credit.Checkout
	var f Form
	err := d.Store.View(ctx, func(v store.View) (err error) {
		if a, err = Load[*credit.Application](v, id); err != nil || a == nil || a.Status != credit.ApplicationSubmitted {
			return err
		}
		if x, err = Load[*credit.Checkout](v, a.Checkout); err != nil {
			return err
		}
		return d.Read(v, a.Form, &f)
	})
	if err != nil || a == nil || a.Status != credit.ApplicationSubmitted || d.slow(x, id) {
		return err
	}
	c, suspend, err := d.gather(ctx, a, f)
	if err != nil {
		return err
	}
	result, err := d.do(ctx, c, "")
	if err != nil {
		return err
	}
	if a := result.(*credit.Application); suspend > 0 && d.Suspend != nil && a.Status == credit.ApplicationApproved {
		return d.Suspend(ctx, a.Company, d.Zone.Start(d.Zone.Date(a.EndedAt).AddDays(suspend)))
	}
	return nil
}

// gather queries all sources concurrently. suspend is the number of days after which a
// sandbox suspends the company, 0 for never.
func (d *Desk) gather(ctx context.Context, a *credit.Application, f Form) (c onboarding.RecordFacts, suspend int, err error) {
	g, err := facts.Gather(ctx, d.Facts, question(a.ID, f), facts.Waits{Now: d.Now})
	if err != nil {
		return c, 0, err
	}
	today := d.Zone.Date(d.Now())
	in := underwriting.Inputs{
		Kind: a.Kind, Requested: a.Requested, EntityType: a.Business.EntityType, FormedOn: a.Business.FormedOn, AnnualRevenue: a.Business.AnnualRevenue,
		State: a.Business.Address.State, LargestOwner: a.LargestOwner, ControlPerson: a.ControlPerson, Bank: a.Bank, Duplicate: a.Duplicate,
		RegistryFormedOn: calendar.None, BureauOn: calendar.None,
	}
	in = g.Into(in, d.Zone)
	c = onboarding.RecordFacts{Application: a.ID}
	if d.Compare != nil {
		c.Compared = d.Compare(f.names()...)
		in.Screening = underwriting.ScreeningClear
		if len(c.Compared.Matches) > 0 {
			in.Screening = underwriting.ScreeningPossible
		}
	}
	if a.Kind == underwriting.LineIncrease {
		if in.Line, err = d.line(ctx, a.Company); err != nil {
			return c, 0, err
		}
	}
	if x, ok := d.magic(f.Business.EIN); ok {
		in = x.Inputs(in)
		if out, over := x.Decide(underwriting.Default(), in, today); over {
			c.Override = &out
		}
		c.Script, suspend = d.script(x, in, today)
	}
	c.Inputs, c.Sources = in, sources(g)
	return c, suspend, d.keepReport(&c, g, f)
}

// script is what a magic tax number does later.
func (d *Desk) script(x sandbox.Outcome, in underwriting.Inputs, today calendar.Date) (steps []credit.ScriptStep, suspend int) {
	for _, s := range x.Later {
		step := credit.ScriptStep{After: s.BankingDays, What: s.What}
		switch s.Act {
		case sandbox.Suspend:
			suspend = s.Days
			continue
		case sandbox.RequestDocuments:
			step.Do = onboarding.ScriptRequest
		default:
			out, _ := x.Then(s, underwriting.Default(), in, s.On(today))
			step.Do, step.Limit, step.Tier = onboarding.ScriptApprove, out.Limit, out.Tier
			if out.Decision != underwriting.Approved {
				step.Do = onboarding.ScriptDecline
			}
			for _, r := range out.Reasons {
				step.Reasons = append(step.Reasons, string(r))
			}
		}
		steps = append(steps, step)
	}
	return steps, suspend
}

// names returns all names to check against the sanctions list: the business and its people.
func (f Form) names() []string {
	out := []string{f.Business.LegalName}
	if f.Business.TradingName != "" {
		out = append(out, f.Business.TradingName)
	}
	out = append(out, f.Applicant.FirstName+" "+f.Applicant.LastName)
	for _, o := range f.Owners {
		out = append(out, o.FirstName+" "+o.LastName)
	}
	return out
}

func question(application string, f Form) facts.Question {
	b := f.Business
	q := facts.Question{
		Application: application, LegalName: b.LegalName, EIN: b.EIN, EntityType: b.EntityType, FormedOn: b.FormedOn,
		StateOfFormation: b.StateOfFormation, Address: address(b.Address), Phone: b.Phone,
	}
	for _, o := range f.Owners {
		q.Owners = append(q.Owners, facts.Owner{FirstName: o.FirstName, LastName: o.LastName, BirthDate: o.BirthDate, Address: address(o.Address), Percent: o.Percent, Control: o.Control})
	}
	return q
}

func address(a credit.CompanyAddress) facts.Address {
	return facts.Address{Street: a.Street, City: a.City, State: a.State, PostalCode: a.PostalCode}
}

// line returns the facts that decide a higher line (F26).
func (d *Desk) line(ctx context.Context, company int64) (l *underwriting.Line, err error) {
	err = d.Store.View(ctx, func(v store.View) error {
		s := credit.NewState()
		if err := v.Load(s, credit.Keys{Companies: []int64{company}}); err != nil {
			return err
		}
		c := s.Companies[company]
		if c == nil {
			return errors.New("buyer: the company does not exist")
		}
		today := d.Zone.Date(d.Now())
		due, err := store.PastDueOf(v, company, "", today)
		if err != nil {
			return err
		}
		l = &underwriting.Line{Limit: c.Limit, Used: c.Outstanding.Add(c.Reserved), OpenedOn: d.Zone.Date(c.CreatedAt), LowestLimit: c.Limit}
		if due.Oldest != calendar.None {
			l.WorstDPD = due.Oldest.DaysUntil(today)
		}
		return nil
	})
	return l, err
}

// Withdraw ends an application at the applicant's request.
func (d *Desk) Withdraw(ctx context.Context, id, address string) error {
	_, err := d.do(ctx, onboarding.WithdrawApplication{Application: id}, address)
	return err
}

// Attach adds a file to an application.
func (d *Desk) Attach(ctx context.Context, id string, p Paper, address string) error {
	p.Kind = credit.DocumentUpload
	filed, secret := d.Filed(p)
	_, err := d.do(ctx, onboarding.AttachDocument{Application: id, Paper: filed, Secrets: []credit.Secret{secret}}, address)
	return err
}
