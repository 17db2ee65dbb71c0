package clientgen

import "strings"

// typeNames are Go names of schemas that follow no rule: a schema's name reflects its place in
// the document, but a type's name stands alone. Schemas with the same name are one type.
func typeNames() map[string]string {
	return map[string]string{
		// One resource, as seen by its merchant, by the lender and alone.
		"ReviewedApplication": "Application", "PersonalApplication": "Application",
		"ReadCase": "Case", "ReviewedCase": "Case", "ReadReviewedCase": "Case",
		"NamedPerson": "Person", "PayoutDetail": "Payout", "WebhookEvent": "Event",
		// One value under several names.
		"Business": "ApplicationBusiness", "Place": "CompanyAddress", "EstimateBank": "BankFigures", "Reason": "StatusReason",
		"Wanted": "ApplicationInformation", "Information": "ApplicationInformation",
		"Prequalification": "Estimate", "PrequalificationAnswer": "Estimate", "PrequalificationInput": "EstimateRequest",
		// Words that are too vague alone.
		"Account": "MerchantAccountRequest", "Limits": "MerchantLimitsRequest", "Shop": "MerchantShopRequest", "Client": "APIClientRequest",
		"ApprovalInput": "ApplicationApproval", "Match": "ScreeningMatch", "Card": "CardToken", "CardAccount": "Card", "Pending": "PendingAccount", "Logged": "LoggedBody",
		"LedgerBalances": "Balances", "AgreementSign": "AgreementSigns", "Partial": "PartialCapture", "Return": "PaymentReturn",
		"Reversal": "PaymentReversal", "PayRefund": "RefundPayout", "RefundInput": "OrderRefund", "PaymentRefundInput": "RefundRequest",
		"Identify": "Identification", "Resume": "CorrectedEntry", "Vouch": "Vouching", "Line": "CreditLineRequest", "Close": "CompanyClosing",
		"Assign": "Assignment", "Decline": "Refusal", "Reviewer": "Reviewer", "Roll": "ClientRoll", "ApplicationSent": "SentNotice",
		"ScheduleInput": "ScheduleRevision", "Stand": "SandboxBuyer", "Advance": "ClockAdvance", "FailNext": "DebitFailure",
		"Reset": "SandboxReset", "Seed": "SandboxSeeding", "Snapshot": "SandboxCopying", "WebhookEventData": "EventData",
	}
}

// methodNames are methods whose name differs from their operation's.
func methodNames() map[string]string {
	return map[string]string{
		"getClient":  "APIClient",     // a client has no client
		"getRequest": "LoggedRequest", // a request is what the client sends
	}
}

// filterNames are filters whose name differs from what is listed.
func filterNames() map[string]string {
	return map[string]string{"AuditRow": "Audit", "LoggedRequest": "Request"}
}

// byHand are operations with a hand-written method, and why.
func byHand() map[string]string {
	return map[string]string{
		"createToken": "the client asks for tokens itself", "introspectToken": "of servers", "revokeToken": "of servers",
		"createMerchant": "its settings are any JSON", "addProgram": "its settings are any JSON",
		"createApplication": "it may be a file", "prequalify": "it may be a file",
		"reconcile": "its body is a stream", "runScenario": "its answer is a stream",
	}
}

// initialisms are words that Go capitalizes.
func initialisms() map[string]string {
	return map[string]string{
		"id": "ID", "ids": "IDs", "url": "URL", "apr": "APR", "ip": "IP", "ein": "EIN", "sku": "SKU", "html": "HTML", "api": "API",
		"sha256": "SHA256", "ecoa": "ECOA", "csv": "CSV", "ms": "MS", "oauth": "OAuth", "json": "JSON", "uri": "URI", "ach": "ACH",
	}
}

// memberName returns the Go name of a member or a code.
func memberName(name string) string {
	var b strings.Builder
	for _, w := range strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '-' || r == '.' }) {
		if i, ok := initialisms()[w]; ok {
			b.WriteString(i)
		} else {
			b.WriteString(strings.ToUpper(w[:1]) + w[1:])
		}
	}
	return b.String()
}

// argumentName returns the Go name of an argument: orderId becomes orderID.
func argumentName(name string) string {
	if trimmed, ok := strings.CutSuffix(name, "Id"); ok {
		name = trimmed + "_id"
	}
	first, rest, _ := strings.Cut(name, "_")
	if rest == "" && (first == "on" || first == "to" || first == "from") {
		return first
	}
	return first + memberName(rest)
}

// methodName returns the method of an operation.
func methodName(id string) string {
	if name, ok := methodNames()[id]; ok {
		return name
	}
	if rest, ok := strings.CutPrefix(id, "get"); ok {
		return rest
	}
	return strings.ToUpper(id[:1]) + id[1:]
}

// baseName returns the schema that another one is derived from, by the endings used in the
// document: Order for OrderPrediction.
func baseName(schema string) (base, ending string) {
	for _, e := range []string{"Input", "Patch", "Prediction"} {
		if b, ok := strings.CutSuffix(schema, e); ok && b != "" {
			return b, e
		}
	}
	return schema, ""
}

// plural returns the plural of a name.
func plural(name string) string {
	if strings.HasSuffix(name, "y") {
		return strings.TrimSuffix(name, "y") + "ies"
	}
	return name + "s"
}

// says turns a method and "Create an order" into a sentence in the third person. With several
// verbs it is unchanged.
func says(method, summary string) string {
	if first, _, _ := strings.Cut(summary, " "); strings.HasSuffix(first, ",") {
		return method + ": " + strings.ToLower(summary[:1]) + summary[1:] + "."
	}
	return method + " " + third(summary) + "."
}

// third converts an imperative to the third person.
func third(summary string) string {
	verb, rest, _ := strings.Cut(summary, " ")
	verb = strings.ToLower(verb)
	switch {
	case verb == "what":
		return "tells what " + rest
	case strings.HasSuffix(verb, "y") && !strings.ContainsAny(verb[len(verb)-2:len(verb)-1], "aeiou"):
		verb = strings.TrimSuffix(verb, "y") + "ies"
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "sh"), strings.HasSuffix(verb, "ch"), strings.HasSuffix(verb, "x"), strings.HasSuffix(verb, "o"):
		verb += "es"
	default:
		verb += "s"
	}
	return strings.TrimSpace(verb + " " + rest)
}
