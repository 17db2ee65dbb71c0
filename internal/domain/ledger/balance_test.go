package ledger

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"tenor/internal/domain/money"
)

var drawKey = rapid.Custom(func(t *rapid.T) BalanceKey {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "ord_1", "a/b", "a%2Fb", "%", "%25", "/", "//", "a%"}), rapid.String())
	return BalanceKey{
		Account:  rapid.SampledFrom(Chart()).Draw(t, "account"),
		Currency: money.Currency(rapid.OneOf(rapid.Just("USD"), text).Draw(t, "currency")),
		Dimensions: Dimensions{
			Company:     rapid.Int64().Draw(t, "company"),
			Merchant:    text.Draw(t, "merchant"),
			Order:       text.Draw(t, "order"),
			Payment:     text.Draw(t, "payment"),
			Installment: rapid.IntRange(-1, 36).Draw(t, "installment"),
		},
	}
})

// LG8: a key comes back from its text, and two keys never share one.
func TestBalanceKeyText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawKey.Draw(t, "a"), drawKey.Draw(t, "b")
		if got, err := ParseBalanceKey(a.String()); err != nil || got != a {
			t.Errorf("%+v written as %q, read as %+v, %v", a, a, got, err)
		}
		if (a == b) != (a.String() == b.String()) {
			t.Errorf("%+v and %+v are %q and %q", a, b, a, b)
		}
	})
	k := BalanceKey{LoanPrincipal, Dimensions{Company: 7, Order: "ord_1", Installment: 3}, money.USD}
	if got := k.String(); got != "1100/USD/7//ord_1//3" {
		t.Errorf("%+v is written %q", k, got)
	}
}

// LG8: one balance has one spelling.
func TestOtherSpellingsAreRefused(t *testing.T) {
	for _, text := range []string{
		"", "1100", "1100/USD/7//ord_1/3", "1100/USD/7//ord_1//3/", "01100/USD/7//ord_1//3", "+1100/USD/////",
		"1100/USD/07//ord_1//3", "1100/USD/0//ord_1//3", "1100/USD/7//ord_1//0", "1100/USD/7//ord%5F1%2f//3",
		"1100/USD/7//ord_1//three", "1100/USD/99999999999999999999////", "cash/USD/////", " 1100/USD/////", "1100/USD//a%2f///",
	} {
		if k, err := ParseBalanceKey(text); err == nil {
			t.Errorf("%q is read as %+v", text, k)
		}
	}
}

func FuzzParseBalanceKey(f *testing.F) {
	f.Add("1100/USD/7//ord_1//3")
	f.Add("9000/USD///a%2Fb%25//")
	f.Fuzz(func(t *testing.T, text string) {
		if k, err := ParseBalanceKey(text); err == nil && k.String() != text {
			t.Errorf("%q is read as %+v, written %q", text, k, k)
		}
	})
}

// LG3: a balance is the sum of its postings, under any dimensions, and the trial balance is
// the sum of the balances.
func TestBalancesAreSums(t *testing.T) {
	byOrder := func(p Posting) Dimensions { return Dimensions{Order: p.Order} }
	rapid.Check(t, func(t *rapid.T) {
		var entries []Entry
		balances := Balances{}
		for _, id := range []string{"ent_1", "ent_2", "ent_3"} {
			e := drawEntry(t, id)
			e.Currency = rapid.SampledFrom([]money.Currency{"USD", "EUR"}).Draw(t, "currency")
			entries = append(entries, e)
			balances.Post(e, byOrder)
		}
		lines := TrialBalance(entries)
		if err := CheckTrialBalance(lines); err != nil {
			t.Error(err)
		}
		for _, l := range lines {
			naive, kept := money.Amount(0), money.Amount(0)
			for _, e := range entries {
				for _, p := range e.Postings {
					if e.Currency == l.Currency && p.Account == l.Account {
						naive += p.Amount
					}
				}
			}
			for k, amount := range balances {
				if k.Account == l.Account && k.Currency == l.Currency {
					kept += amount
				}
			}
			if l.Balance() != naive || kept != naive || l.Debit < 0 || l.Credit < 0 {
				t.Errorf("%+v: postings sum to %s, balances to %s", l, naive, kept)
			}
		}
		sorted := slices.IsSortedFunc(lines, func(a, b Line) int {
			if a.Account != b.Account {
				return int(a.Account - b.Account)
			}
			return compareText(string(a.Currency), string(b.Currency))
		})
		if !sorted {
			t.Errorf("not in order: %+v", lines)
		}
	})
}

func compareText(a, b string) int {
	switch {
	case a < b:
		return -1
	case a > b:
		return 1
	}
	return 0
}

// One posting in another currency unbalances both; so does one memo pair in another currency,
// although everything sums to zero.
func TestCheckTrialBalance(t *testing.T) {
	for name, lines := range map[string][]Line{
		"two currencies":     {{Cash, "EUR", 100, 0}, {LenderFunding, money.USD, 0, 100}},
		"memo against books": {{Cash, money.USD, 100, 0}, {Reserved, money.USD, 0, 100}},
		"two memo pairs":     {{Reserved, money.USD, 100, 0}, {ChargedOffContra, money.USD, 0, 100}},
		"unknown account":    {{9990, money.USD, 100, 0}, {9991, money.USD, 0, 100}},
	} {
		if CheckTrialBalance(lines) == nil {
			t.Errorf("%s passes", name)
		}
	}
	if err := CheckTrialBalance(nil); err != nil {
		t.Error(err)
	}
}
