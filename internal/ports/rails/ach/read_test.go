package ach

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	moov "github.com/moov-io/ach"

	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
)

// An invalid file is refused with the reason, but without its content.
func TestReadRefuses(t *testing.T) {
	good := returned(t, build(t, everything()...), "R01")
	line := func(content []byte, n int, change func(string) string) []byte {
		lines := strings.Split(string(content), "\n")
		lines[n-1] = change(lines[n-1])
		return []byte(strings.Join(lines, "\n"))
	}
	put := func(from int, text string) func(string) string {
		return func(l string) string { return l[:from] + text + l[from+len(text):] }
	}
	for _, x := range []struct {
		name    string
		content []byte
		want    string
	}{
		{"nothing", nil, "control record"},
		{"a page", []byte("<html><body>Sign in</body></html>\n"), "control record"},
		{"an image", []byte("\x89PNG\r\n\x1a\n\x00\x00"), "control character"},
		{"too large", bytes.Repeat([]byte("9"), MaxFile+1), "bytes"},
		{"an amount was changed", line(good, 3, put(29, "0000000001")), "TotalDebitEntryDollarAmount"},
		{"a bank was changed", line(good, 3, put(3, "07300022")), "EntryHash"},
		{"a total was changed", line(good, len(strings.Split(strings.TrimRight(string(good), "9\n"), "\n")), put(31, "000000000001")), "TotalDebitEntryDollarAmount"},
		{"letters for an amount", line(good, 5, put(29, "ABCDEFGHIJ")), ""},
		{"an entry is missing", line(good, 3, func(string) string { return "" }), ""},
		{"two files in one", append(bytes.Clone(good), good...), ""},
		{"only what we sent", build(t, everything()...), "none of its 14 entries"},
		{"an acknowledgement of nothing", []byte(ackTitle + "\nstatus: ACCEPTED\n"), "acknowledgement: file or status is missing"},
		{"a status that nobody knows", []byte(ackTitle + "\nfile: x\nstatus: PERHAPS\n"), "acknowledgement: file or status is missing"},
		{"a line that nobody knows", []byte(ackTitle + "\nfile: x\nstatus: ACCEPTED\nsum: 5\n"), "line 4"},
		{"a negative total", []byte(ackTitle + "\nfile: x\nstatus: ACCEPTED\ndebits: -5.00\n"), "line 4"},
		{"a path as name", []byte(ackTitle + "\nfile: ../x\nstatus: ACCEPTED\n"), "file or status"},
		{"trace zero", []byte(ackTitle + "\nfile: x\nstatus: ACCEPTED\nrejected: 0 5.00 R19\n"), "line 4"},
	} {
		items, err := Read(tenor(), "incoming.txt", x.content)
		switch {
		case !errors.Is(err, ErrFile) || items != nil:
			t.Errorf("%s: %d items, %v", x.name, len(items), err)
		case !strings.Contains(err.Error(), "incoming.txt") || !strings.Contains(err.Error(), x.want):
			t.Errorf("%s: %v", x.name, err)
		case strings.Contains(err.Error(), "744-5678-99") || strings.Contains(err.Error(), "Example"):
			t.Errorf("%s: the error quotes the file: %v", x.name, err)
		}
	}
	if _, err := Read(Origin{}, "x", good); !errors.Is(err, ErrOrigin) {
		t.Errorf("without an originating bank: %v", err)
	}
}

// A truncated file is distinguished from a wrong one, wherever it ends.
func TestReadCut(t *testing.T) {
	good := strings.TrimRight(string(returned(t, build(t, debit(1, "207.06"), debit(2, "1.00")), "R01")), "9\n")
	lines := strings.Split(good, "\n")
	for n := 1; n < len(lines); n++ {
		_, err := Read(tenor(), "x", []byte(strings.Join(lines[:n], "\n")))
		if !errors.Is(err, ErrCut) {
			t.Errorf("after %d of %d lines: %v", n, len(lines), err)
		}
	}
	whole := strings.LastIndex(good, "\n") + 1 + 43 // the control record with its debits: there are no credits
	for n := range whole {
		if _, err := Read(tenor(), "x", []byte(good[:n])); !errors.Is(err, ErrCut) {
			t.Errorf("after %d of %d bytes: %v", n, len(good), err)
		}
	}
	ack := string(Acknowledgement{File: "x", Accepted: true, Rejected: []RejectedEntry{{Trace: 12, Amount: 20_000, Code: "R19", Message: "m"}}}.Text())
	last := strings.LastIndex(ack[:len(ack)-1], "\n") + 1 // without its last line it would be complete
	for n := range ack {
		if _, err := Read(tenor(), "x", []byte(ack[:n])); !errors.Is(err, ErrCut) && n != last && !strings.HasSuffix(ack[:n], "\n") {
			t.Errorf("an acknowledgement after %d of %d bytes: %v", n, len(ack), err)
		}
	}
	if _, err := Read(tenor(), "x", []byte(good)); err != nil {
		t.Errorf("the lines that only fill the block are missing: %v", err)
	}
}

// Windows line ends, no line ends, and a name with the bank's own characters.
func TestReadForms(t *testing.T) {
	good := returned(t, build(t, debit(7, "207.06")), "R01")
	for name, content := range map[string][]byte{
		"windows":   bytes.ReplaceAll(good, []byte("\n"), []byte("\r\n")),
		"one line":  bytes.ReplaceAll(good, []byte("\n"), nil),
		"utf-8":     bytes.ReplaceAll(good, []byte("Acme"), []byte("Àcmé")),
		"latin-1":   bytes.ReplaceAll(good, []byte("Acme"), []byte("\xc0cm\xe9")),
		"no blocks": []byte(strings.TrimRight(string(good), "9\n") + "\n"),
	} {
		items, err := Read(tenor(), name, content)
		if err != nil || len(items) != 1 || items[0].Trace != 7 || items[0].Amount != money.MustParse("207.06") {
			t.Errorf("%s: %+v, %v", name, items, err)
		}
	}
}

// An item's ID depends on the content of its file: reusing a file name does not hide the second
// file, and the same file twice gives the same items.
func TestItemIDs(t *testing.T) {
	content := build(t, everything()...)
	first, second := returned(t, content, "R01"), returned(t, content, "R02")
	seen := map[string]bool{}
	for _, c := range [][]byte{first, second} {
		items, err := Read(tenor(), "returns.ach", c)
		if err != nil {
			t.Fatal(err)
		}
		for _, x := range items {
			if seen[x.ID] {
				t.Errorf("%s twice", x.ID)
			}
			seen[x.ID] = true
		}
	}
	again, err := Read(tenor(), "returns.ach", first)
	if err != nil || !seen[again[0].ID] || len(seen) != 2*len(again) {
		t.Errorf("the same file gives other items (%v)", err)
	}
}

// A return of another bank's entry is not mistaken for one of ours with the same number.
func TestForeignTrace(t *testing.T) {
	o := tenor()
	o.ODFI = "231380104"
	items, err := Read(o, "r", returned(t, build(t, debit(7, "207.06")), "R01"))
	if err != nil || len(items) != 1 || items[0].Trace != 0 || items[0].Code != "R01" {
		t.Errorf("%+v, %v", items, err)
	}
}

// A bank with nothing to report sends a file without batches.
func TestNothingToday(t *testing.T) {
	f := moov.NewFile()
	h := moov.NewFileHeader()
	h.ImmediateDestination, h.ImmediateOrigin, h.FileCreationDate, h.FileCreationTime = "121042882", "231380104", "260213", "0830"
	f.SetHeader(h)
	f.SetValidation(lenient())
	if err := f.Create(); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := moov.NewWriter(&text).Write(f); err != nil {
		t.Fatal(err)
	}
	if items, err := Read(tenor(), "empty", text.Bytes()); err != nil || len(items) != 0 {
		t.Errorf("%d items, %v", len(items), err)
	}
}

func TestAcknowledgement(t *testing.T) {
	accepted := Acknowledgement{
		File: "achf_20260213_A", Accepted: true, Entries: 3, Debits: money.MustParse("300.00"), Credits: 99_999_999_999,
		Rejected: []RejectedEntry{{Trace: 12, Amount: money.MustParse("200.00"), Code: "R19", Message: "Amount field\nerror"}, {Trace: 13, Amount: 1, Code: "R28"}},
	}
	items, err := Read(tenor(), "ack", accepted.Text())
	if err != nil || len(items) != 3 {
		t.Fatalf("%+v, %v", items, err)
	}
	first, second := items[0], items[1]
	if first.Kind != rails.Ack || first.File != accepted.File || first.Trace != 0 {
		t.Errorf("%+v", first)
	}
	if second.Kind != rails.Reject || second.Trace != 12 || second.Code != "R19" || second.Message != "Amount field error" || second.Amount != money.MustParse("200.00") {
		t.Errorf("%+v", second)
	}
	refused := Acknowledgement{File: "achf_20260213_A", Code: "duplicate_file", Message: "This file is here already."}
	items, err = Read(tenor(), "ack", bytes.ReplaceAll(refused.Text(), []byte("\n"), []byte("\r\n")))
	if err != nil || len(items) != 1 || items[0].Kind != rails.Reject || items[0].Trace != 0 || items[0].Code != refused.Code || items[0].Message != refused.Message || items[0].File != refused.File {
		t.Errorf("%+v, %v", items, err)
	}
	back, err := parseAck(refused.Text())
	if err != nil || back.Text() == nil || string(back.Text()) != string(refused.Text()) {
		t.Errorf("%+v, %v", back, err)
	}
}

// FuzzRead: whatever a bank sends, reading it terminates, and the result is usable.
func FuzzRead(f *testing.F) {
	everyKind := everything()
	content, err := Build(tenor(), rails.File{ID: "f", CutOff: at(f, "2026-02-13 16:00"), Modifier: 'A', Instructions: everyKind})
	if err != nil {
		f.Fatal(err)
	}
	f.Add(content)
	f.Add(returned(f, content, "R01"))
	f.Add(returned(f, content, "R61"))
	f.Add(returned(f, content, "R74"))
	f.Add(noticed(f, content, "C07", "07300022812345678901234567 27"))
	f.Add(noticed(f, content, "C61", "x"))
	f.Add(Acknowledgement{File: "x", Accepted: true, Rejected: []RejectedEntry{{Trace: 1, Amount: 1, Code: "R19"}}}.Text())
	f.Fuzz(func(t *testing.T, content []byte) {
		items, err := Read(tenor(), "fuzz", content)
		if err != nil && (items != nil || !errors.Is(err, ErrFile)) {
			t.Fatalf("%d items, %v", len(items), err)
		}
		seen := map[string]bool{}
		for _, x := range items {
			if x.ID == "" || seen[x.ID] || x.Trace < 0 || x.Trace > maxTrace || x.Amount < 0 {
				t.Fatalf("%+v", x)
			}
			seen[x.ID] = true
			if r := x.Corrected.Routing; r != "" && !ValidRouting(r) {
				t.Fatalf("corrected routing %q", r)
			}
		}
	})
}
