package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"tenor/client"
	"tenor/internal/app/cli"
	"tenor/internal/app/demo"
	"tenor/internal/app/exit"
	"tenor/internal/domain/calendar"
	"tenor/internal/proof/devtest"
	"tenor/internal/proof/suite"
)

// hledger reads the books of the worked example as a user exports them, and finds on every
// account, after each day of the story, the trial balance of that day; from the 36 entries alone
// it finds what the specification says.
func TestHledgerReadsTheWorkedExample(t *testing.T) {
	program := suite.Program(t, "hledger", "hledger")
	example, err := demo.WorkedExample()
	if err != nil {
		t.Fatal(err)
	}
	tenor := playedStory(t)
	file := filepath.Join(t.TempDir(), "books.journal")
	tenor("ledger", "export", "--format", "hledger", "-o", file)
	ids := storyEntries(t, tenor)
	if len(ids) != len(example) || len(ids) != 36 {
		t.Fatalf("%d entries of the story, %d of the example", len(ids), len(example))
	}
	story, sums := "code:^("+strings.Join(ids, "|")+")$", map[int]int64{}
	for i, b := range example {
		for account, cents := range b.Lines {
			sums[account] += cents
		}
		if i+1 < len(example) && example[i+1].Date == b.Date {
			continue
		}
		until := "date:.." + calendar.MustParse(b.Date).AddDays(1).String() // the end date is exclusive
		sameBalances(t, "all on "+b.Date, hledgerBalances(t, program, file, until), trialBalance(t, tenor, b.Date))
		sameBalances(t, "the story on "+b.Date, hledgerBalances(t, program, file, until, story), sums)
	}
	sameBalances(t, "all", hledgerBalances(t, program, file), trialBalance(t, tenor, ""))
}

// trialBalance returns Tenor's, in cents: for a day, or for today.
func trialBalance(t *testing.T, tenor func(args ...string) string, day string) map[int]int64 {
	t.Helper()
	args := []string{"ledger", "trial-balance", "--json"}
	if day != "" {
		args = append(args, "--as-of", day)
	}
	var trial client.TrialBalance
	decode(t, tenor(args...), &trial)
	sums := map[int]int64{}
	for _, l := range trial.Lines {
		debit, _ := l.Debit.Cents()
		credit, _ := l.Credit.Cents()
		sums[l.Account] = debit - credit
	}
	return sums
}

// playedStory plays the demo in a separate sandbox, and returns how the lender calls it.
func playedStory(t *testing.T) func(args ...string) string {
	t.Helper()
	dir := t.TempDir()
	w := devtest.Sandbox(t, t.Cleanup, "--data", dir)
	t.Setenv("TENOR_URL", w.URL) // the parser reads this process's environment
	token := ""
	tenor := func(args ...string) string {
		t.Helper()
		var out, errs devtest.Pipe
		a := devtest.App(&out, &errs)
		a.Getenv = func(name string) string { return map[string]string{"TENOR_TOKEN": token}[name] }
		if code := cli.Run(t.Context(), args, a); code != exit.Done {
			t.Fatalf("%s: %d %s%s", strings.Join(args, " "), code, out.String(), errs.String())
		}
		return out.String()
	}
	token = strings.TrimSpace(tenor("token", "--operator", "--data", dir, "-q"))
	tenor("demo", "--fast", "--server", w.URL)
	return tenor
}

func decode(t *testing.T, text string, into any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), into); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
}

// storyEntries returns the IDs of the worked example's entries; the sandbox has others, too.
func storyEntries(t *testing.T, tenor func(args ...string) string) (ids []string) {
	t.Helper()
	var merchants client.Page[client.Merchant]
	decode(t, tenor("merchants", "list", "--json"), &merchants)
	merchant := ""
	for _, m := range merchants.Data {
		if strings.HasPrefix(m.Name, demo.StoryMerchant+" (demo ") {
			merchant = m.ID
		}
	}
	companies := map[string]int64{}
	var page client.Page[client.Company]
	decode(t, tenor("companies", "list", "--json"), &page)
	for _, c := range page.Data {
		if len(c.Merchants) == 1 && c.Merchants[0] == merchant {
			id, err := strconv.ParseInt(c.ID, 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			companies[c.Name] = id
		}
	}
	var all client.Page[client.Entry]
	decode(t, tenor("ledger", "export", "--format", "json"), &all)
	for _, e := range all.Data {
		if len(demo.StoryBooks([]client.Entry{e}, merchant, companies[demo.StoryCompany], companies[demo.StoryOther])) > 0 {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// hledgerBalances runs hledger for the balances of all accounts, in cents.
func hledgerBalances(t *testing.T, program, file string, query ...string) map[int]int64 {
	t.Helper()
	out, err := exec.Command(program, append([]string{"-f", file, "balance", "--flat", "--no-total", "-O", "csv"}, query...)...).Output()
	if err != nil {
		t.Fatalf("hledger: %v", err)
	}
	rows, err := csv.NewReader(bytes.NewReader(out)).ReadAll()
	if err != nil || len(rows) == 0 {
		t.Fatalf("%v in %s", err, out)
	}
	sums := map[int]int64{}
	for _, row := range rows[1:] {
		_, name, _ := strings.Cut(row[0], ":")
		code, _, _ := strings.Cut(name, " ")
		account, wrong := strconv.Atoi(code)
		cents, err := strconv.ParseInt(strings.Replace(strings.TrimSuffix(row[1], " USD"), ".", "", 1), 10, 64)
		if wrong != nil || err != nil {
			t.Fatalf("account %q has %q", row[0], row[1])
		}
		sums[account] = cents
	}
	return sums
}

// sameBalances compares every account that either side has.
func sameBalances(t *testing.T, of string, got, want map[int]int64) {
	t.Helper()
	accounts := map[int]bool{}
	for _, m := range []map[int]int64{got, want} {
		for account := range m {
			accounts[account] = true
		}
	}
	text := func(cents int64) string { return fmt.Sprint(client.OfCents(cents)) }
	for account := range accounts { // unordered: each is told by itself
		if got[account] != want[account] {
			t.Errorf("%s: account %d is %s to hledger, and %s to us", of, account, text(got[account]), text(want[account]))
		}
	}
}
