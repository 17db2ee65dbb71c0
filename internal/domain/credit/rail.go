package credit

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// Rail is what a method of payment can do. Code asks these questions and never which
// method it is: a rail that is added is a row, and the compiler finds nothing to change.
type Rail struct {
	Debit  bool // we move the money, by a transfer of an account; otherwise it has come by hand, and is final
	ByHand bool // somebody brings it, or is sent it, outside of a rail

	// How a transfer goes out and settles.
	File      bool           // in a file of a banking day; it settles on the day that the file names
	Answer    bool           // asked of a processor at any hour, which answers each at once and settles later
	SameDay   bool           // it can be made to settle on the day of its file (F22)
	OnDue     bool           // autopay collects on the due date itself, and the money counts from that day (F25)
	Credit    bool           // an account can be sent money without a debit before it
	OnCharge  bool           // what goes back goes back on the debit that it came by
	InTransit ledger.Account // where money stands that was sent for; 0: nowhere until it is answered

	// How money comes back.
	Return   bool   // by a return code of the bank's, which may be tried again (F23)
	Reverse  bool   // by an entry of our own, in the days of the network
	Dispute  int    // days in which its holder can dispute any debit, whoever it is; 0: none
	Consumer int    // days in which a consumer can say that a debit was not authorized (F41.3)
	Back     string // the entry of money that came back

	// What is trusted, and what is not.
	Ripen  bool         // money that has settled becomes good days later (F24)
	Prove  bool         // an account must be proved before a merchant may debit it (F41.1)
	Tried  bool         // stolen numbers are tried with small debits: those are counted, and all can be stopped
	AskFor money.Amount // the least that a merchant may ask for unless it pays the rest; 0: any debit's
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
	"":    {}, // what is no method can do nothing
}

// Can is the method's row.
func (m Method) Can() *Rail {
	if r := rails[m]; r != nil {
		return r
	}
	return rails[""]
}

// Charged reports whether a processor has taken a transfer on, and has not settled it yet.
func (t *Transfer) Charged() bool {
	return t.Rail.Can().Answer && t.Status == TransferSent && t.Answered()
}

// Took reports whether a transfer has moved its money for good, as far as anybody knows: it
// has settled, or its processor has taken it on.
func (t *Transfer) Took() bool { return t.Status == TransferSettled || t.Charged() }

// RecallableUntil is the last day on which the payer can call a payment's money back, None
// if only a bank can, within the days of good funds.
func RecallableUntil(t *Transfer, m *PaymentMethod, arrived calendar.Date) calendar.Date {
	if days := t.Rail.Can().Dispute; days > 0 {
		return arrived.AddDays(days)
	}
	return ReturnableUntil(t, m)
}

// ReturnableUntil is the last day on which a consumer's bank can have returned a debit, the
// opening of the banking day after the 60th calendar day; None of a business's account, or
// where nothing is returned so (F41.3).
func ReturnableUntil(t *Transfer, m *PaymentMethod) calendar.Date {
	if t == nil || t.Rail.Can().Consumer == 0 || m == nil || !m.consumer() {
		return calendar.None
	}
	return t.SettlesOn.AddDays(t.Rail.Can().Consumer).AddBankingDays(1)
}

// InTransit is what stands on 1010 for a transfer.
func (t *Transfer) InTransit() money.Amount {
	if t.Rail.Can().InTransit != 0 && t.Kind == TransferPayment && t.Status == TransferSent {
		return t.Amount
	}
	return 0
}

// AtProcessor is what stands on 1020 for a transfer.
func (t *Transfer) AtProcessor() money.Amount {
	switch {
	case !t.Charged():
		return 0
	case t.Kind == TransferPayment:
		return t.Amount
	}
	return -t.Amount
}
