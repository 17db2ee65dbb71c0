package credit

// HoldOrder puts an order on dispute hold, or ends the hold: no autopay, no late fee, and its days do not count as past due (F15).
type HoldOrder struct {
	Order  string `json:"order"`
	Days   int    `json:"days"` // 0: ends the running hold
	Reason string `json:"reason"`
}

// Name is the command's word in the audit log.
func (HoldOrder) Name() string { return "order.hold" }

// Keys is not there yet.
func (HoldOrder) Keys(*State, Env) Keys { return Keys{} }

func (HoldOrder) admit(*State, Env) *Rejection { return pending() }

func (HoldOrder) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
