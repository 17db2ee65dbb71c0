package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"tenor/client"
)

var doneIn = regexp.MustCompile(`Done in \d+ s`)

// The story is told to the letter, by webhooks, each time it is played, and its 36 entries
// are those of the specification: demo itself ends with 8 if one differs. Its pauses leave
// ten of thirty seconds for what it does.
func TestDemo(t *testing.T) {
	want, err := os.ReadFile("testdata/demo/transcript.txt")
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		var out, errs pipe
		began := time.Now()
		if code := run(t.Context(), []string{"demo", "--fast"}, testApp(&out, &errs)); code != exitDone || errs.String() != "" {
			t.Fatalf("ended with %d: %s\n%s", code, errs.String(), out.String())
		}
		if got := doneIn.ReplaceAllString(out.String(), "Done in # s"); got != string(want) {
			t.Error(firstDifference(string(want), got))
		}
		t.Logf("without pauses in %s", time.Since(began).Round(time.Millisecond))
	}
	told := len(regexp.MustCompile(`(?m)^[ \d]\d  [A-Z]`).FindAllString(string(want), -1))
	if all := time.Duration(told) * pause; told != 15 || all > 20*time.Second {
		t.Errorf("%d lines with pauses of %s take %s", told, pause, all)
	}
}

// For programs it is one object a line, also in a running sandbox; there it plays beside
// what is there already, and only until the day on which the story begins.
func TestDemoInARunningSandbox(t *testing.T) {
	dir := t.TempDir()
	w := startSandbox(t, t.Cleanup, "--data", dir)
	var token pipe
	if code := run(t.Context(), []string{"token", "--operator", "--data", dir, "-q"}, testApp(&token, &token)); code != exitDone {
		t.Fatalf("token: %d %s", code, token.String())
	}
	play := func() (string, string, int) {
		var out, errs pipe
		a := testApp(&out, &errs)
		a.getenv = func(name string) string {
			return map[string]string{"TENOR_TOKEN": strings.TrimSpace(token.String())}[name]
		}
		code := run(t.Context(), []string{"demo", "--fast", "--json", "--server", w.URL}, a)
		return out.String(), errs.String(), code
	}
	out, errs, code := play()
	if code != exitDone {
		t.Fatalf("ended with %d: %s\n%s", code, errs, out)
	}
	lines := strings.Split(strings.TrimSpace(out), "\n")
	var first storyLine
	var sum storySum
	if len(lines) != 16 || json.Unmarshal([]byte(lines[0]), &first) != nil || json.Unmarshal([]byte(lines[15]), &sum) != nil {
		t.Fatalf("%d lines:\n%s", len(lines), out)
	}
	if first.Line != 1 || first.Date != storyBegins || first.Event != "checkout.accepted" || !strings.HasPrefix(first.ID, "evt_") {
		t.Errorf("%+v", first)
	}
	if sum.Entries != 36 || !sum.Equal || sum.Debits != "8770.80" || sum.Verified != nil || sum.Webhooks < 40 {
		t.Errorf("%+v", sum)
	}
	if _, errs, code := play(); code != exitConflict || !strings.Contains(errs, "is past 2026-01-10") {
		t.Errorf("a second time: %d, %s", code, errs)
	}
}

// The journal beside this program is the vector of the specification, and each cent, each
// day and each account of it counts.
func TestDemoJournal(t *testing.T) {
	vector, err := os.ReadFile("../../internal/credit/testdata/derived_worked_example_ledger.json")
	if err != nil || !bytes.Equal(vector, workedExample) {
		t.Fatalf("demo_journal.json is not the vector: %v", err)
	}
	want, err := expectedBooks()
	if err != nil || len(want) != 36 {
		t.Fatalf("%d entries, %v", len(want), err)
	}
	for _, spoil := range []func(b *booked){
		func(b *booked) { b.date = "2026-02-14" },
		func(b *booked) { b.lines[1010]++ },
		func(b *booked) { b.lines[1000], b.lines[1010] = b.lines[1010], 0; delete(b.lines, 1010) },
	} {
		got, _ := expectedBooks()
		spoil(&got[5])
		if err := compareBooks(got, want); err == nil || !strings.HasPrefix(err.Error(), "entry 6 is ") {
			t.Errorf("%v", err)
		}
	}
	if err := compareBooks(want[:35], want); err == nil || !strings.Contains(err.Error(), "entry 36 is nothing") {
		t.Errorf("%v", err)
	}
	s := &story{line: 15}
	var f *failure
	if err := s.storyFailed(errors.New("entry 6 is another")); !errors.As(err, &f) || f.code != exitCheckFailed {
		t.Errorf("%v", err)
	}
}

// A receiver takes what is signed, once, and notices a gap.
func TestInbox(t *testing.T) {
	r, err := listenForEvents()
	if err != nil {
		t.Fatal(err)
	}
	defer r.close()
	r.trust("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
	ask := httptest.NewRequest(http.MethodPost, r.url, strings.NewReader(`{}`))
	answer := httptest.NewRecorder()
	r.ServeHTTP(answer, ask)
	if answer.Code != http.StatusBadRequest || r.inOrder() == nil {
		t.Errorf("a webhook that nobody signed: %d, %v", answer.Code, r.inOrder())
	}
	r.refused = 0
	object := client.EventObject{Type: "order", ID: "ord_1"}
	r.events = []client.Event{{ID: "evt_1", Object: object, Sequence: 1}, {ID: "evt_2", Object: object, Sequence: 2}}
	if err := r.inOrder(); err != nil {
		t.Error(err)
	}
	r.events = append(r.events, client.Event{ID: "evt_4", Object: object, Sequence: 4})
	if err := r.inOrder(); err == nil || !strings.Contains(err.Error(), "event 4 came after event 2") {
		t.Errorf("a gap: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Millisecond)
	defer cancel()
	if _, err := r.await(ctx, "event evt_9", func(e client.Event) bool { return e.ID == "evt_9" }); err == nil {
		t.Error("an event that never came was there")
	}
}
