package ach

import (
	"bytes"
	"errors"
	"flag"
	"math/big"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	moov "github.com/moov-io/ach"
	"github.com/rogpeppe/go-internal/txtar"
	"pgregory.net/rapid"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
)

var update = flag.Bool("update", false, "write the golden files again")

func tenor() Origin {
	return Origin{
		ODFI: "121042882", Destination: "231380104", DestinationName: "FEDERAL RESERVE BANK",
		Source: "121042882", SourceName: "MY BANK NAME", Company: "TENOR FINANCE", CompanyID: "1123456789",
		ReturnCost: money.MustParse("4.00"),
	}
}

func accountOf(number string) rails.Account {
	return rails.Account{Routing: "990000000", Number: number, AccountType: rails.Checking, HolderType: rails.Business, Name: "Acme Tools LLC"}
}

func debit(trace int64, amount string) rails.Instruction {
	return rails.Instruction{
		Transfer: "trf_01JH5Z3N4Q0000000000000001", Trace: trace, Debit: true, Amount: money.MustParse(amount),
		Description: "LOAN PYMT", Settles: calendar.MustParse("2026-02-17"), Account: accountOf("100000000"),
	}
}

func at(t testing.TB, text string) time.Time {
	t.Helper()
	zone, err := time.LoadLocation(calendar.NewYork)
	if err != nil {
		t.Fatal(err)
	}
	when, err := time.ParseInLocation("2006-01-02 15:04", text, zone)
	if err != nil {
		t.Fatal(err)
	}
	return when
}

func fileOf(t testing.TB, list ...rails.Instruction) rails.File {
	return rails.File{ID: "achf_20260213_A", CutOff: at(t, "2026-02-13 16:00"), Modifier: 'A', Instructions: list}
}

func build(t testing.TB, list ...rails.Instruction) []byte {
	t.Helper()
	content, err := Build(tenor(), fileOf(t, list...))
	if err != nil {
		t.Fatal(err)
	}
	return content
}

// everything contains an instruction of each kind that Tenor sends.
func everything() []rails.Instruction {
	with := func(trace int64, amount, description string, change func(*rails.Instruction)) rails.Instruction {
		x := debit(trace, amount)
		x.Description = description
		change(&x)
		return x
	}
	return []rails.Instruction{
		with(1, "207.06", "LOAN PYMT", func(*rails.Instruction) {}),
		with(2, "104.65", "LOAN PYMT", func(x *rails.Instruction) {
			x.Account = rails.Account{Routing: "073000228", Number: "744-5678-99", AccountType: rails.Savings, HolderType: rails.Business, Name: "Müller & Sons, a name that is too long"}
		}),
		with(3, "207.06", "RETRY PYMT", func(*rails.Instruction) {}),
		with(4, "15.00", "LOAN PYMT", func(x *rails.Instruction) {
			x.Account.HolderType, x.Account.Online, x.Account.Name = rails.Consumer, true, "Ada Example"
		}),
		with(5, "15.00", "LOAN PYMT", func(x *rails.Instruction) {
			x.Account.HolderType, x.Account.Name = rails.Consumer, "Ben Example"
		}),
		with(6, "1164.00", "PAYOUT", func(x *rails.Instruction) { x.Debit = false }),
		with(7, "20.00", "REFUND", func(x *rails.Instruction) {
			x.Debit, x.Account.HolderType, x.Account.Online = false, rails.Consumer, true
		}),
		with(8, "0.00", "ACCTVERIFY", func(x *rails.Instruction) { x.Prenote = true }),
		with(9, "0.32", "ACCTVERIFY", func(x *rails.Instruction) { x.Debit = false }),
		with(10, "0.45", "ACCTVERIFY", func(x *rails.Instruction) { x.Debit = false }),
		with(11, "0.77", "ACCTVERIFY", func(*rails.Instruction) {}),
		with(12, "99.00", "LOAN PYMT", func(x *rails.Instruction) { x.Settles = calendar.MustParse("2026-02-18") }),
		with(13, "207.06", "REVERSAL", func(x *rails.Instruction) { x.Debit = false }),
		with(14, "15.00", "REVERSAL", func(x *rails.Instruction) {
			x.Debit, x.Account.HolderType, x.Account.Online, x.Account.Name = false, rails.Consumer, true, "Ada Example"
		}),
	}
}

// The bytes of a file are agreed with a bank: they only change deliberately.
func TestGolden(t *testing.T) {
	ten := tenor()
	ten.Source = "1123456789" // the bank has assigned the company's own number
	for _, x := range []struct {
		name   string
		origin Origin
		list   []rails.Instruction
	}{
		{"one-debit", tenor(), []rails.Instruction{debit(1, "207.06")}},
		{"every-kind", ten, everything()},
	} {
		t.Run(x.name, func(t *testing.T) {
			path := "testdata/" + x.name + ".txtar"
			golden, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got, err := Build(x.origin, fileOf(t, x.list...))
			if err != nil {
				t.Fatal(err)
			}
			if *update {
				golden.Files = []txtar.File{{Name: "file.ach", Data: got}}
				if err := os.WriteFile(path, txtar.Format(golden), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if len(golden.Files) != 1 || !bytes.Equal(golden.Files[0].Data, got) {
				t.Errorf("the file is no longer the one of %s:\n%s", path, got)
			}
		})
	}
}

// The order of instructions makes no difference, and the totals of a file are those of its
// entries, added up again here from the text.
func TestTotals(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(someInstruction), 1, 40).Draw(t, "instructions")
		for i := range list {
			list[i].Trace = int64(i + 1)
		}
		f := rails.File{ID: "f", CutOff: time.Date(2026, 2, 13, 16, 0, 0, 0, time.UTC), Modifier: '7', Instructions: list}
		content, err := Build(tenor(), f)
		if err != nil {
			t.Fatal(err)
		}
		f.Instructions = rapid.Permutation(list).Draw(t, "order")
		if again, err := Build(tenor(), f); err != nil || !bytes.Equal(content, again) {
			t.Fatalf("another order gives another file (%v)", err)
		}
		checkTotals(t, string(content), list)
	})
}

func someInstruction(t *rapid.T) rails.Instruction {
	x := debit(1, "0.01")
	x.Debit = rapid.Bool().Draw(t, "debit")
	x.Amount = money.Amount(rapid.Int64Range(1, int64(maxAmount)/100).Draw(t, "amount"))
	if rapid.IntRange(0, 9).Draw(t, "prenote") == 0 {
		x.Prenote, x.Amount = true, 0
	}
	x.Description = rapid.SampledFrom([]string{"LOAN PYMT", "RETRY PYMT", "PAYOUT"}).Draw(t, "description")
	x.Settles += calendar.Date(rapid.IntRange(0, 1).Draw(t, "day"))
	x.Account.Routing = rapid.SampledFrom([]string{"990000000", "073000228", "121042882"}).Draw(t, "routing")
	x.Account.HolderType = rapid.SampledFrom([]string{rails.Business, rails.Consumer}).Draw(t, "holder")
	x.Account.AccountType = rapid.SampledFrom([]string{rails.Checking, rails.Savings}).Draw(t, "type")
	x.Account.Online = rapid.Bool().Draw(t, "online")
	return x
}

// checkTotals parses the text by its columns, as defined in the rules.
func checkTotals(t *rapid.T, text string, list []rails.Instruction) {
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	if len(lines)%10 != 0 {
		t.Fatalf("%d lines do not fill blocks of ten", len(lines))
	}
	hash, debits, credits, entries, batches := big.NewInt(0), money.Amount(0), money.Amount(0), 0, 0
	var control string
	for i, line := range lines {
		if len(line) != 94 {
			t.Fatalf("line %d has %d characters", i+1, len(line))
		}
		switch {
		case line[0] == '6':
			entries++
			n, _ := new(big.Int).SetString(line[3:11], 10)
			hash.Add(hash, n)
		case line[0] == '5':
			batches++
		case line[0] == '9' && control == "":
			control = line
		case control != "" && strings.Trim(line, "9") != "":
			t.Fatalf("line %d follows the end", i+1)
		}
	}
	for _, x := range list {
		if x.Debit {
			debits += x.Amount
		} else {
			credits += x.Amount
		}
	}
	hash.Mod(hash, big.NewInt(10_000_000_000))
	want := "9" + digits(batches, 6) + digits(len(lines)/10, 6) + digits(entries, 8) + digits(int(hash.Int64()), 10) + digits(int(debits), 12) + digits(int(credits), 12)
	if entries != len(list) || strings.TrimRight(control, " ") != want {
		t.Fatalf("control record\n%s, want\n%s", control, want)
	}
}

func digits(n, width int) string {
	text := strings.Repeat("0", width) + new(big.Int).SetInt64(int64(n)).String()
	return text[len(text)-width:]
}

func TestClassFollowsTheOwner(t *testing.T) {
	for _, x := range []struct {
		holder        string
		online, debit bool
		want          string
	}{
		{rails.Business, true, true, moov.CCD},
		{rails.Business, false, false, moov.CCD},
		{rails.Consumer, true, true, moov.WEB},
		{rails.Consumer, false, true, moov.PPD},
		{rails.Consumer, true, false, moov.PPD}, // WEB credits are for payments between people
	} {
		i := debit(1, "1.00")
		i.Account.HolderType, i.Account.Online, i.Debit = x.holder, x.online, x.debit
		if got := sec(i); got != x.want {
			t.Errorf("%+v: %s", x, got)
		}
	}
}

func TestBuildRefuses(t *testing.T) {
	for _, x := range []struct {
		why   string
		wreck func(*rails.Instruction)
	}{
		{"trace 0", func(x *rails.Instruction) { x.Trace = 0 }},
		{"trace of eight digits", func(x *rails.Instruction) { x.Trace = 10_000_000 }},
		{"no money", func(x *rails.Instruction) { x.Amount = 0 }},
		{"negative", func(x *rails.Instruction) { x.Amount = -1 }},
		{"eleven digits of cents", func(x *rails.Instruction) { x.Amount = maxAmount + 1 }},
		{"a prenote with money", func(x *rails.Instruction) { x.Prenote = true }},
		{"check digit", func(x *rails.Instruction) { x.Account.Routing = "990000001" }},
		{"short routing number", func(x *rails.Instruction) { x.Account.Routing = "99000000" }},
		{"no account number", func(x *rails.Instruction) { x.Account.Number = "" }},
		{"18 characters", func(x *rails.Instruction) { x.Account.Number = strings.Repeat("9", 18) }},
		{"a letter outside ASCII", func(x *rails.Instruction) { x.Account.Number = "1234é" }},
		{"account type", func(x *rails.Instruction) { x.Account.AccountType = "LOAN" }},
		{"holder type", func(x *rails.Instruction) { x.Account.HolderType = "" }},
		{"no name", func(x *rails.Instruction) { x.Account.Name = " " }},
		{"no description", func(x *rails.Instruction) { x.Description = "" }},
		{"long description", func(x *rails.Instruction) { x.Description = "LOAN PAYMENT" }},
		{"wages", func(x *rails.Instruction) { x.Description = "PAYROLL" }},
		{"no date", func(x *rails.Instruction) { x.Settles = calendar.None }},
	} {
		i := debit(1, "207.06")
		i.Account.Number = "98765432109"
		x.wreck(&i)
		_, err := Build(tenor(), fileOf(t, debit(2, "1.00"), i))
		if !errors.Is(err, ErrInstruction) || !strings.Contains(err.Error(), i.Transfer) {
			t.Errorf("%s: %v", x.why, err)
		} else if strings.Contains(err.Error(), "98765432109") {
			t.Errorf("%s: the error quotes the account: %v", x.why, err)
		}
	}
	if _, err := Build(tenor(), fileOf(t)); !errors.Is(err, ErrInstruction) {
		t.Errorf("no instructions: %v", err)
	}
	if _, err := Build(tenor(), fileOf(t, debit(1, "1.00"), debit(1, "2.00"))); !errors.Is(err, ErrInstruction) {
		t.Errorf("the same trace twice: %v", err)
	}
	if _, err := Build(tenor(), rails.File{ID: "f", CutOff: at(t, "2026-02-13 16:00"), Modifier: 'a', Instructions: []rails.Instruction{debit(1, "1.00")}}); err == nil {
		t.Error("a small letter as modifier is taken")
	}
}

func TestOriginRefuses(t *testing.T) {
	for i, wreck := range []func(*Origin){
		func(o *Origin) { o.ODFI = "121042881" },
		func(o *Origin) { o.Destination = "" },
		func(o *Origin) { o.DestinationName = strings.Repeat("x", 24) },
		func(o *Origin) { o.Source = "12345678" },
		func(o *Origin) { o.SourceName = "" },
		func(o *Origin) { o.Company = "TENOR FINANCE COMPANY" },
		func(o *Origin) { o.CompanyID = "12345678901" },
		func(o *Origin) { o.Company = "Ténor" },
	} {
		o := tenor()
		wreck(&o)
		if _, err := Build(o, fileOf(t, debit(1, "1.00"))); !errors.Is(err, ErrOrigin) {
			t.Errorf("%d: %v", i, err)
		}
	}
}

// A file of ten thousand entries, all of which are returned.
func TestTenThousand(t *testing.T) {
	var list []rails.Instruction
	for i := range int64(10_000) {
		x := debit(i+1, "0.01")
		x.Amount = money.Amount(i + 1)
		x.Debit = i%3 != 0
		if i%7 == 0 { // ten thousand of one bank have the hash 0, which the library treats as missing
			x.Account.Routing = "073000228"
		}
		list = append(list, x)
	}
	slices.Reverse(list)
	content := build(t, list...)
	back, err := Read(tenor(), "returns", returned(t, content, "R01"))
	if err != nil {
		t.Fatal(err)
	}
	seen := map[int64]bool{}
	for _, x := range back {
		if x.Code != "R01" || int64(x.Amount) != x.Trace || x.Debit != ((x.Trace-1)%3 != 0) || seen[x.Trace] {
			t.Fatalf("%+v", x)
		}
		seen[x.Trace] = true
	}
	if len(seen) != len(list) {
		t.Errorf("%d of %d came back", len(seen), len(list))
	}
}
