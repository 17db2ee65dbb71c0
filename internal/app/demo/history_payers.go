package demo

import (
	"errors"
	"fmt"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
)

// payers plans past payments outside autopay, so that there is one in every status: two checks,
// one partly and one fully refunded; a declined card; and, when the history ends, a debit in
// transit and a scheduled one.
func (h *historian) payers(last int) {
	const company = 1000000102
	for i, back := range []money.Amount{20_00, 90_00} {
		h.on(last-30+i, func() error {
			made, err := h.pay(fmt.Sprint("check ", i), company, payments.RecordPayment{Amount: 90_00, Method: credit.Check, ScheduledDate: calendar.None})
			if err != nil {
				return err
			}
			_, err = h.ask(fmt.Sprint("check back ", i), "", payments.RefundPayment{Payment: made.ID, Amount: &back, Reason: "sent twice"})
			return err
		})
	}
	h.on(last-10, func() error {
		made, err := h.ask("card", "", payments.AddPaymentMethod{
			Company: company, Type: credit.Card, Card: &credit.CardAccount{Token: "tok_decline_insufficient_funds", Mandate: "demo", Brand: "visa", Last4: "0341", ExpMonth: 12, ExpYear: 2030, Debit: true},
			Authorization: credit.Authorization{Channel: "WRITTEN", AcceptedAt: h.Clock.Now().Truncate(time.Microsecond), Reference: "demo"},
		})
		if err != nil {
			return err
		}
		_, err = h.pay("charge", company, payments.RecordPayment{Amount: 75_00, Method: credit.Card, PaymentMethod: made.Result.(*credit.PaymentMethod).ID, ScheduledDate: calendar.None})
		return err
	})
	for i, days := range []int{0, 7} {
		h.lately = append(h.lately, func() error {
			on := h.today().AddDays(days)
			if days == 0 {
				on = calendar.None
			}
			_, err := h.pay(fmt.Sprint("debit ", i), company, payments.RecordPayment{Amount: 60_00, Method: credit.ACH, ScheduledDate: on})
			return err
		})
	}
}

// pay records a payment for a company's oldest order in repayment.
func (h *historian) pay(name string, company int64, c payments.RecordPayment) (*credit.Payment, error) {
	if err := h.Node.DB.View(h.ctx, func(v store.View) error {
		list, err := store.ListOrders(v, store.OrderFilter{Company: company, Financing: credit.FinancingActive, CapturedFrom: calendar.None, CapturedTo: calendar.None}, store.Page{Limit: 50})
		if err == nil && len(list) == 0 {
			err = errors.New("no order is being paid")
		}
		if err != nil {
			return err
		}
		c.Order, c.EffectiveDate = list[len(list)-1].Key, calendar.None
		methods, err := store.ListMethods(v, company)
		for _, m := range methods {
			if c.PaymentMethod == "" && m.Type == c.Method {
				c.PaymentMethod = m.ID
			}
		}
		return err
	}); err != nil {
		return nil, fmt.Errorf("payment %s: %w", name, err)
	}
	made, err := h.ask("payment "+name, "", c)
	if err != nil {
		return nil, fmt.Errorf("payment %s: %w", name, err)
	}
	return made.Result.(*credit.Payment), nil
}
