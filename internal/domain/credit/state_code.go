package credit

import (
	"slices"
	"strings"
)

// stateCodes are the states of the United States, the District of Columbia and the
// territories, as the Postal Service abbreviates them.
const stateCodes = "AL AK AZ AR CA CO CT DE FL GA HI ID IL IN IA KS KY LA ME MD MA MI MN MS MO MT NE NV NH NJ NM NY NC ND OH OK OR PA RI SC SD TN TX UT VT VA WA WV WI WY " +
	"DC AS GU MP PR VI"

// knownState reports that a code is that of a state, of the District of Columbia or of a
// territory. What is said of another one would never apply to a company.
func knownState(code string) bool { return slices.Contains(strings.Fields(stateCodes), code) }
