package credit

// StatusRule says what one operation does to one status: which statuses it asks
// for, and which one follows.
type StatusRule struct {
	Command   string // its word in the audit log, as in EventTable
	Operation string // what it does: the command may do several things
	Object    string // order, payment, company or invoice
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
	t.money()
	t.companies()
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

func words[S ~string](list []S) []string {
	var out []string
	for _, s := range list {
		out = append(out, string(s))
	}
	return out
}

func (t *statusTable) orders() {
	t.of("order.create", "create an order")
	t.order(nil, []OrderStatus{OrderCreated}, "status AUTHORIZED is not asked for")
	t.order(nil, []OrderStatus{OrderAuthorized}, "status AUTHORIZED is asked for")
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
	t.of("order.partial", "capture a part")
	t.order([]OrderStatus{OrderAuthorized}, nil, "the order of which a part is captured")
	t.order(nil, []OrderStatus{OrderCaptured}, "the part, which is an order of its own")
	t.loan(nil)
	t.of("order.extend", "extend an authorization")
	t.order([]OrderStatus{OrderAuthorized}, nil, "")
}

// loan is what a capture makes.
func (t *statusTable) loan(before []FinancingStatus) {
	t.financing(before, []FinancingStatus{FinancingActive}, "")
	t.invoice(nil, []InvoiceStatus{InvoiceOpen}, "")
}

func (t *statusTable) money() {
	owing := []OrderStatus{OrderCaptured, OrderReturned}
	t.of("order.service", "daily run")
	t.order([]OrderStatus{OrderAuthorized}, []OrderStatus{OrderCanceled}, "the authorization has ended")
	t.order(owing, nil, "")
	t.loans()
	t.of("order.refund", "refund an order")
	t.order([]OrderStatus{OrderCaptured}, nil, "refunds stay below the captured amount")
	t.order([]OrderStatus{OrderCaptured}, []OrderStatus{OrderReturned}, "refunds reach the captured amount")
	t.loans()
	t.of("payment.record", "record a payment")
	t.payment(nil, []PaymentStatus{PaymentSucceeded}, "")
	t.order(owing, nil, "the payment names the order or its invoice")
	t.loans()
	t.of("payment.refund", "refund a payment")
	refundable := []PaymentStatus{PaymentSucceeded, PaymentPartiallyRefunded}
	t.payment(refundable, []PaymentStatus{PaymentPartiallyRefunded}, "some of it is left")
	t.payment(refundable, []PaymentStatus{PaymentRefunded}, "nothing of it is left")
	t.loans()
	t.of("payment.return", "return a payment")
	t.payment([]PaymentStatus{PaymentSucceeded, PaymentPartiallyRefunded, PaymentRefunded}, []PaymentStatus{PaymentReturned}, "")
	t.loans()
	t.of("payment.cancel", "cancel a payment")
	t.payment([]PaymentStatus{PaymentScheduled}, []PaymentStatus{PaymentCanceled}, "")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentCanceled}, "it has not been sent")
}

// loans is what may become of loans and of their invoices: they follow what is
// owed, whichever command moves money or is the first to notice that days passed.
func (t *statusTable) loans() {
	running := []FinancingStatus{FinancingActive, FinancingOverdue, FinancingPaidOff}
	t.financing(running, running, "as the loan stands then")
	issued := []InvoiceStatus{InvoiceOpen, InvoicePastDue, InvoicePaid, InvoiceVoid}
	t.invoice(issued, issued, "as the loan stands then")
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
}
