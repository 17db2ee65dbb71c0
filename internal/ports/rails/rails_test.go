package rails_test

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
	"tenor/internal/ports/rails/card"
	"tenor/internal/ports/rails/fake"
)

// Every processor and every bank implements the interface that the clockwork uses.
var (
	_ rails.Processor = (*card.Stripe)(nil)
	_ rails.Processor = (*fake.Cards)(nil)
	_ rails.Bank      = (*ach.SFTP)(nil)
)

// noon is noon on a banking day, in the business zone.
func noon(t *testing.T) (calendar.Zone, time.Time) {
	t.Helper()
	location, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	zone := calendar.NewZone(location)
	return zone, zone.At(calendar.MustParse("2026-02-13"), 12, 0)
}

// file is a file with one debit.
func file(t *testing.T, amount money.Amount) []byte {
	t.Helper()
	_, now := noon(t)
	content, err := ach.Build(fake.Origin(), rails.File{ID: "achf_20260213_A", CutOff: now, Modifier: 'A', Instructions: []rails.Instruction{{
		Transfer: "trf_1", Trace: 1, Debit: true, Amount: amount, Description: "LOAN PYMT", Settles: calendar.MustParse("2026-02-17"),
		Account: rails.Account{Routing: fake.Routing, Number: "200300400", AccountType: rails.Checking, HolderType: rails.Business, Name: "Alder Kitchens"},
	}}})
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// A bank accepts a file once, however often it is sent; and it lists what it has left until that
// is done, so that a clockwork that dies in between loses nothing and counts nothing twice
// (EN17).
func TestBanksKeepTheContract(t *testing.T) {
	zone, now := noon(t)
	dir := t.TempDir()
	folder, err := ach.NewFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	sandbox := fake.New(zone, func() time.Time { return now })
	for name, bank := range map[string]rails.Bank{"folder": folder, "sandbox": sandbox} {
		t.Run(name, func(t *testing.T) {
			ctx, content := t.Context(), file(t, 207_06)
			for range 3 {
				if err := bank.Send(ctx, "achf_20260213_A", content); err != nil {
					t.Fatal(err)
				}
			}
			if err := bank.Send(ctx, "achf_20260213_A", file(t, 207_07)); err == nil {
				t.Error("other bytes are taken under the name of a file that was sent")
			}
			if name == "folder" { // the sandbox's bank answers by itself
				ack := ach.Acknowledgement{File: "achf_20260213_A", Accepted: true, Entries: 1}.Text()
				if err := os.WriteFile(filepath.Join(dir, "in", "ack.txt"), ack, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			var first []rails.Incoming
			for range 2 {
				list, err := bank.Fetch(ctx)
				if err != nil || len(list) != 1 || first != nil && !bytes.Equal(list[0].Content, first[0].Content) {
					t.Fatalf("%+v, %v", list, err)
				}
				first = list
			}
			items, err := ach.Read(fake.Origin(), first[0].Name, first[0].Content)
			if err != nil || len(items) != 1 || items[0].Kind != rails.Ack || items[0].File != "achf_20260213_A" {
				t.Errorf("%+v, %v", items, err)
			}
			for range 2 {
				if err := bank.Done(ctx, first[0].Name); err != nil {
					t.Error(err)
				}
			}
			if list, err := bank.Fetch(ctx); err != nil || len(list) != 0 {
				t.Errorf("after it is done: %+v, %v", list, err)
			}
		})
	}
}
