package credit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
)

// Application is what a business stated, what was checked and what was decided. It never
// changes after the decision. Of is the keyed hash of the applicant's e-mail.
type Application struct {
	RecordHead    `json:"-"`
	Kind          underwriting.Kind     `json:"kind"`
	Checkout      string                `json:"checkout,omitzero"` // the checkout it was made in
	Business      Business              `json:"business"`
	Form          string                `json:"form,omitzero"`     // handle: applicant and owners as entered
	Contact       string                `json:"contact"`           // handle: the applicant's email and names
	Language      string                `json:"language,omitzero"` // language of the pages it was filled in on; "": unknown
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
	Policy        int                   `json:"policy_version,omitzero"` // version that decided a prequalification; otherwise Outcome has it
	Decision      *ApplicationDecision  `json:"decision,omitzero"`
	Requests      []InformationRequest  `json:"requests,omitzero"`
	Documents     []string              `json:"documents,omitzero"`
	Duty          *NoticeDuty           `json:"duty,omitzero"`
	OwnerDuty     *NoticeDuty           `json:"owner_duty,omitzero"` // to the owner whose report was used (Report), by post
	Place         int                   `json:"place,omitzero"`      // slot among the merchant's applications of the day; for a prequalification: among its refusals
	PlaceOn       calendar.Date         `json:"place_on,omitzero"`   // the day of Place; for a prequalification Duty has it
	Assigned      string                `json:"assigned,omitzero"`
	Sources       []SourceAnswer        `json:"sources,omitzero"`      // answers of the sources that were asked
	Report        string                `json:"report,omitzero"`       // handle: what a notice says about an owner's credit report
	ReportOther   bool                  `json:"report_other,omitzero"` // that owner is not the applicant
	Compared      *Compared             `json:"compared,omitzero"`     // result of comparing its names with a sanctions list
	Script        []ScriptStep          `json:"script,omitzero"`       // what a sandbox does with it later
	// CompleteAt is when the last missing item arrived; zero if nothing was missing (F28).
	CompleteAt time.Time `json:"complete_at,omitzero"`
	EndedAt    time.Time `json:"ended_at,omitzero"`
}

// Business is what an application states about the business.
type Business struct {
	LegalName        string                  `json:"legal_name"`
	TradingName      string                  `json:"trading_name,omitzero"`
	EntityType       underwriting.EntityType `json:"entity_type"`
	EIN              string                  `json:"ein,omitzero"` // keyed hash, "" for a sandbox's magic numbers
	EINLast4         string                  `json:"ein_last4"`
	FormedOn         calendar.Date           `json:"formed_on"`
	StateOfFormation string                  `json:"state_of_formation"`
	Address          CompanyAddress          `json:"address"`
	Phone            string                  `json:"phone"`
	Email            string                  `json:"email"` // the applicant's: the company's contact
	Website          string                  `json:"website,omitzero"`
	Industry         string                  `json:"industry,omitzero"`
	AnnualRevenue    money.Amount            `json:"annual_revenue"`
}

// Consents are what an applicant agreed to.
type Consents struct {
	CreditCheck       bool      `json:"credit_check"`
	ElectronicRecords bool      `json:"electronic_records"`
	AcceptedAt        time.Time `json:"accepted_at"`
	Evidence          string    `json:"evidence,omitzero"` // handle: address and user agent
}

// ApplicationDecision is the final decision.
type ApplicationDecision struct {
	At           time.Time    `json:"at"`
	By           string       `json:"by"` // "policy", "sandbox", or the client of the lender
	Approved     bool         `json:"approved"`
	Limit        money.Amount `json:"limit,omitzero"`
	Tier         string       `json:"tier,omitzero"`
	CounterOffer bool         `json:"counter_offer,omitzero"`
	Reasons      []string     `json:"reasons,omitzero"` // codes, at most four
	Note         string       `json:"note,omitzero"`    // why staff decided this way
}

// InformationRequest is what the applicant is asked to provide. It is the INCOMPLETE notice
// (F28).
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
	Mail       string        `json:"mail,omitzero"` // the mail that carries it, "" if it goes on paper
	SentAt     time.Time     `json:"sent_at,omitzero"`
	Channel    string        `json:"channel,omitzero"`
	Evidence   string        `json:"evidence,omitzero"`
}

// SourceAnswer is the outcome of querying a source about an application: who answered, when,
// and the hash of the bytes; or why there is no answer.
type SourceAnswer struct {
	Port    string               `json:"port"`
	Source  string               `json:"source,omitzero"`
	At      time.Time            `json:"at,omitzero"`
	RawHash string               `json:"raw_hash,omitzero"` // SHA-256, in hexadecimal
	Tries   int                  `json:"tries,omitzero"`
	Missing underwriting.Absence `json:"missing,omitzero"` // "" if it answered
}

// ScriptStep is something a sandbox does to an application on its own.
type ScriptStep struct {
	After   int          `json:"after"` // banking days after the submission; 0: at once
	Do      ScriptAction `json:"do"`
	Limit   money.Amount `json:"limit,omitzero"`
	Tier    string       `json:"tier,omitzero"`
	Reasons []string     `json:"reasons,omitzero"`
	What    string       `json:"what,omitzero"`
}

// ScriptAction is the action of a step.
type ScriptAction string

// Statuses of an application.
const (
	ApplicationSubmitted = "SUBMITTED"
	ApplicationInReview  = "IN_REVIEW"
	ApplicationRequested = "INFORMATION_REQUESTED"
	ApplicationApproved  = "APPROVED"
	ApplicationDeclined  = "DECLINED"
	ApplicationWithdrawn = "WITHDRAWN"
	ApplicationExpired   = "EXPIRED"
	// ApplicationEstimated is a prequalification that was not refused. It is an estimate, not
	// an approval.
	ApplicationEstimated = "ESTIMATED"
)

// Kinds of notices that an application can owe (F28).
const (
	NoticeDecline      NoticeKind = "DECLINE"
	NoticeCounterOffer NoticeKind = "COUNTER_OFFER"
	NoticeIncomplete   NoticeKind = "INCOMPLETE"
)

// Bounds of an application.
const (
	MaxDocuments = 10                   // per application
	RequestDays  = 14                   // to provide what was requested, unless staff set another deadline
	MinLimit     = money.Amount(500_00) // the lowest line that can be requested or granted
)

// Noun implements Record.
func (*Application) Noun() Noun { return NounApplication }

// Secrets implements Record.
func (a *Application) Secrets() []string {
	return present(a.Form, a.Contact, a.Consents.Evidence, a.Report)
}

// Decided reports whether the application has its final decision.
func (a *Application) Decided() bool { return !a.EndedAt.IsZero() }

// Sound describes the first problem with an application; see Record.
func (a *Application) Sound(old Record) string {
	why := ""
	switch {
	case a.Kind == underwriting.Estimate:
		why = a.soundEstimate()
	case a.Status == ApplicationEstimated:
		why = "an application for a line has the status ESTIMATED"
	default:
		why = a.soundAsked()
	}
	if was, ok := old.(*Application); ok && why == "" {
		return a.soundAfter(was)
	}
	return why
}

// soundAsked is Sound for an application that asks for a line.
func (a *Application) soundAsked() string {
	switch {
	case !Spoken(a.Language):
		return "language is not supported"
	case a.Contact == "" && !a.Decided() || a.Requested < MinLimit || a.Business.LegalName == "":
		return "applicant, business name or a valid requested limit is missing"
	case (a.Status == ApplicationApproved || a.Status == ApplicationDeclined) != (a.Decision != nil):
		return "status and decision do not match"
	case a.Status == ApplicationApproved && (a.Company == 0 || a.Decision.Limit <= 0):
		return "approved without a company or limit"
	}
	return a.soundNotices()
}

// soundNotices describes the first problem with the notices of an application that asks for a
// line. An adverse decision owes a notice to the applicant, and one to an owner who did not
// apply and whose credit report was used; no other decision owes the owner one (F28).
func (a *Application) soundNotices() string {
	owed := a.Decision.owes()
	switch {
	case owed != "" && (a.Duty == nil || a.Duty.Kind != owed):
		return "the notice that the decision requires is missing"
	case (owed != "" && a.ReportOther) != (a.OwnerDuty != nil) || a.OwnerDuty != nil && a.OwnerDuty.Kind != owed:
		return "the owner's notice does not match the use of the owner's credit report"
	case a.Duty.flawed() || a.OwnerDuty.flawed():
		return "a notice has the wrong due date, or was sent without a channel"
	}
	return ""
}

// owes is the kind of notice that a decision owes; "" if there is no decision or it granted
// what was asked for.
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
	return n != nil && (n.DueOn != n.ClockStart.AddDays(NoticeDays) || n.SentAt.IsZero() != (n.Channel == ""))
}

// soundAfter describes a change to a member that is fixed.
func (a *Application) soundAfter(was *Application) string {
	switch {
	case was.Decided() && (was.Status != a.Status || was.Decision != a.Decision || was.Inputs != a.Inputs || was.Company != a.Company):
		return "changed after the decision"
	case was.Requested != a.Requested || was.Kind != a.Kind || was.Business != a.Business:
		return "requested limit, kind or business has changed"
	}
	return ""
}

// ApplyingClaim is one of a merchant's slots for applications on a day.
func ApplyingClaim(merchant string, place int, day calendar.Date) Claim {
	return Claim{Kind: ClaimApplying, Scope: merchant, Name: strconv.Itoa(place) + " " + day.String()}
}

// Claims are the names that an application holds: none once it is erased.
func (a *Application) Claims() []Claim {
	if a.Kind == underwriting.Estimate {
		return a.EstimateClaims()
	}
	if a.Place == 0 {
		return nil
	}
	return []Claim{ApplyingClaim(a.Merchant, a.Place, a.PlaceOn)}
}

// Codes converts reasons to the form that an application stores.
func Codes(reasons []underwriting.Reason) []string {
	out := make([]string, len(reasons))
	for i, r := range reasons {
		out[i] = string(r)
	}
	return out
}

// Figures are the inputs that decide a prequalification. The sealed form embeds them.
type Figures struct {
	Given underwriting.Given `json:"given"`
}

// Estimated is the decision of a prequalification as the log shows it.
type Estimated struct {
	Status  string   `json:"status"`
	Policy  int      `json:"policy_version"`
	Reasons []string `json:"reasons,omitempty"`
}

// EstimatedBy is the decision that a policy's answer leads to.
func EstimatedBy(x underwriting.Prequalification) Estimated {
	if x.Pass {
		return Estimated{Status: ApplicationEstimated, Policy: x.Policy}
	}
	return Estimated{ApplicationDeclined, x.Policy, Codes(x.Reasons)}
}

// Estimated is the decision of a prequalification.
func (a *Application) Estimated() Estimated {
	x := Estimated{Status: a.Status, Policy: a.PolicyVersion()}
	if a.Decision != nil {
		x.Reasons = a.Decision.Reasons
	}
	return x
}

// firstPolicy decided the prequalifications that name no policy version.
const firstPolicy = 1

// PolicyVersion is the version of the policy that decided a prequalification.
func (a *Application) PolicyVersion() int { return cmp.Or(a.Policy, firstPolicy) }

// Answer is the answer that a prequalification with these figures got from the policy that
// decided it. It is recomputed; none is stored.
func (a *Application) Answer(f Figures) (underwriting.Prequalification, error) {
	p, ok := underwriting.Version(a.PolicyVersion())
	if !ok {
		return underwriting.Prequalification{}, fmt.Errorf("%w %d", ErrPolicy, a.PolicyVersion())
	}
	return underwriting.Prequalify(p, f.Given)
}

// ErrPolicy is returned when this program lacks a version of the policy.
var ErrPolicy = errors.New("credit: unknown policy version")

// DecidedOtherwise decides a prequalification again from its figures by the given policy. It
// returns how the result differs from the stored decision, or "".
func (a *Application) DecidedOtherwise(p underwriting.Policy, f Figures) string {
	x, err := underwriting.Prequalify(p, f.Given)
	if err != nil {
		return "its figures cannot be evaluated"
	}
	is, want := a.Estimated(), EstimatedBy(x)
	if is.Status != want.Status || !slices.Equal(is.Reasons, want.Reasons) {
		return fmt.Sprintf("is %s with reasons %q; policy %d makes it %s with reasons %q", is.Status, is.Reasons, p.Version, want.Status, want.Reasons)
	}
	return ""
}

// EstimateClaim is held by the prequalification that refused a merchant's applicant on a day.
// There is one per address, merchant and day, which limits a merchant to one notice a day to
// an address.
func EstimateClaim(merchant, email string, day calendar.Date) Claim {
	return Claim{Kind: ClaimEstimate, Scope: merchant, Name: email + " " + day.String()}
}

// RefusalClaim is one of a merchant's slots for refused prequalifications on a day.
func RefusalClaim(merchant string, place int, day calendar.Date) Claim {
	return Claim{Kind: ClaimRefusalPlace, Scope: merchant, Name: strconv.Itoa(place) + " " + day.String()}
}

// EstimateClaims are the names that a prequalification holds: none once it is erased.
func (a *Application) EstimateClaims() []Claim {
	if a.Kind != underwriting.Estimate || a.Duty == nil || a.Contact == "" {
		return nil
	}
	claims := []Claim{EstimateClaim(a.Merchant, a.Of, a.Duty.ClockStart)}
	if a.Place != 0 { // prequalifications older than this bound have none
		claims = append(claims, RefusalClaim(a.Merchant, a.Place, a.Duty.ClockStart))
	}
	return claims
}

// soundEstimate is Sound for a prequalification.
func (a *Application) soundEstimate() string {
	switch {
	case a.Status != ApplicationEstimated && a.Status != ApplicationDeclined || a.EndedAt.IsZero():
		return "prequalification is not decided"
	case a.Company != 0 || a.Checkout != "" || a.Business.EIN != "" || a.Requested != 0:
		return "prequalification has a company, checkout, EIN or requested limit"
	case (a.Status == ApplicationDeclined) != (a.Decision != nil) || (a.Decision != nil) != (a.Duty != nil):
		return "prequalification: status, decision and notice do not match"
	case a.Place < 0 || a.Place != 0 && a.Duty == nil:
		return "prequalification holds a refusal slot without a refusal"
	case a.Decision != nil && (a.Decision.Approved || len(a.Decision.Reasons) == 0):
		return "prequalification is approved, or refused without reasons"
	}
	return ""
}
