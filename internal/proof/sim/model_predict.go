package sim

import (
	"fmt"
	"slices"
	"time"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/payments"
)

// Predict returns the expected outcome of a request at an instant: the code of its refusal, or ""
// if it is accepted. The checks are in the contract's order: existence, link, precondition,
// state, rule.
func (m *Model) Predict(at time.Time, r Request) string {
	a := ask{m, at, m.day(at), r.Actor}
	switch c := r.Command.(type) {
	case lending.CreateOrder:
		return a.create(c)
	case lending.UpdateOrder:
		return a.update(c)
	case lending.ExtendOrder:
		return a.extend(c)
	case lending.CapturePart:
		return a.part(c)
	case lending.RefundOrder:
		return a.refund(c)
	case lending.ServiceOrder:
		return first(a.sees(c.Order))
	case payments.RecordPayment:
		return a.pay(c)
	case payments.RefundPayment:
		return a.payBack(c)
	case payments.ReturnPayment:
		return a.seesPayment(c.Payment)
	case payments.CancelPayment:
		return either(a.seesPayment(c.Payment), "payment_not_cancelable")
	case lending.UpdateCompany:
		return a.updateCompany(c)
	case merchants.AddProgram:
		return a.addProgram(c)
	case merchants.CreateMerchant, lending.CreateCompany:
		return ""
	}
	if code, known := a.access(r.Command); known {
		return code
	}
	panic(fmt.Sprintf("sim: the model does not know %s", r.Command.Name()))
}

// ask is one prediction.
type ask struct {
	m     *Model
	at    time.Time
	day   calendar.Date
	actor credit.Actor
}

// either returns the first code that is not empty.
func either(codes ...string) string {
	for _, c := range codes {
		if c != "" {
			return c
		}
	}
	return ""
}

func first(_ *order, code string) string { return code }

// sees returns the order if it is the caller's.
func (a ask) sees(key string) (*order, string) {
	o := a.m.order(key)
	if o == nil || !a.actor.Operator && o.merchant != a.actor.Merchant {
		return nil, "not_found"
	}
	return o, ""
}

func (a ask) company(id int64) *company { return a.m.company(id, len(a.m.facts)) }

func (a ask) linked(id int64, merchant string) string {
	c := a.company(id)
	if c == nil {
		return "not_found"
	}
	if !slices.Contains(c.linked, merchant) {
		return "company_not_linked"
	}
	return ""
}

func (a ask) approved(id int64) string {
	if a.company(id).status != credit.CompanyApproved {
		return "company_not_eligible"
	}
	return ""
}

// offered checks the bounds of the program in force and, if one is chosen, the term.
func (a ask) offered(merchant string, c *company, amount int64, n int, external bool) string {
	s := &a.m.inForce(merchant, a.day).settings
	if code := bounds(s, amount); code != "" || n == 0 {
		return code
	}
	return possible(s, n, c.tier, external, amount)
}

func bounds(s *credit.Settings, amount int64) string {
	if amount < int64(s.MinOrder) || s.MaxOrder != 0 && amount > int64(s.MaxOrder) {
		return "amount_out_of_bounds"
	}
	return ""
}

func possible(s *credit.Settings, n int, tier string, external bool, amount int64) string {
	if t, ok := termOf(s, n, tier, external); !ok || !t.possible(amount) {
		return "term_not_available"
	}
	return ""
}

func fits(amount, available int64) string {
	if amount > available {
		return "insufficient_credit"
	}
	return ""
}

func (a ask) create(c lending.CreateOrder) string {
	merchant := a.actor.Merchant
	if code := a.linked(c.Company, merchant); code != "" {
		return code
	}
	if c.Authorize && c.Installments == 0 {
		return "installments_required"
	}
	if code := a.approved(c.Company); code != "" {
		return code
	}
	if a.m.numberTaken(merchant, c.MerchantOrderID) {
		return "duplicate_merchant_order_id"
	}
	if c.Charges != nil && c.Charges.GrandTotal != c.Amount {
		return "charges_mismatch"
	}
	code := a.offered(merchant, a.company(c.Company), int64(c.Amount), c.Installments, c.External)
	if code != "" || !c.Authorize {
		return code
	}
	return fits(int64(c.Amount), a.m.available(c.Company))
}

func (a ask) unexpired(o *order) string {
	if !a.at.Before(o.expires) {
		return "authorization_expired"
	}
	return ""
}

// serviced requires a company that is neither SUSPENDED nor CLOSED.
func (a ask) serviced(o *order) string {
	if s := a.company(o.company).status; s == credit.CompanySuspended || s == credit.CompanyClosed {
		return "company_not_eligible"
	}
	return ""
}

func (a ask) extend(c lending.ExtendOrder) string {
	o, code := a.sees(c.Order)
	if code != "" {
		return code
	}
	if o.status != credit.OrderAuthorized {
		return "invalid_transition"
	}
	if code := a.unexpired(o); code != "" {
		return code
	}
	if o.extended {
		return "already_extended"
	}
	return a.serviced(o)
}

func (a ask) part(c lending.CapturePart) string {
	o, code := a.sees(c.Order)
	if code != "" {
		return code
	}
	if o.status != credit.OrderAuthorized {
		return "invalid_transition"
	}
	if code := either(a.unexpired(o), a.serviced(o)); code != "" {
		return code
	}
	if a.m.numberTaken(o.merchant, c.MerchantOrderID) {
		return "duplicate_merchant_order_id"
	}
	if c.Amount < 100 {
		return "amount_out_of_bounds"
	}
	if o.children >= 250 {
		return "limit_exceeded"
	}
	if int64(c.Amount) >= o.reserved {
		return "partial_too_large"
	}
	if !o.term.possible(int64(c.Amount)) {
		return "term_not_available"
	}
	return ""
}

// stale reports whether If-Match does not name the order's version.
func (a ask) stale(etags []string, o *order) bool {
	return etags != nil && !slices.Contains(etags, fmt.Sprintf("%q", fmt.Sprint(a.m.seen.Version(o.key))))
}

func (a ask) refund(c lending.RefundOrder) string {
	o, code := a.sees(c.Order)
	if code != "" {
		return code
	}
	if a.stale(c.IfMatch, o) {
		return "precondition_failed"
	}
	if o.captured == 0 {
		return "order_not_captured"
	}
	for _, r := range o.refunds {
		if c.Reference == "" || r.reference != c.Reference {
			continue
		}
		if c.Amount != nil && int64(*c.Amount) != r.amount {
			return "refund_reference_used"
		}
		return ""
	}
	left := o.captured - o.refunded()
	if left == 0 || c.Amount != nil && int64(*c.Amount) > left {
		return "refund_exceeds_captured"
	}
	if a.day > o.captureDay+calendar.Date(o.settings.RefundWindowDays) {
		return "refund_window_closed"
	}
	return ""
}

func (a ask) pay(c payments.RecordPayment) string {
	var o *order
	switch target := a.m.target(c); {
	case c.Company != 0 && a.actor.Operator:
		if a.company(c.Company) == nil {
			return "not_found"
		}
	case c.Company != 0:
		if code := a.linked(c.Company, a.actor.Merchant); code != "" {
			return code
		}
	default:
		var code string
		if o, code = a.sees(target); code != "" {
			return code
		}
	}
	if o != nil && o.captured == 0 {
		return "order_not_captured"
	}
	if a.m.externalIDTaken(a.actor.Merchant, c.ExternalID) {
		return "duplicate_external_id"
	}
	external := o != nil && o.external
	if (c.Method == credit.ACH || c.Method == credit.Card) && !external {
		return "payment_method_required"
	}
	day := dayOf(c, a.day)
	if c.ScheduledDate != calendar.None || day > a.day || day < a.day && !external && !a.actor.Operator || o != nil && day < o.captureDay {
		return "invalid_effective_date"
	}
	return ""
}

func (a ask) seesPayment(id string) string {
	p := a.m.payment(id)
	if p == nil {
		return "not_found"
	}
	if a.actor.Operator || p.merchant == a.actor.Merchant || p.order != "" && a.m.order(p.order).merchant == a.actor.Merchant {
		return ""
	}
	return "not_found"
}

func (a ask) payBack(c payments.RefundPayment) string {
	if code := a.seesPayment(c.Payment); code != "" {
		return code
	}
	p := a.m.payment(c.Payment)
	if p.returned || p.refunded == p.amount {
		return "payment_not_refundable"
	}
	if left := a.m.refundable(p); left == 0 || c.Amount != nil && int64(*c.Amount) > left {
		return "refund_exceeds_payment"
	}
	return ""
}

func (a ask) updateCompany(c lending.UpdateCompany) string {
	x := a.company(c.Company)
	if x == nil {
		return "not_found"
	}
	for _, merchant := range c.Link {
		if a.m.programs(merchant) == nil {
			return "not_found"
		}
	}
	if c.Status == "" || c.Status == x.status {
		return ""
	}
	if x.status == credit.CompanyClosed || c.Status == credit.CompanyPending {
		return "company_not_eligible"
	}
	return ""
}

func (a ask) addProgram(c merchants.AddProgram) string {
	all := a.m.programs(c.Merchant)
	if all == nil {
		return "not_found"
	}
	if c.From <= a.day || c.From <= all[len(all)-1].from {
		return "validation_failed"
	}
	return ""
}
