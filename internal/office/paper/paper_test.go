package paper

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/office/buyer"
)

var (
	show    = flag.String("show", "", "write the papers of the test to this folder, to be looked at")
	rewrite = flag.Bool("rewrite", false, "write the golden files anew")
)

// terms are a plan's terms in a number of installments.
func terms(plan schedule.Plan, n int, rate, state string) credit.OrderTerms {
	t := credit.OrderTerms{Plan: plan, Installments: n, State: state}
	switch plan {
	case schedule.Amortized:
		t.AnnualRate = money.MustParseRate(rate)
	case schedule.FlatFee:
		t.MonthlyFeeRate = money.MustParseRate(rate)
	}
	return t
}

func disclosure(t testing.TB, x credit.OrderTerms, amount string) lending.Disclosure {
	t.Helper()
	s := lending.DefaultSettings()
	d, r := lending.Disclose(x, &s, money.MustParse(amount), calendar.Of(2026, 1, 15))
	if r != nil {
		t.Fatal(r)
	}
	return d
}

func input(d lending.Disclosure) Input {
	return Input{
		Parties: Parties{
			Lender: "Example Lender, Inc.", LenderAddress: "200 Harbor Way, Suite 10, Wilmington, DE 19801", LenderContact: "help@lender.example, (302) 555-0100",
			Merchant: "Harbor Supply", Business: "Alder Kitchens LLC", Signer: "Avery Alder", Title: "Owner", Order: "ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3",
		},
		Disclosure: d, Amount: d.Funding, On: calendar.Of(2026, 1, 15), Language: "en-US", Master: true, Autopay: true,
	}
}

// example is the 1,200 example of the rules, in a state.
func example(t testing.TB, state string) Input {
	return input(disclosure(t, terms(schedule.Amortized, 6, "0.120000", state), "1200.00"))
}

// tester is the common part of a test and a random run of it.
type tester interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
	Fatal(args ...any)
}

func made(t tester, in Input) []buyer.Paper {
	t.Helper()
	all, err := Make(in)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// The example papers are stored as golden files. View them with -show.
func TestGolden(t *testing.T) {
	for name, in := range map[string]Input{
		"default": example(t, "WA"), "CA": example(t, "CA"), "NY": example(t, "NY"), "UT": example(t, "UT"),
		"flat":  input(disclosure(t, terms(schedule.FlatFee, 12, "0.015000", "WA"), "5000.00")),
		"net30": input(disclosure(t, terms(schedule.Net30, 1, "", "WA"), "480.00")),
	} {
		in.Autopay, in.Master = name != "flat", name == "default"
		for _, p := range made(t, in) {
			if *show != "" {
				if err := os.WriteFile(filepath.Join(*show, name+"-"+p.Name), p.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			file := filepath.Join("testdata", fmt.Sprintf("%s-%s%s", name, p.Kind, filepath.Ext(p.Name)))
			if *rewrite {
				if err := os.WriteFile(file, p.Data, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if want, err := os.ReadFile(file); err != nil || !bytes.Equal(p.Data, want) {
				t.Errorf("%s is not what it was (%v): what was accepted is never edited. If nobody has accepted it, go test ./internal/office/paper -rewrite", file, err)
			}
		}
	}
}
