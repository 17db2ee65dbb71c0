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
	t.payment(nil, []PaymentStatus{PaymentScheduled}, "it is a scheduled debit")
	t.order(lent(), nil, "the payment names the order or its invoice")
	t.loans()
	t.of("receipt.identify", "identify a receipt")
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
	t.payment(nil, []PaymentStatus{PaymentPending}, "credit from a merchant refund is sent back, as a payment OUT")
	t.refunds()
	t.of("payment.free_held", "release what a merchant remitted")
	t.company([]CompanyStatus{CompanySuspended}, []CompanyStatus{CompanyApproved}, "only payments reported by a merchant kept it from being past due")
	t.of("credit.service", "send back credit when due")
	t.payment(nil, []PaymentStatus{PaymentPending}, "credit from a merchant refund is sent back, as a payment OUT")
	t.refunds()
	t.of("fee.waive", "waive a fee")
	t.loans()
	t.of("order.hold", "dispute hold")
	t.loans()
	t.of("order.revise", "revise a schedule")
	t.payment([]PaymentStatus{PaymentScheduled}, []PaymentStatus{PaymentCanceled}, "a retry's items change")
	t.loans()
	t.of("company.autopay", "change autopay, or how credit is applied")
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
	t.payment(refundable, []PaymentStatus{PaymentRefunded}, "nothing is left of it")
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
	t.company(trusted, append(trusted, CompanyOnHold), "depending on how far past due its orders are; on hold if nothing is past due and a screening is open")
}

// rails is what time, banks and processors bring to payments.
func (t *statusTable) rails() {
	t.of("transfer.service", "send, settle, release")
	t.payment([]PaymentStatus{PaymentScheduled}, []PaymentStatus{PaymentPending}, "the cutoff of its file has come")
	t.payment([]PaymentStatus{PaymentScheduled, PaymentPending}, []PaymentStatus{PaymentCanceled}, "it can no longer be sent")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentSucceeded}, "its settlement date has come")
	t.loans()
	t.of("order.resume", "resume collection")
	t.payment(nil, []PaymentStatus{PaymentPending}, "a corrected entry goes with today's file")
	t.payment(nil, []PaymentStatus{PaymentScheduled}, "a corrected entry goes with a later file")
	t.loans()
	t.of("transfer.reject", "a bank rejects a transfer")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentFailed}, "")
	t.retries()
	t.of("transfer.return", "a transfer is returned")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentFailed}, "it had not settled yet")
	t.payment(arrived(), []PaymentStatus{PaymentReturned}, "it had settled")
	t.retries()
	t.of("card.complete", "a processor answers")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentSucceeded}, "the charge is captured")
	t.payment([]PaymentStatus{PaymentPending}, []PaymentStatus{PaymentFailed}, "the card is declined")
	t.payment(nil, []PaymentStatus{PaymentScheduled}, "a declined card is charged again on a later day")
	t.loans()
	t.of("card.dispute", "a chargeback, or a won dispute")
	t.payment(arrived(), []PaymentStatus{PaymentReturned}, "a chargeback")
	t.payment([]PaymentStatus{PaymentReturned}, arrived(), "the dispute is won: as it was before")
	t.loans()
}

// retries is what follows a debit that did not hold.
func (t *statusTable) retries() {
	t.payment(nil, []PaymentStatus{PaymentPending}, "the debit is retried with today's file")
	t.payment(nil, []PaymentStatus{PaymentScheduled}, "the debit is retried on a later day")
	t.company([]CompanyStatus{CompanyApproved}, []CompanyStatus{CompanySuspended}, "by the code, or the second returned debit in 60 days")
	t.loans()
}

func (t *statusTable) methods() {
	usable := []MethodStatus{MethodUnverified, MethodActive}
	t.of("payment_method.add", "add a payment method")
	t.method(nil, []MethodStatus{MethodActive}, "the lender vouches for it, it is a card, or a sandbox test account")
	t.method(nil, []MethodStatus{MethodUnverified}, "micro-deposits or a prenote will verify it")
	t.of("payment_method.vouch", "vouch for a payment method")
	t.method([]MethodStatus{MethodUnverified}, []MethodStatus{MethodActive}, "the lender vouches for it, or the company consents to one whose prenote cleared")
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
	t.of("card.dispute", "a chargeback, or a won dispute")
	t.method([]MethodStatus{MethodActive}, []MethodStatus{MethodDisabled}, "the third that counts against the merchant that added it")
	t.of("payment_method.correct", "apply a bank's notification of change")
	t.method(usable, nil, "")
	t.of("transfer.reject", "a bank rejects a transfer")
	t.method(usable, []MethodStatus{MethodDisabled}, "the code says that the account cannot be debited")
	t.of("transfer.return", "a transfer is returned")
	t.method(usable, []MethodStatus{MethodDisabled}, "the code says that the account cannot be debited")
}

func (t *statusTable) payouts() {
	t.of("payout.run", "pay a merchant")
	t.payout(nil, []PayoutStatus{PayoutPending}, "")
	t.payout(nil, []PayoutStatus{PayoutSettled}, "nothing is left to be sent")
	t.of("transfer.service", "send, settle, release")
	t.payout([]PayoutStatus{PayoutPending}, []PayoutStatus{PayoutSent}, "the cutoff of its file has come")
	t.payout([]PayoutStatus{PayoutSent}, []PayoutStatus{PayoutSettled}, "its settlement date has come")
	t.of("transfer.reject", "a bank rejects a transfer")
	t.payout([]PayoutStatus{PayoutSent}, []PayoutStatus{PayoutFailed}, "")
	t.of("transfer.return", "a transfer is returned")
	t.payout([]PayoutStatus{PayoutSent, PayoutSettled}, []PayoutStatus{PayoutFailed}, "")
}
