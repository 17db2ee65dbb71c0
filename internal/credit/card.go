package credit

import (
	"tenor/internal/money"
)

// CompleteCharge records what the processor answered to a charge or a refund (F25).
type CompleteCharge struct {
	Transfer  string `json:"transfer"`
	Approved  bool   `json:"approved"`
	Code      string `json:"code"` // of a decline
	Message   string `json:"message"`
	Reference string `json:"reference"` // the processor's identifier
}

// Name is the command's word in the audit log.
func (CompleteCharge) Name() string { return "card.complete" }

// Keys is not there yet.
func (CompleteCharge) Keys(*State, Env) Keys { return Keys{} }

func (CompleteCharge) admit(*State, Env) *Rejection { return pending() }

func (CompleteCharge) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// SettleCharge records that the processor has paid a charge out, less its cost.
type SettleCharge struct {
	Transfer string       `json:"transfer"`
	Cost     money.Amount `json:"cost"`
}

// Name is the command's word in the audit log.
func (SettleCharge) Name() string { return "card.settle" }

// Keys is not there yet.
func (SettleCharge) Keys(*State, Env) Keys { return Keys{} }

func (SettleCharge) admit(*State, Env) *Rejection { return pending() }

func (SettleCharge) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// DisputeCharge records a chargeback with the network's fee, or, if Won, that it was won (F16, F25).
type DisputeCharge struct {
	Transfer string       `json:"transfer"`
	Won      bool         `json:"won"`
	Code     string       `json:"code"`
	Message  string       `json:"message"`
	Fee      money.Amount `json:"fee"`
}

// Name is the command's word in the audit log.
func (DisputeCharge) Name() string { return "card.dispute" }

// Keys is not there yet.
func (DisputeCharge) Keys(*State, Env) Keys { return Keys{} }

func (DisputeCharge) admit(*State, Env) *Rejection { return pending() }

func (DisputeCharge) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
