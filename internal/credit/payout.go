package credit

import (
	"tenor/internal/money"
)

// PayMerchant puts what waits for a merchant into a payout: at most MaxLines lines, clawbacks and collected money netted, the rest carried (F32). It makes none if nothing that adds to a payout waits. Result is the *Payout, or the *Merchant if none was made.
type PayMerchant struct {
	Merchant string `json:"merchant"`
}

// Name is the command's word in the audit log.
func (PayMerchant) Name() string { return "payout.run" }

// Keys is not there yet.
func (PayMerchant) Keys(*State, Env) Keys { return Keys{} }

func (PayMerchant) admit(*State, Env) *Rejection { return pending() }

func (PayMerchant) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// AgeClawbacks debits clawbacks that have not been netted in time from the merchant's account if the agreement allows, and writes off those that are too old (F32).
type AgeClawbacks struct {
	Merchant string `json:"merchant"`
}

// Name is the command's word in the audit log.
func (AgeClawbacks) Name() string { return "payout.age" }

// Keys is not there yet.
func (AgeClawbacks) Keys(*State, Env) Keys { return Keys{} }

func (AgeClawbacks) admit(*State, Env) *Rejection { return pending() }

func (AgeClawbacks) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// RemitCollected records money that a merchant has sent for what it had collected (F33), oldest first.
type RemitCollected struct {
	Merchant  string       `json:"merchant"`
	Amount    money.Amount `json:"amount"`
	Reference string       `json:"reference"`
}

// Name is the command's word in the audit log.
func (RemitCollected) Name() string { return "payout.remit" }

// Keys is not there yet.
func (RemitCollected) Keys(*State, Env) Keys { return Keys{} }

func (RemitCollected) admit(*State, Env) *Rejection { return pending() }

func (RemitCollected) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
