package credit

import (
	"reflect"
	"slices"
	"strings"
)

// Shop is where a merchant sells, and how it shows itself to buyers in its checkouts.
type Shop struct {
	// Origins are scheme, host and port of its pages as browsers write them, sorted: its
	// checkouts in live mode lead nowhere else.
	Origins      []string `json:"origins,omitzero"`
	SupportEmail string   `json:"support_email,omitzero"`
	SupportPhone string   `json:"support_phone,omitzero"`
	TermsURL     string   `json:"terms_url,omitzero"`    // https
	AccentColor  string   `json:"accent_color,omitzero"` // #rrggbb, on which white text can be read
	Logo         Logo     `json:"logo,omitzero"`
}

// Logo is a merchant's picture, a PNG. Its bytes stand in the vault.
type Logo struct {
	Content string `json:"content"` // handle
	Hash    string `json:"hash"`    // SHA-256, hexadecimal
	Size    int    `json:"size"`    // bytes
}

const (
	// maxOrigins is how many origins a merchant may have.
	maxOrigins = 20
	// MaxLogo is the most bytes of a logo.
	MaxLogo = 256 << 10
	// maxTermsURL is the longest address of terms.
	maxTermsURL = 2048
)

// SetMerchantShop sets where a merchant sells and how it shows itself. Members that are nil
// stay as they are. Staff say why: whoever could add an origin could lead buyers there.
// Result is the *Merchant.
type SetMerchantShop struct {
	Merchant     string         `json:"merchant"`
	IfMatch      []string       `json:"if_match,omitzero"` // versions in quotes; nil: any
	Shop         Shop           `json:"shop"`              // the origins alone
	SupportEmail *Patch[string] `json:"support_email,omitzero"`
	SupportPhone *Patch[string] `json:"support_phone,omitzero"`
	TermsURL     *Patch[string] `json:"terms_url,omitzero"`
	AccentColor  *Patch[string] `json:"accent_color,omitzero"`
	Logo         *Patch[Logo]   `json:"logo,omitzero"`
	Reason       string         `json:"reason"`
	Secrets      []Secret       `json:"-"` // the picture
}

func (SetMerchantShop) Name() string { return "merchant.shop" }

// Keys asks for the merchant.
func (c SetMerchantShop) Keys(*State, Env) Keys { return Keys{Merchants: []string{c.Merchant}} }

// Admit hides the merchant from everybody but the operator.
func (c SetMerchantShop) Admit(s *State, e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.Because("There is no such merchant.")
	}
	return admitMerchant(s, c.Merchant)
}

func (c SetMerchantShop) Decide(s *State, e Env) (Changes, *Rejection) {
	m := s.Merchants[c.Merchant]
	if r := MatchVersion(c.IfMatch, m.Version); r != nil {
		return Changes{}, r
	}
	shop := c.next(m.Shop)
	if r := shop.check(); r != nil {
		return Changes{}, r
	}
	if c.Reason == "" {
		return Changes{}, ValidationFailed.Because("Changing a merchant's shop requires a reason.")
	}
	if shop.Logo.Hash == m.Shop.Logo.Hash { // the same picture again
		shop.Logo, c.Secrets = m.Shop.Logo, nil
	}
	if reflect.DeepEqual(m.Shop, shop) {
		return Changes{Result: m}, nil
	}
	d := NewDraft(s, e)
	if old := m.Shop.Logo.Content; old != "" && old != shop.Logo.Content {
		d.Changes.Erased = append(d.Changes.Erased, old)
	}
	d.Changes.Secrets = c.Secrets
	m = d.Merchants.Edit(c.Merchant)
	m.Shop = shop
	return d.Done(m, false), nil
}

// next is a merchant's shop with what the command changes of it.
func (c SetMerchantShop) next(x Shop) Shop {
	x.Origins = slices.Compact(slices.Sorted(slices.Values(c.Shop.Origins)))
	for _, m := range []struct {
		at *string
		to *Patch[string]
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

// check asks for origins and terms that are reached by TLS, for a color that carries white
// text, and for a logo of bounded size.
func (x Shop) check() *Rejection {
	if len(x.Origins) > maxOrigins {
		return ValidationFailed.Because("A merchant can have at most 20 origins.")
	}
	for _, o := range x.Origins {
		host, ok := strings.CutPrefix(o, "https://")
		if !ok || host == "" || len(o) > maxName || strings.ToLower(o) != o || strings.ContainsAny(host, "/?#@\\ %") {
			return ValidationFailed.Because("An origin must be https:// and a host, such as https://shop.example.")
		}
	}
	if x.TermsURL != "" && (!strings.HasPrefix(x.TermsURL, "https://") || len(x.TermsURL) > maxTermsURL) {
		return ValidationFailed.Because("The terms URL must begin with https://.")
	}
	if x.AccentColor != "" {
		if r := refuseAccent(x.AccentColor); r != nil {
			return r
		}
	}
	if l := x.Logo; l != (Logo{}) && (l.Content == "" || CheckHash(l.Hash) != nil || l.Size < 1 || l.Size > MaxLogo) {
		return ValidationFailed.Because("A logo must be an image of at most 256 KiB.")
	}
	return nil
}
