package resource

import (
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Transfer is one instruction to a bank or a card processor. Only the operator sees it.
type Transfer struct {
	ID              string         `json:"id" doc:"Identifier of the transfer." example:"trf_01KB0A4E7WAN3R1P9M8K6J4H2G"`
	Rail            string         `json:"rail" enum:"ACH,CARD" doc:"How it moves." example:"ACH"`
	Kind            string         `json:"kind" enum:"PAYMENT,REFUND,CREDIT,PAYOUT,CLAWBACK,PRENOTE,MICRO" doc:"Purpose. PAYMENT and CLAWBACK are debits. MICRO comes in threes: two deposits and the debit that takes both back." example:"PAYMENT"`
	CompanyID       *int64         `json:"company_id" nullable:"true" doc:"Counterparty company." example:"4821073356"`
	MerchantID      *string        `json:"merchant_id" nullable:"true" doc:"Counterparty merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	PaymentID       *string        `json:"payment_id" nullable:"true" doc:"The payment it collects or refunds." example:"pay_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	RefundID        *string        `json:"refund_id" nullable:"true" doc:"The refund of the payment." example:"rfd_01KN4C8D2F6H0K4M8P2R6T0V4X"`
	PayoutID        *string        `json:"payout_id" nullable:"true" doc:"The payout it delivers." example:"po_01KB0A4E7W9N3R1P9M8K6J4H2G"`
	PaymentMethodID *string        `json:"payment_method_id" nullable:"true" doc:"The company's account." example:"pm_01KA0B2D4F6H8K0M2P4R6T8V0X"`
	Debit           bool           `json:"debit" doc:"Whether it is a debit: a PAYMENT, a CLAWBACK, or the MICRO that takes micro-deposits back." example:"true"`
	Amount          money.Amount   `json:"amount" doc:"Amount; 0.00 for a prenote." example:"207.06"`
	Currency        string         `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Description     string         `json:"description" doc:"Statement descriptor." example:"LOAN PYMT"`
	Status          string         `json:"status" enum:"QUEUED,SENT,SETTLED,FAILED,RETURNED,CANCELED" doc:"Status." example:"SETTLED"`
	SendOn          calendar.Date  `json:"send_on" doc:"Day at whose cutoff it is sent." example:"2026-02-13"`
	SettlesOn       calendar.Date  `json:"settles_on" doc:"Settlement date." example:"2026-02-17"`
	ReleaseOn       *calendar.Date `json:"release_on" nullable:"true" doc:"Day it becomes good funds; null if it already is." example:"2026-02-20"`
	ReturnCode      *string        `json:"return_code" nullable:"true" doc:"Return or rejection code." example:"R01"`
	Reference       *string        `json:"reference" nullable:"true" doc:"The processor's charge ID." example:"ch_1"`
	CreatedAt       time.Time      `json:"created_at" doc:"When it was created." example:"2026-02-13T21:00:00Z"`
	UpdatedAt       time.Time      `json:"updated_at" doc:"When it last changed." example:"2026-02-17T13:30:00Z"`
	SentAt          *time.Time     `json:"sent_at" nullable:"true" doc:"When it was sent." example:"2026-02-13T21:00:00Z"`
	SettledAt       *time.Time     `json:"settled_at" nullable:"true" doc:"When it settled." example:"2026-02-17T13:30:00Z"`
}

// NewTransfer returns the resource of a transfer.
func NewTransfer(t *credit.Transfer) Transfer {
	w := Transfer{
		ID: t.ID, Rail: string(t.Rail), Kind: string(t.Kind), MerchantID: textIn(&t.Merchant), PaymentID: textIn(&t.Payment),
		RefundID: textIn(&t.Refund), PayoutID: textIn(&t.Payout), PaymentMethodID: textIn(&t.Method), Debit: t.Debit(), Amount: t.Amount, Currency: string(money.USD),
		Description: t.Entry, Status: string(t.Status), SendOn: t.SendOn, SettlesOn: t.SettlesOn, ReleaseOn: dateIn(&t.ReleaseOn),
		ReturnCode: textIn(&t.ReturnCode), Reference: textIn(&t.Reference), CreatedAt: instant(t.CreatedAt), UpdatedAt: instant(t.UpdatedAt),
		SentAt: instantIn(&t.SentAt), SettledAt: instantIn(&t.SettledAt),
	}
	if t.Company != 0 {
		w.CompanyID = &t.Company
	}
	return w
}

// Notice is an adverse action that a company must be notified of.
type Notice struct {
	ID         string        `json:"id" doc:"Identifier of the notice." example:"ntc_01KB0A4E7WBN3R1P9M8K6J4H2G"`
	Kind       string        `json:"kind" enum:"LINE_DECREASE,SUSPENSION,CLOSURE,RATE_INCREASE,FURTHER_REASONS" doc:"Action taken; FURTHER_REASONS: the company requested the reasons for an action." example:"SUSPENSION"`
	Asked      *string       `json:"asked_notice_id" nullable:"true" doc:"For FURTHER_REASONS, the notice the request refers to; otherwise null." example:"ntc_01KAZ0A4E7WBN3R1P9M8K6J4H2"`
	CompanyID  int64         `json:"company_id" doc:"Company to notify." example:"4821073356"`
	ActionAt   time.Time     `json:"action_at" doc:"When the action was taken; for FURTHER_REASONS, when the request was recorded." example:"2026-03-17T05:00:00Z"`
	ClockStart calendar.Date `json:"clock_start" doc:"Start of the notice period: date of the action or of the request." example:"2026-03-17"`
	DueOn      calendar.Date `json:"due_on" doc:"Deadline." example:"2026-04-16"`
	SentAt     *time.Time    `json:"sent_at" nullable:"true" doc:"When it was sent; null until then." example:"2026-03-18T15:00:00Z"`
	Channel    *string       `json:"channel" nullable:"true" doc:"How it was sent." example:"MAIL"`
	Reasons    []string      `json:"reasons" doc:"Reasons stated, at most four: codes or the lender's own text." example:"[\"credit_score\"]"`
	Evidence   *string       `json:"evidence" nullable:"true" doc:"Proof of sending." example:"tracking 9400"`
	Late       bool          `json:"late" doc:"Whether it was sent after the deadline, a reportable breach." example:"false"`
	Creditor   *Party        `json:"creditor" nullable:"true" doc:"The creditor as stated when it was sent, regardless of current settings; null until then, or if the settings were incomplete."`
	Contact    *string       `json:"contact" nullable:"true" doc:"Contact details stated; null with creditor, and if only the address was stated." example:"help@lender.example"`
	Regulator  *Party        `json:"regulator" nullable:"true" doc:"The regulator as stated when it was sent; null with creditor."`
	ECOAText   *int          `json:"ecoa_text_version" nullable:"true" doc:"Version of its Equal Credit Opportunity Act text; null with creditor." example:"1"`
	ErasedAt   *time.Time    `json:"erased_at" nullable:"true" doc:"When its content (reasons, evidence, creditor, contact and regulator) was erased after its retention period; null until then." example:"2028-04-18T04:00:00Z"`
}

// NewNotice returns the resource of a notice.
func NewNotice(n *credit.Notice) Notice {
	w := Notice{
		ID: n.ID, Kind: string(n.Kind), Asked: textIn(&n.Asked), CompanyID: n.Company, ActionAt: instant(n.ActionAt), ClockStart: n.ClockStart, DueOn: n.DueOn,
		SentAt: instantIn(&n.SentAt), Channel: textIn(&n.Channel), Reasons: append([]string{}, n.Reasons...), Evidence: textIn(&n.Evidence),
		Late: n.Late, ErasedAt: instantIn(&n.ErasedAt),
	}
	if s := n.Lender; s != nil {
		w.Creditor, w.Contact, w.Regulator, w.ECOAText = newParty(s.Creditor), textIn(&s.Contact), newParty(s.Regulator), &s.Text
	}
	return w
}

// Period is a closed month of the books.
type Period struct {
	Month    string       `json:"month" pattern:"^[0-9]{4}-[0-9]{2}$" doc:"The month." example:"2026-01"`
	ClosedAt time.Time    `json:"closed_at" doc:"When it was closed." example:"2026-02-02T15:00:00Z"`
	Debits   money.Amount `json:"debits" doc:"Sum of its debits, which equals its credits, without memo accounts." example:"4821.70"`
}

// NewPeriod returns the resource of a closed month.
func NewPeriod(p *credit.Period) Period {
	return Period{Month: Month(p.Month), ClosedAt: instant(p.ClosedAt), Debits: p.Debits}
}

// Month formats the month of a date: YYYY-MM.
func Month(day calendar.Date) string { return day.String()[:len("2026-01")] }

// BankLine is one line of the bank's statement for the lender's account.
type BankLine struct {
	ID        string        `json:"id" doc:"The bank's ID of the line." example:"20260217-3"`
	Date      calendar.Date `json:"date" doc:"Day of the line." example:"2026-02-17"`
	Amount    money.Amount  `json:"amount" doc:"Amount credited; negative for a debit." example:"207.06"`
	Reference *string       `json:"reference" nullable:"true" doc:"Bank's description." example:"ACH CREDIT"`
	MatchID   *string       `json:"match_id" nullable:"true" doc:"The match with its entries; null while unmatched." example:"mtc_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	Owner     *string       `json:"owner" nullable:"true" doc:"Assignee." example:"ann"`
	Note      *string       `json:"note" nullable:"true" doc:"Note." example:"asked the bank"`
}

// NewBankLine returns the resource of a line of the bank's statement.
func NewBankLine(l store.BankLine) BankLine {
	return BankLine{
		ID: l.ID, Date: l.Date, Amount: l.Amount, Reference: textIn(&l.Reference), MatchID: textIn(&l.Match), Owner: textIn(&l.Owner), Note: textIn(&l.Note),
	}
}

// BankLinesTaken reports the result of sending bank lines.
type BankLinesTaken struct {
	Lines   int `json:"lines" doc:"Number of lines sent." example:"12"`
	New     int `json:"new" doc:"Number of new lines." example:"12"`
	Matched int `json:"matched" doc:"Number of open lines, new or older, then matched." example:"11"`
}

// TrialBalance is the balance of every account on a day, by book date. The two sides of the
// memo accounts are totaled separately.
type TrialBalance struct {
	AsOf        calendar.Date `json:"as_of" doc:"As of this book date." example:"2026-01-31"`
	Currency    string        `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Lines       []TrialLine   `json:"lines" doc:"Accounts in order of number, without zero balances."`
	Debits      money.Amount  `json:"debits" doc:"Sum of debit balances." example:"4821.70"`
	Credits     money.Amount  `json:"credits" doc:"Sum of credit balances." example:"4821.70"`
	MemoDebits  money.Amount  `json:"memo_debits" doc:"The same for memo accounts." example:"0.00"`
	MemoCredits money.Amount  `json:"memo_credits" doc:"The same for memo accounts." example:"0.00"`
	Balanced    bool          `json:"balanced" doc:"Whether both sides are equal." example:"true"`
}

// LedgerBalances is the balance of one company or one merchant on each account.
type LedgerBalances struct {
	AsOf     calendar.Date `json:"as_of" doc:"As of this book date." example:"2026-01-31"`
	Currency string        `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Lines    []TrialLine   `json:"lines" doc:"Accounts with a balance, in order of number."`
}

// TrialLine is the balance of one account: a debit or a credit.
type TrialLine struct {
	Account     int          `json:"account" doc:"Number of the account." example:"1100"`
	AccountName string       `json:"account_name" doc:"Name of the account." example:"Loan principal"`
	Debit       money.Amount `json:"debit" doc:"The balance if it is a debit." example:"1200.00"`
	Credit      money.Amount `json:"credit" doc:"The balance if it is a credit." example:"0.00"`
}

// NewTrialLine returns a line of an account with a balance, debits positive.
func NewTrialLine(a ledger.Account, balance money.Amount) TrialLine {
	w := TrialLine{Account: int(a), AccountName: a.Name()}
	if balance < 0 {
		w.Credit = -balance
	} else {
		w.Debit = balance
	}
	return w
}

// BooksDryRun is what a call that involves no company would do.
type BooksDryRun[T any] struct {
	Result  T       `json:"result" doc:"The resource the call would return."`
	Entries []Entry `json:"entries" doc:"What the call would post."`
}
