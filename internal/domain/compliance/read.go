package compliance

import (
	"time"

	"tenor/internal/domain/credit"
)

// RecordRead records that somebody has read personal data. It changes nothing: its only effect
// is its row in the audit log, under the reader's name.
type RecordRead struct {
	Operation string    `json:"operation"` // of the API
	Object    string    `json:"object"`    // that was read; "" for a list
	Company   int64     `json:"company"`   // that it is about, 0 if unknown
	Listed    []string  `json:"listed"`    // identifiers that a list showed
	At        time.Time `json:"at"`        // wall clock
}

// Read is the result of RecordRead.
type Read struct {
	Object  string
	Company int64
}

func (RecordRead) Name() string { return "personal_data.read" }

// Keys requests nothing: what was read may no longer exist.
func (RecordRead) Keys(*credit.State, credit.Env) credit.Keys { return credit.Keys{} }

func (RecordRead) Admit(*credit.State, credit.Env) *credit.Rejection { return nil }

func (c RecordRead) Decide(*credit.State, credit.Env) (credit.Changes, *credit.Rejection) {
	return credit.Changes{Result: Read{Object: c.Object, Company: c.Company}}, nil
}
