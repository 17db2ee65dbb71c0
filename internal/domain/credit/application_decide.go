package credit

import (
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
)

// PolicyActor is who has decided what no person has; SandboxActor what a sandbox's magic
// values have.
const (
	PolicyActor  = "policy"
	SandboxActor = "sandbox"
)

// RecordFacts records what sources have said of an application and decides it by the policy
// (F27). Override is what a sandbox's magic tax number decides instead, Script what it does
// later. Of an application that is not SUBMITTED any more it changes nothing. Result is the
// *Application.
type RecordFacts struct {
	Application string                `json:"application"`
	Inputs      underwriting.Inputs   `json:"inputs"` // without what the application says itself
	Override    *underwriting.Outcome `json:"override"`
	Script      []ScriptStep          `json:"script"`
	Compared    *Compared             `json:"compared"`              // the business's names, with a sanctions list
	Sources     []SourceAnswer        `json:"sources"`               // who has said it
	Report      string                `json:"report"`                // handle: what a notice says of an owner's credit report, "" if none was used
	ReportOther bool                  `json:"report_other,omitzero"` // the owner whose report it is has not applied
	Secrets     []Secret              `json:"-"`
}

func (RecordFacts) Name() string { return "application.facts" }

// Keys asks for the application and what its decision changes.
func (c RecordFacts) Keys(s *State, e Env) Keys { return applicationKeys(s, e, c.Application) }

// applicationKeys asks for the lender, an application, its checkout, the person of its applicant, and
// numbers for the company that it may become.
func applicationKeys(s *State, e Env, id string) Keys {
	k := Keys{Lenders: []string{TheLender}, Records: []RecordKey{{NounApplication, id}}, Companies: CreateCompany{}.candidates(e)}
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
	k.Claims = append(k.Claims, emailClaim(a.Of))
	k.Claims = append(k.Claims, a.claims()...)
	if p := s.Claims[emailClaim(a.Of)]; p != "" {
		k.Records = append(k.Records, RecordKey{NounPerson, p})
	}
	for _, doc := range a.Documents {
		k.Records = append(k.Records, RecordKey{NounDocument, doc})
	}
	return joinKeys(k, checkoutKeys(s, a.Checkout))
}

func (c RecordFacts) Admit(s *State, e Env) *Rejection {
	return staffApplication(s, e, c.Application)
}

func ownApplication(s *State, e Env, id string) *Rejection {
	if a := s.Application(id); a == nil || !e.Actor.Operator && a.Merchant != e.Actor.Merchant {
		return NotFound.Because("There is no such application.")
	}
	return nil
}

// staffApplication is ownApplication for the lender alone.
func staffApplication(s *State, e Env, id string) *Rejection {
	if r := OwnPages(e); r != nil {
		return NotFound.Because("There is no such application.")
	}
	return ownApplication(s, e, id)
}

func (c RecordFacts) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Application(c.Application)
	if old.Status != ApplicationSubmitted {
		return Changes{Result: old}, nil
	}
	d := deciding(s, e)
	a := EditRecord[*Application](d, c.Application)
	in := c.Inputs
	a.Duplicate = a.Duplicate || in.Duplicate // a source may take it for one, and never says that it is none
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
		d.approve(a, ApplicationDecision{By: by, Limit: out.Limit, Tier: out.Tier, CounterOffer: out.CounterOffer, Reasons: codes(out.Reasons)})
	case underwriting.Declined:
		d.decline(a, ApplicationDecision{By: by, Reasons: codes(out.Reasons)})
	default:
		d.review(a)
	}
	d.playScript(a)
	return d.Done(a, false), nil
}

// deciding is a draft whose first numbers are candidates for a company's.
func deciding(s *State, e Env) *Draft {
	d := NewDraft(s, e)
	d.IDs.n = companyCandidates
	return d
}

func codes(reasons []underwriting.Reason) []string {
	out := make([]string, len(reasons))
	for i, r := range reasons {
		out[i] = string(r)
	}
	return out
}

// playScript does the steps of a sandbox's script that have come, and plans the next one.
func (d *Draft) playScript(a *Application) {
	for len(a.Script) > 0 && !a.Decided() {
		step := a.Script[0]
		if at := d.stepAt(a, step); at.After(d.Env.Now) {
			a.NextAt = at
			return
		}
		a.Script = slices.Clone(a.Script[1:])
		switch step.Do {
		case ScriptApprove:
			d.approve(a, ApplicationDecision{By: SandboxActor, Limit: step.Limit, Tier: step.Tier, CounterOffer: step.Limit < a.Requested, Reasons: step.Reasons})
		case ScriptDecline:
			d.decline(a, ApplicationDecision{By: SandboxActor, Reasons: step.Reasons})
		case ScriptRequest:
			d.request(a, step.What, d.Env.Today().AddDays(requestDays))
		}
	}
	a.Script = nil
}

// stepAt is when a step of a script comes: at once, or as many banking days after the
// submission at the same time of day.
func (d *Draft) stepAt(a *Application, step ScriptStep) time.Time {
	if step.After == 0 {
		return a.CreatedAt
	}
	from := d.Env.Zone.Date(a.CreatedAt)
	return d.Env.Zone.Start(from.AddBankingDays(step.After)).Add(a.CreatedAt.Sub(d.Env.Zone.Start(from)))
}

// approve approves an application, which is the draft's own: the company is made or its line
// raised, the applicant becomes its OWNER, and its checkout goes on.
func (d *Draft) approve(a *Application, x ApplicationDecision) {
	x.At, x.Approved = d.Env.Now, true
	a.Status, a.Decision, a.EndedAt = ApplicationApproved, &x, d.Env.Now
	d.planForgetting(a)
	if a.Kind == underwriting.LineIncrease {
		c := d.Companies.Edit(a.Company)
		c.Limit = max(c.Limit, x.Limit)
	} else {
		d.becomeCompany(a, x)
	}
	d.moot(a)
	if x.CounterOffer {
		d.oweNotice(a, NoticeCounterOffer)
	}
	d.recordEvent(ApplicationDecidedEvent, a)
	template := "application_approved"
	if x.CounterOffer {
		template = "application_counter_offer"
	}
	m := d.Mail(template, d.applicant(a), a.RecordHead, map[string]string{"limit": x.Limit.String(), "business": a.Business.LegalName})
	if x.CounterOffer && a.Consents.ElectronicRecords {
		a.Duty.Mail = m.ID
	}
	d.resumeCheckout(a)
}

// becomeCompany makes the company of an approved application.
func (d *Draft) becomeCompany(a *Application, x ApplicationDecision) {
	g := IDs{seed: d.Env.Seed}
	id := int64(0)
	for range companyCandidates {
		if n := g.CompanyID(); id == 0 && d.Companies.Peek(n) == nil {
			id = n
		}
	}
	name := a.Business.TradingName
	if name == "" {
		name = a.Business.LegalName
	}
	c := d.Companies.Add(id, &Company{
		ID: id, Name: name, LegalName: a.Business.LegalName, TaxIDLast4: a.Business.EINLast4, Status: CompanyApproved, Phone: a.Business.Phone,
		Email: a.Business.Email, BillingAddress: a.Business.Address, Tier: x.Tier, Limit: x.Limit, CreatedAt: d.Env.Now, UpdatedAt: d.Env.Now, Version: 1,
	})
	c.Servicing.Unsigned = true
	if a.Merchant != "" {
		c.Linked = []string{a.Merchant}
	}
	a.Company = id
	d.companyEvent(CompanyCreatedEvent, id)
	d.named(c, a.Compared)
	p := d.State.Person(d.State.Claims[emailClaim(a.Of)])
	if p == nil {
		p = d.newPerson(a.Of, a.Contact)
		p.Applied, p.Language = true, a.Language
	} else {
		p = EditRecord[*Person](d, p.ID)
		if p.Bare && a.Place == 0 { // she has said her name on the pages; a merchant's token does not say it for her
			d.knowAs(p, a.Contact)
			p.Applied, p.Bare = true, false
		}
	}
	d.grant(p, PersonRole{Company: id, Role: RoleOwner})
	if a.Business.EIN != "" && (d.State.Claims[businessClaim(a.Business.EIN)] == a.ID || d.State.Claims[businessClaim(a.Business.EIN)] == "") {
		d.MoveClaim(businessClaim(a.Business.EIN), strconv.FormatInt(id, 10))
	}
}

// decline declines an application, which is the draft's own: its notice is due thirty days
// after it was received (F28), and its checkout ends.
func (d *Draft) decline(a *Application, x ApplicationDecision) {
	x.At = d.Env.Now
	a.Status, a.Decision, a.EndedAt = ApplicationDeclined, &x, d.Env.Now
	d.endApplication(a)
	d.oweNotice(a, NoticeDecline)
	d.recordEvent(ApplicationDecidedEvent, a)
	if a.Consents.ElectronicRecords {
		a.Duty.Mail = d.Mail("application_declined", d.applicant(a), a.RecordHead, map[string]string{"application": a.ID, "business": a.Business.LegalName}).ID
	}
	if c := d.awaiting(a); c != nil {
		d.endCheckout(c, CheckoutDeclined, EndDeclined)
	}
}

// oweNotice notes the notice that a decision owes. What it lacks is asked for from its receipt
// on; a decision is owed from the day on which the application was complete. An owner who has
// not applied and whose credit report was used is owed one of her own in the same time: the
// applicant's says nothing of it, and no mail is sent to whom only the applicant has named.
func (d *Draft) oweNotice(a *Application, kind NoticeKind) {
	start := d.Env.Zone.Date(a.CreatedAt)
	if kind != NoticeIncomplete && !a.CompleteAt.IsZero() {
		start = d.Env.Zone.Date(a.CompleteAt)
	}
	a.Duty = &NoticeDuty{Kind: kind, ClockStart: start, DueOn: start.AddDays(noticeDays)}
	if kind != NoticeIncomplete && a.ReportOther {
		duty := *a.Duty
		a.OwnerDuty = &duty
	}
}

// moot lets a notice go that has not left and that nobody needs any more: what was asked for
// is of no matter once the application is approved or withdrawn.
func (d *Draft) moot(a *Application) {
	if a.Duty != nil && a.Duty.SentAt.IsZero() {
		a.Duty = nil
	}
}

// endApplication gives its tax number free, and plans what is forgotten of it.
func (d *Draft) endApplication(a *Application) {
	d.planForgetting(a)
	if ein := a.Business.EIN; ein != "" && d.State.Claims[businessClaim(ein)] == a.ID {
		d.Claim(businessClaim(ein), "")
	}
}

// review leaves an application to a person; its checkout waits.
func (d *Draft) review(a *Application) {
	first := a.Status == ApplicationSubmitted
	a.Status, a.NextAt = ApplicationInReview, time.Time{}
	if c := PeekRecord[*Checkout](d, a.Checkout); c != nil && c.Status == CheckoutOpen && c.Application == a.ID {
		c = EditRecord[*Checkout](d, a.Checkout)
		c.Status, c.Reason, c.NextAt = CheckoutPending, PendingReview, time.Time{}
	}
	d.recordEvent(ApplicationUpdatedEvent, a)
	if first {
		d.Mail("application_in_review", d.applicant(a), a.RecordHead, map[string]string{"business": a.Business.LegalName})
	}
}

// request asks an applicant for something by a day.
func (d *Draft) request(a *Application, what string, due calendar.Date) {
	d.review(a)
	a.Status, a.NextAt = ApplicationRequested, d.Env.Zone.Start(due+1)
	a.Requests = append(slices.Clone(a.Requests), InformationRequest{At: d.Env.Now, What: what, Due: due})
	d.oweNotice(a, NoticeIncomplete)
	m := d.Mail("application_documents_wanted", d.applicant(a), a.RecordHead, map[string]string{"what": what, "due": due.String(), "business": a.Business.LegalName})
	if a.Consents.ElectronicRecords {
		a.Duty.Mail = m.ID
	}
}

// awaiting is the checkout that waits for an application, to be changed; nil if there is none.
// One that its buyer has accepted meanwhile waits for nothing.
func (d *Draft) awaiting(a *Application) *Checkout {
	c := PeekRecord[*Checkout](d, a.Checkout)
	if c == nil || c.Application != a.ID || c.Status != CheckoutOpen && c.Status != CheckoutPending {
		return nil
	}
	return EditRecord[*Checkout](d, a.Checkout)
}

// resumeCheckout lets the checkout of an approved application go on.
func (d *Draft) resumeCheckout(a *Application) {
	c := d.awaiting(a)
	if c == nil {
		return
	}
	waited := c.Status == CheckoutPending
	c.Status, c.Reason, c.Company = CheckoutOpen, "", a.Company
	if waited {
		c.ExpiresAt = d.Env.Now.Add(reviewLife)
		d.Mail("approved_go_on", d.applicant(a), c.RecordHead, map[string]string{"checkout": c.ID, "merchant": d.State.Merchants[c.Merchant].Name})
	}
	c.NextAt = c.ExpiresAt
}

// DecideApplication is the decision of staff. Result is the *Application.
type DecideApplication struct {
	Application string       `json:"application"`
	IfMatch     []string     `json:"if_match"`
	Approve     bool         `json:"approve"`
	Limit       money.Amount `json:"limit"`
	Tier        string       `json:"tier"`
	Reasons     []string     `json:"reasons"` // of a decline, or of a limit below the one asked for
	Note        string       `json:"note"`
}

func (DecideApplication) Name() string { return "application.decide" }

// Keys asks for the application and what its decision changes.
func (c DecideApplication) Keys(s *State, e Env) Keys { return applicationKeys(s, e, c.Application) }

func (c DecideApplication) Admit(s *State, e Env) *Rejection {
	return staffApplication(s, e, c.Application)
}

func (c DecideApplication) Decide(s *State, e Env) (Changes, *Rejection) {
	old := s.Application(c.Application)
	switch r := MatchVersion(c.IfMatch, old.Version); {
	case r != nil:
		return Changes{}, r
	case old.Decided():
		return Changes{}, alreadyDecided(old)
	case c.Approve && (c.Limit < minLimit || c.Limit > underwriting.Default().MaxLimit):
		return Changes{}, ValidationFailed.Because("The line must be at least 500.00 and at most what the policy allows.")
	case c.Approve && c.Tier != "A" && c.Tier != "B" && c.Tier != "C":
		return Changes{}, ValidationFailed.Because("The tier must be A, B or C.")
	}
	if counter := c.Approve && c.Limit < old.Requested; !c.Approve || counter {
		if r := refuseReasons(c.Reasons); r != nil {
			return Changes{}, r
		}
	}
	d := deciding(s, e)
	a := EditRecord[*Application](d, c.Application)
	x := ApplicationDecision{By: e.Actor.Client, Limit: c.Limit, Tier: c.Tier, Reasons: c.Reasons, Note: c.Note, CounterOffer: c.Approve && c.Limit < a.Requested}
	a.Script = nil
	if c.Approve {
		d.approve(a, x)
	} else {
		x.Limit, x.Tier = 0, ""
		d.decline(a, x)
	}
	return d.Done(a, false), nil
}

func alreadyDecided(a *Application) *Rejection {
	return ApplicationDecided.With("The application is "+a.Status+".", map[string]any{"application_status": a.Status})
}
