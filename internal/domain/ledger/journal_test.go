package ledger

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

func read(t *testing.T, path string, v any) {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(b, v); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

// signed makes a debit positive and a credit negative.
func signed(debit, credit string) money.Amount {
	total := money.Amount(0)
	if debit != "" {
		total += money.MustParse(debit)
	}
	if credit != "" {
		total -= money.MustParse(credit)
	}
	return total
}

// The worked example: 36 entries that each balance, and the resulting trial balance.
func TestWorkedExample(t *testing.T) {
	type balance struct {
		Account Account
		Balance string
	}
	var file struct {
		Entries []struct {
			N     int
			Date  calendar.Date
			Event string
			Lines []struct {
				Account       Account
				Debit, Credit string
			}
		}
		TrialBalance  []balance `json:"trial_balance"`
		BorrowerPaid  string    `json:"borrower_paid"`
		FinanceCharge string    `json:"finance_charge"`
	}
	read(t, filepath.Join("testdata", "worked_example.json"), &file)
	var entries []Entry
	paid := money.Amount(0)
	for _, j := range file.Entries {
		e := Entry{ID: fmt.Sprint(j.N), BookDate: j.Date, ValueDate: j.Date, Event: j.Event, Currency: money.USD}
		for _, l := range j.Lines {
			p := Posting{Account: l.Account, Amount: signed(l.Debit, l.Credit)}
			e.Postings = append(e.Postings, p)
			if p.Account == PaymentsPending && p.Amount < 0 {
				paid -= p.Amount
			}
			if j.N == 14 && p.Account == Cash { // the returned debit
				paid += p.Amount
			}
		}
		if err := e.Check(); err != nil {
			t.Error(err)
		}
		entries = append(entries, e)
	}
	if len(entries) != 36 {
		t.Errorf("%d entries, want 36", len(entries))
	}
	lines := TrialBalance(entries)
	if err := CheckTrialBalance(lines); err != nil {
		t.Error(err)
	}
	var open []balance
	for _, l := range lines {
		if l.Balance() != 0 {
			open = append(open, balance{l.Account, l.Balance().String()})
		}
		if l.Account == ChargeIncome && l.Credit.String() != file.FinanceCharge {
			t.Errorf("finance charge %s, want %s", l.Credit, file.FinanceCharge)
		}
	}
	if diff := cmp.Diff(file.TrialBalance, open); diff != "" {
		t.Errorf("trial balance (-want +got):\n%s", diff)
	}
	if paid.String() != file.BorrowerPaid {
		t.Errorf("the borrower paid %s, want %s", paid, file.BorrowerPaid)
	}
}

// fineractAccount maps one of Fineract's accounts to ours of the same kind.
func fineractAccount(code string) Account {
	switch code {
	case "112601": // loans receivable
		return LoanPrincipal
	case "112603": // interest and fee receivable
		return ChargeReceivable
	case "145023": // suspense and clearing
		return PaymentsPending
	case "l1": // overpayment
		return BorrowerCredit
	case "404000", "404001": // interest income, and what a charge-off takes back
		return ChargeIncome
	case "404007", "404008": // fee income, and what a charge-off takes back
		return LateFeeIncome
	case "744007", "744037", "744008": // bad debt, of fraud too, and recoveries
		return ProvisionAndLosses
	}
	return 0
}

// The journals that another lender's open-source system prints for chargebacks, charge-offs
// and write-offs balance here too.
func TestFineractJournalsBalance(t *testing.T) {
	for name, want := range map[string]int{"chargeback.json": 89, "chargeoff_writeoff.json": 39} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join("testdata", "fineract", name)
			var file struct {
				Vectors []struct {
					ID    string
					Steps []struct {
						Op, Transaction string
						Date            string
						Rows            []struct{ Code, Debit, Credit string }
					}
				}
			}
			read(t, path, &file)
			var entries []Entry
			for _, v := range file.Vectors {
				for i, s := range v.Steps {
					if s.Op != "expect_journal" {
						continue
					}
					date := calendar.MustParse(s.Date)
					e := Entry{ID: fmt.Sprintf("%s step %d", v.ID, i), BookDate: date, ValueDate: date, Event: s.Transaction, Currency: money.USD}
					for _, r := range s.Rows {
						e.Postings = append(e.Postings, Posting{Account: fineractAccount(r.Code), Amount: signed(r.Debit, r.Credit)})
					}
					if err := e.Check(); err != nil {
						t.Error(err)
					}
					entries = append(entries, e)
				}
			}
			if len(entries) != want {
				t.Errorf("%d journals, want %d", len(entries), want)
			}
			if err := CheckTrialBalance(TrialBalance(entries)); err != nil {
				t.Error(err)
			}
		})
	}
}
