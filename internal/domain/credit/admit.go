package credit

import (
	"slices"
	"strconv"
)

// AdmitHerself requires that the pages pass on the word of somebody who has proved her e-mail.
func AdmitHerself(s *State, e Env, person string) *Rejection {
	if r := OwnPages(e); r != nil {
		return r
	}
	if p := s.Person(person); p == nil || !p.Proved() {
		return NotFound.Because("There is no such person.")
	}
	return nil
}

// OwnPages lets only the deployment itself through: its pages and its clockwork.
func OwnPages(e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.Because("There is no such command.")
	}
	return nil
}

// MatchVersion is matches for any resource whose ETag is its version.
func MatchVersion(etags []string, version int) *Rejection {
	if etags == nil || slices.Contains(etags, `"`+strconv.Itoa(version)+`"`) || slices.Contains(etags, "*") {
		return nil
	}
	return PreconditionFailed.With("The resource has changed since it was read.", map[string]any{"version": version})
}

// AdmitOwner requires that whoever speaks in a session of her own is an owner of the company now,
// and that the pages say so. "" is nobody: a client speaks.
func AdmitOwner(s *State, e Env, person string, company int64) *Rejection {
	if person == "" {
		return nil
	}
	if r := OwnPages(e); r != nil {
		return r
	}
	p := s.Person(person)
	if p == nil || !p.Proved() {
		return NotFound.Because("There is no such person.")
	}
	if role, _ := p.RoleAt(company); role.Role != RoleOwner {
		return OwnerRequired.Because("Only an owner of the company can do this.")
	}
	return nil
}
