package checkout

import (
	"net/http"
	"slices"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// A merchant's branding on these pages is in two files of the same origin, which the policy of
// the pages allows; nothing is inline. Anyone with a checkout's address may load them. Their
// addresses end in a hash of their content, so that a browser can cache them.
const (
	sheetStep = "accent.css"
	logoStep  = "logo.png"
	kept      = "private, max-age=86400, immutable"
)

// sheet returns the address of the merchant's stylesheet, "" if it has none.
func (v *visit) sheet() string {
	if color := v.x.Merchant.Shop.AccentColor; color != "" {
		return v.path(sheetStep) + "?" + strings.TrimPrefix(color, "#")
	}
	return ""
}

// logo returns the address of the merchant's logo, "" if it has none.
func (v *visit) logo() string {
	if hash := v.x.Merchant.Shop.Logo.Hash; hash != "" {
		return v.path(logoStep) + "?" + hash[:16]
	}
	return ""
}

// sheetFile is the stylesheet that gives the primary button the merchant's color. Its text stays
// white, which is readable on every accepted color; on hover the button becomes darker.
func (v *visit) sheetFile() error {
	color := v.x.Merchant.Shop.AccentColor
	if color == "" {
		return v.stop(http.StatusNotFound, "lost")
	}
	v.give("text/css; charset=utf-8", []byte(".btn:not([data-variant]){background-color:"+color+";color:#fff}\n"+
		".btn:not([data-variant]):hover{background-color:"+color+";box-shadow:inset 0 0 0 99rem rgb(0 0 0/.15)}\n"))
	return nil
}

func (v *visit) logoFile() error {
	l := v.x.Merchant.Shop.Logo
	if l.Content == "" {
		return v.stop(http.StatusNotFound, "lost")
	}
	var data []byte
	if err := v.Desk.Store.View(v.Ctx(), func(s store.View) (err error) {
		data, err = v.Desk.ReadBytes(s, l.Content)
		return err
	}); err != nil {
		return err
	}
	v.give("image/png", data)
	return nil
}

// give returns a file that a browser may cache.
func (v *visit) give(media string, body []byte) {
	v.W.Header().Set("Content-Type", media)
	v.W.Header().Set("Cache-Control", kept)
	web.Send(v.W, v.R, http.StatusOK, body)
}

// foot links to the merchant's own terms, if it has some.
func (v *visit) foot() []design.Link {
	if url := v.x.Merchant.Shop.TermsURL; url != "" && !v.framed() { // in a frame they would replace the checkout
		return []design.Link{{Text: v.Say("shop.terms", v.x.Merchant.Name), Href: url}}
	}
	return nil
}

// reach says how to contact the merchant, "" if it does not say.
func (v *visit) reach() string {
	shop := v.x.Merchant.Shop
	ways := slices.DeleteFunc([]string{shop.SupportEmail, shop.SupportPhone}, func(s string) bool { return s == "" })
	if len(ways) == 0 {
		return ""
	}
	return v.Say("shop.reach", v.x.Merchant.Name, strings.Join(ways, ", "))
}

// withReach adds the merchant's contact to a text.
func (v *visit) withReach(text string) string { return strings.TrimSpace(text + " " + v.reach()) }
