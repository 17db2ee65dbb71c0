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
	Origin       []string `required:"" placeholder:"URL" help:"Scheme and host of its pages, such as https://shop.example; once for each. They take the place of those that are there."`
	SupportEmail *string  `placeholder:"EMAIL" help:"Where its buyers get help. Of this and the following, what is not given stays, and '' takes it away."`
	SupportPhone *string  `placeholder:"NUMBER" help:"Where its buyers get help."`
	Terms        *string  `placeholder:"URL" help:"Its own terms of sale, https."`
	Accent       *string  `placeholder:"COLOR" help:"Color of the button that goes on, such as #0b5cad: white text must be readable on it."`
	Logo         *string  `placeholder:"FILE" help:"A PNG or JPEG of at most 256 KiB."`
	Reason       string   `required:"" placeholder:"TEXT" help:"Why."`
}

// Examples are shown by -h.
func (MerchantShop) Examples() []string {
	return []string{
		"merchants shop mch_… --origin https://shop.harbor.example --reason 'its new shop' --yes",
		"merchants shop mch_… --origin https://shop.harbor.example --support-email help@harbor.example --accent '#0b5cad' --logo ./harbor.png --reason 'its looks' --yes",
	}
}

// Run is called by the parser.
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
	if !c.DryRun {
		if err := c.Ask(a, fmt.Sprintf("Let checkouts of %s lead to %s and nowhere else?", c.ID, strings.Join(c.Origin, ", "))); err != nil {
			return err
		}
	}
	return terminal.Act(ctx, a, &c.Change, merchantNoun(), func(api *client.Client, o ...client.Option) (*client.Merchant, error) {
		return api.SetMerchantShop(ctx, c.ID, r, o...)
	}, func(m *client.Merchant) string {
		return fmt.Sprintf("Checkouts of %s (%s) lead to %s.", terminal.Clean(m.Name), m.ID, strings.Join(m.Shop.Origins, ", "))
	})
}
