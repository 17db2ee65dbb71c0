package resource

import (
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// BankNotice is a message from a bank or a processor that needs review: it could not be
// processed, or it was and can be disputed or answered.
type BankNotice struct {
	ID           string         `json:"id" doc:"The notice's identifier." example:"bkn_QUNIL3JldHVybnMtMDIxOC5hY2gvNWYxYzllMDJhN2QzLTEuMQ"`
	Rail         string         `json:"rail" enum:"ACH,CARD" doc:"Rail: the bank's or the card processor's." example:"ACH"`
	Kind         string         `json:"kind" doc:"From a bank: RETURN, CHANGE (of an account), REJECT or ACK (of a file or an entry), UNREADABLE (a file), UNBUILT (an entry of ours that no file can hold); from a processor: SETTLED, REFUND_SETTLED, DISPUTE or DISPUTE_WON." example:"RETURN"`
	Code         *string        `json:"code" nullable:"true" doc:"The bank's code for it." example:"R01"`
	Message      *string        `json:"message" nullable:"true" doc:"Description; for an unreadable file, the cause." example:"Insufficient Funds"`
	FromFile     *string        `json:"from_file" nullable:"true" doc:"The bank's file it came in." example:"returns-0218.ach"`
	AboutFile    *string        `json:"about_file" nullable:"true" doc:"Our file it refers to." example:"achf_20260213_A"`
	Trace        *int64         `json:"trace" nullable:"true" doc:"Entry it refers to: the last seven digits of its trace number." example:"17"`
	Amount       *money.Amount  `json:"amount" nullable:"true" doc:"Amount of that entry." example:"207.06"`
	AccountLast4 *string        `json:"account_last4" nullable:"true" doc:"Last characters of the account number." example:"0201"`
	Reference    *string        `json:"reference" nullable:"true" doc:"The processor's charge ID." example:"pi_3Q"`
	TransferID   *string        `json:"transfer_id" nullable:"true" doc:"The transfer it is about, if one matches." example:"trf_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	ReceivedAt   time.Time      `json:"received_at" doc:"When it came." example:"2026-02-18T13:30:00Z"`
	Result       string         `json:"result" doc:"Why it needs review: unmatched (no transfer matches, or the file cannot be read), contradicted (it contradicts the books), between_banks (a dishonored or contested return), unusable (a correction without data), set_aside (an entry of ours was left out of its file because its account cannot be written in one), late (a return was processed after its deadline), disputed (a card dispute), or the code of the rejection." example:"unmatched"`
	DisputeBy    *calendar.Date `json:"dispute_by" nullable:"true" doc:"Last day to dispute a late return or to respond to a card dispute, if the processor sets one." example:"2026-02-25"`
	ReviewedAt   *time.Time     `json:"reviewed_at" nullable:"true" doc:"When it was reviewed; null while open." example:"2026-02-18T16:00:00Z"`
	ReviewedBy   *string        `json:"reviewed_by" nullable:"true" doc:"The API client that reviewed it; processor for a dispute that was won." example:"cli_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	ReviewNote   *string        `json:"review_note" nullable:"true" doc:"What was done about it." example:"Not ours: the bank takes it back."`
}

// NewBankNotice returns the resource of a notice, with its details and the last day to
// dispute or answer it, calendar.None if there is none.
func NewBankNotice(n *store.BankNotice, said store.NoticeDetails, disputeBy calendar.Date) BankNotice {
	from, ref := n.From(), said.Reference
	w := BankNotice{
		ID: n.Ref(), Rail: string(n.Rail), Kind: n.Kind, Code: textIn(&n.Code), Message: textIn(&said.Message), FromFile: textIn(&from), AboutFile: textIn(&said.File),
		AccountLast4: textIn(&said.Last4), Reference: textIn(&ref), TransferID: textIn(&n.Transfer), ReceivedAt: instant(n.At), Result: n.Result, DisputeBy: dateIn(&disputeBy),
		ReviewedAt: instantIn(&n.ReviewedAt), ReviewedBy: textIn(&n.ReviewedBy), ReviewNote: textIn(&n.ReviewNote),
	}
	if said.Trace != 0 {
		w.Trace, w.Amount = &said.Trace, &said.Amount
	}
	return w
}
