package outcome

import "tenor/internal/domain/credit"

// lent are the orders on which something can be owed.
func lent() []credit.OrderStatus {
	return []credit.OrderStatus{credit.OrderCaptured, credit.OrderReturned}
}

// arrived are the payments whose money has arrived, including those since given back.
func arrived() []credit.PaymentStatus {
	return []credit.PaymentStatus{credit.PaymentSucceeded, credit.PaymentPartiallyRefunded, credit.PaymentRefunded}
}

// money is what people's commands and the daily run do to what is owed.
func (t *statusTable) money() {
	t.of("order.service", "daily run")
	t.order([]credit.OrderStatus{credit.OrderAuthorized}, []credit.OrderStatus{credit.OrderCanceled}, "the authorization has ended")
	t.order(lent(), nil, "")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentPending}, "an autopay debit is built for today's file")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentScheduled}, "an autopay debit is built for a later day")
	t.loans()
	t.of("order.refund", "refund an order")
	t.order([]credit.OrderStatus{credit.OrderCaptured}, nil, "refunds stay below the captured amount")
	t.order([]credit.OrderStatus{credit.OrderCaptured}, []credit.OrderStatus{credit.OrderReturned}, "refunds reach the captured amount")
	t.loans()
	t.of("payment.record", "record a payment")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentSucceeded}, "it is money already received")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentPending}, "it is a debit for today's file, or a card is charged at once")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentScheduled}, "it is a scheduled debit")
	t.order(lent(), nil, "the payment names the order or its invoice")
	t.loans()
	t.of("receipt.identify", "identify a receipt")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentSucceeded}, "")
	t.order(lent(), nil, "the receipt was for the order or its invoice")
	t.loans()
	t.of("payment.refund", "refund a payment")
	t.refunds()
	t.of("payment.return", "return a payment")
	t.payment(arrived(), []credit.PaymentStatus{credit.PaymentReturned}, "")
	t.loans()
	t.of("payment.reverse", "reverse a debit")
	t.payment([]credit.PaymentStatus{credit.PaymentSucceeded}, []credit.PaymentStatus{credit.PaymentReturned}, "")
	t.loans()
	t.of("payment.cancel", "cancel a payment")
	t.payment([]credit.PaymentStatus{credit.PaymentScheduled}, []credit.PaymentStatus{credit.PaymentCanceled}, "")
	t.payment([]credit.PaymentStatus{credit.PaymentPending}, []credit.PaymentStatus{credit.PaymentCanceled}, "it has not been sent")
	t.loans()
	t.of("credit.send", "send credit back")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentPending}, "credit from a merchant refund is sent back, as a payment OUT")
	t.refunds()
	t.of("payment.free_held", "release what a merchant remitted")
	t.company([]credit.CompanyStatus{credit.CompanySuspended}, []credit.CompanyStatus{credit.CompanyApproved}, "only payments reported by a merchant kept it from being past due")
	t.of("credit.service", "send back credit when due")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentPending}, "credit from a merchant refund is sent back, as a payment OUT")
	t.refunds()
	t.of("fee.waive", "waive a fee")
	t.loans()
	t.of("order.hold", "dispute hold")
	t.loans()
	t.of("order.revise", "revise a schedule")
	t.payment([]credit.PaymentStatus{credit.PaymentScheduled}, []credit.PaymentStatus{credit.PaymentCanceled}, "a retry's items change")
	t.loans()
	t.of("company.autopay", "change autopay, or how credit is applied")
	t.loans()
	t.of("order.charge_off", "charge off")
	t.financing([]credit.FinancingStatus{credit.FinancingActive, credit.FinancingOverdue}, []credit.FinancingStatus{credit.FinancingChargedOff}, "")
	t.company([]credit.CompanyStatus{credit.CompanyApproved}, []credit.CompanyStatus{credit.CompanySuspended}, "")
	t.loans()
	t.of("order.reverse_charge_off", "reverse a charge-off")
	t.loans()
	t.financing([]credit.FinancingStatus{credit.FinancingChargedOff, credit.FinancingPaidOff}, []credit.FinancingStatus{credit.FinancingActive, credit.FinancingOverdue, credit.FinancingPaidOff}, "as the loan stands without it")
}

// refunds is what happens to a payment when money of it is refunded.
func (t *statusTable) refunds() {
	refundable := []credit.PaymentStatus{credit.PaymentSucceeded, credit.PaymentPartiallyRefunded}
	t.payment(refundable, []credit.PaymentStatus{credit.PaymentPartiallyRefunded}, "some of it is left")
	t.payment(refundable, []credit.PaymentStatus{credit.PaymentRefunded}, "nothing is left of it")
	t.loans()
}

// loans is what may happen to loans, their invoices and the company: they follow what is owed,
// whichever command moves money or is the first to notice that days passed.
func (t *statusTable) loans() {
	running := []credit.FinancingStatus{credit.FinancingActive, credit.FinancingOverdue, credit.FinancingPaidOff}
	t.financing(running, running, "as the loan stands then")
	lost := []credit.FinancingStatus{credit.FinancingChargedOff, credit.FinancingPaidOff}
	t.financing(lost, lost, "as the loan stands then, if it was charged off")
	issued := []credit.InvoiceStatus{credit.InvoiceOpen, credit.InvoicePastDue, credit.InvoicePaid, credit.InvoiceVoid}
	t.invoice(issued, issued, "as the loan stands then")
	trusted := []credit.CompanyStatus{credit.CompanyApproved, credit.CompanySuspended}
	t.company(trusted, append(trusted, credit.CompanyOnHold), "depending on how far past due its orders are; on hold if nothing is past due and a screening is open")
}

// rails is what time, banks and processors do to payments.
func (t *statusTable) rails() {
	t.of("transfer.service", "send, settle, release")
	t.payment([]credit.PaymentStatus{credit.PaymentScheduled}, []credit.PaymentStatus{credit.PaymentPending}, "the cutoff of its file has come")
	t.payment([]credit.PaymentStatus{credit.PaymentScheduled, credit.PaymentPending}, []credit.PaymentStatus{credit.PaymentCanceled}, "it can no longer be sent")
	t.payment([]credit.PaymentStatus{credit.PaymentPending}, []credit.PaymentStatus{credit.PaymentSucceeded}, "its settlement date has come")
	t.loans()
	t.of("order.resume", "resume collection")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentPending}, "a corrected entry goes with today's file")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentScheduled}, "a corrected entry goes with a later file")
	t.loans()
	t.of("transfer.reject", "a bank rejects a transfer")
	t.payment([]credit.PaymentStatus{credit.PaymentPending}, []credit.PaymentStatus{credit.PaymentFailed}, "")
	t.retries()
	t.of("transfer.return", "a transfer is returned")
	t.payment([]credit.PaymentStatus{credit.PaymentPending}, []credit.PaymentStatus{credit.PaymentFailed}, "it had not settled yet")
	t.payment(arrived(), []credit.PaymentStatus{credit.PaymentReturned}, "it had settled")
	t.retries()
	t.of("card.complete", "a processor answers")
	t.payment([]credit.PaymentStatus{credit.PaymentPending}, []credit.PaymentStatus{credit.PaymentSucceeded}, "the charge is captured")
	t.payment([]credit.PaymentStatus{credit.PaymentPending}, []credit.PaymentStatus{credit.PaymentFailed}, "the card is declined")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentScheduled}, "a declined card is charged again on a later day")
	t.loans()
	t.of("card.dispute", "a chargeback, or a won dispute")
	t.payment(arrived(), []credit.PaymentStatus{credit.PaymentReturned}, "a chargeback")
	t.payment([]credit.PaymentStatus{credit.PaymentReturned}, arrived(), "the dispute is won: as it was before")
	t.loans()
}

// retries is what follows a debit that came back.
func (t *statusTable) retries() {
	t.payment(nil, []credit.PaymentStatus{credit.PaymentPending}, "the debit is retried with today's file")
	t.payment(nil, []credit.PaymentStatus{credit.PaymentScheduled}, "the debit is retried on a later day")
	t.company([]credit.CompanyStatus{credit.CompanyApproved}, []credit.CompanyStatus{credit.CompanySuspended}, "by the code, or the second returned debit in 60 days")
	t.loans()
}

func (t *statusTable) methods() {
	usable := []credit.MethodStatus{credit.MethodUnverified, credit.MethodActive}
	t.of("payment_method.add", "add a payment method")
	t.method(nil, []credit.MethodStatus{credit.MethodActive}, "the lender vouches for it, it is a card, or a sandbox test account")
	t.method(nil, []credit.MethodStatus{credit.MethodUnverified}, "micro-deposits or a prenote will verify it")
	t.of("payment_method.vouch", "vouch for a payment method")
	t.method([]credit.MethodStatus{credit.MethodUnverified}, []credit.MethodStatus{credit.MethodActive}, "the lender vouches for it, or the company consents to one whose prenote cleared")
	t.method(usable, nil, "")
	t.of("payment_method.verify", "verify a payment method")
	t.method([]credit.MethodStatus{credit.MethodUnverified}, []credit.MethodStatus{credit.MethodActive}, "the amounts are right")
	t.method([]credit.MethodStatus{credit.MethodUnverified}, []credit.MethodStatus{credit.MethodDisabled}, "the amounts are wrong for the third time, or ten days have passed")
	t.of("transfer.service", "send, settle, release")
	t.method([]credit.MethodStatus{credit.MethodUnverified}, []credit.MethodStatus{credit.MethodActive}, "the days after its prenote have passed, and the company has consented to it")
	t.of("payment_method.authorize", "record a new authorization")
	t.method(usable, nil, "")
	t.of("payment_method.remove", "remove a payment method")
	t.method(usable, []credit.MethodStatus{credit.MethodDisabled}, "")
	t.of("payment.reverse", "reverse a debit")
	t.method([]credit.MethodStatus{credit.MethodActive}, []credit.MethodStatus{credit.MethodDisabled}, "it was debited for somebody else")
	t.of("card.dispute", "a chargeback, or a won dispute")
	t.method([]credit.MethodStatus{credit.MethodActive}, []credit.MethodStatus{credit.MethodDisabled}, "the third that counts against the merchant that added it")
	t.of("payment_method.correct", "apply a bank's notification of change")
	t.method(usable, nil, "")
	t.of("transfer.reject", "a bank rejects a transfer")
	t.method(usable, []credit.MethodStatus{credit.MethodDisabled}, "the code says that the account cannot be debited")
	t.of("transfer.return", "a transfer is returned")
	t.method(usable, []credit.MethodStatus{credit.MethodDisabled}, "the code says that the account cannot be debited")
}

func (t *statusTable) payouts() {
	t.of("payout.run", "pay a merchant")
	t.payout(nil, []credit.PayoutStatus{credit.PayoutPending}, "")
	t.payout(nil, []credit.PayoutStatus{credit.PayoutSettled}, "nothing is left to be sent")
	t.of("transfer.service", "send, settle, release")
	t.payout([]credit.PayoutStatus{credit.PayoutPending}, []credit.PayoutStatus{credit.PayoutSent}, "the cutoff of its file has come")
	t.payout([]credit.PayoutStatus{credit.PayoutSent}, []credit.PayoutStatus{credit.PayoutSettled}, "its settlement date has come")
	t.of("transfer.reject", "a bank rejects a transfer")
	t.payout([]credit.PayoutStatus{credit.PayoutSent}, []credit.PayoutStatus{credit.PayoutFailed}, "")
	t.of("transfer.return", "a transfer is returned")
	t.payout([]credit.PayoutStatus{credit.PayoutSent, credit.PayoutSettled}, []credit.PayoutStatus{credit.PayoutFailed}, "")
}
