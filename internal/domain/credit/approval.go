package credit

import (
	"strings"
	"time"

	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
)

// Approval is an act that waits for a second person: the command as its maker gave it, what it
// was decided on, and who approved it or not. Of is what the act changes, "order/ord_…".
type Approval struct {
	RecordHead `json:"-"`
	Act        string            `json:"act"`     // the command's name
	Payload    string            `json:"payload"` // the command, as the audit log keeps it
	Permission permit.Permission `json:"permission"`
	Amount     money.Amount      `json:"amount"` // what counts against the limit
	Basis      string            `json:"basis"`  // what the act rests on; see Guard
	Maker      string            `json:"maker"`  // stf_… or cli_…
	Reason     string            `json:"reason"` // the maker's
	Checker    string            `json:"checker,omitzero"`
	Note       string            `json:"note,omitzero"` // the checker's reason, or the maker's for withdrawing it
}

// The statuses of an approval.
const (
	ApprovalWaiting   = "WAITING"
	ApprovalApproved  = "APPROVED"  // and done, in the same commit
	ApprovalDeclined  = "DECLINED"  // by somebody else
	ApprovalWithdrawn = "WITHDRAWN" // by the maker
	ApprovalExpired   = "EXPIRED"   // nobody decided within ApprovalLife
)

// ApprovalLife is how long an act waits for a second person, in business time.
const ApprovalLife = 72 * time.Hour

// Noun implements Record.
func (*Approval) Noun() Noun { return NounApproval }

// Secrets implements Record: no command that waits has any.
func (*Approval) Secrets() []string { return nil }

// Sound describes the first problem with an approval; see Record.
func (a *Approval) Sound(old Record) string {
	waits := a.Status == ApprovalWaiting
	switch {
	case a.Act == "" || a.Payload == "" || a.Permission == "" || a.Maker == "":
		return "has no act, permission or maker"
	case a.Merchant != "" || a.Company != 0:
		return "belongs to a merchant or company"
	case waits == a.NextAt.IsZero():
		return "status and end do not match"
	case (waits || a.Status == ApprovalExpired) != (a.Checker == ""):
		return "status and checker do not match"
	case a.Status == ApprovalWithdrawn != (a.Checker == a.Maker):
		return "maker and checker are one"
	}
	if was, ok := old.(*Approval); ok && (was.Act != a.Act || was.Payload != a.Payload || was.Permission != a.Permission || was.Amount != a.Amount ||
		was.Basis != a.Basis || was.Of != a.Of || was.Maker != a.Maker || was.Reason != a.Reason) {
		return "the act has changed"
	}
	return ""
}

// Approval is a loaded approval, nil if there is none.
func (s *State) Approval(id string) *Approval { return recordIn[*Approval](s, id) }

// Staff reports whether the actor is a member of the lender's staff, in the console.
func (a Actor) Staff() bool { return strings.HasPrefix(a.Client, PrefixStaffMember) }

// outside reports whether the actor is somebody of the lender, not the deployment itself: a staff
// member, or an API client of the operator.
func (a Actor) outside() bool {
	return a.Operator && (a.Staff() || strings.HasPrefix(a.Client, PrefixClient))
}

// Grant is how far the actor has a permission. Operator's clients, whose scopes the edge has
// checked, have each as far as any role has it.
func (s *State) Grant(a Actor, p permit.Permission) permit.Grant {
	if !a.Staff() {
		return permit.May(permit.Roles(), p)
	}
	if m := s.StaffMember(a.Client); m != nil && m.Status == StaffActive {
		return permit.May(m.Roles, p)
	}
	return permit.None
}
