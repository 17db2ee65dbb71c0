package books

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/proof/suite"
)

// journal makes random balanced entries, from a seed, with hostile names.
func journal(seed uint64, n int) []store.EntryRow {
	r := rand.New(rand.NewPCG(seed, 1))
	var list []store.EntryRow
	for i := range n {
		day := calendar.Of(2026, 1, 1).AddDays(r.IntN(400))
		e := store.EntryRow{Q: int64(i + 1), At: time.Unix(0, 0), Entry: ledger.Entry{
			ID: fmt.Sprintf("ent_%06d", i), BookDate: day, ValueDate: day.AddDays(-r.IntN(3)), Event: "PAYMENT_APPLIED",
			Cause: "=1+2; a:b, \n\"c\"", Currency: money.USD,
		}}
		memo := r.IntN(5) == 0
		var of []ledger.Account
		for _, a := range ledger.Chart() {
			if a.Memo() == memo {
				of = append(of, a)
			}
		}
		left := money.Amount(0)
		for range 1 + r.IntN(3) {
			x := money.Amount(1 + r.Int64N(1_000_000_00))
			if r.IntN(2) == 0 {
				x = -x
			}
			left = left.Add(x)
			e.Postings = append(e.Postings, ledger.Posting{Account: of[r.IntN(len(of))], Amount: x,
				Dimensions: ledger.Dimensions{Company: 1000000001, Merchant: "mch_1", Order: "ord_1", Payment: "pay_1", Installment: 3}})
		}
		if left != 0 {
			e.Postings = append(e.Postings, ledger.Posting{Account: of[r.IntN(len(of))], Amount: -left})
		}
		list = append(list, e)
	}
	return list
}

func eachOf(list []store.EntryRow) Each {
	return func(fn func(store.EntryRow) error) error {
		for _, e := range list {
			if err := fn(e); err != nil {
				return err
			}
		}
		return nil
	}
}

func balancesOf(list []store.EntryRow) map[ledger.Account]money.Amount {
	sums := map[ledger.Account]money.Amount{}
	for _, e := range list {
		for _, p := range e.Postings {
			sums[p.Account] = sums[p.Account].Add(p.Amount)
		}
	}
	return sums
}

// hledger, an independent program, reads the export and computes the same balances as we
// do.
func TestHledgerAgrees(t *testing.T) {
	program := suite.Program(t, "hledger", "hledger")
	list := journal(7, 500)
	var text bytes.Buffer
	if err := WriteHledger(&text, eachOf(list)); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "books.journal")
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	got := hledger(t, program, file)
	want := balancesOf(list)
	for _, a := range ledger.Chart() {
		if got[a] != want[a] {
			t.Errorf("%d %s: hledger says %s, the ledger %s", a, a.Name(), got[a], want[a])
		}
	}
	bad := bytes.Replace(text.Bytes(), []byte("ent_000007"), []byte("ent_000007) x\n    assets:1000 Cash  1.00 USD\n("), 1)
	if err := os.WriteFile(file, bad, 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "-f", file, "balance").CombinedOutput(); err == nil {
		t.Errorf("hledger takes a journal with a broken entry:\n%s", out)
	}
}

// hledger returns hledger's balances of all accounts.
func hledger(t *testing.T, program, file string) map[ledger.Account]money.Amount {
	t.Helper()
	out, err := exec.Command(program, "-f", file, "balance", "--flat", "--no-total", "-O", "csv").Output()
	if err != nil {
		t.Fatalf("hledger: %v", err)
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sums := map[ledger.Account]money.Amount{}
	for _, row := range rows[1:] {
		_, name, _ := strings.Cut(row[0], ":")
		code, _, _ := strings.Cut(name, " ")
		account, err := strconv.Atoi(code)
		if err != nil {
			t.Fatalf("account %q: %v", row[0], err)
		}
		value := strings.TrimSuffix(row[1], " USD")
		negative := strings.HasPrefix(value, "-")
		x, err := money.Parse(strings.TrimPrefix(value, "-"))
		if err != nil {
			t.Fatalf("balance %q: %v", row[1], err)
		}
		if negative {
			x = -x
		}
		sums[ledger.Account(account)] = x
	}
	return sums
}

// The CSV contains each posting once, its sides are the balances, and no cell can be taken
// for a formula.
func TestCSV(t *testing.T) {
	list := journal(11, 200)
	var text bytes.Buffer
	if err := WriteCSV(&text, eachOf(list)); err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(&text).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	sums, postings := map[ledger.Account]money.Amount{}, 0
	for _, e := range list {
		postings += len(e.Postings)
	}
	if len(rows) != postings+1 {
		t.Fatalf("%d lines for %d postings", len(rows), postings)
	}
	for _, row := range rows[1:] {
		account, _ := strconv.Atoi(row[7])
		for column, sign := range map[int]money.Amount{9: 1, 10: -1} {
			if row[column] == "" {
				continue
			}
			x, err := money.Parse(row[column])
			if err != nil {
				t.Fatal(err)
			}
			sums[ledger.Account(account)] = sums[ledger.Account(account)].Add(sign * x)
		}
		for i, cell := range row {
			if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
				t.Fatalf("column %s begins like a formula: %q", rows[0][i], cell)
			}
		}
	}
	for a, want := range balancesOf(list) {
		if sums[a] != want {
			t.Errorf("%d: the CSV has %s, the ledger %s", a, sums[a], want)
		}
	}
}

func TestTrialOf(t *testing.T) {
	trial := TrialOf(balancesOf(journal(3, 300)))
	if !trial.Balanced() || len(trial.Lines) == 0 {
		t.Errorf("%+v", trial)
	}
	trial = TrialOf(map[ledger.Account]money.Amount{ledger.Cash: 100, ledger.LenderFunding: -100, ledger.Reserved: 5, ledger.ReservedContra: -5, ledger.CardCost: 0})
	if got := fmt.Sprint(trial); got != fmt.Sprint(Trial{[]Line{{1000, 100}, {3000, -100}, {9000, 5}, {9001, -5}}, 100, 100, 5, 5}) {
		t.Error(got)
	}
	if TrialOf(map[ledger.Account]money.Amount{ledger.Cash: 100}).Balanced() {
		t.Error("one side alone balances")
	}
}
