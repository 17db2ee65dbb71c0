package lending

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// RefundOrder refunds a captured order in full or in part (F13).
type RefundOrder struct {
	Order     string              `json:"order"`
	IfMatch   []string            `json:"if_match"`
	Amount    *money.Amount       `json:"amount"` // nil: everything that is left
	Reason    string              `json:"reason"`
	Reference string              `json:"reference"` // makes the refund safe to repeat
	Items     []credit.RefundItem `json:"items"`
}

func (RefundOrder) Name() string { return "order.refund" }

// Keys requests the order, its company and programs, and its history if the refund must be
// replayed or could waive the charge.
func (c RefundOrder) Keys(s *credit.State, e credit.Env) credit.Keys {
	event := schedule.Event{Kind: schedule.EventRefund, Date: e.Today()}
	if o := s.Orders[c.Order]; o != nil {
		if event.Amount = o.Captured.Sub(o.Refunded); c.Amount != nil {
			event.Amount = *c.Amount
		}
	}
	k := MoneyKeys(s, c.Order, event)
	if !e.Actor.Operator {
		k.Positions = []string{e.Actor.Merchant}
	}
	if o := s.Orders[c.Order]; o != nil && mayWaive(o, c.Amount, e.Now) && !slices.Contains(k.History, o.Key) {
		k.History = append(slices.Clone(k.History), o.Key)
	}
	return k
}

// MoneyKeys requests what an event on one order's loan needs.
func MoneyKeys(s *credit.State, order string, e schedule.Event) credit.Keys {
	k := OrderKeys(s, order)
	k.Lines = []string{order}
	if o := s.Orders[order]; o != nil {
		h := historyKeys(s, o.Company, []string{order}, e)
		k.History, k.Accounts, k.Invoices = h.History, h.Accounts, h.Invoices
		k.Merchants = append(k.Merchants, h.Merchants...)
		k.Lines = append(k.Lines, h.Lines...)
		if o.Invoice != "" {
			k.Invoices = append(k.Invoices, o.Invoice)
		}
	}
	return k
}

func (c RefundOrder) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return AdmitOrder(s, e, c.Order)
}

func (c RefundOrder) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	old := s.Orders[c.Order]
	if r := Matches(c.IfMatch, old); r != nil {
		return credit.Changes{}, r
	}
	if old.Status != credit.OrderCaptured && old.Status != credit.OrderReturned {
		return credit.Changes{}, credit.OrderNotCaptured.With("Only a captured order can be refunded; cancel it instead.", map[string]any{"order_status": string(old.Status)})
	}
	if done, r := c.repeated(old); done || r != nil {
		return credit.Changes{Result: old}, r
	}
	if r := c.limited(old); r != nil {
		return credit.Changes{}, r
	}
	amount, r := c.amount(s, e, old)
	if r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	o := d.Orders.Edit(c.Order)
	refund := c.record(d, o, amount)
	announceRefund(d, o, refund)
	Play(d, o.Company, []string{o.Key}, schedule.Event{
		Kind: schedule.EventRefund, ID: refund.ID, Date: e.Today(), Seq: NextSeq(d, o.Company), Order: o.Key, Amount: amount,
		WaiveCharge: waives(s, old, amount, e.Now), ExternalExcess: o.External,
	}, nil)
	done := d.Done(o, false)
	return done, mayOwe(d, o.Merchant)
}

// repeated handles a reference seen before: no effect for the same amount or none, a conflict
// for a different one.
func (c RefundOrder) repeated(o *credit.Order) (bool, *credit.Rejection) {
	if c.Reference == "" {
		return false, nil
	}
	i := slices.IndexFunc(o.Refunds, func(r credit.Refund) bool { return r.Reference == c.Reference })
	if i < 0 {
		return false, nil
	}
	if c.Amount != nil && *c.Amount != o.Refunds[i].Amount {
		return false, credit.RefundReferenceUsed.With("A refund with a different amount has this reference.", map[string]any{"refund_id": o.Refunds[i].ID})
	}
	return true, nil
}

// An order contains its refunds, and every command on it writes them again, so their number is
// bounded. The remainder can always be refunded at once.
const (
	MaxRefunds     = 250
	MaxRefundItems = 1000 // over all refunds of an order: as many as a cart has
)

// limited enforces the bounds on an order's refunds.
func (c RefundOrder) limited(o *credit.Order) *credit.Rejection {
	items := len(c.Items)
	for _, r := range o.Refunds {
		items += len(r.Items)
	}
	rest := c.Amount == nil || *c.Amount == o.Captured.Sub(o.Refunded)
	switch {
	case len(o.Refunds) >= MaxRefunds && !rest:
		return credit.LimitExceeded.With(fmt.Sprintf("An order has at most %d refunds; refund all that is left.", MaxRefunds),
			map[string]any{"limit": "refunds_per_order", "maximum": MaxRefunds})
	case items > MaxRefundItems:
		return credit.LimitExceeded.With(fmt.Sprintf("The refunds of an order name at most %d items.", MaxRefundItems),
			map[string]any{"limit": "refund_items_per_order", "maximum": MaxRefundItems})
	}
	return nil
}

// amount applies the rules of F13.1 and returns what is refunded.
func (c RefundOrder) amount(s *credit.State, e credit.Env, o *credit.Order) (money.Amount, *credit.Rejection) {
	left := o.Captured.Sub(o.Refunded)
	amount := left
	if c.Amount != nil {
		amount = *c.Amount
	}
	if amount > left || left == 0 {
		return 0, credit.RefundExceedsCaptured.With(fmt.Sprintf("%s is left to refund.", left), map[string]any{"refundable_amount": left})
	}
	settings := s.Merchants[o.Merchant].VersionOf(o.Program).Settings
	if last := o.CaptureDate.AddDays(settings.RefundWindowDays); e.Today() > last {
		return 0, credit.RefundWindowClosed.With(fmt.Sprintf("The last day for refunds was %s.", last), map[string]any{"last_day": last})
	}
	return amount, nil
}

// waives reports whether the order is refunded in full within 24 hours of capture and before
// any payment: the accrued charge is waived with it (F13.7). Money that is held, became credit
// or was refunded counts as a payment; a returned payment does not.
func waives(s *credit.State, o *credit.Order, amount money.Amount, now time.Time) bool {
	if !mayWaive(o, &amount, now) {
		return false
	}
	return !slices.ContainsFunc(s.History[o.Key], func(e credit.MoneyEvent) bool { return e.Kind == schedule.EventPayment && !e.Returned })
}

// mayWaive reports whether a refund, nil for everything that is left, waives the charge if
// nothing has been paid. Only then the history must be loaded.
func mayWaive(o *credit.Order, amount *money.Amount, now time.Time) bool {
	return o.Captured > 0 && (amount == nil || o.Refunded.Add(*amount) == o.Captured) && !now.After(o.CapturedAt.Add(credit.Day))
}

// record adds the refund to the order with its share of the merchant discount:
// the cumulative share of what has been refunded (F13.6, F0).
func (c RefundOrder) record(d *credit.Draft, o *credit.Order, amount money.Amount) credit.Refund {
	refunded := o.Refunded.Add(amount)
	back := money.Cumulative(o.Discount, refunded, o.Captured)
	r := credit.Refund{
		ID: d.IDs.Next(credit.PrefixRefund), Amount: amount, Reason: c.Reason, Reference: c.Reference, Items: c.Items,
		Discount: back.Sub(o.DiscountBack), CreatedAt: d.Env.Now,
	}
	r.Clawback = refundLine(d, o, amount, r.Discount)
	o.Refunds = append(slices.Clone(o.Refunds), r)
	o.Refunded, o.DiscountBack = refunded, back
	if refunded == o.Captured {
		o.Status, o.ReturnedAt = credit.OrderReturned, d.Env.Now
	}
	return r
}

func announceRefund(d *credit.Draft, o *credit.Order, r credit.Refund) {
	d.OrderEvent(credit.OrderRefundedEvent, o.Key)
	if o.Status == credit.OrderReturned {
		d.OrderEvent(credit.OrderReturnedEvent, o.Key)
	}
	if r.Clawback {
		d.OrderFact(credit.ClawbackCreatedEvent, o.Key, func(d *credit.Draft) any {
			return credit.ClawbackFact{Order: d.Orders.Peek(o.Key), Refund: r, Amount: r.Amount.Sub(r.Discount)}
		})
	}
}

// NextSeq assigns the company's next recording order (F34).
func NextSeq(d *credit.Draft, company int64) int64 {
	c := d.Companies.Edit(company)
	c.MoneySeq++
	return c.MoneySeq
}
