package web

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
)

// ErrOrigin is returned for an address that names no origin which a page may trust.
var ErrOrigin = errors.New("web: not an origin of the form https://host")

// Origin is a scheme and a host, as a Content-Security-Policy names them.
type Origin string

// OriginOf takes the origin of an address: where a form may lead, or who may show a page
// in a frame. It is https; http is taken for this machine alone. What comes of it has no
// character that means something in a policy.
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

// Rules say what pages may do beyond showing themselves and sending forms to where they
// come from. The zero value allows nothing else.
type Rules struct {
	FormsTo  []Origin // where the answer to a form may lead besides
	FramedBy []Origin // who may show the pages in a frame; nobody if it is empty
	Nonce    string   // of the page's own scripts in its text
	Scripts  bool     // script files of the same origin
	Fonts    bool     // font files of the same origin
	Asks     bool     // scripts may ask the same origin
	Frames   bool     // frames of the same origin in the pages
	Kept     bool     // what is answered may be kept and found; else it is nobody's but the reader's
}

// Policy is the Content-Security-Policy.
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

// Ancestors is what the policy says of who may show the pages in a frame.
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

// Harden sets the headers of an answer of such pages, also one of an error. secure says
// that they are reached by https.
func (r Rules) Harden(h http.Header, secure bool) {
	Harden(h, true, secure)
	h.Set("Content-Security-Policy", r.Policy())
	if len(r.FramedBy) > 0 { // these would keep the frame's owner out
		h.Del("Cross-Origin-Opener-Policy")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	}
	if !r.Kept {
		h.Set("Cache-Control", "no-store")
		h.Set("X-Robots-Tag", "noindex")
	}
}
