package store

import "context"

// Envelope is a sealed value that no command has written, with what is to stand in its
// place. It is named by the key of its row: of a setting its name, of an answer client and
// key, of a bank's notice rail and id.
type Envelope struct {
	Table EnvelopeTable
	Key   [2]string
	Was   []byte // the whole column as it was read
	Value []byte
}

// EnvelopeTable is a table with envelopes that no command has written.
type EnvelopeTable string

// The tables of envelopes, and the columns that hold them.
const (
	SettingEnvelopes EnvelopeTable = "settings"     // value
	AnswerEnvelopes  EnvelopeTable = "idempotency"  // body; the answer is sealed from then on
	NoticeEnvelopes  EnvelopeTable = "bank_notices" // payload
	VaultEnvelopes   EnvelopeTable = "vault"        // sealed
)

// Resealer replaces envelopes (A62).
type Resealer interface {
	// Reseal puts values in the place of others, each of them only if it still is the one
	// that was read, and counts those that it has replaced. What is left out by a row that
	// has changed is for the next time. An answer keeps all but its body, a notice all but
	// what it says of an account: else ErrRefused.
	Reseal(ctx context.Context, list []Envelope) (n int, err error)
}
