package permit

// Role is a role of the lender's staff.
type Role string

// The roles.
const (
	Viewer      Role = "viewer"
	Support     Role = "support"
	Underwriter Role = "underwriter"
	Collections Role = "collections"
	Finance     Role = "finance"
	Developer   Role = "developer"
	Admin       Role = "admin"
	Auditor     Role = "auditor"
)

// Roles lists the roles.
func Roles() []Role {
	return []Role{Viewer, Support, Underwriter, Collections, Finance, Developer, Admin, Auditor}
}
