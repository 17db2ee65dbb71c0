package credit

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// WaiveFee waives what is unpaid of a fee. Result is the *Order.
type WaiveFee struct {
	Order   string   `json:"order"`
	IfMatch []string `json:"if_match,omitzero"`
	Fee     string   `json:"fee"`
	Reason  string   `json:"reason"`
}

func (WaiveFee) Name() string { return "fee.waive" }

// Keys asks for the order with its loan.
func (c WaiveFee) Keys(s *State, e Env) Keys {
	return moneyKeys(s, c.Order, schedule.Event{Kind: schedule.EventWaiver, Date: e.Today()})
}

func (c WaiveFee) Admit(s *State, e Env) *Rejection {
	if r := AdmitOrder(s, e, c.Order); r != nil {
		return r
	}
	if l := s.Loans[c.Order]; l == nil || !slices.ContainsFunc(l.Fees, func(f schedule.Fee) bool { return f.ID == c.Fee }) {
		return NotFound.Because("There is no such fee.")
	}
	return nil
}

func (c WaiveFee) Decide(s *State, e Env) (Changes, *Rejection) {
	o, l := s.Orders[c.Order], s.Loans[c.Order]
	if r := MatchVersion(c.IfMatch, o.Version); r != nil {
		return Changes{}, r
	}
	if l.ChargedOff {
		return Changes{}, chargedOff("The fee was charged off with the order.")
	}
	i := slices.IndexFunc(l.Fees, func(f schedule.Fee) bool { return f.ID == c.Fee })
	if l.Fees[i].Unpaid() == 0 {
		return Changes{Result: o}, nil
	}
	d := NewDraft(s, e)
	d.play(o.Company, []string{o.Key}, schedule.Event{
		Kind: schedule.EventWaiver, ID: d.IDs.Next(prefixWaiver), Date: e.Today(), Seq: d.nextSeq(o.Company), Order: o.Key, FeeID: c.Fee,
	}, nil)
	return d.Done(d.Orders.Edit(o.Key), false), nil
}

func chargedOff(detail string) *Rejection {
	return InvalidTransition.With(detail, map[string]any{"financing_status": string(FinancingChargedOff)})
}

// Prefixes of money events that no record of their own stands for.
const (
	prefixWaiver    = "wvr_"
	prefixChargeOff = "cho_"
	prefixReversal  = "chr_"
)

// lateFees adds to each installment that is past the days of grace its one late fee.
func (d *Draft) lateFees(key string, day calendar.Date) {
	for n := range d.LoanOf(key).Rows {
		o, l := d.standing(key) // as the fees before have left it
		fee := d.lateFee(o, l, l.Rows[n], o.Relief(l), day)
		if fee <= 0 {
			continue
		}
		d.play(o.Company, []string{key}, schedule.Event{
			Kind: schedule.EventFee, ID: d.IDs.Next(prefixFee), Date: day, Seq: d.nextSeq(o.Company), Order: key, Fee: schedule.LateFeeKind,
			Installment: n + 1, Amount: fee,
		}, nil)
	}
}

// lateFee is the late fee that the daily run of a date adds to an installment (F10):
// none within the days of grace, a second time, on an order that a merchant manages
// or that is charged off, while a timely payment is pending or a dispute is open; and on a
// row that a payment's refund has opened again, within the days of grace after that (F35).
func (d *Draft) lateFee(o *Order, l *schedule.Loan, row schedule.Row, relief schedule.Relief, day calendar.Date) money.Amount {
	settings := d.orderSettings(o.Key)
	if o.External || l.ChargedOff || o.Held(day) || relief.Late(row, day) <= settings.LateFeeGraceDays || lateFeeOn(l, row.Number) ||
		o.graceFrom(row.Number).DaysUntil(day) <= settings.LateFeeGraceDays {
		return 0
	}
	return min(settings.LateFeeRate.Of(row.Unpaid()), settings.LateFeeCap)
}

// lateFeeOn reports that an installment has had its late fee, waived or not.
func lateFeeOn(l *schedule.Loan, row int) bool {
	return slices.ContainsFunc(l.Fees, func(f schedule.Fee) bool { return f.Kind == schedule.LateFeeKind && f.Installment == row })
}

// orderSettings are the settings by which an order lives (F30).
func (d *Draft) orderSettings(key string) *Settings {
	o := d.Orders.Peek(key)
	return d.State.Merchants[o.Merchant].SettingsOf(o)
}
