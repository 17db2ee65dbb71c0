package lending

// ReturnCode describes a bank's return code (F23).
type ReturnCode struct {
	Code   string // R01 …
	Title  string
	Class  ReturnClass
	Bucket ReturnBucket // counter of the network's return rate rules (F22)
}

// ReturnClass is what a return code means for us.
type ReturnClass string

// The classes of return codes (F23).
const (
	ClassRetryFunds       ReturnClass = "RETRY_FUNDS"
	ClassBadAccount       ReturnClass = "BAD_ACCOUNT"
	ClassUnauthorized     ReturnClass = "UNAUTHORIZED"
	ClassRequested        ReturnClass = "ODFI_REQUESTED"
	ClassStopPayment      ReturnClass = "STOP_PAYMENT"
	ClassCorrectableTerms ReturnClass = "UNAUTHORIZED_CORRECTABLE"
	ClassDeceased         ReturnClass = "DECEASED"
	ClassFrozen           ReturnClass = "FROZEN_OR_LEGAL"
	ClassCorrectable      ReturnClass = "CORRECTABLE"
	ClassCreditRefused    ReturnClass = "CREDIT_REFUSED"
	ClassDuplicate        ReturnClass = "DUPLICATE"
	ClassInterbank        ReturnClass = "INTERBANK_OR_NOT_USED"
)

// ReturnBucket is the counter that a return belongs to: unauthorized debits, or wrong
// accounts; "" for neither.
type ReturnBucket string

// The counters of returns (F22).
const (
	BucketUnauthorized   ReturnBucket = "unauthorized"
	BucketAdministrative ReturnBucket = "administrative"
)

// ReturnCodes lists every return code, in order of code.
func ReturnCodes() []ReturnCode { return append(entryCodes(), bankCodes()...) }

// entryCodes are the codes of an entry that was not paid.
func entryCodes() []ReturnCode {
	return []ReturnCode{
		{"R01", "Insufficient Funds", ClassRetryFunds, ""},
		{"R02", "Account Closed", ClassBadAccount, BucketAdministrative},
		{"R03", "No Account/Unable to Locate Account", ClassBadAccount, BucketAdministrative},
		{"R04", "Invalid Account Number", ClassBadAccount, BucketAdministrative},
		{"R05", "Improper Debit to Consumer Account", ClassUnauthorized, BucketUnauthorized},
		{"R06", "Returned per ODFI's Request", ClassRequested, ""},
		{"R07", "Authorization Revoked by Customer", ClassUnauthorized, BucketUnauthorized},
		{"R08", "Payment Stopped", ClassStopPayment, ""},
		{"R09", "Uncollected Funds", ClassRetryFunds, ""},
		{"R10", "Customer Advises Originator is Not Known to Receiver and/or Originator is Not Authorized by Receiver to Debit Receiver's Account", ClassUnauthorized, BucketUnauthorized},
		{"R11", "Customer Advises Entry Not in Accordance with the Terms of the Authorization", ClassCorrectableTerms, BucketUnauthorized},
		{"R12", "Branch Sold to Another DFI", ClassBadAccount, ""},
		{"R13", "RDFI not qualified to participate", ClassBadAccount, ""},
		{"R14", "Representative payee deceased or unable to continue in that capacity", ClassDeceased, ""},
		{"R15", "Beneficiary or bank account holder", ClassDeceased, ""},
		{"R16", "Bank account frozen", ClassFrozen, ""},
		{"R17", "File Record Edit Criteria/Entry with Invalid Account Number Initiated Under Questionable Circumstances", ClassCorrectable, ""},
		{"R18", "Improper effective entry date", ClassCorrectable, ""},
		{"R19", "Amount field error", ClassCorrectable, ""},
		{"R20", "Non-payment bank account", ClassBadAccount, ""},
		{"R21", "Invalid company ID number", ClassCorrectable, ""},
		{"R22", "Invalid individual ID number", ClassCorrectable, ""},
		{"R23", "Credit entry refused by receiver", ClassCreditRefused, ""},
		{"R24", "Duplicate entry", ClassDuplicate, ""},
		{"R25", "Addenda error", ClassCorrectable, ""},
		{"R26", "Mandatory field error", ClassCorrectable, ""},
		{"R27", "Trace number error", ClassCorrectable, ""},
		{"R28", "Transit routing number check digit error", ClassBadAccount, ""},
		{"R29", "Corporate customer advises not authorized", ClassUnauthorized, BucketUnauthorized},
		{"R30", "RDFI not participant in check truncation program", ClassInterbank, ""},
		{"R31", "Permissible return entry (CCD and CTX only)", ClassUnauthorized, ""},
		{"R32", "RDFI non-settlement", ClassInterbank, ""},
		{"R33", "Return of XCK entry", ClassInterbank, ""},
		{"R34", "Limited participation RDFI", ClassInterbank, ""},
		{"R35", "Return of improper debit entry", ClassInterbank, ""},
		{"R36", "Return of improper credit entry", ClassInterbank, ""},
		{"R37", "Source Document Presented for Payment (Adjustment Entry)", ClassInterbank, ""},
		{"R38", "Stop Payment on Source Document (Adjustment Entry)", ClassInterbank, ""},
		{"R39", "Improper Source Document", ClassInterbank, ""},
	}
}

// bankCodes are the codes of special entries, and of what banks settle among themselves.
func bankCodes() []ReturnCode {
	return []ReturnCode{
		{"R40", "Return of ENR Entry by Federal Government Agency (ENR Only)", ClassInterbank, ""},
		{"R41", "Invalid Transaction Code (ENR only)", ClassInterbank, ""},
		{"R42", "Routing Number/Check Digit Error (ENR Only)", ClassInterbank, ""},
		{"R43", "Invalid DFI Account Number (ENR Only)", ClassInterbank, ""},
		{"R44", "Invalid Individual ID Number/Identification Number (ENR only)", ClassInterbank, ""},
		{"R45", "Invalid Individual Name/Company Name (ENR only)", ClassInterbank, ""},
		{"R46", "Invalid Representative Payee Indicator (ENR Only)", ClassInterbank, ""},
		{"R47", "Duplicate Enrollment (ENR Only)", ClassInterbank, ""},
		{"R50", "State Law Affecting RCK Acceptance", ClassInterbank, ""},
		{"R51", "Item Related to RCK Entry is Ineligible or RCK Entry is Improper", ClassUnauthorized, BucketUnauthorized},
		{"R52", "Stop Payment on Item (Adjustment Entry)", ClassInterbank, ""},
		{"R53", "Item and RCK Entry Presented for Payment (Adjustment Entry)", ClassInterbank, ""},
		{"R61", "Misrouted Return", ClassInterbank, ""},
		{"R62", "Return of Erroneous or Reversing Debt", ClassInterbank, ""},
		{"R67", "Duplicate Return", ClassInterbank, ""},
		{"R68", "Untimely Return", ClassInterbank, ""},
		{"R69", "Field Error(s)", ClassInterbank, ""},
		{"R70", "Permissible Return Entry Not Accepted/Return Not Requested by ODFI", ClassInterbank, ""},
		{"R71", "Misrouted Dishonored Return", ClassInterbank, ""},
		{"R72", "Untimely Dishonored Return", ClassInterbank, ""},
		{"R73", "Timely Original Return", ClassInterbank, ""},
		{"R74", "Corrected Return", ClassInterbank, ""},
		{"R75", "Return Not a Duplicate", ClassInterbank, ""},
		{"R76", "No Errors Found", ClassInterbank, ""},
		{"R77", "Non-Acceptance of R62 Dishonored Return", ClassInterbank, ""},
		{"R80", "IAT Entry Coding Error", ClassInterbank, ""},
		{"R81", "Non-Participant in IAT Program", ClassInterbank, ""},
		{"R82", "Invalid Foreign Receiving DFI Identification", ClassInterbank, ""},
		{"R83", "Foreign Receiving DFI Unable to Settle", ClassInterbank, ""},
		{"R84", "Entry Not Processed by Gateway", ClassInterbank, ""},
		{"R85", "Incorrectly Coded Outbound International Payment", ClassInterbank, ""},
		{"R90", "Entry Returned Due to RDFI's Sanctions Compliance Obligations", ClassInterbank, ""},
	}
}

// LookUpReturn finds a code; false if it does not exist.
func LookUpReturn(code string) (ReturnCode, bool) {
	for _, r := range ReturnCodes() {
		if r.Code == code {
			return r, true
		}
	}
	return ReturnCode{}, false
}

// Action is what a return of the class requires of us, in a few words for people.
func (c ReturnClass) Action() string {
	switch c {
	case ClassRetryFunds:
		return "collect again: the same amount, at most twice, within 180 days of the original settlement"
	case ClassBadAccount:
		return "disable the account; a new one, or corrected data, is needed"
	case ClassUnauthorized:
		return "disable the account, stop autopay, review"
	case ClassStopPayment:
		return "no further debit of these items without a new authorization; ask the buyer"
	case ClassCorrectableTerms:
		return "correct amount or date and send a new entry within 60 days"
	case ClassFrozen:
		return "stop all money; compliance review"
	case ClassCorrectable:
		return "correct the data and send a new entry"
	case ClassCreditRefused:
		return "hold what is payable and contact the receiver"
	}
	return "look into it"
}
