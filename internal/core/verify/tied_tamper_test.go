package verify

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Tied orders alone do not let the money of one pay another: without the use of credit that
// moved it, the payment itself is reported (PA4).
func TestTiedTampersNameThePayment(t *testing.T) {
	dir := t.TempDir()
	clean := filepath.Join(dir, "clean.db")
	names := makeClean(t, clean)
	for i, x := range tiedTampers {
		file := filepath.Join(dir, fmt.Sprint("tied", i, ".db"))
		copyFile(t, clean, file)
		change(t, file, names.Replace(x.sql))
		named := slices.ContainsFunc(verifyFile(t, file).Violations, func(v Violation) bool {
			return v.Invariant == "PA4" && strings.Contains(v.Detail, "without a recorded use of credit")
		})
		if !named {
			t.Errorf("%s is not named", x.what)
		}
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
	}
}
