package lending

import (
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Rules for an unknown state would never apply. A program may name states, the District of
// Columbia and territories, as an address does.
func TestStatesOfAProgram(t *testing.T) {
	for state, good := range map[string]bool{
		"NY": true, "CA": true, "DC": true, "PR": true, "GU": true, "WY": true, "ny": false, "XX": false, "ON": false, "": false, "N": false, "Y ": false, "NYC": false,
	} {
		rate, fees := DefaultSettings(), DefaultSettings()
		rate.MaxAPR, fees.StateFees = map[string]money.Rate{state: 250_000}, map[string]credit.StateFees{state: {}}
		if a, b := CheckSettings(rate), CheckSettings(fees); (a == "") != good || (b == "") != good {
			t.Errorf("%q: %q, %q", state, a, b)
		}
	}
}
