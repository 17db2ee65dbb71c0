package checkout

import (
	"cmp"
	"net/http"
	"strings"
	"testing"
)

// checkHeaders asks for the headers that every answer has.
func checkHeaders(t testing.TB, at string, h http.Header, around string) {
	t.Helper()
	policy := h.Get("Content-Security-Policy")
	for _, part := range []string{"default-src 'none'", "style-src 'self'", "img-src 'self' data:", "form-action 'self'", "base-uri 'none'", "frame-ancestors " + cmp.Or(around, "'none'")} {
		if !strings.Contains(policy, part) {
			t.Errorf("%s: the policy %q lacks %s", at, policy, part)
		}
	}
	if strings.Contains(policy, "script-src 'self'") || strings.Contains(policy, "unsafe") {
		t.Errorf("%s: the policy allows any script: %s", at, policy)
	}
	for name, want := range map[string]string{
		"Referrer-Policy": "same-origin", "X-Content-Type-Options": "nosniff", "Cache-Control": "no-store", "X-Robots-Tag": "noindex", "Strict-Transport-Security": "max-age=63072000",
	} {
		if got := h.Get(name); got != want && !(name == "Cache-Control" && got == kept && !strings.HasPrefix(h.Get("Content-Type"), "text/html")) {
			t.Errorf("%s: %s is %q instead of %q", at, name, got, want)
		}
	}
}
