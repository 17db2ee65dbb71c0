package lending

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
)

// WaiveFee waives the unpaid part of a fee. Result is the *Order.
type WaiveFee struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match,omitzero"`
	Fee     string   `json:"fee"`
	Reason  string   `json:"reason"`
}

func (WaiveFee) Name() string { return "fee.waive" }

// Keys requests the order with its loan.
func (c WaiveFee) Keys(s *credit.State, e credit.Env) credit.Keys {
	return MoneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventWaiver, Date: e.Today()})
}

func (c WaiveFee) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if r := AdmitOrder(s, e, c.Order); r != nil {
		return r
	}
	if l := s.Loans[c.Order]; l == nil || !slices.ContainsFunc(l.Fees, func(f schedule.Fee) bool { return f.ID == c.Fee }) {
		return credit.NotFound.Because("There is no such fee.")
	}
	return nil
}

func (c WaiveFee) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	o, l := s.Orders[c.Order], s.Loans[c.Order]
	if r := credit.MatchVersion(c.IfMatch, o.Version); r != nil {
		return credit.Changes{}, r
	}
	if l.ChargedOff {
		return credit.Changes{}, chargedOff("The fee was charged off with the order.")
	}
	i := slices.IndexFunc(l.Fees, func(f schedule.Fee) bool { return f.ID == c.Fee })
	if l.Fees[i].Unpaid() == 0 {
		return credit.Changes{Result: o}, nil
	}
	d := credit.NewDraft(s, e)
	Play(d, o.Company, []string{o.Key}, schedule.Event{
		Kind: schedule.EventWaiver, ID: d.IDs.Next(prefixWaiver), Date: e.Today(), Seq: NextSeq(d, o.Company), Order: o.Key, FeeID: c.Fee,
	}, nil)
	return d.Done(d.Orders.Edit(o.Key), false), nil
}

func chargedOff(detail string) *credit.Rejection {
	return credit.InvalidTransition.With(detail, map[string]any{"financing_status": string(credit.FinancingChargedOff)})
}

// Prefixes of money events that have no record of their own.
const (
	prefixWaiver    = "wvr_"
	prefixChargeOff = "cho_"
	prefixReversal  = "chr_"
)

// lateFees adds the one late fee to each installment that is past its grace days.
func lateFees(d *credit.Draft, key string, day calendar.Date) {
	for n := range d.LoanOf(key).Rows {
		o, l := d.Standing(key) // including the fees added so far
		fee := d.LateFee(o, l, l.Rows[n], o.Relief(l), day)
		if fee <= 0 {
			continue
		}
		Play(d, o.Company, []string{key}, schedule.Event{
			Kind: schedule.EventFee, ID: d.IDs.Next(credit.PrefixFee), Date: day, Seq: NextSeq(d, o.Company), Order: key, Fee: schedule.LateFeeKind,
			Installment: n + 1, Amount: fee,
		}, nil)
	}
}
