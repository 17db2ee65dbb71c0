package credit

import (
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// What the stories and properties of package credit_test look at from inside.
const (
	EntryClawbackNetted = entryClawbackNetted
	MaxChildren         = maxChildren
	MaxDays             = maxDays
	MaxOpenDebits       = maxOpenDebits
	MaxRefundItems      = maxRefundItems
	MaxRefunds          = maxRefunds
	MaxReinitiations    = maxReinitiations
	PrefixApplication   = prefixApplication
	PrefixOrder         = prefixOrder
	ReinitiationDays    = reinitiationDays
	VerificationTries   = verificationTries
	DayAfter            = day
)

// Functions of the package that tests ask.
var (
	AccountKey      = accountKey
	Active          = active
	FeesOf          = feesOf
	FiguresOf       = figures
	LoanEvents      = loanEvents
	MoneyMayLeave   = moneyMayLeave
	Movable         = movable
	OrderNumber     = orderNumber
	Payable         = payable
	PaymentOf       = paymentOf
	PreviousCompany = previousCompany
	PreviousInvoice = previousInvoice
	PreviousOrder   = previousOrder
	PreviousPayment = previousPayment
	LookUpReturn    = returnCode
	RetryDay        = retryDay
	StandingOf      = standingOf
	TooManyOpen     = tooManyOpen
	TransferDays    = transferDays
)

// Previous is what an object was before a change.
type Previous = previous

// ReceivableOf is what balances say that an order's loan is owed.
func ReceivableOf(bal func(ledger.Account) money.Amount) receivable {
	return receivable{
		principal: bal(ledger.LoanPrincipal) + bal(ledger.UnfundedExternal), charge: bal(ledger.ChargeReceivable),
		fees: bal(ledger.FeesReceivable) + bal(ledger.OtherReceivable), unearned: -bal(ledger.UnearnedCharge),
		memo: bal(ledger.NonaccrualCharge), lost: bal(ledger.ChargedOff),
	}
}

func (x *Case) Sound(old Record) string              { return x.sound(old) }
func (t *Transfer) AtProcessor() money.Amount        { return t.atProcessor() }
func (t *Transfer) InTransit() money.Amount          { return t.inTransit() }
func (s Settings) Check() string                     { return s.check() }
func (c CapturePart) Sized(parent *Order) *Rejection { return c.sized(parent) }
func (l *PayoutLine) Waits() bool                    { return l.waits() }
