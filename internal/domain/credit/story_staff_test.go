package credit_test

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
	"tenor/internal/domain/staff"
)

// onStaff builds the commands on the lender's staff.
func (s *story) onStaff(verb, name string, a args) credit.Command {
	id := s.id(name)
	var roles []permit.Role
	for _, r := range a.list("roles") {
		roles = append(roles, permit.Role(r))
	}
	switch verb {
	case "hire":
		life := staff.PrintedLink
		if a.named["hours"] != "" {
			life = time.Duration(a.number("hours")) * time.Hour
		}
		c := staff.Invite{Email: "email of " + name, Contact: "contact of " + name, Roles: roles, Link: hashOf(a.named["link"]), At: s.now, Until: s.now.Add(life)}
		if n := a.named["again"]; n != "" {
			c.Contact += " " + n
		}
		c.Secrets = sealed(c.Contact)
		return c
	case "enroll":
		return staff.Enroll{Member: id, Link: hashOf(a.named["link"]), At: s.now.Add(a.span("later")), Credentials: s.proofs(name, a)}
	case "enters":
		c := staff.SignIn{Member: id, Epoch: s.epoch(id, a), At: s.now}
		if a.named["recovery"] != "" {
			c.Recovery = hashOf(a.named["recovery"])
		}
		return c
	case "credentials":
		c := staff.ChangeCredentials{Member: id, Epoch: s.epoch(id, a), Credentials: s.proofs(name, a)}
		if m := s.all.Records[credit.RecordKey{Noun: credit.NounStaffMember, ID: id}]; m != nil {
			c.Codes = m.(*credit.StaffMember).Codes
		}
		c.Secrets = sealed(c.Password)
		return c
	case "retitle":
		return staff.SetRoles{Member: id, Roles: roles}
	case "suspend", "reinstate":
		return staff.Suspend{Member: id, Lift: verb == "reinstate"}
	}
	return s.onApprovals(verb, name, a)
}

// epoch is the one named, or the member's present one.
func (s *story) epoch(id string, a args) int {
	if a.named["epoch"] != "" {
		return a.number("epoch")
	}
	if m, ok := s.all.Records[credit.RecordKey{Noun: credit.NounStaffMember, ID: id}].(*credit.StaffMember); ok {
		return m.Epoch
	}
	return 0
}

// proofs are credentials: recovery=3 gives so many codes, r1 to r3; ten otherwise.
func (s *story) proofs(name string, a args) staff.Credentials {
	n := credit.StaffRecovery
	if a.named["recovery"] != "" {
		n = a.number("recovery")
	}
	set := a.named["set"]
	c := staff.Credentials{Password: "password" + set + " of " + name, Codes: "codes" + set + " of " + name}
	for i := range n {
		c.Recovery = append(c.Recovery, hashOf("r"+strconv.Itoa(i+1)))
	}
	c.Secrets = sealed(c.Password, c.Codes)
	return c
}

func (s *story) reportStaff(m *credit.StaffMember, was string) {
	var roles []string
	for _, r := range m.Roles {
		roles = append(roles, string(r))
	}
	text := fmt.Sprintf("staff %s: %s%s, %s, epoch %d", s.short(m.ID), was, m.Status, strings.Join(roles, " and "), m.Epoch)
	if m.Link != "" {
		text += ", link until " + minute(m.LinkEnd)
	}
	if m.Proved() {
		text += fmt.Sprintf(", %s, %d recovery codes", m.Password, len(m.Recovery))
	}
	if !m.SignedIn.IsZero() {
		text += ", signed in " + minute(m.SignedIn)
	}
	s.say("%s", text)
}
