package client

import "encoding/json"

// Preview is what a dry run would have done.
type Preview struct {
	Raw
	Result     json.RawMessage  `json:"result"` // the resource that the call would return
	Schedule   *Schedule        `json:"schedule"`
	Entries    []Entry          `json:"entries"`
	CreditLine CreditLineChange `json:"credit_line"`
}
