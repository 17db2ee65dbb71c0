package lending

import (
	"fmt"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/ulid"
)

// CompanyCandidates is how many random identifiers CreateCompany tries: with ten digits and
// millions of companies the first is nearly always free.
const CompanyCandidates = 4

// CreateCompany creates a company, as an approved application would.
type CreateCompany struct {
	ID             int64                 `json:"id"` // 0: generate one; only a sandbox sets it
	Title          string                `json:"title"`
	LegalName      string                `json:"legal_name"`
	TaxIDLast4     string                `json:"tax_id_last4"`
	Status         credit.CompanyStatus  `json:"status"`
	StatusCode     string                `json:"status_code"`
	StatusMessage  string                `json:"status_message"`
	Phone          string                `json:"phone"`
	Email          string                `json:"email"`
	BillingAddress credit.CompanyAddress `json:"billing_address"`
	Tier           string                `json:"tier"`
	Limit          money.Amount          `json:"limit"`
	Merchants      []string              `json:"merchants"`         // linked at once
	Compared       *credit.Compared      `json:"compared,omitzero"` // result of comparing its names with a sanctions list; nil: a worker compares them
}

func (CreateCompany) Name() string { return "company.create" }

// Keys requests the merchants and the candidate identifiers.
func (c CreateCompany) Keys(_ *credit.State, e credit.Env) credit.Keys {
	return credit.Keys{Merchants: c.Merchants, Companies: c.Candidates(e)}
}

// Candidates are the identifiers to try; the company gets the first free one.
func (c CreateCompany) Candidates(e credit.Env) []int64 {
	if c.ID != 0 {
		return []int64{c.ID}
	}
	g := ulid.StreamOf(e.Seed)
	out := make([]int64, CompanyCandidates)
	for i := range out {
		out[i] = g.CompanyID()
	}
	return out
}

func (c CreateCompany) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	for _, m := range c.Merchants {
		if s.Merchants[m] == nil {
			return credit.NotFound.Because("There is no such merchant.")
		}
	}
	return nil
}

func (c CreateCompany) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	if r := CheckName(c.Title); r != nil {
		return credit.Changes{}, r
	}
	id := int64(0)
	for _, n := range c.Candidates(e) {
		if s.Companies[n] == nil {
			id = n
			break
		}
	}
	if id == 0 {
		return credit.Changes{}, credit.ValidationFailed.Because("The company identifier is already in use.")
	}
	if c.Tier != "A" && c.Tier != "B" && c.Tier != "C" {
		return credit.Changes{}, credit.ValidationFailed.Because("The tier must be A, B or C.")
	}
	d := credit.NewDraft(s, e)
	d.IDs.Skip(CompanyCandidates)
	linked := slices.Clone(c.Merchants)
	slices.Sort(linked)
	x := d.Companies.Add(id, &credit.Company{
		ID: id, Name: c.Title, LegalName: c.LegalName, TaxIDLast4: c.TaxIDLast4, Status: c.Status,
		StatusCode: c.StatusCode, StatusMessage: c.StatusMessage, Phone: c.Phone, Email: c.Email,
		BillingAddress: c.BillingAddress, Tier: c.Tier, Limit: c.Limit, Linked: slices.Compact(linked),
		CreatedAt: e.Now, UpdatedAt: e.Now, Version: 1,
	})
	d.CompanyEvent(credit.CompanyCreatedEvent, id)
	Renamed(d, x, c.Compared)
	return d.Done(x, true), nil
}

// UpdateCompany manually changes a company's details, its line, its links or its status. Nil
// or empty members stay as they are.
type UpdateCompany struct {
	Company        int64                  `json:"company"`
	IfMatch        []string               `json:"if_match"` // versions in quotes; nil: any
	Title          *string                `json:"title"`
	LegalName      *string                `json:"legal_name"`
	TaxIDLast4     *string                `json:"tax_id_last4"`
	Phone          *string                `json:"phone"`
	Email          *string                `json:"email"`
	BillingAddress *MapPatch[string]      `json:"billing_address"`
	Limit          *money.Amount          `json:"limit"`
	Tier           string                 `json:"tier"`
	Status         credit.CompanyStatus   `json:"status"`
	From           []credit.CompanyStatus `json:"from"` // statuses that Status may replace; empty: any
	StatusCode     string                 `json:"status_code"`
	StatusMessage  string                 `json:"status_message"`
	Reasons        []string               `json:"reasons,omitzero"` // for an adverse action on an account (F28); none: StatusCode
	Link           []string               `json:"link"`
	Unlink         []string               `json:"unlink"`
	Compared       *credit.Compared       `json:"compared,omitzero"` // result of comparing Title and LegalName with a sanctions list; nil: a worker compares them
}

func (UpdateCompany) Name() string { return "company.update" }

// Keys requests the company and the merchants to link, and the company's screening if new
// names were compared.
func (c UpdateCompany) Keys(s *credit.State, _ credit.Env) credit.Keys {
	k := credit.Keys{Companies: []int64{c.Company}, Merchants: c.Link}
	if x := s.Companies[c.Company]; c.Status == credit.CompanyApproved && x != nil && x.Servicing.Cards.Paused != "" {
		k.Accounts, k.Merchants = []int64{c.Company}, append(credit.MerchantsOf(s, s.Accounts[c.Company]), c.Link...)
	}
	if c.Compared != nil {
		k.Screenings = SubjectKeys(s, c.Company, "").Screenings
	}
	return k
}

func (c UpdateCompany) Admit(s *credit.State, _ credit.Env) *credit.Rejection {
	if s.Companies[c.Company] == nil {
		return credit.NotFound.Because("There is no such company.")
	}
	for _, m := range c.Link {
		if s.Merchants[m] == nil {
			return credit.NotFound.Because("There is no such merchant.")
		}
	}
	return nil
}

func (c UpdateCompany) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Companies[c.Company]
	if r := c.refuse(old); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	x := d.Companies.Edit(c.Company)
	c.describe(x)
	if c.Limit != nil {
		x.Limit = *c.Limit
	}
	if c.Tier != "" {
		x.Tier = c.Tier
	}
	links := slices.Concat(x.Linked, c.Link)
	slices.Sort(links)
	x.Linked = slices.DeleteFunc(slices.Compact(links), func(m string) bool { return slices.Contains(c.Unlink, m) })
	if c.Status != "" && c.Status != x.Status {
		x.Status, x.StatusCode, x.StatusMessage = c.Status, c.StatusCode, c.StatusMessage
		if x.Status == credit.CompanyClosed {
			x.Servicing.ClosedOn = e.Today()
		}
		x.Servicing.ManualRelease = false // a person has now decided
	}
	if c.Status == credit.CompanyApproved {
		releaseCards(d, x)
	}
	if acts := adverse(old, x); len(acts) > 0 || len(c.Reasons) > 0 {
		reasons := c.reasons()
		if r := RefuseReasons(reasons); r != nil {
			return credit.Changes{}, r
		}
		for _, kind := range acts {
			d.GiveNotice(kind, x.ID, reasons...)
		}
	}
	if !slices.Equal(old.Names(), x.Names()) {
		Renamed(d, x, c.Compared)
	}
	ch := d.Done(x, false)
	if x.Version == old.Version {
		return credit.Changes{Result: old}, nil
	}
	return ch, nil
}

// reasons are the reasons given for the action, or the code of the new status.
func (c UpdateCompany) reasons() []string {
	if len(c.Reasons) == 0 && c.StatusCode != "" {
		return []string{c.StatusCode}
	}
	return c.Reasons
}

// describe sets a company's new details.
func (c UpdateCompany) describe(x *credit.Company) {
	for _, m := range []struct{ to, value *string }{
		{&x.Name, c.Title}, {&x.LegalName, c.LegalName}, {&x.TaxIDLast4, c.TaxIDLast4}, {&x.Phone, c.Phone}, {&x.Email, c.Email},
	} {
		if m.value != nil {
			*m.to = *m.value
		}
	}
	if c.BillingAddress != nil {
		x.BillingAddress = companyAddressOn(c.BillingAddress, x.BillingAddress)
	}
}

// companyAddressOn merges the patch into the stored address.
func companyAddressOn(p *MapPatch[string], next credit.CompanyAddress) credit.CompanyAddress {
	if p.Null {
		next = credit.CompanyAddress{}
	}
	for _, m := range []struct {
		name string
		to   *string
	}{
		{"street", &next.Street}, {"city", &next.City}, {"state", &next.State}, {"postal_code", &next.PostalCode}, {"country", &next.Country},
	} {
		if v, ok := p.Members[m.name]; ok {
			if *m.to = ""; v != nil {
				*m.to = *v
			}
		}
	}
	return next
}

// refuse checks what staff may not do: a company never becomes PENDING again, and a CLOSED one
// stays closed (F26).
func (c UpdateCompany) refuse(old *credit.Company) *credit.Rejection {
	if r := credit.MatchVersion(c.IfMatch, old.Version); r != nil {
		return r
	}
	if c.Status != "" && c.Status != old.Status {
		switch {
		case c.Status == credit.CompanyApproved && old.Servicing.Screened.Review != "":
			return credit.ScreeningWaits(old.Servicing.Screened.Review)
		case old.Status == credit.CompanyClosed:
			return credit.CompanyNotEligible.Because("A closed company cannot be reopened.")
		case c.Status == credit.CompanyPending, len(c.From) > 0 && !slices.Contains(c.From, old.Status):
			return credit.CompanyNotEligible.Because(fmt.Sprintf("A company that is %s cannot become %s.", old.Status, c.Status))
		case c.Status == credit.CompanyApproved && old.Servicing.NeedsVerified:
			return credit.PaymentMethodRequired.Because("Debits of the company were returned: a payment method must be verified before the company is approved again.")
		}
	}
	if c.Tier != "" && c.Tier != "A" && c.Tier != "B" && c.Tier != "C" {
		return credit.ValidationFailed.Because("The tier must be A, B or C.")
	}
	if c.Title != nil {
		return CheckName(*c.Title)
	}
	return nil
}
