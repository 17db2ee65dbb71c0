package onboarding

import "tenor/internal/domain/credit"

// A checkout by link mails its address to an e-mail that the merchant names and nobody has
// proved. A shop's clerks send a few a day; the thief of its token would send any number, to
// strangers or to one mailbox. So a merchant may send maxLinks a day, and maxLinksToOne of
// them to one address, whatever becomes of the checkouts.
const (
	maxLinks      = 50
	maxLinksToOne = 5
)

// mails reports whether the command sends its buyer a link.
func (c CreateCheckout) mails() bool { return c.Mode == ModeLink }

// linkClaims are all of today's slots that the command's mail could take.
func (c CreateCheckout) linkClaims(e credit.Env) (all []credit.Claim) {
	if !c.mails() {
		return nil
	}
	for place := 1; place <= maxLinks; place++ {
		all = append(all, credit.LinkClaim(e.Actor.Merchant, place, e.Today()))
	}
	for place := 1; place <= maxLinksToOne; place++ {
		all = append(all, credit.LinkToClaim(e.Actor.Merchant, c.BuyerEmail, place, e.Today()))
	}
	return all
}

// linkMail is the slots of the command's mail, nil if it sends none; or the rejection if no
// slot is free today.
func (c CreateCheckout) linkMail(s *credit.State, e credit.Env) (*credit.LinkMail, *credit.Rejection) {
	if !c.mails() {
		return nil, nil
	}
	free := func(most int, claim func(place int) credit.Claim) int {
		for place := 1; place <= most; place++ {
			if s.Claims[claim(place)] == "" {
				return place
			}
		}
		return 0
	}
	x := &credit.LinkMail{
		On:    e.Today(),
		Place: free(maxLinks, func(n int) credit.Claim { return credit.LinkClaim(e.Actor.Merchant, n, e.Today()) }),
		ToOne: free(maxLinksToOne, func(n int) credit.Claim { return credit.LinkToClaim(e.Actor.Merchant, c.BuyerEmail, n, e.Today()) }),
	}
	switch {
	case x.ToOne == 0:
		return nil, credit.LimitExceeded.With("This e-mail address has reached today's limit of links from this merchant. Share the URL of an open checkout, or send another link tomorrow.",
			map[string]any{"limit": "checkout_links_an_address_a_day", "maximum": maxLinksToOne})
	case x.Place == 0:
		return nil, credit.LimitExceeded.With("This merchant has reached today's limit of mailed links. Open the checkout by redirect, or send the link tomorrow.",
			map[string]any{"limit": "checkout_links_a_merchant_a_day", "maximum": maxLinks})
	}
	return x, nil
}
