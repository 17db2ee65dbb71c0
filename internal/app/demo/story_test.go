package demo

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
)

// Every cent, day and account of the journal next to this program matters.
func TestDemoJournal(t *testing.T) {
	want, err := WorkedExample()
	if err != nil || len(want) != 36 {
		t.Fatalf("%d entries, %v", len(want), err)
	}
	for _, spoil := range []func(b *booked){
		func(b *booked) { b.Date = "2026-02-14" },
		func(b *booked) { b.Lines[1010]++ },
		func(b *booked) { b.Lines[1000], b.Lines[1010] = b.Lines[1010], 0; delete(b.Lines, 1010) },
	} {
		got, _ := WorkedExample()
		spoil(&got[5])
		if err := compareBooks(got, want); err == nil || !strings.HasPrefix(err.Error(), "entry 6 is ") {
			t.Errorf("%v", err)
		}
	}
	if err := compareBooks(want[:35], want); err == nil || !strings.Contains(err.Error(), "entry 36 is nothing") {
		t.Errorf("%v", err)
	}
	s := &story{line: 15}
	var f *exit.Failure
	if err := s.storyFailed(errors.New("entry 6 is another")); !errors.As(err, &f) || f.Code != exit.CheckFailed {
		t.Errorf("%v", err)
	}
}

// A receiver accepts what is signed, once, and notices a gap.
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
