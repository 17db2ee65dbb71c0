package fake

import (
	"encoding/csv"
	"os"
	"strings"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
)

var (
	_ rails.Bank      = (*Bank)(nil)
	_ rails.Processor = (*Cards)(nil)
)

// world is a sandbox's bank with passing days.
type world struct {
	t     *testing.T
	zone  calendar.Zone
	bank  *Bank
	trace int64
	files int
	seen  map[string]bool // names of files that were left
}

// open starts on Friday 2026-02-13, before the long weekend of Washington's birthday.
func open(t *testing.T) *world {
	t.Helper()
	place, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	w := &world{t: t, zone: calendar.NewZone(place), seen: map[string]bool{}}
	w.bank = New(w.zone, nil)
	w.at("2026-02-13", 9, 0)
	return w
}

func (w *world) at(day string, hour, minute int) {
	w.bank.Advance(w.zone.At(calendar.MustParse(day), hour, minute))
}

// debit is an instruction to debit an account at the fake bank.
func (w *world) debit(number, amount, settles string) rails.Instruction {
	w.trace++
	return rails.Instruction{
		Transfer: "trf_01JH5Z3N4Q0000000000000001", Trace: w.trace, Debit: true, Amount: money.MustParse(amount), Description: "LOAN PYMT",
		Settles: calendar.MustParse(settles),
		Account: rails.Account{Routing: Routing, Number: number, AccountType: rails.Checking, HolderType: rails.Business, Name: "Acme Tools LLC"},
	}
}

// send hands a file over and returns its name and bytes.
func (w *world) send(list ...rails.Instruction) (string, []byte) {
	w.t.Helper()
	w.files++
	f := rails.File{ID: "achf_" + string(rune('A'+w.files-1)), CutOff: w.bank.s.Now.In(w.zone.Location()), Modifier: byte('A' + w.files - 1), Instructions: list}
	content, err := ach.Build(Origin(), f)
	if err == nil {
		err = w.bank.Send(w.t.Context(), f.ID, content)
	}
	if err != nil {
		w.t.Fatal(err)
	}
	return f.ID, content
}

// inbox fetches, reads and finishes everything, as the clockwork does. It leaves out
// acknowledgments of accepted files.
func (w *world) inbox() []rails.Item {
	w.t.Helper()
	files, err := w.bank.Fetch(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	var out []rails.Item
	for _, f := range files {
		if w.seen[f.Name] {
			w.t.Errorf("%s comes twice", f.Name)
		}
		w.seen[f.Name] = true
		items, err := ach.Read(Origin(), f.Name, f.Content)
		if err != nil {
			w.t.Fatalf("%v\n%s", err, f.Content)
		}
		for _, x := range items {
			if x.Kind != rails.Ack {
				out = append(out, x)
			}
		}
		if err := w.bank.Done(w.t.Context(), f.Name); err != nil {
			w.t.Fatal(err)
		}
	}
	return out
}

// story lists what arrived: kinds, traces and codes.
func story(items []rails.Item) string {
	var out []string
	for _, x := range items {
		out = append(out, string(x.Kind)+" "+string(rune('0'+x.Trace%10))+" "+x.Code)
	}
	return strings.Join(out, ", ")
}

func (w *world) expect(want string) []rails.Item {
	w.t.Helper()
	items := w.inbox()
	if got := story(items); got != want {
		w.t.Errorf("at %s the bank says %q, want %q", w.bank.s.Now.In(w.zone.Location()).Format("2006-01-02 15:04"), got, want)
	}
	return items
}

// codes returns the first column of a published table.
func codes(t *testing.T, name string) []string {
	t.Helper()
	f, err := os.Open("../ach/testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	var out []string
	for _, row := range rows[1:] {
		out = append(out, row[0])
	}
	return out
}
