package permit_test

import (
	"strings"
	"testing"

	"tenor/internal/domain/permit"
)

// publishedGrants is the lender's table of roles and actions: one line for each permission, one sign for
// each role in the order of permit.Roles: + alone, L up to a limit, 2 with a second person, -
// never.
const publishedGrants = `
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
reports:read      + + + + + - + +
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
	signs := map[string]permit.Grant{"-": permit.None, "2": permit.Second, "L": permit.Limit, "+": permit.Alone}
	lines := strings.Split(strings.TrimSpace(publishedGrants), "\n")
	if len(lines) != len(permit.Rules()) {
		t.Errorf("%d permissions, published are %d", len(permit.Rules()), len(lines))
	}
	for _, line := range lines {
		words := strings.Fields(line)
		for i, role := range permit.Roles() {
			if got := permit.May([]permit.Role{role}, permit.Permission(words[0])); got != signs[words[i+1]] {
				t.Errorf("%s %s: %v, published is %s", role, words[0], got, words[i+1])
			}
		}
	}
}

// Somebody with several roles may what the widest of them may; nobody may what is not in the
// table.
func TestSeveralRoles(t *testing.T) {
	both := []permit.Role{permit.Collections, permit.Support}
	for p, want := range map[permit.Permission]permit.Grant{permit.CancelOrders: permit.Alone, permit.Service: permit.Limit, permit.ChargeOff: permit.Second, permit.Settings: permit.None, "books:burn": permit.None} {
		if got := permit.May(both, p); got != want {
			t.Errorf("%s: %v, want %v", p, got, want)
		}
	}
	for _, c := range []struct {
		roles []permit.Role
		want  bool
	}{{nil, true}, {[]permit.Role{permit.Developer}, true}, {[]permit.Role{permit.Developer, permit.Viewer}, false}, {both, false}} {
		if got := permit.Masked(c.roles); got != c.want {
			t.Errorf("%v see the business masked: %v", c.roles, got)
		}
	}
	if got := permit.May(nil, permit.Read); got != permit.None {
		t.Errorf("nobody reads: %v", got)
	}
	if got := permit.Holders(permit.Service); len(got) != 2 || got[0] != permit.Collections || got[1] != permit.Finance {
		t.Errorf("holders: %v", got)
	}
}
