package credit

import (
	"math/big"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// The events of a month end's provision (F39).
const (
	EntryProvided = "PROVISION_MADE"
	EntryReleased = "PROVISION_RELEASED"
)

// providedFor reports that an entry is one of a month end's provision.
func providedFor(e *ledger.Entry) bool { return e.Event == EntryProvided || e.Event == EntryReleased }

// Target is what the allowance should hold for principal in buckets: the exact sum of
// principal times rate, rounded once (F0, F17).
func (s *LenderSettings) Target(principal map[Bucket]money.Amount) money.Amount {
	sum := new(big.Rat)
	for _, b := range Buckets() {
		part := big.NewRat(int64(s.ProvisionRates[b]), money.RateScale)
		sum.Add(sum, part.Mul(part, new(big.Rat).SetInt64(int64(principal[b]))))
	}
	return money.HalfUp(sum)
}

// NextProvision is the next month end to be provided for, None while the lender has
// never set a rate.
func (x *Lender) NextProvision() calendar.Date {
	switch {
	case x.ProvisionFrom == calendar.None:
		return calendar.None
	case x.ProvisionedThrough == calendar.None:
		return x.ProvisionFrom.EndOfMonth()
	}
	return (x.ProvisionedThrough + 1).EndOfMonth()
}
