package docstest

import (
	"fmt"
	"strings"
	"testing"

	"tenor/internal/edge/httpapi"
)

// TestErrorsPage compares the reference of errors with the API's codes: each row has its status,
// its sentence, and advice.
func TestErrorsPage(t *testing.T) {
	rows := readPage(t, "docs/reference/errors.md").rows(t, "Codes")
	for _, r := range rows {
		if len(r) != 4 {
			t.Fatalf("a row has %d cells instead of 4: %q", len(r), r)
		}
		c, ok := httpapi.LookupCode(strings.Trim(r[0], "`"))
		if !ok || r[1] != fmt.Sprint(c.Status) || r[2] != c.Title {
			t.Errorf("row %q, the code is %d %q", r, c.Status, c.Title)
		}
		if len(r[3]) < 10 {
			t.Errorf("%s: %q is no advice", r[0], r[3])
		}
	}
	if len(rows) < 40 {
		t.Errorf("%d codes of %d: archtest says which are missing", len(rows), len(httpapi.Codes()))
	}
}
