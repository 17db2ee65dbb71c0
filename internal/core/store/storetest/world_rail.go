package storetest

import (
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// rails are the changes of payment methods, transfers, payouts and the books.
func rails() []func(*change) string {
	return []func(*change) string{
		(*change).newMethod, (*change).editMethod, (*change).newTransfer, (*change).newTransfer, (*change).moveTransfer,
		(*change).moveTransfer, (*change).newLine, (*change).newLine, (*change).newLine, (*change).editLine, (*change).runPayout,
		(*change).movePayout, (*change).newNotice, (*change).sendNotice, (*change).closePeriod, (*change).serve,
		(*change).editAccount, (*change).companyCredit, (*change).editLender, (*change).newScreening, (*change).decideScreening, (*change).newReceipt, (*change).endReceipt,
	}
}

func (c *change) newMethod() string {
	w := c.w
	m := &credit.PaymentMethod{
		ID: w.id("pm"), Company: pick(w, w.companies), Merchant: pick(w, append([]string{""}, w.merchants...)), Type: credit.ACH,
		Status: pick(w, []credit.MethodStatus{credit.MethodUnverified, credit.MethodActive}), FirstSettled: calendar.None,
		Authorization: credit.Authorization{Channel: "WEB", AcceptedAt: w.at, Reference: "é"}, CreatedAt: w.at, UpdatedAt: w.at, Version: 1,
	}
	if w.rng.IntN(3) == 0 {
		m.Type, m.Card = credit.Card, &credit.CardAccount{Token: w.id("tok"), Brand: "visa", Last4: "4242", ExpMonth: 1, ExpYear: 2030}
	} else {
		m.Bank = &credit.BankAccount{Last4: "6789", Sealed: w.bytes(20)}
		m.Verification = &credit.Verification{Amounts: []money.Amount{11, 12}, ExpiresOn: w.today().AddDays(10)}
	}
	w.methods = append(w.methods, m.ID)
	c.Methods = append(c.Methods, m)
	return "payment_method.add"
}

// methodOf returns one of a company's methods, nil if it has none.
func (w *World) methodOf(company int64) *credit.PaymentMethod {
	for _, id := range w.methods {
		if m := w.State.Methods[id]; m.Company == company {
			return m
		}
	}
	return nil
}

func (c *change) editMethod() string {
	w := c.w
	if len(w.methods) == 0 {
		return c.newMethod()
	}
	m := *w.State.Methods[pick(w, w.methods)]
	m.Version++
	m.UpdatedAt, m.FirstSettled, m.Verification = w.at, w.today(), nil
	m.Status, m.DisabledReason = credit.MethodActive, ""
	if w.rng.IntN(2) == 0 {
		m.Status, m.DisabledReason = credit.MethodDisabled, "R02"
	}
	c.Methods = append(c.Methods, &m)
	return "payment_method.update"
}

// transfer adds a transfer with the fields that all of them have.
func (c *change) transfer(t credit.Transfer) *credit.Transfer {
	w := c.w
	t.ID, t.Rail, t.Status, t.CreatedAt, t.UpdatedAt, t.Version = w.id("trf"), credit.ACH, credit.TransferQueued, w.at, w.at, 1
	t.SendOn, t.SettlesOn, t.ReleaseOn, t.NextAt = w.today(), w.today().AddDays(1), calendar.None, w.later()
	w.transfers = append(w.transfers, t.ID)
	c.Transfers = append(c.Transfers, &t)
	return &t
}

// later is an instant in the next days, one of the few that a clockwork uses.
func (w *World) later() time.Time {
	return time.Date(2026, 1, 5+w.rng.IntN(60), 16, 0, 0, 0, time.UTC)
}

func (c *change) newTransfer() string {
	w := c.w
	if len(w.payments) == 0 || w.rng.IntN(4) == 0 {
		t := c.transfer(credit.Transfer{Kind: credit.TransferPrenote, Company: pick(w, w.companies), Entry: "ACCTVERIFY"})
		if w.rng.IntN(2) == 0 {
			t.Kind, t.Company, t.Merchant, t.Amount = credit.TransferClawback, 0, pick(w, w.merchants), 700
		}
		return "transfer.create"
	}
	p := *w.State.Payments[pick(w, w.payments)]
	t := c.transfer(credit.Transfer{
		Kind: credit.TransferRefund, Company: p.Company, Payment: p.ID, Refund: w.id("prf"), Method: p.MethodID, Amount: p.Amount,
		Entry: "LOAN PYMT",
	})
	if w.rng.IntN(3) == 0 {
		t.Rail, t.Charge, t.Back = credit.Card, p.Transfer, t.Amount/2
	}
	if p.Transfer == "" {
		t.Kind, t.Refund, p.Transfer, p.UpdatedAt = credit.TransferPayment, "", t.ID, w.at
		p.Version++
		c.Payments = append(c.Payments, &p)
	}
	return "transfer.create"
}

// moveTransfer moves a transfer along an edge, or changes when it is next due.
func (c *change) moveTransfer() string {
	w := c.w
	if len(w.transfers) == 0 {
		return "nothing"
	}
	t := *w.State.Transfers[pick(w, w.transfers)]
	next := map[credit.TransferStatus][]credit.TransferStatus{
		credit.TransferQueued:  {credit.TransferSent, credit.TransferSent, credit.TransferCanceled, credit.TransferQueued},
		credit.TransferSent:    {credit.TransferSettled, credit.TransferSettled, credit.TransferFailed, credit.TransferSent},
		credit.TransferSettled: {credit.TransferReturned, credit.TransferSettled},
	}[t.Status]
	if next == nil {
		return "nothing"
	}
	t.Version++
	t.UpdatedAt = w.at
	old := t.Status
	t.Status = pick(w, next)
	switch {
	case t.Status == old:
		t.NextAt = w.later()
	case t.Status == credit.TransferSent:
		t.SentAt, t.NextAt = w.at, w.later()
	case t.Status == credit.TransferSettled:
		t.SettledAt, t.ReleaseOn, t.NextAt = w.at, w.today().AddDays(5), w.later()
	default:
		t.ReturnCode, t.NextAt = "R01", time.Time{}
	}
	c.Transfers = append(c.Transfers, &t)
	return "transfer.move"
}

func (c *change) newLine() string {
	w := c.w
	o := w.orderIn(credit.OrderCaptured)
	if o == nil {
		return c.newOrder()
	}
	l := &credit.PayoutLine{
		ID: w.id("pol"), Merchant: o.Merchant, Company: o.Company, Order: o.Key, Source: o.Key, Due: w.today().AddDays(w.rng.IntN(20) - 15),
		At: w.at, Version: 1, Amount: money.Amount(100 + w.rng.IntN(900)),
		Kind: pick(w, []credit.PayoutLineKind{credit.LineCapture, credit.LineCapture, credit.LineClawback, credit.LineCollected, credit.LineRepaid}),
	}
	switch {
	case l.Kind == credit.LineCapture:
		l.Gross, l.Discount, l.Refunds = l.Amount+7, 4, 3
	case l.Kind.Owes() && w.rng.IntN(3) == 0:
		l.Netted = l.Amount // by a debit: nothing is left
	case w.rng.IntN(2) == 0:
		l.Order, l.Source = "", w.id("pay")
	}
	if l.Kind == credit.LineCollected && w.rng.IntN(2) == 0 {
		l.NextAt = w.later()
	}
	w.lines = append(w.lines, l.ID)
	c.Lines = append(c.Lines, l)
	return "line.add"
}

// editLine changes a waiting line: a refund takes from it, or a debit.
func (c *change) editLine() string {
	w := c.w
	for _, id := range w.lines {
		l := *w.State.Lines[id]
		if l.Payout != "" || l.Left() == 0 || w.rng.IntN(3) > 0 {
			continue
		}
		l.Version++
		if l.Kind.Owes() {
			l.Netted++
		} else {
			l.Amount = 0
			l.Refunds = l.Gross - l.Discount
			if l.Kind != credit.LineCapture {
				l.Refunds = 0
			}
		}
		c.Lines = append(c.Lines, &l)
		return "line.update"
	}
	return "nothing"
}

// runPayout puts what waits for a merchant into a payout.
func (c *change) runPayout() string {
	w := c.w
	merchant := pick(w, w.merchants)
	p := &credit.Payout{
		ID: w.id("po"), Merchant: merchant, Status: credit.PayoutPending, Date: w.today(), CreatedAt: w.at, UpdatedAt: w.at, Version: 1, EventSeq: 1,
	}
	for _, id := range w.State.Waiting[merchant] {
		l := *w.State.Lines[id]
		if l.Kind.Owes() {
			continue
		}
		p.Gross, p.Discount, p.Refunds = p.Gross+l.Gross, p.Discount+l.Discount, p.Refunds+l.Refunds
		if l.Kind != credit.LineCapture {
			p.Repaid += l.Amount
		}
		p.Net += l.Amount
		c.include(p, &l)
	}
	if p.Net == 0 {
		c.Lines = nil
		return "nothing"
	}
	for _, id := range w.State.Waiting[merchant] {
		if l := *w.State.Lines[id]; l.Kind == credit.LineClawback && l.Left() > 0 && p.Net > 0 {
			part := min(l.Left(), p.Net)
			l.Netted, p.Net, p.Clawback = l.Netted+part, p.Net-part, p.Clawback+part
			c.include(p, &l)
		}
	}
	if p.Net > 0 {
		p.Transfer = c.transfer(credit.Transfer{Kind: credit.TransferPayout, Merchant: merchant, Payout: p.ID, Amount: p.Net, Entry: "PAYOUT"}).ID
	}
	w.payouts = append(w.payouts, p.ID)
	c.Payouts = append(c.Payouts, p)
	return "payout.run"
}

// include puts a line into a payout, unless part of it continues to wait.
func (c *change) include(p *credit.Payout, l *credit.PayoutLine) {
	l.Version++
	if !l.Kind.Owes() || l.Left() == 0 {
		l.Payout = p.ID
	}
	c.Lines = append(c.Lines, l)
}

func (c *change) movePayout() string {
	w := c.w
	if len(w.payouts) == 0 {
		return "nothing"
	}
	p := *w.State.Payouts[pick(w, w.payouts)]
	switch p.Status {
	case credit.PayoutPending:
		p.Status, p.SentAt = credit.PayoutSent, w.at
	case credit.PayoutSent:
		p.Status, p.SettledAt = credit.PayoutSettled, w.at
	case credit.PayoutSettled:
		p.Status, p.Failure = credit.PayoutFailed, &credit.Failure{Code: "returned", ReturnCode: "R02"}
	default:
		return "nothing"
	}
	p.Version++
	p.EventSeq++
	p.UpdatedAt = w.at
	c.Payouts = append(c.Payouts, &p)
	return "payout.move"
}

func (c *change) newNotice() string {
	w := c.w
	n := &credit.Notice{
		ID: w.id("ntc"), Kind: pick(w, []credit.NoticeKind{credit.NoticeLineDecrease, credit.NoticeSuspension, credit.NoticeClosure, credit.NoticeRateIncrease, credit.NoticeFurtherReasons}),
		Company: pick(w, w.companies), ActionAt: w.at, ClockStart: w.today(), DueOn: w.today().AddDays(30), Reasons: []string{"late"}, Version: 1,
	}
	if n.Kind == credit.NoticeFurtherReasons {
		n.Asked = w.id("ntc")
	}
	w.notices = append(w.notices, n.ID)
	c.Notices = append(c.Notices, n)
	return "notice.create"
}

func (c *change) sendNotice() string {
	w := c.w
	if len(w.notices) == 0 {
		return "nothing"
	}
	n := *w.State.Notices[pick(w, w.notices)]
	if !n.SentAt.IsZero() {
		return "nothing"
	}
	n.Version++
	n.SentAt, n.Channel, n.Evidence = w.at, "EMAIL", "message 7"
	n.Late = w.q%3 == 0
	if w.q%2 == 0 {
		n.Lender = &credit.NoticeLender{Creditor: credit.Party{Name: "Lender", Address: "Albany"}, Regulator: credit.Party{Name: "FTC"}, Text: int(w.q)}
	}
	c.Notices = append(c.Notices, &n)
	return "notice.send"
}

// closePeriod closes the month before the earliest closed one: nothing is booked in either.
func (c *change) closePeriod() string {
	w := c.w
	if w.closed == 0 {
		w.closed = 20_454 // 2026-01-01: nothing has happened before
	}
	w.closed = w.closed.AddMonths(-1)
	c.Periods = append(c.Periods, &credit.Period{Month: w.closed, ClosedAt: w.at, Debits: money.Amount(w.rng.IntN(1000))})
	return "books.close"
}

// editLender creates the lender, or updates its books.
func (c *change) editLender() string {
	w := c.w
	x := *w.State.TheLender()
	x.Version++
	x.UpdatedAt, x.Allowance = w.at, money.Amount(w.rng.IntN(2000)-500)
	if x.Moved = nil; x.Version%2 == 0 {
		x.Moved = []credit.AllowanceMove{{Month: w.today().EndOfMonth(), Amount: x.Allowance}}
	}
	x.Settings.ProvisionRates = map[credit.Bucket]money.Rate{credit.Bucket30: money.Rate(w.rng.IntN(90_000))}
	if w.rng.IntN(2) == 0 {
		x.ProvisionFrom, x.ProvisionedThrough = 20_454, max(x.ProvisionedThrough, w.today().EndOfMonth())
	}
	c.Lenders = append(c.Lenders, &x)
	return "lender.set"
}

func (c *change) newScreening() string {
	w := c.w
	x := &credit.Screening{
		ID: w.id("scr"), List: "2026-01", Names: []string{"Ann"}, Status: credit.ScreeningOpen, OpenedAt: w.at, ReportBy: calendar.None, Version: 1,
		Matches: []credit.Match{{Entry: "7", Name: "ANNE", Score: 90}},
	}
	if x.Company = pick(w, w.companies); w.rng.IntN(3) == 0 {
		x.Company, x.Merchant = 0, pick(w, w.merchants)
	}
	w.screenings = append(w.screenings, x.ID)
	c.Screenings = append(c.Screenings, x)
	return "screening.record"
}

func (c *change) decideScreening() string {
	w := c.w
	if len(w.screenings) == 0 {
		return "nothing"
	}
	x := *w.State.Screenings[pick(w, w.screenings)]
	if !x.DecidedAt.IsZero() {
		return "nothing"
	}
	x.Version++
	x.Status, x.DecidedAt, x.Reason = pick(w, []credit.ScreeningStatus{credit.ScreeningCleared, credit.ScreeningConfirmed}), w.at, "seen"
	c.Screenings = append(c.Screenings, &x)
	return "screening.decide"
}

// serve changes what time does to an order, and to its company.
func (c *change) serve() string {
	w := c.w
	if len(w.orders) == 0 {
		return c.newOrder()
	}
	o := c.order(pick(w, w.orders))
	o.NextAt = time.Time{}
	if w.rng.IntN(3) > 0 {
		o.NextAt = w.later()
	}
	o.Servicing = credit.Servicing{NoAutopay: w.rng.IntN(2) == 0, ServedTo: w.today(), Nonaccrual: w.rng.IntN(2) == 0}
	if w.rng.IntN(2) == 0 {
		o.Servicing.Open = []credit.OpenDebit{{Payment: "p", Items: []schedule.Ref{{Order: o.Key, Installment: 1}}, Amount: 5, On: w.today()}}
		o.Servicing.Holds = []credit.Hold{{From: w.today() - 9, To: w.today()}, {From: w.today() + 20, To: w.today() + 45}, {From: w.today() + 60, To: w.today() + 75}}[o.EventSeq%2:]
	}
	c.company(o.Company).Servicing = credit.CompanyServicing{
		Autopay: credit.Autopay{Enabled: true, Method: "pm", Paused: "R01"}, Late: w.rng.IntN(3), Returned: []calendar.Date{w.today()},
		CreditUse: credit.CreditUse{On: w.rng.IntN(2) == 0, By: "cli_1", At: w.at},
	}
	return "order.service"
}

func (c *change) editAccount() string {
	w := c.w
	m := *w.State.Merchants[pick(w, w.merchants)]
	m.Version++
	m.UpdatedAt, m.Account = w.at, credit.MerchantAccount{Debits: true}
	if w.rng.IntN(2) == 0 {
		m.Account.Bank, m.Account.HeldReason = &credit.BankAccount{Last4: "1111"}, "payout_returned"
	}
	m.Programs = slices.Clone(m.Programs)
	c.Merchants = append(c.Merchants, &m)
	return "merchant.account"
}

// companyCredit books an entry of a company without an order.
func (c *change) companyCredit() string {
	c.entry("CREDIT_SENT", 50, ledger.Dimensions{Company: pick(c.w, c.w.companies)})
	return "company.credit"
}
