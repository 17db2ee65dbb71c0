package terminal

import (
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
)

// hint is one next step for a problem: a sentence, and a command if there is one.
func (a *App) hint(p *client.Problem) string {
	switch {
	case p.Code == "malformed_csv" && len(p.Errors) > 0 && p.Errors[0].Code == "syntax": // the sentence names the line
		return "Mend that line: three fields, with commas between them."
	case p.Code == "malformed_csv":
		return "The list begins like this:\n  merchant_order_id,amount,status\n  PO-10042,1200.00,CAPTURED"
	case len(p.Errors) > 0:
		return fieldErrors(p.Errors)
	}
	if s := a.stateHint(p); s != "" {
		return s
	}
	if s := a.ruleHint(p); s != "" {
		return s
	}
	switch p.Code {
	case "unauthorized":
		return a.Then("The token is missing, wrong or has ended. Make one and set TENOR_TOKEN to it:", "token --data DIR")
	case "insufficient_scope":
		return a.scopeHint(p)
	case "company_not_linked":
		return a.Then("The lender can link the company to the merchant:", "companies link COMPANY --merchant mch_… --reason TEXT")
	case "payment_method_locked":
		return a.Then("Only an ACTIVE account can be debited. See which there are:", "companies methods COMPANY")
	case "credit_exceeded":
		return a.Then("See how much unapplied credit there is:", "companies get COMPANY")
	case "period_closed":
		return a.Then("Nothing is booked in a month that is closed. See which are:", "ledger close")
	case "lender_incomplete":
		return a.Then("A notice names the creditor and the regulator. Set them, with name and address:", "lender set -h")
	case "snapshots_unavailable":
		return a.Then("Run the sandbox in a directory:", "dev --data ./tenor-data")
	case "clock_moving":
		return a.Then("Wait until the clock is there, or end the move:", "clock freeze")
	case "invalid_cursor":
		return "A cursor belongs to the list and the filters that gave it. Begin again without --cursor."
	case "not_found":
		return "Is the identifier right, and does it belong to the merchant of the token?"
	case "precondition_failed":
		return "Somebody has changed it meanwhile. Read it again and decide again."
	case "rate_limited", "overloaded":
		return "Try again in a moment."
	case "read_only":
		return "The server takes no writes for now; reads go on. Try again later."
	case "outcome_unknown":
		return "The server does not know yet whether it took effect."
	case "internal_error":
		return "A fault of the server. Give its operator the request's identifier."
	case "idempotency_key_reused":
		return "Use another --idempotency-key, or none: one is made for each call. --retry-last is for the same change only."
	case "invalid_client":
		return "TENOR_CLIENT_ID or the secret in TENOR_CLIENT_SECRET_FILE is wrong, or the client was revoked."
	case "invalid_scope", "invalid_request", "unsupported_grant_type", "unauthorized_client":
		return "The server gave the client no token. Is it as new as this program?"
	case "":
		return "Is TENOR_URL the address of a Tenor server?"
	}
	return ""
}

// scopeHint is for a token that may not do it.
func (a *App) scopeHint(p *client.Problem) string {
	if strings.Contains(p.Detail, "operator:") {
		return a.Then("That is the lender's to do. Make a token of the lender's:", "token --operator --data DIR")
	}
	return a.Then("Make a token that may do it:", "token --data DIR -h")
}

// stateHint is for what the state of the thing does not allow.
func (a *App) stateHint(p *client.Problem) string {
	key := a.subjectOr("ord_…")
	switch p.Code {
	case "transfer_locked":
		return "It is with the bank already. If it is wrong, it comes back, or it is refunded once it has settled."
	case "invalid_transition":
		switch from, to := p.Member("from"), p.Member("to"); {
		case strings.HasPrefix(a.Subject, "pay_"):
			return a.Then("See where it stands:", "payments get "+a.Subject)
		case strings.HasPrefix(a.Subject, "scr_"):
			return a.Then("See what was decided:", "screenings get "+a.Subject)
		case strings.HasPrefix(a.Subject, "ntc_"):
			return a.Then("See whether it was sent, and what it answers:", "notices get "+a.Subject)
		case from == "CAPTURED" && to == "CANCELED":
			return a.Then("Only CREATED and AUTHORIZED orders can be canceled. To give the money back:", "orders refund "+key)
		case from == "CREATED" && to == "CAPTURED":
			return a.Then("Authorize it first:", "orders authorize "+key)
		}
		return a.Then("See where it stands:", "orders get "+key)
	case "order_not_captured":
		return a.Then("Capture it first, or cancel it if nothing was shipped:", "orders cancel "+key)
	case "amount_locked":
		return a.Then("The amount is final. To take a part of it back:", "orders refund "+key+" --amount …")
	case "order_locked":
		return a.Then("Only metadata and the merchant status can still change. See it with:", "orders get "+key)
	case "installments_required":
		return a.Then("Choose a number of installments:", "orders update "+key+" --installments 6")
	case "checkout_taken", "terms_changed":
		return a.Then("Make a new checkout:", "checkouts create -h")
	case "application_decided":
		return a.Then("See what was decided:", "applications show "+a.subjectOr("app_…"))
	case "authorization_expired", "already_extended":
		return a.Then("Make a new order:", "orders create -h")
	case "company_not_eligible":
		return a.Then("Only an APPROVED company can buy. See why it is not:", "companies get COMPANY")
	case "duplicate_merchant_order_id":
		return a.Then("See the order that has it:", "orders list --merchant-order-id …")
	case "refund_reference_used":
		return "Use another --reference, or repeat the first refund with its amount."
	case "already_matched":
		return a.Then("See what it is matched with, and undo that if it is wrong:", "ledger matches")
	case "client_locked":
		return a.Then("See whether it is revoked, or was made on the server itself:", "clients get "+a.subjectOr("cli_…"))
	case "endpoint_disabled":
		id := "whk_…"
		if strings.HasPrefix(a.Subject, "whk_") {
			id = a.Subject
		}
		return a.Then("Enable it first:", "webhooks update "+id+" --enable")
	case "payment_not_refundable", "payment_not_cancelable":
		return a.Then("See where it stands:", "payments get "+a.subjectOr("pay_…"))
	case "payment_method_unverified":
		return a.Then("Verify the account, or have the lender vouch for it:", "companies verify-method COMPANY pm_… --amounts …")
	case "duplicate_external_id":
		return "The payment was probably recorded already. Use another --external-id if it was not."
	}
	return ""
}

// ruleHint is for what a rule of money does not allow.
func (a *App) ruleHint(p *client.Problem) string {
	key := a.subjectOr("ord_…")
	switch p.Code {
	case "mail_unavailable":
		return a.Then("Buyers cannot be written to: the server has no mail server. See what is missing:", "doctor")
	case "owner_required":
		if strings.Contains(p.Detail, "only owner") {
			return a.Then("See who acts for the company; invite another owner:", "people list COMPANY")
		}
		return "An owner of the company does it on the company's own pages."
	case "insufficient_credit":
		if available := p.Member("available"); available != "" {
			return fmt.Sprintf("Available are %s. Lower the amount, or ask the lender for a higher line.", Dollars(client.Amount(available)))
		}
		return "Lower the amount, or ask the lender for a higher line."
	case "term_not_available":
		return "Choose another number of installments; the merchant's programme says which are offered."
	case "amount_out_of_bounds":
		if lowest, highest := p.Member("minimum"), p.Member("maximum"); highest != "" {
			return fmt.Sprintf("The merchant's orders are of %s to %s.", Dollars(client.Amount(lowest)), Dollars(client.Amount(highest)))
		} else if lowest != "" {
			return fmt.Sprintf("The merchant's orders are of %s or more.", Dollars(client.Amount(lowest)))
		}
		return "The merchant's programme says what orders may amount to."
	case "match_refused":
		return a.Then("See what is open:", "ledger reconcile")
	case "charges_mismatch":
		return "Make charges.grand_total equal to the amount."
	case "partial_too_large":
		return a.Then("To capture all of it:", "orders capture "+key)
	case "refund_exceeds_captured":
		return a.Then("See refundable_amount:", "orders get "+key)
	case "refund_exceeds_payment":
		return a.Then("See what is left of it:", "payments get "+a.subjectOr("pay_…"))
	case "payment_method_required":
		return "ACH and CARD need an account of the company that can be debited: companies methods lists them. Money that was received is WIRE, CHECK, CASH or OTHER."
	case "debit_exceeds_balance":
		return a.Then("See what is left to pay; debits that are on their way count as paid:", "payments schedule "+key)
	case "debit_too_small":
		return "A debit below 1.00 has to pay all that is left."
	case "too_many_open_debits":
		return a.Then("Wait until one has settled, or cancel one. See which are open:", "payments list")
	case "merchant_due_limit":
		return a.Then("Send the lender what was collected; the lender records it, which makes room at once:", "merchants remit MERCHANT AMOUNT --reference TEXT --reason TEXT")
	case "reasons_required":
		return "Say why with --reason, up to four times: a code such as credit_score or annual_revenue, or words of your own. They are what the notice to the company says."
	case "url_not_allowed":
		return "Use an https address on the internet. A sandbox also takes one of this machine."
	case "invalid_effective_date":
		if strings.HasPrefix(a.Subject, "ntc_") {
			return a.Then("See when it was sent:", "notices get "+a.Subject)
		}
		return "Leave --effective-date out for today; an earlier day takes the operator's token."
	}
	return ""
}

// Then is a sentence with a command below it.
func (a *App) Then(text, command string) string { return text + "\n  " + a.Program + " " + command }

func (a *App) subjectOr(other string) string {
	if a.Subject == "" {
		return other
	}
	return a.Subject
}

// fieldErrors lists what is wrong in a request, as the user gave it.
func fieldErrors(list []client.FieldError) string {
	var lines []string
	for _, e := range list[:min(len(list), 10)] {
		lines = append(lines, Clean(placeOf(e)+": "+e.Detail))
	}
	if more := len(list) - len(lines); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more", more))
	}
	return strings.Join(lines, "\n")
}

// placeOf names a place for people: cart_items[0].price, row 2, amount of a list, or
// line 3, amount of CSV.
func placeOf(e client.FieldError) string {
	var place string
	switch {
	case e.Parameter != "":
		return e.Parameter
	case e.Line > 0:
		place = fmt.Sprintf("line %d", e.Line)
		if e.Column != "" {
			place += ", " + e.Column
		}
		return place
	case e.Pointer == "":
		return "the body"
	}
	for i, name := range strings.Split(strings.TrimPrefix(e.Pointer, "/"), "/") {
		n, err := strconv.Atoi(name)
		switch {
		case err == nil && i == 0:
			place = fmt.Sprintf("row %d", n+1)
		case err == nil:
			place += "[" + name + "]"
		case i == 0:
			place = name
		case strings.HasPrefix(place, "row ") && i == 1:
			place += ", " + name
		default:
			place += "." + name
		}
	}
	return place
}
