package outbound

import (
	"fmt"
	"net/netip"
	"net/url"
	"strings"
	"testing"
)

// urlProperty describes what is wrong with an allowed address: the library must parse it as https
// with a host, and other parsers must not read it differently.
func urlProperty(check func(string) string, raw string) string {
	if check(raw) != "" {
		return ""
	}
	u, err := url.Parse(raw)
	if err != nil {
		return fmt.Sprintf("%q is allowed, and the library says %v", raw, err)
	}
	host := strings.ToLower(u.Hostname())
	switch a, err := netip.ParseAddr(host); {
	case u.Scheme != "https", host == "", u.User != nil, u.Fragment != "", u.Opaque != "":
		return fmt.Sprintf("%q is allowed", raw)
	case u.Port() != "" && u.Port() != "443":
		return fmt.Sprintf("%q is allowed with its port", raw)
	case err == nil && !Public(a):
		return fmt.Sprintf("%q is allowed, and %s is not public", raw, a)
	case err != nil && (strings.HasSuffix(host, ".") || strings.HasSuffix(host, "localhost") || strings.Contains(host, "..")):
		return fmt.Sprintf("%q is allowed with the host %s", raw, host)
	}
	for i := range len(raw) {
		if c := raw[i]; c <= ' ' || c > '~' || c == '\\' {
			return fmt.Sprintf("%q is allowed with the byte %#x", raw, c)
		}
	}
	if again, err := url.Parse(u.String()); err != nil || again.Host != u.Host || check(u.String()) != "" {
		return fmt.Sprintf("%q is allowed, and %q is not the same", raw, u)
	}
	return ""
}

func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{
		"https://shop.example/hook", "http://shop.example", "https://127.0.0.1/", "https://[::1]/", "https://[2001:4860:4860::8888]/", "https://8.8.8.8:443/a?b=c", "https://x@shop.example/",
		"https://shop.example:8443/", "https://2130706433/", "https://0x7f.1/", "https://localhost./", "https:\\\\evil", "https:shop.example", "//shop.example", "https://shop.example#a", "https://xn--strae-oqa.example/", "https://a..b/", "https://shop.example:/",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if complaint := urlProperty(Rules{}.CheckURL, raw); complaint != "" {
			t.Fatal(complaint)
		}
	})
}

// The fuzz test finds a check that only looks at the scheme.
func TestFuzzCanFail(t *testing.T) {
	lax := func(raw string) string {
		if !strings.HasPrefix(raw, "https://") {
			return "no"
		}
		return ""
	}
	for _, raw := range []string{"https://127.0.0.1/", "https://x@shop.example/", "https://localhost/", "https://shop.example:22/", "https://a b/"} {
		if urlProperty(lax, raw) == "" {
			t.Errorf("not seen: %s", raw)
		}
	}
}
