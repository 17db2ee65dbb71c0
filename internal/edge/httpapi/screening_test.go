package httpapi_test

import (
	"fmt"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/ports/screening"
)

// A company whose name resembles a listed one is ON_HOLD in the response that creates it,
// as is one that takes such a name, so there is no moment in which it can buy (F29).
// Decisions are based on what the decider has seen.
func TestListedNames(t *testing.T) {
	h := newHouse(t)
	h.sanctions = screening.TestList()
	body := func(name string) string {
		return fmt.Sprintf(`{"name":%q,"legal_name":"Trading LLC","phone":"+1 212 555 0142","tier":"A","limit":1000.00,"status":"APPROVED","merchants":[%q]}`, name, h.a)
	}
	made := h.must(201, "ops", "POST", "/v1/operator/companies", body("Viktor Drakonov"))
	if !strings.Contains(made.raw, `"status":"ON_HOLD"`) || !strings.Contains(made.raw, "sanctions_review") {
		t.Errorf("made: %s", made.raw)
	}
	if made = h.must(201, "ops", "POST", "/v1/operator/companies", body("Birch Kitchens")); !strings.Contains(made.raw, `"status":"APPROVED"`) {
		t.Errorf("made: %s", made.raw)
	}
	at := fmt.Sprintf("/v1/operator/companies/%d", h.company)
	if plain := h.must(200, "ops", "PATCH", at, `{"phone":"+1 212 555 0143","name":"Alder & Daughters"}`); !strings.Contains(plain.raw, `"status":"APPROVED"`) {
		t.Errorf("renamed: %s", plain.raw)
	}
	if listed := h.must(200, "ops", "PATCH", at, `{"legal_name":"Blackwater Basin Trading"}`); !strings.Contains(listed.raw, `"status":"ON_HOLD"`) {
		t.Errorf("renamed: %s", listed.raw)
	}
	var found []*credit.Screening
	if err := h.backend.View(t.Context(), func(v store.View) (err error) {
		found, err = store.ListScreenings(v, store.ScreeningFilter{Company: h.company}, store.Page{Limit: 9})
		return err
	}); err != nil || len(found) != 1 || found[0].Matches[0].Entry != "T-1003" {
		t.Fatalf("found %+v, %v", found, err)
	}
	clear := "/v1/operator/screenings/" + found[0].ID + "/clear"
	h.must(200, "ops", "PATCH", at, `{"name":"Viktor Drakonov"}`)
	h.must(412, "ops", "POST", clear, `{"reason":"another basin"}`, "If-Match", `"1"`)
	done := h.must(200, "ops", "POST", clear, `{"reason":"another basin, another Viktor"}`, "If-Match", `"2"`)
	if tag := done.header.Get("ETag"); tag != `"3"` || !strings.Contains(done.raw, `"version":3`) {
		t.Errorf("%s %s", tag, done.raw)
	}
}
