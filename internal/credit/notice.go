package credit

// SendNotice records that a company has been told of an adverse action (F28).
type SendNotice struct {
	Notice   string `json:"notice"`
	Channel  string `json:"channel"`
	Evidence string `json:"evidence"`
}

// Name is the command's word in the audit log.
func (SendNotice) Name() string { return "notice.send" }

// Keys is not there yet.
func (SendNotice) Keys(*State, Env) Keys { return Keys{} }

func (SendNotice) admit(*State, Env) *Rejection { return pending() }

func (SendNotice) decide(*State, Env) (Changes, *Rejection) { return Changes{}, pending() }
