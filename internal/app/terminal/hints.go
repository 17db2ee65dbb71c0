package terminal

import (
	"fmt"
	"strconv"
	"strings"

	"tenor/client"
)

// hint returns the next step for a problem: a sentence, and a command if there is one.
func (a *App) hint(p *client.Problem) string {
	switch {
	case p.Code == "malformed_csv" && len(p.Errors) > 0 && p.Errors[0].Code == "syntax": // the sentence names the line
		return "Fix that line: it needs three comma-separated fields."
	case p.Code == "malformed_csv":
		return "Expected format:\n  merchant_order_id,amount,status\n  PO-10042,1200.00,CAPTURED"
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
		return a.Then("The token is missing, invalid or expired. Create one and set TENOR_TOKEN:", "token --data DIR")
	case "insufficient_scope":
		return a.scopeHint(p)
	case "company_not_linked":
		return a.Then("The lender can link the company to the merchant:", "companies link COMPANY --merchant mch_… --reason TEXT")
	case "payment_method_locked":
		return a.Then("Only an ACTIVE account can be debited. List the accounts:", "companies methods COMPANY")
	case "credit_exceeded":
		return a.Then("Check the unapplied credit:", "companies get COMPANY")
	case "period_closed":
		return a.Then("Closed months take no entries. List them:", "ledger close")
	case "lender_incomplete":
		return a.Then("The notice needs the creditor and the regulator. Set their names and addresses:", "lender set -h")
	case "snapshots_unavailable":
		return a.Then("Run the sandbox with a data directory:", "dev --data ./tenor-data")
	case "clock_moving":
		return a.Then("Wait until the clock gets there, or stop it:", "clock freeze")
	case "invalid_cursor":
		return "A cursor works only with the list and filters it came from. Start over without --cursor."
	case "not_found":
		return "Check the ID, and that it belongs to the merchant of your token."
	case "precondition_failed":
		return "It changed in the meantime. Read it again, then retry if the change still applies."
	case "rate_limited", "overloaded":
		return "Try again in a moment."
	case "read_only":
		return "The server is read-only for now. Try again later."
	case "outcome_unknown":
		return "The server does not know yet whether the change was made."
	case "internal_error":
		return "Server error. Give the request ID to the operator."
	case "idempotency_key_reused":
		return "Use another --idempotency-key, or omit it to get a new one. --retry-last only repeats the same change."
	case "invalid_client":
		return "TENOR_CLIENT_ID or the secret in TENOR_CLIENT_SECRET_FILE is wrong, or the client was revoked."
	case "invalid_scope", "invalid_request", "unsupported_grant_type", "unauthorized_client":
		return "The server gave the client no token. Check that server and CLI have the same version."
	case "":
		return "Check that TENOR_URL is a Tenor server."
	}
	return ""
}

// scopeHint is for a token without the required scope.
func (a *App) scopeHint(p *client.Problem) string {
	if strings.Contains(p.Detail, "operator:") {
		return a.Then("Only the lender can do this. Create a lender token:", "token --operator --data DIR")
	}
	return a.Then("Create a token with the needed scope:", "token --data DIR -h")
}

// stateHint is for what an object's state does not allow.
func (a *App) stateHint(p *client.Problem) string {
	key := a.subjectOr("ord_…")
	switch p.Code {
	case "transfer_locked":
		return "It was already sent to the bank. If it fails, it will be returned; once settled, it can be refunded."
	case "invalid_transition":
		switch from, to := p.Member("from"), p.Member("to"); {
		case strings.HasPrefix(a.Subject, "pay_"):
			return a.Then("Check its status:", "payments get "+a.Subject)
		case strings.HasPrefix(a.Subject, "scr_"):
			return a.Then("See the decision:", "screenings get "+a.Subject)
		case strings.HasPrefix(a.Subject, "apv_"):
			return a.Then("See who requested and who decided it:", "approvals show "+a.Subject)
		case strings.HasPrefix(a.Subject, "ntc_"):
			return a.Then("Check whether it was sent and what it is about:", "notices get "+a.Subject)
		case from == "CAPTURED" && to == "CANCELED":
			return a.Then("Only CREATED and AUTHORIZED orders can be canceled. To refund the order:", "orders refund "+key)
		case from == "CREATED" && to == "CAPTURED":
			return a.Then("Authorize it first:", "orders authorize "+key)
		}
		return a.Then("Check its status:", "orders get "+key)
	case "order_not_captured":
		return a.Then("Capture it first, or cancel it if nothing was shipped:", "orders cancel "+key)
	case "amount_locked":
		return a.Then("The amount is final. To refund part of it:", "orders refund "+key+" --amount …")
	case "order_locked":
		return a.Then("Only metadata and the merchant status can still change. Show the order:", "orders get "+key)
	case "installments_required":
		return a.Then("Choose a number of installments:", "orders update "+key+" --installments 6")
	case "checkout_taken", "terms_changed":
		return a.Then("Create a new checkout:", "checkouts create -h")
	case "application_decided":
		return a.Then("See the decision:", "applications show "+a.subjectOr("app_…"))
	case "authorization_expired", "already_extended":
		return a.Then("Create a new order:", "orders create -h")
	case "company_not_eligible":
		return a.Then("Only an APPROVED company can buy. Check its status:", "companies get COMPANY")
	case "duplicate_merchant_order_id":
		return a.Then("Find the order that uses it:", "orders list --merchant-order-id …")
	case "refund_reference_used":
		return "Use another --reference, or repeat the first refund with the same amount."
	case "already_matched":
		return a.Then("See its match, and undo it if it is wrong:", "ledger matches")
	case "client_locked":
		return a.Then("Check whether it is revoked or was created on the server itself:", "clients get "+a.subjectOr("cli_…"))
	case "endpoint_disabled":
		id := "whk_…"
		if strings.HasPrefix(a.Subject, "whk_") {
			id = a.Subject
		}
		return a.Then("Enable it first:", "webhooks update "+id+" --enable")
	case "payment_not_refundable", "payment_not_cancelable":
		return a.Then("Check its status:", "payments get "+a.subjectOr("pay_…"))
	case "payment_method_unverified":
		return a.Then("Verify the account, or have the lender vouch for it:", "companies verify-method COMPANY pm_… --amounts …")
	case "duplicate_external_id":
		return "The payment was probably recorded already. Use another --external-id if it was not."
	}
	return ""
}

// ruleHint is for what a rule about money does not allow.
func (a *App) ruleHint(p *client.Problem) string {
	key := a.subjectOr("ord_…")
	switch p.Code {
	case "mail_unavailable":
		return a.Then("The server has no mail server, so it cannot e-mail buyers. Check the setup:", "doctor")
	case "owner_required":
		if strings.Contains(p.Detail, "only owner") {
			return a.Then("See who acts for the company, and invite another owner:", "people list COMPANY")
		}
		return "An owner of the company can do this on the company's account pages."
	case "insufficient_credit":
		if available := p.Member("available"); available != "" {
			return fmt.Sprintf("%s is available. Lower the amount, or ask the lender for a higher line.", Dollars(client.Amount(available)))
		}
		return "Lower the amount, or ask the lender for a higher line."
	case "term_not_available":
		return "Choose another number of installments; the merchant's program sets which are offered."
	case "amount_out_of_bounds":
		if lowest, highest := p.Member("minimum"), p.Member("maximum"); highest != "" {
			return fmt.Sprintf("The merchant's orders must be between %s and %s.", Dollars(client.Amount(lowest)), Dollars(client.Amount(highest)))
		} else if lowest != "" {
			return fmt.Sprintf("The merchant's orders must be %s or more.", Dollars(client.Amount(lowest)))
		}
		return "The merchant's program sets the order limits."
	case "match_refused":
		return a.Then("See the open items:", "ledger reconcile")
	case "charges_mismatch":
		return "Make charges.grand_total equal to the amount."
	case "partial_too_large":
		return a.Then("To capture all of it:", "orders capture "+key)
	case "refund_exceeds_captured":
		return a.Then("See refundable_amount:", "orders get "+key)
	case "refund_exceeds_payment":
		return a.Then("See what is left:", "payments get "+a.subjectOr("pay_…"))
	case "payment_method_required":
		return "ACH and CARD need a company account that can be debited; companies methods lists them. Use WIRE, CHECK, CASH or OTHER for money already received."
	case "debit_exceeds_balance":
		return a.Then("See what is left to pay; pending debits count as paid:", "payments schedule "+key)
	case "debit_too_small":
		return "A debit below 1.00 must pay the full remainder."
	case "too_many_open_debits":
		return a.Then("Wait until one settles, or cancel one. List the open ones:", "payments list")
	case "merchant_due_limit":
		return a.Then("Remit what was collected; the lender records it, which frees up the limit:", "merchants remit MERCHANT AMOUNT --reference TEXT --reason TEXT")
	case "reasons_required":
		return "Give up to four --reason flags: codes such as credit_score or annual_revenue, or your own text. The notice to the company states them."
	case "url_not_allowed":
		return "Use a public https URL. A sandbox also accepts a URL on this machine."
	case "invalid_effective_date":
		if strings.HasPrefix(a.Subject, "ntc_") {
			return a.Then("See when it was sent:", "notices get "+a.Subject)
		}
		return "Omit --effective-date for today; an earlier date requires a lender token."
	}
	return ""
}

// Then returns a sentence with a command below it.
func (a *App) Then(text, command string) string { return text + "\n  " + a.Program + " " + command }

func (a *App) subjectOr(other string) string {
	if a.Subject == "" {
		return other
	}
	return a.Subject
}

// fieldErrors lists what is wrong with a request, in the user's terms.
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

// placeOf describes a place for people: cart_items[0].price, row 2, amount of a list, or line 3,
// amount of CSV.
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
