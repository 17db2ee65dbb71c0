package credit

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Rail is what a payment method can do. Code asks for capabilities and never for the method:
// adding a rail means adding a row, with no other code to change.
type Rail struct {
	Debit  bool // we move the money, by a transfer; otherwise it was delivered by hand and is final
	ByHand bool // it is delivered or sent outside of a rail

	// Sending and settlement.
	File      bool           // in a banking day's file; settles on the day that the file names
	Answer    bool           // sent to a processor at any hour, which answers at once and settles later
	SameDay   bool           // can settle on the day of its file (F22)
	OnDue     bool           // autopay collects on the due date itself, and the money counts from that day (F25)
	Credit    bool           // an account can be credited without a prior debit
	OnCharge  bool           // refunds go back on the original charge
	InTransit ledger.Account // account for money in transit; 0: none until it is answered

	// Returns and disputes.
	Return   bool   // by a bank's return code; may be retried (F23)
	Reverse  bool   // by our own reversing entry, within the network's deadline
	Dispute  int    // days in which any holder can dispute a debit; 0: none
	Consumer int    // days in which a consumer can claim that a debit was unauthorized (F41.3)
	Back     string // the entry of returned money

	// Trust.
	Ripen  bool         // settled money becomes good days later (F24)
	Prove  bool         // an account must be proved before a merchant may debit it (F41.1)
	Tried  bool         // stolen numbers are tested with small debits: those are counted, and all can be stopped
	AskFor money.Amount // minimum a merchant may request unless it pays the rest; 0: as for any debit
}

// rails has a row for each method.
var rails = map[Method]*Rail{
	ACH: {
		Debit: true, File: true, SameDay: true, Credit: true, InTransit: ledger.ACHDebitsInTransit,
		Return: true, Reverse: true, Consumer: ConsumerDays, Back: "ACH_RETURNED", Ripen: true, Prove: true,
	},
	Card: {
		Debit: true, Answer: true, OnDue: true, OnCharge: true,
		Dispute: disputeDays, Back: "CARD_CHARGEBACK", Tried: true, AskFor: minCharge,
	},
	Check: {ByHand: true},
	Wire:  {ByHand: true},
	CashM: {ByHand: true},
	Other: {ByHand: true},
	"":    {}, // an unknown method can do nothing
}

// Can returns the method's capabilities.
func (m Method) Can() *Rail {
	if r := rails[m]; r != nil {
		return r
	}
	return rails[""]
}

// Charged reports whether a processor has accepted a transfer and not settled it yet.
func (t *Transfer) Charged() bool {
	return t.Rail.Can().Answer && t.Status == TransferSent && t.Answered()
}

// Took reports whether a transfer has moved its money for good as far as is known: it has
// settled, or its processor has accepted it.
func (t *Transfer) Took() bool { return t.Status == TransferSettled || t.Charged() }

// ReturnableUntil is the last day by which a consumer's bank can have returned a debit: the
// opening of the banking day after the 60th calendar day. It is None for a business account,
// or on rails without such returns (F41.3).
func ReturnableUntil(t *Transfer, m *PaymentMethod) calendar.Date {
	if t == nil || t.Rail.Can().Consumer == 0 || m == nil || !m.consumer() {
		return calendar.None
	}
	return t.SettlesOn.AddDays(t.Rail.Can().Consumer).AddBankingDays(1)
}

// InTransit is a transfer's amount on 1010.
func (t *Transfer) InTransit() money.Amount {
	if t.Rail.Can().InTransit != 0 && t.Kind == TransferPayment && t.Status == TransferSent {
		return t.Amount
	}
	return 0
}
