package schedule

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// MaxInstallments is the most installments of a schedule.
const MaxInstallments = 36

// Loan is the state of one captured order's repayment. All fields are exported so that a store
// can save them; only this package changes them.
type Loan struct {
	Key        string // order key
	CapturedAt int64  // microseconds since 1970: the waterfall's tie-break (F12)
	Terms      Terms
	Level      money.Amount // level payment, fixed at capture; a reamortization sets a new one
	Rows       []Row
	Fees       []Fee         // nil for none
	AsOf       calendar.Date // charges are accrued up to this date; rows due on or before it are due
	Current    int           // number of the running period, 1..n; n+1 when all rows are due
	Slices     int64         // AMORTIZED: Σ unpaid not-yet-due principal × days of the running period so far, cents·days (F7)
	Carried    money.Amount  // AMORTIZED: charge of ended periods not yet in a row, less charge of the running period already paid (F9)
	Earned     money.Amount  // FLAT_FEE: what the running row had earned by EarnedFrom; the rest is earned evenly from there. Otherwise the minimum that the running period has earned: a reschedule takes nothing back
	EarnedFrom calendar.Date // start of the running period, or the day on which a reschedule or, for FLAT_FEE, its fee last changed it
	Prepaid    []Prepaid     // FLAT_FEE: who paid fee parts of rows that are not yet due, in order of payment; nil for none
	Refunded   money.Amount  // principal that merchant refunds took off
	Waived     money.Amount  // AMORTIZED: accrued charge that was waived
	ChargedOff bool          // accrual and fees have stopped: every row counts as due and earns no more charge (F17)
}

// Row is one installment. Principal and Charge are its current amounts; for rows not yet due,
// as projected at Loan.AsOf (F9).
type Row struct {
	Number                    int
	DueDate                   calendar.Date
	Target                    money.Amount // the row's bound T_k (F9); 0 for none: the last row, and every row of FLAT_FEE
	Principal, Charge         money.Amount
	PaidPrincipal, PaidCharge money.Amount
	Recognised                money.Amount  // charge of this period reported by Accrued effects so far: what the ledger has posted
	PaidOn                    calendar.Date // effective date on which charge and principal became fully paid, None before
	Canceled                  bool          // nothing paid and nothing to pay
	Anchor                    bool          // a reschedule counts the due dates from this row's; its period has odd days (F4, F6)
	Ahead                     money.Amount  // what was paid of the row when the loan was reamortized: its bound is on top of that (F9)
}

// Amount is the row's charge and principal.
func (r Row) Amount() money.Amount { return r.Principal + r.Charge }

// Paid is what has been paid of the row's charge and principal.
func (r Row) Paid() money.Amount { return r.PaidPrincipal + r.PaidCharge }

// Unpaid is what is left of the row's charge and principal.
func (r Row) Unpaid() money.Amount { return r.Amount() - r.Paid() }

// FeeKind is what a fee is for.
type FeeKind string

// The kinds of fees.
const (
	LateFeeKind        FeeKind = "LATE_FEE"
	ReturnedPaymentFee FeeKind = "RETURNED_PAYMENT_FEE"
	OtherReceivable    FeeKind = "OTHER_RECEIVABLE" // money of a returned payment that had been sent out (F16)
)

// Fee is an amount that is due at once, on the date it is assessed (F12).
type Fee struct {
	ID           string
	Kind         FeeKind
	Installment  int           // row that shows it in its fees column
	Date         calendar.Date // assessment date = due date
	Amount, Paid money.Amount  // a waiver lowers Amount to Paid
	Waived       money.Amount  // what waivers have taken off: Amount plus Waived is what was assessed
}

// Unpaid is what is left of the fee.
func (f Fee) Unpaid() money.Amount { return f.Amount - f.Paid }

// Prepaid is fee money that a source paid on a FLAT_FEE row before its due date. A rebate may
// give it back (F8, F13).
type Prepaid struct {
	Source      string // payment
	Installment int
	Amount      money.Amount
}

// New creates the loan's first revision: every row unpaid, nothing accrued (F1–F4, F6). It
// returns ErrTerm if the rules reject the term.
func New(key string, capturedAt int64, t Terms) (*Loan, error) {
	if t.Principal <= 0 || t.Principal > money.Max || t.Installments < 1 || t.Installments > MaxInstallments ||
		t.Plan == Net30 && t.Installments != 1 {
		return nil, ErrTerm
	}
	dates := dueDates(t)
	l := &Loan{Key: key, CapturedAt: capturedAt, Terms: t, AsOf: t.CaptureDate, Current: 1, EarnedFrom: t.CaptureDate}
	parts, odd := []part(nil), oddCharge(t, dates[0])
	if t.Plan == FlatFee {
		l.Level, parts = flatParts(t)
	} else {
		rates := startRates(t, dates)
		l.Level = levelPayment(t.Principal, rates)
		if t.LevelPayment != 0 {
			l.Level = t.LevelPayment
		}
		parts = levelParts(t.Principal, l.Level, rates, odd)
	}
	var err error
	if l.Rows, err = rowsOf(l.Level, parts, dates); err != nil {
		return nil, err
	}
	if t.Plan != FlatFee {
		for k := range l.Rows[:len(l.Rows)-1] {
			l.Rows[k].Target = l.Level
		}
		if len(l.Rows) > 1 {
			l.Rows[0].Target += odd
		}
	}
	return l, nil
}

// startRates are the period rates used to compute the level payment: without odd days (F6).
func startRates(t Terms, dates []calendar.Date) []money.Fraction {
	rates := make([]money.Fraction, len(dates))
	from := t.CaptureDate
	for k, due := range dates {
		if k == 0 || t.dayCount() != WholeMonth {
			rates[k] = t.rateOf(from, due)
		} else {
			rates[k] = rates[0]
		}
		from = due
	}
	return rates
}

// rateOf is the rate of a period without odd days: zero except for AMORTIZED.
func (t Terms) rateOf(from, to calendar.Date) money.Fraction {
	if t.Plan != Amortized || t.AnnualRate == 0 {
		return money.Fraction{Num: 0, Den: 1}
	}
	return periodRate(t.AnnualRate, yearFraction(t.dayCount(), from, to))
}

// Clone returns a copy that shares nothing with the loan.
func (l *Loan) Clone() *Loan {
	c := *l
	c.Rows, c.Fees, c.Prepaid = slices.Clone(l.Rows), slices.Clone(l.Fees), slices.Clone(l.Prepaid)
	return &c
}

// dropPrepaid removes an entry from Prepaid. An empty list is always nil, so that equal loans
// are stored as equal bytes.
func (l *Loan) dropPrepaid(i int) {
	if l.Prepaid = slices.Delete(l.Prepaid, i, i+1); len(l.Prepaid) == 0 {
		l.Prepaid = nil
	}
}

// UnpaidPrincipal is the principal that is still owed, due or not.
func (l *Loan) UnpaidPrincipal() money.Amount {
	sum := money.Amount(0)
	for i := range l.Rows {
		sum = sum.Add(l.Rows[i].Principal - l.Rows[i].PaidPrincipal)
	}
	return sum
}

// UnpaidFees is what is left of all fees.
func (l *Loan) UnpaidFees() money.Amount {
	sum := money.Amount(0)
	for _, f := range l.Fees {
		sum = sum.Add(f.Unpaid())
	}
	return sum
}

// UnpaidOther is what is owed because money that had been refunded was also returned by the
// bank (F16).
func (l *Loan) UnpaidOther() money.Amount {
	sum := money.Amount(0)
	for _, f := range l.Fees {
		if f.Kind == OtherReceivable {
			sum = sum.Add(f.Unpaid())
		}
	}
	return sum
}

// Used is what a loan uses of the company's line: its unpaid principal, and what else is owed
// until it is charged off (F41.7).
func (l *Loan) Used() money.Amount {
	if l.ChargedOff {
		return l.UnpaidPrincipal()
	}
	return l.UnpaidPrincipal().Add(l.UnpaidOther())
}

// notDue is N: principal that is unpaid and not yet due (F7).
func (l *Loan) notDue() money.Amount {
	sum := money.Amount(0)
	for i := l.Current - 1; i < len(l.Rows); i++ {
		sum = sum.Add(l.Rows[i].Principal - l.Rows[i].PaidPrincipal)
	}
	return sum
}

func (l *Loan) flat() bool { return l.Terms.Plan == FlatFee }

// running is the row of the running period, nil when all rows are due.
func (l *Loan) running() *Row {
	if l.Current > len(l.Rows) {
		return nil
	}
	return &l.Rows[l.Current-1]
}

// lateFee reports whether a row has had its late fee.
func (l *Loan) lateFee(row int) bool {
	return slices.ContainsFunc(l.Fees, func(f Fee) bool { return f.Kind == LateFeeKind && f.Installment == row })
}

// fee returns the fee with an id, nil if there is none.
func (l *Loan) fee(id string) *Fee {
	for i := range l.Fees {
		if l.Fees[i].ID == id {
			return &l.Fees[i]
		}
	}
	return nil
}
