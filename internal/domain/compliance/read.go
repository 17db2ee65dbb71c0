package compliance

import (
	"time"

	"tenor/internal/domain/credit"
)

// RecordRead says that somebody has read personal data. It changes nothing: its row in the
// audit log, in the name of who has read, is all that comes of it.
type RecordRead struct {
	Operation string    `json:"operation"` // of the API
	Object    string    `json:"object"`    // that was read; "" of a list
	Company   int64     `json:"company"`   // that it is about, 0 if that is not known
	Listed    []string  `json:"listed"`    // identifiers of what a list has shown
	At        time.Time `json:"at"`        // wall clock
}

// Read is what RecordRead tells of.
type Read struct {
	Object  string
	Company int64
}

func (RecordRead) Name() string { return "personal_data.read" }

// Keys requests nothing: what was read may be gone.
func (RecordRead) Keys(*credit.State, credit.Env) credit.Keys { return credit.Keys{} }

func (RecordRead) Admit(*credit.State, credit.Env) *credit.Rejection { return nil }

func (c RecordRead) Decide(*credit.State, credit.Env) (credit.Changes, *credit.Rejection) {
	return credit.Changes{Result: Read{Object: c.Object, Company: c.Company}}, nil
}
