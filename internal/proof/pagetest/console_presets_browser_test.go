package pagetest

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"tenor/internal/proof/browsertest"
	"tenor/internal/proof/devtest"
)

// An underwriter opens four of the sandbox's applicants: one that the policy approves, one that it
// declines, one that lacks a document and one that is left to a person. Each page says what the
// sources have and why it was decided or not; the last one is noted on, and declined.
func TestConsolePresetsInABrowser(t *testing.T) {
	t.Parallel()
	b := browsertest.Start(t)
	w := devtest.Sandbox(t, t.Cleanup)
	c := &clerk{w, ""}
	s := &clerkTab{Tab: b.Tab(t, browsertest.View{Width: 1360}), t: t, w: w, view: browsertest.View{Width: 1360}}
	s.as("underwriter")
	for _, x := range []struct{ ein, status, says string }{
		{"00-0000001", "APPROVED", "points"}, {"00-0000004", "DECLINED", "bankruptcy"}, {"00-0000005", "INFORMATION_REQUESTED", "documents"}, {"00-0000003", "IN_REVIEW", "Why a person looks"},
	} {
		var body fields
		if err := json.Unmarshal([]byte(strings.Replace(asksForLine, "00-0000003", x.ein, 1)), &body); err != nil {
			t.Fatal(err)
		}
		body["applicant"].(map[string]any)["email"] = x.ein + "@presets.example"
		id := c.must(t, "POST", "/v1/applications", body)["id"].(string)
		for end := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
			got := c.must(t, "GET", "/v1/applications/"+id, nil)["status"]
			if got == x.status {
				break
			}
			if time.Now().After(end) {
				t.Fatalf("%s is %s, want %s", x.ein, got, x.status)
			}
		}
		s.Go(w.URL + "/console/applications/" + id)
		s.looks("preset " + x.status)
		if text := browsertest.Eval[string](s.Tab, "document.querySelector('main').innerText"); !strings.Contains(strings.ToLower(text), strings.ToLower(x.says)) || !strings.Contains(text, "Sources asked") {
			t.Errorf("%s does not say %q:\n%s", x.ein, x.says, text)
		}
		if x.status != "IN_REVIEW" {
			continue
		}
		s.Go(w.URL + "/console/applications/" + id + "/notes")
		s.looks("notes")
		s.Fill("text", "Spoke to Ada: her partner sold his share.")
		s.Press("Add the note")
		s.Await("/console/applications/" + id + "/notes")
		s.looks("a note")
		s.Go(w.URL + "/console/applications/" + id + "/act/decline")
		browsertest.Eval[bool](s.Tab, "document.getElementById('cause1').value = 'identity_unverified', true")
		s.Fill("reason", "no answer from the partner")
		s.Press("Show what changes")
		s.Press("Decline")
		s.Await("/console/applications/" + id)
		if text := browsertest.Eval[string](s.Tab, "document.querySelector('main').innerText"); !strings.Contains(text, "her partner sold") || !strings.Contains(text, "Declined") {
			t.Errorf("the time line lacks the note, or the decision:\n%s", text)
		}
	}
}
