package console

import (
	"net/http"
	"strings"
	"testing"

	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
	"tenor/internal/office/alarm"
	"tenor/internal/office/signin"
)

// In a sandbox whoever has its secret signs in with any role; others find nothing, and a live
// desk signs nobody in like that.
func TestDemo(t *testing.T) {
	r := newRig(t)
	if _, err := r.desk.Demo(t.Context(), permit.Admin, false, ""); err != signin.ErrWrong { //nolint:errorlint // returned bare
		t.Errorf("live: %v", err)
	}
	r.desk.Sandbox = true
	r.open(Config{Alarms: r.pages.config.Alarms, Demo: "secret"})
	b := r.browser()
	if b.get(Prefix+"/demo/guess") != http.StatusNotFound || b.get(Prefix+"/sign-in") != http.StatusOK {
		t.Error("a guess opens the door, or the sandbox is unclaimed")
	}
	for _, role := range permit.Roles() {
		for range 2 {
			b := r.browser()
			b.does(Prefix, Prefix+"/demo/secret", "role", string(role))
			if b.get(Prefix+"/you") != http.StatusOK || !strings.Contains(b.body, string(role)+"@lender.example") {
				t.Errorf("%s: %d", role, b.last.Code)
			}
		}
	}
	two := r.browser()
	two.does(Prefix, Prefix+"/demo/secret", "role", "finance-2")
	if two.get(Prefix + "/you"); !strings.Contains(two.body, "finance-2@lender.example") {
		t.Error("there is no second person of finance")
	}
	if code, _ := b.fill(Prefix+"/demo/secret", "role", "viewer-2"); code != http.StatusOK {
		t.Errorf("a second viewer: %d", code)
	}
	if code, _ := b.fill(Prefix+"/demo/secret", "role", "owner"); code != http.StatusOK {
		t.Errorf("an unknown role: %d", code)
	}
	m, err := r.desk.Find(t.Context(), "viewer@lender.example")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := r.desk.Change(t.Context(), staff.Suspend{Member: m.ID}, signin.By{}); err != nil {
		t.Fatal(err)
	}
	if code, _ := b.fill(Prefix+"/demo/secret", "role", "viewer"); code != http.StatusForbidden {
		t.Errorf("a suspended one: %d", code)
	}
}

// The catalog has every text that pages use, and none that none uses.
func TestTexts(t *testing.T) {
	r := newRig(t)
	if len(r.pages.texts) == 0 {
		t.Fatal("no texts")
	}
	for _, kind := range alarm.Kinds() {
		if r.pages.texts["work."+string(kind)] == "" {
			t.Errorf("the kind %s has no title", kind)
		}
	}
	for key, text := range r.pages.texts {
		if strings.TrimSpace(text) == "" || strings.Contains(text, "'") {
			t.Errorf("%s: %q", key, text)
		}
	}
}
