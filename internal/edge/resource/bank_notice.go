package resource

import (
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// BankNotice is what a bank or a processor said, and what was left to a person: nobody
// could use it, or it was done and can be disputed or answered.
type BankNotice struct {
	ID           string         `json:"id" doc:"The notice's identifier." example:"bkn_QUNIL3JldHVybnMtMDIxOC5hY2gvNWYxYzllMDJhN2QzLTEuMQ"`
	Rail         string         `json:"rail" enum:"ACH,CARD" doc:"Whose rail it is: the bank's, or the card processor's." example:"ACH"`
	Kind         string         `json:"kind" doc:"RETURN, CHANGE (of an account), REJECT or ACK (of a file or an entry), UNREADABLE (a file), UNBUILT (an entry of ours that no file can hold); of a processor SETTLED, REFUND_SETTLED, DISPUTE or DISPUTE_WON." example:"RETURN"`
	Code         *string        `json:"code" nullable:"true" doc:"The bank's code for it." example:"R01"`
	Message      *string        `json:"message" nullable:"true" doc:"What was said; of a file that cannot be read, why." example:"Insufficient Funds"`
	FromFile     *string        `json:"from_file" nullable:"true" doc:"The file in which the bank said it." example:"returns-0218.ach"`
	AboutFile    *string        `json:"about_file" nullable:"true" doc:"The file of ours that it speaks of." example:"achf_20260213_A"`
	Trace        *int64         `json:"trace" nullable:"true" doc:"Number of the entry that it speaks of: the last seven digits of its trace number." example:"17"`
	Amount       *money.Amount  `json:"amount" nullable:"true" doc:"Amount of that entry." example:"207.06"`
	AccountLast4 *string        `json:"account_last4" nullable:"true" doc:"Last characters of the account that it names." example:"0201"`
	Reference    *string        `json:"reference" nullable:"true" doc:"The processor's identifier of the charge." example:"pi_3Q"`
	TransferID   *string        `json:"transfer_id" nullable:"true" doc:"The transfer that it is about, if one fits." example:"trf_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	ReceivedAt   time.Time      `json:"received_at" doc:"When it came." example:"2026-02-18T13:30:00Z"`
	Result       string         `json:"result" doc:"Why it was left to a person: unmatched (no transfer fits, or the file cannot be read), contradicted (the bank cannot mean it), between_banks (banks dispute a return), unusable (a correction that names nothing), set_aside (an entry of ours was left out of its file: its account cannot be named in one), late (a return that was done and came after its deadline), disputed (a charge of a card that its holder disputes), or the code with which what it asks for was refused." example:"unmatched"`
	DisputeBy    *calendar.Date `json:"dispute_by" nullable:"true" doc:"Last day to dispute a late return, or to answer the dispute of a charge if the processor has named one." example:"2026-02-25"`
	ReviewedAt   *time.Time     `json:"reviewed_at" nullable:"true" doc:"When a person has seen to it; null while it waits." example:"2026-02-18T16:00:00Z"`
	ReviewedBy   *string        `json:"reviewed_by" nullable:"true" doc:"The API client that has said so; processor for a dispute that was won." example:"cli_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
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
