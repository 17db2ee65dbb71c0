package store

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// BankNotice is one message from a bank or a processor.
type BankNotice struct {
	Rail     credit.Method
	ID       string // unique per rail: file and position, or the processor's event id
	Kind     string // RETURN, CHANGE, REJECT, ACK, SETTLED, DISPUTE, … or UNREADABLE
	Transfer string // the transfer it concerns, "" if none was found
	Code     string
	Payload  []byte // JSON, a NoticeDetails and more; account numbers in it are sealed
	At       time.Time
	ClosedAt time.Time // when it was handled; zero while open
	Result   string    // outcome: a Notice… word, or the code of a refusal

	ReviewedAt time.Time // zero until a person has reviewed a notice left to one
	ReviewedBy string
	ReviewNote string
}

// Results of a notice. Any other result is the code with which its command was refused.
const (
	NoticeDone    = "done"
	NoticeIgnored = "ignored" // no action is needed
	// NoticeLate is a return that was processed but came after its deadline: it can be
	// disputed (F22).
	NoticeLate = "late"
	// NoticeDisputed is a chargeback that was booked: a person contests or accepts it
	// (F25).
	NoticeDisputed     = "disputed"
	NoticeUnmatched    = "unmatched"     // no transfer was found, or the file cannot be read
	NoticeContradicted = "contradicted"  // the bank cannot have meant this
	NoticeBetweenBanks = "between_banks" // banks dispute a return: only they know where the money is
	// NoticeSetAside is an entry of ours that no file can hold. The file was sent without
	// it, and its transfer has failed or waits (F41.11).
	NoticeSetAside = "set_aside"
	NoticeUnusable = "unusable" // an account change that names no new data
)

// NoticeUnbuilt is the kind of the notice that we write ourselves for an entry that no file
// can hold.
const NoticeUnbuilt = "UNBUILT"

// NoticeUnreadable is the kind of the notice of an unreadable file.
const NoticeUnreadable = "UNREADABLE"

// Left reports whether a notice needs review: it was closed without doing what it says.
func (n *BankNotice) Left() bool {
	return n.Result != "" && n.Result != NoticeDone && n.Result != NoticeIgnored
}

// Waits reports whether a notice still needs a person's review.
func (n *BankNotice) Waits() bool { return n.Left() && n.ReviewedAt.IsZero() }

// Key identifies a notice across rails.
func (n *BankNotice) Key() string { return NoticeKey(n.Rail, n.ID) }

// NoticeKey returns the key of the notice with an identifier on a rail.
func NoticeKey(rail credit.Method, id string) string { return string(rail) + "/" + id }

// refPrefix starts the identifier under which the API shows a notice.
const refPrefix = "bkn_"

// Ref is the identifier of a notice in URLs: its encoded key, because a bank's file names
// may contain any character.
func (n *BankNotice) Ref() string {
	return refPrefix + base64.RawURLEncoding.EncodeToString([]byte(n.Key()))
}

// NoticeOfRef returns the rail and identifier of the notice with a Ref, or false if no
// notice can have it.
func NoticeOfRef(ref string) (rail credit.Method, id string, ok bool) {
	text, ok := strings.CutPrefix(ref, refPrefix)
	if !ok {
		return "", "", false
	}
	key, err := base64.RawURLEncoding.Strict().DecodeString(text)
	before, id, cut := strings.Cut(string(key), "/")
	rail = credit.Method(before)
	return rail, id, err == nil && cut && utf8.Valid(key) && (rail == credit.ACH || rail == credit.Card)
}

// From is the name of the file that contained the notice, "" if it did not come in a file.
func (n *BankNotice) From() string {
	i := strings.LastIndexByte(n.ID, '/')
	if n.Rail != credit.ACH || i < 0 || n.Kind == NoticeUnbuilt {
		return ""
	}
	return n.ID[:i]
}

// NoticeDetails is the part of the bank's message that a BankNotice has no fields for.
type NoticeDetails struct {
	File      string       `json:"file,omitempty"`  // our file that the bank refers to
	Trace     int64        `json:"trace,omitempty"` // of our entry
	Amount    money.Amount `json:"amount"`
	Message   string       `json:"message,omitempty"`
	Cost      money.Amount `json:"cost"`
	Reference string       `json:"reference,omitempty"` // the processor's reference for a charge
	Key       string       `json:"key,omitempty"`       // idempotency key of a charge, if no transfer has it
	Last4     string       `json:"last4,omitempty"`     // of the account that a return names
	AnswerBy  time.Time    `json:"answer_by,omitzero"`  // the processor's deadline for contesting a dispute, if it gives one
}

// Details decodes the bank's message; a notice without a payload has none.
func (n *BankNotice) Details() (d NoticeDetails, err error) {
	if len(n.Payload) == 0 {
		return d, nil
	}
	if err = json.Unmarshal(n.Payload, &d); err != nil {
		return d, fmt.Errorf("read notice %s: %w", n.Key(), err)
	}
	return d, nil
}

// BankNoticeFilter narrows a list of notices; a zero member does not.
type BankNoticeFilter struct {
	Waiting bool // only those not yet reviewed
}
