// Package permit says what each role of the lender's staff may do, and what takes two people. It is
// one table: whatever asks what somebody may do asks it.
package permit

import "slices"

// Permission is something that a staff member may do in the console.
type Permission string

// The permissions.
const (
	Read          Permission = "business:read"
	Reveal        Permission = "personal:reveal"
	Assist        Permission = "business:assist"
	DecideCredit  Permission = "credit:decide"
	HoldCompanies Permission = "companies:hold"
	CancelOrders  Permission = "orders:cancel"
	CaptureOrders Permission = "orders:capture"
	Refund        Permission = "payments:refund"
	Service       Permission = "payments:service"
	ChargeOff     Permission = "orders:charge_off"
	HoldPayouts   Permission = "payouts:hold"
	ReleasePayout Permission = "payouts:release"
	MatchBank     Permission = "ledger:match"
	Post          Permission = "ledger:post"
	ReadReports   Permission = "reports:read"
	Export        Permission = "reports:export"
	ReadCalls     Permission = "integration:read"
	ChangeHooks   Permission = "webhooks:manage"
	TestClients   Permission = "clients:sandbox"
	LiveClients   Permission = "clients:live"
	Settings      Permission = "settings:manage"
	ReadStaff     Permission = "staff:read"
	ManageStaff   Permission = "staff:manage"
	Audit         Permission = "audit:read"
	MoveClock     Permission = "sandbox:manage"
)

// Grant is how far a role has a permission.
type Grant int

// The grants, from none to all: with a second person always, above a limit, or never.
const (
	None   Grant = iota
	Second       // always with a second person
	Limit        // with a second person above the role's limit
	Alone
)

// String is the grant as pages and documents name it.
func (g Grant) String() string { return [...]string{"none", "second", "limit", "alone"}[g] }

// Rule is one permission: what it covers, and which roles have it.
type Rule struct {
	Permission Permission
	Covers     string
	Roles      map[Role]Grant
}

// Rules is the table of roles and permissions. Whatever asks what somebody may do asks it.
func Rules() []Rule {
	const (
		support, underwriter, collections  = Support, Underwriter, Collections
		finance, developer, admin, auditor = Finance, Developer, Admin, Auditor
	)
	all := func(g Grant, roles ...Role) map[Role]Grant {
		out := map[Role]Grant{}
		for _, r := range roles {
			out[r] = g
		}
		return out
	}
	return []Rule{
		{Read, "Read orders, companies, payments and payouts; a developer sees them masked", all(Alone, Roles()...)},
		{Reveal, "Reveal personal data, which is logged", all(Alone, underwriter, collections, auditor)},
		{Assist, "Notes, assignments, mails sent again, checkout links", all(Alone, support, underwriter, collections, finance)},
		{DecideCredit, "Decide applications; change or close a line", all(Limit, underwriter)},
		{HoldCompanies, "Hold and release companies", all(Alone, underwriter, collections)},
		{CancelOrders, "Cancel orders, extend authorizations", all(Alone, support, finance)},
		{CaptureOrders, "Capture orders, whole or in part", all(Alone, finance)},
		{Refund, "Refund orders and payments, reverse payments", all(Limit, finance)},
		{Service, "Record and cancel payments, change due dates, waive fees, hardship", all(Limit, collections, finance)},
		{ChargeOff, "Charge orders off, record recoveries", all(Second, collections, finance)},
		{HoldPayouts, "Hold payouts", all(Alone, finance)},
		{ReleasePayout, "Release payouts", all(Second, finance)},
		{MatchBank, "Match bank lines", all(Alone, finance)},
		{Post, "Manual entries, close and reopen months", all(Second, finance)},
		{ReadReports, "See figures and reports of the whole book", all(Alone, Viewer, support, underwriter, collections, finance, admin, auditor)},
		{Export, "Export reports and lists, which is logged", all(Alone, underwriter, collections, finance, auditor)},
		{ReadCalls, "Read webhooks, events and the request log", all(Alone, support, developer, admin, auditor)},
		{ChangeHooks, "Change webhooks, send events again", all(Alone, developer)},
		{TestClients, "Manage API clients of a sandbox", all(Alone, developer, admin)},
		{LiveClients, "Manage live API clients", all(Second, admin)},
		{Settings, "Programs, templates, adapters, approval policy", all(Second, admin)},
		{ReadStaff, "See who works here, and in which roles", all(Alone, admin, auditor)},
		{ManageStaff, "Invite and suspend people, change roles", all(Second, admin)},
		{Audit, "Audit log and verification", all(Alone, admin, auditor)},
		{MoveClock, "A sandbox's clock, bank and demo data", all(Alone, support, underwriter, collections, finance, developer, admin)},
	}
}

// May is how far somebody with these roles has a permission: as far as the widest of them.
func May(roles []Role, p Permission) Grant {
	best := None
	for _, rule := range Rules() {
		if rule.Permission != p {
			continue
		}
		for _, r := range roles {
			best = max(best, rule.Roles[r])
		}
	}
	return best
}

// Masked reports whether somebody with these roles sees the business without names and details: a
// developer without another role.
func Masked(roles []Role) bool {
	return !slices.ContainsFunc(roles, func(r Role) bool { return r != Developer })
}

// Holders are the roles that have a permission, in order.
func Holders(p Permission) (out []Role) {
	for _, r := range Roles() {
		if May([]Role{r}, p) > None {
			out = append(out, r)
		}
	}
	return out
}

// Shares reports whether a role can do something with a second person only, always or above a
// limit.
func Shares(r Role) bool {
	return slices.ContainsFunc(Rules(), func(x Rule) bool { return x.Roles[r] == Second || x.Roles[r] == Limit })
}
