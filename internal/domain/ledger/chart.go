package ledger

import "fmt"

// Account is a number of the chart of accounts.
type Account int

// The chart of accounts (F39). Accounts from 9000 are memo pairs: they are outside the balance
// sheet and sum to zero within each pair.
const (
	Cash                   Account = 1000
	ACHDebitsInTransit     Account = 1010
	CardReceivable         Account = 1020
	LoanPrincipal          Account = 1100
	ChargeReceivable       Account = 1110
	FeesReceivable         Account = 1120
	OtherReceivable        Account = 1130
	ClawbackReceivable     Account = 1200
	DueFromMerchant        Account = 1210
	Allowance              Account = 1900
	MerchantPayable        Account = 2000
	ACHCreditsInTransit    Account = 2010
	BorrowerCredit         Account = 2100
	RefundsInTransit       Account = 2110
	PaymentsPending        Account = 2120
	UnidentifiedReceipts   Account = 2130
	UnearnedCharge         Account = 2200
	LenderFunding          Account = 3000
	ChargeIncome           Account = 4000
	MerchantDiscount       Account = 4010
	LateFeeIncome          Account = 4020
	ReturnedFeeIncome      Account = 4030
	CardCost               Account = 5000
	ACHCost                Account = 5010
	ProvisionAndLosses     Account = 5100
	Concessions            Account = 5200
	Reserved               Account = 9000
	ReservedContra         Account = 9001
	NonaccrualCharge       Account = 9010
	NonaccrualContra       Account = 9011
	ChargedOff             Account = 9020
	ChargedOffContra       Account = 9021
	UnfundedExternal       Account = 9030
	UnfundedExternalContra Account = 9031
)

// Chart lists every account in order of number.
func Chart() []Account {
	return []Account{
		Cash, ACHDebitsInTransit, CardReceivable, LoanPrincipal, ChargeReceivable, FeesReceivable, OtherReceivable,
		ClawbackReceivable, DueFromMerchant, Allowance, MerchantPayable, ACHCreditsInTransit, BorrowerCredit,
		RefundsInTransit, PaymentsPending, UnidentifiedReceipts, UnearnedCharge, LenderFunding, ChargeIncome,
		MerchantDiscount, LateFeeIncome, ReturnedFeeIncome, CardCost, ACHCost, ProvisionAndLosses, Concessions,
		Reserved, ReservedContra, NonaccrualCharge, NonaccrualContra, ChargedOff, ChargedOffContra,
		UnfundedExternal, UnfundedExternalContra,
	}
}

// Memo reports whether the account is a memo account.
func (a Account) Memo() bool { return a >= 9000 }

// memoPairs is the number of memo pairs: an account from 9000 with the one after it, ten apart
// from the next pair.
const memoPairs = 4

// group identifies the set of accounts that must sum to zero: 0 is the books, 1000 to 5999,
// then each memo pair. The account must be in the chart.
func (a Account) group() int {
	if !a.Memo() {
		return 0
	}
	return 1 + int(a-Reserved)/10
}

func groupName(group int) string {
	if group == 0 {
		return "the books"
	}
	first := Reserved + Account(group-1)*10
	return fmt.Sprintf("memo %d/%d", first, first+1)
}

// Name returns the account's name, "" if it is not in the chart.
func (a Account) Name() string {
	switch a {
	case Cash:
		return "Cash"
	case ACHDebitsInTransit:
		return "ACH debits in transit"
	case CardReceivable:
		return "Card processor receivable"
	case LoanPrincipal:
		return "Loan principal"
	case ChargeReceivable:
		return "Finance charge receivable"
	case FeesReceivable:
		return "Late and returned-payment fees receivable"
	case OtherReceivable:
		return "Borrower other receivable"
	case ClawbackReceivable:
		return "Merchant clawback receivable"
	case DueFromMerchant:
		return "Due from merchant"
	case Allowance:
		return "Allowance"
	case MerchantPayable:
		return "Merchant payable"
	case ACHCreditsInTransit:
		return "ACH credits in transit"
	case BorrowerCredit:
		return "Borrower credit balance"
	case RefundsInTransit:
		return "Borrower refunds in transit"
	case PaymentsPending:
		return "Borrower payments pending"
	case UnidentifiedReceipts:
		return "Unidentified receipts"
	case UnearnedCharge:
		return "Unearned finance charge"
	case LenderFunding:
		return "Lender's funding"
	}
	return a.nameFrom4000()
}

// nameFrom4000 names income, expense and memo accounts.
func (a Account) nameFrom4000() string {
	switch a {
	case ChargeIncome:
		return "Finance charge income"
	case MerchantDiscount:
		return "Merchant discount"
	case LateFeeIncome:
		return "Late fees"
	case ReturnedFeeIncome:
		return "Returned-payment fees"
	case CardCost:
		return "Card cost"
	case ACHCost:
		return "ACH and return cost"
	case ProvisionAndLosses:
		return "Provision and losses"
	case Concessions:
		return "Concessions"
	case Reserved:
		return "Reserved (memo)"
	case ReservedContra:
		return "Reserved, contra (memo)"
	case NonaccrualCharge:
		return "Nonaccrual charge (memo)"
	case NonaccrualContra:
		return "Nonaccrual charge, contra (memo)"
	case ChargedOff:
		return "Charged off (memo)"
	case ChargedOffContra:
		return "Charged off, contra (memo)"
	case UnfundedExternal:
		return "Unfunded external (memo)"
	case UnfundedExternalContra:
		return "Unfunded external, contra (memo)"
	}
	return ""
}
