package credit

import (
	"tenor/internal/money"
)

// SendCredit sends unapplied credit back to a company: a payment with direction OUT (F36).
type SendCredit struct {
	Company int64         `json:"company_id"`
	Amount  *money.Amount `json:"amount"`            // nil: all that may be sent
	Method  string        `json:"payment_method_id"` // "": the original one, card first
}

// Name is the command's word in the audit log.
func (SendCredit) Name() string { return "credit.send" }

// Keys is not there yet.
func (SendCredit) Keys(*State, Env) Keys { return Keys{} }

func (SendCredit) admit(*State, Env) *Rejection { return pending() }

func (SendCredit) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
