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
	Of          string `json:"of,omitempty"` // fingerprint of the account that the bank corrects
}

// Empty reports whether the bank named nothing to use.
func (c *NoticeChange) Empty() bool {
	return len(c.Sealed) == 0 && c.AccountType == ""
}

// About is what the envelope in a notice is bound to: its table, row and column.
func (n *BankNotice) About() string { return "bank_notices/" + n.Key() + "/payload" }

// Seal puts the details that a bank has given into a change. Without any the change has no
// envelope.
func (c *NoticeChange) Seal(n *BankNotice, x credit.AccountDetails, seal func(plain []byte, about string) []byte) error {
	c.Sealed = nil
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
		return x, nil
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
