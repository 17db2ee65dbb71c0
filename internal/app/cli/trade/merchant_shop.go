package trade

import (
	"context"
	"encoding/base64"
	"fmt"
	"os"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// MerchantShop is the command "merchants shop".
type MerchantShop struct {
	terminal.Change
	terminal.Consent
	merchantKeyed
	Origin       []string `required:"" placeholder:"URL" help:"Scheme and host of the shop's pages, such as https://shop.example. Repeatable; replaces all current origins."`
	SupportEmail *string  `placeholder:"EMAIL" help:"Support contact for buyers. This and the flags below stay unchanged if omitted; '' removes a value."`
	SupportPhone *string  `placeholder:"NUMBER" help:"Support contact for buyers."`
	Terms        *string  `placeholder:"URL" help:"URL of the shop's terms of sale, https."`
	Accent       *string  `placeholder:"COLOR" help:"Color of the primary button, such as #0b5cad; white text must be readable on it."`
	Logo         *string  `placeholder:"FILE" help:"Logo: PNG or JPEG, at most 256 KiB."`
	Reason       string   `required:"" placeholder:"TEXT" help:"Reason."`
}

func (MerchantShop) Examples() []string {
	return []string{
		"merchants shop mch_… --origin https://shop.harbor.example --reason 'new shop' --yes",
		"merchants shop mch_… --origin https://shop.harbor.example --support-email help@harbor.example --accent '#0b5cad' --logo ./harbor.png --reason 'new branding' --yes",
	}
}

func (c *MerchantShop) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.ID
	r := client.MerchantShopRequest{
		Origins: c.Origin, Reason: c.Reason,
	}
	r.SupportEmail, r.SupportPhone = optional(c.SupportEmail, "support_email", &r.Clear), optional(c.SupportPhone, "support_phone", &r.Clear)
	r.TermsURL, r.AccentColor = optional(c.Terms, "terms_url", &r.Clear), optional(c.Accent, "accent_color", &r.Clear)
	if file := optional(c.Logo, "logo", &r.Clear); file != "" {
		data, err := os.ReadFile(file)
		if err != nil {
			return &exit.Failure{Code: exit.Usage, Text: "--logo: " + err.Error()}
		}
		r.Logo = base64.StdEncoding.EncodeToString(data)
	}
	if err := c.Ask(a, c.DryRun, fmt.Sprintf("Allow checkouts of %s to return only to %s?", c.ID, strings.Join(c.Origin, ", "))); err != nil {
		return err
	}
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.SetMerchantShop(ctx, c.ID, r, o...)
	}, func(m *client.Merchant) string {
		return fmt.Sprintf("Checkouts of %s (%s) return to %s.", terminal.Clean(m.Name), m.ID, strings.Join(m.Shop.Origins, ", "))
	})
}
