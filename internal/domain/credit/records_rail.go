package credit

import (
	"strings"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// PaymentMethod is a company's account that can be debited or credited, with the debtor's
// authorization. Accounts are sealed by the edge; the domain never sees one in the clear.
type PaymentMethod struct {
	ID             string // pm_…
	Company        int64
	Merchant       string // whose client added it, "" for the operator
	Type           Method // ACH or CARD
	Status         MethodStatus
	DisabledReason string // a return code or a DisabledBy… constant; "" unless DISABLED
	Bank           *BankAccount
	Card           *CardAccount
	Authorization  Authorization
	Verification   *Verification // micro-deposits in progress, nil if none were requested
	Standing       Standing      // how it was verified, and the company's own consent
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

// BankAccount is an account at a bank in the United States. Its routing number, account number
// and holder's name are sealed together (AccountDetails).
type BankAccount struct {
	// Routing and HolderName are set for an account that was added while only its number was
	// sealed, until it is resealed; "" for any other.
	Routing     string `json:"routing_number,omitzero"`
	Last4       string `json:"last4"`
	AccountType string `json:"account_type"` // CHECKING or SAVINGS
	HolderType  string `json:"holder_type"`  // BUSINESS or CONSUMER: decides the SEC code (F22)
	HolderName  string `json:"holder_name,omitzero"`
	Sealed      []byte `json:"sealed"`      // with the deployment's key
	Fingerprint string `json:"fingerprint"` // blind index of routing and account number, equal for the same account
	// BareHash is the blind index of the account without leading zeros in its number, "" if
	// there are none: banks treat both as one account.
	BareHash string `json:"bare_hash,omitzero"`
	Holder   string `json:"holder,omitzero"` // blind index of the holder's name; "": a merchant's own, or not given
	// CorrectedBy is the day on which the entry was sent whose answer last corrected the
	// account (F22), 0 if none: an answer to an earlier entry is out of date.
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

// About is the context a number was bound to when it was sealed alone.
func (b *BankAccount) About() string { return "bank_account:" + b.Fingerprint }

// Authorization is the debtor's consent to debits.
type Authorization struct {
	Channel    string    `json:"channel"` // WEB or WRITTEN
	AcceptedAt time.Time `json:"accepted_at"`
	Reference  string    `json:"reference"`
}

// Verification is a pair of micro-deposits that the holder must name (F22).
type Verification struct {
	Amounts   []money.Amount `json:"amounts"` // two, each below 1.00
	Tries     int            `json:"tries"`
	ExpiresOn calendar.Date  `json:"expires_on"`
}

// TriesLeft is how many attempts at naming the amounts are left.
func (v *Verification) TriesLeft() int { return VerificationTries - v.Tries }

// Transfer is one instruction to a rail: money to move between the lender and a company's or
// merchant's account. A payment, a refund of one, returned credit and a payout each have one;
// a retry is a new payment with its own transfer.
type Transfer struct {
	ID        string // trf_…
	Rail      Method // ACH or CARD
	Kind      TransferKind
	Company   int64  // 0 for a merchant's
	Merchant  string // for a PAYOUT or CLAWBACK, else ""
	Payment   string // payment it collects or pays back, "" if none
	Refund    string // refund of Payment, "" if none
	Payout    string // "" if none
	Method    string // payment method, "" for a merchant's account
	Amount    money.Amount
	Entry     string // company entry description (F22): LOAN PYMT, RETRY PYMT, PAYOUT, …
	Status    TransferStatus
	SendOn    calendar.Date // banking day at whose cut-off it is sent
	SettlesOn calendar.Date // effective entry date
	ReleaseOn calendar.Date // day on which the money is good (F24), None if at once or released
	// NextAt is when time alone next changes it: the cut-off, the settlement, the release.
	// Zero when nothing is pending.
	NextAt     time.Time
	ReturnCode string // of a return or a rejection
	Reference  string // the processor's identifier of a card charge
	// Charge is the transfer that this one undoes: for a refund to a card, the original
	// charge; for the debit that takes micro-deposits back, the first of them. Otherwise "".
	Charge string
	// Back is what has been sent back to a card charge, as refunds of its payment or as
	// credit; what the processor declined is deducted again.
	Back      money.Amount
	CreatedAt time.Time
	UpdatedAt time.Time
	SentAt    time.Time
	SettledAt time.Time
	Version   int
}

// MaxTransfer is the most that one transfer moves: 99,999,999.99, because an entry in a bank
// file has ten digits for its cents (F22). It exceeds what a caller may request at once,
// because a payout or an installment with its charge may too.
const MaxTransfer money.Amount = 99_999_999_99

// Debit reports whether the transfer takes money from the other side.
func (t *Transfer) Debit() bool {
	return t.Kind == TransferPayment || t.Kind == TransferClawback || t.Kind == TransferMicro && t.Charge != ""
}

// TransferKind is what a transfer is for.
type TransferKind string

// The kinds of transfers.
const (
	TransferPayment  TransferKind = "PAYMENT"  // debit of a company
	TransferRefund   TransferKind = "REFUND"   // a payment, or part of it, goes back (F35)
	TransferCredit   TransferKind = "CREDIT"   // unapplied credit goes back: a payment with direction OUT (F36)
	TransferPayout   TransferKind = "PAYOUT"   // to a merchant (F32)
	TransferClawback TransferKind = "CLAWBACK" // debit of a merchant (F32)
	TransferPrenote  TransferKind = "PRENOTE"  // no money: checks whether the account exists (F22)
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

// OpenDebit is a debit of an order without an outcome yet. Its items are not collected again,
// and if it takes effect by their due date they are not late in the meantime (F10, F12).
type OpenDebit struct {
	Payment string         `json:"payment"`
	Items   []schedule.Ref `json:"items"` // earmarked; nil: by the waterfall
	Amount  money.Amount   `json:"amount"`
	On      calendar.Date  `json:"on"` // its effective date if it settles as planned
}

// Reopening is the last day on which a payment's refund reopened a row that was already due
// (F35).
type Reopening struct {
	Installment int           `json:"installment"`
	On          calendar.Date `json:"on"`
}

// Hold is a span of days on which an order is disputed (F15). From is its first day; To is the
// day on which it ended or will end.
type Hold struct {
	From calendar.Date `json:"from"`
	To   calendar.Date `json:"to"`
}

// Servicing is the state of an order after capture, besides its loan.
type Servicing struct {
	NoAutopay    bool           `json:"no_autopay,omitzero"` // off for this order alone
	Open         []OpenDebit    `json:"open,omitzero"`
	Stopped      []schedule.Ref `json:"stopped,omitzero"`  // items that autopay leaves for review: retries used up, money given back, no account to debit (F12, F23, F35)
	Consent      *Consent       `json:"consent,omitzero"`  // what their collection needs in addition to that review, nil if nothing
	Reopened     []Reopening    `json:"reopened,omitzero"` // due rows reopened by a refund: grace days count from then (F35)
	Holds        []Hold         `json:"holds,omitzero"`
	Nonaccrual   bool           `json:"nonaccrual,omitzero"`    // F18
	CurrentSince calendar.Date  `json:"current_since,omitzero"` // while Nonaccrual: since when no item is late; 0 (1970-01-01) if one is
	Proposed     bool           `json:"proposed,omitzero"`      // charge-off has been proposed (F17)
	ProposedFor  ReportKind     `json:"proposed_for,omitzero"`  // report of the company that proposed it; "" if lateness did
	// ChargedOff is the date of the charge-off, 0 before; ChargedOffSeq is the position of its
	// money event on that date. Whatever happens after it is a recovery.
	ChargedOff    calendar.Date `json:"charged_off,omitzero"`
	ChargedOffSeq int64         `json:"charged_off_seq,omitzero"`
	CollectedFor  calendar.Date `json:"collected_for,omitzero"` // last collection date whose autopay debit is built, 0 before the first
	ServedTo      calendar.Date `json:"served_to,omitzero"`     // last business date served by the daily run, 0 before the first
	Held          []string      `json:"held,omitzero"`          // payments for it whose money a merchant holds (F41.4)
	// Withdrawn are the days, of the last thirty, on which reports of money were taken back
	// that count against the merchant (F41.5).
	Withdrawn []calendar.Date `json:"withdrawn,omitzero"`
	// CapturedBefore is what was captured in parts before this order's own capture: for a
	// parent by all its children, for a child by those before it (F41.10). Children counts
	// them.
	CapturedBefore money.Amount `json:"captured_before,omitzero"`
	Children       int          `json:"children,omitzero"`
	Told           OrderTold    `json:"told,omitzero"` // mails to the company's owners about it
}

// Autopay is a company's standing order to debit installments.
type Autopay struct {
	Enabled bool   `json:"enabled"`
	Method  string `json:"payment_method_id"`
	Paused  string `json:"paused,omitzero"` // why it does not run although enabled: a return code, "returned_payments"
	// Reviewed is true if the lender has switched it off since it was paused.
	Reviewed bool `json:"reviewed,omitzero"`
}

// Mandate is a merchant's standing order to debit installments of its own orders, or its
// instruction not to debit them automatically.
type Mandate struct {
	Merchant   string    `json:"merchant"`
	Enabled    bool      `json:"enabled"`
	Method     string    `json:"payment_method_id"`
	AcceptedAt time.Time `json:"accepted_at,omitzero"` // of the company's authorization
	Reference  string    `json:"reference,omitzero"`   // of the merchant's record of it
	Person     string    `json:"person,omitzero"`      // owner who gave it in her own session; "": on the merchant's word
}

// NeedsReview reports whether a person at the lender must look into a return (F23): autopay is
// enabled and paused; or, even if it is off, a debit was unauthorized or its account is
// frozen, and nobody has looked yet.
func (a Autopay) NeedsReview() bool {
	return a.Paused != "" && (a.Enabled || !a.Reviewed && a.Paused != ReturnedPayments)
}

// AutopayWaits reports whether a person at the lender must look into returned debits of a
// company (F23), regardless of who enabled autopay.
func (c *Company) AutopayWaits() bool {
	a := c.Servicing.Autopay
	for _, m := range c.Servicing.Mandates {
		a.Enabled = a.Enabled || m.Enabled
	}
	return a.NeedsReview()
}

// Pause stops autopay until a person at the lender has looked into why.
func (a *Autopay) Pause(why string) { a.Paused, a.Reviewed = why, false }

// CompanyServicing is the servicing state of a company.
type CompanyServicing struct {
	Autopay       Autopay         `json:"autopay"`
	Late          int             `json:"late,omitzero"`           // number of OVERDUE orders that the lender has funded
	ManualRelease bool            `json:"manual_release,omitzero"` // an order reached 60 days past due since the suspension: only a person ends it (F26)
	Returned      []calendar.Date `json:"returned,omitzero"`       // days on which original debits came back, of the last 60 days (F23)
	// NeedsVerified is true if returned debits have suspended the company: only a payment
	// method verified from then on allows it to be approved again (F26).
	NeedsVerified bool     `json:"needs_verified,omitzero"`
	Unripe        []string `json:"unripe,omitzero"` // payments whose money has arrived and is not good yet (F24)
	// Mandates are merchants' autopay settings for their own orders, each with the company's
	// authorization. They take precedence over Autopay, the company's and the operator's
	// setting (F36).
	Mandates []Mandate `json:"mandates,omitzero"`
	// Failed are the fingerprints of account numbers that failed their check here, Proving of
	// those being checked (F41.1).
	Failed      []string  `json:"failed,omitzero"`
	Proving     []string  `json:"proving,omitzero"`
	CreditAsked time.Time `json:"credit_asked,omitzero"` // when the company requested its credit back (F36)
	CreditUse   CreditUse `json:"credit_use,omitzero"`   // whether its credit pays what is due on any of its orders (F36)
	Held        []string  `json:"held,omitzero"`         // payments for the company whose money merchants hold (F41.4)
	// Cures are the payments that paid what was late while the company is suspended for it,
	// and whose money is not good or not here yet (F41.6).
	Cures    []string `json:"cures,omitzero"`
	Reported []Report `json:"reported,omitzero"` // merchants' reports that paid what was late
	// SentEarly is consumers' money sent back while its debits could still be returned, of the
	// last sixty days (F41.3).
	SentEarly []SentEarly `json:"sent_early,omitzero"`
	// Recallable is what the payer can still recall, oldest first.
	Recallable []Recallable `json:"recallable,omitzero"`
	// Cards is the company's history of card disputes (F25).
	Cards CardUse `json:"cards,omitzero"`
	// Frozen is why no money of a CLOSED company moves: the code of a compliance suspension
	// that its status cannot show; "" if it may move.
	Frozen   string          `json:"frozen,omitzero"`
	ClosedOn calendar.Date   `json:"closed_on,omitzero"` // 0 unless CLOSED
	Screened Screened        `json:"screened,omitzero"`  // screening state (F29)
	Reports  []CompanyReport `json:"reports,omitzero"`   // bankruptcy and fraud, earliest recorded first (F17)
	// People act for the company, in the order in which they joined. Unsigned means that
	// nobody has signed the master agreement yet, so no order of it is authorized (F21).
	// Agreement is the signed document, "" if the lender required none; OnPaper is when it was
	// signed on paper, if it was.
	People    []string      `json:"people,omitzero"`
	Unsigned  bool          `json:"unsigned,omitzero"`
	Agreement string        `json:"agreement,omitzero"`
	OnPaper   SignedOnPaper `json:"signed_on_paper,omitzero"`
	// AccountTold is when its owners were last notified that a merchant changed which account
	// is debited.
	AccountTold time.Time `json:"account_told,omitzero"`
	Cases       CaseUse   `json:"cases,omitzero"` // its use of the case limits
	// Told tracks the mails to its owners about its money; Payers are people who paid for it
	// themselves, by payment, while the payment can come back.
	Told   CompanyTold `json:"told,omitzero"`
	Payers []Payer     `json:"payers,omitzero"`
}

// MerchantAccount is where a merchant is paid, and whether it currently is (F32).
type MerchantAccount struct {
	Bank   *BankAccount `json:"bank"`
	Debits bool         `json:"debits"` // the agreement allows debits for clawbacks
	// Pending is the account that is to replace Bank, nil if none (F41.12).
	Pending *PendingAccount `json:"pending,omitzero"`
	// Contact is the address for notices about the account, "" if unknown; Told are the latest
	// requested changes, oldest first.
	Contact    string          `json:"contact,omitzero"`
	Told       []AccountNotice `json:"told,omitzero"`
	HeldReason string          `json:"held_reason,omitzero"` // why payouts are held; "" if they are not
	Broken     bool            `json:"broken,omitzero"`      // it rejected a payout: held for that, even behind a manual hold (PO4)
	Screened   Screened        `json:"screened,omitzero"`    // screening state (F29): payouts wait for a review too
	// Harm is what came back in the last 30 days and counts against the merchant. NoDebits
	// means that it was too much and the merchant may request no debits until a person at the
	// lender releases it; NoDebitsOf limits that to one company if all of it came from that
	// one, else 0 (F41.8).
	Harm []Harm `json:"harm,omitzero"`
	// Withdrawn are the reports of money taken back with its token in the last 30 days, oldest
	// first (F41.5).
	Withdrawn  []WithdrawnReport `json:"withdrawn,omitzero"`
	NoDebits   bool              `json:"no_debits,omitzero"`
	NoDebitsOf int64             `json:"no_debits_of,omitzero"`
}

// Payout is a payment to a merchant (F32). Net = Gross − Discount − Refunds + Repaid −
// Clawback − Collected, never below 0.00.
type Payout struct {
	ID        string // po_…
	Merchant  string
	Status    PayoutStatus
	Date      calendar.Date // of the run
	Gross     money.Amount
	Discount  money.Amount
	Refunds   money.Amount
	Repaid    money.Amount // other debt of ours to the merchant: our money that it paid back, a failed payout
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

// PayoutLine is one thing that a merchant is owed or owes. It waits, with Payout "", until a
// payout includes it; what a payout could not net keeps waiting (F32).
type PayoutLine struct {
	ID       string // pol_…
	Merchant string
	Kind     PayoutLineKind
	Company  int64
	Order    string        // "" for a company-level payment or a failed payout
	Source   string        // capture: the order; clawback: the refund; collected, repaid: the payment or refund; carried: the payout
	Gross    money.Amount  // capture: the amount
	Discount money.Amount  // capture: less what refunds before the payout gave back
	Refunds  money.Amount  // capture: refunded before the payout
	Amount   money.Amount  // what it adds to (capture, repaid, carried) or takes from (clawback, collected) a payout
	Netted   money.Amount  // clawback, collected: Amount once taken; for a clawback also while its debit is in progress
	Due      calendar.Date // first run that may include it
	// Payout is what ended the line, "" while it waits: the payout that includes it, the
	// transfer that debited the merchant for it, the entry that wrote it off or booked its
	// remittance, or Source if nothing was left of it. A line that has ended never changes.
	Payout  string
	NextAt  time.Time // collected: since when FreeHeld is due to free what the line covered; zero if that is done or the line is open
	At      time.Time
	Version int
}

// Left is what is still to be netted or paid.
func (l *PayoutLine) Left() money.Amount { return l.Amount.Sub(l.Netted) }

// Debited reports whether a debit of the merchant ended the line. The debit may have come back
// since: then what it took waits again as another line.
func (l *PayoutLine) Debited() bool { return strings.HasPrefix(l.Payout, PrefixTransfer) }

// PayoutLineKind is the kind of a payout line.
type PayoutLineKind string

// The kinds of lines.
const (
	LineCapture   PayoutLineKind = "CAPTURE"
	LineClawback  PayoutLineKind = "CLAWBACK"  // 1200
	LineCollected PayoutLineKind = "COLLECTED" // 1210
	LineRepaid    PayoutLineKind = "REPAID"    // 2000: the merchant paid back money of ours (F33, F35)
	LineCarried   PayoutLineKind = "CARRIED"   // 2000: the net of a failed payout
)

// Owes reports whether the line reduces a payout.
func (k PayoutLineKind) Owes() bool { return k == LineClawback || k == LineCollected }

// Consent is what collection of stopped items needs before it continues: from a day on, an
// authorization newer than the return that stopped them (F23).
type Consent struct {
	Code  string        `json:"code"`  // of the return
	Since time.Time     `json:"since"` // the return
	From  calendar.Date `json:"from"`  // first day on which the old authorization no longer suffices
}

// Side is the kind under which lines are counted: each kind that reduces a payout separately,
// all that add to one as captures.
func (k PayoutLineKind) Side() PayoutLineKind {
	if k.Owes() {
		return k
	}
	return LineCapture
}

// Notice is the record of what a company must be notified of: an adverse action, or the
// reasons for one that it requested (F28).
type Notice struct {
	ID         string // ntc_…
	Kind       NoticeKind
	Asked      string // the notice whose reasons were requested; "" for an action's own
	Company    int64
	ActionAt   time.Time     // the action, or when the request was recorded
	ClockStart calendar.Date // day of the action, or of the request's arrival
	DueOn      calendar.Date // ClockStart + 30 days
	SentAt     time.Time     // zero until sent
	Channel    string
	Reasons    []string // codes or words, at most four
	Evidence   string
	Late       bool // sent after DueOn: a breach
	// Lender is its statement about the lender, kept when sent. Nil until then, and for a
	// notice sent while the lender's settings were incomplete.
	Lender *NoticeLender
	// ErasedAt is when its reasons, evidence and Lender were erased; zero until then.
	ErasedAt time.Time
	Version  int
}

// NoticeLender is the lender's part of an adverse action notice, and the version of its text
// (F28).
type NoticeLender struct {
	Creditor  Party  `json:"creditor"`
	Contact   string `json:"contact,omitzero"` // "": its address
	Regulator Party  `json:"regulator"`
	Text      int    `json:"text"` // version of the text, see NoticeText
}

// NoticeKind is what the company is notified of.
type NoticeKind string

// Adverse actions on an existing account, and the answer to a request for reasons (F28).
const (
	NoticeLineDecrease NoticeKind = "LINE_DECREASE"
	NoticeSuspension   NoticeKind = "SUSPENSION"
	NoticeClosure      NoticeKind = "CLOSURE"
	NoticeRateIncrease NoticeKind = "RATE_INCREASE"

	NoticeFurtherReasons NoticeKind = "FURTHER_REASONS"
)

// Period is a closed month of the books: nothing is booked in it any more.
type Period struct {
	Month    calendar.Date // its first day
	ClosedAt time.Time
	Debits   money.Amount // of the month's entries, without memo; the credits are equal
}
