package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// tiedTampers are those of money that tied orders share. Each is of a payment for one
// order that pays another one.
var tiedTampers = []tamper{
	{"payment of the company said to be of one order", "PA4", `UPDATE payments SET order_key = '{part}', allocations = (SELECT json_group_array(CASE
			WHEN json_extract(value, '$.order_key') = '{part}' THEN json(value) ELSE json_set(value, '$.elsewhere', json('true')) END) FROM json_each(allocations))
		WHERE id = '{whole}'`},
	{"money of an order allocated to a tied one", "PA4", `UPDATE payments SET allocations = json_set(allocations, '$[0].order_key', '{dueTied}', '$[0].elsewhere', json('true'))
		WHERE id = '{over}'`},
	{"use of credit by another source", "PA4", `UPDATE money_events SET event = json_set(event, '$.Payment', '{back}') WHERE kind = 'CREDIT_USE'`},
	{"use of credit for another order", "PA4", `UPDATE money_events SET event = json_set(event, '$.Order', '{ownTied}') WHERE kind = 'CREDIT_USE'`},
	{"use of credit taken back", "PA4", `UPDATE money_events SET returned = 1 WHERE kind = 'CREDIT_USE'`},
	{"use of credit removed", "PA4", `DELETE FROM money_touches WHERE event_id IN (SELECT id FROM money_events WHERE kind = 'CREDIT_USE');
		DELETE FROM money_events WHERE kind = 'CREDIT_USE'`},
}

// That orders are tied lets no money of one of them pay another: without the use of
// credit that has moved it there the payment itself is named (PA4).
func TestTiedTampersNameThePayment(t *testing.T) {
	dir := t.TempDir()
	clean := filepath.Join(dir, "clean.db")
	names := makeClean(t, clean)
	for i, x := range tiedTampers {
		file := filepath.Join(dir, fmt.Sprint("tied", i, ".db"))
		copyFile(t, clean, file)
		change(t, file, names.Replace(x.sql))
		named := slices.ContainsFunc(verifyFile(t, file).Violations, func(v Violation) bool {
			return v.Invariant == "PA4" && strings.Contains(v.Detail, "without a use of its credit")
		})
		if !named {
			t.Errorf("%s is not named", x.what)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
