package pages

import (
	"net/mail"
	"strings"

	"tenor/internal/ui/design"
)

// AddressOf parses an email address as typed, false if it is not one.
func AddressOf(text string) (string, bool) {
	a, err := mail.ParseAddress(text)
	if err != nil || a.Address != text || !strings.Contains(text[strings.LastIndex(text, "@"):], ".") {
		return text, false
	}
	return text, true
}

// EmailForm asks for the email address for a code.
func (c *Call) EmailForm(action, value, problem string, acts ...design.Button) *Form {
	return &Form{Action: action, Groups: []Group{{Parts: []Part{FieldPart(design.Field{
		Name: "email", Label: c.Say("email.label"), Hint: c.Say("email.hint"), Value: value, Error: problem, Type: "email", Autocomplete: "email", InputMode: "email",
		Max: MaxAnswer, Required: true, Unspelled: true, Width: design.TwoThirds,
	})}}}, Acts: append([]design.Button{Primary(c.Say("email.go"))}, acts...)}
}

// CodeForm asks for the mailed code.
func (c *Call) CodeForm(action, problem string, acts ...design.Button) *Form {
	hint := c.Say("code.hint")
	if c.Desk.Sandbox {
		hint = c.Say("code.sandbox")
	}
	return &Form{Action: action, Groups: []Group{{Parts: []Part{FieldPart(design.Field{
		Name: "code", Label: c.Say("code.label"), Hint: hint, Error: problem, Autocomplete: "one-time-code", InputMode: "numeric", Max: 20, Digits: true,
		Required: true, Unspelled: true, Width: design.Half,
	})}}}, Acts: append([]design.Button{Primary(c.Say("code.go"))}, acts...)}
}
