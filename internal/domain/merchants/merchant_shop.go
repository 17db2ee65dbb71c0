package merchants

import (
	"reflect"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
)

const (
	// maxOrigins is how many origins a merchant may have.
	maxOrigins = 20
	// MaxLogo is the maximum size of a logo in bytes.
	MaxLogo = 256 << 10
	// maxTermsURL is the maximum length of the terms URL.
	maxTermsURL = 2048
)

// SetMerchantShop sets where a merchant sells and how it appears. Nil members stay as they
// are. Staff give a reason, because whoever adds an origin could redirect buyers there. Result
// is the *Merchant.
type SetMerchantShop struct {
	Merchant     string                      `json:"merchant"`
	IfMatch      []string                    `json:"if_match,omitzero"` // versions in quotes; nil: any
	Shop         credit.Shop                 `json:"shop"`              // only the origins
	SupportEmail *lending.Patch[string]      `json:"support_email,omitzero"`
	SupportPhone *lending.Patch[string]      `json:"support_phone,omitzero"`
	TermsURL     *lending.Patch[string]      `json:"terms_url,omitzero"`
	AccentColor  *lending.Patch[string]      `json:"accent_color,omitzero"`
	Logo         *lending.Patch[credit.Logo] `json:"logo,omitzero"`
	Reason       string                      `json:"reason"`
	Secrets      []credit.Secret             `json:"-"` // the picture
}

func (SetMerchantShop) Name() string { return "merchant.shop" }

// Keys requests the merchant.
func (c SetMerchantShop) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Merchants: []string{c.Merchant}}
}

// Admit hides the merchant from everybody but the operator.
func (c SetMerchantShop) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if !e.Actor.Operator {
		return credit.NotFound.Because("There is no such merchant.")
	}
	return lending.AdmitMerchant(s, c.Merchant)
}

func (c SetMerchantShop) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	m := s.Merchants[c.Merchant]
	if r := credit.MatchVersion(c.IfMatch, m.Version); r != nil {
		return credit.Changes{}, r
	}
	shop := c.next(m.Shop)
	if r := checkShop(shop); r != nil {
		return credit.Changes{}, r
	}
	if c.Reason == "" {
		return credit.Changes{}, credit.ValidationFailed.Because("Changing a merchant's shop requires a reason.")
	}
	if shop.Logo.Hash == m.Shop.Logo.Hash { // the same picture again
		shop.Logo, c.Secrets = m.Shop.Logo, nil
	}
	if reflect.DeepEqual(m.Shop, shop) {
		return credit.Changes{Result: m}, nil
	}
	d := credit.NewDraft(s, e)
	if old := m.Shop.Logo.Content; old != "" && old != shop.Logo.Content {
		d.Changes.Erased = append(d.Changes.Erased, old)
	}
	d.Changes.Secrets = c.Secrets
	m = d.Merchants.Edit(c.Merchant)
	m.Shop = shop
	return d.Done(m, false), nil
}

// next is a merchant's shop after the command.
func (c SetMerchantShop) next(x credit.Shop) credit.Shop {
	x.Origins = slices.Compact(slices.Sorted(slices.Values(c.Shop.Origins)))
	for _, m := range []struct {
		at *string
		to *lending.Patch[string]
	}{{&x.SupportEmail, c.SupportEmail}, {&x.SupportPhone, c.SupportPhone}, {&x.TermsURL, c.TermsURL}, {&x.AccentColor, c.AccentColor}} {
		if m.to != nil {
			*m.at = m.to.Value // "" if it is null
		}
	}
	x.AccentColor = strings.ToLower(x.AccentColor)
	if c.Logo != nil {
		x.Logo = c.Logo.Value
	}
	return x
}

// checkShop requires origins and terms to use TLS, a color on which white text is readable,
// and a logo of limited size.
func checkShop(x credit.Shop) *credit.Rejection {
	if len(x.Origins) > maxOrigins {
		return credit.ValidationFailed.Because("A merchant can have at most 20 origins.")
	}
	for _, o := range x.Origins {
		host, ok := strings.CutPrefix(o, "https://")
		if !ok || host == "" || len(o) > lending.MaxName || strings.ToLower(o) != o || strings.ContainsAny(host, "/?#@\\ %") {
			return credit.ValidationFailed.Because("An origin must be https:// and a host, such as https://shop.example.")
		}
	}
	if x.TermsURL != "" && (!strings.HasPrefix(x.TermsURL, "https://") || len(x.TermsURL) > maxTermsURL) {
		return credit.ValidationFailed.Because("The terms URL must begin with https://.")
	}
	if x.AccentColor != "" {
		if r := refuseAccent(x.AccentColor); r != nil {
			return r
		}
	}
	if l := x.Logo; l != (credit.Logo{}) && (l.Content == "" || credit.CheckHash(l.Hash) != nil || l.Size < 1 || l.Size > MaxLogo) {
		return credit.ValidationFailed.Because("A logo must be an image of at most 256 KiB.")
	}
	return nil
}
