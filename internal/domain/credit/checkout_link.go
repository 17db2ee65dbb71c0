package credit

import (
	"strconv"

	"tenor/internal/domain/calendar"
)

// LinkMail is the place that the mail of a checkout by link takes among those of its day.
type LinkMail struct {
	On    calendar.Date `json:"on"`
	Place int           `json:"place"`  // among the merchant's
	ToOne int           `json:"to_one"` // among those to this address
}

// LinkClaim is one of a merchant's places for mailed links of a day.
func LinkClaim(merchant string, place int, day calendar.Date) Claim {
	return Claim{Kind: ClaimLinkPlace, Scope: merchant, Name: strconv.Itoa(place) + " " + day.String()}
}

// LinkToClaim is one of the places for links that a merchant mails to one address on a day.
func LinkToClaim(merchant, email string, place int, day calendar.Date) Claim {
	return Claim{Kind: ClaimLinkTo, Scope: merchant, Name: email + " " + strconv.Itoa(place) + " " + day.String()}
}

// LinkPlaces are the names that the mail of a checkout holds.
func (c *Checkout) LinkPlaces() []Claim {
	x := c.Link
	if x == nil {
		return nil
	}
	return []Claim{LinkClaim(c.Merchant, x.Place, x.On), LinkToClaim(c.Merchant, c.BuyerEmail, x.ToOne, x.On)}
}
