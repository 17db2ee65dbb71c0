// Package books exports the ledger for people and programs outside of Tenor: a journal as
// CSV or in hledger's format, and a trial balance; and it reconciles the bank's own
// statement with account 1000. It posts nothing.
package books

import (
	"bufio"
	"cmp"
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/ui/web"
)

// Each calls fn with entries in order of posting.
type Each func(fn func(store.EntryRow) error) error

// Header is the first line of the CSV. New columns are only added at the end.
func Header() []string {
	return []string{
		"entry_id", "commit_seq", "book_date", "value_date", "event", "cause", "reverses", "account", "account_name",
		"debit", "credit", "currency", "company_id", "merchant_id", "order_key", "payment_id", "installment",
	}
}

// WriteCSV writes one line for each posting.
func WriteCSV(w io.Writer, each Each) error {
	out := csv.NewWriter(w)
	if err := out.Write(Header()); err != nil {
		return err
	}
	if err := each(func(e store.EntryRow) error {
		for _, p := range e.Postings {
			debit, credit := sides(p.Amount)
			if err := out.Write([]string{
				e.ID, strconv.FormatInt(e.Q, 10), e.BookDate.String(), e.ValueDate.String(), e.Event, web.PlainCell(e.Cause), e.Reverses,
				strconv.Itoa(int(p.Account)), p.Account.Name(), debit, credit, string(e.Currency),
				number(p.Company), p.Merchant, p.Order, p.Payment, number(int64(p.Installment)),
			}); err != nil {
				return err
			}
		}
		return nil
	}); err != nil {
		return err
	}
	out.Flush()
	return out.Error()
}

// sides returns an amount as a debit or a credit.
func sides(a money.Amount) (debit, credit string) {
	if a < 0 {
		return "", (-a).String()
	}
	return a.String(), ""
}

func number(n int64) string {
	if n == 0 {
		return ""
	}
	return strconv.FormatInt(n, 10)
}

// WriteHledger writes a journal in hledger's format: one transaction for each entry, dated
// by its book date with the value date as its second date, and each memo account under
// "memo". It has no assertions: hledger must compute its own balances.
func WriteHledger(w io.Writer, each Each) error {
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "; Journal of Tenor\ncommodity 1000.00 %s\n\n", money.USD)
	for _, a := range ledger.Chart() {
		fmt.Fprintf(out, "account %s\n", HledgerName(a))
	}
	if err := each(func(e store.EntryRow) error {
		date := e.BookDate.String()
		if e.ValueDate != e.BookDate {
			date += "=" + e.ValueDate.String()
		}
		fmt.Fprintf(out, "\n%s * (%s) %s  ; seq:%d, cause:%s\n", date, e.ID, e.Event, e.Q, tag(e.Cause))
		for _, p := range e.Postings {
			fmt.Fprintf(out, "    %s  %s %s%s\n", HledgerName(p.Account), p.Amount, e.Currency, tags(p.Dimensions))
		}
		return nil
	}); err != nil {
		return err
	}
	return out.Flush()
}

// tag returns a value that cannot end a comment's tag or its line.
func tag(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == ',' || r == ';' || r == ':' {
			return '_'
		}
		return r
	}, s)
}

// tags returns a posting's dimensions as hledger tags.
func tags(d ledger.Dimensions) string {
	var list []string
	for _, t := range []struct{ name, value string }{
		{"company", number(d.Company)}, {"merchant", d.Merchant}, {"order", d.Order}, {"payment", d.Payment}, {"installment", number(int64(d.Installment))},
	} {
		if t.value != "" {
			list = append(list, t.name+":"+tag(t.value))
		}
	}
	if len(list) == 0 {
		return ""
	}
	return "  ; " + strings.Join(list, ", ")
}

// HledgerName is the account's name in the journal, such as "assets:1000 Cash".
func HledgerName(a ledger.Account) string {
	return Kind(a) + ":" + strconv.Itoa(int(a)) + " " + a.Name()
}

// Kind is the top-level account of the chart to which an account belongs.
func Kind(a ledger.Account) string {
	switch {
	case a < 2000:
		return "assets"
	case a < 3000:
		return "liabilities"
	case a < 4000:
		return "equity"
	case a < 5000:
		return "income"
	case a < 6000:
		return "expenses"
	}
	return "memo"
}

// Line is one account of a trial balance.
type Line struct {
	Account ledger.Account
	Balance money.Amount // debit positive
}

// Trial is a trial balance in order of account, without zero balances, with the sums of
// both sides: of the books, and separately of the memo accounts.
type Trial struct {
	Lines                   []Line
	Debits, Credits         money.Amount // of the books
	MemoDebits, MemoCredits money.Amount
}

// Balanced reports whether both sides are equal.
func (t Trial) Balanced() bool { return t.Debits == t.Credits && t.MemoDebits == t.MemoCredits }

// TrialOf orders and sums the balances of accounts.
func TrialOf(balances map[ledger.Account]money.Amount) Trial {
	var t Trial
	for a, x := range balances {
		if x == 0 {
			continue
		}
		t.Lines = append(t.Lines, Line{a, x})
		debits, credits := &t.Debits, &t.Credits
		if a.Memo() {
			debits, credits = &t.MemoDebits, &t.MemoCredits
		}
		if x > 0 {
			*debits = debits.Add(x)
		} else {
			*credits = credits.Sub(x)
		}
	}
	slices.SortFunc(t.Lines, func(a, b Line) int { return cmp.Compare(a.Account, b.Account) })
	return t
}
