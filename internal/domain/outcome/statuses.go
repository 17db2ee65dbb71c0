package outcome

import "tenor/internal/domain/credit"

// StatusRule is what one operation does to one status: which statuses it requires, and which
// one follows.
type StatusRule struct {
	Command   string // its name in the audit log, as in EventTable
	Operation string // what it does: one command may do several things
	Object    string // order, payment, invoice, payment_method, payout or company
	Member    string // of the object's JSON form
	// From lists the statuses before; empty if the operation creates the object.
	From []string
	// To lists what may follow: one, or several for the caller to choose from. Empty: the
	// status stays, and From is what the operation requires.
	To []string
	// Condition is when it follows; empty: always.
	Condition string
}

// StatusTable is the published table of operations and the statuses that they change. A repeat
// is accepted without effect, so it is not in the table.
func StatusTable() []StatusRule {
	t := statusTable{}
	t.orders()
	t.companies()
	t.money()
	t.rails()
	t.methods()
	t.payouts()
	t.buyers()
	return t.rules
}

// statusTable collects rules; by and does identify the operation they are about.
type statusTable struct {
	rules    []StatusRule
	by, does string
}

func (t *statusTable) of(command, operation string) { t.by, t.does = command, operation }

func (t *statusTable) add(object, member string, from, to []string, when string) {
	t.rules = append(t.rules, StatusRule{t.by, t.does, object, member, from, to, when})
}

func (t *statusTable) order(from, to []credit.OrderStatus, when string) {
	t.add("order", "status", words(from), words(to), when)
}

func (t *statusTable) financing(from, to []credit.FinancingStatus, when string) {
	t.add("order", "financing_status", words(from), words(to), when)
}

func (t *statusTable) payment(from, to []credit.PaymentStatus, when string) {
	t.add("payment", "status", words(from), words(to), when)
}

func (t *statusTable) invoice(from, to []credit.InvoiceStatus, when string) {
	t.add("invoice", "status", words(from), words(to), when)
}

func (t *statusTable) company(from, to []credit.CompanyStatus, when string) {
	t.add("company", "status", words(from), words(to), when)
}

func (t *statusTable) method(from, to []credit.MethodStatus, when string) {
	t.add("payment_method", "status", words(from), words(to), when)
}

func (t *statusTable) payout(from, to []credit.PayoutStatus, when string) {
	t.add("payout", "status", words(from), words(to), when)
}

func words[S ~string](list []S) []string {
	var out []string
	for _, s := range list {
		out = append(out, string(s))
	}
	return out
}

func (t *statusTable) orders() {
	t.of("order.create", "create an order")
	t.order(nil, []credit.OrderStatus{credit.OrderCreated}, "status AUTHORIZED is not requested")
	t.order(nil, []credit.OrderStatus{credit.OrderAuthorized}, "status AUTHORIZED is requested")
	t.financing(nil, []credit.FinancingStatus{credit.FinancingNone}, "")
	t.of("order.update", "change fields")
	t.order([]credit.OrderStatus{credit.OrderCreated, credit.OrderAuthorized}, nil, "")
	t.order([]credit.OrderStatus{credit.OrderCaptured, credit.OrderCanceled, credit.OrderReturned}, nil, "only merchant_status and metadata change")
	t.of("order.update", "authorize")
	t.order([]credit.OrderStatus{credit.OrderCreated}, []credit.OrderStatus{credit.OrderAuthorized}, "")
	t.of("order.update", "capture")
	t.order([]credit.OrderStatus{credit.OrderAuthorized}, []credit.OrderStatus{credit.OrderCaptured}, "")
	t.loan([]credit.FinancingStatus{credit.FinancingNone})
	t.of("order.update", "cancel")
	t.order([]credit.OrderStatus{credit.OrderCreated, credit.OrderAuthorized}, []credit.OrderStatus{credit.OrderCanceled}, "")
	t.of("order.partial", "capture part of an order")
	t.order([]credit.OrderStatus{credit.OrderAuthorized}, nil, "the order a part is captured from")
	t.order(nil, []credit.OrderStatus{credit.OrderCaptured}, "the part, as a separate order")
	t.loan(nil)
	t.of("order.extend", "extend an authorization")
	t.order([]credit.OrderStatus{credit.OrderAuthorized}, nil, "")
}

// loan is what a capture creates.
func (t *statusTable) loan(before []credit.FinancingStatus) {
	t.financing(before, []credit.FinancingStatus{credit.FinancingActive}, "")
	t.invoice(nil, []credit.InvoiceStatus{credit.InvoiceOpen}, "")
}

func (t *statusTable) companies() {
	open := []credit.CompanyStatus{credit.CompanyPending, credit.CompanyApproved, credit.CompanyDeclined, credit.CompanyOnHold, credit.CompanySuspended}
	t.of("company.create", "create a company")
	t.company(nil, open, "as asked for")
	t.of("company.update", "hold a company")
	t.company([]credit.CompanyStatus{credit.CompanyApproved}, []credit.CompanyStatus{credit.CompanyOnHold}, "")
	t.of("company.update", "release a company")
	t.company([]credit.CompanyStatus{credit.CompanyOnHold, credit.CompanySuspended}, []credit.CompanyStatus{credit.CompanyApproved}, "")
	t.of("company.update", "close a company")
	t.company(open, []credit.CompanyStatus{credit.CompanyClosed}, "")
	t.of("screening.record", "a name matches a sanctions list")
	t.company([]credit.CompanyStatus{credit.CompanyApproved}, []credit.CompanyStatus{credit.CompanyOnHold}, "")
	t.of("screening.decide", "decide a screening")
	t.company([]credit.CompanyStatus{credit.CompanyOnHold}, []credit.CompanyStatus{credit.CompanyApproved}, "it is cleared")
	t.company([]credit.CompanyStatus{credit.CompanyPending, credit.CompanyDeclined, credit.CompanyOnHold}, []credit.CompanyStatus{credit.CompanySuspended}, "it is confirmed")
	t.company([]credit.CompanyStatus{credit.CompanySuspended}, []credit.CompanyStatus{credit.CompanyOnHold}, "it had been confirmed, and is cleared")
}
