package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// ErrOrigin is returned for an address without an origin that a page may trust.
var ErrOrigin = errors.New("web: not an origin of the form https://host")

// Origin is a scheme and a host, as in a Content-Security-Policy.
type Origin string

// OriginOf returns the origin of an address: where a form may lead, or who may show a page in a
// frame. It must use https; http is accepted for this machine only. The result contains no
// character with a meaning in a policy.
func OriginOf(address string) (Origin, error) {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" || u.User != nil {
		return "", fmt.Errorf("%w: %q", ErrOrigin, address)
	}
	local := u.Hostname() == "localhost" || u.Hostname() == "127.0.0.1" || u.Hostname() == "::1"
	if u.Scheme != "https" && (u.Scheme != "http" || !local) || strings.ContainsAny(u.Host, " ;,'\"*\t\r\n\\") {
		return "", fmt.Errorf("%w: %q", ErrOrigin, address)
	}
	return Origin(u.Scheme + "://" + strings.ToLower(u.Host)), nil
}

// Rules define what pages may do beyond displaying themselves and submitting forms to their
// origin. The zero value allows nothing more.
type Rules struct {
	FormsTo  []Origin // other origins to which a form may lead
	FramedBy []Origin // who may show the pages in a frame; nobody if empty
	Nonce    string   // of the page's inline scripts
	Scripts  bool     // script files of the same origin
	Fonts    bool     // font files of the same origin
	Asks     bool     // scripts may call the same origin
	Frames   bool     // pages may contain frames of the same origin
	Kept     bool     // responses may be cached and indexed; otherwise they are for the reader alone
}

// Policy returns the Content-Security-Policy.
func (r Rules) Policy() string {
	parts := []string{"default-src 'none'"}
	if r.Scripts || r.Nonce != "" {
		script := "script-src"
		if r.Scripts {
			script += " 'self'"
		}
		if r.Nonce != "" {
			script += " 'nonce-" + r.Nonce + "'"
		}
		parts = append(parts, script)
	}
	parts = append(parts, "style-src 'self'", "img-src 'self' data:")
	if r.Fonts {
		parts = append(parts, "font-src 'self'")
	}
	if r.Asks {
		parts = append(parts, "connect-src 'self'")
	}
	if r.Frames {
		parts = append(parts, "frame-src 'self'")
	}
	parts = append(parts, "form-action 'self'"+join(r.FormsTo), "base-uri 'none'", r.Ancestors())
	return strings.Join(parts, "; ")
}

// Ancestors returns the part of the policy about who may show the pages in a frame.
func (r Rules) Ancestors() string {
	if len(r.FramedBy) > 0 {
		return "frame-ancestors" + join(r.FramedBy)
	}
	return "frame-ancestors 'none'"
}

func join(origins []Origin) string {
	var b strings.Builder
	for _, o := range origins {
		b.WriteString(" " + string(o))
	}
	return b.String()
}

// Harden sets the headers of a response with such pages, including errors. secure means that they
// are served over https.
func (r Rules) Harden(h http.Header, secure bool) {
	Harden(h, true, secure)
	h.Set("Content-Security-Policy", r.Policy())
	if len(r.FramedBy) > 0 { // these would lock out the frame's owner
		h.Del("Cross-Origin-Opener-Policy")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	if !r.Kept {
		h.Set("Cache-Control", "no-store")
		h.Set("X-Robots-Tag", "noindex")
	}
}
