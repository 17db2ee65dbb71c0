package schedule

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tenor/internal/domain/money"
)

// step is one line of a scenario from another open-source lender's tests.
type step struct {
	Op, Date, Amount   string
	Product, Principal string
	Rate               string `json:"annual_rate_pct"`
	Installments       string
	Every              string
	EveryUnit          string `json:"every_unit"`
	InterestType       string `json:"interest_type"`
	Rule, Type, Due    string
	Nth                string `json:"nth_of_type_that_day"`
	PaymentNr          string `json:"payment_nr"`
	Transaction        string
	Status, Text       string
	Range, Level       string
	Rows               []map[string]*string
	Row                map[string]*string
	Table              []map[string]*string
}

type scenario struct {
	ID    string
	Steps []step
}

// limit is the step from which a scenario follows rules other than ours.
type limit struct {
	step   int // counted from 1
	level  string
	reason string
}

// The levels of a limit.
const (
	rowsGiven  = "given"  // the rows shown first are input, or their level payment
	rowsOff    = "rows"   // from the step on no rows; totals, transactions, fees, statuses, journals
	totalsOnly = "totals" // from the step on only what is owed and overpaid, statuses and journals
	restOff    = "rest"   // nothing from the step on
)

// scenarioFiles are the scenario files and how many scenarios each contains. Two of them are
// next to the journals that another test reads.
func scenarioFiles() map[string]int {
	return map[string]int{
		"allocation": 36, "delinquency": 15, "fees": 35, "refunds": 37, "reschedule": 16, "schedules": 15, "status": 4,
		"../../../ledger/testdata/fineract/chargeback": 34, "../../../ledger/testdata/fineract/chargeoff_writeoff": 26,
	}
}

// TestFineractScenarios plays every scenario as far as it follows our rules and compares each
// figure shown: rows, totals, transactions, charges, statuses, overpayments, journals, days
// past due. limits.csv lists where the rules differ, with the reason. An unnecessary line in
// it fails, and so does a scenario that differs without a line.
func TestFineractScenarios(t *testing.T) {
	limits := readLimits(t)
	var lines []string
	counts := [4]int{}
	for _, name := range slices.Sorted(maps.Keys(scenarioFiles())) {
		file := filepath.Base(name)
		whole, part, none := 0, 0, 0
		scenarios := readScenarios(t, name)
		for _, sc := range scenarios {
			t.Run(file+"/"+sc.ID, func(t *testing.T) {
				conserve(t, sc)
				own := limits[file+" "+sc.ID]
				delete(limits, file+" "+sc.ID)
				p, missed := play(sc, own)
				if missed != "" {
					t.Errorf("step %d: %s", p.at, missed)
				}
				needed(t, sc, own)
				for _, l := range own {
					t.Logf("%s %s step %d, %s: %s", file, sc.ID, l.step, l.level, l.reason)
				}
				switch {
				case p.compared == 0 && len(own) == 0:
					t.Error("nothing was compared, and no line says why")
				case p.compared == 0:
					none++
				case slices.ContainsFunc(own, func(l limit) bool { return l.level != rowsGiven }):
					part++
				default:
					whole++
				}
			})
		}
		want(t, file+" scenarios", len(scenarios), scenarioFiles()[name])
		for i, n := range [4]int{len(scenarios), whole, part, none} {
			counts[i] += n
		}
		lines = append(lines, fmt.Sprintf("| `fineract_%s.json` | %d | %d | %d | %d |", file, len(scenarios), whole, part, none))
	}
	for key := range limits {
		t.Errorf("a limit of %s, which is not there", key)
	}
	documented(t, append(lines, fmt.Sprintf("%d in all: %d whole, %d in part, %d not at all.", counts[0], counts[1], counts[2], counts[3])))
}

// documented requires the counts to be in the document that reports them.
func documented(t *testing.T, lines []string) {
	t.Helper()
	text, err := os.ReadFile("../../../docs/vectors.md")
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range lines {
		if !strings.Contains(string(text), "\n"+line) {
			t.Errorf("docs/vectors.md does not say: %s", line)
		}
	}
}

func readScenarios(t *testing.T, name string) []scenario {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", "fineract", name+".json"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct{ Vectors []scenario }
	if err := json.Unmarshal(raw, &file); err != nil {
		t.Fatal(name, err)
	}
	return file.Vectors
}

// readLimits reads file, scenario, step, level, reason.
func readLimits(t *testing.T) map[string][]limit {
	t.Helper()
	f, err := os.Open("testdata/fineract/limits.csv")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = f.Close() })
	r := csv.NewReader(f)
	r.Comment = '#'
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	limits := map[string][]limit{}
	for _, row := range rows[1:] {
		n, err := strconv.Atoi(row[2])
		if err != nil || !slices.Contains([]string{rowsGiven, rowsOff, totalsOnly, restOff}, row[3]) || len(row[4]) < 20 {
			t.Fatalf("limits.csv: %v", row)
		}
		limits[row[0]+" "+row[1]] = append(limits[row[0]+" "+row[1]], limit{n, row[3], row[4]})
	}
	return limits
}

// needed plays a scenario without its last limit, without its last two, and so on: each time
// it must differ from our rules exactly where the limit says.
func needed(t *testing.T, sc scenario, own []limit) {
	t.Helper()
	for n := range own {
		p, missed := play(sc, own[:n])
		if missed == "" {
			t.Errorf("it needs no limit %s at step %d", own[n].level, own[n].step)
		} else if p.at != own[n].step {
			t.Errorf("the limit %s is at step %d, the rules part at %d: %s", own[n].level, own[n].step, p.at, missed)
		}
	}
}

// conserve checks, independently of the rules, that each journal balances and that what is
// owed equals what is paid, waived and outstanding.
func conserve(t *testing.T, sc scenario) {
	t.Helper()
	for _, st := range sc.Steps {
		switch st.Op {
		case "expect_journal":
			if d, c := column(st.Rows, "debit"), column(st.Rows, "credit"); d != c {
				t.Errorf("%s of %s: debits %s, credits %s", st.Transaction, st.Date, d, c)
			}
		case "expect_schedule":
			for _, row := range st.Rows {
				conserves(t, row)
			}
		case "expect_total":
			conserves(t, st.Row)
		}
	}
}

func value(row map[string]*string, keys ...string) (money.Amount, bool) {
	total, ok := money.Amount(0), false
	for _, key := range keys {
		if v := row[key]; v != nil && *v != "" {
			total, ok = total+cents(decimals(strings.ReplaceAll(*v, ",", ""))), true
		}
	}
	return total, ok
}

// decimals pads a figure such as 250.0 to two decimals.
func decimals(text string) string {
	whole, rest, _ := strings.Cut(text, ".")
	return whole + "." + (rest + "00")[:2]
}

func text(row map[string]*string, key string) string {
	if v := row[key]; v != nil {
		return *v
	}
	return ""
}

func column(rows []map[string]*string, key string) money.Amount {
	total := money.Amount(0)
	for _, r := range rows {
		v, _ := value(r, key)
		total += v
	}
	return total
}

// conserves checks one row of a printed schedule. A row without an outstanding column
// is the disbursement.
func conserves(t *testing.T, row map[string]*string) {
	t.Helper()
	outstanding, ok := value(row, "outstanding")
	if !ok {
		return
	}
	owed, _ := value(row, "principal", "interest", "fees", "penalties")
	settled, _ := value(row, "paid", "waived")
	if owed != settled+outstanding {
		t.Errorf("owed %s, paid or waived %s, outstanding %s", owed, settled, outstanding)
	}
}
