package credit

import (
	"tenor/internal/money"
)

// AddPaymentMethod adds an account of a company that can be debited, with the debtor's authorization.
type AddPaymentMethod struct {
	Company       int64         `json:"company_id"`
	Type          Method        `json:"type"`
	Bank          *BankAccount  `json:"bank"`
	Card          *CardAccount  `json:"card"`
	Authorization Authorization `json:"authorization"`
	Verify        bool          `json:"verify"` // by micro-deposits before it is debited
}

// Name is the command's word in the audit log.
func (AddPaymentMethod) Name() string { return "payment_method.add" }

// Keys is not there yet.
func (AddPaymentMethod) Keys(*State, Env) Keys { return Keys{} }

func (AddPaymentMethod) admit(*State, Env) *Rejection { return pending() }

func (AddPaymentMethod) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// RemovePaymentMethod ends the use of a payment method.
type RemovePaymentMethod struct {
	Method  string   `json:"payment_method"`
	IfMatch []string `json:"if_match"`
}

// Name is the command's word in the audit log.
func (RemovePaymentMethod) Name() string { return "payment_method.remove" }

// Keys is not there yet.
func (RemovePaymentMethod) Keys(*State, Env) Keys { return Keys{} }

func (RemovePaymentMethod) admit(*State, Env) *Rejection { return pending() }

func (RemovePaymentMethod) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// VerifyPaymentMethod compares the amounts that the holder has seen with the micro-deposits (F22).
type VerifyPaymentMethod struct {
	Method  string         `json:"payment_method"`
	Amounts []money.Amount `json:"amounts"`
}

// Name is the command's word in the audit log.
func (VerifyPaymentMethod) Name() string { return "payment_method.verify" }

// Keys is not there yet.
func (VerifyPaymentMethod) Keys(*State, Env) Keys { return Keys{} }

func (VerifyPaymentMethod) admit(*State, Env) *Rejection { return pending() }

func (VerifyPaymentMethod) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// CorrectPaymentMethod applies a notification of change from the bank (F22). Members that are nil or "" stay.
type CorrectPaymentMethod struct {
	Method      string `json:"payment_method"`
	Transfer    string `json:"transfer"` // whose entry was answered
	Code        string `json:"code"`
	Routing     string `json:"routing_number"`
	Last4       string `json:"last4"`
	Sealed      []byte `json:"sealed"`
	Fingerprint string `json:"fingerprint"`
	AccountType string `json:"account_type"`
	HolderName  string `json:"holder_name"`
}

// Name is the command's word in the audit log.
func (CorrectPaymentMethod) Name() string { return "payment_method.correct" }

// Keys is not there yet.
func (CorrectPaymentMethod) Keys(*State, Env) Keys { return Keys{} }

func (CorrectPaymentMethod) admit(*State, Env) *Rejection { return pending() }

func (CorrectPaymentMethod) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
