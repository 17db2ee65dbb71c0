package store

import (
	"encoding/json"
	"fmt"

	"tenor/internal/domain/credit"
)

// NoticePayload is the complete payload of a notice.
type NoticePayload struct {
	NoticeDetails
	Corrected *NoticeChange `json:"corrected,omitempty"`
}

// NoticeChange is the account data that a bank tells us to use from now on. Fields that are
// sealed in accounts are sealed here too.
type NoticeChange struct {
	Sealed      []byte `json:"sealed,omitempty"` // AccountDetails with the changed members
	AccountType string `json:"account_type,omitempty"`
	Of          string `json:"of,omitempty"` // fingerprint of the account being corrected

	// These are set only in notices stored when numbers alone were sealed, until they are
	// resealed.
	Routing string `json:"routing,omitempty"`
	Number  []byte `json:"number,omitempty"`
	Last4   string `json:"last4,omitempty"`
	Name    string `json:"name,omitempty"`
}

// Empty reports whether the bank named nothing to use.
func (c *NoticeChange) Empty() bool {
	return len(c.Sealed) == 0 && c.AccountType == "" && c.Routing == "" && len(c.Number) == 0 && c.Name == ""
}

// formerNotice is what a corrected number was bound to when it was sealed alone.
const formerNotice = "bank_notice"

// About is what the notice's envelope is bound to: its table, row and column.
func (n *BankNotice) About() string { return "bank_notices/" + n.Key() + "/payload" }

// Seal seals the details from the bank into the change and leaves none of them readable.
// Without details the change has no envelope.
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

// Open decrypts the details from the bank.
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
		return credit.AccountDetails{}, fmt.Errorf("what is sealed in notice %s is no account", n.Key())
	}
	return x, nil
}
