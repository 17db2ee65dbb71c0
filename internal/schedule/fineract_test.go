package schedule

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"tenor/internal/money"
)

// step is one line of a scenario of another open-source lender's tests.
type step struct {
	Op, Date, Amount string
	Product          string
	Rate             string `json:"annual_rate_pct"`
	Rule             string
	Type             string
	Strategy         string
	Rows             []map[string]*string
	Row              map[string]*string
}

type scenario struct {
	ID    string
	Steps []step
}

// TestFineractScenarios checks in every scenario that each journal balances and
// that principal + charge + fees = paid + outstanding at each step, and runs
// those whose rules are ours through the engine.
func TestFineractScenarios(t *testing.T) {
	skipped := map[string]int{}
	journals, totals, ran, all := 0, 0, 0, 0
	for _, name := range []string{"schedules", "allocation", "refunds", "fees", "reschedule", "status"} {
		raw, err := os.ReadFile(filepath.Join("testdata", "fineract", name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		var file struct{ Vectors []scenario }
		if err := json.Unmarshal(raw, &file); err != nil {
			t.Fatal(name, err)
		}
		for _, sc := range file.Vectors {
			all++
			for _, st := range sc.Steps {
				switch st.Op {
				case "expect_journal":
					journals++
					if d, c := column(t, st.Rows, "debit"), column(t, st.Rows, "credit"); d != c {
						t.Errorf("%s %s: debits %s, credits %s", name, sc.ID, d, c)
					}
				case "expect_schedule":
					for _, row := range st.Rows {
						totals += conserves(t, sc.ID, row)
					}
				case "expect_total":
					totals += conserves(t, sc.ID, st.Row)
				}
			}
			if why := foreign(sc); why != "" {
				skipped[why]++
				continue
			}
			ran++
			t.Run(name+"/"+sc.ID, func(t *testing.T) { runScenario(t, sc) })
		}
	}
	if journals == 0 || totals == 0 || ran == 0 {
		t.Error("nothing was checked")
	}
	t.Logf("%d scenarios: %d journals balance, %d rows conserve; %d run through the engine", all, journals, totals, ran)
	var reasons []string
	for why, n := range skipped {
		reasons = append(reasons, fmt.Sprintf("%d skipped: %s", n, why))
	}
	sort.Strings(reasons)
	t.Log(strings.Join(reasons, "\n"))
}

func value(row map[string]*string, key string) (money.Amount, bool) {
	v := row[key]
	if v == nil || *v == "" {
		return 0, false
	}
	return cents(strings.ReplaceAll(*v, ",", "")), true
}

func column(t *testing.T, rows []map[string]*string, key string) money.Amount {
	t.Helper()
	total := money.Amount(0)
	for _, r := range rows {
		v, _ := value(r, key)
		total += v
	}
	return total
}

// conserves checks one row of a printed schedule and counts it. A row without an
// outstanding column is the disbursement.
func conserves(t *testing.T, id string, row map[string]*string) int {
	t.Helper()
	outstanding, ok := value(row, "outstanding")
	if !ok {
		return 0
	}
	owed := money.Amount(0)
	for _, key := range []string{"principal", "interest", "fees", "penalties"} {
		v, _ := value(row, key)
		owed += v
	}
	paid, _ := value(row, "paid")
	waived, _ := value(row, "waived")
	if owed != paid+waived+outstanding {
		t.Errorf("%s: owed %s, paid %s, outstanding %s", id, owed, paid, outstanding)
	}
	return 1
}

// foreign says why a scenario follows rules that are not ours, "" if it does not.
func foreign(sc scenario) string {
	known := []string{"business_date", "create_loan", "disburse", "payment", "credit_balance_refund", "expect_schedule", "expect_total",
		"expect_transactions", "expect_status", "expect_outstanding", "expect_overpaid", "expect_journal", "set_future_allocation"}
	payments, disbursements, schedules, restores := 0, 0, 0, false
	last := ""
	for _, st := range sc.Steps {
		if !slices.Contains(known, st.Op) {
			return "step " + st.Op
		}
		switch st.Op {
		case "create_loan":
			if st.Rate != "0" {
				return "charge by other rules (level payment in whole units, actual/actual, late charge)"
			}
		case "disburse":
			disbursements++
		case "set_future_allocation":
			if payments == 0 && st.Rule != "NEXT_INSTALLMENT" {
				return "future rule " + st.Rule
			}
			restores = payments > 0
		case "payment":
			if payments++; restores || st.Date < last {
				return "back-dated payment or rule changed on the way"
			}
			last = st.Date
		case "expect_schedule":
			schedules++
		}
	}
	switch {
	case disbursements != 1:
		return "several or no disbursements"
	case schedules == 0:
		return "no schedule is shown"
	case payments == 0:
		return "no payment: rows would be compared with themselves"
	}
	return ""
}

// runScenario takes the rows of the first schedule shown, pays, and compares
// what is paid and outstanding per row wherever a schedule is shown.
func runScenario(t *testing.T, sc scenario) {
	var s *life
	for _, st := range sc.Steps {
		if st.Op == "expect_schedule" && s == nil {
			var rows []givenRow
			disbursed := ""
			for _, r := range st.Rows {
				if r["nr"] == nil || r["outstanding"] == nil {
					disbursed = *r["date"]
					continue
				}
				rows = append(rows, givenRow{Due: *r["date"], Amount: *r["due"]})
			}
			s = &life{t: t, Portfolio: Portfolio{Loans: []*Loan{loanOfRows(day(disbursed), rows)}}}
		}
	}
	for _, st := range sc.Steps {
		switch st.Op {
		case "payment":
			s.pay(st.Date, st.Amount)
		case "credit_balance_refund":
			s.apply(Event{Kind: EventPaymentRefund, Order: "o", Payment: s.events[len(s.events)-1].ID, Date: day(st.Date), Amount: cents(st.Amount)})
		case "expect_schedule":
			var rows []givenRow
			for _, r := range st.Rows {
				if r["nr"] != nil && r["outstanding"] != nil {
					rows = append(rows, givenRow{Paid: *r["paid"], Outstanding: *r["outstanding"]})
				}
			}
			wantGiven(t, s.loan(), rows, false)
		}
	}
}
