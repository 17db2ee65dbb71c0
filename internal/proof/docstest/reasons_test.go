package docstest

import (
	"strconv"
	"strings"
	"testing"

	"tenor/internal/domain/underwriting"
	"tenor/internal/office/statement"
)

// TestReasonsTable compares the codes that operators can give as reasons for an adverse action
// with the words in notices.
func TestReasonsTable(t *testing.T) {
	rows := readPage(t, "docs/operating.md").rows(t, "Adverse action notices")
	for _, r := range rows {
		if text, known := statement.ReasonText(strings.Trim(r[0], "`")); !known || text != r[1] {
			t.Errorf("%s: the page says %q, a notice %q", r[0], r[1], text)
		}
	}
	if len(rows) != len(statement.ReasonCodes()) {
		t.Errorf("%d codes on the page, %d in notices", len(rows), len(statement.ReasonCodes()))
	}
}

// TestReasonsOfThePolicy compares the words in notices with the policy's table: a reason has one
// sentence, whoever gives it.
func TestReasonsOfThePolicy(t *testing.T) {
	for _, w := range underwriting.Reasons() {
		if text, known := statement.ReasonText(string(w.Reason)); !known || text != w.Sentence {
			t.Errorf("%s: the policy says %q, a notice %q", w.Reason, w.Sentence, text)
		}
	}
	if len(underwriting.Reasons()) != len(statement.ReasonCodes()) {
		t.Errorf("%d reasons in the policy, %d in notices", len(underwriting.Reasons()), len(statement.ReasonCodes()))
	}
}

// TestFactorsTable compares the page's table of factors with the default policy.
func TestFactorsTable(t *testing.T) {
	rows := readPage(t, "docs/underwriting.md").rows(t, "The policy")
	in := underwriting.Inputs{
		Requested: 1_000_000, State: "OH", ControlPerson: true, AnnualRevenue: 4_000_000, OwnerScore: underwriting.Score{FICO: 600},
		Identity: underwriting.IdentityProved, Screening: underwriting.ScreeningClear,
	}
	points := underwriting.Decide(underwriting.Default(), in, 0).Points
	if len(rows) != len(points) {
		t.Fatalf("%d factors on the page, %d in the policy", len(rows), len(points))
	}
	for i, f := range points {
		if rows[i][2] != strconv.Itoa(f.Max) || !strings.HasSuffix(rows[i][1], strconv.Itoa(f.Max)) {
			t.Errorf("%s: the page says %s of %s, the policy gives %d at most", f.Factor, rows[i][1], rows[i][2], f.Max)
		}
	}
}
