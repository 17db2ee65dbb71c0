// Package underwriting decides applications for credit by a versioned policy (F27).
//
//	Policy      every number of the scorecard, as settings
//	Inputs      everything a decision uses, stored with it
//	Decide      APPROVED, DECLINED or IN_REVIEW, with points, limit and reasons
//	Prequalify  the same factors without a report
//	Reasons     the codes of an adverse action with their sentences (F28)
//
// It is pure: the same policy, inputs and day always give the same decision. What has no
// member in Inputs is never scored: no name, e-mail, zip code or location. Only the state
// is considered, because lending in it requires a license.
package underwriting

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Decision is what the policy decides on an application.
type Decision string

// The decisions. IN_REVIEW leaves it to a person.
const (
	Approved Decision = "APPROVED"
	Declined Decision = "DECLINED"
	InReview Decision = "IN_REVIEW"
)

// FactorPoints are the points of one factor of the scorecard, out of Max. A factor has the
// name of its reason.
type FactorPoints struct {
	Factor Reason `json:"factor"`
	Points int    `json:"points"`
	Max    int    `json:"max"`
}

// Outcome is what the policy decides and why (F27).
type Outcome struct {
	Policy   int      `json:"policy_version"`
	Decision Decision `json:"decision"`
	// Points are the points of each factor in table order, none if it was declined at once.
	Points []FactorPoints `json:"points,omitzero"`
	Total  int            `json:"total"`
	// Tier and Limit are set if APPROVED.
	Tier         string       `json:"tier,omitzero"`
	Limit        money.Amount `json:"limit"`
	CounterOffer bool         `json:"counter_offer"` // less than requested
	// Reasons are at most four, the most important first: those of a notice if it is DECLINED
	// or a counteroffer, or those that a notice would give if a person declined an application
	// with too few points.
	Reasons []Reason `json:"reasons,omitzero"`
	Missing []Source `json:"missing,omitzero"` // sources without an answer, needed or not
	Why     string   `json:"why"`              // for the staff, not for a notice
}

// maxReasons is the most reasons that a notice gives (F28).
const maxReasons = 4

// Decide decides an application by a policy on a day (F27). First comes a confirmed match with
// a sanctions list, then what only a person may decide, then the other reasons to decline,
// then what is needed and missing, and finally the points. Missing facts are never a reason to
// decline. The policy must pass Check.
func Decide(p Policy, in Inputs, today calendar.Date) Outcome {
	o := Outcome{Policy: p.Version, Missing: in.missing()}
	refusals := p.refusals(in)
	if in.Screening == ScreeningExact {
		return o.refused(refusals)
	}
	people := forPeople(in)
	if len(people) == 0 && len(refusals) > 0 {
		return o.refused(refusals)
	}
	o.Points = p.points(in, today)
	for _, f := range o.Points {
		o.Total += f.Points
	}
	if why := append(people, p.unready(in, today)...); len(why) > 0 {
		return o.inReview(why)
	}
	return p.ByPoints(o, in)
}

// ByPoints decides by the total of an outcome, as if nothing kept the policy from it (F27).
func (p Policy) ByPoints(o Outcome, in Inputs) Outcome {
	tier, ok := p.tier(o.Total)
	switch {
	case !ok && o.Total >= p.ReviewFrom:
		o.Reasons = Lost(o.Points)
		return o.inReview([]string{"The points are between refusal and approval."})
	case !ok:
		o.Decision, o.Reasons, o.Why = Declined, Lost(o.Points), "Too few points."
		return o
	}
	limit := p.LimitOf(tier, in.Requested, in.AnnualRevenue)
	switch {
	case limit < p.MinLimit:
		o.Decision, o.Why = Declined, "The limit is below the least that is granted."
	case in.Kind == LineIncrease && limit <= in.Line.Limit:
		o.Decision, o.Why = Declined, "The limit is no more than the line that there is."
	default:
		o.Decision, o.Tier, o.Limit, o.CounterOffer = Approved, tier.Name, limit, limit < in.Requested
		o.Why = "Enough points for tier " + tier.Name + "."
	}
	if o.Decision == Declined || o.CounterOffer {
		o.Reasons = p.whyLess(o.Points, tier, in)
	}
	return o
}

func (o Outcome) refused(reasons []Reason) Outcome {
	o.Decision, o.Reasons, o.Why = Declined, firstFour(reasons), "Refused at once."
	return o
}

func (o Outcome) inReview(why []string) Outcome {
	o.Decision = InReview
	for i, w := range why {
		if i > 0 {
			o.Why += " "
		}
		o.Why += w
	}
	return o
}

func firstFour(reasons []Reason) []Reason { return reasons[:min(len(reasons), maxReasons)] }

// refusals are the reasons for which an application is declined at once, in F27's order. A
// duplicate is not one of them: it waits for a person, so that nobody learns from an answer
// who is a customer.
func (p Policy) refusals(in Inputs) []Reason {
	var out []Reason
	for _, r := range []struct {
		reason Reason
		holds  bool
	}{
		{SanctionsMatch, in.Screening == ScreeningExact},
		{IdentityUnverified, in.Identity == IdentityUnproved || in.Registration == RegistrationNone && p.registered(in.EntityType)},
		{StateNotServed, !p.serves(in.State) || !p.serves(in.RegistryState)},
		{Bankruptcy, in.OpenBankruptcy},
		{OwnershipUnverified, in.LargestOwner < p.MinOwnerShare && !in.ControlPerson},
		{CreditScore, p.scoreTooLow(in.OwnerScore)},
		{AnnualRevenue, in.AnnualRevenue < p.MinRevenue},
	} {
		if r.holds {
			out = append(out, r.reason)
		}
	}
	return out
}

// forPeople lists what a person must look at before anything is decided.
func forPeople(in Inputs) []string {
	var why []string
	if in.Screening == ScreeningPossible {
		why = append(why, "A name resembles one on a sanctions list.")
	}
	if in.Duplicate && in.Kind != LineIncrease {
		why = append(why, "The tax number belongs to another company or application.")
	}
	return why
}

// unready lists what keeps the policy from deciding: what it needs and lacks, a request
// outside its bounds, and the additional requirements of a higher line.
func (p Policy) unready(in Inputs, today calendar.Date) []string {
	var why []string
	for _, s := range p.Needs {
		if !in.has(s) {
			why = append(why, sourceWords(s)+" "+in.whyMissing(s))
		}
	}
	if in.State == "" {
		why = append(why, "The state of the business is not known.")
	}
	if in.Requested < p.MinLimit {
		why = append(why, "Less is asked for than is granted at least.")
	}
	if in.Kind == LineIncrease {
		why = append(why, p.increase(in, today)...)
	}
	return why
}
