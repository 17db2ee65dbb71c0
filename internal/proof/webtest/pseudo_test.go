package webtest

import (
	"slices"
	"testing"
)

func TestPseudo(t *testing.T) {
	if got := Pseudo("Pay {0} now"); got != "⟦Páy {0} ñów~~~~⟧" {
		t.Errorf("the text is %s", got)
	}
	page := Read(t, `<div aria-label="Steps"><p>⟦Páy ⟦ñów⟧ tó⟧ Harbor Supply, 5 · a@b.example</p><p>⟦á⟧</p><style>body</style><input placeholder="Name"/></div>`)
	if got, want := Untranslated(page), []string{"Steps", "Harbor", "Supply", "Name"}; !slices.Equal(got, want) {
		t.Errorf("outside of brackets stand %q", got)
	}
}
