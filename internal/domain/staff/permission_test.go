package staff_test

import (
	"strings"
	"testing"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/staff"
)

// published is the lender's table of roles and actions: one line for each permission, one sign for
// each role in the order of credit.StaffRoles: + alone, L up to a limit, 2 with a second person, -
// never.
const published = `
business:read     + + + + + + + +
personal:reveal   - - + + - - - +
business:assist   - + + + + - - -
credit:decide     - - L - - - - -
companies:hold    - - + + - - - -
orders:cancel     - + - - + - - -
orders:capture    - - - - + - - -
payments:refund   - - - - L - - -
payments:service  - - - L L - - -
orders:charge_off - - - 2 2 - - -
payouts:hold      - - - - + - - -
payouts:release   - - - - 2 - - -
ledger:match      - - - - + - - -
ledger:post       - - - - 2 - - -
reports:export    - - + + + - - +
integration:read  - + - - - + + +
webhooks:manage   - - - - - + - -
clients:sandbox   - - - - - + + -
clients:live      - - - - - - 2 -
settings:manage   - - - - - - 2 -
staff:read        - - - - - - + +
staff:manage      - - - - - - 2 -
audit:read        - - - - - - + +
sandbox:manage    - + + + + + + -
`

// The table says exactly what is published, no more and no less.
func TestRolesMayWhatIsPublished(t *testing.T) {
	signs := map[string]staff.Grant{"-": staff.None, "2": staff.Second, "L": staff.Limit, "+": staff.Alone}
	lines := strings.Split(strings.TrimSpace(published), "\n")
	if len(lines) != len(staff.Rules()) {
		t.Errorf("%d permissions, published are %d", len(staff.Rules()), len(lines))
	}
	for _, line := range lines {
		words := strings.Fields(line)
		for i, role := range credit.StaffRoles() {
			if got := staff.May([]credit.StaffRole{role}, staff.Permission(words[0])); got != signs[words[i+1]] {
				t.Errorf("%s %s: %v, published is %s", role, words[0], got, words[i+1])
			}
		}
	}
}

// Somebody with several roles may what the widest of them may; nobody may what is not in the
// table.
func TestSeveralRoles(t *testing.T) {
	both := []credit.StaffRole{credit.StaffCollections, credit.StaffSupport}
	for p, want := range map[staff.Permission]staff.Grant{staff.CancelOrders: staff.Alone, staff.Service: staff.Limit, staff.ChargeOff: staff.Second, staff.Settings: staff.None, "books:burn": staff.None} {
		if got := staff.May(both, p); got != want {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
	for _, c := range []struct {
		roles []credit.StaffRole
		want  bool
	}{{nil, true}, {[]credit.StaffRole{credit.StaffDeveloper}, true}, {[]credit.StaffRole{credit.StaffDeveloper, credit.StaffViewer}, false}, {both, false}} {
		if got := staff.Masked(c.roles); got != c.want {
			t.Errorf("%v see the business masked: %v", c.roles, got)
		}
	}
	if got := staff.May(nil, staff.Read); got != staff.None {
		t.Errorf("nobody reads: %v", got)
	}
	if got := staff.Holders(staff.Service); len(got) != 2 || got[0] != credit.StaffCollections || got[1] != credit.StaffFinance {
		t.Errorf("holders: %v", got)
	}
}
