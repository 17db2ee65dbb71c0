package httpapi

import (
	"slices"
	"strings"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ulid"
)

// plainText returns the form in which a member's text is shown although it has neither an
// enum nor a prefix; nil: never. All other texts are masked: names, addresses, accounts,
// codes, secrets and words alike.
func plainText(name string) func(text string) bool {
	switch name {
	case "application_id", "asked_notice_id", "checkout_id", "client_id", "company_id", "document_ids", "entry_id", "entry_ids", "event_id", "file_id", "id", "invoice_id",
		"key", "line_id", "line_ids", "match_id", "merchant_id", "object", "order_key", "parent_key", "payment_id", "payment_method_id", "payout_id", "person_id", "refund_id",
		"resend_id", "reverses", "transfer_id", "webhook_id", "webhook_ids", "requested_by", "decided_by", "approval_id":
		return isIdentifier
	case "code", "event_type", "event_types", "kind", "type", "scopes", "currency", "status":
		return isWord
	case "return_code", "change_code":
		return func(text string) bool { return looksLike("A00", text) }
	case "month":
		return func(text string) bool { return looksLike("0000-00", text) }
	case "api_version":
		return func(text string) bool { return looksLike("0000-00-00", text) }
	case "apr", "annual_rate":
		return isRate
	case "request_id":
		return func(text string) bool { rest, found := strings.CutPrefix(text, "req_"); return found && ulid.Is(rest) }
	}
	return nil
}

// isPersonal reports whether numbers and dates of a member are masked like texts: those of
// people and their cards, and what a business states to be assessed.
func isPersonal(name string) bool {
	switch name {
	case "birth_date", "exp_month", "exp_year", "owner_score", "ownership_percent", "owner_months", "score", "points", "trace",
		"annual_revenue", "average_balance", "average_monthly_payment", "months_in_business", "formed_on", "returned_items_90d":
		return true
	}
	return false
}

// looksLike compares a text with a form, in which 0 is a digit and A a capital.
func looksLike(form, text string) bool {
	if len(form) != len(text) {
		return false
	}
	for i := range len(form) {
		same := form[i] == text[i]
		switch form[i] {
		case '0':
			same = text[i] >= '0' && text[i] <= '9'
		case 'A':
			same = text[i] >= 'A' && text[i] <= 'Z'
		}
		if !same {
			return false
		}
	}
	return true
}

// isIdentifier reports whether a text is a company's number, or a ULID after the prefix of an
// identifier. Tokens and secrets have the same form with other prefixes.
func isIdentifier(text string) bool {
	if looksLike("0000000000", text) {
		return text[0] != '0'
	}
	prefix, rest, found := strings.Cut(text, "_")
	if !found || !ulid.Is(rest) {
		return false
	}
	switch prefix {
	case "dlv", "mtc", "rcv", "snp": // which no command makes
		return true
	}
	return slices.Contains(credit.Prefixes(), prefix+"_")
}

// isWord reports whether a text looks like a word of the contract: a constant, or
// snake_case with at most one dot or colon.
func isWord(text string) bool {
	if len(text) < 2 || len(text) > 80 {
		return false
	}
	first, letter := rune(text[0]), func(c rune) bool { return c >= 'a' && c <= 'z' }
	if first >= 'A' && first <= 'Z' {
		letter = func(c rune) bool { return c >= 'A' && c <= 'Z' }
	}
	return letter(first) && strings.Count(text, ".")+strings.Count(text, ":") <= 1 &&
		!strings.ContainsFunc(text, func(c rune) bool { return !letter(c) && !strings.ContainsRune("_.:", c) })
}

// isRate reports whether a text is a rate: one to three digits, and two to six after a dot.
func isRate(text string) bool {
	whole, part, found := strings.Cut(text, ".")
	digits := func(s string, least, most int) bool {
		return len(s) >= least && len(s) <= most && !strings.ContainsFunc(s, func(c rune) bool { return c < '0' || c > '9' })
	}
	return found && digits(whole, 1, 3) && digits(part, 2, 6)
}
