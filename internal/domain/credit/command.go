package credit

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
