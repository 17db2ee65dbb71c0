package alarm_test

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/office/alarm"
)

// file stores a file of one transfer, handed over at an instant.
func (b *book) file(id string, sent time.Time) {
	b.t.Helper()
	ctx := context.Background()
	f := store.BankFile{ID: id, CutOff: sent, State: store.FileBuilt, Debits: 207_06, CreatedAt: sent, MovedAt: sent}
	if _, _, err := b.db.PutFile(ctx, f, []string{b.transfer(credit.TransferPayment, "")}); err != nil {
		b.t.Fatal(err)
	}
	b.move(id, store.FileSent, sent)
}

func (b *book) move(id string, to store.FileState, at time.Time) {
	b.t.Helper()
	if err := b.db.MoveFile(context.Background(), id, to, at); err != nil {
		b.t.Fatal(err)
	}
}

// fileStory is about a file sent on a Friday before a holiday.
func fileStory() []step {
	listed := []string{"file_unanswered/achf_20260522_A"}
	return []step{
		{"a file is sent", "2026-05-22", func(b *book) { b.file("achf_20260522_A", b.instant("2026-05-22").Add(4*time.Hour)) }, nil},
		{"banks are closed", "2026-05-25", nil, nil},
		{"the next banking day", "2026-05-26", nil, listed},
		{"what it held is told", "", func(b *book) {
			b.says("file_unanswered", "2026-05-22 The bank has not acknowledged the file achf_20260522_A", "debits of 207.06")
		}, listed},
		{"another one, that was made and not sent", "", func(b *book) {
			f := store.BankFile{ID: "achf_20260526_A", CutOff: b.now, State: store.FileBuilt, CreatedAt: b.now, MovedAt: b.now}
			if _, _, err := b.db.PutFile(context.Background(), f, []string{b.transfer(credit.TransferPayment, "")}); err != nil {
				b.t.Fatal(err)
			}
		}, listed},
		{"it has half an hour", "", func(b *book) { b.now = b.now.Add(alarm.SendWithin - time.Second) }, listed},
		{"nobody could send it", "", func(b *book) { b.now = b.now.Add(time.Second) }, append([]string{"file_unsent/achf_20260526_A"}, listed...)},
		{"that is told", "", func(b *book) {
			b.says("file_unsent", "2026-05-26 The file achf_20260526_A, created on 2026-05-26 12:00", "may not have reached the bank")
		}, append([]string{"file_unsent/achf_20260526_A"}, listed...)},
		{"it is sent at last, and acknowledged", "", func(b *book) {
			b.move("achf_20260526_A", store.FileSent, b.now)
			b.move("achf_20260526_A", store.FileAccepted, b.now)
		}, listed},
		{"nobody looks", "2026-06-01", nil, listed},
		{"the bank acknowledges it after all", "", func(b *book) { b.move("achf_20260522_A", store.FileAccepted, b.now) }, nil},
		{"one that is refused has an answer too", "", func(b *book) {
			b.file("achf_20260529_A", b.instant("2026-05-29"))
			b.move("achf_20260529_A", store.FileRefused, b.now)
		}, nil},
	}
}

// A bank has until the next banking day begins, and at least six hours.
func TestAnswerBy(t *testing.T) {
	b := newBook(t, "2026-03-02")
	for sent, want := range map[string]string{
		"2026-02-13 16:00": "2026-02-17 00:00", // a Friday before a holiday
		"2026-02-14 09:00": "2026-02-17 00:00",
		"2026-03-02 17:59": "2026-03-03 00:00",
		"2026-03-02 23:50": "2026-03-03 05:50",
		"2026-03-07 23:00": "2026-03-09 00:00", // the clocks go forward on the day between
	} {
		day, clock, _ := strings.Cut(sent, " ")
		at, err := time.Parse("15:04", clock)
		if err != nil {
			t.Fatal(err)
		}
		if got := alarm.AnswerBy(b.zone, b.zone.At(calendar.MustParse(day), at.Hour(), at.Minute())); got.In(b.zone.Location()).Format("2006-01-02 15:04") != want {
			t.Errorf("sent at %s: %s", sent, got.In(b.zone.Location()))
		}
	}
}

// From a bank that acknowledges nothing no answer is expected.
func TestASilentBank(t *testing.T) {
	b := newBook(t, "2026-02-13")
	b.put(credit.Changes{Companies: []*credit.Company{{ID: 7, Name: "Alder", Status: credit.CompanyApproved, Version: 1}}})
	b.file("achf_20260213_A", b.now)
	b.now = b.instant("2026-02-18")
	if got := b.open(); !slices.Equal(got, []string{"file_unanswered/achf_20260213_A"}) {
		t.Errorf("%q", got)
	}
	list, err := alarm.Open(t.Context(), b.db, alarm.Setup{Zone: b.zone, Silent: true}, b.now)
	if err != nil || len(list) != 0 {
		t.Errorf("%+v, %v", list, err)
	}
}
