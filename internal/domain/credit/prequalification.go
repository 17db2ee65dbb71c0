package credit

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/underwriting"
)

// Figures are what decides of the form of a prequalification. Whoever seals the form embeds
// them in it.
type Figures struct {
	Given underwriting.Given `json:"given"`
}

// Estimated is what was decided, as the log tells it.
type Estimated struct {
	Status  string   `json:"status"`
	Policy  int      `json:"policy_version"`
	Reasons []string `json:"reasons,omitempty"`
}

// EstimatedBy is what a policy decides of an answer.
func EstimatedBy(x underwriting.Prequalification) Estimated {
	if x.Pass {
		return Estimated{Status: ApplicationEstimated, Policy: x.Policy}
	}
	return Estimated{ApplicationDeclined, x.Policy, Codes(x.Reasons)}
}

// Estimated is what was decided of a prequalification.
func (a *Application) Estimated() Estimated {
	x := Estimated{Status: a.Status, Policy: a.PolicyVersion()}
	if a.Decision != nil {
		x.Reasons = a.Decision.Reasons
	}
	return x
}

// firstPolicy decided the prequalifications that do not say which policy did.
const firstPolicy = 1

// PolicyVersion is the version of the policy that has decided a prequalification.
func (a *Application) PolicyVersion() int { return cmp.Or(a.Policy, firstPolicy) }

// Answer is what was answered to a prequalification with these figures, by the policy that
// decided it. It is worked out anew: none is kept.
func (a *Application) Answer(f Figures) (underwriting.Prequalification, error) {
	p, ok := underwriting.Version(a.PolicyVersion())
	if !ok {
		return underwriting.Prequalification{}, fmt.Errorf("%w %d", ErrPolicy, a.PolicyVersion())
	}
	return underwriting.Prequalify(p, f.Given)
}

// ErrPolicy says that this program does not have a version of the policy.
var ErrPolicy = errors.New("credit: no policy of version")

// DecidedOtherwise decides a prequalification again from its figures, by the policy of its own
// version, and says what it should be; "" if it is that.
func (a *Application) DecidedOtherwise(p underwriting.Policy, f Figures) string {
	x, err := underwriting.Prequalify(p, f.Given)
	if err != nil {
		return "it has no figures that decide it"
	}
	is, want := a.Estimated(), EstimatedBy(x)
	if is.Status != want.Status || !slices.Equal(is.Reasons, want.Reasons) {
		return fmt.Sprintf("it is %s for %q; by policy %d its figures make it %s for %q", is.Status, is.Reasons, p.Version, want.Status, want.Reasons)
	}
	return ""
}

// EstimateClaim is held by the prequalification that a merchant's applicant was refused on a
// day: there is one, so that a merchant has one notice a day sent to an address.
func EstimateClaim(merchant, email string, day calendar.Date) Claim {
	return Claim{Kind: ClaimEstimate, Scope: merchant, Name: email + " " + day.String()}
}

// RefusalClaim is one of the places that a merchant has on a day for prequalifications that
// are a no.
func RefusalClaim(merchant string, place int, day calendar.Date) Claim {
	return Claim{Kind: ClaimRefusalPlace, Scope: merchant, Name: strconv.Itoa(place) + " " + day.String()}
}

// EstimateClaims are the names that a prequalification holds: none once it is forgotten.
func (a *Application) EstimateClaims() []Claim {
	if a.Kind != underwriting.Estimate || a.Duty == nil || a.Contact == "" {
		return nil
	}
	claims := []Claim{EstimateClaim(a.Merchant, a.Of, a.Duty.ClockStart)}
	if a.Place != 0 { // of versions before the bound none has one
		claims = append(claims, RefusalClaim(a.Merchant, a.Place, a.Duty.ClockStart))
	}
	return claims
}

// soundEstimate is sound for a prequalification.
func (a *Application) soundEstimate() string {
	switch {
	case a.Status != ApplicationEstimated && a.Status != ApplicationDeclined || a.EndedAt.IsZero():
		return "it is a prequalification that is not decided"
	case a.Company != 0 || a.Checkout != "" || a.Business.EIN != "" || a.Requested != 0:
		return "it is a prequalification, and about more than an estimate"
	case (a.Status == ApplicationDeclined) != (a.Decision != nil) || (a.Decision != nil) != (a.Duty != nil):
		return "it is a no without a decision and a notice, or the reverse"
	case a.Place < 0 || a.Place != 0 && a.Duty == nil:
		return "it has a place among the noes of its day, and is none"
	case a.Decision != nil && (a.Decision.Approved || len(a.Decision.Reasons) == 0):
		return "it is a prequalification that approves something, or a no without reasons"
	}
	return ""
}
