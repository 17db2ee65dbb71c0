package terminal

import (
	"fmt"
	"slices"
	"strings"

	"tenor/internal/domain/access"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/outcome"
	"tenor/internal/office/letter"
)

// Candidate is a possible completion.
type Candidate struct{ Word, Note string }

// Begin keeps the candidates that start with a text.
func Begin(at string, list []Candidate) []Candidate {
	return slices.DeleteFunc(list, func(x Candidate) bool { return !strings.HasPrefix(x.Word, at) })
}

// CutLast cuts a text at the last separator.
func CutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// Words returns candidates without notes.
func Words(list ...string) []Candidate {
	out := make([]Candidate, len(list))
	for i, w := range list {
		out[i] = Candidate{Word: w}
	}
	return out
}

// FixedWords returns the contract's words of a kind.
func FixedWords(kind string) []Candidate {
	switch kind {
	case "event-type":
		var out []Candidate
		for _, k := range EventKinds() {
			out = append(out, Candidate{k.Type, "emitted by: " + strings.Join(k.Operations, ", ")})
		}
		return out
	case "scope":
		return Words(append(access.MerchantScopes(), access.OperatorScopes()...)...)
	case "watched-status":
		return append(FixedWords("order-status"), FixedWords("financing-status")...)
	case "mail-kind":
		return append(Words(wordLists()["statement-mail"]...), letterWords()...)
	}
	if list := wordLists()[kind]; list != nil {
		return Words(list...)
	}
	return nil
}

// wordLists are the contract's enums that commands accept, by the value of the complete tag.
func wordLists() map[string][]string {
	return map[string][]string{
		"order-status":       {"CREATED", "AUTHORIZED", "CAPTURED", "CANCELED", "RETURNED"},
		"financing-status":   {"NONE", "ACTIVE", "PAID_OFF", "OVERDUE", "CHARGED_OFF"},
		"payment-status":     {"SCHEDULED", "PENDING", "SUCCEEDED", "FAILED", "PARTIALLY_REFUNDED", "REFUNDED", "RETURNED", "CANCELED"},
		"method":             {"ACH", "CARD", "CHECK", "WIRE", "CASH", "OTHER"},
		"reversal":           {"DUPLICATE", "WRONG_RECEIVER", "WRONG_AMOUNT", "WRONG_DATE"},
		"by-hand":            {"CHECK", "WIRE", "CASH", "OTHER"},
		"invoice-status":     {"OPEN", "PAID", "PAST_DUE", "VOID"},
		"payout-status":      {"PENDING", "SENT", "SETTLED", "FAILED"},
		"alarm-kind":         {"notice_overdue", "screening_open", "screening_report", "file_unsent", "file_unanswered", "late_return", "card_dispute", "return_rate", "bank_notice", "notice_due", "case_overdue", "application_review", "mail_failed", "receipt_unidentified", "credit_waiting", "refund_owed", "account_missing", "account_change", "account_at_several_companies", "reported_payment_withdrawn", "payouts_held", "payouts_limited", "merchant_debits", "clawback_unpaid", "company_suspended", "cards_stopped", "autopay_paused", "collection_stopped", "charge_off_proposed"},
		"notice-state":       {"unsent", "due_soon", "overdue", "late"},
		"checkout-status":    {"OPEN", "PENDING_REVIEW", "ACCEPTED", "COMPLETED", "CANCELED", "DECLINED", "EXPIRED"},
		"application-status": {"SUBMITTED", "IN_REVIEW", "INFORMATION_REQUESTED", "APPROVED", "DECLINED", "WITHDRAWN", "EXPIRED", "ESTIMATED"},
		"application-kind":   {"NEW", "LINE_INCREASE", "PREQUALIFICATION"},
		"approval-status":    {"WAITING", "APPROVED", "DECLINED", "WITHDRAWN", "EXPIRED"},
		"case-status":        {"OPEN", "WAITING", "RESOLVED"},
		"person-role":        {"OWNER", "BUYER", "VIEWER"},
		"case-outcome":       {"UPHELD", "REJECTED", "ANSWERED"},
		"rail":               {"ACH", "CARD"},
		"transfer-status":    {"QUEUED", "SENT", "SETTLED", "FAILED", "RETURNED", "CANCELED"},
		"receipt-status":     {"OPEN", "IDENTIFIED", "RETURNED"},
		"screening-status":   {"OPEN", "CLEARED", "CONFIRMED"},
		"delivery-state":     {"PENDING", "SUCCEEDED", "PARKED", "CANCELED"},
		"statement-mail":     {"NOTICE", "INVOICE", "STATEMENT", "PAYOUT_ADVICE", "REVERSAL", "ACCOUNT_CHANGE"},
	}
}

// WordTexts returns the same lists as help shows them: ${order_status} is "CREATED, … or
// RETURNED".
func WordTexts() map[string]string {
	texts := map[string]string{}
	for kind, list := range wordLists() {
		last := len(list) - 1
		texts[strings.ReplaceAll(kind, "-", "_")] = strings.Join(list[:last], ", ") + " or " + list[last]
	}
	return texts
}

// letterWords returns the kinds of mail on the buyer's side.
func letterWords() (out []Candidate) {
	for _, t := range letter.Templates() {
		out = append(out, Candidate{Word: strings.ToUpper(string(t))})
	}
	return out
}

// Suggestion returns what a mistyped word may have meant, as the end of a sentence.
func Suggestion(word string, known []string) string {
	best, least := "", 3 // more than two differing letters make another word
	for _, k := range known {
		if d := distance(word, k); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(", did you mean %q?", best)
}

// distance is the number of letters to change, add or leave out (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			next := min(row[j+1], row[j]) + 1
			if a[i] == b[j] {
				next = min(next, last)
			} else {
				next = min(next, last+1)
			}
			last, row[j+1] = row[j+1], next
		}
	}
	return row[len(b)]
}

// EventKind is an event type as --json prints it.
type EventKind struct {
	Type       string   `json:"type"`
	Operations []string `json:"operations"` // that emit it, always or under a condition
}

// EventKinds lists the event types with the operations that emit them.
func EventKinds() []EventKind {
	by := map[credit.EventType][]string{}
	for _, r := range outcome.EventTable() {
		types := slices.Clone(r.Always)
		for _, w := range r.When {
			types = append(types, w.Event)
		}
		slices.Sort(types)
		for _, t := range slices.Compact(types) {
			if !slices.Contains(by[t], r.Operation) {
				by[t] = append(by[t], r.Operation)
			}
		}
	}
	var kinds []EventKind
	for _, t := range outcome.EventTypes() {
		kinds = append(kinds, EventKind{string(t), by[t]})
	}
	return kinds
}
