package credit

// WaiveFee waives what is unpaid of a fee.
type WaiveFee struct {
	Order  string `json:"order"`
	Fee    string `json:"fee"`
	Reason string `json:"reason"`
}

// Name is the command's word in the audit log.
func (WaiveFee) Name() string { return "fee.waive" }

// Keys is not there yet.
func (WaiveFee) Keys(*State, Env) Keys { return Keys{} }

func (WaiveFee) admit(*State, Env) *Rejection { return pending() }

func (WaiveFee) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
