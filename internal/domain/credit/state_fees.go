package credit

import "tenor/internal/domain/money"

// StateFees are a state's rules for the fees of its buyers, which replace the program's (F10,
// F11, F30). A nil member keeps the program's value.
type StateFees struct {
	LateFeeRate        *money.Rate   `json:"late_fee_rate,omitzero"`
	LateFeeCap         *money.Amount `json:"late_fee_cap,omitzero"`
	LateFeeGraceDays   *int          `json:"late_fee_grace_days,omitzero"`
	ReturnedPaymentFee *money.Amount `json:"returned_payment_fee,omitzero"`
}

// SettingsOf are the settings that apply to an authorized order: its program version's, with
// the fees of the state in which its company was at the authorization (F30).
func (m *Merchant) SettingsOf(o *Order) *Settings {
	s := &m.VersionOf(o.Program).Settings
	if o.Terms == nil {
		return s
	}
	return s.In(o.Terms.State)
}

// In returns the settings with a state's fees (F30).
func (s *Settings) In(state string) *Settings {
	of, ruled := s.StateFees[state]
	if !ruled {
		return s
	}
	own := *s
	if of.LateFeeRate != nil {
		own.LateFeeRate = *of.LateFeeRate
	}
	if of.LateFeeCap != nil {
		own.LateFeeCap = *of.LateFeeCap
	}
	if of.LateFeeGraceDays != nil {
		own.LateFeeGraceDays = *of.LateFeeGraceDays
	}
	if of.ReturnedPaymentFee != nil {
		own.ReturnedPaymentFee = *of.ReturnedPaymentFee
	}
	return &own
}
