// Package outcome lists the possible effects of each command: which events it emits, and which
// statuses it changes. Tests compare both tables with what commands do; the guides and the
// portal show them.
//
// events.go is the table of events; statuses.go, statuses_buyer.go and statuses_money.go are
// the table of statuses.
package outcome

import (
	"slices"

	"tenor/internal/domain/credit"
)

// EventRule lists which events one operation emits (EV1).
type EventRule struct {
	Command   string             // its name in the audit log
	Operation string             // what it did: one command may do several things
	Always    []credit.EventType // whenever it changes anything
	When      []ConditionalEvent // in addition, under a condition
}

// ConditionalEvent is an event that an operation emits under a condition.
type ConditionalEvent struct {
	Event     credit.EventType
	Condition string
}

// EventTable is the published table of operations and their events. A command
// that changes nothing, or is refused, emits none.
func EventTable() []EventRule {
	return slices.Concat(orderRules(), moneyRules(), railRules(), merchantRules(), accessRules(), staffRules(), buyerRules())
}

func buyerRules() []EventRule {
	line := ConditionalEvent{credit.CreditLineChangedEvent, "a member of the credit line changes"}
	ends := ConditionalEvent{credit.CheckoutCanceledEvent, "its checkout ends"}
	order := ConditionalEvent{credit.OrderCanceledEvent, "the order accepted in it ends with it"}
	company := []ConditionalEvent{
		{credit.CompanyCreatedEvent, "it is approved, and the company is new"},
		line,
	}
	decided := append(append([]ConditionalEvent{
		{credit.ApplicationDecidedEvent, "it is decided"},
		{credit.ApplicationUpdatedEvent, "it goes to review, waits for documents, or ends"},
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
			{credit.OrderUpdatedEvent, "it is for an existing order"},
			{credit.CheckoutCanceledEvent, "the last one for the same thing is replaced"},
			order,
		}},
		{"checkout.enter", "a buyer starts a checkout", nil, nil},
		{"checkout.accept", "a buyer accepts the terms", []credit.EventType{credit.CheckoutAcceptedEvent}, []ConditionalEvent{
			{credit.OrderCreatedEvent, "the order is new"},
			{credit.OrderUpdatedEvent, "the order was there before"},
			{credit.CompanyUpdatedEvent, "the company is linked to the merchant"},
		}},
		{"checkout.complete", "complete a checkout", []credit.EventType{credit.OrderAuthorizedEvent, credit.CreditLineChangedEvent}, nil},
		{"checkout.end", "expire a checkout", []credit.EventType{credit.CheckoutCanceledEvent}, []ConditionalEvent{order}},
		{"checkout.service", "expire a checkout by time", []credit.EventType{credit.CheckoutExpiredEvent}, []ConditionalEvent{order}},
		{"application.submit", "submit an application", []credit.EventType{credit.ApplicationSubmittedEvent}, nil},
		{"application.facts", "decide an application by policy", nil, decided},
		{"application.decide", "decide an application (staff)", []credit.EventType{credit.ApplicationDecidedEvent}, append(slices.Clone(company), ends)},
		{"application.request", "request documents from an applicant", []credit.EventType{credit.ApplicationUpdatedEvent}, nil},
		{"application.assign", "assign an application", nil, nil},
		{"application.withdraw", "withdraw an application", []credit.EventType{credit.ApplicationUpdatedEvent}, []ConditionalEvent{ends}},
		{"application.document", "add a document to an application", nil, []ConditionalEvent{{credit.ApplicationUpdatedEvent, "it was requested"}}},
		{"application.service", "daily run for an application", nil, append(decided, ConditionalEvent{credit.CheckoutExpiredEvent, "what was asked for has not come, and its checkout ends"})},
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
		{"webhook.test", "send a test event", []credit.EventType{credit.WebhookTestEvent}, nil},
		{"webhook.resend", "resend events", nil, nil},
	}
}

// EventTypes lists every type that some operation emits, sorted.
func EventTypes() []credit.EventType {
	var list []credit.EventType
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
	line := ConditionalEvent{credit.CreditLineChangedEvent, "a member of the credit line changes"}
	fields := ConditionalEvent{credit.OrderUpdatedEvent, "fields change in the same request"}
	return []EventRule{
		{"merchant.create", "create a merchant", nil, nil},
		{"program.add", "add a program version", nil, nil},
		{"company.create", "create a company", []credit.EventType{credit.CompanyCreatedEvent}, nil},
		{"company.update", "change a company", nil, []ConditionalEvent{
			{credit.CompanyUpdatedEvent, "its details, its tier or its links change"},
			{credit.CompanyStatusChangedEvent, "its status changes"},
			line,
		}},
		{"order.create", "create an order", []credit.EventType{credit.OrderCreatedEvent}, []ConditionalEvent{
			{credit.OrderAuthorizedEvent, "status AUTHORIZED is requested"},
			line,
		}},
		{"order.update", "change fields", []credit.EventType{credit.OrderUpdatedEvent}, []ConditionalEvent{line}},
		{"order.update", "authorize", []credit.EventType{credit.OrderAuthorizedEvent, credit.CreditLineChangedEvent}, []ConditionalEvent{
			fields,
			{credit.CheckoutCanceledEvent, "a buyer was asked but has not accepted"},
		}},
		{"order.update", "capture", []credit.EventType{credit.OrderCapturedEvent, credit.InvoiceIssuedEvent, credit.CreditLineChangedEvent}, []ConditionalEvent{fields}},
		{"order.update", "cancel", []credit.EventType{credit.OrderCanceledEvent}, []ConditionalEvent{
			fields,
			{credit.CreditLineChangedEvent, "the order was AUTHORIZED"},
			{credit.CheckoutCanceledEvent, "it had a checkout that had not ended"},
		}},
		{"order.partial", "capture part of an order", []credit.EventType{
			credit.OrderUpdatedEvent, credit.OrderCreatedEvent, credit.OrderCapturedEvent, credit.InvoiceIssuedEvent, credit.CreditLineChangedEvent,
		}, nil},
		{"order.extend", "extend an authorization", []credit.EventType{credit.OrderUpdatedEvent}, nil},
	}
}

func moneyRules() []EventRule {
	return []EventRule{
		{"order.service", "daily run", nil, append([]ConditionalEvent{
			{credit.PaymentScheduledEvent, "an autopay debit is built for a later file"},
			{credit.PaymentCreatedEvent, "an autopay debit is built"},
			{credit.AuthorizationExpiring, "5 days before the authorization ends, once for each end"},
			{credit.OrderCanceledEvent, "the authorization has ended"},
		}, LoanEvents()...)},
		{"order.refund", "refund an order", []credit.EventType{credit.OrderRefundedEvent}, append([]ConditionalEvent{
			{credit.OrderReturnedEvent, "refunds reach the captured amount"},
			{credit.ClawbackCreatedEvent, "the capture has been put into a payout"},
		}, LoanEvents()...)},
		{"payment.record", "record a payment", nil, append([]ConditionalEvent{
			{credit.PaymentScheduledEvent, "it is scheduled"},
			{credit.PaymentCreatedEvent, "it is not scheduled"},
			{credit.PaymentSucceededEvent, "it is money already received"},
		}, LoanEvents()...)},
		{"payment.refund", "refund a payment", []credit.EventType{credit.PaymentRefundedEvent}, LoanEvents()},
		{"payment.refund_pay", "pay a refund still owed", []credit.EventType{credit.PaymentRefundedEvent}, nil},
		{"payment.return", "return a payment", []credit.EventType{credit.PaymentReturnedEvent}, append([]ConditionalEvent{
			{credit.PaymentRefundedEvent, unsentRefund},
		}, LoanEvents()...)},
		{"payment.reverse", "reverse a debit", []credit.EventType{credit.PaymentReturnedEvent}, LoanEvents()},
		{"payment.cancel", "cancel a payment", []credit.EventType{credit.PaymentCanceledEvent}, LoanEvents()},
	}
}

// unsentRefund is the condition under which a returned payment emits events about its refunds.
const unsentRefund = "a refund of it was not sent yet"

// railRules are the rules of payment methods, autopay and transfers.
func railRules() []EventRule {
	company := ConditionalEvent{credit.CompanyUpdatedEvent, "the company's autopay changes"}
	retried := []ConditionalEvent{
		{credit.PaymentScheduledEvent, "the debit is retried on a later day"},
		{credit.CompanyStatusChangedEvent, "the company is suspended"},
		company,
	}
	return []EventRule{
		{"payment_method.add", "add a payment method", nil, nil},
		{"payment_method.remove", "remove a payment method", nil, []ConditionalEvent{company}},
		{"payment_method.verify", "verify a payment method", nil, nil},
		{"payment_method.correct", "apply a bank's notification of change", nil, nil},
		{"keys.reseal", "re-encrypt values with a new key", nil, nil},
		{"company.autopay", "change autopay, or how credit is applied", nil, append([]ConditionalEvent{
			{credit.CompanyUpdatedEvent, "the company's autopay or apply_credit_to_due changes"},
		}, LoanEvents()...)},
		{"order.autopay", "change autopay of an order", []credit.EventType{credit.OrderUpdatedEvent}, nil},
		{"transfer.service", "send, settle, release", nil, append([]ConditionalEvent{
			{credit.PaymentCreatedEvent, "a scheduled payment reached its date"},
			{credit.PaymentSucceededEvent, "a payment has settled"},
			{credit.PaymentCanceledEvent, "a debit is dropped"},
			{credit.PaymentRefundedEvent, "a refund has arrived"},
			{credit.PayoutSettledEvent, "a payout has settled"},
		}, LoanEvents()...)},
		{"transfer.same_day", "send by same-day settlement", nil, nil},
		{"transfer.reject", "a bank rejects a transfer", nil, slices.Concat([]ConditionalEvent{
			{credit.PaymentFailedEvent, "it was a payment's"},
			{credit.PaymentRefundedEvent, "it was a refund's, or " + unsentRefund},
			{credit.PayoutFailedEvent, "it was a payout's"},
		}, retried, LoanEvents())},
		{"transfer.return", "a transfer is returned", nil, slices.Concat([]ConditionalEvent{
			{credit.PaymentReturnedEvent, "a payment had settled"},
			{credit.PaymentFailedEvent, "a payment had not settled yet"},
			{credit.PaymentRefundedEvent, "it was a refund's, or " + unsentRefund},
			{credit.PaymentCreatedEvent, "the debit is retried with today's file"},
			{credit.PayoutFailedEvent, "it was a payout's"},
		}, retried, LoanEvents())},
		{"card.complete", "a processor answers", nil, append([]ConditionalEvent{
			{credit.PaymentSucceededEvent, "it has captured the charge"},
			{credit.PaymentFailedEvent, "it has declined"},
			{credit.PaymentRefundedEvent, "it was a refund's"},
			{credit.PaymentScheduledEvent, "a declined card is charged again on a later day"},
		}, LoanEvents()...)},
		{"card.settle", "a processor settles", nil, nil},
		{"card.dispute", "a chargeback, or a won dispute", nil, append([]ConditionalEvent{
			{credit.PaymentReturnedEvent, "a chargeback"},
			{credit.PaymentRefundedEvent, unsentRefund},
			{credit.PaymentSucceededEvent, "the dispute is won"},
			{credit.CompanyUpdatedEvent, "its cards are stopped"},
		}, LoanEvents()...)},
		{"credit.send", "send credit back", nil, append(creditEvents(), LoanEvents()...)},
		{"credit.service", "send back credit when due", nil, append(creditEvents(), LoanEvents()...)},
		{"payment.free_held", "release what a merchant remitted", nil, []ConditionalEvent{
			{credit.CreditLineChangedEvent, "principal was on hold"},
			{credit.CompanyStatusChangedEvent, "only what was reported had kept a suspended company from being late"},
		}},
		{"credit.ask", "request credit", nil, []ConditionalEvent{{credit.CompanyUpdatedEvent, "it had not been asked for"}}},
	}
}

func creditEvents() []ConditionalEvent {
	return []ConditionalEvent{
		{credit.PaymentCreatedEvent, "credit of a merchant's refund goes back"},
		{credit.PaymentRefundedEvent, "credit of a payment goes back"},
	}
}

// merchantRules are the rules of merchants' money, fees and the books.
func merchantRules() []EventRule {
	return []EventRule{
		{"merchant.account", "set a merchant's bank account", nil, nil},
		{"merchant.limits", "set a merchant's limits", nil, nil},
		{"merchant.shop", "set a merchant's shop", nil, nil},
		{"merchant.confirm_account", "confirm a merchant's bank account", nil, nil},
		{"merchant.cancel_account", "cancel a change of a merchant's bank account", nil, nil},
		{"merchant.hold_payouts", "hold or release payouts", nil, nil},
		{"payout.run", "pay a merchant", nil, []ConditionalEvent{
			{credit.PayoutCreatedEvent, "something that adds to a payout waits"},
			{credit.PayoutSettledEvent, "nothing is left to be sent"},
		}},
		{"payout.age", "debit or write off clawbacks", nil, nil},
		{"payout.remit", "a merchant remits", nil, nil},
		{"payout.pay_clawback", "a merchant pays clawbacks", nil, nil},
		{"fee.waive", "waive a fee", nil, LoanEvents()},
		{"order.hold", "dispute hold", nil, LoanEvents()},
		{"order.resume", "resume collection", nil, append([]ConditionalEvent{
			{credit.PaymentCreatedEvent, "a corrected entry goes with today's file"},
			{credit.PaymentScheduledEvent, "a corrected entry goes with a later file"},
		}, LoanEvents()...)},
		{"order.charge_off", "charge off", nil, append([]ConditionalEvent{{credit.CompanyStatusChangedEvent, "the company is suspended"}}, LoanEvents()...)},
		{"order.reverse_charge_off", "reverse a charge-off", nil, LoanEvents()},
		{"order.revise", "revise a schedule", nil, append([]ConditionalEvent{{credit.PaymentCanceledEvent, "a retry is dropped"}}, LoanEvents()...)},
		{"books.fund", "move the lender's cash", nil, nil},
		{"books.close", "close a month", nil, nil},
		{"notice.send", "send a notice", nil, nil},
		{"notice.ask", "request a notice's reasons", nil, nil},
		{"notice.forget", "erase a notice's content", nil, nil},
		{"lender.set", "change the lender's settings", nil, nil},
		{"books.provide", "post the loan loss reserve at month end", nil, nil},
		{"screening.record", "a name matches a sanctions list", nil, []ConditionalEvent{{credit.CompanyStatusChangedEvent, "the company was approved"}}},
		{"screening.decide", "decide a screening", nil, []ConditionalEvent{{credit.CompanyStatusChangedEvent, "the company is suspended, or its hold ends"}}},
		{"company.unfreeze", "unfreeze a closed company's money", nil, nil},
		{"company.report", "report bankruptcy or fraud", []credit.EventType{credit.CompanyUpdatedEvent}, nil},
		{"company.withdraw_report", "withdraw a report", []credit.EventType{credit.CompanyUpdatedEvent}, nil},
		{"payment_method.vouch", "vouch for a payment method", nil, nil},
		{"payment_method.authorize", "record a new authorization", nil, nil},
		{"receipt.record", "record an unidentified receipt", nil, nil},
		{"receipt.identify", "identify a receipt", []credit.EventType{credit.PaymentCreatedEvent, credit.PaymentSucceededEvent}, LoanEvents()},
		{"receipt.return", "record the return of a receipt", nil, nil},
	}
}

// LoanEvents are the events about loans; any command that moves money may emit them.
func LoanEvents() []ConditionalEvent {
	return []ConditionalEvent{
		{credit.OrderUpdatedEvent, "financing_status or collection_stopped changes and no other event of the order says so"},
		{credit.InstallmentDueEvent, "an installment is due and not paid"},
		{credit.InstallmentOverdueEvent, "an installment has become overdue"},
		{credit.InstallmentPaidEvent, "an installment is paid in full"},
		{credit.ScheduleUpdatedEvent, "an amount or a date of the schedule changes"},
		{credit.InvoicePaidEvent, "nothing is owed"},
		{credit.InvoicePastDueEvent, "the order has become overdue"},
		{credit.CompanyUpdatedEvent, "unapplied_credit changes"},
		{credit.CreditLineChangedEvent, "a member of the credit line changes"},
		{credit.CompanyStatusChangedEvent, "an order is so far past due that the company is suspended, or nothing is past due any more"},
	}
}
