package store

import "context"

// Envelope is a sealed value that no command wrote, and its replacement. Key is that of its
// row: the name of a setting, the client and key of an answer, the rail and id of a bank
// notice.
type Envelope struct {
	Table EnvelopeTable
	Key   [2]string
	Was   []byte // the whole column as it was read
	Value []byte
}

// EnvelopeTable is a table with envelopes that no command wrote.
type EnvelopeTable string

// The tables with such envelopes, and the columns that hold them.
const (
	SettingEnvelopes EnvelopeTable = "settings"     // value
	AnswerEnvelopes  EnvelopeTable = "idempotency"  // body; the answer is marked as sealed
	NoticeEnvelopes  EnvelopeTable = "bank_notices" // payload
	VaultEnvelopes   EnvelopeTable = "vault"        // sealed
)

// Resealer replaces envelopes (A62).
type Resealer interface {
	// Reseal replaces values, each only if it is still the one that was read, and returns
	// how many it replaced. Rows that changed meanwhile are left for the next run. An
	// answer may change only in its body, a notice only in its account data; anything else
	// is ErrRefused.
	Reseal(ctx context.Context, list []Envelope) (n int, err error)
}
