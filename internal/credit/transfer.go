package credit

import (
	"tenor/internal/money"
)

// ServiceTransfer does what time alone brings to a transfer: it is sent at its cut-off, settled on its settlement date, and its money becomes good (F22, F24). It does all that is due, in order, and nothing twice.
type ServiceTransfer struct {
	Transfer string `json:"transfer"`
}

// Name is the command's word in the audit log.
func (ServiceTransfer) Name() string { return "transfer.service" }

// Keys is not there yet.
func (ServiceTransfer) Keys(*State, Env) Keys { return Keys{} }

func (ServiceTransfer) admit(*State, Env) *Rejection { return pending() }

func (ServiceTransfer) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// RejectTransfer records that the bank did not take a transfer: nothing has settled.
type RejectTransfer struct {
	Transfer string `json:"transfer"`
	Code     string `json:"code"`
	Message  string `json:"message"`
}

// Name is the command's word in the audit log.
func (RejectTransfer) Name() string { return "transfer.reject" }

// Keys is not there yet.
func (RejectTransfer) Keys(*State, Env) Keys { return Keys{} }

func (RejectTransfer) admit(*State, Env) *Rejection { return pending() }

func (RejectTransfer) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// ReturnTransfer records that a transfer came back with a return code (F16, F23). The same return again changes nothing.
type ReturnTransfer struct {
	Transfer string       `json:"transfer"`
	Code     string       `json:"code"` // R01 …
	Message  string       `json:"message"`
	Cost     money.Amount `json:"cost"` // that the bank charges for it, to 5010
}

// Name is the command's word in the audit log.
func (ReturnTransfer) Name() string { return "transfer.return" }

// Keys is not there yet.
func (ReturnTransfer) Keys(*State, Env) Keys { return Keys{} }

func (ReturnTransfer) admit(*State, Env) *Rejection { return pending() }

func (ReturnTransfer) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
