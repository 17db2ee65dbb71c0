package credit

// StatusRule says what one operation does to one status: which statuses it asks
// for, and which one follows.
type StatusRule struct {
	Command   string // its word in the audit log, as in EventTable
	Operation string // what it does: the command may do several things
	Object    string // order, payment, invoice, payment_method, payout or company
	Member    string // of the object's JSON form
	// From lists the statuses before; empty where the operation makes the object.
	From []string
	// To lists what may follow: one, or several among which the caller chooses.
	// Empty: the status stays, and From is what the operation asks for.
	To []string
	// Condition says when it follows; empty: always.
	Condition string
}

// StatusTable is the published table of operations and the statuses that they
// change. A repeat of what already holds is accepted and changes nothing, so it
// is not in the table.
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

// statusTable gathers rules; by and does name the operation that they are about.
type statusTable struct {
	rules    []StatusRule
	by, does string
}

func (t *statusTable) of(command, operation string) { t.by, t.does = command, operation }

func (t *statusTable) add(object, member string, from, to []string, when string) {
	t.rules = append(t.rules, StatusRule{t.by, t.does, object, member, from, to, when})
}

func (t *statusTable) order(from, to []OrderStatus, when string) {
	t.add("order", "status", words(from), words(to), when)
}

func (t *statusTable) financing(from, to []FinancingStatus, when string) {
	t.add("order", "financing_status", words(from), words(to), when)
}

func (t *statusTable) payment(from, to []PaymentStatus, when string) {
	t.add("payment", "status", words(from), words(to), when)
}

func (t *statusTable) invoice(from, to []InvoiceStatus, when string) {
	t.add("invoice", "status", words(from), words(to), when)
}

func (t *statusTable) company(from, to []CompanyStatus, when string) {
	t.add("company", "status", words(from), words(to), when)
}

func (t *statusTable) method(from, to []MethodStatus, when string) {
	t.add("payment_method", "status", words(from), words(to), when)
}

func (t *statusTable) payout(from, to []PayoutStatus, when string) {
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
	t.order(nil, []OrderStatus{OrderCreated}, "status AUTHORIZED is not requested")
	t.order(nil, []OrderStatus{OrderAuthorized}, "status AUTHORIZED is requested")
	t.financing(nil, []FinancingStatus{FinancingNone}, "")
	t.of("order.update", "change fields")
	t.order([]OrderStatus{OrderCreated, OrderAuthorized}, nil, "")
	t.order([]OrderStatus{OrderCaptured, OrderCanceled, OrderReturned}, nil, "only merchant_status and metadata change")
	t.of("order.update", "authorize")
	t.order([]OrderStatus{OrderCreated}, []OrderStatus{OrderAuthorized}, "")
	t.of("order.update", "capture")
	t.order([]OrderStatus{OrderAuthorized}, []OrderStatus{OrderCaptured}, "")
	t.loan([]FinancingStatus{FinancingNone})
	t.of("order.update", "cancel")
	t.order([]OrderStatus{OrderCreated, OrderAuthorized}, []OrderStatus{OrderCanceled}, "")
	t.of("order.partial", "capture part of an order")
	t.order([]OrderStatus{OrderAuthorized}, nil, "the order a part is captured from")
	t.order(nil, []OrderStatus{OrderCaptured}, "the part, as a separate order")
	t.loan(nil)
	t.of("order.extend", "extend an authorization")
	t.order([]OrderStatus{OrderAuthorized}, nil, "")
}

// loan is what a capture makes.
func (t *statusTable) loan(before []FinancingStatus) {
	t.financing(before, []FinancingStatus{FinancingActive}, "")
	t.invoice(nil, []InvoiceStatus{InvoiceOpen}, "")
}

func (t *statusTable) companies() {
	open := []CompanyStatus{CompanyPending, CompanyApproved, CompanyDeclined, CompanyOnHold, CompanySuspended}
	t.of("company.create", "create a company")
	t.company(nil, open, "as asked for")
	t.of("company.update", "hold a company")
	t.company([]CompanyStatus{CompanyApproved}, []CompanyStatus{CompanyOnHold}, "")
	t.of("company.update", "release a company")
	t.company([]CompanyStatus{CompanyOnHold, CompanySuspended}, []CompanyStatus{CompanyApproved}, "")
	t.of("company.update", "close a company")
	t.company(open, []CompanyStatus{CompanyClosed}, "")
	t.of("screening.record", "a name matches a sanctions list")
	t.company([]CompanyStatus{CompanyApproved}, []CompanyStatus{CompanyOnHold}, "")
	t.of("screening.decide", "decide a screening")
	t.company([]CompanyStatus{CompanyOnHold}, []CompanyStatus{CompanyApproved}, "it is cleared")
	t.company([]CompanyStatus{CompanyPending, CompanyDeclined, CompanyOnHold}, []CompanyStatus{CompanySuspended}, "it is confirmed")
	t.company([]CompanyStatus{CompanySuspended}, []CompanyStatus{CompanyOnHold}, "it had been confirmed, and is cleared")
}
