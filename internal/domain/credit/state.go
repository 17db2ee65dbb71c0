package credit

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/schedule"
)

// Env is what a decision may depend on besides the state: the instant, the business zone, the
// actor, and the seed from which every identifier is generated.
type Env struct {
	Now   time.Time // UTC, microseconds; never before the last commit's
	Zone  calendar.Zone
	Seed  [16]byte
	Actor Actor
	// Reason is what the caller has given as the reason, for the audit log; "": none.
	Reason string
	// Preview decides what a command would do once nobody's approval is missing: a dry run.
	Preview bool

	// asked is what the command itself has asked for. Anything that depends on what is loaded
	// uses it: other commands of the batch load more, and must not change a decision (LG5).
	asked *Keys
}

// AsksHistory reports whether the command itself has asked for the history of an order.
func (e Env) AsksHistory(key string) bool {
	return e.asked != nil && slices.Contains(e.asked.History, key)
}

// Today is the business date of the decision.
func (e Env) Today() calendar.Date { return e.Zone.Date(e.Now) }

// Actor is who submits a command.
type Actor struct {
	Client    string // API client, or "system"
	Merchant  string // the client's merchant, "" for the operator
	Operator  bool
	RequestID string
	Key       string // Idempotency-Key, "" if none
}

// Keys names what a command needs to see. Order keys resolve to companies, payments to orders,
// in rounds (architecture: at most three).
type Keys struct {
	Merchants []string // with all their program versions
	Companies []int64  // locked; with open credits
	Orders    []string // locked below their company; with loan and installments
	Payments  []string
	Invoices  []string
	Claims    []Claim
	History   []string // orders whose money events, and the payments behind them, are needed for a replay
	Accounts  []int64  // companies whose captured orders are all needed, with loans
	Clients   []string
	Tokens    []string // by Token.Key
	Endpoints []string
	Methods   []string // payment methods
	Transfers []string
	Payouts   []string // locked
	Lines     []string // orders, and account keys of companies, whose payout lines are needed; locked
	Positions []string // merchants whose position with the lender is needed; not locked
	Waiting   []string // merchants whose waiting payout lines are needed, the first of each side (FirstLines), by (Due, ID); locked
	Ended     []string // merchant debits: the payout lines that each has ended, by (Due, ID); locked
	Notices   []string
	Periods   []calendar.Date
	// Lenders is TheLender or empty; locked.
	Lenders    []string
	Screenings []string    // locked
	Receipts   []string    // locked
	Records    []RecordKey // locked
}

// MaxLines is the most lines of one side in a payout; a merchant that is owed more gets
// several payouts on one day.
const MaxLines = 1000

// Claim is a name that is unique beyond one company. The owner's identifier is found under
// (Kind, Scope, Name).
type Claim struct {
	Kind  ClaimKind
	Scope string // merchant id, "" for the deployment
	Name  string
}

// ClaimKind is what a claim's name is.
type ClaimKind string

// The names that are unique across companies.
const (
	ClaimMerchantOrderID ClaimKind = "merchant_order_id" // among orders that are not CANCELED
	ClaimExternalID      ClaimKind = "external_id"       // of payments
	ClaimMerchantName    ClaimKind = "merchant_name"
	ClaimEndpointPlace   ClaimKind = "endpoint_place" // one of a merchant's slots for endpoints
	ClaimPersonEmail     ClaimKind = "person_email"   // keyed hash of a person's e-mail
	ClaimStaffEmail      ClaimKind = "staff_email"    // keyed hash of the e-mail of a staff member
	ClaimCheckoutToken   ClaimKind = "checkout_token" // hash of the token in a checkout's address
	ClaimRemoteID        ClaimKind = "remote_id"      // of a merchant's checkouts: the latest
	ClaimBusiness        ClaimKind = "business"       // keyed hash of an EIN: a company, or an undecided application
	ClaimEstimate        ClaimKind = "estimate"       // keyed hash of an e-mail and a day: a refused prequalification
	ClaimRefusalPlace    ClaimKind = "refusal_place"  // one of a merchant's daily slots for refused prequalifications
	ClaimApplying        ClaimKind = "applying"       // one of a merchant's daily slots for applications
	ClaimLinkPlace       ClaimKind = "link_place"     // one of a merchant's daily slots for mailed checkout links
	ClaimLinkTo          ClaimKind = "link_to"        // the same per recipient e-mail, by its keyed hash
)

// State is what has been loaded, including the effects of the commands decided so far. A key
// that was loaded and does not exist is present with a nil value. Only Apply changes a State,
// and records in it are never changed in place.
type State struct {
	Merchants  map[string]*Merchant
	Companies  map[int64]*Company
	Orders     map[string]*Order
	Loans      map[string]*schedule.Loan // nil until the order is captured
	Positions  map[string]*Position      // nil: nothing was ever posted
	Payments   map[string]*Payment
	Invoices   map[string]*Invoice
	Claims     map[Claim]string        // owner, "" if free
	Credits    map[int64][]Credit      // open credits of a loaded company, oldest first
	History    map[string][]MoneyEvent // by order, in recording order; company-level events are listed under each order they touched
	Accounts   map[int64][]string      // keys of a company's captured orders, once loaded whole
	Clients    map[string]*Client
	Tokens     map[string]*Token // by Token.Key
	Endpoints  map[string]*Endpoint
	Methods    map[string]*PaymentMethod
	Transfers  map[string]*Transfer
	Payouts    map[string]*Payout
	Lines      map[string]*PayoutLine // by their own id
	OrderLines map[string][]string    // ids of an order's lines, once loaded, by (Due, ID); of company-level payments under the account key
	Waiting    map[string][]string    // ids of a merchant's waiting lines, once loaded
	Ended      map[string][]string    // ids of the lines that a debit has ended, once loaded, by (Due, ID)
	Notices    map[string]*Notice
	Periods    map[calendar.Date]*Period
	Lenders    map[string]*Lender
	Screenings map[string]*Screening
	Receipts   map[string]*Receipt
	Records    map[RecordKey]Record
}

// NewState returns an empty state.
func NewState() *State {
	s := &State{Loans: map[string]*schedule.Loan{}, Credits: map[int64][]Credit{}}
	for _, n := range kinds {
		n.empty(s)
	}
	return s
}
