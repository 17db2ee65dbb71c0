package credit

import "tenor/internal/domain/money"

// StateFees are what a state says of the fees of its buyers, in place of what the
// program says (F10, F11, F30). A member that is nil stays as the program has it.
type StateFees struct {
	LateFeeRate        *money.Rate   `json:"late_fee_rate,omitzero"`
	LateFeeCap         *money.Amount `json:"late_fee_cap,omitzero"`
	LateFeeGraceDays   *int          `json:"late_fee_grace_days,omitzero"`
	ReturnedPaymentFee *money.Amount `json:"returned_payment_fee,omitzero"`
}

// SettingsOf are the settings by which an authorized order lives: those of its version
// of the program, with the fees of the state in which its company was at the
// authorization (F30).
func (m *Merchant) SettingsOf(o *Order) *Settings {
	s := &m.VersionOf(o.Program).Settings
	if o.Terms == nil {
		return s
	}
	return s.in(o.Terms.State)
}

// in are the settings with the fees of a state (F30).
func (s *Settings) in(state string) *Settings {
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

// checkStates reports why what is said of states cannot be part of a program.
func (s Settings) checkStates() string {
	for state := range s.MaxAPR { // unordered: each is asked for the same
		if !knownState(state) {
			return "max_apr names a state that there is not: the keys are codes such as NY"
		}
	}
	for state, f := range s.StateFees { // unordered: each is asked for the same
		switch {
		case !knownState(state):
			return "state_fees names a state that there is not: the keys are codes such as NY"
		case f.LateFeeRate != nil && (*f.LateFeeRate < 0 || *f.LateFeeRate > money.RateScale),
			f.LateFeeCap != nil && *f.LateFeeCap < 0,
			f.ReturnedPaymentFee != nil && *f.ReturnedPaymentFee < 0,
			f.LateFeeGraceDays != nil && (*f.LateFeeGraceDays < 0 || *f.LateFeeGraceDays > MaxDays):
			return "a fee of a state is out of range"
		}
	}
	return ""
}
