// Package exit describes how a command fails: an error with its exit code, a sentence for people
// and the next step. It prints nothing.
package exit

// Exit codes. Only verify has its own: 0 clean, 1 violations, 2 could not check.
const (
	Done        = 0
	Refused     = 1 // by a rule, or failed
	Usage       = 2 // wrong flag or argument
	Canceled    = 3 // at a prompt
	Forbidden   = 4 // not signed in, scope missing, wrong mode
	NotFound    = 5
	Conflict    = 6 // state, idempotency, precondition
	Unavailable = 7 // unreachable, 429 or 5xx: safe to retry
	CheckFailed = 8
	Interrupted = 130
)

// Failure is an error with its exit code and the next step.
type Failure struct {
	Code int
	Text string // what is wrong, one sentence without a period
	Hint string // one next step; further lines are indented commands
	Err  error  // the cause, shown to the user; may be nil
	Kind error  // matched by errors.Is but not shown; may be nil
	Told bool   // the result already says it: nothing more is printed
}

func (f *Failure) Error() string {
	if f.Err == nil {
		return f.Text
	}
	if f.Text == "" {
		return f.Err.Error()
	}
	return f.Text + ": " + f.Err.Error()
}

// Unwrap returns the cause and the kind.
func (f *Failure) Unwrap() []error {
	var out []error
	for _, err := range []error{f.Err, f.Kind} {
		if err != nil {
			out = append(out, err)
		}
	}
	return out
}

// OfStatus returns the exit code for an HTTP status.
func OfStatus(status int) int {
	switch {
	case status == 401 || status == 403:
		return Forbidden
	case status == 404:
		return NotFound
	case status == 409 || status == 412:
		return Conflict
	case status == 429 || status >= 500:
		return Unavailable
	}
	return Refused
}
