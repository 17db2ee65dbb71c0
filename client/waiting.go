package client

import (
	"encoding/json"
	"fmt"
)

// Waiting is the error of a call whose act waits for a second person at the lender (202): nothing
// is done yet. Only clients of the lender get it.
type Waiting struct {
	Approval Approval
	// IdempotencyKey is the key of the call, "" if it had none. A repeat with it is answered the
	// same, also once the act was approved: see Approval.
	IdempotencyKey string
}

func (w *Waiting) Error() string {
	return fmt.Sprintf("not done yet: waits for a second person as %s, until %s", w.Approval.ID, w.Approval.ExpiresAt.Format("2006-01-02 15:04 MST"))
}

// newWaiting decodes the answer 202.
func newWaiting(r *Response) error {
	w := &Waiting{IdempotencyKey: r.IdempotencyKey}
	if err := json.Unmarshal(r.Body, &w.Approval); err != nil || w.Approval.ID == "" {
		return fmt.Errorf("the server accepted the call without doing it, and does not say what it waits for")
	}
	return w
}
