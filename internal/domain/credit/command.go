package credit

import "slices"

// Command is one request to change something. Commands are plain data: the audit
// log keeps them, and replaying the log decides every one of them again.
type Command interface {
	// Name is the command's word in the audit log, such as "order.create".
	Name() string
	// Keys says what must be loaded; it is asked again after each load until it
	// names nothing new (at most three rounds). Keys that an identifier does not
	// lead to are left out.
	Keys(s *State, e Env) Keys
	// Admit answers the stages existence and link: they come before a stored
	// answer is replayed.
	Admit(s *State, e Env) *Rejection
	// Decide answers the stages precondition, state and rule. It is asked by the function of
	// that name, which tells it what the command itself has asked for.
	Decide(s *State, e Env) (Changes, *Rejection)
}

// Admit says whether the actor may see what the command names. Its rejections
// are never stored under an Idempotency-Key.
func Admit(s *State, e Env, c Command) *Rejection { return c.Admit(s, e) }

// Decide returns what a command changes, or why it is refused. It must be called
// only after Admit returned nil. It changes nothing itself.
func Decide(s *State, e Env, c Command) (Changes, *Rejection) {
	asked := KeysOf(c, s, e)
	e.asked = &asked
	return c.Decide(s, e)
}

// JoinKeys is what two lists of keys ask for together.
func JoinKeys(a, b Keys) Keys {
	a.Merchants = append(slices.Clone(a.Merchants), b.Merchants...)
	a.Companies = append(slices.Clone(a.Companies), b.Companies...)
	a.Orders = append(slices.Clone(a.Orders), b.Orders...)
	a.Claims = append(slices.Clone(a.Claims), b.Claims...)
	a.Records = append(slices.Clone(a.Records), b.Records...)
	return a
}

// KeysOf is what a command needs: what it names itself; of tied orders, their histories
// if one of them has to be served first (F37); the people of a company that is told of money;
// and the lender's record if it may move the allowance. Recoveries do, returns of them, and
// refunds: whatever names an order that is charged off (F17).
func KeysOf(c Command, s *State, e Env) Keys {
	k := withOwners(withHeld(withTied(c.Keys(s, e), s, e), s), c, s, e)
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
