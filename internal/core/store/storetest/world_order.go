package storetest

import (
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// order returns a copy of an order for this command to change.
func (c *change) order(key string) *credit.Order {
	x := *c.w.State.Orders[key]
	x.Version++
	x.UpdatedAt = c.w.at
	c.Orders = append(c.Orders, &x)
	return &x
}

// tell adds an event of the order.
func (c *change) tell(t credit.EventType, o *credit.Order) {
	o.EventSeq++
	c.event(t, "order", o.Key, o.EventSeq, o.Company, o.Merchant)
}

func dims(o *credit.Order) ledger.Dimensions {
	return ledger.Dimensions{Company: o.Company, Merchant: o.Merchant, Order: o.Key}
}

// orderIn returns an order in one of the states, nil if there is none.
func (w *World) orderIn(states ...credit.OrderStatus) *credit.Order {
	var found []*credit.Order
	for _, key := range w.orders {
		if o := w.State.Orders[key]; slices.Contains(states, o.Status) {
			found = append(found, o)
		}
	}
	if len(found) == 0 {
		return nil
	}
	return pick(w, found)
}

func (c *change) newOrder() string {
	w := c.w
	o := &credit.Order{
		Key: w.id("ord"), Company: pick(w, w.companies), Merchant: pick(w, w.merchants), Currency: money.USD,
		Amount: money.Amount(1000 + w.rng.IntN(100_000)), Status: credit.OrderCreated, Financing: credit.FinancingNone,
		CaptureDate: calendar.None, Metadata: map[string]string{"b": "2", "a": "ü"}, CreatedAt: w.at, UpdatedAt: w.at, Version: 1,
		Cart: []credit.CartItem{{Name: "Chair", Price: 250, Quantity: 2}}, Shipping: &credit.Address{City: "Troy"},
	}
	if w.rng.IntN(4) > 0 {
		o.MerchantOrderID = w.id("PO")
		if free := w.orderIn(credit.OrderCanceled); free != nil && free.MerchantOrderID != "" && w.State.Claims[claimOf(free)] == "" {
			o.Merchant, o.MerchantOrderID = free.Merchant, free.MerchantOrderID // the name of a canceled order, often of this batch
		}
		c.Claims = map[credit.Claim]string{claimOf(o): o.Key}
	}
	w.orders = append(w.orders, o.Key)
	w.State.History[o.Key], w.State.Loans[o.Key], w.State.OrderLines[o.Key] = nil, nil, nil
	c.Orders = append(c.Orders, o)
	c.tell(credit.OrderCreatedEvent, o)
	if w.rng.IntN(2) == 0 {
		c.authorize(o)
	}
	return "order.create"
}

func claimOf(o *credit.Order) credit.Claim {
	return credit.Claim{Kind: credit.ClaimMerchantOrderID, Scope: o.Merchant, Name: o.MerchantOrderID}
}

func (c *change) authorize(o *credit.Order) {
	w := c.w
	o.Status, o.Authorized, o.Reserved, o.AuthorizedAt = credit.OrderAuthorized, o.Amount, o.Amount, w.at
	o.ExpiresAt, o.Installments, o.Program = w.at.AddDate(0, 0, 30), 6, 1
	o.Terms = &credit.OrderTerms{Plan: schedule.Amortized, AnnualRate: 120_000, Installments: 6, FirstDueDate: calendar.None}
	x := c.company(o.Company)
	x.Reserved += o.Amount
	c.entry("ORDER_AUTHORIZED", o.Amount, dims(o))
	c.tell(credit.OrderAuthorizedEvent, o)
}

func (c *change) editOrder() string {
	old := c.w.orderIn(credit.OrderCreated, credit.OrderAuthorized)
	if old == nil {
		return c.newOrder()
	}
	o := c.order(old.Key)
	switch c.w.rng.IntN(3) {
	case 0:
		o.MerchantStatus = c.w.id("packed")
	case 1:
		if o.Status == credit.OrderCreated {
			c.authorize(o)
		}
	case 2:
		if o.Reserved > 0 {
			c.company(o.Company).Reserved -= o.Reserved
		}
		o.Status, o.Reserved, o.CanceledAt, o.CancelReason = credit.OrderCanceled, 0, c.w.at, "canceled"
		if o.MerchantOrderID != "" {
			c.Claims = map[credit.Claim]string{claimOf(o): ""}
		}
	}
	c.tell(credit.OrderUpdatedEvent, o)
	return "order.update"
}

func (c *change) capture() string {
	w := c.w
	old := w.orderIn(credit.OrderAuthorized)
	if old == nil {
		return c.newOrder()
	}
	o := c.order(old.Key)
	loan, err := schedule.New(o.Key, w.at.UnixMicro(), schedule.Terms{
		Plan: schedule.Amortized, Principal: o.Amount, Installments: 6, AnnualRate: 120_000, CaptureDate: w.today(),
	})
	if err != nil {
		panic(err)
	}
	terms := *o.Terms
	terms.FirstDueDate = loan.Rows[0].DueDate
	o.Status, o.Financing, o.Captured, o.Terms = credit.OrderCaptured, credit.FinancingActive, o.Amount, &terms
	o.CaptureDate, o.CapturedAt, o.Revision, o.Invoice = w.today(), w.at, 1, w.id("inv")
	x := c.company(o.Company)
	x.Reserved, x.Outstanding, o.Reserved = x.Reserved-o.Reserved, x.Outstanding+o.Amount, 0
	entry := c.entry("ORDER_CAPTURED", o.Amount, dims(o))
	c.Loans = append(c.Loans, loan)
	c.money(schedule.Event{
		Kind: schedule.EventCapture, ID: w.id("cap"), Date: w.today(), Seq: w.q, Order: o.Key, CapturedAt: loan.CapturedAt, Terms: loan.Terms,
	}, o.Company, entry, o.Key)
	c.Invoices = append(c.Invoices, &credit.Invoice{
		ID: o.Invoice, Number: w.id("INV"), Order: o.Key, Company: o.Company, Merchant: o.Merchant, AmountDue: o.Amount,
		Status: pick(w, []credit.InvoiceStatus{credit.InvoiceOpen, credit.InvoicePaid}), IssuedAt: w.at, DueDate: w.today().AddDays(30),
		Lines:     []credit.InvoiceLine{{Kind: "PRINCIPAL", Amount: o.Amount, Date: w.today()}},
		UpdatedAt: w.at, Version: 1, EventSeq: 1,
	})
	c.event(credit.InvoiceIssuedEvent, "invoice", o.Invoice, 1, o.Company, o.Merchant)
	c.tell(credit.OrderCapturedEvent, o)
	return "order.capture"
}

func (c *change) money(e schedule.Event, company int64, entry string, touches ...string) {
	c.Money = append(c.Money, credit.MoneyEvent{
		Event: e, Company: company, Touches: touches, At: c.w.at,
		Posted: []credit.Posted{{Effect: schedule.Effect{Cause: e.ID, Date: e.Date, Order: e.Order, Amount: e.Amount}, Entries: []string{entry}}},
	})
}

// loan returns a copy of a captured order's loan for this command to change.
func (c *change) loan(key string) *schedule.Loan {
	l := c.w.State.Loans[key].Clone()
	c.Loans = append(c.Loans, l)
	return l
}

func (c *change) refund() string {
	old := c.w.orderIn(credit.OrderCaptured)
	if old == nil || old.Refunded == old.Captured {
		return c.newOrder()
	}
	o := c.order(old.Key)
	amount := 1 + money.Amount(c.w.rng.Int64N(int64(o.Captured-o.Refunded)))
	o.Refunded += amount
	o.Refunds = append(slices.Clone(o.Refunds), credit.Refund{
		ID: c.w.id("ref"), Amount: amount, Reason: "returned", CreatedAt: c.w.at,
		Items: []credit.RefundItem{{SKU: "s", Quantity: 1}},
	})
	if o.Refunded == o.Captured {
		o.Status, o.Financing, o.ReturnedAt = credit.OrderReturned, credit.FinancingPaidOff, c.w.at
	}
	l := c.loan(o.Key)
	if len(l.Rows) > 1 { // the last row is gone
		l.Rows = l.Rows[:len(l.Rows)-1]
	}
	l.Refunded += amount
	entry := c.entry("ORDER_REFUNDED", amount, dims(o))
	c.money(schedule.Event{Kind: schedule.EventRefund, ID: o.Refunds[len(o.Refunds)-1].ID, Date: c.w.today(), Seq: c.w.q,
		Order: o.Key, Amount: amount}, o.Company, entry, o.Key)
	c.tell(credit.OrderRefundedEvent, o)
	return "order.refund"
}

func (c *change) assessFee() string {
	old := c.w.orderIn(credit.OrderCaptured)
	if old == nil {
		return c.newOrder()
	}
	l := c.loan(old.Key)
	if len(l.Fees) > 2 { // a replay may find that fees were never due
		l.Fees = l.Fees[:1]
	} else if n := len(l.Fees); n == 2 {
		f := &l.Fees[1]
		f.Amount, f.Waived = f.Paid, f.Waived+f.Unpaid()
		l.Fees = append(l.Fees, schedule.Fee{ID: c.w.id("fee"), Kind: schedule.ReturnedPaymentFee, Installment: 1, Date: c.w.today(), Amount: 700, Waived: 300})
	} else {
		l.Fees = append(l.Fees, schedule.Fee{ID: c.w.id("fee"), Kind: schedule.LateFeeKind, Installment: 1, Date: c.w.today(), Amount: 2500})
	}
	return "fee.assess"
}
