package credit

// lent are the orders on which money can be owed.
func lent() []OrderStatus { return []OrderStatus{OrderCaptured, OrderReturned} }

// arrived are the payments whose money is there, or was and has been given back.
func arrived() []PaymentStatus {
	return []PaymentStatus{PaymentSucceeded, PaymentPartiallyRefunded, PaymentRefunded}
}

// money is what commands of people and the daily run do to what is owed.
func (t *statusTable) money() {
	t.of("order.service", "daily run")
	t.order([]OrderStatus{OrderAuthorized}, []OrderStatus{OrderCanceled}, "the authorization has ended")
	t.order(lent(), nil, "")
	t.payment(nil, []PaymentStatus{PaymentPending}, "an autopay debit is built for today's file")
	t.payment(nil, []PaymentStatus{PaymentScheduled}, "an autopay debit is built for a later day")
	t.loans()
	t.of("order.refund", "refund an order")
	t.order([]OrderStatus{OrderCaptured}, nil, "refunds stay below the captured amount")
	t.order([]OrderStatus{OrderCaptured}, []OrderStatus{OrderReturned}, "refunds reach the captured amount")
	t.loans()
	t.of("payment.record", "record a payment")
	t.payment(nil, []PaymentStatus{PaymentSucceeded}, "it is money already received")
	t.payment(nil, []PaymentStatus{PaymentPending}, "it is a debit for today's file, or a card is charged at once")
	t.payment(nil, []PaymentStatus{PaymentScheduled}, "it is a debit that waits for its day")
	t.order(lent(), nil, "the payment names the order or its invoice")
	t.loans()
	t.of("receipt.identify", "say whose a receipt was")
	t.payment(nil, []PaymentStatus{PaymentSucceeded}, "")
	t.order(lent(), nil, "the receipt was for the order or its invoice")
	t.loans()
	t.of("payment.refund", "refund a payment")
	t.refunds()
	t.of("payment.return", "return a payment")
	t.payment(arrived(), []PaymentStatus{PaymentReturned}, "")
	t.loans()
	t.of("payment.reverse", "reverse a debit")
	t.payment([]PaymentStatus{PaymentSucceeded}, []PaymentStatus{PaymentReturned}, "")
	t.loans()
	t.of("payment.cancel", "cancel a payment")
	t.payment([]PaymentStatus{PaymentScheduled}, []PaymentStatus{PaymentCanceled}, "")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentCanceled}, "it has not been sent")
	t.loans()
	t.of("credit.send", "send credit back")
	t.payment(nil, []PaymentStatus{PaymentPending}, "credit of a merchant's refund goes back, as a payment OUT")
	t.refunds()
	t.of("payment.free_held", "free what a merchant has paid in")
	t.company([]CompanyStatus{CompanySuspended}, []CompanyStatus{CompanyApproved}, "only what a merchant had reported kept it from being late")
	t.of("credit.service", "send credit back that is due")
	t.payment(nil, []PaymentStatus{PaymentPending}, "credit of a merchant's refund goes back, as a payment OUT")
	t.refunds()
	t.of("fee.waive", "waive a fee")
	t.loans()
	t.of("order.hold", "dispute hold")
	t.loans()
	t.of("order.revise", "change a schedule")
	t.payment([]PaymentStatus{PaymentScheduled}, []PaymentStatus{PaymentCanceled}, "a retry's items change")
	t.loans()
	t.of("company.autopay", "switch autopay, or what credit pays")
	t.loans()
	t.of("order.charge_off", "charge off")
	t.financing([]FinancingStatus{FinancingActive, FinancingOverdue}, []FinancingStatus{FinancingChargedOff}, "")
	t.company([]CompanyStatus{CompanyApproved}, []CompanyStatus{CompanySuspended}, "")
	t.loans()
	t.of("order.reverse_charge_off", "reverse a charge-off")
	t.loans()
	t.financing([]FinancingStatus{FinancingChargedOff, FinancingPaidOff}, []FinancingStatus{FinancingActive, FinancingOverdue, FinancingPaidOff}, "as the loan stands without it")
}

// refunds is what becomes of a payment of which money goes back.
func (t *statusTable) refunds() {
	refundable := []PaymentStatus{PaymentSucceeded, PaymentPartiallyRefunded}
	t.payment(refundable, []PaymentStatus{PaymentPartiallyRefunded}, "some of it is left")
	t.payment(refundable, []PaymentStatus{PaymentRefunded}, "nothing of it is left")
	t.loans()
}

// loans is what may become of loans, of their invoices and of the company: they
// follow what is owed, whichever command moves money or is the first to notice that
// days passed.
func (t *statusTable) loans() {
	running := []FinancingStatus{FinancingActive, FinancingOverdue, FinancingPaidOff}
	t.financing(running, running, "as the loan stands then")
	lost := []FinancingStatus{FinancingChargedOff, FinancingPaidOff}
	t.financing(lost, lost, "as the loan stands then, if it was charged off")
	issued := []InvoiceStatus{InvoiceOpen, InvoicePastDue, InvoicePaid, InvoiceVoid}
	t.invoice(issued, issued, "as the loan stands then")
	trusted := []CompanyStatus{CompanyApproved, CompanySuspended}
	t.company(trusted, append(trusted, CompanyOnHold), "as late as its orders are then; on hold if none is late any more and a name of it is looked into")
}

// rails is what time, banks and processors bring to payments.
func (t *statusTable) rails() {
	t.of("transfer.service", "send, settle, release")
	t.payment([]PaymentStatus{PaymentScheduled}, []PaymentStatus{PaymentPending}, "the cut-off of its file has come")
	t.payment([]PaymentStatus{PaymentScheduled, PaymentPending}, []PaymentStatus{PaymentCanceled}, "it may not be sent any more")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentSucceeded}, "its settlement date has come")
	t.loans()
	t.of("order.resume", "resume collection")
	t.payment(nil, []PaymentStatus{PaymentPending}, "a corrected entry goes with today's file")
	t.payment(nil, []PaymentStatus{PaymentScheduled}, "a corrected entry goes with a later file")
	t.loans()
	t.of("transfer.reject", "a bank rejects a transfer")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentFailed}, "")
	t.retries()
	t.of("transfer.return", "a transfer comes back")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentFailed}, "it had not settled yet")
	t.payment(arrived(), []PaymentStatus{PaymentReturned}, "it had settled")
	t.retries()
	t.of("card.complete", "a processor answers")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentSucceeded}, "the charge is captured")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentFailed}, "the card is declined")
	t.payment(nil, []PaymentStatus{PaymentScheduled}, "a declined card is charged again on a later day")
	t.loans()
	t.of("card.dispute", "a chargeback, or its end")
	t.payment(arrived(), []PaymentStatus{PaymentReturned}, "a chargeback")
	t.payment([]PaymentStatus{PaymentReturned}, arrived(), "the dispute is won: as it was before")
	t.loans()
}

// retries is what follows a debit that did not hold.
func (t *statusTable) retries() {
	t.payment(nil, []PaymentStatus{PaymentPending}, "the debit is tried again with today's file")
	t.payment(nil, []PaymentStatus{PaymentScheduled}, "the debit is tried again on a later day")
	t.company([]CompanyStatus{CompanyApproved}, []CompanyStatus{CompanySuspended}, "by the code, or the second debit that came back in 60 days")
	t.loans()
}

func (t *statusTable) methods() {
	usable := []MethodStatus{MethodUnverified, MethodActive}
	t.of("payment_method.add", "add a payment method")
	t.method(nil, []MethodStatus{MethodActive}, "the operator vouches for it, it is a card, or a test account of a sandbox")
	t.method(nil, []MethodStatus{MethodUnverified}, "micro-deposits or a prenote are to prove it")
	t.of("payment_method.vouch", "vouch for a payment method")
	t.method([]MethodStatus{MethodUnverified}, []MethodStatus{MethodActive}, "the operator vouches for it, or the company consents to one whose prenote has passed")
	t.method(usable, nil, "")
	t.of("payment_method.verify", "verify a payment method")
	t.method([]MethodStatus{MethodUnverified}, []MethodStatus{MethodActive}, "the amounts are right")
	t.method([]MethodStatus{MethodUnverified}, []MethodStatus{MethodDisabled}, "the amounts are wrong for the third time, or ten days have passed")
	t.of("transfer.service", "send, settle, release")
	t.method([]MethodStatus{MethodUnverified}, []MethodStatus{MethodActive}, "the days after its prenote have passed, and the company has consented to it")
	t.of("payment_method.authorize", "record a new authorization")
	t.method(usable, nil, "")
	t.of("payment_method.remove", "remove a payment method")
	t.method(usable, []MethodStatus{MethodDisabled}, "")
	t.of("payment.reverse", "reverse a debit")
	t.method([]MethodStatus{MethodActive}, []MethodStatus{MethodDisabled}, "it was debited for somebody else")
	t.of("card.dispute", "a chargeback, or its end")
	t.method([]MethodStatus{MethodActive}, []MethodStatus{MethodDisabled}, "the third that counts against the merchant that added it")
	t.of("payment_method.correct", "apply a bank's notification of change")
	t.method(usable, nil, "")
	t.of("transfer.reject", "a bank rejects a transfer")
	t.method(usable, []MethodStatus{MethodDisabled}, "the code says that the account cannot be debited")
	t.of("transfer.return", "a transfer comes back")
	t.method(usable, []MethodStatus{MethodDisabled}, "the code says that the account cannot be debited")
}

func (t *statusTable) payouts() {
	t.of("payout.run", "pay a merchant")
	t.payout(nil, []PayoutStatus{PayoutPending}, "")
	t.payout(nil, []PayoutStatus{PayoutSettled}, "nothing is left to be sent")
	t.of("transfer.service", "send, settle, release")
	t.payout([]PayoutStatus{PayoutPending}, []PayoutStatus{PayoutSent}, "the cut-off of its file has come")
	t.payout([]PayoutStatus{PayoutSent}, []PayoutStatus{PayoutSettled}, "its settlement date has come")
	t.of("transfer.reject", "a bank rejects a transfer")
	t.payout([]PayoutStatus{PayoutSent}, []PayoutStatus{PayoutFailed}, "")
	t.of("transfer.return", "a transfer comes back")
	t.payout([]PayoutStatus{PayoutSent, PayoutSettled}, []PayoutStatus{PayoutFailed}, "")
}
