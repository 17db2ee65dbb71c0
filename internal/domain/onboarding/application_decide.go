package onboarding

import (
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/people"
	"tenor/internal/domain/ulid"
	"tenor/internal/domain/underwriting"
)

// PolicyActor is the actor of decisions made by the policy, SandboxActor of those made by a
// sandbox's magic values.
const (
	PolicyActor  = "policy"
	SandboxActor = "sandbox"
)

// RecordFacts records what sources answered about an application and decides it by the policy
// (F27). Override is what a sandbox's magic tax number decides instead, Script what it does
// later. It has no effect on an application that is no longer SUBMITTED. Result is the
// *Application.
type RecordFacts struct {
	Application string                `json:"application"`
	Inputs      underwriting.Inputs   `json:"inputs"` // without what the application itself states
	Override    *underwriting.Outcome `json:"override"`
	Script      []credit.ScriptStep   `json:"script"`
	Compared    *credit.Compared      `json:"compared"`              // result of comparing the business's names with a sanctions list
	Sources     []credit.SourceAnswer `json:"sources"`               // who answered
	Report      string                `json:"report"`                // handle: what a notice says about an owner's credit report, "" if none was used
	ReportOther bool                  `json:"report_other,omitzero"` // the owner whose report it is did not apply
	Secrets     []credit.Secret       `json:"-"`
}

func (RecordFacts) Name() string { return "application.facts" }

// Keys requests the application and what its decision changes.
func (c RecordFacts) Keys(s *credit.State, e credit.Env) credit.Keys {
	return applicationKeys(s, e, c.Application)
}

// applicationKeys requests the lender, an application, its checkout, the applicant's person,
// and candidate identifiers for the company that it may become.
func applicationKeys(s *credit.State, e credit.Env, id string) credit.Keys {
	k := credit.Keys{Lenders: []string{credit.TheLender}, Records: []credit.RecordKey{{Noun: credit.NounApplication, ID: id}}, Companies: lending.CreateCompany{}.Candidates(e)}
	a := s.Application(id)
	if a == nil {
		return k
	}
	if a.Merchant != "" {
		k.Merchants = []string{a.Merchant}
	}
	if a.Company != 0 {
		k.Companies = append(k.Companies, a.Company)
	}
	if a.Business.EIN != "" {
		k.Claims = append(k.Claims, businessClaim(a.Business.EIN))
	}
	k.Claims = append(k.Claims, credit.EmailClaim(a.Of))
	k.Claims = append(k.Claims, a.Claims()...)
	if p := s.Claims[credit.EmailClaim(a.Of)]; p != "" {
		k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounPerson, ID: p})
	}
	for _, doc := range a.Documents {
		k.Records = append(k.Records, credit.RecordKey{Noun: credit.NounDocument, ID: doc})
	}
	return credit.JoinKeys(k, lending.CheckoutKeys(s, a.Checkout))
}

func (c RecordFacts) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return staffApplication(s, e, c.Application)
}

func ownApplication(s *credit.State, e credit.Env, id string) *credit.Rejection {
	if a := s.Application(id); a == nil || !e.Actor.Operator && a.Merchant != e.Actor.Merchant {
		return credit.NotFound.Because("There is no such application.")
	}
	return nil
}

// staffApplication is ownApplication for the lender only.
func staffApplication(s *credit.State, e credit.Env, id string) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return credit.NotFound.Because("There is no such application.")
	}
	return ownApplication(s, e, id)
}

func (c RecordFacts) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Application(c.Application)
	if old.Status != credit.ApplicationSubmitted {
		return credit.Changes{Result: old}, nil
	}
	d := deciding(s, e)
	a := credit.EditRecord[*credit.Application](d, c.Application)
	in := c.Inputs
	a.Duplicate = a.Duplicate || in.Duplicate // a source may detect a duplicate, but never rules one out
	in.Kind, in.Requested, in.Duplicate = a.Kind, a.Requested, a.Duplicate
	in.EntityType, in.FormedOn, in.AnnualRevenue, in.State = a.Business.EntityType, a.Business.FormedOn, a.Business.AnnualRevenue, a.Business.Address.State
	in.LargestOwner, in.ControlPerson = a.LargestOwner, a.ControlPerson
	if in.Bank == nil {
		in.Bank = a.Bank
	}
	out, by := underwriting.Decide(underwriting.Default(), in, e.Today()), PolicyActor
	if c.Override != nil {
		out, by = *c.Override, SandboxActor
	}
	a.Inputs, a.Outcome, a.Compared, a.Script = &in, &out, c.Compared, slices.Clone(c.Script)
	a.Sources, a.Report, d.Changes.Secrets = slices.Clone(c.Sources), c.Report, c.Secrets
	a.ReportOther = c.ReportOther && c.Report != ""
	switch out.Decision {
	case underwriting.Approved:
		approve(d, a, credit.ApplicationDecision{By: by, Limit: out.Limit, Tier: out.Tier, CounterOffer: out.CounterOffer, Reasons: credit.Codes(out.Reasons)})
	case underwriting.Declined:
		decline(d, a, credit.ApplicationDecision{By: by, Reasons: credit.Codes(out.Reasons)})
	default:
		review(d, a)
	}
	playScript(d, a)
	return d.Done(a, false), nil
}

// deciding is a draft whose first identifiers are candidates for a company's.
func deciding(s *credit.State, e credit.Env) *credit.Draft {
	d := credit.NewDraft(s, e)
	d.IDs.Skip(lending.CompanyCandidates)
	return d
}

// playScript runs the steps of a sandbox's script that are due, and schedules the next one.
func playScript(d *credit.Draft, a *credit.Application) {
	for len(a.Script) > 0 && !a.Decided() {
		step := a.Script[0]
		if at := stepAt(d, a, step); at.After(d.Env.Now) {
			a.NextAt = at
			return
		}
		a.Script = slices.Clone(a.Script[1:])
		switch step.Do {
		case ScriptApprove:
			approve(d, a, credit.ApplicationDecision{By: SandboxActor, Limit: step.Limit, Tier: step.Tier, CounterOffer: step.Limit < a.Requested, Reasons: step.Reasons})
		case ScriptDecline:
			decline(d, a, credit.ApplicationDecision{By: SandboxActor, Reasons: step.Reasons})
		case ScriptRequest:
			request(d, a, step.What, d.Env.Today().AddDays(credit.RequestDays))
		}
	}
	a.Script = nil
}

// stepAt is when a step of a script is due: at once, or that many banking days after the
// submission at the same time of day.
func stepAt(d *credit.Draft, a *credit.Application, step credit.ScriptStep) time.Time {
	if step.After == 0 {
		return a.CreatedAt
	}
	from := d.Env.Zone.Date(a.CreatedAt)
	return d.Env.Zone.Start(from.AddBankingDays(step.After)).Add(a.CreatedAt.Sub(d.Env.Zone.Start(from)))
}

// approve approves an application that the draft may edit: the company is created or its line
// raised, the applicant becomes its OWNER, and its checkout continues.
func approve(d *credit.Draft, a *credit.Application, x credit.ApplicationDecision) {
	x.At, x.Approved = d.Env.Now, true
	a.Status, a.Decision, a.EndedAt = credit.ApplicationApproved, &x, d.Env.Now
	compliance.PlanForgetting(d, a)
	if a.Kind == underwriting.LineIncrease {
		c := d.Companies.Edit(a.Company)
		c.Limit = max(c.Limit, x.Limit)
	} else {
		becomeCompany(d, a, x)
	}
	moot(d, a)
	if x.CounterOffer {
		oweNotice(d, a, credit.NoticeCounterOffer)
	}
	d.RecordEvent(credit.ApplicationDecidedEvent, a)
	template := "application_approved"
	if x.CounterOffer {
		template = "application_counter_offer"
	}
	m := d.Mail(template, people.Applicant(d, a), a.RecordHead, map[string]string{"limit": x.Limit.String(), "business": a.Business.LegalName})
	if x.CounterOffer && a.Consents.ElectronicRecords {
		a.Duty.Mail = m.ID
	}
	resumeCheckout(d, a)
}

// becomeCompany creates the company of an approved application.
func becomeCompany(d *credit.Draft, a *credit.Application, x credit.ApplicationDecision) {
	g := ulid.StreamOf(d.Env.Seed)
	id := int64(0)
	for range lending.CompanyCandidates {
		if n := g.CompanyID(); id == 0 && d.Companies.Peek(n) == nil {
			id = n
		}
	}
	name := a.Business.TradingName
	if name == "" {
		name = a.Business.LegalName
	}
	c := d.Companies.Add(id, &credit.Company{
		ID: id, Name: name, LegalName: a.Business.LegalName, TaxIDLast4: a.Business.EINLast4, Status: credit.CompanyApproved, Phone: a.Business.Phone,
		Email: a.Business.Email, BillingAddress: a.Business.Address, Tier: x.Tier, Limit: x.Limit, CreatedAt: d.Env.Now, UpdatedAt: d.Env.Now, Version: 1,
	})
	c.Servicing.Unsigned = true
	if a.Merchant != "" {
		c.Linked = []string{a.Merchant}
	}
	a.Company = id
	d.CompanyEvent(credit.CompanyCreatedEvent, id)
	lending.Renamed(d, c, a.Compared)
	p := d.State.Person(d.State.Claims[credit.EmailClaim(a.Of)])
	if p == nil {
		p = people.NewPerson(d, a.Of, a.Contact)
		p.Applied, p.Language = true, a.Language
	} else {
		p = credit.EditRecord[*credit.Person](d, p.ID)
		if p.Bare && a.Place == 0 { // only a name she entered on the pages counts, not one from a merchant's token
			people.KnowAs(d, p, a.Contact)
			p.Applied, p.Bare = true, false
		}
	}
	people.Grant(d, p, credit.PersonRole{Company: id, Role: credit.RoleOwner})
	if a.Business.EIN != "" && (d.State.Claims[businessClaim(a.Business.EIN)] == a.ID || d.State.Claims[businessClaim(a.Business.EIN)] == "") {
		d.MoveClaim(businessClaim(a.Business.EIN), strconv.FormatInt(id, 10))
	}
}

// decline declines an application that the draft may edit: its notice is due thirty days after
// it was received (F28), and its checkout ends.
func decline(d *credit.Draft, a *credit.Application, x credit.ApplicationDecision) {
	x.At = d.Env.Now
	a.Status, a.Decision, a.EndedAt = credit.ApplicationDeclined, &x, d.Env.Now
	endApplication(d, a)
	oweNotice(d, a, credit.NoticeDecline)
	d.RecordEvent(credit.ApplicationDecidedEvent, a)
	if a.Consents.ElectronicRecords {
		a.Duty.Mail = d.Mail("application_declined", people.Applicant(d, a), a.RecordHead, map[string]string{"application": a.ID, "business": a.Business.LegalName}).ID
	}
	if c := awaiting(d, a); c != nil {
		lending.EndCheckout(d, c, credit.CheckoutDeclined, lending.EndDeclined)
	}
}

// completeOn is the day from which a decision is due: that of the last missing item, or of the
// application's receipt (F28).
func completeOn(a *credit.Application, z calendar.Zone) calendar.Date {
	if !a.CompleteAt.IsZero() {
		return z.Date(a.CompleteAt)
	}
	return z.Date(a.CreatedAt)
}

// DecideBy is the last day for the decision of an application and its notice (F28).
func DecideBy(a *credit.Application, z calendar.Zone) calendar.Date {
	return completeOn(a, z).AddDays(credit.NoticeDays)
}

// oweNotice records the notice that a decision owes. A notice of incompleteness is due from
// the application's receipt, a decision from the day on which it was complete. An owner who
// did not apply and whose credit report was used is owed a notice of her own within the same
// time: the applicant's says nothing about the report, and no mail goes to somebody whom only
// the applicant has named.
func oweNotice(d *credit.Draft, a *credit.Application, kind credit.NoticeKind) {
	start := d.Env.Zone.Date(a.CreatedAt)
	if kind != credit.NoticeIncomplete {
		start = completeOn(a, d.Env.Zone)
	}
	a.Duty = &credit.NoticeDuty{Kind: kind, ClockStart: start, DueOn: start.AddDays(credit.NoticeDays)}
	if kind != credit.NoticeIncomplete && a.ReportOther {
		duty := *a.Duty
		a.OwnerDuty = &duty
	}
}

// moot drops an unsent notice that is no longer needed: what was requested does not matter
// once the application is approved or withdrawn.
func moot(d *credit.Draft, a *credit.Application) {
	if a.Duty != nil && a.Duty.SentAt.IsZero() {
		a.Duty = nil
	}
}

// endApplication releases the application's tax number, and schedules its erasure.
func endApplication(d *credit.Draft, a *credit.Application) {
	compliance.PlanForgetting(d, a)
	if ein := a.Business.EIN; ein != "" && d.State.Claims[businessClaim(ein)] == a.ID {
		d.Claim(businessClaim(ein), "")
	}
}

// review leaves an application to a person; its checkout waits.
func review(d *credit.Draft, a *credit.Application) {
	first := a.Status == credit.ApplicationSubmitted
	a.Status, a.NextAt = credit.ApplicationInReview, time.Time{}
	if c := credit.PeekRecord[*credit.Checkout](d, a.Checkout); c != nil && c.Status == credit.CheckoutOpen && c.Application == a.ID {
		c = credit.EditRecord[*credit.Checkout](d, a.Checkout)
		c.Status, c.Reason, c.NextAt = credit.CheckoutPending, lending.PendingReview, time.Time{}
	}
	d.RecordEvent(credit.ApplicationUpdatedEvent, a)
	if first {
		d.Mail("application_in_review", people.Applicant(d, a), a.RecordHead, map[string]string{"business": a.Business.LegalName})
	}
}

// request asks an applicant for information by a day.
func request(d *credit.Draft, a *credit.Application, what string, due calendar.Date) {
	review(d, a)
	a.Status, a.NextAt = credit.ApplicationRequested, d.Env.Zone.Start(due+1)
	a.Requests = append(slices.Clone(a.Requests), credit.InformationRequest{At: d.Env.Now, What: what, Due: due})
	oweNotice(d, a, credit.NoticeIncomplete)
	m := d.Mail("application_documents_wanted", people.Applicant(d, a), a.RecordHead, map[string]string{"what": what, "due": due.String(), "business": a.Business.LegalName})
	if a.Consents.ElectronicRecords {
		a.Duty.Mail = m.ID
	}
}

// awaiting is the checkout that waits for an application, for changing; nil if there is none.
// A checkout that its buyer has since accepted is not waiting.
func awaiting(d *credit.Draft, a *credit.Application) *credit.Checkout {
	c := credit.PeekRecord[*credit.Checkout](d, a.Checkout)
	if c == nil || c.Application != a.ID || c.Status != credit.CheckoutOpen && c.Status != credit.CheckoutPending {
		return nil
	}
	return credit.EditRecord[*credit.Checkout](d, a.Checkout)
}

// resumeCheckout continues the checkout of an approved application.
func resumeCheckout(d *credit.Draft, a *credit.Application) {
	c := awaiting(d, a)
	if c == nil {
		return
	}
	waited := c.Status == credit.CheckoutPending
	c.Status, c.Reason, c.Company = credit.CheckoutOpen, "", a.Company
	if waited {
		c.ExpiresAt = d.Env.Now.Add(reviewLife)
		d.Mail("approved_go_on", people.Applicant(d, a), c.RecordHead, map[string]string{"checkout": c.ID, "merchant": d.State.Merchants[c.Merchant].Name})
	}
	c.NextAt = c.ExpiresAt
}

// DecideApplication is a decision by staff. Result is the *Application.
type DecideApplication struct {
	Application string       `json:"application"`
	IfMatch     []string     `json:"if_match"`
	Approve     bool         `json:"approve"`
	Limit       money.Amount `json:"limit"`
	Tier        string       `json:"tier"`
	Reasons     []string     `json:"reasons"` // for declining, or for a limit below the requested one
	Note        string       `json:"note"`
}

func (DecideApplication) Name() string { return "application.decide" }

// Keys requests the application and what its decision changes.
func (c DecideApplication) Keys(s *credit.State, e credit.Env) credit.Keys {
	return applicationKeys(s, e, c.Application)
}

func (c DecideApplication) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return staffApplication(s, e, c.Application)
}

func (c DecideApplication) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Application(c.Application)
	switch r := credit.MatchVersion(c.IfMatch, old.Version); {
	case r != nil:
		return credit.Changes{}, r
	case old.Decided():
		return credit.Changes{}, alreadyDecided(old)
	case c.Approve && (c.Limit < credit.MinLimit || c.Limit > underwriting.Default().MaxLimit):
		return credit.Changes{}, credit.ValidationFailed.Because("The line must be at least 500.00 and at most what the policy allows.")
	case c.Approve && c.Tier != "A" && c.Tier != "B" && c.Tier != "C":
		return credit.Changes{}, credit.ValidationFailed.Because("The tier must be A, B or C.")
	}
	if counter := c.Approve && c.Limit < old.Requested; !c.Approve || counter {
		if r := lending.RefuseReasons(c.Reasons); r != nil {
			return credit.Changes{}, r
		}
	}
	d := deciding(s, e)
	a := credit.EditRecord[*credit.Application](d, c.Application)
	x := credit.ApplicationDecision{By: e.Actor.Client, Limit: c.Limit, Tier: c.Tier, Reasons: c.Reasons, Note: c.Note, CounterOffer: c.Approve && c.Limit < a.Requested}
	a.Script = nil
	if c.Approve {
		approve(d, a, x)
	} else {
		x.Limit, x.Tier = 0, ""
		decline(d, a, x)
	}
	return d.Done(a, false), nil
}

func alreadyDecided(a *credit.Application) *credit.Rejection {
	return credit.ApplicationDecided.With("The application is "+a.Status+".", map[string]any{"application_status": a.Status})
}
