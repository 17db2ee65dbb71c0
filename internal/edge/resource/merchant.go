package resource

import (
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// Merchant is a shop whose sales are financed. Only the operator sees it.
type Merchant struct {
	ID        string         `json:"id" doc:"Identifier of the merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Name      string         `json:"name" doc:"Its name, unique in the deployment." example:"Shelfworks"`
	Programs  []Program      `json:"programs" doc:"All versions of its program, oldest first."`
	Account   PayAccount     `json:"payout_account" doc:"Payout account and holds."`
	Limits    MerchantLimits `json:"limits" doc:"Exposure limits."`
	Shop      MerchantShop   `json:"shop" doc:"Shop and branding."`
	CreatedAt time.Time      `json:"created_at" doc:"When the merchant was created." example:"2025-11-20T09:00:00Z"`
	UpdatedAt time.Time      `json:"updated_at" doc:"When it last changed." example:"2025-11-20T09:00:00Z"`
}

// MerchantShop is where a merchant sells and how it presents itself to buyers.
type MerchantShop struct {
	Origins      []string `json:"origins" doc:"Origins of its pages. In live mode, checkouts return only there." example:"[\"https://shop.harbor.example\"]"`
	SupportEmail *string  `json:"support_email" nullable:"true" doc:"Support contact for buyers." example:"help@harbor.example"`
	SupportPhone *string  `json:"support_phone" nullable:"true" doc:"Support contact for buyers." example:"+1 212 555 0142"`
	TermsURL     *string  `json:"terms_url" nullable:"true" doc:"URL of the shop's terms of sale." example:"https://shop.harbor.example/terms"`
	AccentColor  *string  `json:"accent_color" nullable:"true" doc:"Color of the primary button in its checkouts; null: the default color." example:"#0b5cad"`
	LogoHash     *string  `json:"logo_sha256" nullable:"true" doc:"SHA-256 of its stored logo, a PNG; null without one." example:"9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"`
}

func newMerchantShop(x *credit.Shop) MerchantShop {
	return MerchantShop{
		Origins: append([]string{}, x.Origins...), SupportEmail: textIn(&x.SupportEmail), SupportPhone: textIn(&x.SupportPhone),
		TermsURL: textIn(&x.TermsURL), AccentColor: textIn(&x.AccentColor), LogoHash: textIn(&x.Logo.Hash),
	}
}

// MerchantLimits bound the lender's possible loss on a merchant (F41).
type MerchantLimits struct {
	Exposure *money.Amount `json:"exposure" nullable:"true" doc:"Exposure limit: unpaid principal of its orders plus what it owes. Payouts of captures above it are held. Null: no limit." example:"50000.00"`
	Due      *money.Amount `json:"due" nullable:"true" doc:"Limit on what it owes from collections and clawbacks. Null: the larger of 10,000.00 and twice what was netted or remitted in the last 30 days." example:"25000.00"`
}

func newMerchantLimits(m *credit.Merchant) MerchantLimits {
	w := MerchantLimits{}
	if x := m.ExposureLimit(); x != credit.Unlimited {
		w.Exposure = &x
	}
	if m.Limits.Due != 0 {
		w.Due = &m.Limits.Due
	}
	return w
}

// Program is one version of a merchant's terms. It never changes.
type Program struct {
	MerchantID    string         `json:"merchant_id" doc:"The merchant." example:"mch_01K9Z0A1B2C3D4E5F6G7H8J9K0"`
	Version       int            `json:"version" minimum:"1" doc:"1 for the first." example:"1"`
	EffectiveFrom calendar.Date  `json:"effective_from" doc:"First business date it applies." example:"2025-11-20"`
	EffectiveTo   *calendar.Date `json:"effective_to" nullable:"true" doc:"Last business date it applies; null for the latest version." example:"2026-06-30"`
	Settings
}

// Settings are the terms of a program version (F30). They apply to every order authorized
// under it for its whole life.
type Settings struct {
	Terms              []Term                `json:"terms" doc:"Terms a buyer can choose, at most one per number of installments."`
	TierRates          map[string]money.Rate `json:"tier_rates" doc:"Annual rate by tier." example:"{\"A\":\"0.120000\"}"`
	MinOrderAmount     money.Amount          `json:"min_order_amount" doc:"Minimum order amount." example:"1.00"`
	MaxOrderAmount     *money.Amount         `json:"max_order_amount" nullable:"true" doc:"Maximum order amount; null for none." example:"50000.00"`
	DayCount           string                `json:"day_count" doc:"Day count convention." example:"30/360"`
	DueDay             *int                  `json:"due_day" nullable:"true" minimum:"1" maximum:"31" doc:"Day of the month installments are due; null for the day of the capture." example:"1"`
	LateFeeRate        money.Rate            `json:"late_fee_rate" doc:"Late fee as a fraction of the late amount." example:"0.050000"`
	LateFeeCap         money.Amount          `json:"late_fee_cap" doc:"Maximum late fee." example:"25.00"`
	LateFeeGraceDays   int                   `json:"late_fee_grace_days" doc:"Grace period in days." example:"10"`
	ReturnedPaymentFee money.Amount          `json:"returned_payment_fee" doc:"Returned payment fee." example:"25.00"`
	RefundWindowDays   int                   `json:"refund_window_days" doc:"Refund window in days after the capture." example:"180"`
	BackdatingDays     int                   `json:"backdating_days" doc:"How many days late the merchant may report a payment of an externally managed order." example:"5"`
	DisputeHoldDays    int                   `json:"dispute_hold_days" doc:"Length of a dispute hold in days." example:"30"`
	AuthorizationDays  int                   `json:"authorization_days" doc:"Authorization lifetime in days." example:"30"`
	ExtensionDays      int                   `json:"extension_days" doc:"Days added by the one extension." example:"30"`
	GoodFundsDays      int                   `json:"good_funds_days" doc:"Banking days until an ACH payment is good funds." example:"3"`
	FirstGoodFundsDays int                   `json:"first_payment_good_funds_days" doc:"The same for a company's first payment." example:"5"`
	SuspendDPD         int                   `json:"suspend_dpd" doc:"Days past due at which the company is suspended." example:"30"`
	NonaccrualDPD      int                   `json:"nonaccrual_dpd" doc:"Days past due at which the loan goes to nonaccrual." example:"90"`
	ChargeOffDPD       int                   `json:"charge_off_dpd" doc:"Days past due at which the loan is charged off." example:"120"`
	PayoutDelayDays    int                   `json:"payout_delay_days" doc:"Banking days from capture to payout." example:"1"`
	ClawbackDebitDays  int                   `json:"clawback_debit_days" doc:"Days after which a clawback is debited." example:"30"`
	ClawbackWriteOff   int                   `json:"clawback_write_off_days" doc:"Days after which a clawback is written off." example:"180"`
	ExternalFunding    string                `json:"external_funding" enum:"FUNDED,UNFUNDED" doc:"Whether the lender funds externally managed orders." example:"FUNDED"`
	Acceptance         string                `json:"acceptance" enum:"MASTER_AGREEMENT,PER_ORDER" doc:"How a buyer accepts terms." example:"MASTER_AGREEMENT"`
	MaxAPR             map[string]money.Rate `json:"max_apr" doc:"Maximum APR by state, as a fraction." example:"{\"NY\":\"0.250000\"}"`
	StateFees          map[string]StateFees  `json:"state_fees" doc:"Fees by the company's state at authorization, replacing those above." example:"{\"NY\":{\"late_fee_rate\":\"0.020000\",\"late_fee_cap\":10.00,\"late_fee_grace_days\":15,\"returned_payment_fee\":20.00}}"`
	AccrualPosting     string                `json:"accrual_posting" enum:"PERIOD_END,MONTH_END" doc:"When earned finance charge is posted." example:"PERIOD_END"`
}

// StateFees are a state's fee rules. Where they are null the program's apply.
type StateFees struct {
	LateFeeRate        *money.Rate   `json:"late_fee_rate" nullable:"true" doc:"Late fee as a fraction of the late amount." example:"0.020000"`
	LateFeeCap         *money.Amount `json:"late_fee_cap" nullable:"true" doc:"Maximum late fee." example:"10.00"`
	LateFeeGraceDays   *int          `json:"late_fee_grace_days" nullable:"true" doc:"Grace period in days." example:"15"`
	ReturnedPaymentFee *money.Amount `json:"returned_payment_fee" nullable:"true" doc:"Returned payment fee." example:"20.00"`
}

// Term is one number of installments that a program offers.
type Term struct {
	Installments         int        `json:"installments" minimum:"1" maximum:"36" doc:"Number of installments." example:"6"`
	Plan                 string     `json:"plan" enum:"NET30,ZERO,AMORTIZED,FLAT_FEE" doc:"The kind of schedule." example:"AMORTIZED"`
	AnnualRate           string     `json:"annual_rate" pattern:"^(TIER|[0-9]{1,2}\\.[0-9]{6})$" doc:"Annual rate as a fraction, or TIER for the rate of the company's tier." example:"TIER"`
	MonthlyFeeRate       money.Rate `json:"monthly_fee_rate" doc:"Monthly fee of a FLAT_FEE plan as a fraction of the amount." example:"0.000000"`
	MerchantDiscountRate money.Rate `json:"merchant_discount_rate" doc:"Merchant discount, as a fraction of the amount." example:"0.030000"`
}

// TierRate, as a term's yearly rate, means the rate of the company's tier.
const TierRate = "TIER"

// NewMerchant returns the resource of a merchant.
func NewMerchant(m *credit.Merchant, open Details) Merchant {
	w := Merchant{ID: m.ID, Name: m.Name, Programs: convert(m.Programs, newProgram), Account: newPayAccount(&m.Account, open), Limits: newMerchantLimits(m), Shop: newMerchantShop(&m.Shop), CreatedAt: instant(m.CreatedAt), UpdatedAt: instant(m.UpdatedAt)}
	for i := 1; i < len(w.Programs); i++ {
		end := w.Programs[i].EffectiveFrom.AddDays(-1)
		w.Programs[i-1].EffectiveTo = &end
	}
	return w
}

// NewProgram returns the resource of a merchant's latest version.
func NewProgram(p credit.Program) Program { return newProgram(&p) }

func newProgram(p *credit.Program) Program {
	return Program{MerchantID: p.Merchant, Version: p.Version, EffectiveFrom: p.From, Settings: newSettings(&p.Settings)}
}

func newSettings(s *credit.Settings) Settings {
	w := Settings{
		Terms: convert(s.Terms, newTerm), TierRates: s.TierRates, MinOrderAmount: s.MinOrder, DayCount: string(s.DayCount),
		DueDay: countIn(&s.DueDay), LateFeeRate: s.LateFeeRate, LateFeeCap: s.LateFeeCap, LateFeeGraceDays: s.LateFeeGraceDays,
		ReturnedPaymentFee: s.ReturnedPaymentFee, RefundWindowDays: s.RefundWindowDays, BackdatingDays: s.BackdatingDays, DisputeHoldDays: s.DisputeHoldDays,
		AuthorizationDays: s.AuthorizationDays, ExtensionDays: s.ExtensionDays, GoodFundsDays: s.GoodFundsDays,
		FirstGoodFundsDays: s.FirstGoodFundsDays, SuspendDPD: s.SuspendDPD, NonaccrualDPD: s.NonaccrualDPD,
		ChargeOffDPD: s.ChargeOffDPD, PayoutDelayDays: s.PayoutDelayDays, ClawbackDebitDays: s.ClawbackDebitDays,
		ClawbackWriteOff: s.ClawbackWriteOff, ExternalFunding: string(s.ExternalFunding), Acceptance: string(s.Acceptance),
		MaxAPR: s.MaxAPR, AccrualPosting: string(s.AccrualPosting),
	}
	if s.MaxOrder != 0 {
		w.MaxOrderAmount = &s.MaxOrder
	}
	if s.StateFees != nil {
		w.StateFees = make(map[string]StateFees, len(s.StateFees))
		for state, f := range s.StateFees { // unordered: a map again
			w.StateFees[state] = StateFees(f)
		}
	}
	return w
}

func newTerm(t *credit.Term) Term {
	rate := t.AnnualRate.String()
	if t.ByTier {
		rate = TierRate
	}
	return Term{Installments: t.Installments, Plan: string(t.Plan), AnnualRate: rate, MonthlyFeeRate: t.MonthlyFeeRate, MerchantDiscountRate: t.DiscountRate}
}
