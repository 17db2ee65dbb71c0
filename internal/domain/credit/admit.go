package credit

import (
	"slices"
	"strconv"
)

// OwnPages admits only the deployment itself: its pages and its workers.
func OwnPages(e Env) *Rejection {
	if !e.Actor.Operator {
		return NotFound.Because("There is no such command.")
	}
	return nil
}

// MatchVersion checks If-Match for any resource whose ETag is its version.
func MatchVersion(etags []string, version int) *Rejection {
	if etags == nil || slices.Contains(etags, `"`+strconv.Itoa(version)+`"`) || slices.Contains(etags, "*") {
		return nil
	}
	return PreconditionFailed.With("The resource has changed since it was read.", map[string]any{"version": version})
}

// AdmitOwner requires that the person acting in her own session is an owner of the company
// now, and that the pages pass the command on. person is "" if a client acts.
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
