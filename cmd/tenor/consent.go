package main

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"tenor/client"
)

// Changes have three levels. A mild one is made at once and says how it is undone. A
// moderate one asks for a yes, a severe one for the name of the thing.

// consent is a change that is not undone easily.
type consent struct {
	Yes bool `short:"y" help:"Do not ask."`
}

// ask asks for a yes on a terminal. Elsewhere --yes must have been given.
func (c consent) ask(a *app, question string) error {
	if c.Yes {
		return nil
	}
	if !a.interactive {
		return &failure{code: exitUsage, text: "nobody can be asked here", hint: "Repeat it with --yes to go ahead."}
	}
	switch answer := a.prompt(question + " [y/N]"); strings.ToLower(answer) {
	case "y", "yes":
		return nil
	}
	return errCanceled()
}

// oath is a change that cannot be undone, or is of much money.
type oath struct {
	Confirm string `placeholder:"KEY" help:"Name the thing, or the amount, instead of being asked for it."`
}

// swear asks for one of the names to be typed. Elsewhere than on a terminal
// --confirm must have given it.
func (o oath) swear(a *app, question string, names ...string) error {
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	switch {
	case slices.Contains(names, o.Confirm):
		return nil
	case o.Confirm != "":
		return &failure{code: exitUsage, text: "--confirm names something else", hint: "This is about " + clean(strings.Join(names, " or ")) + "."}
	case !a.interactive:
		return &failure{code: exitUsage, text: "this cannot be undone, and nobody can be asked here", hint: "Repeat it with --confirm=" + clean(names[0]) + " to go ahead."}
	}
	if slices.Contains(names, a.prompt(question+" Type "+strings.Join(names, " or ")+" to go ahead:")) {
		return nil
	}
	return errCanceled()
}

// prompt asks a question and returns the line that was answered.
func (a *app) prompt(question string) string {
	fmt.Fprintf(a.err, "%s ", clean(question))
	line, err := bufio.NewReader(a.in).ReadString('\n')
	if err != nil {
		return ""
	}
	return strings.TrimSpace(line)
}

func errCanceled() error { return &failure{code: exitCanceled, text: "canceled, nothing was changed"} }

// moneyBack is a refund. Above a limit it takes more than a yes.
type moneyBack struct {
	consent
	oath
	ConfirmAbove amountFlag `env:"TENOR_CONFIRM_ABOVE" default:"10000.00" placeholder:"USD" help:"A refund above this is confirmed by typing its amount or key."`
}

// refundable is what is known of a thing before it is refunded.
type refundable struct {
	name, key string
	left      client.Amount // what can be refunded
}

// approve asks for what a refund of an amount takes; "" is all that is left. The
// thing is read only if somebody is to be told of it, or if its amount decides.
func (m moneyBack) approve(a *app, amount client.Amount, read func() (refundable, error)) error {
	blind := !a.interactive && !m.Yes && m.Confirm == ""
	if blind || m.Yes && amount != "" && !m.above(amount) {
		return m.ask(a, "")
	}
	x, err := read()
	if err != nil {
		return err
	}
	if amount == "" {
		amount = x.left
	}
	question := fmt.Sprintf("Refund %s of %s (%s refundable)?", dollars(amount), x.name, dollars(x.left))
	if !m.above(amount) {
		if m.Confirm != "" && !m.Yes {
			return m.swear(a, question, x.key, x.name, string(amount))
		}
		return m.ask(a, question)
	}
	return m.swear(a, question, x.key, x.name, string(amount))
}

func (m moneyBack) above(amount client.Amount) bool {
	cents, _ := amount.Cents()
	limit, _ := client.Amount(m.ConfirmAbove).Cents()
	return cents > limit
}
