package credit

import (
	"slices"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Bucket is a band of days past due (F18).
type Bucket string

// The buckets, best first.
const (
	BucketCurrent Bucket = "CURRENT"
	Bucket1       Bucket = "DPD_1_29"
	Bucket30      Bucket = "DPD_30_59"
	Bucket60      Bucket = "DPD_60_89"
	Bucket90      Bucket = "DPD_90_119"
	Bucket120     Bucket = "DPD_120_PLUS"
)

// Buckets lists the buckets, best first.
func Buckets() []Bucket {
	return []Bucket{BucketCurrent, Bucket1, Bucket30, Bucket60, Bucket90, Bucket120}
}

// Nonaccrual reports whether an order this many days past due no longer earns charge as income
// (F18).
func (s *Settings) Nonaccrual(dpd int) bool { return dpd >= s.NonaccrualDPD }

// ChargeOffDue reports whether the system proposes an order this many days past due for
// charge-off (F17).
func (s *Settings) ChargeOffDue(dpd int) bool { return dpd >= s.ChargeOffDPD }

// LateFee is the late fee that the daily run of a date adds to an installment (F10). It is
// zero within the grace days, if the row had one before, on an order that a merchant manages
// or that is charged off, while a timely payment is pending or a dispute is open, and, for a
// row reopened by a payment's refund, within the grace days after that (F35).
func (d *Draft) LateFee(o *Order, l *schedule.Loan, row schedule.Row, relief schedule.Relief, day calendar.Date) money.Amount {
	settings := d.OrderSettings(o.Key)
	if o.External || l.ChargedOff || o.Held(day) || relief.Late(row, day) <= settings.LateFeeGraceDays || lateFeeOn(l, row.Number) ||
		o.graceFrom(row.Number).DaysUntil(day) <= settings.LateFeeGraceDays {
		return 0
	}
	return min(settings.LateFeeRate.Of(row.Unpaid()), settings.LateFeeCap)
}

// lateFeeOn reports whether an installment has had its late fee, waived or not.
func lateFeeOn(l *schedule.Loan, row int) bool {
	return slices.ContainsFunc(l.Fees, func(f schedule.Fee) bool { return f.Kind == schedule.LateFeeKind && f.Installment == row })
}

// OrderSettings are the settings that apply to an order (F30).
func (d *Draft) OrderSettings(key string) *Settings {
	o := d.Orders.Peek(key)
	return d.State.Merchants[o.Merchant].SettingsOf(o)
}

// Standing returns an order and its loan in their current state in the draft.
func (d *Draft) Standing(key string) (*Order, *schedule.Loan) {
	return d.Orders.Peek(key), d.LoanOf(key)
}

// Owes reports whether a row or a fee is unpaid.
func Owes(l *schedule.Loan) bool {
	return slices.ContainsFunc(l.Rows, func(r schedule.Row) bool { return r.Unpaid() != 0 }) || l.UnpaidFees() != 0
}

// AccountKey is the key of a company's own history: the events of company-level payments,
// whether or not they touched an order.
func AccountKey(company int64) string { return strconv.FormatInt(company, 10) }

// PutCredit replaces a credit of a company in the draft.
func (d *Draft) PutCredit(c Credit) {
	for i := range d.Changes.Credits {
		if d.Changes.Credits[i].Source == c.Source {
			d.Changes.Credits[i] = c
			return
		}
	}
	d.Changes.Credits = append(d.Changes.Credits, c)
}

// AccrualMonths is how many months an order must stay current until its charge counts as
// income again (F18).
const AccrualMonths = 6

// sweep keeps the books consistent for orders that are or were in nonaccrual. A replay
// reversed entries posted under the state at that time, and posted new ones under the current
// state. The resulting differences on 1110, 2200 and in memo are moved to where they belong.
func (d *Draft) sweep() {
	for _, key := range d.chargePosted() {
		l, o, was := d.LoanOf(key), d.Orders.Peek(key), d.State.Orders[key]
		if !o.Servicing.Nonaccrual && !d.Mixed[l.Key] && (was == nil || !was.Servicing.Nonaccrual) {
			continue
		}
		rest := StandingOf(o, l).Less(StandingOf(was, d.State.Loans[l.Key])).Less(d.postedCharge(l.Key))
		dim := ledger.Dimensions{Company: o.Company, Merchant: o.Merchant, Order: o.Key}
		line := func(a ledger.Account, amount money.Amount) ledger.Posting {
			return ledger.Posting{Account: a, Amount: amount, Dimensions: dim}
		}
		d.Entry("NONACCRUAL_ADJUSTED", o.Key, d.On, line(ledger.ChargeReceivable, rest.Charge), line(ledger.UnearnedCharge, -rest.Unearned),
			line(ledger.ChargeIncome, rest.Unearned.Sub(rest.Charge)), line(ledger.NonaccrualCharge, rest.Memo), line(ledger.NonaccrualContra, -rest.Memo))
	}
}

// chargePosted lists the orders whose charge the command has posted.
func (d *Draft) chargePosted() []string {
	var keys []string
	for _, e := range d.Changes.Entries {
		for _, p := range e.Postings {
			charge := p.Account == ledger.ChargeReceivable || p.Account == ledger.UnearnedCharge || p.Account == ledger.NonaccrualCharge
			if charge && p.Order != "" && !slices.Contains(keys, p.Order) {
				keys = append(keys, p.Order)
			}
		}
	}
	return keys
}

// postedCharge is what the command has posted on the charge accounts of an order.
func (d *Draft) postedCharge(key string) Receivable {
	var r Receivable
	for _, e := range d.Changes.Entries {
		for _, p := range e.Postings {
			switch {
			case p.Order != key:
			case p.Account == ledger.ChargeReceivable:
				r.Charge = r.Charge.Add(p.Amount)
			case p.Account == ledger.UnearnedCharge:
				r.Unearned = r.Unearned.Sub(p.Amount)
			case p.Account == ledger.NonaccrualCharge:
				r.Memo = r.Memo.Add(p.Amount)
			}
		}
	}
	return r
}

// Entry appends a ledger entry. Lines of zero are left out, and without lines no entry is made
// (F39).
func (d *Draft) Entry(event, cause string, value calendar.Date, lines ...ledger.Posting) string {
	postings := make([]ledger.Posting, 0, len(lines))
	for _, p := range lines {
		if p.Amount != 0 {
			postings = append(postings, p)
		}
	}
	if len(postings) == 0 {
		return ""
	}
	e := ledger.Entry{
		ID: d.IDs.Next(prefixEntry), BookDate: d.Env.Today(), ValueDate: min(value, d.Env.Today()), Event: event, Cause: cause,
		Currency: money.USD, Postings: postings,
	}
	d.Changes.Entries = append(d.Changes.Entries, e)
	return e.ID
}

// EntryAllowanceRaised tops up the allowance for principal that is charged off.
const EntryAllowanceRaised = "ALLOWANCE_RAISED"

// Receivable is what is owed on a loan as the ledger shows it: 1100, 1110, 1120 with 1130, and
// 2200; in memo the charge of a loan in nonaccrual (9010), and everything owed on a
// charged-off one (9020).
type Receivable struct{ Principal, Charge, Fees, Unearned, Memo, Lost money.Amount }

// Less is the difference of two, part by part.
func (r Receivable) Less(s Receivable) Receivable {
	return Receivable{
		r.Principal.Sub(s.Principal), r.Charge.Sub(s.Charge), r.Fees.Sub(s.Fees), r.Unearned.Sub(s.Unearned), r.Memo.Sub(s.Memo), r.Lost.Sub(s.Lost),
	}
}

// StandingOf is the accounts on which the ledger shows what is owed on an order's loan (F17,
// F18, F33).
func StandingOf(o *Order, l *schedule.Loan) Receivable {
	r := Owed(l)
	switch {
	case o == nil || l == nil:
	case o.Terms.Unfunded:
		r = Receivable{Principal: r.Principal}
	case l.ChargedOff:
		r = Receivable{Lost: money.Sum(r.Principal, r.Charge, r.Fees)}
	case o.Servicing.Nonaccrual && l.Terms.Plan == schedule.FlatFee:
		r.Unearned = r.Charge
	case o.Servicing.Nonaccrual:
		r.Charge, r.Memo = 0, r.Charge
	}
	return r
}

// Owed sums a loan. The charge of a flat fee is owed from the start and earned later; any
// other charge is owed as it is earned.
func Owed(l *schedule.Loan) Receivable {
	if l == nil {
		return Receivable{}
	}
	r := Receivable{Principal: l.UnpaidPrincipal(), Fees: l.UnpaidFees()}
	recognised, charge, paid := money.Amount(0), money.Amount(0), money.Amount(0)
	for _, row := range l.Rows {
		recognised, charge, paid = recognised.Add(row.Recognised), charge.Add(row.Charge), paid.Add(row.PaidCharge)
	}
	if l.Terms.Plan == schedule.FlatFee {
		r.Charge, r.Unearned = charge.Sub(paid), charge.Sub(recognised)
	} else {
		r.Charge = recognised.Sub(paid).Sub(l.Waived)
	}
	return r
}

// Relief is what keeps unpaid installments of an order from being late: dispute holds (F15),
// and pending debits that will settle by the due date (F10).
func (o *Order) Relief(l *schedule.Loan) schedule.Relief {
	var r schedule.Relief
	for _, h := range o.Servicing.Holds {
		r.Held = append(r.Held, schedule.Span{From: h.From, To: h.To})
	}
	for _, open := range o.Servicing.Open {
		for _, n := range Covered(o, l, open) {
			if open.On <= l.Rows[n-1].DueDate && !r.Pends(n) {
				r.Pending = append(r.Pending, n)
			}
		}
	}
	return r
}

// Covered lists the installments that a debit will pay in full.
func Covered(o *Order, l *schedule.Loan, open OpenDebit) []int {
	if open.Items == nil {
		return l.PaidBy(open.Amount, open.On)
	}
	var rows []int
	for _, ref := range open.Items {
		if ref.Order == o.Key && ref.Fee == "" && ref.Installment >= 1 && ref.Installment <= len(l.Rows) {
			rows = append(rows, ref.Installment)
		}
	}
	return rows
}

// View is the order's schedule as of a day, with relief applied to what is late.
func (o *Order) View(l *schedule.Loan, on calendar.Date) schedule.View {
	return l.ViewRelieved(on, o.Relief(l))
}

// DPD is the order's days past due, with relief (F10, F15).
func (o *Order) DPD(l *schedule.Loan, on calendar.Date) int {
	return l.DPDRelieved(on, o.Relief(l))
}

// Held reports whether the order is on dispute hold on a day.
func (o *Order) Held(on calendar.Date) bool {
	return slices.ContainsFunc(o.Servicing.Holds, func(h Hold) bool { return h.From <= on && on < h.To })
}

// withTied adds the histories of tied orders of companies whose accounts are requested, if one
// of them has something due: they are served together (F37).
func withTied(k Keys, s *State, e Env) Keys {
	for _, company := range k.Accounts {
		x := s.Companies[company]
		if x == nil || !x.JointReplay || !slices.ContainsFunc(s.Accounts[company], func(key string) bool { return s.Orders[key].due(e.Now) }) {
			continue
		}
		a := AccountKeys(s, company)
		k.History, k.Lines = append(slices.Clone(k.History), a.History...), append(slices.Clone(k.Lines), a.Lines...)
		k.Invoices, k.Merchants = append(slices.Clone(k.Invoices), a.Invoices...), append(slices.Clone(k.Merchants), a.Merchants...)
	}
	return k
}

// AccountKeys requests all of a company's captured orders and its own history, and, once the
// orders are known, their histories and invoices.
func AccountKeys(s *State, company int64) Keys {
	histories := append([]string{AccountKey(company)}, s.Accounts[company]...)
	return Keys{
		Accounts: []int64{company}, History: histories, Lines: histories,
		Invoices: InvoicesOf(s, s.Accounts[company]), Merchants: MerchantsOf(s, s.Accounts[company]),
	}
}

// InvoicesOf lists the invoices of loaded orders.
func InvoicesOf(s *State, orders []string) []string {
	out := make([]string, 0, len(orders))
	for _, key := range orders {
		out = append(out, s.Orders[key].Invoice)
	}
	return out
}

// MerchantsOf lists the merchants of loaded orders.
func MerchantsOf(s *State, orders []string) []string {
	var out []string
	for _, key := range orders {
		if m := s.Orders[key].Merchant; !slices.Contains(out, m) {
			out = append(out, m)
		}
	}
	return out
}
