package ledger

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/money"
)

// Balances sums postings by account and dimensions.
type Balances map[BalanceKey]money.Amount

// BalanceKey identifies one balance (LG8). Two keys that differ in any member
// are two balances.
type BalanceKey struct {
	Account Account
	Dimensions
	Currency money.Currency
}

// Post adds an entry's postings, each under the dimensions that keep returns for it.
func (b Balances) Post(e Entry, keep func(Posting) Dimensions) {
	for _, p := range e.Postings {
		k := BalanceKey{p.Account, keep(p), e.Currency}
		b[k] = b[k].Add(p.Amount)
	}
}

// String writes the key as account, currency, company, merchant, order, payment
// and installment between slashes: "1100/USD/7//ord_1//3". A slash or a percent
// sign inside a member is written %2F or %25, so that no two keys share a text.
func (k BalanceKey) String() string {
	return strings.Join([]string{
		strconv.Itoa(int(k.Account)), escape(string(k.Currency)), number(k.Company),
		escape(k.Merchant), escape(k.Order), escape(k.Payment), number(int64(k.Installment)),
	}, "/")
}

// ParseBalanceKey reads what String writes, and refuses every other spelling of
// the same key.
func ParseBalanceKey(text string) (BalanceKey, error) {
	f := strings.Split(text, "/")
	if len(f) != 7 {
		return BalanceKey{}, fmt.Errorf("ledger: balance key %q has %d members", text, len(f))
	}
	account, _ := strconv.Atoi(f[0])
	company, _ := strconv.ParseInt(f[2], 10, 64)
	installment, _ := strconv.Atoi(f[6])
	k := BalanceKey{
		Account:  Account(account),
		Currency: money.Currency(unescape(f[1])),
		Dimensions: Dimensions{
			Company: company, Merchant: unescape(f[3]), Order: unescape(f[4]), Payment: unescape(f[5]), Installment: installment,
		},
	}
	if k.String() != text {
		return BalanceKey{}, fmt.Errorf("ledger: balance key %q must be written as %q", text, k.String())
	}
	return k, nil
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

func escape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "%", "%25"), "/", "%2F")
}

func unescape(s string) string {
	return strings.ReplaceAll(strings.ReplaceAll(s, "%2F", "/"), "%25", "%")
}

// Line is one account of a trial balance.
type Line struct {
	Account  Account
	Currency money.Currency
	Debit    money.Amount // sum of all debits, not negative
	Credit   money.Amount // sum of all credits, not negative
}

// Balance returns debits less credits.
func (l Line) Balance() money.Amount { return l.Debit.Sub(l.Credit) }

// TrialBalance sums entries by account, in order of account and then of
// currency. Accounts without postings are left out, those whose postings cancel
// are not.
func TrialBalance(entries []Entry) []Line {
	type key struct {
		account  Account
		currency money.Currency
	}
	var lines []Line
	at := make(map[key]int)
	for _, e := range entries {
		for _, p := range e.Postings {
			k := key{p.Account, e.Currency}
			i, known := at[k]
			if !known {
				i = len(lines)
				at[k] = i
				lines = append(lines, Line{Account: k.account, Currency: k.currency})
			}
			if p.Amount > 0 {
				lines[i].Debit = lines[i].Debit.Add(p.Amount)
			} else {
				lines[i].Credit = lines[i].Credit.Sub(p.Amount)
			}
		}
	}
	slices.SortFunc(lines, func(a, b Line) int {
		return cmp.Or(cmp.Compare(a.Account, b.Account), cmp.Compare(a.Currency, b.Currency))
	})
	return lines
}

// CheckTrialBalance returns an error if the books, or a memo pair, do not sum to zero in a
// currency (LG2), or if an account is not in the chart.
func CheckTrialBalance(lines []Line) error {
	var currencies []money.Currency
	for _, l := range lines {
		if l.Account.Name() == "" {
			return fmt.Errorf("ledger: trial balance in %s has the unknown account %d", l.Currency, l.Account)
		}
		currencies = append(currencies, l.Currency)
	}
	slices.Sort(currencies)
	for _, c := range slices.Compact(currencies) {
		var sums [1 + memoPairs]money.Amount
		for _, l := range lines {
			if l.Currency == c {
				g := l.Account.group()
				sums[g] = sums[g].Add(l.Balance())
			}
		}
		for g, sum := range sums {
			if sum != 0 {
				return fmt.Errorf("ledger: trial balance in %s is off by %s in %s", c, sum, groupName(g))
			}
		}
	}
	return nil
}
