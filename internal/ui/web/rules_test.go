package web

import (
	"errors"
	"net/http"
	"testing"
)

func TestOrigins(t *testing.T) {
	for address, want := range map[string]Origin{
		"https://shop.example/return?x=1": "https://shop.example", "https://Shop.Example:8443": "https://shop.example:8443",
		"http://localhost:8080/x": "http://localhost:8080", "http://127.0.0.1": "http://127.0.0.1", "http://[::1]:80/": "http://[::1]:80",
	} {
		if got, err := OriginOf(address); err != nil || got != want {
			t.Errorf("%s: %q, %v", address, got, err)
		}
	}
	for _, address := range []string{"", "shop.example", "http://shop.example", "https://", "javascript:alert(1)", "https://a;script-src *", "https://a,b", "https://*.example", "https://user@shop.example", "data:text/html,x", "https://a b", "//shop.example", "https://a'b"} {
		if got, err := OriginOf(address); !errors.Is(err, ErrOrigin) {
			t.Errorf("%q: %q, %v", address, got, err)
		}
	}
}

func TestRules(t *testing.T) {
	for _, c := range []struct {
		rules Rules
		want  string
	}{
		{Rules{}, "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
		{Rules{FormsTo: []Origin{"https://a.example"}, FramedBy: []Origin{"https://a.example", "https://b.example"}},
			"default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self' https://a.example; base-uri 'none'; frame-ancestors https://a.example https://b.example"},
		{Rules{Scripts: true, Asks: true}, "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
		{Rules{Scripts: true, Nonce: "n0", Fonts: true},
			"default-src 'none'; script-src 'self' 'nonce-n0'; style-src 'self'; img-src 'self' data:; font-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
		{Rules{Scripts: true, Asks: true, Frames: true},
			"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; frame-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"},
	} {
		if got := c.rules.Policy(); got != c.want {
			t.Errorf("%+v:\n%s instead of\n%s", c.rules, got, c.want)
		}
	}
	if (Rules{}).Policy() != Policy {
		t.Error("pages without rules of their own have another policy than all others")
	}
}

func TestRulesHarden(t *testing.T) {
	h := http.Header{}
	Rules{}.Harden(h, true)
	for name, want := range map[string]string{
		"Referrer-Policy": "same-origin", "Cache-Control": "no-store", "X-Robots-Tag": "noindex", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": Policy, "Cross-Origin-Opener-Policy": "same-origin", "Strict-Transport-Security": "max-age=63072000",
	} {
		if h.Get(name) != want {
			t.Errorf("%s: %q instead of %q", name, h.Get(name), want)
		}
	}
	framed := http.Header{}
	Rules{FramedBy: []Origin{"https://a.example"}, Kept: true}.Harden(framed, false)
	for _, name := range []string{"Cross-Origin-Opener-Policy", "Cache-Control", "X-Robots-Tag", "Strict-Transport-Security"} {
		if framed.Get(name) != "" {
			t.Errorf("%s: %q", name, framed.Get(name))
		}
	}
}
