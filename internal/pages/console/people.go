package console

import (
	"net/http"
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
	"tenor/internal/office/signin"
	"tenor/internal/ui/design"
)

// tones are the colors of a member's statuses.
var tones = map[string]design.Tone{credit.StaffActive: design.Good, credit.StaffInvited: design.Calm, credit.StaffSuspended: design.Bad}

// people lists who works here, and what each role may do.
func (v *visit) people() error {
	all, err := v.desk().Members(v.r.Context())
	if err != nil {
		return err
	}
	who := design.Table{Caption: v.say("people.title"), Columns: []design.Column{
		{Text: v.say("people.who")}, {Text: v.say("people.roles")}, {Text: v.say("people.status")}, {Text: v.say("people.seen"), From: "md"},
	}, Empty: &design.Empty{Text: v.say("people.none"), Command: "tenor staff invite"}}
	for _, m := range all {
		seen := v.say("people.never")
		if !m.Staff.SignedIn.IsZero() {
			seen = v.moment(m.Staff.SignedIn)
		}
		who.Rows = append(who.Rows, design.Row{Cells: []design.Cell{
			{Text: m.Name, Detail: m.Email, Href: Prefix + "/people/" + m.Staff.ID}, {Text: v.roles(m.Staff.Roles)}, {Badge: &design.Badge{Tone: tones[m.Staff.Status], Text: v.say("status." + m.Staff.Status)}}, {Text: seen, Soft: true},
		}})
	}
	p := page{
		Shell: v.shell("people", v.say("people.title")), Title: design.Title{Text: v.say("people.title"), Lead: v.say("people.lead")},
		Tables: []titled{{ID: "staff", Table: who}, {ID: "roles", Title: v.say("people.may"), Table: v.permissions()}},
		Acts:   []design.Button{{Text: v.say("policy.title"), Href: Prefix + "/people/policy"}, {Text: v.say("live.title"), Href: Prefix + "/people/go-live"}},
	}
	return v.show(http.StatusOK, p)
}

// findMember reads the member of the address, nil if there is none.
func (v *visit) findMember() (*credit.StaffMember, signin.Contact, error) {
	id := v.r.PathValue("id")
	if !strings.HasPrefix(id, credit.PrefixStaffMember) {
		return nil, signin.Contact{}, nil
	}
	m, err := v.desk().Find(v.r.Context(), id)
	if m == nil || err != nil {
		return nil, signin.Contact{}, err
	}
	c, err := v.desk().ContactOf(v.r.Context(), m)
	return m, c, err
}

// member shows one colleague.
func (v *visit) member() error {
	m, c, err := v.findMember()
	if err != nil {
		return err
	}
	if m == nil {
		return v.bare(http.StatusNotFound, "lost")
	}
	subject, seen := v.memberSubject(m, c), v.say("people.never")
	if !m.SignedIn.IsZero() {
		seen = v.moment(m.SignedIn)
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell("people", c.Name), Crumbs: []design.Link{{Text: v.say("nav.people"), Href: Prefix + "/people"}, {Text: c.Name}},
		Title:   design.Title{Text: c.Name, Lead: c.Email, Badge: &design.Badge{Tone: tones[m.Status], Text: v.say("status." + m.Status)}},
		TopActs: v.topActs(subject), Impossible: v.impossible(subject), Notice: v.did(subject),
		Facts: []design.Fact{{Label: v.say("people.roles"), Text: v.roles(m.Roles)}, {Label: v.say("people.seen"), Text: seen}, {Label: v.say("people.id"), Text: m.ID}},
		Acts:  v.auditOf("who", m.ID),
	})
}

// memberSubject is a colleague as her acts' pages name her. Nobody changes herself.
func (v *visit) memberSubject(m *credit.StaffMember, c signin.Contact) *subject {
	var boxes []field
	for _, r := range permit.Roles() {
		f := field{kind: tickField, Field: design.Field{Name: "role_" + string(r), Label: v.say("role." + string(r)), Optional: true}}
		if slices.Contains(m.Roles, r) {
			f.first = "yes"
		}
		boxes = append(boxes, f)
	}
	other, suspended := m.ID != v.visitor.Member, m.Status == credit.StaffSuspended
	return &subject{section: "people", path: "/people/" + m.ID, name: c.Name, lead: c.Email, member: m.ID, acts: []act{
		act{name: "roles", permission: permit.ManageStaff, fields: boxes, command: func(g given) credit.Command {
			x := staff.SetRoles{Member: m.ID}
			for _, r := range permit.Roles() {
				if g.texts["role_"+string(r)] == "yes" {
					x.Roles = append(x.Roles, r)
				}
			}
			return x
		}}.possible(other, "yourself"),
		act{name: "suspend", permission: permit.ManageStaff, command: func(given) credit.Command { return staff.Suspend{Member: m.ID} }}.possible(other && !suspended, "suspended"),
		act{name: "reinstate", permission: permit.ManageStaff, command: func(given) credit.Command { return staff.Suspend{Member: m.ID, Lift: true} }}.possible(other && suspended, "unsuspended"),
	}}
}

func findMemberSubject(v *visit) (*subject, error) {
	m, c, err := v.findMember()
	if m == nil || err != nil {
		return nil, err
	}
	return v.memberSubject(m, c), nil
}

// limited are the permissions that have a limit, in the order of the table.
func limited() (out []permit.Permission) {
	usual := permit.UsualLimits()
	for _, r := range permit.Rules() {
		if _, ok := usual[r.Permission]; ok {
			out = append(out, r.Permission)
		}
	}
	return out
}

// yes is the key of yes or no.
func yes(x bool) string {
	if x {
		return "yes"
	}
	return "no"
}

// policy shows what takes two people.
func (v *visit) policy() error {
	x, err := v.desk().Policy(v.r.Context())
	if err != nil {
		return err
	}
	subject := v.policySubject(x)
	p := page{
		Shell: v.shell("people", subject.name), Crumbs: []design.Link{{Text: v.say("nav.people"), Href: Prefix + "/people"}, {Text: subject.name}},
		Title: design.Title{Text: subject.name, Lead: v.say("policy.lead")}, TopActs: v.topActs(subject), Notice: v.did(subject),
		Facts: []design.Fact{{Label: v.say("policy.required"), Text: v.say(yes(x.Required))}},
	}
	for _, of := range limited() {
		p.Facts = append(p.Facts, design.Fact{Label: v.say("policy." + string(of)), Text: v.language().Money(x.Limit(of))})
	}
	return v.show(http.StatusOK, p)
}

func (v *visit) policySubject(x permit.Policy) *subject {
	fields := []field{v.pick("required", "policy.required", yes(x.Required), design.Option{Value: "yes", Text: v.say("yes")}, design.Option{Value: "no", Text: v.say("no")})}
	for _, of := range limited() {
		f := v.amountOf(string(of), "policy."+string(of), x.Limit(of), "")
		f.least = 0
		fields = append(fields, f)
	}
	return &subject{section: "people", path: "/people/policy", name: v.say("policy.title"), lead: v.say("policy.lead.act"), acts: []act{
		{name: "policy", permission: permit.Settings, fields: fields, command: func(g given) credit.Command {
			required := g.texts["required"] == "yes"
			c := staff.SetPolicy{Required: &required, Limits: map[permit.Permission]money.Amount{}}
			for _, of := range limited() {
				c.Limits[of] = g.amounts[string(of)]
			}
			return c
		}},
	}}
}

func findPolicySubject(v *visit) (*subject, error) {
	x, err := v.desk().Policy(v.r.Context())
	return v.policySubject(x), err
}

// permissions is the table of roles and permissions.
func (v *visit) permissions() design.Table {
	t := design.Table{Caption: v.say("people.may"), Columns: []design.Column{{Text: v.say("people.permission")}}}
	for _, r := range permit.Roles() {
		t.Columns = append(t.Columns, design.Column{Text: v.say("role." + string(r))})
	}
	for _, rule := range permit.Rules() {
		row := design.Row{Cells: []design.Cell{{Text: rule.Covers}}}
		for _, r := range permit.Roles() {
			row.Cells = append(row.Cells, design.Cell{Text: v.say("grant." + rule.Roles[r].String()), Soft: rule.Roles[r] == permit.None})
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}

// roles names roles.
func (v *visit) roles(list []permit.Role) string {
	var out []string
	for _, r := range list {
		out = append(out, v.say("role."+string(r)))
	}
	return strings.Join(out, ", ")
}
