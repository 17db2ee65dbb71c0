package lending

import (
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// stateCodes are the Postal Service's abbreviations of the states of the United States, the
// District of Columbia and the territories.
const stateCodes = "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY " +
	"DC AS GU MP PR VI"

// knownState reports whether a code is that of a state, of the District of Columbia or of a
// territory. Settings for any other would never apply to a company.
func knownState(code string) bool { return slices.Contains(strings.Fields(stateCodes), code) }

// CheckStates describes why settings by state cannot be part of a program, or returns "".
func CheckStates(s credit.Settings) string {
	for state := range s.MaxAPR { // unordered: each is asked for the same
		if !knownState(state) {
			return "max_apr names a state that there is not: the keys are codes such as NY"
		}
	}
	for state, f := range s.StateFees { // unordered: each is asked for the same
		switch {
		case !knownState(state):
			return "state_fees names a state that there is not: the keys are codes such as NY"
		case f.LateFeeRate != nil && (*f.LateFeeRate < 0 || *f.LateFeeRate > money.RateScale),
			f.LateFeeCap != nil && *f.LateFeeCap < 0,
			f.ReturnedPaymentFee != nil && *f.ReturnedPaymentFee < 0,
			f.LateFeeGraceDays != nil && (*f.LateFeeGraceDays < 0 || *f.LateFeeGraceDays > MaxDays):
			return "a fee of a state is out of range"
		}
	}
	return ""
}
