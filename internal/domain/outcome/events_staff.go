package outcome

// staffRules are the rows of the commands on the lender's staff and on approvals. None of them
// emits anything: what is approved emits what the act itself does.
func staffRules() []EventRule {
	return []EventRule{
		{"staff.invite", "invite somebody to the lender's staff", nil, nil},
		{"staff.enroll", "set up a password and one-time codes", nil, nil},
		{"staff.sign_in", "sign in to the console", nil, nil},
		{"staff.credentials", "change a password or recovery codes", nil, nil},
		{"staff.roles", "change the roles of a staff member", nil, nil},
		{"staff.suspend", "suspend a staff member, or lift it", nil, nil},
		{"approval.end", "decline or withdraw a request for approval", nil, nil},
		{"approval.service", "end a request that nobody approved in time", nil, nil},
		{"note.add", "write a note about an object", nil, nil},
		{"approval.policy", "say what takes two people", nil, nil},
	}
}
