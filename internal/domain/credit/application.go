package credit

import (
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
)

// Application is what a business has said, what was checked and what was decided. It never
// changes once it is decided. Of is the keyed hash of the applicant's e-mail.
type Application struct {
	RecordHead    `json:"-"`
	Kind          underwriting.Kind     `json:"kind"`
	Checkout      string                `json:"checkout,omitzero"` // in which it was made
	Business      Business              `json:"business"`
	Form          string                `json:"form,omitzero"`     // handle: applicant and owners as they were given
	Contact       string                `json:"contact"`           // handle: the applicant's email and names
	Language      string                `json:"language,omitzero"` // in which it was written, on the pages; "": not known
	Requested     money.Amount          `json:"requested_limit"`
	LargestOwner  money.Rate            `json:"largest_owner_share"`
	ControlPerson bool                  `json:"control_person"`
	Bank          *underwriting.Bank    `json:"bank,omitzero"`
	Consents      Consents              `json:"consents"`
	Reference     string                `json:"merchant_reference,omitzero"`
	Metadata      map[string]string     `json:"metadata,omitzero"`
	Duplicate     bool                  `json:"duplicate,omitzero"`
	Inputs        *underwriting.Inputs  `json:"inputs,omitzero"`
	Outcome       *underwriting.Outcome `json:"outcome,omitzero"`        // of the policy
	Policy        int                   `json:"policy_version,omitzero"` // that decided a prequalification; of another its outcome has it
	Decision      *ApplicationDecision  `json:"decision,omitzero"`
	Requests      []InformationRequest  `json:"requests,omitzero"`
	Documents     []string              `json:"documents,omitzero"`
	Duty          *NoticeDuty           `json:"duty,omitzero"`
	OwnerDuty     *NoticeDuty           `json:"owner_duty,omitzero"` // to the owner of whom Report is, who is written to by post
	Place         int                   `json:"place,omitzero"`      // among those of its merchant's token of the day; of a prequalification: among the noes
	PlaceOn       calendar.Date         `json:"place_on,omitzero"`   // that day; of a prequalification its notice has it
	Assigned      string                `json:"assigned,omitzero"`
	Sources       []SourceAnswer        `json:"sources,omitzero"`      // what was asked about it
	Report        string                `json:"report,omitzero"`       // handle: what a notice says of an owner's credit report
	ReportOther   bool                  `json:"report_other,omitzero"` // that owner is not the applicant
	Compared      *Compared             `json:"compared,omitzero"`     // its names, with a sanctions list
	Script        []ScriptStep          `json:"script,omitzero"`       // what a sandbox does with it later
	// CompleteAt is when what it lacked has come last; zero if it lacked nothing (F28).
	CompleteAt time.Time `json:"complete_at,omitzero"`
	EndedAt    time.Time `json:"ended_at,omitzero"`
}

// Business is what an application says of the business.
type Business struct {
	LegalName        string                  `json:"legal_name"`
	TradingName      string                  `json:"trading_name,omitzero"`
	EntityType       underwriting.EntityType `json:"entity_type"`
	EIN              string                  `json:"ein,omitzero"` // keyed hash, "" of a sandbox's magic ones
	EINLast4         string                  `json:"ein_last4"`
	FormedOn         calendar.Date           `json:"formed_on"`
	StateOfFormation string                  `json:"state_of_formation"`
	Address          CompanyAddress          `json:"address"`
	Phone            string                  `json:"phone"`
	Email            string                  `json:"email"` // of the applicant: the company's contact
	Website          string                  `json:"website,omitzero"`
	Industry         string                  `json:"industry,omitzero"`
	AnnualRevenue    money.Amount            `json:"annual_revenue"`
}

// Consents are what an applicant has agreed to.
type Consents struct {
	CreditCheck       bool      `json:"credit_check"`
	ElectronicRecords bool      `json:"electronic_records"`
	AcceptedAt        time.Time `json:"accepted_at"`
	Evidence          string    `json:"evidence,omitzero"` // handle: address and user agent
}

// ApplicationDecision is what was decided in the end.
type ApplicationDecision struct {
	At           time.Time    `json:"at"`
	By           string       `json:"by"` // "policy", "sandbox", or the client of the lender
	Approved     bool         `json:"approved"`
	Limit        money.Amount `json:"limit,omitzero"`
	Tier         string       `json:"tier,omitzero"`
	CounterOffer bool         `json:"counter_offer,omitzero"`
	Reasons      []string     `json:"reasons,omitzero"` // codes, at most four
	Note         string       `json:"note,omitzero"`    // why staff have decided so
}

// InformationRequest is what an applicant is asked for. It is the INCOMPLETE notice (F28).
type InformationRequest struct {
	At   time.Time     `json:"at"`
	What string        `json:"what"`
	Due  calendar.Date `json:"due"`
}

// NoticeDuty is the notice that a decision owes (F28).
type NoticeDuty struct {
	Kind       NoticeKind    `json:"kind"`
	ClockStart calendar.Date `json:"clock_start"`
	DueOn      calendar.Date `json:"due_on"`
	Mail       string        `json:"mail,omitzero"` // with which it goes, "" if it goes on paper
	SentAt     time.Time     `json:"sent_at,omitzero"`
	Channel    string        `json:"channel,omitzero"`
	Evidence   string        `json:"evidence,omitzero"`
}

// SourceAnswer is what has come of asking a source about an application: who answered, when,
// and the hash of the bytes; or why there is no answer.
type SourceAnswer struct {
	Port    string               `json:"port"`
	Source  string               `json:"source,omitzero"`
	At      time.Time            `json:"at,omitzero"`
	RawHash string               `json:"raw_hash,omitzero"` // SHA-256, in hexadecimal
	Tries   int                  `json:"tries,omitzero"`
	Missing underwriting.Absence `json:"missing,omitzero"` // "" if it has answered
}

// ScriptStep is what a sandbox does with an application by itself.
type ScriptStep struct {
	After   int          `json:"after"` // banking days after the submission; 0: at once
	Do      ScriptAction `json:"do"`
	Limit   money.Amount `json:"limit,omitzero"`
	Tier    string       `json:"tier,omitzero"`
	Reasons []string     `json:"reasons,omitzero"`
	What    string       `json:"what,omitzero"`
}

// ScriptAction is what a step does.
type ScriptAction string

// The actions of a script.
const (
	ScriptApprove ScriptAction = "APPROVE"
	ScriptDecline ScriptAction = "DECLINE"
	ScriptRequest ScriptAction = "REQUEST"
)

// Statuses of an application.
const (
	ApplicationSubmitted = "SUBMITTED"
	ApplicationInReview  = "IN_REVIEW"
	ApplicationRequested = "INFORMATION_REQUESTED"
	ApplicationApproved  = "APPROVED"
	ApplicationDeclined  = "DECLINED"
	ApplicationWithdrawn = "WITHDRAWN"
	ApplicationExpired   = "EXPIRED"
	// ApplicationEstimated is a prequalification that is no no: an estimate, and not an approval.
	ApplicationEstimated = "ESTIMATED"
)

// Kinds of notices that an application owes (F28).
const (
	NoticeDecline      NoticeKind = "DECLINE"
	NoticeCounterOffer NoticeKind = "COUNTER_OFFER"
	NoticeIncomplete   NoticeKind = "INCOMPLETE"
)

const (
	maxDocuments = 10 // of an application
	requestDays  = 14 // in which what was asked for is to come, if staff do not say
	minLimit     = money.Amount(500_00)
)

// Noun implements Record.
func (*Application) Noun() Noun { return NounApplication }

// Decided reports that nothing more is decided of an application.
func (a *Application) Decided() bool { return !a.EndedAt.IsZero() }

func (a *Application) sound(old Record) string {
	why := ""
	switch {
	case a.Kind == underwriting.Estimate:
		why = a.soundEstimate()
	case a.Status == ApplicationEstimated:
		why = "it is estimated, and no prequalification"
	default:
		why = a.soundAsked()
	}
	if was, ok := old.(*Application); ok && why == "" {
		return a.soundAfter(was)
	}
	return why
}

// soundAsked is sound for an application that asks for a line.
func (a *Application) soundAsked() string {
	switch {
	case !spoken(a.Language):
		return "it is written in a language that there is not"
	case a.Contact == "" && !a.Decided() || a.Requested < minLimit || a.Business.LegalName == "":
		return "it has no applicant, business or limit"
	case (a.Status == ApplicationApproved || a.Status == ApplicationDeclined) != (a.Decision != nil):
		return "it is decided without a decision, or the reverse"
	case a.Status == ApplicationApproved && (a.Company == 0 || a.Decision.Limit <= 0):
		return "it is approved without a company or limit"
	}
	return a.soundNotices()
}

// soundNotices names what is wrong with the notices of an application that asks for a line: an
// adverse decision owes one to the applicant, and one to an owner who has not applied and whose
// credit report was used; nothing else owes the owner any (F28).
func (a *Application) soundNotices() string {
	owed := a.Decision.owes()
	switch {
	case owed != "" && (a.Duty == nil || a.Duty.Kind != owed):
		return "its decision owes the applicant a notice that is not there"
	case (owed != "" && a.ReportOther) != (a.OwnerDuty != nil) || a.OwnerDuty != nil && a.OwnerDuty.Kind != owed:
		return "an owner whose credit report was used is owed no notice, or one without an adverse decision"
	case a.Duty.flawed() || a.OwnerDuty.flawed():
		return "a notice of it is not due in its days, or was sent by no channel"
	}
	return ""
}

// owes is the notice that a decision owes, "" if it is none or gave what was asked for.
func (x *ApplicationDecision) owes() NoticeKind {
	switch {
	case x == nil || x.Approved && !x.CounterOffer:
		return ""
	case x.Approved:
		return NoticeCounterOffer
	}
	return NoticeDecline
}

func (n *NoticeDuty) flawed() bool {
	return n != nil && (n.DueOn != n.ClockStart.AddDays(noticeDays) || n.SentAt.IsZero() != (n.Channel == ""))
}

// soundAfter names what has changed that never does.
func (a *Application) soundAfter(was *Application) string {
	switch {
	case was.Decided() && (was.Status != a.Status || was.Decision != a.Decision || was.Inputs != a.Inputs || was.Company != a.Company):
		return "it changes after it was decided"
	case was.Requested != a.Requested || was.Kind != a.Kind || was.Business != a.Business:
		return "what was said changes"
	}
	return ""
}

// SubmitApplication takes an application. From the pages Merchant says through whose shop it
// came, "" for none. Result is the *Application.
type SubmitApplication struct {
	Kind          underwriting.Kind  `json:"kind"`
	Merchant      string             `json:"merchant"`
	Checkout      string             `json:"checkout"`
	Company       int64              `json:"company_id"` // of a LINE_INCREASE
	Person        string             `json:"person"`     // of a LINE_INCREASE: who asks
	Business      Business           `json:"business"`
	Email         string             `json:"email"` // keyed hash
	Form          string             `json:"form"`
	Contact       string             `json:"contact"`
	Language      string             `json:"language,omitzero"` // of the page, "" from the API
	Requested     money.Amount       `json:"requested_limit"`
	LargestOwner  money.Rate         `json:"largest_owner_share"`
	ControlPerson bool               `json:"control_person"`
	Bank          *underwriting.Bank `json:"bank"`
	Consents      Consents           `json:"consents"`
	Reference     string             `json:"merchant_reference"`
	Metadata      map[string]string  `json:"metadata"`
	Secrets       []Secret           `json:"-"`
}

func (SubmitApplication) Name() string { return "application.submit" }

func businessClaim(ein string) Claim { return Claim{Kind: ClaimBusiness, Name: ein} }

// merchant is through whom an application came.
func (c SubmitApplication) merchant(e Env) string {
	if e.Actor.Operator {
		return c.Merchant
	}
	return e.Actor.Merchant
}

// Keys asks for the merchant and checkout, and for who has the tax number already.
func (c SubmitApplication) Keys(s *State, e Env) Keys {
	k := Keys{}
	if m := c.merchant(e); m != "" {
		k.Merchants = []string{m}
	}
	k = joinKeys(k, checkoutKeys(s, c.Checkout))
	if c.Business.EIN != "" {
		k.Claims = append(k.Claims, businessClaim(c.Business.EIN))
		k = joinKeys(k, holderKeys(s, s.Claims[businessClaim(c.Business.EIN)]))
	}
	if c.Company != 0 {
		k.Companies = append(k.Companies, c.Company)
	}
	if c.Person != "" {
		k.Records = append(k.Records, RecordKey{NounPerson, c.Person})
	}
	k.Claims = append(k.Claims, applyingClaims(e)...)
	return k
}

// holderKeys asks for the company that has a tax number, with its people.
func holderKeys(s *State, owner string) (k Keys) {
	id, err := strconv.ParseInt(owner, 10, 64)
	if err != nil {
		return Keys{}
	}
	k.Companies = []int64{id}
	if x := s.Companies[id]; x != nil {
		for _, p := range x.Servicing.People {
			k.Records = append(k.Records, RecordKey{NounPerson, p})
		}
	}
	return k
}

func (c SubmitApplication) Admit(s *State, e Env) *Rejection {
	if m := c.merchant(e); m != "" && s.Merchants[m] == nil {
		return NotFound.Because("There is no such merchant.")
	}
	if x := s.Checkout(c.Checkout); c.Checkout != "" && (x == nil || !e.Actor.Operator) {
		return noCheckout()
	}
	if x := s.Checkout(c.Checkout); x != nil && x.Merchant != c.Merchant {
		return noCheckout()
	}
	if c.Company != 0 && (s.Companies[c.Company] == nil || !e.Actor.Operator) {
		return NotFound.Because("There is no such company.")
	}
	return nil
}

func (c SubmitApplication) Decide(s *State, e Env) (Changes, *Rejection) {
	if r := c.refuse(s); r != nil {
		return Changes{}, r
	}
	if x := s.Checkout(c.Checkout); x != nil {
		if a := s.Application(x.Application); a != nil && !a.Decided() {
			return Changes{Result: a}, nil // two tabs apply once
		}
	}
	place, r := applyingPlace(s, e)
	if r != nil {
		return Changes{}, r
	}
	d := NewDraft(s, e)
	a := &Application{
		RecordHead: d.NewRecord(prefixApplication, ApplicationSubmitted), Kind: c.Kind, Checkout: c.Checkout, Business: c.Business,
		Form: c.Form, Contact: c.Contact, Language: c.Language, Requested: c.Requested, LargestOwner: c.LargestOwner, ControlPerson: c.ControlPerson, Bank: c.Bank,
		Consents: c.Consents, Reference: c.Reference, Metadata: c.Metadata,
	}
	a.Merchant, a.Company, a.Of = c.merchant(e), c.Company, c.Email
	if x := s.Companies[c.Company]; x != nil && !x.IsLinked(a.Merchant) { // nor does the shop learn of it
		a.Merchant = ""
	}
	if a.Place = place; place != 0 {
		a.PlaceOn = e.Today()
	}
	for _, x := range a.claims() {
		d.Claim(x, a.ID)
	}
	AddRecord(d, a)
	d.Changes.Secrets = c.Secrets
	if a.Kind == underwriting.New && a.Business.EIN != "" {
		d.claimBusiness(a)
	}
	if c.Checkout != "" {
		EditRecord[*Checkout](d, c.Checkout).Application = a.ID
	}
	d.recordEvent(ApplicationSubmittedEvent, a)
	return d.Done(a, true), nil
}

func (c SubmitApplication) refuse(s *State) *Rejection {
	switch x := s.Checkout(c.Checkout); {
	case c.Checkout != "" && x.Status != CheckoutOpen:
		return notAccepted(x)
	case c.Business.LegalName == "" || c.Contact == "" || c.Email == "":
		return ValidationFailed.Because("An application needs a business and an applicant.")
	case !spoken(c.Language):
		return unspoken()
	case c.Requested < minLimit:
		return ValidationFailed.Because("The smallest line that can be requested is 500.00.")
	case !c.Consents.CreditCheck:
		return ValidationFailed.Because("The application cannot be decided without consent to the credit check.")
	case c.Kind != underwriting.New && c.Kind != underwriting.LineIncrease:
		return ValidationFailed.Because("An application must be NEW or LINE_INCREASE.")
	case (c.Kind == underwriting.LineIncrease) != (c.Company != 0):
		return ValidationFailed.Because("A LINE_INCREASE must name a company; other applications must not.")
	}
	if c.Kind != underwriting.LineIncrease {
		return c.ofBuyer(s)
	}
	p := s.Person(c.Person)
	if p == nil || !p.Proved() {
		return OwnerRequired.Because("Only an owner of the company can request a higher line.")
	}
	if r, _ := p.RoleAt(c.Company); r.Role != RoleOwner {
		return OwnerRequired.Because("Only an owner of the company can request a higher line.")
	}
	if x := s.Checkout(c.Checkout); x != nil && (x.Company != c.Company || x.Person != c.Person) {
		return checkoutTaken()
	}
	if c.Requested <= s.Companies[c.Company].Limit {
		return ValidationFailed.Because("A LINE_INCREASE must request more than the current line.")
	}
	return mayBuy(s.Companies[c.Company])
}

// ofBuyer asks that a business applies in a checkout under the e-mail of whoever goes through
// it: not of somebody whose place another one has taken meanwhile.
func (c SubmitApplication) ofBuyer(s *State) *Rejection {
	x := s.Checkout(c.Checkout)
	if x == nil || x.Person == "" {
		return nil
	}
	if p := s.Person(x.Person); p == nil || p.Of != c.Email {
		return checkoutTaken()
	}
	return nil
}

// claimBusiness notes that an application is about a tax number. One that a company or
// another application has makes it a duplicate, which only the lender and the company's
// owners are told.
func (d *Draft) claimBusiness(a *Application) {
	claim := businessClaim(a.Business.EIN)
	owner := d.State.Claims[claim]
	if owner == "" {
		d.Claim(claim, a.ID)
		return
	}
	a.Duplicate = true
	id, err := strconv.ParseInt(owner, 10, 64)
	if err != nil || d.State.Companies[id] == nil {
		return
	}
	for _, p := range d.State.Companies[id].Servicing.People {
		if x := d.State.Person(p); x != nil {
			if r, _ := x.RoleAt(id); r.Role == RoleOwner {
				d.Mail("duplicate_warning", x.Addressee(), RecordHead{ID: a.ID, Company: id}, map[string]string{"company": d.State.Companies[id].Name})
			}
		}
	}
}
