package resource

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Statuses of a schedule in addition to the order's financing status.
const (
	estimated = "ESTIMATED" // before capture: as if captured today
	canceled  = "CANCELED"  // of a canceled order: no rows
)

// Schedule is the list of installments of an order.
type Schedule struct {
	OrderKey         string         `json:"order_key" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Status           string         `json:"status" enum:"ESTIMATED,CANCELED,NONE,ACTIVE,PAID_OFF,OVERDUE,CHARGED_OFF" doc:"The order's financing_status as of today, as the installments show it; ESTIMATED before capture: the schedule of a capture today; CANCELED without rows." example:"ACTIVE"`
	Plan             *string        `json:"plan" nullable:"true" enum:"NET30,ZERO,AMORTIZED,FLAT_FEE" doc:"The kind of schedule; null if the order was canceled without terms." example:"AMORTIZED"`
	Currency         string         `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
	Principal        money.Amount   `json:"principal" doc:"Sum of the installments' principal." example:"1200.00"`
	FinanceCharge    money.Amount   `json:"finance_charge" doc:"Sum of the installments' finance charge." example:"42.35"`
	TotalAmount      money.Amount   `json:"total_amount" doc:"Sum of the installments including fees." example:"1242.35"`
	TotalPaid        money.Amount   `json:"total_paid" doc:"Amount paid." example:"207.06"`
	RemainingBalance money.Amount   `json:"remaining_balance" doc:"total_amount less total_paid." example:"1035.29"`
	PastDueAmount    money.Amount   `json:"past_due_amount" doc:"Unpaid principal and finance charge of OVERDUE installments." example:"0.00"`
	NextDueDate      *calendar.Date `json:"next_due_date" nullable:"true" doc:"Due date of the first unpaid installment that is due today or later; null if there is none." example:"2026-03-15"`
	NextDueAmount    money.Amount   `json:"next_due_amount" doc:"Unpaid principal and finance charge of that installment; 0.00 if there is none." example:"207.06"`
	Revision         int            `json:"revision" doc:"1 at capture, increases by 1 with each change of its rows; 0 before capture." example:"1"`
	DisputeHolds     []DisputeHold  `json:"dispute_holds" doc:"Dispute holds of the order, oldest first; the last one is in effect until its until date."`
	Installments     []Installment  `json:"installments" doc:"The installments in order of number."`
}

// Installment is one row of a schedule.
type Installment struct {
	Number            int            `json:"number" minimum:"1" maximum:"36" doc:"Number of the installment." example:"1"`
	DueDate           calendar.Date  `json:"due_date" doc:"Due date." example:"2026-02-15"`
	CollectionDate    calendar.Date  `json:"collection_date" doc:"Date autopay debits it: the due date or the next banking day." example:"2026-02-17"`
	Amount            money.Amount   `json:"amount" doc:"Principal and finance charge, without fees." example:"207.06"`
	Principal         money.Amount   `json:"principal" doc:"Principal portion." example:"195.06"`
	FinanceCharge     money.Amount   `json:"finance_charge" doc:"Finance charge portion." example:"12.00"`
	Fees              money.Amount   `json:"fees" doc:"Late and returned-payment fees of the installment." example:"0.00"`
	FeeItems          []FeeItem      `json:"fee_items" doc:"The individual fees."`
	AmountPaid        money.Amount   `json:"amount_paid" doc:"Amount paid, including fees." example:"207.06"`
	AmountOutstanding money.Amount   `json:"amount_outstanding" doc:"amount and fees less amount_paid." example:"0.00"`
	RemainingBalance  money.Amount   `json:"remaining_balance" doc:"Principal remaining after this installment." example:"1004.94"`
	Status            string         `json:"status" enum:"UPCOMING,DUE,PARTIALLY_PAID,PAID,OVERDUE,CANCELED" doc:"Status." example:"PAID"`
	PaidAt            *calendar.Date `json:"paid_at" nullable:"true" doc:"Effective date of the payment that completed it." example:"2026-02-17"`
	DaysPastDue       int            `json:"days_past_due" doc:"Days past due, excluding dispute holds; 0 if paid, not yet late, or a timely debit is pending." example:"0"`
}

// FeeItem is one fee of an installment.
type FeeItem struct {
	ID         string        `json:"id" doc:"ID of the fee, used to waive it." example:"fee_01KG3X5Z7B9D1F3H5K7M9P1R3T"`
	Kind       string        `json:"kind" enum:"LATE,RETURNED_PAYMENT,OTHER" doc:"Kind of fee. OTHER: a refunded payment that was later returned." example:"LATE"`
	Amount     money.Amount  `json:"amount" doc:"Amount; once waived, the amount paid." example:"10.35"`
	Paid       money.Amount  `json:"paid" doc:"Amount paid." example:"0.00"`
	Waived     money.Amount  `json:"waived" doc:"Amount waived; amount plus waived is what was charged." example:"0.00"`
	AssessedOn calendar.Date `json:"assessed_on" doc:"Date charged and due." example:"2026-03-26"`
}

// DisputeHold is a span of days during which an order is not debited and its days do not
// count as late (F15).
type DisputeHold struct {
	From  calendar.Date `json:"from" doc:"First day of it." example:"2026-03-20"`
	Until calendar.Date `json:"until" doc:"First day after the hold." example:"2026-03-30"`
}

// NewSchedule returns the schedule of a captured order with its loan as of a day. Its
// status is that of its own rows on that day; the order's, which changes with commands, may
// still be yesterday's. A charge-off is a decision and stays. An installment is not late
// while a timely debit of it has no outcome, nor for days of a dispute hold (F10, F15).
func NewSchedule(o *credit.Order, l *schedule.Loan, day calendar.Date) Schedule {
	v := o.View(l, day)
	status := string(o.Financing)
	if o.Financing != credit.FinancingChargedOff {
		status = string(v.Status)
	}
	return newSchedule(o, l, v, status, o.Revision)
}

// NewEstimate returns the schedule that an order not yet captured would have: that of a
// loan made on the day.
func NewEstimate(o *credit.Order, l *schedule.Loan, day calendar.Date) Schedule {
	return newSchedule(o, l, l.View(day), estimated, 0)
}

// NewCanceledSchedule returns the schedule of a canceled order: no rows, zeros.
func NewCanceledSchedule(o *credit.Order) Schedule {
	s := Schedule{OrderKey: o.Key, Status: canceled, Currency: string(o.Currency), DisputeHolds: []DisputeHold{}, Installments: []Installment{}}
	if o.Terms != nil {
		s.Plan = text(string(o.Terms.Plan))
	}
	return s
}

func newSchedule(o *credit.Order, l *schedule.Loan, v schedule.View, status string, revision int) Schedule {
	s := Schedule{
		OrderKey: o.Key, Status: status, Plan: text(string(l.Terms.Plan)), Currency: string(o.Currency),
		Principal: v.Principal, FinanceCharge: v.Charge, TotalAmount: v.TotalAmount, TotalPaid: v.TotalPaid,
		RemainingBalance: v.Remaining, PastDueAmount: v.PastDue, NextDueDate: dateIn(&v.NextDueDate), NextDueAmount: v.NextDueAmount,
		Revision: revision, DisputeHolds: convert(o.Servicing.Holds, newHold), Installments: convert(v.Rows, newInstallment),
	}
	for _, f := range l.Fees {
		x := &s.Installments[f.Installment-1]
		x.FeeItems = append(x.FeeItems, FeeItem{ID: f.ID, Kind: feeKinds(f.Kind), Amount: f.Amount, Paid: f.Paid, Waived: f.Waived, AssessedOn: f.Date})
	}
	return s
}

func newHold(h *credit.Hold) DisputeHold { return DisputeHold{h.From, h.To} }

func feeKinds(k schedule.FeeKind) string {
	switch k {
	case schedule.LateFeeKind:
		return "LATE"
	case schedule.ReturnedPaymentFee:
		return "RETURNED_PAYMENT"
	}
	return "OTHER"
}

func newInstallment(r *schedule.RowView) Installment {
	return Installment{
		Number: r.Number, DueDate: r.DueDate, CollectionDate: r.CollectionDate, Amount: r.Amount, Principal: r.Principal,
		FinanceCharge: r.Charge, Fees: r.Fees, FeeItems: []FeeItem{}, AmountPaid: r.Paid, AmountOutstanding: r.Outstanding,
		RemainingBalance: r.Remaining, Status: string(r.Status), PaidAt: dateIn(&r.PaidOn), DaysPastDue: r.DPD,
	}
}

// Payoff is the amount that would pay an order off on a date.
type Payoff struct {
	OrderKey                     string        `json:"order_key" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Date                         calendar.Date `json:"date" doc:"Payoff date." example:"2026-04-01"`
	GoodThrough                  calendar.Date `json:"good_through" doc:"Last date on which this amount pays the order off." example:"2026-04-01"`
	Amount                       money.Amount  `json:"amount" doc:"principal, finance_charge and fees." example:"812.36"`
	Principal                    money.Amount  `json:"principal" doc:"Unpaid principal." example:"807.93"`
	FinanceCharge                money.Amount  `json:"finance_charge" doc:"Unpaid finance charge earned to the date; negative if a flat fee was paid before it was earned." example:"4.43"`
	Fees                         money.Amount  `json:"fees" doc:"Unpaid fees." example:"0.00"`
	PerDiem                      money.Amount  `json:"per_diem" doc:"Per diem." example:"0.26"`
	AssumesPendingPaymentsSettle bool          `json:"assumes_pending_payments_settle" doc:"Whether pending payments are counted as paid." example:"true"`
	Currency                     string        `json:"currency" enum:"USD" doc:"ISO 4217 code." example:"USD"`
}

// NewPayoff returns the quote for paying an order off on a date; it is valid through that
// date (F8). pending means that it includes payments in progress. Its parts always sum to
// its amount: where the prepaid fee exceeds what is owed and the amount stops at 0.00, so
// does the finance charge set against it.
func NewPayoff(o *credit.Order, date calendar.Date, p schedule.Payoff, pending bool) Payoff {
	return Payoff{
		OrderKey: o.Key, Date: date, GoodThrough: date, Amount: p.Total, Principal: p.Principal, FinanceCharge: p.Total.Sub(p.Principal).Sub(p.Fees),
		Fees: p.Fees, PerDiem: p.PerDiem, AssumesPendingPaymentsSettle: pending, Currency: string(o.Currency),
	}
}
