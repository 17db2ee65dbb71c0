package onboarding

import "tenor/internal/domain/credit"

// maxApplications is how many applications a merchant's token may send in a day. Each may mail
// the decision to an unproved address that the caller names: a shop sends a few, and the thief
// of its token would send thousands. Applications sent by people from the pages do not count;
// those have limits of their own.
const maxApplications = 200

// applyingClaims are all of today's slots of the merchant whose token is used, none for the
// pages.
func applyingClaims(e credit.Env) (all []credit.Claim) {
	if e.Actor.Operator || e.Actor.Merchant == "" {
		return nil
	}
	for place := 1; place <= maxApplications; place++ {
		all = append(all, credit.ApplyingClaim(e.Actor.Merchant, place, e.Today()))
	}
	return all
}

// applyingPlace is today's first free slot, 0 for the pages; or the rejection if none is free.
func applyingPlace(s *credit.State, e credit.Env) (int, *credit.Rejection) {
	all := applyingClaims(e)
	for i, x := range all {
		if s.Claims[x] == "" {
			return i + 1, nil
		}
	}
	if len(all) == 0 {
		return 0, nil
	}
	return 0, credit.LimitExceeded.With("This merchant has reached today's limit of applications. Send it tomorrow, or have the buyer apply on the hosted pages.",
		map[string]any{"limit": "applications_a_merchant_a_day", "maximum": maxApplications})
}
