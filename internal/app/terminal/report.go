package terminal

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
)

// repeatable is the error of a change whose outcome may be unknown: it can be sent again under
// its key.
type repeatable struct {
	key         string
	interrupted bool // by the user, before the response came
	err         error
}

func (r *repeatable) Error() string { return r.err.Error() }

// Unwrap returns the cause.
func (r *repeatable) Unwrap() error { return r.err }

// how says how to send the change again.
func (r *repeatable) how() string {
	return "It is safe to repeat the command with --retry-last, or with\n  --idempotency-key " + r.key
}

// Interrupted says what is known about a command that the user interrupted.
func (a *App) Interrupted(err error) int {
	var again *repeatable
	if errors.As(err, &again) && again.interrupted {
		a.tell("The outcome is unknown. " + again.how())
	}
	return exit.Interrupted
}

// Fail prints an error and returns its exit code.
func (a *App) Fail(err error, asJSON bool) int {
	var f *exit.Failure
	if errors.As(err, &f) && f.Told {
		return f.Code
	}
	r := a.Report(err)
	if asJSON {
		_ = Document(a.Err, r.document())
	} else {
		io := &strings.Builder{}
		fmt.Fprintf(io, "%s %s\n", a.Style(a.ErrTerminal, Red, "error:"), Clean(r.Text))
		for line := range strings.Lines(r.Hint) {
			fmt.Fprintf(io, "  %s\n", strings.TrimRight(line, "\n"))
		}
		if r.trace != "" {
			fmt.Fprintf(io, "  %s\n", a.Style(a.ErrTerminal, Dim, Clean(r.trace)))
		}
		fmt.Fprint(a.Err, io.String())
	}
	return r.exit
}

// Report is an error as shown to people and programs.
type Report struct {
	exit  int
	code  string // of the problem
	Text  string
	Hint  string
	trace string // code, request and page of a server's problem
	raw   json.RawMessage
}

// Report describes an error for people and programs.
func (a *App) Report(err error) Report {
	var again *repeatable
	var p *client.Problem
	var lost *client.UnreachableError
	var waiting *client.Waiting
	var f *exit.Failure
	r := Report{exit: exit.Refused, code: "failed", Text: sentence(err.Error())}
	switch {
	case errors.As(err, &p):
		r = a.reportProblem(p)
	case errors.As(err, &waiting):
		r.code, r.Text = "waiting_for_approval", waiting.Error()
		r.Hint = fmt.Sprintf("Somebody else can approve it:\n  %s approvals approve %s --reason TEXT", a.Program, waiting.Approval.ID)
	case errors.As(err, &lost):
		r = Report{exit: exit.Unavailable, code: "unreachable", Text: lost.Error()}
		r.Hint = fmt.Sprintf("Check that the server is running. Start one with\n  %s dev\nor set TENOR_URL.", a.Program)
	case errors.As(err, &f):
		r.exit, r.Text, r.Hint = f.Code, sentence(f.Error()), f.Hint
		switch f.Code {
		case exit.Usage:
			r.code = "usage"
		case exit.Unavailable:
			r.code = "unreachable"
		}
	}
	if errors.As(err, &again) && r.exit == exit.Unavailable {
		r.Hint = strings.TrimPrefix(r.Hint+"\n"+again.how(), "\n")
	}
	return r
}

func (a *App) reportProblem(p *client.Problem) Report {
	r := Report{exit: exit.OfStatus(p.Status), code: p.Code, Text: sentence(p.Detail), Hint: a.hint(p), raw: p.Raw}
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

// document returns the server's problem with the hint as an additional member, or a problem of
// our own.
func (r Report) document() []byte {
	hint, _ := json.Marshal(r.Hint)
	if body := strings.TrimSpace(string(r.raw)); strings.HasPrefix(body, "{") && strings.HasSuffix(body, "}") {
		return []byte(body[:len(body)-1] + `,"hint":` + string(hint) + "}")
	}
	b, _ := json.Marshal(struct {
		Code   string `json:"code"`
		Detail string `json:"detail"`
		Hint   string `json:"hint"`
	}{r.code, r.Text, r.Hint}) // strings only: it cannot fail
	return b
}

// sentence formats a text to follow "error: ".
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
