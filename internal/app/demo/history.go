package demo

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	fakebank "tenor/internal/ports/rails/fake"
)

// HistoryMonths is how long the demo's history is.
const HistoryMonths = 14

// formerCompany is a company from the demo's history, in which some have already left.
type formerCompany struct {
	id      int64
	name    string
	account string // at the sandbox's bank, whose number determines how debits end; "": none
	ends    credit.CompanyStatus
	code    string // why, if its final status is not approved
	// Orders, starting on a day of the history, every so many days.
	first, every, orders int
}

// formerCompanies has two for each status. Those that ended well or badly bought before.
func formerCompanies() []formerCompany {
	const slow, bounces, disputes = "300000009", "100000001", "200000010"
	return []formerCompany{
		{1000000101, "Maple Hardware", fakebank.Account, credit.CompanyApproved, "", 5, 27, 16},
		{1000000102, "Larch Logistics", fakebank.Account, credit.CompanyApproved, "", 16, 27, 16},
		{1000000103, "Osage Marine", "", credit.CompanyPending, "in_review", 0, 0, 0},
		{1000000104, "Poplar Pets", "", credit.CompanyPending, "documents_requested", 0, 0, 0},
		{1000000105, "Quince Florists", "", credit.CompanyDeclined, "insufficient_time_in_business", 0, 0, 0},
		{1000000106, "Rowan Motors", "", credit.CompanyDeclined, "insufficient_time_in_business", 0, 0, 0},
		{1000000107, "Sequoia Events", slow, credit.CompanyOnHold, "manual_hold", 20, 48, 8},
		{1000000108, "Tamarack Tours", fakebank.Account, credit.CompanyOnHold, "manual_hold", 33, 47, 8},
		{1000000109, "Upas Drafting", bounces, credit.CompanySuspended, "", 8, 6, 4},
		{1000000110, "Viburnum Cafe", disputes, credit.CompanySuspended, "account_review", 15, 10, 4},
		{1000000111, "Willow Bindery", fakebank.Account, credit.CompanyClosed, "closed_by_request", 40, 60, 2},
		{1000000112, "Yew Tree Press", fakebank.Account, credit.CompanyClosed, "closed_by_request", 60, 60, 2},
	}
}

// fate is what happens to a past order, other than being captured the next day and paid by
// autopay.
type fate struct {
	keep   credit.OrderStatus // its final status; "" if it is captured
	cancel bool               // a day later
	of     int                // installments; 0: random
	after  int                // days from the capture to act
	act    func(o *credit.Order, payoff money.Amount) credit.Command
}

// fates returns those of some orders, by company and number.
func fates() map[int64]map[int]fate {
	all := func(o *credit.Order, _ money.Amount) credit.Command {
		return lending.RefundOrder{Order: o.Key, Reason: "returned"}
	}
	part := func(o *credit.Order, _ money.Amount) credit.Command {
		amount := o.Captured / 10
		return lending.RefundOrder{Order: o.Key, Amount: &amount, Reason: "damaged"}
	}
	wire := func(o *credit.Order, payoff money.Amount) credit.Command {
		return payments.RecordPayment{Order: o.Key, Amount: payoff, Method: credit.Wire, ScheduledDate: calendar.None, EffectiveDate: calendar.None, Reference: "payoff " + o.MerchantOrderID}
	}
	some := func(o *credit.Order, _ money.Amount) credit.Command {
		return payments.RecordPayment{Order: o.Key, Amount: o.Captured / 9, Method: credit.Check, ScheduledDate: calendar.None, EffectiveDate: calendar.None}
	}
	manual := func(o *credit.Order, _ money.Amount) credit.Command {
		return payments.SetOrderAutopay{Order: o.Key}
	}
	lost := func(o *credit.Order, _ money.Amount) credit.Command {
		return lending.ChargeOffOrder{Order: o.Key, Reason: "insolvent"}
	}
	return map[int64]map[int]fate{
		1000000101: {
			0: {after: 12, act: part}, 1: {cancel: true}, 2: {keep: credit.OrderAuthorized}, 3: {after: 6, act: all},
			14: {after: 1, act: manual}, 15: {keep: credit.OrderAuthorized},
		},
		1000000102: {2: {cancel: true}, 5: {after: 40, act: wire}, 7: {after: 3, act: all}, 13: {keep: credit.OrderCreated}, 14: {of: 6, after: 1, act: manual}, 15: {keep: credit.OrderAuthorized}},
		1000000107: {7: {after: 66, act: some}},
		1000000108: {3: {after: 25, act: part}, 7: {keep: credit.OrderCreated}},
		1000000109: {0: {after: 200, act: lost}, 1: {after: 200, act: lost}},
		1000000111: {0: {after: 20, act: wire}, 1: {after: 30, act: wire}},
		1000000112: {0: {after: 45, act: wire}, 1: {after: 4, act: all}},
	}
}
