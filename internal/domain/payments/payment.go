package payments

import (
	"fmt"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// RecordPayment records money for an order, an invoice or a company. Payments by methods
// outside a rail, and all payments of an externally managed order, are money already received:
// they succeed at once (F33).
type RecordPayment struct {
	Order         string        `json:"order"` // exactly one of Order, Invoice, Company
	Invoice       string        `json:"invoice"`
	Company       int64         `json:"company_id"`
	Amount        money.Amount  `json:"amount"`
	Method        credit.Method `json:"method"`
	PaymentMethod string        `json:"payment_method_id"`
	ScheduledDate calendar.Date `json:"scheduled_date"` // None if not given
	EffectiveDate calendar.Date `json:"effective_date"` // None: today
	Reference     string        `json:"reference"`
	ExternalID    string        `json:"external_id"`
	Memo          string        `json:"memo"`
	HoldExcess    bool          `json:"hold_excess"`
	Person        string        `json:"person,omitzero"` // who pays in her own session: a debit of a company account
}

func (RecordPayment) Name() string { return "payment.record" }

// WritesOwners implements credit.OwnersWriter.
func (c RecordPayment) WritesOwners(e credit.Env) bool { return e.Actor.Operator && c.Person == "" }

// Keys requests the order by its key or its invoice, then its company and history; for a
// company, its whole account, and histories only if the stored figures cannot simply be
// continued.
func (c RecordPayment) Keys(s *credit.State, e credit.Env) credit.Keys {
	k := credit.Keys{}.OwnersWord(c.Person)
	if c.ExternalID != "" {
		k.Claims = []credit.Claim{c.external(e)}
	}
	if c.PaymentMethod != "" {
		k.Methods = []string{c.PaymentMethod}
	}
	event := schedule.Event{Kind: schedule.EventPayment, Date: c.effective(e)}
	if event.Date < e.Today() {
		event.Date = calendar.None // the orders are served up to today before it is applied
	}
	if !e.Actor.Operator {
		k.Positions = []string{e.Actor.Merchant}
		k.Merchants = []string{e.Actor.Merchant}
	}
	if c.Company != 0 {
		k.Companies, k.Accounts, k.Lines = []int64{c.Company}, []int64{c.Company}, []string{credit.AccountKey(c.Company)}
		k.Methods = append(k.Methods, lending.AutopayMethod(s, c.Company)...)
		k.Merchants = append(k.Merchants, credit.MerchantsOf(s, s.Accounts[c.Company])...)
		k.Payments = openDebits(s, s.Accounts[c.Company])
		if orders := s.Accounts[c.Company]; lending.Replays(s, c.Company, orders, event) {
			a := credit.AccountKeys(s, c.Company)
			k.History, k.Invoices, k.Lines = a.History, a.Invoices, a.Lines
		} else {
			k.Invoices = credit.InvoicesOf(s, lending.Active(s, c.Company, orders))
		}
		return k
	}
	if c.Invoice != "" {
		k.Invoices = []string{c.Invoice}
	}
	order := c.orderKey(s)
	if order == "" {
		return k
	}
	m := lending.MoneyKeys(s, order, event)
	m.Claims, m.Invoices, m.Methods, m.Records = k.Claims, append(m.Invoices, k.Invoices...), k.Methods, k.Records
	m.Positions, m.Merchants = k.Positions, append(m.Merchants, k.Merchants...)
	m.Payments = append(m.Payments, openDebits(s, []string{order})...)
	if o := s.Orders[order]; o != nil {
		m.Methods = append(m.Methods, lending.AutopayMethod(s, o.Company)...)
	}
	if i := s.Invoices[c.Invoice]; c.Invoice != "" && i != nil {
		m.Companies = []int64{i.Company}
	}
	return m
}

func (c RecordPayment) external(e credit.Env) credit.Claim {
	return credit.Claim{Kind: credit.ClaimExternalID, Scope: e.Actor.Merchant, Name: c.ExternalID}
}

// orderKey is the order that the payment is for, named directly or by its invoice.
func (c RecordPayment) orderKey(s *credit.State) string {
	if i := s.Invoices[c.Invoice]; c.Invoice != "" && i != nil {
		return i.Order
	}
	return c.Order
}

func (c RecordPayment) effective(e credit.Env) calendar.Date {
	if c.EffectiveDate == calendar.None {
		return e.Today()
	}
	return c.EffectiveDate
}

func (c RecordPayment) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if c.Person != "" {
		return c.admitPayer(s, e)
	}
	switch {
	case c.Company != 0 && e.Actor.Operator:
		if s.Companies[c.Company] == nil {
			return credit.NotFound.Because("There is no such company.")
		}
		return nil
	case c.Company != 0:
		return lending.AdmitCompany(s, c.Company, e.Actor.Merchant)
	case c.Invoice != "":
		i := s.Invoices[c.Invoice]
		if i == nil || !e.Actor.Operator && i.Merchant != e.Actor.Merchant {
			return credit.NotFound.Because("There is no such invoice.")
		}
		return nil
	}
	return lending.AdmitOrder(s, e, c.Order)
}

func (c RecordPayment) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	var o *credit.Order
	if key := c.orderKey(s); key != "" {
		o = s.Orders[key]
	}
	if r := c.refuse(s, e, o); r != nil {
		return credit.Changes{}, r
	}
	d := credit.NewDraft(s, e)
	if c.rail(o) {
		p := c.send(d, o)
		c.consentsToPay(d, p)
		notePayer(d, p, c.Person)
		if c.ExternalID != "" {
			d.Claim(c.external(e), p.ID)
		}
		return d.Done(p, true), nil
	}
	p := c.received(d, o, func(p *credit.Payment) { receive(d, p, o) })
	return d.Done(p, true), nil
}

// received creates the payment for money already received, and applies it. arrive books the
// receipt.
func (c RecordPayment) received(d *credit.Draft, o *credit.Order, arrive func(*credit.Payment)) *credit.Payment {
	p := c.payment(d, o)
	d.Payments.Add(p.ID, p)
	if c.ExternalID != "" {
		d.Claim(c.external(d.Env), p.ID)
	}
	d.PaymentEvent(credit.PaymentCreatedEvent, p.ID)
	d.PaymentEvent(credit.PaymentSucceededEvent, p.ID)
	lending.Play(d, p.Company, lending.ScopeOf(d, p), schedule.Event{
		Kind: schedule.EventPayment, ID: p.ID, Date: p.EffectiveDate, Seq: lending.NextSeq(d, p.Company), Order: p.Order,
		Amount: p.Amount, Held: p.FromMerchant, Hold: p.HoldExcess, Scope: lending.Reach(d, p),
	}, func() { arrive(p) })
	if p.Order == "" {
		d.Companies.Edit(p.Company).JointReplay = true
	}
	lending.SettlePayment(d, p)
	return p
}

// refuse decides the state stage, then the rules.
func (c RecordPayment) refuse(s *credit.State, e credit.Env, o *credit.Order) *credit.Rejection {
	if o != nil && o.Captured == 0 {
		return credit.OrderNotCaptured.With("The order has not been captured; nothing is owed on it.", map[string]any{"order_status": string(o.Status)})
	}
	company := c.Company
	if o != nil {
		company = o.Company
	}
	if r := credit.MoneyMayMove(s.Companies[company]); r != nil && c.rail(o) {
		return r
	}
	if r := c.refusePayer(s, o, company); r != nil {
		return r
	}
	if c.ExternalID != "" && s.Claims[c.external(e)] != "" {
		return credit.DuplicateExternalID.Because("Another payment has this external_id.")
	}
	if c.rail(o) {
		return c.refuseRail(s, e, o, company)
	}
	external := o != nil && o.External
	day := c.effective(e)
	switch {
	case c.ScheduledDate != calendar.None:
		return credit.InvalidEffectiveDate.Because("Money already received cannot have a scheduled_date.")
	case day > e.Today():
		return credit.InvalidEffectiveDate.Because("Money already received cannot have a future effective date.")
	case day < e.Today() && !external && !e.Actor.Operator:
		return credit.InvalidEffectiveDate.Because("Only the lender can record a payment with a past date.")
	case !e.Actor.Operator && int(day.DaysUntil(e.Today())) > backdating(s, o):
		return credit.InvalidEffectiveDate.With(fmt.Sprintf("A merchant reports money at most %d days later.", backdating(s, o)),
			map[string]any{"earliest_date": e.Today().AddDays(-backdating(s, o))})
	case o != nil && day < o.CaptureDate:
		return credit.InvalidEffectiveDate.With("The payment cannot be older than the order's capture.", map[string]any{"capture_date": o.CaptureDate})
	}
	if e.Actor.Operator || o != nil && o.Terms.Unfunded {
		return nil
	}
	if lending.TookBack(s, o, c.Company, e) {
		return credit.NotAllowed.Because(fmt.Sprintf("A reported payment was withdrawn in the last %d days. Only the lender can record payments for this order now.", lending.WithdrawalDays))
	}
	return mayHold(s, e, c.Amount)
}

// refuseRail rejects a debit that is stopped, has no account, or is out of bounds.
func (c RecordPayment) refuseRail(s *credit.State, e credit.Env, o *credit.Order, company int64) *credit.Rejection {
	if r := debitsStopped(s, company, e.Actor); r != nil {
		return r
	}
	if r := cardsStopped(s.Companies[company], e.Actor); r != nil && c.Method.Can().Tried {
		return r
	}
	switch {
	case c.method(s, company, e.Actor) != nil:
	case c.account(s, company, e.Actor) != nil && c.account(s, company, e.Actor).Status != credit.MethodDisabled:
		return unusable(c.account(s, company, e.Actor))
	case c.PaymentMethod != "":
		return credit.PaymentMethodRequired.Because(fmt.Sprintf("The payment method is not one of the company's that %s can debit.", c.Method))
	default:
		return credit.PaymentMethodRequired.Because("The company has no payment method that can be debited.")
	}
	if r := c.refuseDates(e); r != nil {
		return r
	}
	if r := TooManyOpen(o); r != nil {
		return r
	}
	if r := c.refuseDebit(s, e, o); r != nil {
		return r
	}
	return c.refuseSmall(s, e, company)
}

// backdating is how many days late a merchant may report money for an order (F41.6).
func backdating(s *credit.State, o *credit.Order) int {
	if o == nil {
		return 0
	}
	return s.Merchants[o.Merchant].VersionOf(o.Program).Settings.BackdatingDays
}

// payment creates the record; amounts applied come later.
func (c RecordPayment) payment(d *credit.Draft, o *credit.Order) *credit.Payment {
	p := &credit.Payment{
		ID: d.IDs.Next(credit.PrefixPayment), Company: c.Company, Merchant: d.Env.Actor.Merchant, Amount: c.Amount, Currency: money.USD,
		Status: credit.PaymentSucceeded, Method: c.Method, Direction: "IN", ScheduledDate: calendar.None,
		EffectiveDate: c.effective(d.Env), Reference: c.Reference, ExternalID: c.ExternalID, Memo: c.Memo, HoldExcess: c.HoldExcess,
		Attempt: 1, FromMerchant: d.Env.Actor.Merchant != "", CreatedAt: d.Env.Now, UpdatedAt: d.Env.Now, SettledAt: d.Env.Now, Version: 1,
	}
	if o != nil {
		p.Company, p.Order, p.Invoice = o.Company, o.Key, o.Invoice
		p.FromMerchant = p.FromMerchant || o.External
	}
	if p.FromMerchant {
		p.Held = p.Amount
	}
	return p
}

// receive books the money as received: our cash, or due from the merchant that reports it
// (F33). On an externally managed order the application itself does that.
func receive(d *credit.Draft, p *credit.Payment, o *credit.Order) {
	if o != nil && o.External {
		return
	}
	dim := ledger.Dimensions{Company: p.Company, Order: p.Order, Payment: p.ID}
	from := ledger.Posting{Account: ledger.Cash, Amount: p.Amount, Dimensions: dim}
	if p.FromMerchant {
		from.Account, from.Merchant = ledger.DueFromMerchant, p.Merchant
	}
	if o != nil {
		dim.Merchant, from.Merchant = o.Merchant, o.Merchant
	}
	d.Entry("PAYMENT_RECEIVED", p.ID, p.EffectiveDate, from, ledger.Posting{Account: ledger.PaymentsPending, Amount: -p.Amount, Dimensions: dim})
}
