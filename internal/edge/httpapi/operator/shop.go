package operator

import (
	"encoding/base64"
	"errors"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/returnurl"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/picture"
)

const (
	// logoSide is the maximum width and height of a logo: twice what a wide page shows.
	logoSide = 320
	// maxShop is the maximum body: a logo in Base64, even with escaped characters.
	maxShop = 2 << 20
)

type shopBody struct {
	Origins      []string         `json:"origins" required:"true" maxItems:"20" doc:"All origins of the merchant's pages; an empty list for none." example:"[\"https://shop.harbor.example\"]"`
	SupportEmail rest.Opt[string] `json:"support_email" nullable:"true" format:"email" maxLength:"254" doc:"Support contact for buyers; null removes it; unchanged if omitted." example:"help@harbor.example"`
	SupportPhone rest.Opt[string] `json:"support_phone" nullable:"true" pattern:"^\\+?[0-9][0-9 ().-]{4,28}[0-9]$" doc:"Support contact for buyers; null removes it; unchanged if omitted." example:"+1 212 555 0142"`
	TermsURL     rest.Opt[string] `json:"terms_url" nullable:"true" maxLength:"2048" doc:"URL of the shop's terms of sale, https; null removes it; unchanged if omitted." example:"https://shop.harbor.example/terms"`
	AccentColor  rest.Opt[string] `json:"accent_color" nullable:"true" pattern:"^#[0-9a-fA-F]{6}$" doc:"Color of the primary button. White text on it needs a contrast of at least 4.5:1, otherwise 422 with the actual contrast; null: the default color; unchanged if omitted." example:"#0b5cad"`
	Logo         rest.Opt[string] `json:"logo" nullable:"true" maxLength:"349528" doc:"Logo: PNG or JPEG, at most 256 KiB, Base64-encoded. It is re-encoded as PNG, at most 320 pixels wide and high; null removes it; unchanged if omitted." example:"iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGNgYGBgAAAABQABpfZFQAAAAABJRU5ErkJggg=="`
	Reason       string           `json:"reason" required:"true" minLength:"1" doc:"Reason, for the record." example:"the merchant's new shop"`

	logo []byte // as it is stored
}

// Check normalizes origins as browsers do, refuses what is more than an origin, and decodes
// the logo.
func (b *shopBody) Check(report func(name, code, detail string)) {
	for i, text := range b.Origins {
		o, err := returnurl.Origin(text)
		if err != nil || !strings.HasPrefix(o, "https://") || !strings.EqualFold(strings.TrimSuffix(strings.TrimSuffix(text, "/"), ":443"), o) {
			report("origins", "invalid", "An origin must be https:// and a host, such as https://shop.example.")
			return
		}
		b.Origins[i] = o
	}
	if u := b.TermsURL; u.Set && !u.Null && returnurl.Check(u.Value, returnurl.Rules{Sandbox: true}) != nil || strings.HasPrefix(u.Value, "http:") {
		report("terms_url", "invalid", "The terms must be an https:// URL.")
	}
	if b.Logo.Set && !b.Logo.Null {
		if why := b.readLogo(); why != "" {
			report("logo", "invalid", why)
		}
	}
}

// readLogo re-encodes the logo, and returns why it is refused.
func (b *shopBody) readLogo() (why string) {
	data, err := base64.StdEncoding.DecodeString(b.Logo.Value)
	if err != nil || len(data) > merchants.MaxLogo {
		return "The logo must be a PNG or JPEG of at most 256 KiB, Base64-encoded."
	}
	switch b.logo, err = picture.Small(data, logoSide); {
	case errors.Is(err, picture.ErrLarge):
		return "The image has more than 40 million pixels."
	case err != nil:
		return "The image is not a readable PNG or JPEG."
	case len(b.logo) > merchants.MaxLogo:
		return "The image is too complex for a logo: it is larger than 256 KiB as a PNG."
	}
	return ""
}

func (s API) setMerchantShop(c *rest.Call, p *merchantID, b *shopBody) (rest.Answer, error) {
	cmd := merchants.SetMerchantShop{
		Merchant: p.ID, IfMatch: serve.IfMatch(c.IfMatch), Shop: credit.Shop{Origins: b.Origins}, SupportEmail: serve.Patch(b.SupportEmail), SupportPhone: serve.Patch(b.SupportPhone),
		TermsURL: serve.Patch(b.TermsURL), AccentColor: serve.Patch(b.AccentColor), Reason: b.Reason,
	}
	switch {
	case b.logo != nil:
		kept := s.Desk.KeepBytes(b.logo)
		cmd.Logo = &lending.Patch[credit.Logo]{Value: credit.Logo{Content: kept.ID, Hash: buyer.Digest(string(b.logo)), Size: len(b.logo)}}
		cmd.Secrets = []credit.Secret{kept}
	case b.Logo.Set:
		cmd.Logo = &lending.Patch[credit.Logo]{Null: true}
	}
	return s.Do(c, cmd, s.merchantAnswer)
}
