package fake

import (
	"bytes"
	"errors"
	"fmt"
	"testing"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/ach"
)

// An ordinary account settles: nothing is ever returned.
func TestSettles(t *testing.T) {
	w := open(t)
	name, _ := w.send(w.debit(Account, "207.06", "2026-02-17"))
	files, err := w.bank.Fetch(t.Context())
	if err != nil || len(files) != 1 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	items, err := ach.Read(Origin(), files[0].Name, files[0].Content)
	if err != nil || len(items) != 1 || items[0].Kind != rails.Ack || items[0].File != name {
		t.Errorf("%+v, %v", items, err)
	}
	if !bytes.Contains(files[0].Content, []byte("debits: 207.06")) {
		t.Errorf("%s", files[0].Content)
	}
	w.inbox()
	w.at("2026-06-30", 12, 0)
	w.expect("")
}

// 1000000NN: settled Tuesday 02-17, returned on Thursday 02-19 from 08:30 on.
func TestComesBack(t *testing.T) {
	w := open(t)
	w.send(w.debit("100000001", "207.06", "2026-02-17"), w.debit(Account, "1.00", "2026-02-17"))
	w.at("2026-02-19", 8, 29)
	w.expect("")
	w.at("2026-02-19", 8, 30)
	x := w.expect("RETURN 1 R01")[0]
	if x.Amount != money.MustParse("207.06") || !x.Debit || x.Cost != ReturnCost || x.Account.Number != "100000001" || x.Account.Routing != Routing {
		t.Errorf("%+v", x)
	}
	w.at("2026-06-30", 12, 0)
	w.expect("")
}

// Every code of the tables, for a debit and for a credit.
func TestEveryCode(t *testing.T) {
	for _, code := range codes(t, "ach_return_codes.csv") {
		w := open(t)
		credit := w.debit("1000000"+code[1:], "97.00", "2026-02-17")
		credit.Debit, credit.Description = false, "PAYOUT"
		prenote := w.debit("1000000"+code[1:], "0.00", "2026-02-17")
		prenote.Prenote = true
		w.send(w.debit("1000000"+code[1:], "207.06", "2026-02-17"), credit, prenote)
		w.at("2026-02-19", 8, 30)
		if items := w.inbox(); len(items) != 3 {
			t.Errorf("%s: %s", code, story(items))
		} else {
			for _, x := range items {
				if x.Kind != rails.Return || x.Code != code || x.Debit == (x.Amount == money.MustParse("97.00")) {
					t.Errorf("%s: %+v", code, x)
				}
			}
		}
	}
	for _, code := range codes(t, "ach_noc_codes.csv") {
		w := open(t)
		w.send(w.debit("4000000"+code[1:], "207.06", "2026-02-17"))
		w.at("2026-02-19", 8, 30)
		items := w.inbox()
		if story(items) != "CHANGE 1 "+code || items[0].Amount != 0 || items[0].Cost != 0 {
			t.Errorf("%s: %+v", code, items)
		}
	}
	w := open(t)
	w.send(w.debit("100000099", "1.00", "2026-02-17"), w.debit("400000099", "1.00", "2026-02-17"), w.debit("1000000010", "1.00", "2026-02-17"), w.debit("500000001", "1.00", "2026-02-17"))
	w.at("2026-12-31", 8, 30)
	w.expect("")
}

// 2000000NN: returned on the last day that the code allows, whatever happened meanwhile.
func TestLateReturns(t *testing.T) {
	w := open(t)
	w.send(w.debit("200000010", "1.00", "2026-02-17"), w.debit("200000001", "2.00", "2026-02-17"), w.debit("200000006", "3.00", "2026-02-17"))
	w.at("2026-02-19", 8, 30)
	w.expect("RETURN 2 R01, RETURN 3 R06") // R06 has no last day
	last := ach.Deadline("R10", calendar.MustParse("2026-02-17"))
	w.at(last.String(), 8, 29)
	w.expect("")
	w.at(last.String(), 8, 30)
	w.expect("RETURN 1 R10")
	if last != calendar.MustParse("2026-04-20") { // 60 days after 02-17 is Saturday 04-18
		t.Errorf("last day %s", last)
	}
}

// 3000000NN: the first debit is returned, its retry settles. Credits and prenotes do not count.
func TestFirstDebitFails(t *testing.T) {
	w := open(t)
	credit, prenote := w.debit("300000009", "5.00", "2026-02-17"), w.debit("300000009", "0.00", "2026-02-17")
	credit.Debit, prenote.Prenote = false, true
	w.send(credit, prenote)
	w.send(w.debit("300000009", "207.06", "2026-02-17"))
	w.at("2026-02-19", 8, 30)
	w.expect("RETURN 3 R09")
	retry := w.debit("300000009", "207.06", "2026-02-23")
	retry.Description = "RETRY PYMT"
	w.send(retry)
	w.at("2026-06-30", 8, 30)
	w.expect("")
}

// 4000000NN: settles with a notice, and again until the data is corrected.
func TestChanges(t *testing.T) {
	for code, number := range map[string]string{"C01": "400000001", "C02": "400000002", "C03": "400000003", "C04": "400000004", "C05": "400000005", "C06": "400000006", "C07": "400000007"} {
		w := open(t)
		first := w.debit(number, "207.06", "2026-02-17")
		w.send(first)
		w.at("2026-02-19", 8, 30)
		c := w.expect("CHANGE 1 " + code)[0].Corrected
		second := w.debit(number, "207.06", "2026-03-17")
		for value, to := range map[string]*string{c.Routing: &second.Account.Routing, c.Number: &second.Account.Number, c.AccountType: &second.Account.AccountType, c.Name: &second.Account.Name} {
			if value != "" {
				*to = value
			}
		}
		if second.Account == first.Account {
			t.Errorf("%s corrects nothing", code)
		}
		w.send(second)
		w.at("2026-06-30", 8, 30)
		w.expect("")
	}
}

func TestFailNext(t *testing.T) {
	w := open(t)
	for _, x := range [][2]string{{"R02", "100000077"}, {"R03", ""}} {
		if err := w.bank.FailNext(x[0], x[1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.bank.FailNext("R60", ""); !errors.Is(err, ErrCode) {
		t.Errorf("a code that does not exist: %v", err)
	}
	credit := w.debit(Account, "1.00", "2026-02-17")
	credit.Debit = false
	w.send(credit, w.debit(Account, "1.00", "2026-02-17"), w.debit(Account, "1.00", "2026-02-17"), w.debit("100000077", "1.00", "2026-02-17"), w.debit("100000077", "1.00", "2026-02-17"))
	w.at("2026-02-19", 8, 30)
	w.expect("RETURN 2 R03, RETURN 4 R02, RETURN 5 R77")
}

func TestOnDemand(t *testing.T) {
	w := open(t)
	w.send(w.debit(Account, "207.06", "2026-02-17"), w.debit(Account, "5.00", "2026-02-17"), w.debit("100000001", "6.00", "2026-02-17"))
	w.inbox()
	if err := w.bank.ReturnNow(1, "R10"); err != nil {
		t.Fatal(err)
	}
	w.expect("RETURN 1 R10")
	if err := w.bank.Notice(Account, "C01"); err != nil {
		t.Fatal(err)
	}
	w.expect("CHANGE 2 C01")
	if err := w.bank.RejectNow(2, "R19"); err != nil {
		t.Fatal(err)
	}
	if x := w.expect("REJECT 2 R19")[0]; x.Amount != money.MustParse("5.00") || x.Message != "Amount field error" {
		t.Errorf("%+v", x)
	}
	if err := w.bank.ReturnNow(3, "R29"); err != nil { // before its own return
		t.Fatal(err)
	}
	w.expect("RETURN 3 R29")
	for name, err := range map[string]error{
		"an entry that came back":  w.bank.ReturnNow(1, "R01"),
		"an entry that was not":    w.bank.RejectNow(2, "R01"),
		"an entry that is not":     w.bank.ReturnNow(9, "R01"),
		"an account that is not":   w.bank.Notice("999", "C01"),
		"a code that is not":       w.bank.ReturnNow(1, "C01"),
		"a change that is not":     w.bank.Notice(Account, "R01"),
		"a rejection that is not":  w.bank.RejectNow(1, "X"),
		"the same file, other one": w.bank.Send(t.Context(), "achf_A", []byte("x")),
	} {
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	w.at("2026-06-30", 8, 30)
	w.expect("") // an entry is returned only once
}

// The same file twice has no effect. The same bytes under another name, and an invalid file, are
// refused with an acknowledgment.
func TestFilesTwice(t *testing.T) {
	w := open(t)
	name, content := w.send(w.debit("100000001", "207.06", "2026-02-17"))
	if err := w.bank.Send(t.Context(), name, content); err != nil {
		t.Fatal(err)
	}
	if err := w.bank.Send(t.Context(), name, append(content, '\n')); !errors.Is(err, ErrTaken) {
		t.Errorf("other bytes: %v", err)
	}
	for other, bytes := range map[string][]byte{"copy": content, "junk": []byte("junk")} {
		if err := w.bank.Send(t.Context(), other, bytes); err != nil {
			t.Fatal(err)
		}
		if x := w.inbox(); len(x) != 1 || x[0].Kind != rails.Reject || x[0].File != other || x[0].Trace != 0 || x[0].Code == "" {
			t.Errorf("%s: %+v", other, x)
		}
	}
	w.at("2026-02-19", 8, 30)
	w.expect("RETURN 1 R01")
}

// play is a sandbox's life with everything in it. It calls step after each step.
func play(w *world, step func()) {
	must := func(err error) {
		if err != nil {
			w.t.Helper()
			w.t.Fatal(err)
		}
		step()
	}
	must(w.bank.FailNext("R02", ""))
	var list []rails.Instruction
	for i, number := range []string{Account, "100000001", "200000010", "300000001", "400000001", "400000007"} {
		list = append(list, w.debit(number, fmt.Sprintf("%d.00", i+1), "2026-02-17"))
	}
	w.send(list...)
	step()
	for i, token := range []string{TokenOK, TokenExpired, TokenDispute, "tok_decline_do_not_honor"} {
		_, err := w.bank.Cards().Charge(w.t.Context(), fmt.Sprint("key", i), token, 10465)
		must(err)
	}
	for _, day := range []string{"2026-02-17", "2026-02-18", "2026-02-19", "2026-02-24", "2026-04-20", "2026-08-01"} {
		w.at(day, 8, 30)
		step()
	}
}

// everything returns what can be fetched at the end.
func everything(w *world) string {
	files, err := w.bank.Fetch(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	text := ""
	for _, f := range files {
		text += f.Name + "\n" + string(f.Content) + "\n"
	}
	list, err := w.bank.Cards().News(w.t.Context())
	if err != nil {
		w.t.Fatal(err)
	}
	return text + fmt.Sprint(list)
}

// Saved and loaded into a new process after every step, the bank says the same, byte for byte.
func TestSaveAndLoad(t *testing.T) {
	one, other := open(t), open(t)
	play(one, func() {})
	play(other, func() {
		text := other.bank.Save()
		other.bank = New(other.zone, nil)
		if err := other.bank.Load(text); err != nil {
			t.Fatal(err)
		}
		if again := other.bank.Save(); !bytes.Equal(text, again) {
			t.Fatalf("%s\n%s", text, again)
		}
	})
	if a, b := everything(one), everything(other); a != b || len(a) < 3000 {
		t.Errorf("%d and %d characters:\n%s\n%s", len(a), len(b), a, b)
	}
	before := other.bank.Save()
	for _, junk := range []string{"", "{", `{"taken":null}`, `[]`} {
		if other.bank.Load([]byte(junk)) == nil {
			t.Errorf("%q is loaded", junk)
		}
	}
	if !bytes.Equal(before, other.bank.Save()) {
		t.Error("a load that failed has changed something")
	}
}

// Days that pass one by one and days that pass at once give the same result.
func TestStepsMakeNoDifference(t *testing.T) {
	one, other := open(t), open(t)
	for _, w := range []*world{one, other} {
		w.send(w.debit("100000001", "1.00", "2026-02-17"), w.debit("400000002", "2.00", "2026-02-17"), w.debit("200000005", "3.00", "2026-02-17"), w.debit("100000002", "4.00", "2026-02-18"))
	}
	one.at("2026-06-30", 0, 0)
	for d := calendar.MustParse("2026-02-13"); d <= calendar.MustParse("2026-06-30"); d++ {
		other.at(d.String(), 0, 0)
	}
	other.at("2026-02-13", 0, 0) // never back
	if a, b := everything(one), everything(other); a != b || len(a) < 2000 {
		t.Errorf("%s\n%s", a, b)
	}
}

// With a clock, the bank follows it by itself.
func TestClock(t *testing.T) {
	w := open(t)
	now := w.bank.s.Now
	clocked := New(w.zone, nil)
	clocked.now = func() time.Time { return now }
	w.bank = clocked
	w.at("2026-02-13", 9, 0)
	w.send(w.debit("100000001", "207.06", "2026-02-17"))
	now = w.zone.At(calendar.MustParse("2026-02-19"), 8, 30)
	w.expect("RETURN 1 R01")
}

// What can no longer be returned is forgotten.
func TestForgets(t *testing.T) {
	w := open(t)
	w.send(w.debit(Account, "207.06", "2026-02-17"))
	w.at("2026-06-17", 0, 0)
	if len(w.bank.s.Entries) != 1 {
		t.Error("forgotten too soon")
	}
	w.at("2026-06-18", 0, 0)
	if len(w.bank.s.Entries) != 0 {
		t.Error("never forgotten")
	}
}

// The special account numbers are those of the table, for codes that the bank knows.
func TestAccountFor(t *testing.T) {
	for _, c := range []struct {
		kind       int
		code, want string
	}{
		{1, "R01", "100000001"}, {2, "R10", "200000010"}, {3, "R09", "300000009"}, {4, "C02", "400000002"},
		{1, "R99", ""}, {1, "C01", ""}, {4, "R01", ""}, {4, "C99", ""}, {1, "R1", ""}, {1, "", ""},
	} {
		if got, ok := AccountFor(c.kind, c.code); got != c.want || ok != (c.want != "") {
			t.Errorf("%d %q: %q, %v", c.kind, c.code, got, ok)
		}
	}
}
