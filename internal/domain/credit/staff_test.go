package credit_test

import (
	"slices"
	"testing"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/permit"
)

// A member's record says nothing that contradicts itself, and no change undoes what ended sign-ins
// (RC2).
func TestStaffMemberIsSound(t *testing.T) {
	at := time.Date(2026, 1, 5, 14, 0, 0, 0, time.UTC)
	sound := func() *credit.StaffMember {
		return &credit.StaffMember{
			RecordHead: credit.RecordHead{ID: "stf_1", Of: "hash", Status: credit.StaffActive}, Contact: "sec_1", Roles: []permit.Role{permit.Admin, permit.Viewer},
			Password: "sec_2", Codes: "sec_3", Recovery: make([]string, 10), Epoch: 3,
		}
	}
	for name, c := range map[string]struct {
		change func(*credit.StaffMember)
		want   string
	}{
		"as it is":            {func(*credit.StaffMember) {}, ""},
		"with a link":         {func(m *credit.StaffMember) { m.Link, m.LinkEnd = "hash", at }, ""},
		"no e-mail":           {func(m *credit.StaffMember) { m.Of = "" }, "has no e-mail"},
		"no contact":          {func(m *credit.StaffMember) { m.Contact = "" }, "has no e-mail"},
		"of a merchant":       {func(m *credit.StaffMember) { m.Merchant = "mch_1" }, "belongs to a merchant or company"},
		"no role":             {func(m *credit.StaffMember) { m.Roles = nil }, "roles are missing, repeated or out of order"},
		"a role twice":        {func(m *credit.StaffMember) { m.Roles = []permit.Role{"admin", "admin"} }, "roles are missing, repeated or out of order"},
		"roles out of order":  {func(m *credit.StaffMember) { slices.Reverse(m.Roles) }, "roles are missing, repeated or out of order"},
		"an unknown role":     {func(m *credit.StaffMember) { m.Roles = []permit.Role{"owner"} }, "a role is unknown"},
		"a link without end":  {func(m *credit.StaffMember) { m.Link = "hash" }, "set-up link and its end do not match"},
		"password alone":      {func(m *credit.StaffMember) { m.Codes = "" }, "password, codes and recovery codes do not match"},
		"eleven codes":        {func(m *credit.StaffMember) { m.Recovery = make([]string, 11) }, "password, codes and recovery codes do not match"},
		"active with nothing": {func(m *credit.StaffMember) { m.Password, m.Codes, m.Recovery = "", "", nil }, "status and credentials do not match"},
		"invited with all":    {func(m *credit.StaffMember) { m.Status, m.Link, m.LinkEnd = credit.StaffInvited, "hash", at }, "status and credentials do not match"},
		"suspended with link": {func(m *credit.StaffMember) { m.Status, m.Link, m.LinkEnd = credit.StaffSuspended, "hash", at }, "status and credentials do not match"},
	} {
		m := sound()
		if c.change(m); m.Sound(nil) != c.want {
			t.Errorf("%s: %q, want %q", name, m.Sound(nil), c.want)
		}
	}
	for name, c := range map[string]struct {
		change func(*credit.StaffMember)
		want   string
	}{
		"a new epoch":               {func(m *credit.StaffMember) { m.Epoch, m.Password, m.Codes = 4, "sec_4", "sec_5" }, ""},
		"a code used up":            {func(m *credit.StaffMember) { m.Recovery = m.Recovery[1:] }, ""},
		"another e-mail":            {func(m *credit.StaffMember) { m.Of = "other" }, "e-mail has changed"},
		"an earlier epoch":          {func(m *credit.StaffMember) { m.Epoch = 2 }, "epoch has gone back"},
		"a password in the epoch":   {func(m *credit.StaffMember) { m.Password = "sec_4" }, "credentials, roles or status have changed, but sign-ins continue"},
		"roles in the epoch":        {func(m *credit.StaffMember) { m.Roles = m.Roles[:1] }, "credentials, roles or status have changed, but sign-ins continue"},
		"a suspension in the epoch": {func(m *credit.StaffMember) { m.Status = credit.StaffSuspended }, "credentials, roles or status have changed, but sign-ins continue"},
	} {
		m := sound()
		if c.change(m); m.Sound(sound()) != c.want {
			t.Errorf("%s: %q, want %q", name, m.Sound(sound()), c.want)
		}
	}
}
