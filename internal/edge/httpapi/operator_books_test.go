package httpapi_test

import (
	"context"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
)

// readThen is a database in which somebody else does something after its first read.
type readThen struct {
	store.Backend
	then func()
}

func (b *readThen) View(ctx context.Context, fn func(store.View) error) error {
	err := b.Backend.View(ctx, fn)
	if then := b.then; then != nil {
		b.then = nil
		then()
	}
	return err
}

// If a month's debits were read before the month ended, it is not closed with them, even if
// it has ended by the time of the decision: what is posted in between counts (LG7).
func TestMonthIsNotClosedWhileItEnds(t *testing.T) {
	h := newHouse(t)
	fund := func() { h.submit(compliance.MoveFunding{Amount: 100_00, Reference: "wire"}) }
	fund()
	h.until(calendar.MustParse("2026-01-31"), 23, 59)
	h.service.Store = &readThen{Backend: h.backend, then: func() {
		fund()
		h.until(calendar.MustParse("2026-02-01"), 0, 0)
	}}
	const periods, january = "/v1/operator/ledger/periods", `{"month":"2026-01"}`
	if r := h.must(409, "ops", "POST", periods, january); r.body["code"] != "period_closed" {
		t.Errorf("refused with %v", r.body["code"])
	}
	if r := h.must(201, "ops", "POST", periods, january); amount(t, r.body["debits"]) != 200_00 {
		t.Errorf("closed with %v", r.body["debits"])
	}
}
