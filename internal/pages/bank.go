package pages

import (
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
)

// AccountFields ask for a business's bank account.
func (c *Call) AccountFields(business string, wrong Problems) []design.Field {
	holder := c.Answer("holder")
	if holder == "" {
		holder = business
	}
	kind := c.Answer("kind")
	return []design.Field{
		{Name: "routing", Label: c.Say("debit.routing"), Hint: c.Say("debit.routing.hint"), Error: wrong["routing"], InputMode: "numeric", Autocomplete: "off", Max: maxBank, Digits: true, Unspelled: true, Required: true, Width: design.Half},
		{Name: "number", Label: c.Say("debit.number"), Hint: c.Say("debit.number.hint"), Error: wrong["number"], InputMode: "numeric", Autocomplete: "off", Max: maxBank, Digits: true, Unspelled: true, Required: true, Width: design.Half},
		{Name: "kind", Label: c.Say("debit.kind"), Error: wrong["kind"], Value: kind, Required: true, Width: design.Half, Options: []design.Option{
			{Value: checking, Text: c.Say("debit.checking")}, {Value: savings, Text: c.Say("debit.savings")},
		}},
		{Name: "holder", Label: c.Say("debit.holder"), Error: wrong["holder"], Value: holder, Autocomplete: "organization", Max: maxHolder, Required: true, Width: design.Half},
	}
}

// Kinds of accounts, and the maximum lengths of entries: digits with spaces between them, and a
// name as accepted by the API.
const (
	checking  = "CHECKING"
	savings   = "SAVINGS"
	maxBank   = 30
	maxHolder = 100
)

// Account describes an account without its number.
func (c *Call) Account(m *credit.PaymentMethod) string {
	switch {
	case m.Bank != nil:
		return c.Bank(m.Bank.AccountType, m.Bank.Last4)
	case m.Card != nil:
		return c.Say("card", m.Card.Last4)
	}
	return m.ID
}

// Bank describes a bank account by its kind and its last digits.
func (c *Call) Bank(kind, last4 string) string {
	if kind == savings {
		return c.Say("bank.savings", last4)
	}
	return c.Say("bank.checking", last4)
}

// ReadAccount parses a bank account, and reports what is wrong with it. If anything is wrong,
// everything must be entered again: nothing is shown back.
func (c *Call) ReadAccount(wrong Problems) buyer.Account {
	bare := strings.NewReplacer(" ", "", "-", "")
	a := buyer.Account{Routing: bare.Replace(c.Answer("routing")), Number: bare.Replace(c.Answer("number")), Type: c.Answer("kind"), Holder: c.Answer("holder")}
	if len([]rune(a.Holder)) > maxHolder {
		a.Holder = ""
	}
	for _, name := range a.Wrong() {
		if name == "type" {
			name = "kind"
		}
		wrong[name] = c.Say("wrong." + name)
	}
	if len(wrong) > 0 {
		for _, name := range []string{"routing", "number"} {
			if wrong[name] == "" {
				wrong[name] = c.Say("wrong." + name + ".again")
			}
		}
	}
	return a
}
