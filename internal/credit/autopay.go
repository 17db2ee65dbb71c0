package credit

// SetAutopay switches a company's standing order to debit installments on or off.
type SetAutopay struct {
	Company int64    `json:"company_id"`
	IfMatch []string `json:"if_match"`
	Enabled *bool    `json:"enabled"`
	Method  *string  `json:"payment_method_id"`
}

// Name is the command's word in the audit log.
func (SetAutopay) Name() string { return "company.autopay" }

// Keys is not there yet.
func (SetAutopay) Keys(*State, Env) Keys { return Keys{} }

func (SetAutopay) admit(*State, Env) *Rejection { return pending() }

func (SetAutopay) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }

// SetOrderAutopay switches autopay off, or on again, for one order.
type SetOrderAutopay struct {
	Order   string `json:"order"`
	Enabled bool   `json:"enabled"`
}

// Name is the command's word in the audit log.
func (SetOrderAutopay) Name() string { return "order.autopay" }

// Keys is not there yet.
func (SetOrderAutopay) Keys(*State, Env) Keys { return Keys{} }

func (SetOrderAutopay) admit(*State, Env) *Rejection { return pending() }

func (SetOrderAutopay) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
