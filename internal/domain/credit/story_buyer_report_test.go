package credit_test

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/underwriting"
)

// nameRecords names what a command created on the buyer's side: its subject by its line, mails
// m1, m2 …, documents f1, f2 …, the order of a checkout C as C-order, the company of an
// application P as P-company, people by their e-mail.
func (s *story) nameRecords(a args, ch credit.Changes) {
	for _, r := range ch.Records {
		h := r.Head()
		if s.alias[h.ID] != "" {
			continue
		}
		switch r := r.(type) {
		case *credit.Person:
			s.name(h.ID, strings.TrimPrefix(r.Of, "email of "))
		case *credit.Checkout:
			s.name(h.ID, a.words[2])
			if !r.Direct {
				s.name(r.Of, a.words[2]+"-order")
			}
		case *credit.Application:
			s.name(h.ID, a.words[2])
		case *credit.Mail:
			s.name(h.ID, s.next("m"))
		case *credit.Document:
			s.name(h.ID, s.next("f"))
		case *credit.Case:
			s.name(h.ID, a.words[2])
		case *credit.StaffMember:
			s.name(h.ID, a.words[2])
		case *credit.Approval:
			s.name(h.ID, s.next("a"))
		case *credit.Note:
			s.name(h.ID, s.next("n"))
		}
	}
	for _, x := range ch.Endpoints {
		if x.Kind == credit.EndpointCheckout && s.alias[x.ID] == "" {
			s.name(x.ID, a.words[2]+"-calls")
		}
	}
	for _, r := range ch.Records {
		if x, ok := r.(*credit.Application); ok && x.Company != 0 && s.alias[strconv.FormatInt(x.Company, 10)] == "" {
			s.name(strconv.FormatInt(x.Company, 10), s.short(x.ID)+"-company")
		}
	}
}

func (s *story) next(letter string) string {
	n := 1
	for s.names[letter+strconv.Itoa(n)] != "" {
		n++
	}
	return letter + strconv.Itoa(n)
}

func (s *story) reportRecords(ch credit.Changes) {
	for _, r := range ch.Records {
		was := ""
		if old := s.was[credit.KeyOf(r)]; old != "" && old != r.Head().Status {
			was = old + " → "
		}
		s.was[credit.KeyOf(r)] = r.Head().Status
		switch r := r.(type) {
		case *credit.Person:
			s.reportPerson(r)
		case *credit.Checkout:
			s.reportCheckout(r, was)
		case *credit.Application:
			s.reportApplication(r, was)
		case *credit.Document:
			s.say("file %s: %s%s, %s of %s", s.short(r.ID), was, r.Status, r.Kind, s.short(r.Of))
		case *credit.Mail:
			s.reportMail(r, was)
		case *credit.Case:
			s.reportCase(r, was)
		case *credit.StaffMember:
			s.reportStaff(r, was)
		case *credit.Approval:
			s.reportApproval(r, was)
		case *credit.Note:
			kind, id, _ := strings.Cut(r.Of, "/")
			s.say("note %s: on %s %s, company %s, by %s", s.short(r.ID), kind, s.short(id), s.short(credit.AccountKey(r.Company)), s.short(r.By))
		}
	}
	if len(ch.Erased) > 0 {
		s.say("erased: %s", strings.Join(ch.Erased, ", "))
	}
}

func (s *story) reportPerson(p *credit.Person) {
	var roles []string
	for _, r := range p.Roles {
		text := fmt.Sprintf("%s of %s", r.Role, s.short(strconv.FormatInt(r.Company, 10)))
		if r.Role == credit.RoleBuyer {
			text += " up to " + r.Limit.String()
		}
		if r.Invited != "" {
			text += " (invited)"
		}
		roles = append(roles, text)
	}
	proved := ""
	if !p.Proved() {
		proved = " has not proved the e-mail;"
	}
	if p.Language != "" {
		roles = append(roles, "reads "+p.Language)
	}
	if p.Bare && p.Language != "" {
		roles = append(roles, "has no name yet")
	}
	s.say("person %s:%s %s", s.short(p.ID), proved, strings.Join(roles, ", "))
}

func (s *story) reportCheckout(c *credit.Checkout, was string) {
	text := fmt.Sprintf("checkout %s: %s%s", s.short(c.ID), was, c.Status)
	if c.Reason != "" {
		text += " / " + c.Reason
	}
	text += ", " + c.Amount.String()
	if !c.NextAt.IsZero() {
		text += ", until " + minute(c.NextAt)
	}
	if c.Person != "" {
		text += ", " + s.short(c.Person)
		if c.Company != 0 {
			text += " for " + s.short(strconv.FormatInt(c.Company, 10))
		}
	}
	if a := c.Accepted; a != nil {
		text += fmt.Sprintf(", accepted: %d payments, charge %s, program %d, tier %s", a.Installments, a.Terms.FinanceCharge, a.Program, a.Terms.Tier)
	}
	s.say("%s", text)
}

func minute(t time.Time) string { return t.Format("2006-01-02T15:04Z") }

func (s *story) reportApplication(x *credit.Application, was string) {
	text := fmt.Sprintf("application %s: %s%s", s.short(x.ID), was, x.Status)
	if x.Kind != underwriting.New {
		text += ", " + string(x.Kind)
	}
	if x.Duplicate {
		text += ", duplicate"
	}
	if x.Assigned != "" {
		text += ", " + x.Assigned + " looks at it"
	}
	if d := x.Decision; d != nil {
		text += ", by " + d.By
		if d.Approved {
			text += fmt.Sprintf(": %s of %s, tier %s", d.Limit, x.Requested, d.Tier)
		}
		if len(d.Reasons) > 0 {
			text += ", for " + strings.Join(d.Reasons, " ")
		}
	}
	if !x.NextAt.IsZero() {
		text += ", next " + minute(x.NextAt)
	}
	s.say("%s", text)
	s.owes(x.Duty, "owes the notice")
	s.owes(x.OwnerDuty, "owes the owner the notice of the report")
}

// owes reports a notice that an application owes.
func (s *story) owes(d *credit.NoticeDuty, what string) {
	if d == nil {
		return
	}
	text := fmt.Sprintf("  %s %s, counted from %s, due %s", what, d.Kind, d.ClockStart, d.DueOn)
	switch {
	case !d.SentAt.IsZero():
		text += fmt.Sprintf(", sent %s by %s: %s", minute(d.SentAt), d.Channel, s.short(d.Evidence))
	case d.Mail != "":
		text += ", with mail " + s.short(d.Mail)
	default:
		text += ", on paper"
	}
	s.say("%s", text)
}

func (s *story) reportMail(m *credit.Mail, was string) {
	text := fmt.Sprintf("mail %s: %s%s, %s to %s", s.short(m.ID), was, m.Status, m.Template, m.To)
	if m.Language != credit.MailLanguage {
		text += " in " + m.Language
	}
	for _, key := range []string{"payment", "of", "row", "charged", "again", "from_account", "month"} { // what a mail about money is about
		if x := m.Data[key]; x != "" {
			text += fmt.Sprintf(", %s %s", key, s.short(x))
		}
	}
	if m.Attempts > 0 {
		text += fmt.Sprintf(", attempt %d", m.Attempts)
	}
	if m.LastError != "" {
		text += ", " + m.LastError
	}
	if m.Attempts > 0 && !m.NextAt.IsZero() {
		text += ", again at " + m.NextAt.Format("15:04:05Z")
	}
	s.say("%s", text)
}

// showBuyer shows a record of the buyer's side, or what is sealed; false if it is neither.
func (s *story) showBuyer(what, name string) bool {
	switch what {
	case "offers":
		s.showOffers(name)
	case "checkout":
		s.reportCheckout(s.all.Checkout(s.id(name)), "")
	case "application":
		s.reportApplication(s.all.Application(s.id(name)), "")
	case "person":
		s.reportPerson(s.all.Person(s.id(name)))
	case "vault":
		for _, id := range slices.Sorted(maps.Keys(s.vault)) {
			s.say("%s", id)
		}
	case "agreement":
		v := s.all.Companies[s.company(name)].Servicing
		s.say("%s: signed %t, agreement %s", name, !v.Unsigned, s.short(v.Agreement))
	default:
		return false
	}
	return true
}

// withAliases replaces order identifiers in a text with the story's names.
func (s *story) withAliases(text string) string {
	for id, alias := range s.alias { // unordered: identifiers are no parts of each other
		if strings.HasPrefix(id, credit.PrefixOrder) {
			text = strings.ReplaceAll(text, id, alias)
		}
	}
	return text
}
