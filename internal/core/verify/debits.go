package verify

import (
	"slices"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	paying "tenor/internal/domain/payments"
	"tenor/internal/domain/schedule"
)

// openFacts is a debit that an order lists as on its way.
type openFacts struct {
	order  string
	items  []schedule.Ref
	amount money.Amount
}

// maxAttempts is how often a debit is attempted: once, and twice more after a return (F23).
const maxAttempts = 3

// checkPaymentRail compares a payment with the transfer that moves it, with earlier
// attempts, and with the orders it is meant for (PA1, PA9, CL3).
func (r *run) checkPaymentRail(object string, p *credit.Payment) {
	t := r.transfers[p.Transfer]
	rail := p.Method == credit.ACH || p.Method == credit.Card
	switch {
	case p.Transfer == "" && p.MethodID != "" || p.Transfer != "" && (t == nil || !rail):
		r.broken("PA1", object, "by %s does not match its transfer %q or payment method %q", p.Method, p.Transfer, p.MethodID)
	case t != nil && (t.payment != p.ID || t.method != p.MethodID || t.rail != p.Method || t.amount != p.Amount ||
		(t.kind == credit.TransferCredit) != (p.Direction == "OUT") || t.kind == credit.TransferRefund):
		r.broken("PA1", object, "of %s by %s does not match its transfer %s of kind %s, %s by %s for payment %q", p.Amount, p.MethodID, p.Transfer, t.kind,
			t.amount, t.method, t.payment)
	}
	r.checkAttempt(object, p)
	coming := p.Status == credit.PaymentScheduled || p.Status == credit.PaymentPending
	open := r.open[p.ID]
	if len(open) > 0 && (!coming || p.Direction != "IN" || p.Transfer == "") || coming && p.Direction == "IN" && p.Order != "" && len(open) != 1 {
		r.broken("PA9", object, "is %s and pending on %d orders", p.Status, len(open))
	}
	for _, x := range open {
		switch o := r.orders[x.order]; {
		case o.company != p.Company || p.Order != "" && x.order != p.Order:
			r.broken("AU1", object, "is pending on order %s, which it is not for", x.order)
		case p.Order != "" && (x.amount != p.Amount || !slices.Equal(x.items, p.Items)):
			r.broken("PA9", object, "of %s for %v is listed on the order as %s for %v", p.Amount, p.Items, x.amount, x.items)
		}
	}
	principal := money.Amount(0)
	for _, a := range p.Allocations {
		principal = principal.Add(a.OnLine())
	}
	if t == nil || t.kind != credit.TransferPayment || !t.ripens {
		principal = 0
	}
	if p.FromMerchant {
		principal = p.HeldPrincipal()
	}
	r.holds(p)
	r.equal("CL3", object, "principal on hold", p.OnHold, principal)
}

// checkAttempt checks that a retry follows a first attempt, for the same items and the same
// amount, and that there are not too many (PA9, F40.11).
func (r *run) checkAttempt(object string, p *credit.Payment) {
	if p.Attempt < 1 || p.Attempt > maxAttempts || (p.Attempt > 1) != (p.Original != "") || p.FeeAssessed && p.Original != "" {
		r.broken("PA9", object, "is attempt %d of %q (fee assessed: %t)", p.Attempt, p.Original, p.FeeAssessed)
	}
	if len(p.Items) > 0 && !p.Autopay {
		r.broken("PA9", object, "is earmarked for %d items but was not made by autopay", len(p.Items))
	}
	if p.Original == "" {
		return
	}
	if o := r.paid[p.Original]; o == nil || o.original != "" || o.company != p.Company || o.order != p.Order || o.amount != p.Amount ||
		!slices.Equal(o.items, p.Items) || o.status != credit.PaymentReturned && o.status != credit.PaymentFailed || !p.Autopay {
		r.broken("PA9", object, "retries %s, which is not a failed debit of the same items", p.Original)
	}
}

// checkDebits checks that no item of an order is being debited twice, that no item of a
// merchant-managed order is, and that each installment has at most one late fee (PA9,
// PA10).
func (r *run) checkDebits(object string, o *credit.Order, l *schedule.Loan) {
	seen := map[schedule.Ref]bool{}
	for _, x := range o.Servicing.Open {
		if o.External || r.paid[x.Payment] == nil {
			r.broken("PA9", object, "is debited by payment %q (externally managed: %t)", x.Payment, o.External)
		}
		for _, ref := range x.Items {
			if seen[ref] || ref.Order != o.Key {
				r.broken("PA9", object, "item %v is being debited twice, or belongs to a different order", ref)
			}
			seen[ref] = true
		}
	}
	late := map[int]bool{}
	for _, f := range l.Fees {
		if f.Kind == schedule.LateFeeKind && late[f.Installment] {
			r.broken("PA10", object, "row %d has two late fees", f.Installment)
		}
		late[f.Installment] = late[f.Installment] || f.Kind == schedule.LateFeeKind
	}
}

// warning is how long before an authorization expires a warning is sent (F14).
const warning = 5 * 24 * time.Hour

// checkTimed recomputes when time alone next changes an uncaptured order; for the others
// the audit log is decisive (TM2).
func (r *run) checkTimed(object string, o *credit.Order) {
	var next time.Time
	switch {
	case o.Captured > 0:
		return
	case o.Status == credit.OrderAuthorized && o.WarnedFor.Equal(o.ExpiresAt):
		next = o.ExpiresAt
	case o.Status == credit.OrderAuthorized:
		next = o.ExpiresAt.Add(-warning)
	}
	if !o.NextAt.Equal(next) {
		r.broken("TM2", object, "is %s with next_at %q, must be %q", o.Status, stamp(o.NextAt), stamp(next))
	}
}

// conduct sums up a company's orders and payments.
type conduct struct {
	late, fees, assessed int
	unripe               map[string]bool
}

// countCompanies counts late orders, returned debits that incurred a fee, and payments
// whose money is not good yet.
func (r *run) countCompanies() {
	r.conduct = map[int64]*conduct{}
	of := func(company int64) *conduct {
		if r.conduct[company] == nil {
			r.conduct[company] = &conduct{unripe: map[string]bool{}}
		}
		return r.conduct[company]
	}
	for _, o := range r.orders { // unordered: a count
		x := of(o.company)
		x.fees += o.returnedFees
		if o.overdue && !o.unfunded {
			x.late++
		}
	}
	for id, p := range r.paid { // unordered: a count
		x := of(p.company)
		if p.feeAssessed {
			x.assessed++
		}
		if t := r.transfers[p.transfer]; t != nil && t.ripens {
			x.unripe[id] = true
		}
	}
}

// checkHold compares a company's amount on hold with its payments (F24).
func (r *run) checkHold(object string, c *credit.Company, held money.Amount) {
	r.equal("CL3", object, "on_hold", c.OnHold, held)
	want := map[string]bool{}
	if x := r.conduct[c.ID]; x != nil {
		want = x.unripe
	}
	has := slices.Clone(c.Servicing.Unripe)
	for _, x := range c.Servicing.Recallable {
		if x.Withheld && !slices.Contains(has, x.Payment) {
			has = append(has, x.Payment)
		}
	}
	good := len(want) == len(has)
	for _, id := range has {
		good = good && want[id]
	}
	if !good {
		r.broken("CL3", object, "withholds the credit of %d payments, must be %d", len(has), len(want))
	}
}

// checkConduct counts a company's late orders, and the fees for returned payments: at most
// one for each original (F26, PA10, F40.11).
func (r *run) checkConduct(object string, c *credit.Company) {
	x := r.conduct[c.ID]
	if x == nil {
		x = &conduct{}
	}
	if c.Servicing.Late != x.late {
		r.broken("F26", object, "records %d late orders, but has %d", c.Servicing.Late, x.late)
	}
	if x.fees != x.assessed {
		r.broken("PA10", object, "has %d payments with a returned payment fee assessed, but %d such fees on its loans", x.assessed, x.fees)
	}
}

// opens checks that an account decrypts with the deployment's keys in its own row; one
// moved from another row does not. Without keys it checks nothing.
func (r *run) opens(object string, b *credit.BankAccount, place string) {
	if r.options.Open == nil {
		return
	}
	if _, err := b.Open(place, r.options.Open); err != nil {
		r.broken("F22", object, "its account cannot be decrypted: %v", err)
	}
}

// methods checks that each payment method is a company's account of its type, and that its
// first debit is one of its debits (AU1, F22, F24).
func methods(r *run) error {
	for _, m := range r.merchants { // unordered: a report of each
		for _, b := range m.Accounts() {
			r.opens("merchant "+m.ID, b, paying.PaidAccount(m.ID))
		}
	}
	settled := map[string][]calendar.Date{}
	for _, t := range r.transfers { // unordered: looked up by day
		if t.kind == credit.TransferPayment && t.rail == credit.ACH && t.settled {
			settled[t.method] = append(settled[t.method], t.settlesOn)
		}
	}
	accounts := map[string]int64{}
	if err := store.EachOf(r.view, store.MethodNoun, func(m *credit.PaymentMethod) error {
		object := "payment method " + m.ID
		accounts[m.ID] = m.Company
		if r.companies[m.Company] == nil || m.Merchant != "" && r.merchants[m.Merchant] == nil {
			r.broken("AU1", object, "belongs to company %d and was added by merchant %q, one of which does not exist", m.Company, m.Merchant)
		}
		if (m.Type == credit.ACH) != (m.Bank != nil) || (m.Type == credit.Card) != (m.Card != nil) || m.Bank != nil && (len(m.Bank.Sealed) == 0 || m.Bank.Fingerprint == "") {
			r.broken("F22", object, "of type %s has a bank account: %t, a card: %t", m.Type, m.Bank != nil, m.Card != nil)
		}
		if m.Bank != nil {
			r.opens(object, m.Bank, paying.MethodAccount(m.ID))
		}
		if (m.Status == credit.MethodDisabled) != (m.DisabledReason != "") || m.Verification != nil && m.Status != credit.MethodUnverified {
			r.broken("F22", object, "is %s with the disabled reason %q (verification pending: %t)", m.Status, m.DisabledReason, m.Verification != nil)
		}
		if first := m.FirstSettled; (first == calendar.None) != (len(settled[m.ID]) == 0) || first != calendar.None && !slices.Contains(settled[m.ID], first) {
			r.broken("F24", object, "its first settled debit is recorded on %s, but that is not one of its %d", first, len(settled[m.ID]))
		}
		return r.each(0)
	}); err != nil {
		return err
	}
	for id, t := range r.transfers { // unordered: a report of each
		if company, found := accounts[t.method]; t.method != "" && (!found || company != t.company) {
			r.broken("AU1", "transfer "+id, "uses payment method %s, which does not belong to company %d", t.method, t.company)
		}
	}
	for _, id := range r.companyIDs() {
		c := r.companies[id]
		if a := c.Servicing.Autopay; a.Method != "" && accounts[a.Method] != id || a.Enabled && a.Method == "" {
			r.broken("AU1", "company "+store.CompanyKey(id), "has autopay %t with payment method %q, which is not its own", a.Enabled, a.Method)
		}
	}
	return nil
}
