package checkout

import (
	"net/http"
	"slices"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/ui/design"
	"tenor/internal/ui/web"
)

// What a merchant has of its own on these pages stands in two files of the same origin, which
// the policy of the pages allows and nothing inline is. Whoever has the address of a checkout
// may load them. Their addresses end in what they are made of, so that a browser keeps them.
const (
	sheetStep = "accent.css"
	logoStep  = "logo.png"
	kept      = "private, max-age=86400, immutable"
)

// sheet is where the merchant's stylesheet is, "" if it has none.
func (v *visit) sheet() string {
	if color := v.x.Merchant.Shop.AccentColor; color != "" {
		return v.path(sheetStep) + "?" + strings.TrimPrefix(color, "#")
	}
	return ""
}

// logo is where the merchant's picture is, "" if it has none.
func (v *visit) logo() string {
	if hash := v.x.Merchant.Shop.Logo.Hash; hash != "" {
		return v.path(logoStep) + "?" + hash[:16]
	}
	return ""
}

// sheetFile is the stylesheet that gives the button that goes on the merchant's color. The
// text on it stays white, which can be read on every color that is taken; under a pointer it
// becomes darker.
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

// give answers with a file that a browser may keep.
func (v *visit) give(media string, body []byte) {
	v.W.Header().Set("Content-Type", media)
	v.W.Header().Set("Cache-Control", kept)
	web.Send(v.W, v.R, http.StatusOK, body)
}

// foot are the merchant's own terms, where it has some.
func (v *visit) foot() []design.Link {
	if url := v.x.Merchant.Shop.TermsURL; url != "" && !v.framed() { // in a frame they would take the checkout's place
		return []design.Link{{Text: v.Say("shop.terms", v.x.Merchant.Name), Href: url}}
	}
	return nil
}

// reach is how the merchant is reached, "" if it does not say.
func (v *visit) reach() string {
	shop := v.x.Merchant.Shop
	ways := slices.DeleteFunc([]string{shop.SupportEmail, shop.SupportPhone}, func(s string) bool { return s == "" })
	if len(ways) == 0 {
		return ""
	}
	return v.Say("shop.reach", v.x.Merchant.Name, strings.Join(ways, ", "))
}

// withReach is a text with how the merchant is reached behind it.
func (v *visit) withReach(text string) string { return strings.TrimSpace(text + " " + v.reach()) }
