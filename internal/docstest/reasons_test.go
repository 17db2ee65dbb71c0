package docstest

import (
	"strings"
	"testing"

	"tenor/internal/statement"
	"tenor/internal/underwriting"
)

// TestReasonsTable holds the codes that operators can give as reasons of an adverse action
// against the words that notices make of them.
func TestReasonsTable(t *testing.T) {
	rows := readPage(t, "docs/operating.md").rows(t, "Notices of adverse actions")
	for _, r := range rows {
		if text, known := statement.ReasonText(strings.Trim(r[0], "`")); !known || text != r[1] {
			t.Errorf("%s: the page says %q, a notice %q", r[0], r[1], text)
		}
	}
	if len(rows) != len(statement.ReasonCodes()) {
		t.Errorf("%d codes on the page, %d in notices", len(rows), len(statement.ReasonCodes()))
	}
}

// TestReasonsOfThePolicy holds the words of notices against the table of the policy: a reason
// has one sentence, whoever gives it.
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
