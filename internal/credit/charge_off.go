package credit

import "tenor/internal/money"

// ChargeOffOrder charges an order off, as staff confirm (F17).
type ChargeOffOrder struct {
	Order  string `json:"order"`
	Reason string `json:"reason"`
	// Allowance is what the allowance holds (1900), as the caller has read it: so much
	// of the principal needs no provision any more.
	Allowance money.Amount `json:"allowance"`
}

// Name is the command's word in the audit log.
func (ChargeOffOrder) Name() string { return "order.charge_off" }

// Keys is not there yet.
func (ChargeOffOrder) Keys(*State, Env) Keys { return Keys{} }

func (ChargeOffOrder) admit(*State, Env) *Rejection { return pending() }

func (ChargeOffOrder) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
