package onrails

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
	"tenor/internal/proof/sim"
)

// railKinds returns the kinds of commands that RailRun generates, and the two of the scheduler.
func railKinds() []string {
	return []string{
		"order", "capture", "refund order", "add bank", "add card", "verify", "correct", "remove", "autopay", "order autopay",
		"debit", "debit card", "debit company", "report", "pay", "cancel payment", "pay back", "reverse", "service order", "service transfer",
		"reject", "return", "approve", "decline", "settle charge", "dispute", "win dispute", "send credit", "merchant account",
		"hold payouts", "pay merchant", "age", "remit", "hold order", "reschedule", "reamortize", "waive", "charge off", "reverse charge-off", "fund", "close", "cut line", "send notice", "ask reasons",
		"receipt", "receipt", "identify", "send back", "pay clawback",
	}
}

// railWeighted lists each kind as often as its weight: what others act on comes first.
func railWeighted() []string {
	all := railKinds()
	for _, kind := range []string{"order", "capture", "debit", "debit card", "approve", "pay merchant", "report", "refund order"} {
		all = append(all, kind, kind, kind)
	}
	return all
}

// Companies returns the companies in the books, in order.
func (r *RailRun) Companies() []int64 { return slices.Sorted(maps.Keys(r.Books.Companies)) }

// Today returns the business date.
func (r *RailRun) Today() calendar.Date { return r.World.Zone.Date(r.World.Clock.Now()) }

// One picks a fitting record, out of those in key order; false if none fits.
func One[K string | int64, T any](r *RailRun, all map[K]*T, fits func(*T) bool) (*T, bool) {
	var list []*T
	for _, k := range slices.Sorted(maps.Keys(all)) {
		if fits(all[k]) {
			list = append(list, all[k])
		}
	}
	return OneOf(r, list, func(*T) bool { return true })
}

// OneOf picks a fitting one from a list.
func OneOf[T any](r *RailRun, all []*T, fits func(*T) bool) (*T, bool) {
	list := slices.DeleteFunc(slices.Clone(all), func(x *T) bool { return !fits(x) })
	if len(list) == 0 {
		return nil, false
	}
	return sim.Pick(r.Source, list), true
}

// Draw generates a request of a kind; false if nothing exists for it to act on.
func (r *RailRun) Draw(kind string) (sim.Request, bool) {
	for _, draw := range []func(string) (credit.Command, bool){r.onOrders, r.onMethods, r.onPayments, r.onTransfers, r.onMerchants, r.onBooks, r.onReceipts} {
		if c, ok := draw(kind); ok {
			return sim.Request{Actor: r.Actor(c), Command: c}, true
		}
	}
	return sim.Request{}, false
}

// Actor returns the sender of a command.
func (r *RailRun) Actor(c credit.Command) credit.Actor {
	switch c := c.(type) {
	case lending.CreateOrder:
		return sim.Shop(sim.Pick(r.Source, r.Books.Merchants).ID)
	case payments.RecordPayment:
		if c.Method == credit.Check && c.Order != "" {
			return sim.Shop(r.Books.Orders[c.Order].Merchant)
		}
	}
	return sim.Operator()
}

// Number returns a unique name.
func (r *RailRun) Number(of string) string {
	r.numbers++
	return fmt.Sprint(of, " ", r.numbers)
}

func (r *RailRun) captured() (*credit.Order, bool) {
	return One(r, r.Books.Orders, func(o *credit.Order) bool { return o.Status == credit.OrderCaptured })
}

func (r *RailRun) onOrders(kind string) (credit.Command, bool) {
	switch kind {
	case "order":
		return lending.CreateOrder{
			Company: sim.Pick(r.Source, r.Companies()), Amount: money.Amount(sim.Between(r.Source, 5_000, 300_000)), Authorize: true,
			Installments: sim.Pick(r.Source, []int{1, 3, 4, 6, 12}),
		}, true
	case "capture":
		o, ok := One(r, r.Books.Orders, func(o *credit.Order) bool { return o.Status == credit.OrderAuthorized })
		if !ok {
			return nil, false
		}
		return lending.UpdateOrder{Order: o.Key, Status: credit.OrderCaptured}, true
	}
	o, ok := r.captured()
	if !ok {
		return nil, false
	}
	switch kind {
	case "refund order":
		amount := money.Amount(sim.Between(r.Source, 1, int64(o.Captured-o.Refunded)))
		return lending.RefundOrder{Order: o.Key, Amount: &amount, Reason: "returned"}, true
	case "order autopay":
		return payments.SetOrderAutopay{Order: o.Key, Enabled: o.Servicing.NoAutopay}, true
	case "hold order":
		return lending.HoldOrder{Order: o.Key, Days: sim.Pick(r.Source, []int{0, 5, 20, 40}), Reason: "disputed"}, true
	case "reschedule":
		return r.reschedule()
	case "reamortize":
		return lending.ReviseSchedule{Order: o.Key, Due: calendar.None, Reamortize: true, Reason: "hardship"}, true
	case "charge off":
		late, ok := One(r, r.Books.Orders, func(o *credit.Order) bool { return o.Financing == credit.FinancingOverdue })
		if !ok || r.Accepted[kind] > 0 && sim.Chance(r.Source, 70) {
			return nil, false
		}
		return lending.ChargeOffOrder{Order: late.Key, Reason: "insolvent"}, true
	case "reverse charge-off":
		lost, ok := One(r, r.Books.Orders, func(o *credit.Order) bool { return o.Servicing.ChargedOff != 0 })
		if !ok {
			return nil, false
		}
		return lending.ReverseChargeOff{Order: lost.Key, Reason: "an error"}, true
	case "waive":
		return r.waive()
	}
	return nil, false
}

func (r *RailRun) waive() (credit.Command, bool) {
	l, ok := One(r, r.Books.Loans, func(l *schedule.Loan) bool { return len(l.Fees) > 0 && !l.ChargedOff })
	if !ok {
		return nil, false
	}
	return lending.WaiveFee{Order: l.Key, Fee: sim.Pick(r.Source, l.Fees).ID, Reason: "goodwill"}, true
}

// account is a bank account as the edge passes it on.
func (r *RailRun) account(about string) *credit.BankAccount {
	return &credit.BankAccount{
		Last4: "6789", AccountType: "CHECKING", HolderType: "BUSINESS", Sealed: []byte(about), Fingerprint: sim.HashOf(about),
	}
}

func (r *RailRun) onMethods(kind string) (credit.Command, bool) {
	add := payments.AddPaymentMethod{
		Company:       sim.Pick(r.Source, r.Companies()),
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: r.World.Clock.Now(), Reference: "terms 1"},
	}
	active := func(m *credit.PaymentMethod) bool { return m.Status == credit.MethodActive }
	switch kind {
	case "add bank":
		add.Type, add.Bank, add.Verify = credit.ACH, r.account(r.Number("account")), sim.Chance(r.Source, 30)
		return add, true
	case "add card":
		add.Type = credit.Card
		add.Card = &credit.CardAccount{Token: r.Number("tok"), Mandate: "man", Brand: "visa", Last4: "4242", ExpMonth: 12, ExpYear: 2040, Debit: true}
		return add, true
	case "verify":
		m, ok := OneOf(r, r.Books.Methods, func(m *credit.PaymentMethod) bool { return m.Verification != nil })
		if !ok {
			add.Type, add.Bank, add.Verify = credit.ACH, r.account(r.Number("account")), true
			return r.first(add)
		}
		amounts := slices.Clone(m.Verification.Amounts)
		if sim.Chance(r.Source, 40) {
			amounts[0]++
		}
		return payments.VerifyPaymentMethod{Method: m.ID, Amounts: amounts}, true
	case "correct":
		if m, ok := OneOf(r, r.Books.Methods, func(m *credit.PaymentMethod) bool { return m.Bank != nil }); ok {
			return payments.CorrectPaymentMethod{Method: m.ID, Code: "C05", AccountType: "SAVINGS", Holder: sim.HashOf(r.Number("Ann"))}, true
		}
	case "remove":
		if m, ok := OneOf(r, r.Books.Methods, active); ok && len(r.Books.Methods) > 5 {
			return payments.RemovePaymentMethod{Method: m.ID}, true
		}
	case "autopay":
		if m, ok := OneOf(r, r.Books.Methods, active); ok {
			on := !sim.Chance(r.Source, 15)
			if sim.Chance(r.Source, 30) { // the company's instruction for its credit
				return payments.SetAutopay{Company: m.Company, Credit: &on}, true
			}
			return payments.SetAutopay{Company: m.Company, Enabled: &on, Method: &m.ID}, true
		}
	}
	return nil, false
}

func (r *RailRun) onPayments(kind string) (credit.Command, bool) {
	switch kind {
	case "debit", "debit card", "debit company":
		return r.debit(kind)
	case "report", "pay":
		o, ok := r.captured()
		if !ok {
			return nil, false
		}
		method := map[string]credit.Method{"report": credit.Check, "pay": credit.Wire}[kind] // a merchant reports checks
		return payments.RecordPayment{
			Order: o.Key, Amount: money.Amount(sim.Between(r.Source, 1_000, 90_000)), Method: method, ScheduledDate: calendar.None, EffectiveDate: calendar.None,
		}, true
	case "cancel payment":
		if p, ok := One(r, r.Books.Payments, func(p *credit.Payment) bool {
			return p.SubmittedAt.IsZero() && (p.Status == credit.PaymentScheduled || p.Status == credit.PaymentPending)
		}); ok {
			return payments.CancelPayment{Payment: p.ID}, true
		}
	case "pay back":
		if p, ok := One(r, r.Books.Payments, func(p *credit.Payment) bool { return sim.Counts(p) && p.Transfer != "" && p.Refunded < p.Amount }); ok {
			amount := money.Amount(sim.Between(r.Source, 1, int64(p.Amount-p.Refunded)))
			return payments.RefundPayment{Payment: p.ID, Amount: &amount, Reason: "paid twice"}, true
		}
	case "reverse":
		return r.Reverse()
	case "send credit":
		return r.sendCredit()
	}
	return nil, false
}

// Reverse generates the reversal of a debit that was the lender's error: one that has just
// settled.
func (r *RailRun) Reverse() (credit.Command, bool) {
	p, ok := One(r, r.Books.Payments, func(p *credit.Payment) bool {
		return p.Status == credit.PaymentSucceeded && p.Direction == "IN" && p.Method == credit.ACH && p.Transfer != "" && r.Today() <= p.ScheduledDate.AddBankingDays(5)
	})
	if !ok {
		return nil, false
	}
	reasons := []credit.ReversalReason{payments.ReversalDuplicate, payments.ReversalDuplicate, payments.ReversalWrongAmount, payments.ReversalWrongDate, payments.ReversalWrongReceiver}
	return payments.ReversePayment{Payment: p.ID, Reason: sim.Pick(r.Source, reasons)}, true
}

// first returns a command that the kind needs before it.
func (r *RailRun) first(c credit.Command) (credit.Command, bool) {
	r.Prepares = true
	return c, true
}

// sendCredit sends a company's credit to one of its accounts. A company without credit first
// pays too much.
func (r *RailRun) sendCredit() (credit.Command, bool) {
	m, ok := OneOf(r, r.Books.Methods, func(m *credit.PaymentMethod) bool { return m.Type == credit.ACH && m.Status == credit.MethodActive })
	if !ok {
		return nil, false
	}
	c := r.Books.Companies[m.Company]
	if c.Credit == 0 || sim.Chance(r.Source, 30) {
		return r.first(payments.RecordPayment{
			Company: c.ID, Amount: c.Outstanding + money.Amount(sim.Between(r.Source, 1_000, 400_000)), Method: credit.Wire,
			ScheduledDate: calendar.None, EffectiveDate: calendar.None,
		})
	}
	return payments.SendCredit{Company: c.ID, Method: sim.Pick(r.Source, []string{m.ID, ""})}, true
}

// debit generates a payment on a rail: for one order, or for all of a company's.
func (r *RailRun) debit(kind string) (credit.Command, bool) {
	rail := credit.ACH
	if kind == "debit card" {
		rail = credit.Card
	}
	m, ok := OneOf(r, r.Books.Methods, func(m *credit.PaymentMethod) bool { return m.Type == rail && m.Status == credit.MethodActive })
	if !ok {
		return nil, false
	}
	c := payments.RecordPayment{
		Method: rail, PaymentMethod: m.ID, Amount: money.Amount(sim.Between(r.Source, 500, 60_000)), ScheduledDate: calendar.None, EffectiveDate: calendar.None,
	}
	if sim.Chance(r.Source, 25) {
		c.ScheduledDate = r.Today().AddDays(r.Source.Intn(9))
	}
	if kind == "debit company" {
		c.Company = m.Company
		return c, true
	}
	o, ok := One(r, r.Books.Orders, func(o *credit.Order) bool { return o.Company == m.Company && o.Status == credit.OrderCaptured })
	if !ok {
		return nil, false
	}
	c.Order = o.Key
	return c, true
}

// railCodes are return codes of banks: most are for insufficient funds.
var railCodes = []string{"R01", "R01", "R01", "R09", "R02", "R10", "R16", "R29"}

func (r *RailRun) onTransfers(kind string) (credit.Command, bool) {
	type fits = func(*credit.Transfer) bool
	is := func(rail credit.Method, status credit.TransferStatus) fits {
		return func(t *credit.Transfer) bool { return t.Rail == rail && t.Status == status }
	}
	answered := func(t *credit.Transfer) bool {
		return t.Reference != "" && (t.Kind == credit.TransferPayment || !t.SettledAt.IsZero())
	}
	code := sim.Pick(r.Source, railCodes)
	for _, x := range []struct {
		kind    string
		fits    fits
		command func(id string) credit.Command
	}{
		{"reject", is(credit.ACH, credit.TransferSent), func(id string) credit.Command { return payments.RejectTransfer{Transfer: id, Code: code} }},
		{"return", is(credit.ACH, credit.TransferSettled), func(id string) credit.Command {
			return payments.ReturnTransfer{Transfer: id, Code: code, Cost: money.Amount(r.Source.Intn(2) * 400)}
		}},
		{"approve", is(credit.Card, credit.TransferSent), func(id string) credit.Command {
			return payments.CompleteCharge{Transfer: id, Approved: true, Reference: "ch_" + id}
		}},
		{"decline", func(t *credit.Transfer) bool { return is(credit.Card, credit.TransferSent)(t) && t.Reference == "" }, func(id string) credit.Command {
			return payments.CompleteCharge{Transfer: id, Code: "insufficient_funds"}
		}},
		{"settle charge", func(t *credit.Transfer) bool { return is(credit.Card, credit.TransferSent)(t) && answered(t) }, func(id string) credit.Command {
			return payments.SettleCharge{Transfer: id, Cost: 1}
		}},
		{"dispute", func(t *credit.Transfer) bool {
			return t.Rail == credit.Card && t.Kind == credit.TransferPayment && answered(t)
		}, func(id string) credit.Command {
			return payments.DisputeCharge{Transfer: id, Code: "fraud", Fee: 1500}
		}},
		{"win dispute", is(credit.Card, credit.TransferReturned), func(id string) credit.Command {
			return payments.DisputeCharge{Transfer: id, Won: true, Fee: 1500}
		}},
	} {
		if x.kind != kind {
			continue
		}
		if t, ok := OneOf(r, r.Books.Transfers, x.fits); ok {
			return x.command(t.ID), true
		}
	}
	return nil, false
}

func (r *RailRun) onMerchants(kind string) (credit.Command, bool) {
	m := sim.Pick(r.Source, r.Books.Merchants)
	switch kind {
	case "merchant account":
		return merchants.SetMerchantAccount{Merchant: m.ID, Bank: r.account(r.Number("account")), Debits: !sim.Chance(r.Source, 30)}, true
	case "hold payouts":
		c := merchants.HoldPayouts{Merchant: m.ID}
		if m.Account.HeldReason == "" && sim.Chance(r.Source, 40) {
			c.Reason = "review"
		}
		return c, true
	case "pay merchant":
		return merchants.PayMerchant{Merchant: m.ID}, true
	case "age":
		return merchants.AgeClawbacks{Merchant: m.ID}, true
	case "remit":
		if l, ok := OneOf(r, r.Books.Lines, func(l *credit.PayoutLine) bool {
			return l.Payout == "" && l.Kind == credit.LineCollected && l.Left() > 0 && l.Due <= r.Today()
		}); ok {
			return merchants.RemitCollected{Merchant: l.Merchant, Amount: money.Amount(sim.Between(r.Source, 1, int64(l.Left()))), Reference: r.Number("wire")}, true
		}
	}
	return nil, false
}

func (r *RailRun) onBooks(kind string) (credit.Command, bool) {
	switch kind {
	case "fund":
		return compliance.MoveFunding{Amount: money.Amount(sim.Between(r.Source, -1_000, 90_000)), Reference: r.Number("funding")}, true
	case "close":
		month := (r.Today() - 31).EndOfMonth().AddMonths(0)
		month -= calendar.Date(DayOfMonth(month) - 1)
		last := calendar.None
		for closed := range r.Books.Closed { // unordered: the last of them
			last = max(last, closed)
		}
		if last != calendar.None { // in their order
			month = last.EndOfMonth() + 1
		}
		return compliance.ClosePeriod{Month: month, Debits: r.Books.DebitsOf(month), First: calendar.None, ReadAt: r.World.Clock.Now()}, true
	case "cut line":
		c := r.Books.Companies[sim.Pick(r.Source, r.Companies())]
		limit := max(c.Limit-money.Amount(sim.Between(r.Source, 1, 9_000)), 0)
		return lending.UpdateCompany{Company: c.ID, Limit: &limit, Reasons: []string{sim.Pick(r.Source, []string{"exposure", "past_due", "Sales have fallen"})}}, true
	case "send notice":
		if n, ok := OneOf(r, r.Books.Notices, func(n *credit.Notice) bool { return n.SentAt.IsZero() }); ok {
			return compliance.SendNotice{Notice: n.ID, Channel: "EMAIL", Evidence: r.Number("message")}, true
		}
	case "ask reasons":
		if n, ok := OneOf(r, r.Books.Notices, func(n *credit.Notice) bool { return !n.SentAt.IsZero() }); ok {
			return compliance.RequestReasons{Notice: n.ID, Received: r.Today() - calendar.Date(sim.Between(r.Source, 0, 3))}, true
		}
	}
	return nil, false
}

// DayOfMonth returns the day within its month.
func DayOfMonth(day calendar.Date) int {
	_, _, d := day.Civil()
	return d
}

// reschedule moves a future installment, mostly to a date that is allowed.
func (r *RailRun) reschedule() (credit.Command, bool) {
	l, ok := One(r, r.Books.Loans, func(l *schedule.Loan) bool { return l.Current <= len(l.Rows) })
	if !ok {
		return nil, false
	}
	row := l.Rows[sim.Between(r.Source, int64(l.Current), int64(len(l.Rows)))-1]
	due := row.DueDate.AddDays(int(sim.Between(r.Source, 0, 110)) - 15)
	return lending.ReviseSchedule{Order: l.Key, Installment: row.Number, Due: due, Reason: "late delivery"}, true
}
