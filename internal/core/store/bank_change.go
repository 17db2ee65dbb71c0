package store

import (
	"encoding/json"
	"fmt"

	"tenor/internal/domain/credit"
)

// NoticePayload is all of a notice's payload.
type NoticePayload struct {
	NoticeDetails
	Corrected *NoticeChange `json:"corrected,omitempty"`
}

// NoticeChange is what a bank says is to be used of an account from now on. What is sealed
// of accounts is sealed here, too.
type NoticeChange struct {
	Sealed      []byte `json:"sealed,omitempty"` // AccountDetails with the members that change
	AccountType string `json:"account_type,omitempty"`
	Of          string `json:"of,omitempty"` // fingerprint of the account that the bank corrects

	// These are of notices that were kept while numbers alone were sealed, until they are
	// sealed anew.
	Routing string `json:"routing,omitempty"`
	Number  []byte `json:"number,omitempty"`
	Last4   string `json:"last4,omitempty"`
	Name    string `json:"name,omitempty"`
}

// Empty reports that the bank has named nothing that is to be used.
func (c *NoticeChange) Empty() bool {
	return len(c.Sealed) == 0 && c.AccountType == "" && c.Routing == "" && len(c.Number) == 0 && c.Name == ""
}

// formerNotice is what a corrected number was bound to while it was sealed alone.
const formerNotice = "bank_notice"

// About is what the envelope in a notice is bound to: its table, row and column.
func (n *BankNotice) About() string { return "bank_notices/" + n.Key() + "/payload" }

// Seal puts the details that a bank has given into a change, and leaves nothing of them
// readable. Without any the change has no envelope.
func (c *NoticeChange) Seal(n *BankNotice, x credit.AccountDetails, seal func(plain []byte, about string) []byte) error {
	c.Sealed, c.Routing, c.Number, c.Last4, c.Name = nil, "", nil, "", ""
	if x == (credit.AccountDetails{}) {
		return nil
	}
	plain, err := json.Marshal(x)
	if err != nil {
		return fmt.Errorf("seal notice %s: %w", n.Key(), err)
	}
	c.Sealed = seal(plain, n.About())
	return nil
}

// Open opens the details that a bank has given.
func (c *NoticeChange) Open(n *BankNotice, open func(sealed []byte, about string) ([]byte, error)) (x credit.AccountDetails, err error) {
	if len(c.Sealed) == 0 {
		x = credit.AccountDetails{Routing: c.Routing, Holder: c.Name}
		if len(c.Number) > 0 {
			var number []byte
			number, err = open(c.Number, formerNotice)
			x.Number = string(number)
		}
		return x, err
	}
	plain, err := open(c.Sealed, n.About())
	if err != nil {
		return x, err
	}
	if json.Unmarshal(plain, &x) != nil {
		return credit.AccountDetails{}, fmt.Errorf("sealed value of notice %s is not an account", n.Key())
	}
	return x, nil
}
