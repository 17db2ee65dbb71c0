package credit

import (
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// PaymentMethod is an account of a company that can be debited or credited, with
// the debtor's authorization. Accounts are sealed by the edge; the domain never sees one in
// the clear.
type PaymentMethod struct {
	ID             string // pm_…
	Company        int64
	Merchant       string // whose client added it, "" for the operator
	Type           Method // ACH or CARD
	Status         MethodStatus
	DisabledReason string // a return code, or a word of DisabledBy…; "" unless DISABLED
	Bank           *BankAccount
	Card           *CardAccount
	Authorization  Authorization
	Verification   *Verification // micro-deposits on their way, nil if none were asked for
	Standing       Standing      // how it came to be verified, and the company's own consent
	FirstSettled   calendar.Date // settlement of its first debit, None before: that one's funds are held longer (F24)
	CreatedAt      time.Time
	UpdatedAt      time.Time
	Version        int
}

// MethodStatus is one of the statuses of a payment method.
type MethodStatus string

// Payment method statuses. Only an ACTIVE one is debited.
const (
	MethodUnverified MethodStatus = "UNVERIFIED" // waits for its micro-deposits or its prenote
	MethodActive     MethodStatus = "ACTIVE"
	MethodDisabled   MethodStatus = "DISABLED"
)

// Why a payment method is disabled, besides the code of a return.
const (
	DisabledRemoved  = "removed"
	DisabledUnproven = "not_verified" // three wrong answers, or ten days (F22)
)

// BankAccount is an account at a bank of the United States. Its routing number, its number
// and its holder's name are sealed together (AccountDetails).
type BankAccount struct {
	Last4       string `json:"last4"`
	AccountType string `json:"account_type"` // CHECKING or SAVINGS
	HolderType  string `json:"holder_type"`  // BUSINESS or CONSUMER: decides the SEC code (F22)
	Sealed      []byte `json:"sealed"`       // with the deployment's key
	Fingerprint string `json:"fingerprint"`  // blind index of routing and account number: equal for the same account
	// BareHash is the blind index of the account without the zeros before its number, ""
	// if there are none: banks take both for one account.
	BareHash string `json:"bare_hash,omitzero"`
	Holder   string `json:"holder,omitzero"` // blind index of the holder's name; "": a merchant's own, or none that was given
	// CorrectedBy is the day on which the entry was sent whose answer has corrected the
	// account last (F22), 0 if none has: an answer to an earlier entry is older.
	CorrectedBy calendar.Date `json:"corrected_by,omitzero"`
}

// CardAccount is a processor's token for a card, and what may be shown of it (F25).
type CardAccount struct {
	Token    string `json:"token"`
	Mandate  string `json:"mandate"`
	Brand    string `json:"brand"`
	Last4    string `json:"last4"`
	ExpMonth int    `json:"exp_month"`
	ExpYear  int    `json:"exp_year"`
	Debit    bool   `json:"debit"`
}

// Authorization is the debtor's consent to debits.
type Authorization struct {
	Channel    string    `json:"channel"` // WEB or WRITTEN
	AcceptedAt time.Time `json:"accepted_at"`
	Reference  string    `json:"reference"`
}

// Verification is a pair of micro-deposits that the holder is to name (F22).
type Verification struct {
	Amounts   []money.Amount `json:"amounts"` // two, each below 1.00
	Tries     int            `json:"tries"`
	ExpiresOn calendar.Date  `json:"expires_on"`
}

// TriesLeft is how often the amounts may still be named.
func (v *Verification) TriesLeft() int { return VerificationTries - v.Tries }

// Transfer is one instruction to a rail: money that is to move between the lender
// and a company's or a merchant's account. A payment, a refund of one, credit that
// is sent back and a payout each have one; a retry is a new payment with its own.
type Transfer struct {
	ID        string // trf_…
	Rail      Method // ACH or CARD
	Kind      TransferKind
	Company   int64  // 0 of a merchant's
	Merchant  string // of a PAYOUT or a CLAWBACK, else ""
	Payment   string // that it collects or pays back, "" if none
	Refund    string // of that payment, "" if none
	Payout    string // "" if none
	Method    string // payment method, "" of a merchant's account
	Amount    money.Amount
	Entry     string // company entry description (F22): LOAN PYMT, RETRY PYMT, PAYOUT, …
	Status    TransferStatus
	SendOn    calendar.Date // banking day at whose cut-off it is sent
	SettlesOn calendar.Date // effective entry date
	ReleaseOn calendar.Date // day on which the money is good (F24), None if it is at once or is released
	// NextAt is when time alone next changes it: the cut-off, the settlement, the
	// release. Zero when nothing is to come.
	NextAt     time.Time
	ReturnCode string // of a return or a rejection
	Reference  string // the processor's identifier of a card charge
	// Charge is the transfer that this one undoes: of a refund to a card the one whose charge
	// it goes back to, of the debit that takes micro-deposits back the first of them. "" of
	// others.
	Charge string
	// Back is what has been sent back to a card's charge, as refunds of its payment or as
	// credit; what the processor declined is taken off again.
	Back      money.Amount
	CreatedAt time.Time
	UpdatedAt time.Time
	SentAt    time.Time
	SettledAt time.Time
	Version   int
}

// MaxTransfer is what one transfer moves at most: 99,999,999.99, for an entry of a bank's
// file has ten digits for its cents (F22). It is more than a caller may ask for at once,
// because a payout and an installment with its charge may be.
const MaxTransfer money.Amount = 99_999_999_99

// Debit reports that the transfer takes money from the other side.
func (t *Transfer) Debit() bool {
	return t.Kind == TransferPayment || t.Kind == TransferClawback || t.Kind == TransferMicro && t.Charge != ""
}

// TransferKind says what a transfer is for.
type TransferKind string

// The kinds of transfers.
const (
	TransferPayment  TransferKind = "PAYMENT"  // debit of a company
	TransferRefund   TransferKind = "REFUND"   // a payment, or a part of it, goes back (F35)
	TransferCredit   TransferKind = "CREDIT"   // unapplied credit goes back: a payment with direction OUT (F36)
	TransferPayout   TransferKind = "PAYOUT"   // to a merchant (F32)
	TransferClawback TransferKind = "CLAWBACK" // debit of a merchant (F32)
	TransferPrenote  TransferKind = "PRENOTE"  // no money: asks whether the account is there (F22)
	TransferMicro    TransferKind = "MICRO"    // a micro-deposit, or the debit that takes two of them back (F22)
)

// TransferStatus is one of the statuses of a transfer.
type TransferStatus string

// Transfer statuses: QUEUED → SENT → SETTLED → RETURNED; QUEUED → CANCELED;
// SENT → FAILED.
const (
	TransferQueued   TransferStatus = "QUEUED"
	TransferSent     TransferStatus = "SENT"
	TransferSettled  TransferStatus = "SETTLED"
	TransferFailed   TransferStatus = "FAILED"   // rejected before settlement, or a card declined
	TransferReturned TransferStatus = "RETURNED" // came back after settlement
	TransferCanceled TransferStatus = "CANCELED"
)

// OpenDebit is a debit of an order that has no outcome yet: its items are not
// collected again, and if it takes effect by their due date they are not late meanwhile
// (F10, F12).
type OpenDebit struct {
	Payment string         `json:"payment"`
	Items   []schedule.Ref `json:"items"` // ear-marked; nil: by the waterfall
	Amount  money.Amount   `json:"amount"`
	On      calendar.Date  `json:"on"` // its effective date if it settles as planned
}

// Reopening is the last day on which a payment's refund opened a row again that was due
// already (F35).
type Reopening struct {
	Installment int           `json:"installment"`
	On          calendar.Date `json:"on"`
}

// Hold is a span of days on which an order is disputed (F15): From is its first
// day, To the day on which it ended or will end.
type Hold struct {
	From calendar.Date `json:"from"`
	To   calendar.Date `json:"to"`
}

// Servicing is what is kept of an order's life after capture besides its loan.
type Servicing struct {
	NoAutopay    bool           `json:"no_autopay,omitzero"` // switched off for this order alone
	Open         []OpenDebit    `json:"open,omitzero"`
	Stopped      []schedule.Ref `json:"stopped,omitzero"`  // items that autopay leaves for review: retries used up, money given back, no account to debit (F12, F23, F35)
	Consent      *Consent       `json:"consent,omitzero"`  // what their collection needs besides that person, nil if nothing
	Reopened     []Reopening    `json:"reopened,omitzero"` // due rows of which money was given back: days of grace count from then (F35)
	Holds        []Hold         `json:"holds,omitzero"`
	Nonaccrual   bool           `json:"nonaccrual,omitzero"`    // F18
	CurrentSince calendar.Date  `json:"current_since,omitzero"` // while Nonaccrual: since when no item is late; 0 (1970-01-01) if one is
	Proposed     bool           `json:"proposed,omitzero"`      // charge-off has been proposed (F17)
	ProposedFor  ReportKind     `json:"proposed_for,omitzero"`  // by which report of the company; "" by lateness
	// ChargedOff is the date of the charge-off, 0 before; ChargedOffSeq the place of its
	// money event on that date. What happens after it is a recovery.
	ChargedOff    calendar.Date `json:"charged_off,omitzero"`
	ChargedOffSeq int64         `json:"charged_off_seq,omitzero"`
	CollectedFor  calendar.Date `json:"collected_for,omitzero"` // last collection date for which autopay has been built, 0 before the first
	ServedTo      calendar.Date `json:"served_to,omitzero"`     // last business date that the daily run has brought it to, 0 before the first
	Held          []string      `json:"held,omitzero"`          // payments for it of which a merchant holds money (F41.4)
	// Withdrawn are the days, of the last thirty, on which reports of money were taken back
	// that count against the merchant (F41.5).
	Withdrawn []calendar.Date `json:"withdrawn,omitzero"`
	// CapturedBefore is what was captured in parts before this order's own capture: of a
	// parent by all its children, of a child by those before it (F41.10). Children counts them.
	CapturedBefore money.Amount `json:"captured_before,omitzero"`
	Children       int          `json:"children,omitzero"`
	Told           OrderTold    `json:"told,omitzero"` // what the company's owners were written of it
}

// Autopay is a company's standing order to debit installments.
type Autopay struct {
	Enabled bool   `json:"enabled"`
	Method  string `json:"payment_method_id"`
	Paused  string `json:"paused,omitzero"` // why it does not run although it is enabled: a return code, "returned_payments"
	// Reviewed: the lender has switched it off since it was paused.
	Reviewed bool `json:"reviewed,omitzero"`
}

// Mandate is a merchant's standing order to debit installments of its own orders, or its
// word that they are not debited by themselves.
type Mandate struct {
	Merchant   string    `json:"merchant"`
	Enabled    bool      `json:"enabled"`
	Method     string    `json:"payment_method_id"`
	AcceptedAt time.Time `json:"accepted_at,omitzero"` // of the company's authorization
	Reference  string    `json:"reference,omitzero"`   // of the merchant's record of it
	Person     string    `json:"person,omitzero"`      // owner who gave it in a session of her own; "": the merchant says so
}

// NeedsReview reports that a person of the lender has to look into what came back (F23):
// autopay is on and paused; or, also where it is off, a debit was not authorized or its
// account is frozen, and nobody has looked yet.
func (a Autopay) NeedsReview() bool {
	return a.Paused != "" && (a.Enabled || !a.Reviewed && a.Paused != ReturnedPayments)
}

// AutopayWaits reports that a person of the lender has to look into what came back of a
// company's debits (F23), whoever has switched autopay on.
func (c *Company) AutopayWaits() bool {
	a := c.Servicing.Autopay
	for _, m := range c.Servicing.Mandates {
		a.Enabled = a.Enabled || m.Enabled
	}
	return a.NeedsReview()
}

// Pause stops autopay until a person of the lender has looked into why.
func (a *Autopay) Pause(why string) { a.Paused, a.Reviewed = why, false }

// CompanyServicing is what is kept of a company's conduct.
type CompanyServicing struct {
	Autopay       Autopay         `json:"autopay"`
	Late          int             `json:"late,omitzero"`           // number of its orders that are OVERDUE, without those that the lender has not funded
	ManualRelease bool            `json:"manual_release,omitzero"` // an order has reached 60 days since it was suspended: only a person ends it (F26)
	Returned      []calendar.Date `json:"returned,omitzero"`       // days on which original debits came back, of the last 60 days (F23)
	// NeedsVerified: debits that came back have suspended it, and only a payment method
	// that is verified from then on lets it be approved again (F26).
	NeedsVerified bool     `json:"needs_verified,omitzero"`
	Unripe        []string `json:"unripe,omitzero"` // payments whose money has arrived and is not good yet (F24)
	// Mandates are what merchants say of autopay for their own orders, each with the company's
	// authorization: it goes before Autopay, the company's and the operator's word (F36).
	Mandates []Mandate `json:"mandates,omitzero"`
	// Failed are the fingerprints of account numbers that have failed their check here,
	// Proving those that are being checked (F41.1).
	Failed      []string  `json:"failed,omitzero"`
	Proving     []string  `json:"proving,omitzero"`
	CreditAsked time.Time `json:"credit_asked,omitzero"` // the company asked for its credit back (F36)
	CreditUse   CreditUse `json:"credit_use,omitzero"`   // whether its credit pays what is due on all its orders (F36)
	Held        []string  `json:"held,omitzero"`         // payments for the company of which merchants hold money (F41.4)
	// Cures are the payments that have paid what was late of a company that is suspended for
	// it, and whose money is not good, or not here, yet (F41.6).
	Cures    []string `json:"cures,omitzero"`
	Reported []Report `json:"reported,omitzero"` // whose reports have paid it
	// SentEarly is what has gone back of consumers' money whose debits could still be
	// returned, of the last sixty days (F41.3).
	SentEarly []SentEarly `json:"sent_early,omitzero"`
	// Recallable is what the payer can still call back, oldest first.
	Recallable []Recallable `json:"recallable,omitzero"`
	// Cards is what disputes say of the company's cards (F25).
	Cards CardUse `json:"cards,omitzero"`
	// Frozen is why no money of a CLOSED company moves: the code of a compliance
	// suspension that its status cannot show. "" if it does.
	Frozen   string          `json:"frozen,omitzero"`
	ClosedOn calendar.Date   `json:"closed_on,omitzero"` // 0 while it is not CLOSED
	Screened Screened        `json:"screened,omitzero"`  // what sanctions lists have shown (F29)
	Reports  []CompanyReport `json:"reports,omitzero"`   // bankruptcy and fraud, oldest record first (F17)
	// People act for the company, in the order in which they came. Unsigned: nobody has signed
	// the master agreement yet, so that no order of it is authorized (F21); Agreement is the
	// document with which somebody has, "" where the lender asked for none; OnPaper is when, if
	// it was signed on paper.
	People    []string      `json:"people,omitzero"`
	Unsigned  bool          `json:"unsigned,omitzero"`
	Agreement string        `json:"agreement,omitzero"`
	OnPaper   SignedOnPaper `json:"signed_on_paper,omitzero"`
	// AccountTold is when its owners were written to last because a merchant has changed which
	// account is debited.
	AccountTold time.Time `json:"account_told,omitzero"`
	Cases       CaseUse   `json:"cases,omitzero"` // what its cases take of its bounds
	// Told is what its owners were written about its money; Payers are people who have paid
	// for it themselves, by payment, while that can come back.
	Told   CompanyTold `json:"told,omitzero"`
	Payers []Payer     `json:"payers,omitzero"`
}

// MerchantAccount is where a merchant is paid, and whether it is (F32).
type MerchantAccount struct {
	Bank   *BankAccount `json:"bank"`
	Debits bool         `json:"debits"` // the agreement lets us debit clawbacks
	// Pending is the account that is to take Bank's place, nil if none waits (F41.12).
	Pending *PendingAccount `json:"pending,omitzero"`
	// Contact is the address to which is written about the account, "" if none is known;
	// Told are the changes that were asked for, the oldest first, of the last ones.
	Contact    string          `json:"contact,omitzero"`
	Told       []AccountNotice `json:"told,omitzero"`
	HeldReason string          `json:"held_reason,omitzero"` // why payouts wait; "" if they do not
	Broken     bool            `json:"broken,omitzero"`      // it has not taken a payout: held for that, also behind a hold by hand (PO4)
	Screened   Screened        `json:"screened,omitzero"`    // what sanctions lists have shown (F29): payouts wait for a review too
	// Harm is what came back, in the last 30 days, and counts against the merchant; NoDebits:
	// that was too much, and it asks for none until a person of the lender lets it; NoDebitsOf:
	// for none of this company, from which alone it came, 0 if there is none (F41.8).
	Harm []Harm `json:"harm,omitzero"`
	// Withdrawn are the reports of money that its token has taken back in the last 30 days,
	// oldest first (F41.5).
	Withdrawn  []WithdrawnReport `json:"withdrawn,omitzero"`
	NoDebits   bool              `json:"no_debits,omitzero"`
	NoDebitsOf int64             `json:"no_debits_of,omitzero"`
}

// Payout is what a merchant is paid (F32). Net = Gross − Discount − Refunds +
// Repaid − Clawback − Collected, never below 0.00.
type Payout struct {
	ID        string // po_…
	Merchant  string
	Status    PayoutStatus
	Date      calendar.Date // of the run
	Gross     money.Amount
	Discount  money.Amount
	Refunds   money.Amount
	Repaid    money.Amount // what we owe the merchant besides: money of ours that it has paid back, a payout that failed
	Clawback  money.Amount
	Collected money.Amount
	Net       money.Amount
	Transfer  string
	Failure   *Failure
	CreatedAt time.Time
	UpdatedAt time.Time
	SentAt    time.Time
	SettledAt time.Time
	Version   int
	EventSeq  int64
}

// PayoutStatus is one of the statuses of a payout.
type PayoutStatus string

// Payout statuses (docs/guides/statuses.md).
const (
	PayoutPending PayoutStatus = "PENDING"
	PayoutSent    PayoutStatus = "SENT"
	PayoutSettled PayoutStatus = "SETTLED"
	PayoutFailed  PayoutStatus = "FAILED"
)

// PayoutLine is one thing that a merchant is owed or owes. It waits, with Payout
// "", until a payout includes it; what a payout could not net waits on (F32).
type PayoutLine struct {
	ID       string // pol_…
	Merchant string
	Kind     PayoutLineKind
	Company  int64
	Order    string        // "" of a company-level payment or a payout that failed
	Source   string        // capture: the order; clawback: the refund; collected, repaid: the payment or refund; carried: the payout
	Gross    money.Amount  // capture: the amount
	Discount money.Amount  // capture: less what refunds before the payout gave back
	Refunds  money.Amount  // capture: refunded before the payout
	Amount   money.Amount  // what it adds to (capture, repaid, carried) or takes from (clawback, collected) a payout
	Netted   money.Amount  // clawback, collected: Amount once it has been taken; of a clawback also while its debit is on its way
	Due      calendar.Date // first run that may include it
	// Payout is what has ended the line, "" while it waits: the payout that includes it,
	// the transfer that debited the merchant for it, the entry that wrote it off or booked
	// its remittance, or Source if nothing was left of it. Of a line that has ended
	// nothing changes.
	Payout  string
	NextAt  time.Time // collected: since when FreeHeld is to free what has ended the line, zero if it has or nothing has; it is cleared then
	At      time.Time
	Version int
}

// Left is what is still to be netted or paid.
func (l *PayoutLine) Left() money.Amount { return l.Amount.Sub(l.Netted) }

// Debited reports that a debit of the merchant has ended the line. The debit may have
// come back since: then what it took waits anew as another line.
func (l *PayoutLine) Debited() bool { return strings.HasPrefix(l.Payout, PrefixTransfer) }

// PayoutLineKind says what a line of a payout is.
type PayoutLineKind string

// The kinds of lines.
const (
	LineCapture   PayoutLineKind = "CAPTURE"
	LineClawback  PayoutLineKind = "CLAWBACK"  // 1200
	LineCollected PayoutLineKind = "COLLECTED" // 1210
	LineRepaid    PayoutLineKind = "REPAID"    // 2000: the merchant has paid back money of ours (F33, F35)
	LineCarried   PayoutLineKind = "CARRIED"   // 2000: the net of a payout that failed
)

// Owes reports that the line takes from a payout.
func (k PayoutLineKind) Owes() bool { return k == LineClawback || k == LineCollected }

// Consent is what collection of stopped items needs before it goes on: from a day on an
// authorization that is newer than the return which has stopped them (F23).
type Consent struct {
	Code  string        `json:"code"`  // of the return
	Since time.Time     `json:"since"` // the return
	From  calendar.Date `json:"from"`  // first day on which the old authorization does not do
}

// Side is the kind by which lines are counted: each that takes from a payout by itself,
// all that add to one as captures.
func (k PayoutLineKind) Side() PayoutLineKind {
	if k.Owes() {
		return k
	}
	return LineCapture
}

// Notice is the record of what a company must be told of: an adverse action, or the
// reasons of one that it has asked for (F28).
type Notice struct {
	ID         string // ntc_…
	Kind       NoticeKind
	Asked      string // the notice whose reasons were asked for; "" of an action's own
	Company    int64
	ActionAt   time.Time     // the action, or when the request was recorded
	ClockStart calendar.Date // day of the action, or on which the request came in
	DueOn      calendar.Date // ClockStart + 30 days
	SentAt     time.Time     // zero until it is sent
	Channel    string
	Reasons    []string // codes or words, at most four
	Evidence   string
	Late       bool // sent after DueOn: a breach
	// Lender is what it said of the lender, kept when it is sent. Nil until then, and of one
	// that was sent while the lender's settings lacked something.
	Lender *NoticeLender
	// ErasedAt is when its reasons, its evidence and Lender were erased; zero until then.
	ErasedAt time.Time
	Version  int
}

// NoticeLender is what a notice of an adverse action says of the lender, and in which words (F28).
type NoticeLender struct {
	Creditor  Party  `json:"creditor"`
	Contact   string `json:"contact,omitzero"` // "": its address
	Regulator Party  `json:"regulator"`
	Text      int    `json:"text"` // version of the words, see NoticeText
}

// NoticeKind says what the company is told.
type NoticeKind string

// Adverse actions on an existing account, and the answer to who asks for reasons (F28).
const (
	NoticeLineDecrease NoticeKind = "LINE_DECREASE"
	NoticeSuspension   NoticeKind = "SUSPENSION"
	NoticeClosure      NoticeKind = "CLOSURE"
	NoticeRateIncrease NoticeKind = "RATE_INCREASE"

	NoticeFurtherReasons NoticeKind = "FURTHER_REASONS"
)

// Period is a month of the books that is closed: nothing is booked in it any more.
type Period struct {
	Month    calendar.Date // its first day
	ClosedAt time.Time
	Debits   money.Amount // of the month's entries, memo apart; the credits are equal
}
