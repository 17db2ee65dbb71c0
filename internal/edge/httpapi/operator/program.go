package operator

import (
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/resource"
	"tenor/internal/edge/rest"
	"tenor/internal/edge/values"
)

type termBody struct {
	Installments   int        `json:"installments" required:"true" minimum:"1" maximum:"36" doc:"Number of installments." example:"6"`
	Plan           string     `json:"plan" required:"true" enum:"NET30,ZERO,AMORTIZED,FLAT_FEE" doc:"The kind of schedule." example:"AMORTIZED"`
	AnnualRate     string     `json:"annual_rate" pattern:"^(TIER|[0-9]{1,2}\\.[0-9]{6})$" default:"0.000000" doc:"Annual rate as a fraction, or TIER for the rate of the company's tier." example:"TIER"`
	MonthlyFeeRate money.Rate `json:"monthly_fee_rate" doc:"Monthly fee of a FLAT_FEE plan as a fraction of the amount." example:"0.000000"`
	DiscountRate   money.Rate `json:"merchant_discount_rate" doc:"Merchant discount, as a fraction of the amount." example:"0.030000"`
}

// feesBody are a state's fee rules. Absent or null members keep the program's.
type feesBody struct {
	LateFeeRate        *money.Rate   `json:"late_fee_rate" doc:"Late fee as a fraction of the late amount." example:"0.020000"`
	LateFeeCap         *money.Amount `json:"late_fee_cap" doc:"Maximum late fee." example:"10.00"`
	LateFeeGraceDays   *int          `json:"late_fee_grace_days" minimum:"0" maximum:"3660" doc:"Grace period in days." example:"15"`
	ReturnedPaymentFee *money.Amount `json:"returned_payment_fee" doc:"Returned payment fee." example:"20.00"`
}

// programBody are the terms of a program version, with the defaults of F30.
type programBody struct {
	Terms              []termBody            `json:"terms" minItems:"1" maxItems:"36" doc:"Terms a buyer can choose, at most one per number of installments. Default: the default terms."`
	TierRates          map[string]money.Rate `json:"tier_rates" maxKeyLength:"1" doc:"Annual rate by tier. Default: the default rates." example:"{\"A\":\"0.120000\",\"B\":\"0.180000\",\"C\":\"0.240000\"}"`
	MinOrderAmount     money.Amount          `json:"min_order_amount" default:"1.00" doc:"Minimum order amount." example:"1.00"`
	MaxOrderAmount     *money.Amount         `json:"max_order_amount" minimum:"0.01" doc:"Maximum order amount; omit or null for none." example:"50000.00"`
	DayCount           string                `json:"day_count" enum:"30/360,30/360 US,30/360 bond basis,actual/365,actual/actual ISDA" default:"30/360" doc:"Day count convention." example:"30/360"`
	DueDay             *int                  `json:"due_day" minimum:"1" maximum:"31" doc:"Day of the month installments are due; omit or null for the day of the capture." example:"1"`
	LateFeeRate        money.Rate            `json:"late_fee_rate" default:"0.050000" doc:"Late fee as a fraction of the late amount." example:"0.050000"`
	LateFeeCap         money.Amount          `json:"late_fee_cap" default:"25.00" doc:"Maximum late fee." example:"25.00"`
	LateFeeGraceDays   int                   `json:"late_fee_grace_days" minimum:"0" maximum:"3660" default:"10" doc:"Grace period in days." example:"10"`
	ReturnedPaymentFee money.Amount          `json:"returned_payment_fee" default:"25.00" doc:"Returned payment fee." example:"25.00"`
	RefundWindowDays   int                   `json:"refund_window_days" minimum:"0" maximum:"3660" default:"180" doc:"Refund window in days after the capture." example:"180"`
	BackdatingDays     int                   `json:"backdating_days" minimum:"0" maximum:"31" default:"5" doc:"How many days late the merchant may report a payment of an externally managed order; more than 5 only for monthly settlement." example:"5"`
	DisputeHoldDays    int                   `json:"dispute_hold_days" minimum:"0" maximum:"3660" default:"30" doc:"Length of a dispute hold in days." example:"30"`
	AuthorizationDays  int                   `json:"authorization_days" minimum:"1" maximum:"3660" default:"30" doc:"Authorization lifetime in days." example:"30"`
	ExtensionDays      int                   `json:"extension_days" minimum:"0" maximum:"3660" default:"30" doc:"Days added by the one extension." example:"30"`
	GoodFundsDays      int                   `json:"good_funds_days" minimum:"0" maximum:"3660" default:"3" doc:"Banking days until an ACH payment is good funds." example:"3"`
	FirstGoodFundsDays int                   `json:"first_payment_good_funds_days" minimum:"0" maximum:"3660" default:"5" doc:"The same for a company's first payment." example:"5"`
	SuspendDPD         int                   `json:"suspend_dpd" minimum:"0" maximum:"3660" default:"30" doc:"Days past due at which the company is suspended." example:"30"`
	NonaccrualDPD      int                   `json:"nonaccrual_dpd" minimum:"0" maximum:"3660" default:"90" doc:"Days past due at which the loan goes to nonaccrual." example:"90"`
	ChargeOffDPD       int                   `json:"charge_off_dpd" minimum:"0" maximum:"3660" default:"120" doc:"Days past due at which the loan is charged off." example:"120"`
	PayoutDelayDays    int                   `json:"payout_delay_days" minimum:"0" maximum:"3660" default:"1" doc:"Banking days from capture to payout." example:"1"`
	ClawbackDebitDays  int                   `json:"clawback_debit_days" minimum:"0" maximum:"3660" default:"30" doc:"Days after which a clawback is debited." example:"30"`
	ClawbackWriteOff   int                   `json:"clawback_write_off_days" minimum:"0" maximum:"3660" default:"180" doc:"Days after which a clawback is written off." example:"180"`
	ExternalFunding    string                `json:"external_funding" enum:"FUNDED,UNFUNDED" default:"FUNDED" doc:"Whether the lender funds externally managed orders." example:"FUNDED"`
	Acceptance         string                `json:"acceptance" enum:"MASTER_AGREEMENT,PER_ORDER" default:"MASTER_AGREEMENT" doc:"How a buyer accepts terms." example:"MASTER_AGREEMENT"`
	MaxAPR             map[string]money.Rate `json:"max_apr" maxProperties:"60" maxKeyLength:"2" doc:"Maximum APR by state, as a fraction." example:"{\"NY\":\"0.250000\"}"`
	StateFees          map[string]feesBody   `json:"state_fees" maxProperties:"60" maxKeyLength:"2" doc:"Fees by the company's state at authorization, replacing those above." example:"{\"NY\":{\"late_fee_rate\":\"0.020000\",\"late_fee_cap\":10.00,\"late_fee_grace_days\":15,\"returned_payment_fee\":20.00}}"`
	AccrualPosting     string                `json:"accrual_posting" enum:"PERIOD_END,MONTH_END" default:"PERIOD_END" doc:"When earned finance charge is posted." example:"PERIOD_END"`
}

// settings returns the requested settings. The domain decides whether they are consistent.
func (b *programBody) settings() (credit.Settings, *rest.Problem) {
	preset := lending.DefaultSettings()
	s := credit.Settings{
		Terms: preset.Terms, TierRates: preset.TierRates, MinOrder: b.MinOrderAmount, MaxOrder: serve.Deref(b.MaxOrderAmount),
		DayCount: schedule.DayCount(b.DayCount), DueDay: serve.Deref(b.DueDay), LateFeeRate: b.LateFeeRate, LateFeeCap: b.LateFeeCap,
		LateFeeGraceDays: b.LateFeeGraceDays, ReturnedPaymentFee: b.ReturnedPaymentFee, RefundWindowDays: b.RefundWindowDays, BackdatingDays: b.BackdatingDays,
		DisputeHoldDays: b.DisputeHoldDays, AuthorizationDays: b.AuthorizationDays, ExtensionDays: b.ExtensionDays,
		GoodFundsDays: b.GoodFundsDays, FirstGoodFundsDays: b.FirstGoodFundsDays, SuspendDPD: b.SuspendDPD,
		NonaccrualDPD: b.NonaccrualDPD, ChargeOffDPD: b.ChargeOffDPD, PayoutDelayDays: b.PayoutDelayDays,
		ClawbackDebitDays: b.ClawbackDebitDays, ClawbackWriteOff: b.ClawbackWriteOff,
		ExternalFunding: credit.ExternalFunding(b.ExternalFunding), Acceptance: credit.Acceptance(b.Acceptance), MaxAPR: b.MaxAPR,
		AccrualPosting: credit.AccrualPosting(b.AccrualPosting),
	}
	if b.TierRates != nil {
		s.TierRates = b.TierRates
	}
	if b.StateFees != nil {
		s.StateFees = make(map[string]credit.StateFees, len(b.StateFees))
		for state, f := range b.StateFees { // unordered: a map again
			s.StateFees[state] = credit.StateFees(f)
		}
	}
	if b.Terms == nil {
		return s, nil
	}
	s.Terms = make([]credit.Term, len(b.Terms))
	for i, t := range b.Terms {
		s.Terms[i] = credit.Term{
			Installments: t.Installments, Plan: schedule.Plan(t.Plan), ByTier: t.AnnualRate == resource.TierRate,
			MonthlyFeeRate: t.MonthlyFeeRate, DiscountRate: t.DiscountRate,
		}
		if s.Terms[i].ByTier {
			continue
		}
		rate, err := money.ParseRate(t.AnnualRate)
		if err != nil { // the pattern has let it pass
			bad := values.BadRate()
			return s, rest.Invalid("/terms", bad.Code, bad.Detail)
		}
		s.Terms[i].AnnualRate = rate
	}
	return s, nil
}
