package httpapi

import (
	"net/http"
	"regexp"
	"testing"
	"time"

	"tenor/internal/edge/rest"
)

// A merchant's scopes never count as the lender's, whatever their names.
func TestLenderScopesCountForTheLenderAlone(t *testing.T) {
	if allows(rest.Principal{Scopes: []string{"operator:read"}}, "orders:read") {
		t.Error("operator:read of a client that is not the operator's counts")
	}
	if !allows(rest.Principal{Operator: true, Scopes: []string{"operator:read"}}, "orders:read") {
		t.Error("the lender's operator:read does not stand for orders:read")
	}
}

// A request ID is the caller's own, or a generated one that sorts by time.
func TestRequestsAreNamed(t *testing.T) {
	now := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	form := regexp.MustCompile(`^req_[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
	if a, b := newRequestID(now), newRequestID(now.Add(time.Millisecond)); a >= b || a == newRequestID(now) || !form.MatchString(a) {
		t.Errorf("request ids %s, %s", a, b)
	}
	if own := RequestID(http.Header{"X-Request-Id": {"mine"}}, now); own != "mine" {
		t.Errorf("the caller's name became %s", own)
	}
	if made := RequestID(http.Header{"X-Request-Id": {"a b"}}, now); !form.MatchString(made) {
		t.Errorf("a name that may not be kept became %s", made)
	}
}
