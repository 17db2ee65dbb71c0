package terminal

import (
	"bufio"
	"fmt"
	"slices"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
)

// Changes have three levels. A mild one is made at once and says how to undo it. A moderate one
// asks for a yes, a severe one for a name to be typed.

// Consent is a change that is not easily undone.
type Consent struct {
	Yes bool `short:"y" help:"Do not ask for confirmation."`
}

// Ask asks for a yes on a terminal. Elsewhere, --yes is required. A dry run needs no consent.
func (c Consent) Ask(a *App, dryRun bool, question string) error {
	if c.Yes || dryRun {
		return nil
	}
	if !a.Interactive {
		return &exit.Failure{Code: exit.Usage, Text: "confirmation required, but there is no terminal", Hint: "Repeat the command with --yes."}
	}
	switch answer := a.prompt(question + " [y/N]"); strings.ToLower(answer) {
	case "y", "yes":
		return nil
	}
	return errCanceled()
}

// TypedConfirmation is a change that cannot be undone, or involves a lot of money.
type TypedConfirmation struct {
	Confirm string `placeholder:"KEY" help:"Confirm with the key or amount instead of a prompt."`
}

// ConfirmTyped asks the user to type one of the names. Unless on a terminal, --confirm is
// required.
func (o TypedConfirmation) ConfirmTyped(a *App, question string, names ...string) error {
	names = slices.DeleteFunc(names, func(s string) bool { return s == "" })
	switch {
	case slices.Contains(names, o.Confirm):
		return nil
	case o.Confirm != "":
		return &exit.Failure{Code: exit.Usage, Text: "--confirm does not match", Hint: "Expected " + Clean(strings.Join(names, " or ")) + "."}
	case !a.Interactive:
		return &exit.Failure{Code: exit.Usage, Text: "confirmation required, but there is no terminal", Hint: "This cannot be undone. Repeat the command with --confirm=" + Clean(names[0]) + "."}
	}
	if slices.Contains(names, a.prompt(question+" Type "+strings.Join(names, " or ")+" to confirm:")) {
		return nil
	}
	return errCanceled()
}

// prompt asks a question and returns the answer line.
func (a *App) prompt(question string) string {
	fmt.Fprintf(a.Err, "%s ", Clean(question))
	line, err := bufio.NewReader(a.In).ReadString('\n')
	if err != nil {
		return ""
	}
	return strings.TrimSpace(line)
}

func errCanceled() error {
	return &exit.Failure{Code: exit.Canceled, Text: "canceled; nothing was changed"}
}

// MoneyBack is a refund. Above a limit it needs more than a yes.
type MoneyBack struct {
	Consent
	TypedConfirmation
	ConfirmAbove AmountFlag `env:"TENOR_CONFIRM_ABOVE" default:"10000.00" placeholder:"USD" help:"Refunds above this amount must be confirmed by typing the amount or key."`
}

// Refundable describes an object before it is refunded.
type Refundable struct {
	Name, Key string
	Left      client.Amount // what can be refunded
}

// Approve asks for the confirmation that a refund requires; "" refunds all that is left. It reads
// the object only to show it, or if its amount decides.
func (m MoneyBack) Approve(a *App, amount client.Amount, read func() (Refundable, error)) error {
	blind := !a.Interactive && !m.Yes && m.Confirm == ""
	if blind || m.Yes && amount != "" && !m.above(amount) {
		return m.Ask(a, false, "")
	}
	x, err := read()
	if err != nil {
		return err
	}
	if amount == "" {
		amount = x.Left
	}
	question := fmt.Sprintf("Refund %s of %s (%s refundable)?", Dollars(amount), x.Name, Dollars(x.Left))
	if !m.above(amount) {
		if m.Confirm != "" && !m.Yes {
			return m.ConfirmTyped(a, question, x.Key, x.Name, string(amount))
		}
		return m.Ask(a, false, question)
	}
	return m.ConfirmTyped(a, question, x.Key, x.Name, string(amount))
}

func (m MoneyBack) above(amount client.Amount) bool {
	cents, _ := amount.Cents()
	limit, _ := client.Amount(m.ConfirmAbove).Cents()
	return cents > limit
}
