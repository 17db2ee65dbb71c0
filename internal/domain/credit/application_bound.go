package credit

import (
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/underwriting"
)

// ApplyingClaim is one of the places that a merchant has on a day for applications.
func ApplyingClaim(merchant string, place int, day calendar.Date) Claim {
	return Claim{Kind: ClaimApplying, Scope: merchant, Name: strconv.Itoa(place) + " " + day.String()}
}

// Claims are the names that an application holds: none once it is forgotten.
func (a *Application) Claims() []Claim {
	if a.Kind == underwriting.Estimate {
		return a.EstimateClaims()
	}
	if a.Place == 0 {
		return nil
	}
	return []Claim{ApplyingClaim(a.Merchant, a.Place, a.PlaceOn)}
}
