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

// BankNotice is one thing that came from a bank or a processor.
type BankNotice struct {
	Rail     credit.Method
	ID       string // unique on its rail: file and position, or the processor's event id
	Kind     string // RETURN, CHANGE, REJECT, ACK, SETTLED, DISPUTE, … or UNREADABLE
	Transfer string // that it is about, "" if none was found
	Code     string
	Payload  []byte // JSON, a NoticeDetails and more; account numbers in it are sealed
	At       time.Time
	ClosedAt time.Time // when it was dealt with; zero while open
	Result   string    // of that: a Notice… word, or the code of a refusal

	ReviewedAt time.Time // zero until a person has seen to what was left to one
	ReviewedBy string
	ReviewNote string
}

// What has become of a notice. Any other result is the code with which the command that
// it asks for was refused.
const (
	NoticeDone    = "done"
	NoticeIgnored = "ignored" // nothing is to be done about it
	// NoticeLate is a return that was dealt with and came after its deadline: it can be
	// disputed (F22).
	NoticeLate = "late"
	// NoticeDisputed is a chargeback that was booked: a person answers it, or lets it be
	// (F25).
	NoticeDisputed     = "disputed"
	NoticeUnmatched    = "unmatched"     // no transfer was found, or the file cannot be read
	NoticeContradicted = "contradicted"  // what the bank cannot mean
	NoticeBetweenBanks = "between_banks" // banks dispute a return: where the money is only they can say
	// NoticeSetAside is an entry of ours that no file can hold: it was left out of its file,
	// which went with the rest, and its transfer has failed or waits (F41.11).
	NoticeSetAside = "set_aside"
	NoticeUnusable = "unusable" // a change of an account, with nothing to change it to
)

// NoticeUnbuilt is the kind of the notice that we write ourselves, of an entry that no file
// can hold.
const NoticeUnbuilt = "UNBUILT"

// NoticeUnreadable is the kind of the notice of a file that nobody can read.
const NoticeUnreadable = "UNREADABLE"

// Left reports that a notice needs review: it was dealt with, and not by doing what
// it says.
func (n *BankNotice) Left() bool {
	return n.Result != "" && n.Result != NoticeDone && n.Result != NoticeIgnored
}

// Waits reports that no person has seen to it yet.
func (n *BankNotice) Waits() bool { return n.Left() && n.ReviewedAt.IsZero() }

// Key names a notice on all rails.
func (n *BankNotice) Key() string { return NoticeKey(n.Rail, n.ID) }

// NoticeKey is the key of the notice that has an identifier on a rail.
func NoticeKey(rail credit.Method, id string) string { return string(rail) + "/" + id }

// refPrefix begins the identifier under which the API shows a notice.
const refPrefix = "bkn_"

// Ref is the identifier of a notice in addresses: its key, which a bank's file names may
// give any letters.
func (n *BankNotice) Ref() string {
	return refPrefix + base64.RawURLEncoding.EncodeToString([]byte(n.Key()))
}

// NoticeOfRef is the rail and the identifier of the notice that has a Ref, false if no
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

// From is the name of the file that held the notice, "" if it came in none.
func (n *BankNotice) From() string {
	i := strings.LastIndexByte(n.ID, '/')
	if n.Rail != credit.ACH || i < 0 || n.Kind == NoticeUnbuilt {
		return ""
	}
	return n.ID[:i]
}

// NoticeDetails is what is kept of what was said, besides what a BankNotice has members
// for.
type NoticeDetails struct {
	File      string       `json:"file,omitempty"`  // of ours, that the bank speaks of
	Trace     int64        `json:"trace,omitempty"` // of our entry
	Amount    money.Amount `json:"amount"`
	Message   string       `json:"message,omitempty"`
	Cost      money.Amount `json:"cost"`
	Reference string       `json:"reference,omitempty"` // the processor's, of a charge
	Key       string       `json:"key,omitempty"`       // with which a charge was made, if no transfer has it
	Last4     string       `json:"last4,omitempty"`     // of the account that a return names
	AnswerBy  time.Time    `json:"answer_by,omitzero"`  // until when the processor takes an answer to a dispute, if it says so
}

// Details reads what was said; of a notice without a payload nothing.
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
	Waiting bool // only those that no person has seen to
}
