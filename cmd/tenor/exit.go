package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tenor/client"
)

// Exit codes. verify alone has its own: 0 clean, 1 violations, 2 could not check.
const (
	exitDone        = 0
	exitRefused     = 1 // by a rule, or failed
	exitUsage       = 2 // wrong flag or argument
	exitCanceled    = 3 // at a prompt
	exitForbidden   = 4 // not signed in, scope missing, wrong mode
	exitNotFound    = 5
	exitConflict    = 6 // state, idempotency, precondition
	exitUnavailable = 7 // unreachable, 429 or 5xx: safe to try again
	exitCheckFailed = 8
	exitInterrupted = 130
)

// failure is an error with its exit code and what to do about it.
type failure struct {
	code int
	text string // what is wrong, one sentence without a full stop
	hint string // one next step; further lines are indented commands
	err  error  // the cause, which is shown; may be nil
	kind error  // what errors.Is finds, which is not shown; may be nil
	told bool   // the result has said it: nothing more is printed
}

func (f *failure) Error() string {
	if f.err == nil {
		return f.text
	}
	if f.text == "" {
		return f.err.Error()
	}
	return f.text + ": " + f.err.Error()
}

// Unwrap returns the cause and the kind.
func (f *failure) Unwrap() []error {
	var out []error
	for _, err := range []error{f.err, f.kind} {
		if err != nil {
			out = append(out, err)
		}
	}
	return out
}

// repeatable is a change whose fate may be unknown: it can be sent again under
// its key.
type repeatable struct {
	key         string
	interrupted bool // by the user, before the answer came
	err         error
}

func (r *repeatable) Error() string { return r.err.Error() }

// Unwrap returns what went wrong.
func (r *repeatable) Unwrap() error { return r.err }

// how says how the change is sent again.
func (r *repeatable) how() string {
	return "The same command can be sent again without harm with --retry-last, or with\n  --idempotency-key " + r.key
}

// interrupted says what is known of a command that the user has ended.
func (a *app) interrupted(err error) int {
	var again *repeatable
	if errors.As(err, &again) && again.interrupted {
		a.tell("Whether it was done is not known. " + again.how())
	}
	return exitInterrupted
}

// fail prints an error and returns its exit code.
func (a *app) fail(err error, asJSON bool) int {
	var f *failure
	if errors.As(err, &f) && f.told {
		return f.code
	}
	r := a.report(err)
	if asJSON {
		_ = document(a.err, r.document())
	} else {
		io := &strings.Builder{}
		fmt.Fprintf(io, "%s %s\n", a.style(a.errTerminal, red, "error:"), clean(r.text))
		for line := range strings.Lines(r.hint) {
			fmt.Fprintf(io, "  %s\n", strings.TrimRight(line, "\n"))
		}
		if r.trace != "" {
			fmt.Fprintf(io, "  %s\n", a.style(a.errTerminal, dim, clean(r.trace)))
		}
		fmt.Fprint(a.err, io.String())
	}
	return r.exit
}

// report is an error as people and programs are told.
type report struct {
	exit  int
	code  string // of the problem
	text  string
	hint  string
	trace string // code, request and page of a server's problem
	raw   json.RawMessage
}

func (a *app) report(err error) report {
	var again *repeatable
	var p *client.Problem
	var lost *client.UnreachableError
	var f *failure
	r := report{exit: exitRefused, code: "failed", text: sentence(err.Error())}
	switch {
	case errors.As(err, &p):
		r = a.reportProblem(p)
	case errors.As(err, &lost):
		r = report{exit: exitUnavailable, code: "unreachable", text: lost.Error()}
		r.hint = fmt.Sprintf("Is the server running? Start one with\n  %s dev\nor set TENOR_URL.", a.program)
	case errors.As(err, &f):
		r.exit, r.text, r.hint = f.code, sentence(f.Error()), f.hint
		switch f.code {
		case exitUsage:
			r.code = "usage"
		case exitUnavailable:
			r.code = "unreachable"
		}
	}
	if errors.As(err, &again) && r.exit == exitUnavailable {
		r.hint = strings.TrimPrefix(r.hint+"\n"+again.how(), "\n")
	}
	return r
}

func (a *app) reportProblem(p *client.Problem) report {
	r := report{exit: exitOf(p.Status), code: p.Code, text: sentence(p.Detail), hint: a.hint(p), raw: p.Raw}
	if p.Code == "" {
		r.code = "unexpected_answer"
		return r
	}
	parts := []string{"code " + p.Code}
	if p.RequestID != "" {
		parts = append(parts, "request "+p.RequestID)
	}
	if p.Type != "" {
		parts = append(parts, p.Type)
	}
	r.trace = strings.Join(parts, " · ")
	return r
}

// document is the server's problem with the hint as one more member, or a problem
// of our own.
func (r report) document() []byte {
	hint, _ := json.Marshal(r.hint)
	if body := strings.TrimSpace(string(r.raw)); strings.HasPrefix(body, "{") && strings.HasSuffix(body, "}") {
		return []byte(body[:len(body)-1] + `,"hint":` + string(hint) + "}")
	}
	b, _ := json.Marshal(struct {
		Code   string `json:"code"`
		Detail string `json:"detail"`
		Hint   string `json:"hint"`
	}{r.code, r.text, r.hint}) // texts only: it cannot fail
	return b
}

// exitOf is the exit code of an HTTP status.
func exitOf(status int) int {
	switch {
	case status == 401 || status == 403:
		return exitForbidden
	case status == 404:
		return exitNotFound
	case status == 409 || status == 412:
		return exitConflict
	case status == 429 || status >= 500:
		return exitUnavailable
	}
	return exitRefused
}

// sentence is a text as it follows "error: ".
func sentence(s string) string {
	s = strings.TrimSuffix(strings.TrimSpace(s), ".")
	if s == "" {
		return "something went wrong"
	}
	if len(s) > 1 && s[0] >= 'A' && s[0] <= 'Z' && (s[1] >= 'a' && s[1] <= 'z' || s[1] == ' ') {
		s = string(s[0]+'a'-'A') + s[1:]
	}
	return s
}
