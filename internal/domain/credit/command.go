package credit

import "slices"

// Command is one request to change something. Commands are plain data: the audit log keeps
// them, and replaying the log decides each of them again.
type Command interface {
	// Name is the command's name in the audit log, such as "order.create".
	Name() string
	// Keys lists what must be loaded. It is called again after each load until it names
	// nothing new (at most three rounds). Keys that nothing loaded so far leads to are left
	// out.
	Keys(s *State, e Env) Keys
	// Admit decides the stages existence and link, which come before a stored answer is
	// replayed.
	Admit(s *State, e Env) *Rejection
	// Decide decides the stages precondition, state and rule. Call the function Decide
	// instead: it also passes on which keys the command asked for.
	Decide(s *State, e Env) (Changes, *Rejection)
}

// Admit decides whether the actor may see what the command names. Its rejections are never
// stored under an Idempotency-Key.
func Admit(s *State, e Env, c Command) *Rejection {
	if r := c.Admit(s, e); r != nil {
		return r
	}
	return admitStaff(s, e, c)
}

// Decide returns what a command changes, or why it is refused. It must be called
// only after Admit returned nil. It changes nothing itself. If somebody else must approve the
// command first, the changes are a request for that, and Result is the *Approval.
func Decide(s *State, e Env, c Command) (Changes, *Rejection) {
	asked := KeysOf(c, s, e)
	e.asked = &asked
	ch, r := c.Decide(s, e)
	if r != nil {
		return ch, r
	}
	return gate(s, e, c, ch)
}

// JoinKeys merges two sets of keys.
func JoinKeys(a, b Keys) Keys {
	a.Merchants = append(slices.Clone(a.Merchants), b.Merchants...)
	a.Companies = append(slices.Clone(a.Companies), b.Companies...)
	a.Orders = append(slices.Clone(a.Orders), b.Orders...)
	a.Claims = append(slices.Clone(a.Claims), b.Claims...)
	a.Records = append(slices.Clone(a.Records), b.Records...)
	return a
}

// KeysOf lists what a command needs: the keys it names itself; the histories of tied orders if
// one of them must be served first (F37); the people of a company that is notified about
// money; who acts, and the rules on approvals, for a command that takes a permission; and the
// lender's record if the command may change the allowance. Recoveries, their
// returns and refunds do: any command that names a charged-off order (F17).
func KeysOf(c Command, s *State, e Env) Keys {
	k := withGate(withOwners(withHeld(withTied(c.Keys(s, e), s, e), s), c, s, e), c, e)
	if len(k.Lenders) == 0 && namesChargedOff(s, k) {
		k.Lenders = []string{TheLender}
	}
	return k
}

func namesChargedOff(s *State, k Keys) bool {
	off := func(key string) bool {
		o := s.Orders[key]
		return o != nil && o.Servicing.ChargedOff != 0
	}
	return slices.ContainsFunc(k.Orders, off) || slices.ContainsFunc(k.History, off) ||
		slices.ContainsFunc(k.Accounts, func(id int64) bool { return slices.ContainsFunc(s.Accounts[id], off) })
}
