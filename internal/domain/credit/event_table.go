package credit

import "slices"

// EventRule says which events one operation emits (EV1).
type EventRule struct {
	Command   string             // its word in the audit log
	Operation string             // what it did: the command may do several things
	Always    []EventType        // whenever it changes anything
	When      []ConditionalEvent // beside these, under a condition
}

// ConditionalEvent is an event that an operation emits under a condition.
type ConditionalEvent struct {
	Event     EventType
	Condition string
}

// EventTable is the published table of operations and their events. A command
// that changes nothing, or is refused, emits none.
func EventTable() []EventRule {
	return slices.Concat(orderRules(), moneyRules(), railRules(), merchantRules(), accessRules(), buyerRules())
}

func buyerRules() []EventRule {
	line := ConditionalEvent{CreditLineChangedEvent, "a member of the credit line changes"}
	ends := ConditionalEvent{CheckoutCanceledEvent, "its checkout ends"}
	order := ConditionalEvent{OrderCanceledEvent, "the order accepted in it ends with it"}
	company := []ConditionalEvent{
		{CompanyCreatedEvent, "it is approved, and the company is new"},
		line,
	}
	decided := append(append([]ConditionalEvent{
		{ApplicationDecidedEvent, "it is decided"},
		{ApplicationUpdatedEvent, "it goes to review, waits for documents, or ends"},
	}, company...), ends)
	return []EventRule{
		{"mail.queue", "queue an e-mail", nil, nil},
		{"mail.record", "record the outcome of an e-mail", nil, nil},
		{"person.prove", "verify an e-mail address", nil, nil},
		{"person.email", "change an e-mail address", nil, nil},
		{"person.language", "choose a language", nil, nil},
		{"person.name", "change a person's name", nil, nil},
		{"company.person", "change who acts for a company", nil, nil},
		{"person.answer", "accept an invitation, or leave a company", nil, nil},
		{"company.sign", "sign the master agreement", nil, nil},
		{"company.statement", "tell owners that a statement is ready", nil, nil},
		{"checkout.create", "create a checkout", nil, []ConditionalEvent{
			{OrderUpdatedEvent, "it is for an existing order"},
			{CheckoutCanceledEvent, "the last one for the same thing is replaced"},
			order,
		}},
		{"checkout.enter", "a buyer starts a checkout", nil, nil},
		{"checkout.accept", "a buyer accepts the terms", []EventType{CheckoutAcceptedEvent}, []ConditionalEvent{
			{OrderCreatedEvent, "the order is new"},
			{OrderUpdatedEvent, "the order was there before"},
			{CompanyUpdatedEvent, "the company is linked to the merchant"},
		}},
		{"checkout.complete", "complete a checkout", []EventType{OrderAuthorizedEvent, CreditLineChangedEvent}, nil},
		{"checkout.end", "expire a checkout", []EventType{CheckoutCanceledEvent}, []ConditionalEvent{order}},
		{"checkout.service", "expire a checkout by time", []EventType{CheckoutExpiredEvent}, []ConditionalEvent{order}},
		{"application.submit", "submit an application", []EventType{ApplicationSubmittedEvent}, nil},
		{"application.facts", "decide an application by policy", nil, decided},
		{"application.decide", "decide an application (staff)", []EventType{ApplicationDecidedEvent}, append(slices.Clone(company), ends)},
		{"application.request", "request documents from an applicant", []EventType{ApplicationUpdatedEvent}, nil},
		{"application.assign", "assign an application", nil, nil},
		{"application.withdraw", "withdraw an application", []EventType{ApplicationUpdatedEvent}, []ConditionalEvent{ends}},
		{"application.document", "add a document to an application", nil, []ConditionalEvent{{ApplicationUpdatedEvent, "it was requested"}}},
		{"application.service", "daily run for an application", nil, append(decided, ConditionalEvent{CheckoutExpiredEvent, "what was asked for has not come, and its checkout ends"})},
		{"application.prequalify", "estimate a credit line", nil, nil},
		{"application.notice", "record that an application's notice was sent", nil, nil},
		{"case.open", "open a case", nil, nil},
		{"case.note", "add a note to a case", nil, nil},
		{"case.document", "add a document to a case", nil, nil},
		{"case.resolve", "resolve or withdraw a case", nil, nil},
		{"case.service", "erase the texts of a case", nil, nil},
	}
}

func accessRules() []EventRule {
	return []EventRule{
		{"client.create", "create an API client", nil, nil},
		{"client.roll", "roll a client's secret", nil, nil},
		{"client.limit", "set a client's rate limit", nil, nil},
		{"client.revoke", "revoke a client", nil, nil},
		{"personal_data.read", "read personal data (a client of the lender)", nil, nil},
		{"token.issue", "give a client an access token", nil, nil},
		{"token.revoke", "revoke an access token", nil, nil},
		{"webhook.create", "create an endpoint", nil, nil},
		{"webhook.update", "change an endpoint", nil, nil},
		{"webhook.rotate", "rotate a signing secret", nil, nil},
		{"webhook.delete", "delete an endpoint", nil, nil},
		{"webhook.test", "send a test event", []EventType{WebhookTestEvent}, nil},
		{"webhook.resend", "resend events", nil, nil},
	}
}

// EventTypes lists every type that some operation emits, sorted.
func EventTypes() []EventType {
	var list []EventType
	for _, r := range EventTable() {
		list = append(list, r.Always...)
		for _, w := range r.When {
			list = append(list, w.Event)
		}
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func orderRules() []EventRule {
	line := ConditionalEvent{CreditLineChangedEvent, "a member of the credit line changes"}
	fields := ConditionalEvent{OrderUpdatedEvent, "fields change in the same request"}
	return []EventRule{
		{"merchant.create", "create a merchant", nil, nil},
		{"program.add", "add a program version", nil, nil},
		{"company.create", "create a company", []EventType{CompanyCreatedEvent}, nil},
		{"company.update", "change a company", nil, []ConditionalEvent{
			{CompanyUpdatedEvent, "its details, its tier or its links change"},
			{CompanyStatusChangedEvent, "its status changes"},
			line,
		}},
		{"order.create", "create an order", []EventType{OrderCreatedEvent}, []ConditionalEvent{
			{OrderAuthorizedEvent, "status AUTHORIZED is requested"},
			line,
		}},
		{"order.update", "change fields", []EventType{OrderUpdatedEvent}, []ConditionalEvent{line}},
		{"order.update", "authorize", []EventType{OrderAuthorizedEvent, CreditLineChangedEvent}, []ConditionalEvent{
			fields,
			{CheckoutCanceledEvent, "a buyer was asked but has not accepted"},
		}},
		{"order.update", "capture", []EventType{OrderCapturedEvent, InvoiceIssuedEvent, CreditLineChangedEvent}, []ConditionalEvent{fields}},
		{"order.update", "cancel", []EventType{OrderCanceledEvent}, []ConditionalEvent{
			fields,
			{CreditLineChangedEvent, "the order was AUTHORIZED"},
			{CheckoutCanceledEvent, "it had a checkout that had not ended"},
		}},
		{"order.partial", "capture part of an order", []EventType{
			OrderUpdatedEvent, OrderCreatedEvent, OrderCapturedEvent, InvoiceIssuedEvent, CreditLineChangedEvent,
		}, nil},
		{"order.extend", "extend an authorization", []EventType{OrderUpdatedEvent}, nil},
	}
}

func moneyRules() []EventRule {
	return []EventRule{
		{"order.service", "daily run", nil, append([]ConditionalEvent{
			{PaymentScheduledEvent, "an autopay debit is built for a later file"},
			{PaymentCreatedEvent, "an autopay debit is built"},
			{AuthorizationExpiring, "5 days before the authorization ends, once for each end"},
			{OrderCanceledEvent, "the authorization has ended"},
		}, loanEvents()...)},
		{"order.refund", "refund an order", []EventType{OrderRefundedEvent}, append([]ConditionalEvent{
			{OrderReturnedEvent, "refunds reach the captured amount"},
			{ClawbackCreatedEvent, "the capture has been put into a payout"},
		}, loanEvents()...)},
		{"payment.record", "record a payment", nil, append([]ConditionalEvent{
			{PaymentScheduledEvent, "it is scheduled"},
			{PaymentCreatedEvent, "it is not scheduled"},
			{PaymentSucceededEvent, "it is money already received"},
		}, loanEvents()...)},
		{"payment.refund", "refund a payment", []EventType{PaymentRefundedEvent}, loanEvents()},
		{"payment.refund_pay", "pay a refund still owed", []EventType{PaymentRefundedEvent}, nil},
		{"payment.return", "return a payment", []EventType{PaymentReturnedEvent}, append([]ConditionalEvent{
			{PaymentRefundedEvent, unsentRefund},
		}, loanEvents()...)},
		{"payment.reverse", "reverse a debit", []EventType{PaymentReturnedEvent}, loanEvents()},
		{"payment.cancel", "cancel a payment", []EventType{PaymentCanceledEvent}, loanEvents()},
	}
}

// unsentRefund is when a payment that comes back tells of its refunds.
const unsentRefund = "a refund of it was not sent yet"

// railRules are those of payment methods, autopay and transfers.
func railRules() []EventRule {
	company := ConditionalEvent{CompanyUpdatedEvent, "the company's autopay changes"}
	retried := []ConditionalEvent{
		{PaymentScheduledEvent, "the debit is retried on a later day"},
		{CompanyStatusChangedEvent, "the company is suspended"},
		company,
	}
	return []EventRule{
		{"payment_method.add", "add a payment method", nil, nil},
		{"payment_method.remove", "remove a payment method", nil, []ConditionalEvent{company}},
		{"payment_method.verify", "verify a payment method", nil, nil},
		{"payment_method.correct", "apply a bank's notification of change", nil, nil},
		{"keys.reseal", "re-encrypt values with a new key", nil, nil},
		{"company.autopay", "change autopay, or how credit is applied", nil, append([]ConditionalEvent{
			{CompanyUpdatedEvent, "the company's autopay or apply_credit_to_due changes"},
		}, loanEvents()...)},
		{"order.autopay", "change autopay of an order", []EventType{OrderUpdatedEvent}, nil},
		{"transfer.service", "send, settle, release", nil, append([]ConditionalEvent{
			{PaymentCreatedEvent, "a scheduled payment reached its date"},
			{PaymentSucceededEvent, "a payment has settled"},
			{PaymentCanceledEvent, "a debit is dropped"},
			{PaymentRefundedEvent, "a refund has arrived"},
			{PayoutSettledEvent, "a payout has settled"},
		}, loanEvents()...)},
		{"transfer.same_day", "send by same-day settlement", nil, nil},
		{"transfer.reject", "a bank rejects a transfer", nil, slices.Concat([]ConditionalEvent{
			{PaymentFailedEvent, "it was a payment's"},
			{PaymentRefundedEvent, "it was a refund's, or " + unsentRefund},
			{PayoutFailedEvent, "it was a payout's"},
		}, retried, loanEvents())},
		{"transfer.return", "a transfer is returned", nil, slices.Concat([]ConditionalEvent{
			{PaymentReturnedEvent, "a payment had settled"},
			{PaymentFailedEvent, "a payment had not settled yet"},
			{PaymentRefundedEvent, "it was a refund's, or " + unsentRefund},
			{PaymentCreatedEvent, "the debit is retried with today's file"},
			{PayoutFailedEvent, "it was a payout's"},
		}, retried, loanEvents())},
		{"card.complete", "a processor answers", nil, append([]ConditionalEvent{
			{PaymentSucceededEvent, "it has captured the charge"},
			{PaymentFailedEvent, "it has declined"},
			{PaymentRefundedEvent, "it was a refund's"},
			{PaymentScheduledEvent, "a declined card is charged again on a later day"},
		}, loanEvents()...)},
		{"card.settle", "a processor settles", nil, nil},
		{"card.dispute", "a chargeback, or a won dispute", nil, append([]ConditionalEvent{
			{PaymentReturnedEvent, "a chargeback"},
			{PaymentRefundedEvent, unsentRefund},
			{PaymentSucceededEvent, "the dispute is won"},
			{CompanyUpdatedEvent, "its cards are stopped"},
		}, loanEvents()...)},
		{"credit.send", "send credit back", nil, append(creditEvents(), loanEvents()...)},
		{"credit.service", "send back credit when due", nil, append(creditEvents(), loanEvents()...)},
		{"payment.free_held", "release what a merchant remitted", nil, []ConditionalEvent{
			{CreditLineChangedEvent, "principal was on hold"},
			{CompanyStatusChangedEvent, "only what was reported had kept a suspended company from being late"},
		}},
		{"credit.ask", "request credit", nil, []ConditionalEvent{{CompanyUpdatedEvent, "it had not been asked for"}}},
	}
}

func creditEvents() []ConditionalEvent {
	return []ConditionalEvent{
		{PaymentCreatedEvent, "credit of a merchant's refund goes back"},
		{PaymentRefundedEvent, "credit of a payment goes back"},
	}
}

// merchantRules are those of the merchants' money, fees and the books.
func merchantRules() []EventRule {
	return []EventRule{
		{"merchant.account", "set a merchant's bank account", nil, nil},
		{"merchant.limits", "set a merchant's limits", nil, nil},
		{"merchant.shop", "set a merchant's shop", nil, nil},
		{"merchant.confirm_account", "confirm a merchant's bank account", nil, nil},
		{"merchant.cancel_account", "cancel a change of a merchant's bank account", nil, nil},
		{"merchant.hold_payouts", "hold or release payouts", nil, nil},
		{"payout.run", "pay a merchant", nil, []ConditionalEvent{
			{PayoutCreatedEvent, "something that adds to a payout waits"},
			{PayoutSettledEvent, "nothing is left to be sent"},
		}},
		{"payout.age", "debit or write off clawbacks", nil, nil},
		{"payout.remit", "a merchant remits", nil, nil},
		{"payout.pay_clawback", "a merchant pays clawbacks", nil, nil},
		{"fee.waive", "waive a fee", nil, loanEvents()},
		{"order.hold", "dispute hold", nil, loanEvents()},
		{"order.resume", "resume collection", nil, append([]ConditionalEvent{
			{PaymentCreatedEvent, "a corrected entry goes with today's file"},
			{PaymentScheduledEvent, "a corrected entry goes with a later file"},
		}, loanEvents()...)},
		{"order.charge_off", "charge off", nil, append([]ConditionalEvent{{CompanyStatusChangedEvent, "the company is suspended"}}, loanEvents()...)},
		{"order.reverse_charge_off", "reverse a charge-off", nil, loanEvents()},
		{"order.revise", "revise a schedule", nil, append([]ConditionalEvent{{PaymentCanceledEvent, "a retry is dropped"}}, loanEvents()...)},
		{"books.fund", "move the lender's cash", nil, nil},
		{"books.close", "close a month", nil, nil},
		{"notice.send", "send a notice", nil, nil},
		{"notice.ask", "request a notice's reasons", nil, nil},
		{"notice.forget", "erase a notice's content", nil, nil},
		{"lender.set", "change the lender's settings", nil, nil},
		{"books.provide", "post the loan loss reserve at month end", nil, nil},
		{"screening.record", "a name matches a sanctions list", nil, []ConditionalEvent{{CompanyStatusChangedEvent, "the company was approved"}}},
		{"screening.decide", "decide a screening", nil, []ConditionalEvent{{CompanyStatusChangedEvent, "the company is suspended, or its hold ends"}}},
		{"company.unfreeze", "unfreeze a closed company's money", nil, nil},
		{"company.report", "report bankruptcy or fraud", []EventType{CompanyUpdatedEvent}, nil},
		{"company.withdraw_report", "withdraw a report", []EventType{CompanyUpdatedEvent}, nil},
		{"payment_method.vouch", "vouch for a payment method", nil, nil},
		{"payment_method.authorize", "record a new authorization", nil, nil},
		{"receipt.record", "record an unidentified receipt", nil, nil},
		{"receipt.identify", "identify a receipt", []EventType{PaymentCreatedEvent, PaymentSucceededEvent}, loanEvents()},
		{"receipt.return", "record the return of a receipt", nil, nil},
	}
}

// loanEvents tell what has become of loans; any command that moves money may
// emit them.
func loanEvents() []ConditionalEvent {
	return []ConditionalEvent{
		{OrderUpdatedEvent, "financing_status or collection_stopped changes and no other event of the order says so"},
		{InstallmentDueEvent, "an installment is due and not paid"},
		{InstallmentOverdueEvent, "an installment has become overdue"},
		{InstallmentPaidEvent, "an installment is paid in full"},
		{ScheduleUpdatedEvent, "an amount or a date of the schedule changes"},
		{InvoicePaidEvent, "nothing is owed"},
		{InvoicePastDueEvent, "the order has become overdue"},
		{CompanyUpdatedEvent, "unapplied_credit changes"},
		{CreditLineChangedEvent, "a member of the credit line changes"},
		{CompanyStatusChangedEvent, "an order is so far past due that the company is suspended, or nothing is past due any more"},
	}
}
