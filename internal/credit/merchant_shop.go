package credit

import (
	"slices"
	"strings"
)

// Shop is where a merchant sells: its hosted checkouts in live mode lead nowhere else.
type Shop struct {
	// Origins are scheme, host and port of its pages as browsers write them, sorted.
	Origins []string `json:"origins,omitzero"`
}

// maxOrigins is how many origins a merchant may have.
const maxOrigins = 20

// SetMerchantShop sets where a merchant sells. Staff say why: whoever could add an origin
// could lead buyers there. Result is the *Merchant.
type SetMerchantShop struct {
	Merchant string   `json:"merchant"`
	IfMatch  []string `json:"if_match,omitzero"` // versions in quotes; nil: any
	Shop     Shop     `json:"shop"`
	Reason   string   `json:"reason"`
}

// Name is the command's word in the audit log.
func (SetMerchantShop) Name() string { return "merchant.shop" }

// Keys asks for the merchant.
func (c SetMerchantShop) Keys(*State, Env) Keys { return Keys{Merchants: []string{c.Merchant}} }

// admit hides the merchant from everybody but the operator.
func (c SetMerchantShop) admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.because("There is no such merchant.")
	}
	return admitMerchant(s, c.Merchant)
}

func (c SetMerchantShop) decide(s *State, e Env) (Changes, *Rejection) {
	m := s.Merchants[c.Merchant]
	if r := matchesVersion(c.IfMatch, m.Version); r != nil {
		return Changes{}, r
	}
	shop := Shop{Origins: slices.Compact(slices.Sorted(slices.Values(c.Shop.Origins)))}
	if why := shop.check(); why != "" {
		return Changes{}, ValidationFailed.because(why)
	}
	if c.Reason == "" {
		return Changes{}, ValidationFailed.because("Where a merchant sells is changed with a reason.")
	}
	if slices.Equal(m.Shop.Origins, shop.Origins) {
		return Changes{Result: m}, nil
	}
	d := newDraft(s, e)
	m = d.merchants.edit(c.Merchant)
	m.Shop = shop
	return d.done(m, false), nil
}

// check asks for origins as browsers write them, reached by TLS.
func (x Shop) check() string {
	if len(x.Origins) > maxOrigins {
		return "A merchant has at most 20 origins."
	}
	for _, o := range x.Origins {
		host, ok := strings.CutPrefix(o, "https://")
		if !ok || host == "" || len(o) > maxName || strings.ToLower(o) != o || strings.ContainsAny(host, "/?#@\\ %") {
			return "An origin is https:// and a host, like https://shop.example."
		}
	}
	return ""
}
