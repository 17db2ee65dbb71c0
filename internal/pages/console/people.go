package console

import (
	"net/http"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
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
			{Text: m.Name, Detail: m.Email, Strong: true}, {Text: v.roles(m.Staff.Roles)}, {Badge: &design.Badge{Tone: tones[m.Staff.Status], Text: v.say("status." + m.Staff.Status)}}, {Text: seen, Soft: true},
		}})
	}
	return v.show(http.StatusOK, page{
		Shell: v.shell("people", v.say("people.title")), Title: design.Title{Text: v.say("people.title"), Lead: v.say("people.lead")},
		Tables: []titled{{ID: "staff", Table: who}, {ID: "roles", Title: v.say("people.may"), Table: v.permissions()}},
	})
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
