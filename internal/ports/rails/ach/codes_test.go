package ach

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	moov "github.com/moov-io/ach"

	"tenor/internal/domain/account"
	"tenor/internal/ports/rails"
)

// answer creates a bank's file in response to one of ours: change turns each entry into one about
// it, in a batch of the class returned by sec.
func answer(t testing.TB, content []byte, sec func(string) string, change func(original, back *moov.EntryDetail)) []byte {
	t.Helper()
	sent, err := parse(content)
	if err != nil {
		t.Fatal(err)
	}
	out := moov.NewFile()
	h := sent.Header
	h.ImmediateDestination, h.ImmediateOrigin = "121042882", "231380104"
	out.SetHeader(h)
	trace := 0
	for i, b := range sent.Batches {
		head := *b.GetHeader()
		head.StandardEntryClassCode = sec(head.StandardEntryClassCode)
		head.ODFIIdentification, head.BatchNumber, head.OriginatorStatusCode = "23138010", i+1, 1
		batch, err := moov.NewBatch(&head)
		if err != nil {
			t.Fatal(err)
		}
		for _, e := range b.GetEntries() {
			trace++
			back := *e
			back.RDFIIdentification, back.CheckDigit = "12104288", "2"
			back.TransactionCode = e.TransactionCode/10*10 + map[bool]int{true: 6, false: 1}[e.CreditOrDebit() == "D"]
			back.TraceNumber = fmt.Sprintf("23138010%07d", trace)
			back.AddendaRecordIndicator = 1
			change(e, &back)
			batch.AddEntry(&back)
		}
		if err := batch.Create(); err != nil {
			t.Fatal(err)
		}
		out.AddBatch(batch)
	}
	if err := out.Create(); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := moov.NewWriter(&text).Write(out); err != nil {
		t.Fatal(err)
	}
	return text.Bytes()
}

func same(sec string) string { return sec }
func cor(string) string      { return moov.COR }

// returned is a file in which every entry is returned with a code.
func returned(t testing.TB, content []byte, code string) []byte {
	t.Helper()
	return answer(t, content, same, func(e, back *moov.EntryDetail) {
		switch {
		case moov.IsDishonoredReturnCode(code):
			a := moov.NewAddenda99Dishonored()
			a.DishonoredReturnReasonCode, a.OriginalEntryTraceNumber, a.OriginalReceivingDFIIdentification = code, e.TraceNumber, e.RDFIIdentification
			a.TraceNumber = back.TraceNumber
			back.Addenda99Dishonored, back.Category = a, moov.CategoryDishonoredReturn
		case moov.IsContestedReturnCode(code):
			a := moov.NewAddenda99Contested()
			a.ContestedReturnCode, a.OriginalEntryTraceNumber, a.OriginalReceivingDFIIdentification = code, e.TraceNumber, e.RDFIIdentification
			a.TraceNumber = back.TraceNumber
			back.Addenda99Contested, back.Category = a, moov.CategoryDishonoredReturnContested
		default:
			a := moov.NewAddenda99()
			a.ReturnCode, a.OriginalTrace, a.OriginalDFI, a.TraceNumber = code, e.TraceNumber, e.RDFIIdentification, back.TraceNumber
			back.Addenda99, back.Category = a, moov.CategoryReturn
		}
	})
}

// noticed is a file with a notification of change for every entry.
func noticed(t testing.TB, content []byte, code, data string) []byte {
	t.Helper()
	return answer(t, content, cor, func(e, back *moov.EntryDetail) {
		back.Amount, back.Category = 0, moov.CategoryNOC
		if moov.IsRefusedChangeCode(code) {
			a := moov.NewAddenda98Refused()
			a.RefusedChangeCode, a.OriginalTrace, a.OriginalDFI, a.CorrectedData = code, e.TraceNumber, e.RDFIIdentification, data
			a.ChangeCode, a.TraceSequenceNumber, a.TraceNumber = "C01", "0000001", back.TraceNumber
			back.Addenda98Refused = a
			return
		}
		a := moov.NewAddenda98()
		a.ChangeCode, a.OriginalTrace, a.OriginalDFI, a.CorrectedData, a.TraceNumber = code, e.TraceNumber, e.RDFIIdentification, data, back.TraceNumber
		back.Addenda98 = a
	})
}

func table(t *testing.T, name string) []map[string]string {
	t.Helper()
	f, err := os.Open("testdata/" + name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%s: %d rows, %v", name, len(rows), err)
	}
	var out []map[string]string
	for _, row := range rows[1:] {
		m := map[string]string{}
		for i, column := range rows[0] {
			m[column] = row[i]
		}
		out = append(out, m)
	}
	return out
}

// Every return code of the table is read back: for a debit, a credit and a prenote, with the
// entry's trace, amount and account.
func TestEveryReturnCode(t *testing.T) {
	content := build(t, everything()...)
	for _, row := range table(t, "ach_return_codes.csv") {
		code := row["code"]
		t.Run(code, func(t *testing.T) {
			items, err := Read(tenor(), "r", returned(t, content, code))
			if err != nil || len(items) != len(everything()) {
				t.Fatalf("%d items, %v", len(items), err)
			}
			for _, x := range items {
				i := everything()[x.Trace-1]
				want := rails.Item{
					ID: x.ID, Kind: rails.Return, Trace: i.Trace, Code: code, Message: x.Message,
					Amount: i.Amount, Debit: i.Debit, Cost: tenor().ReturnCost, Account: i.Account,
				}
				want.Account.Name, want.Account.Online = account.Name(i.Account.Name), false
				if x != want {
					t.Errorf("got  %+v\nwant %+v", x, want)
				}
				if !strings.Contains(x.Message, row["title"]) {
					t.Errorf("message %q, title %q", x.Message, row["title"])
				}
			}
		})
	}
}

// Every change code of the table: only what it corrects is used.
func TestEveryChangeCode(t *testing.T) {
	covered := map[string]bool{}
	long := "12345678901234567" // 17 characters: the maximum
	for _, x := range []struct {
		code, data string
		want       rails.Account
	}{
		{"C01", "1918171614", rails.Account{Number: "1918171614"}},
		{"C02", "073000228", rails.Account{Routing: "073000228"}},
		{"C03", "073000228   1918171614", rails.Account{Routing: "073000228", Number: "1918171614"}},
		{"C03", "073000228   " + long, rails.Account{Routing: "073000228", Number: long}},
		{"C04", "ACME TOOLS INC", rails.Account{Name: "ACME TOOLS INC"}},
		{"C05", "37", rails.Account{AccountType: rails.Savings}},
		{"C05", "27", rails.Account{AccountType: rails.Checking}},
		{"C06", "1918171614          37", rails.Account{Number: "1918171614", AccountType: rails.Savings}},
		{"C06", long + "   27", rails.Account{Number: long, AccountType: rails.Checking}},
		{"C07", "0730002281918171614       37", rails.Account{Routing: "073000228", Number: "1918171614", AccountType: rails.Savings}},
		{"C07", "073000228" + long + "27", rails.Account{Routing: "073000228", Number: long, AccountType: rails.Checking}},
		{"C08", "073000228", rails.Account{}},
		{"C09", "ID-4711", rails.Account{}},
		{"C13", "ADDENDA", rails.Account{}},
		{"C14", "IAT", rails.Account{}},
		// An invalid account is not used, and the message says so.
		{"C02", "073000229", rails.Account{}},
		{"C03", "073000229   1918171614", rails.Account{}},
		{"C05", "99", rails.Account{}},
		{"C05", "XX", rails.Account{}},
		{"C07", "073000229" + long + "27", rails.Account{}},
		{"C61", "X", rails.Account{}}, {"C62", "X", rails.Account{}}, {"C63", "X", rails.Account{}},
		{"C64", "X", rails.Account{}}, {"C65", "X", rails.Account{}}, {"C66", "X", rails.Account{}},
		{"C67", "X", rails.Account{}}, {"C68", "X", rails.Account{}}, {"C69", "X", rails.Account{}},
	} {
		items, err := Read(tenor(), "c", noticed(t, build(t, debit(4711, "207.06")), x.code, x.data))
		if err != nil || len(items) != 1 {
			t.Fatalf("%s: %d items, %v", x.code, len(items), err)
		}
		i := items[0]
		if i.Kind != rails.Change || i.Code != x.code || i.Trace != 4711 || !i.Debit || i.Account.Number != "100000000" || i.Account.Routing != "990000000" || i.Cost != 0 {
			t.Errorf("%s: %+v", x.code, i)
		}
		if i.Corrected != x.want {
			t.Errorf("%s %q: %+v, want %+v", x.code, x.data, i.Corrected, x.want)
		}
		useless := x.code < "C08" && x.want == rails.Account{}
		if useless != strings.Contains(i.Message, "cannot be used") {
			t.Errorf("%s %q: message %q", x.code, x.data, i.Message)
		}
		covered[x.code] = true
	}
	for _, row := range table(t, "ach_noc_codes.csv") {
		if !covered[row["code"]] {
			t.Errorf("no case for %s", row["code"])
		}
	}
}

// Published files: the reader accepts their counts, hashes and totals, and reads the returns in
// them.
func TestPublishedFiles(t *testing.T) {
	var index struct {
		Files []struct {
			File    string
			Entries int
			Batches []struct {
				Hash    string `json:"entry_hash"`
				Debits  int    `json:"debit_total_cents"`
				Credits int    `json:"credit_total_cents"`
			}
			Control struct {
				Hash    string `json:"entry_hash"`
				Count   int    `json:"entry_addenda_count"`
				Debits  int    `json:"debit_total_cents"`
				Credits int    `json:"credit_total_cents"`
			} `json:"file_control"`
			Codes []string `json:"return_codes"`
		}
	}
	decode(t, "nacha/index.json", &index)
	for _, x := range index.Files {
		content, err := os.ReadFile("testdata/nacha/" + x.File)
		if err != nil {
			t.Fatal(err)
		}
		file, err := parse(content)
		if err != nil {
			t.Errorf("%s: %v", x.File, err)
			continue
		}
		entries := 0
		for i, b := range file.Batches {
			c, want := b.GetControl(), x.Batches[i]
			entries += len(b.GetEntries())
			if c.EntryHashField() != want.Hash || c.TotalDebitEntryDollarAmount != want.Debits || c.TotalCreditEntryDollarAmount != want.Credits {
				t.Errorf("%s: batch %d: %+v, want %+v", x.File, i+1, c, want)
			}
		}
		c := file.Control
		if entries != x.Entries || c.EntryHashField() != x.Control.Hash || c.EntryAddendaCount != x.Control.Count ||
			c.TotalDebitEntryDollarAmountInFile != x.Control.Debits || c.TotalCreditEntryDollarAmountInFile != x.Control.Credits {
			t.Errorf("%s: %+v, want %+v", x.File, c, x.Control)
		}
		o := tenor()
		o.ODFI = "091400606"
		items, err := Read(o, x.File, content)
		if len(x.Codes) == 0 {
			if err == nil {
				t.Errorf("%s says nothing about an entry of ours, and is taken", x.File)
			}
			continue
		}
		var codes []string
		for _, i := range items {
			codes = append(codes, i.Code)
		}
		if err != nil || strings.Join(codes, " ") != strings.Join(x.Codes, " ") {
			t.Errorf("%s: codes %v, want %v (%v)", x.File, codes, x.Codes, err)
		}
		if items[0].Trace != 1 || items[1].Trace != 3 || items[0].Amount.String() != "123.54" || items[1].Debit || items[0].Account.Number != "123456789" {
			t.Errorf("%s: %+v", x.File, items)
		}
	}
}

func decode(t *testing.T, name string, into any) {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(text, into)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
}
