package lending

import (
	"slices"

	"tenor/internal/domain/apr"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// DefaultSettings are the default settings of F30.
func DefaultSettings() credit.Settings {
	tiered := func(n int) credit.Term {
		return credit.Term{Installments: n, Plan: schedule.Amortized, ByTier: true, DiscountRate: money.MustParseRate("0.030000")}
	}
	return credit.Settings{
		Terms: []credit.Term{
			{Installments: 1, Plan: schedule.Net30, DiscountRate: money.MustParseRate("0.030000")},
			tiered(3), tiered(6), tiered(9), tiered(12), tiered(24),
		},
		TierRates: map[string]money.Rate{
			"A": money.MustParseRate("0.120000"), "B": money.MustParseRate("0.180000"), "C": money.MustParseRate("0.240000"),
		},
		MinOrder: money.MustParse("1.00"), DayCount: schedule.WholeMonth,
		LateFeeRate: money.MustParseRate("0.050000"), LateFeeCap: money.MustParse("25.00"), LateFeeGraceDays: 10,
		ReturnedPaymentFee: money.MustParse("25.00"), RefundWindowDays: 180, BackdatingDays: 5, DisputeHoldDays: 30,
		AuthorizationDays: 30, ExtensionDays: 30, GoodFundsDays: 3, FirstGoodFundsDays: 5,
		SuspendDPD: 30, NonaccrualDPD: 90, ChargeOffDPD: 120,
		PayoutDelayDays: 1, ClawbackDebitDays: 30, ClawbackWriteOff: 180,
		ExternalFunding: credit.Funded, Acceptance: credit.MasterAgreement, AccrualPosting: credit.PeriodEnd,
	}
}

// CheckSettings describes the first rule that settings of a program break, or returns "".
func CheckSettings(s credit.Settings) string {
	seen := map[int]bool{}
	for _, t := range s.Terms {
		if t.Installments < 1 || t.Installments > 36 || seen[t.Installments] {
			return "each term needs a number of installments from 1 to 36, at most one term a number"
		}
		seen[t.Installments] = true
		switch {
		case t.Plan == schedule.Net30 && t.Installments != 1:
			return "NET30 has one installment"
		case t.Plan != schedule.Net30 && t.Plan != schedule.Zero && t.Plan != schedule.Amortized && t.Plan != schedule.FlatFee:
			return "a term's plan is NET30, ZERO, AMORTIZED or FLAT_FEE"
		case t.ByTier && t.Plan != schedule.Amortized:
			return "only an AMORTIZED term takes the tier's rate"
		case t.ByTier && !ratesEveryTier(s):
			return "tier_rates must hold the tiers A, B and C"
		case t.AnnualRate != 0 && t.Plan != schedule.Amortized || t.MonthlyFeeRate != 0 && t.Plan != schedule.FlatFee:
			return "annual_rate is for AMORTIZED, monthly_fee_rate for FLAT_FEE"
		case t.ByTier && t.AnnualRate != 0:
			return "a term takes its own annual_rate or the tier's, not both"
		case t.AnnualRate > money.RateScale || t.MonthlyFeeRate > money.RateScale || t.DiscountRate > money.RateScale:
			return "a rate is at most 1.000000"
		}
	}
	return checkRest(s)
}

func ratesEveryTier(s credit.Settings) bool {
	for _, tier := range []string{"A", "B", "C"} {
		if r, ok := s.TierRates[tier]; !ok || r > money.RateScale {
			return false
		}
	}
	return true
}

func checkRest(s credit.Settings) string {
	counts := []schedule.DayCount{"", schedule.WholeMonth, schedule.Thirty360US, schedule.Thirty360Bond, schedule.Actual365, schedule.ActualActual}
	switch {
	case !slices.Contains(counts, s.DayCount):
		return "day_count is not one of the day counts"
	case s.LateFeeRate > money.RateScale || s.LateFeeCap < 0 || s.ReturnedPaymentFee < 0:
		return "a fee is out of range"
	case len(s.Terms) == 0:
		return "a program offers at least one term"
	case s.MaxOrder != 0 && s.MaxOrder < s.MinOrder:
		return "max_order_amount is below min_order_amount"
	case s.DueDay < 0 || s.DueDay > 31:
		return "due_day is from 1 to 31, or 0 for none"
	case s.ExternalFunding != credit.Funded && s.ExternalFunding != credit.Unfunded:
		return "external_funding is FUNDED or UNFUNDED"
	case s.Acceptance != credit.MasterAgreement && s.Acceptance != credit.PerOrder:
		return "acceptance is MASTER_AGREEMENT or PER_ORDER"
	case s.AccrualPosting != credit.PeriodEnd && s.AccrualPosting != credit.MonthEnd:
		return "accrual_posting is PERIOD_END or MONTH_END"
	case s.AuthorizationDays < 1:
		return "authorization_days is at least 1"
	}
	for _, days := range []int{
		s.LateFeeGraceDays, s.RefundWindowDays, s.BackdatingDays, s.DisputeHoldDays, s.AuthorizationDays, s.ExtensionDays, s.GoodFundsDays,
		s.FirstGoodFundsDays, s.SuspendDPD, s.NonaccrualDPD, s.ChargeOffDPD, s.PayoutDelayDays, s.ClawbackDebitDays, s.ClawbackWriteOff,
	} {
		if days < 0 || days > MaxDays {
			return "a number of days is from 0 to 3660"
		}
	}
	return CheckStates(s)
}

// MaxDays bounds every number of days in a program: ten years, within which no date or instant
// can overflow.
const MaxDays = 3660

// InBounds reports whether an order of that amount is within the merchant's bounds.
func InBounds(s *credit.Settings, a money.Amount) bool {
	return a >= s.MinOrder && (s.MaxOrder == 0 || a <= s.MaxOrder)
}

// fix derives the terms of an order from a program's term: they stay fixed for the life of the
// order and its children.
func fix(s *credit.Settings, t credit.Term, tier string, external bool) credit.OrderTerms {
	o := credit.OrderTerms{
		Plan: t.Plan, AnnualRate: t.AnnualRate, MonthlyFeeRate: t.MonthlyFeeRate, DiscountRate: t.DiscountRate,
		DayCount: s.DayCount, DueDay: s.DueDay, MonthEnd: s.AccrualPosting == credit.MonthEnd, Tier: tier, Installments: t.Installments, FirstDueDate: calendar.None,
	}
	if t.ByTier {
		o.AnnualRate = s.TierRates[tier]
	}
	if external && s.ExternalFunding == credit.Unfunded {
		o.Unfunded = true
		o.AnnualRate, o.MonthlyFeeRate, o.DiscountRate = 0, 0, 0
		if o.Plan != schedule.Net30 {
			o.Plan = schedule.Zero
		}
	}
	return o
}

// LoanTerms are the terms of a loan captured on a date.
func LoanTerms(t credit.OrderTerms, amount money.Amount, captured calendar.Date) schedule.Terms {
	return schedule.Terms{
		Plan: t.Plan, Principal: amount, Installments: t.Installments, AnnualRate: t.AnnualRate,
		MonthlyFeeRate: t.MonthlyFeeRate, DayCount: t.DayCount, DueDay: t.DueDay, MonthEnd: t.MonthEnd, CaptureDate: captured,
	}
}

// Quote computes the schedule and figures that terms give for an amount captured on a date. It
// is rejected if F1–F3 reject the schedule, or its APR exceeds what the company's state allows
// (F19, F30).
func Quote(t credit.OrderTerms, s *credit.Settings, state string, amount money.Amount, captured calendar.Date) (*schedule.Loan, credit.OrderTerms, *credit.Rejection) {
	loan, t, r := FiguresOf(t, amount, captured)
	if r != nil {
		return nil, t, r
	}
	if bound, ok := s.MaxAPR[state]; ok && t.APR > int64(bound)/(money.RateScale/10000) {
		return nil, t, credit.TermNotAvailable.Because("The annual percentage rate is above the limit of the company's state.")
	}
	return loan, t, nil
}

// FiguresOf is Quote for an order that keeps the terms that it was offered: the state's bound
// is checked only at the offer.
func FiguresOf(t credit.OrderTerms, amount money.Amount, captured calendar.Date) (*schedule.Loan, credit.OrderTerms, *credit.Rejection) {
	loan, err := schedule.New("", 0, LoanTerms(t, amount, captured))
	if err != nil {
		return nil, t, credit.TermNotAvailable.Because("The amount cannot be repaid in this number of installments.")
	}
	t.FinanceCharge, t.TotalOfPayments = 0, 0
	amounts := make([]money.Amount, len(loan.Rows))
	for i, r := range loan.Rows {
		amounts[i] = r.Principal.Add(r.Charge)
		t.FinanceCharge = t.FinanceCharge.Add(r.Charge)
		t.TotalOfPayments = t.TotalOfPayments.Add(amounts[i])
	}
	rate, err := aprOf(loan, amount, amounts)
	if err != nil {
		return nil, t, credit.TermNotAvailable.Because("The term has no annual percentage rate.")
	}
	t.APR = int64(rate)
	return loan, t, nil
}

// Offer decides whether a program offers an amount to a company, and in a number of
// installments if one is chosen; it then returns the terms (F30).
func Offer(p *credit.Program, c *credit.Company, amount money.Amount, installments int, external bool, day calendar.Date) (credit.OrderTerms, *credit.Rejection) {
	if p == nil {
		return credit.OrderTerms{}, credit.TermNotAvailable.Because("The merchant has no program in force.")
	}
	if r := Bounds(p, amount); r != nil || installments == 0 {
		return credit.OrderTerms{}, r
	}
	return TermsFor(&p.Settings, c.Tier, c.BillingAddress.State, amount, installments, external, day)
}

// TermsFor decides on the number of installments alone.
func TermsFor(s *credit.Settings, tier, state string, amount money.Amount, installments int, external bool, day calendar.Date) (credit.OrderTerms, *credit.Rejection) {
	t, ok := s.Offer(installments)
	if !ok {
		return credit.OrderTerms{}, credit.TermNotAvailable.Because("The merchant's program does not offer this number of installments.")
	}
	fixed := fix(s, t, tier, external)
	fixed.State = state
	_, terms, r := Quote(fixed, s, state, amount, day)
	return terms, r
}

// Bounds requires that the amount is within the merchant's bounds.
func Bounds(p *credit.Program, amount money.Amount) *credit.Rejection {
	if InBounds(&p.Settings, amount) {
		return nil
	}
	m := map[string]any{"minimum": p.Settings.MinOrder}
	if p.Settings.MaxOrder != 0 {
		m["maximum"] = p.Settings.MaxOrder
	}
	return credit.AmountOutOfBounds.With("The amount is outside the merchant's order limits.", m)
}

// aprOf is the loan's APR with every monthly due date a whole unit-period (F20).
func aprOf(loan *schedule.Loan, amount money.Amount, amounts []money.Amount) (apr.Percent, error) {
	return apr.OfSchedule(amount, amounts, TimingOf(loan))
}

// TimingOf is when a loan's payments are due, in unit-periods (F20).
func TimingOf(loan *schedule.Loan) apr.Timing {
	t := loan.Terms
	switch first := loan.Rows[0].DueDate; {
	case t.Plan == schedule.Net30:
		return apr.SinglePayment(t.CaptureDate.DaysUntil(first))
	case t.DueDay != 0:
		return apr.OddFirst(t.OddDays(first), t.CaptureDate.DaysUntil(first))
	}
	return apr.Regular()
}
