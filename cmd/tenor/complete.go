package main

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tenor/client"
	"tenor/internal/credit"
	"tenor/internal/letter"
)

// completeTimeout is how long a key press waits for a server.
const completeTimeout = 2 * time.Second

// completeCommand answers the shells' question what can stand at the cursor.
type completeCommand struct {
	Words []string `arg:"" optional:"" passthrough:"" help:"The words before the cursor, and the one at it."`
}

// candidate is something that can stand at the cursor.
type candidate struct{ word, note string }

// Run is called by the parser. It prints nothing but candidates, and never fails: a
// shell has no place for an error.
func (c *completeCommand) Run(ctx context.Context, a *app, k *kong.Context) error {
	words := c.Words
	if len(words) > 0 && words[0] == "--" {
		words = words[1:]
	}
	at := ""
	if len(words) > 0 {
		at, words = words[len(words)-1], words[:len(words)-1]
	}
	for _, x := range (completer{ctx, a}).candidates(k.Model.Node, words, at) {
		fmt.Fprintf(a.out, "%s\t%s\n", clean(x.word), clean(x.note))
	}
	return nil
}

// completer finds candidates in the grammar, and asks a server for keys.
type completer struct {
	ctx context.Context
	a   *app
}

// candidates walks the words of the line through the grammar.
func (c completer) candidates(n *kong.Node, words []string, at string) []candidate {
	var awaited *kong.Flag // whose value comes next
	place := 0             // among the positional arguments
	for _, w := range words {
		name, _, given := strings.Cut(w, "=")
		switch {
		case w == "=": // bash takes it for a word of its own
		case awaited != nil:
			awaited = nil
		case strings.HasPrefix(w, "-") && len(w) > 1:
			if f := flagOf(n, name); f != nil && !f.IsBool() && !given {
				awaited = f
			}
		default:
			switch child := childOf(n, w); {
			case child != nil:
				n = child
			case len(n.Children) > 0:
				return nil // there is no such command
			default:
				place++
			}
		}
	}
	switch {
	case awaited != nil:
		at = strings.TrimPrefix(at, "=")
		return begin(at, c.values(awaited.Value, at))
	case strings.HasPrefix(at, "-"):
		return c.flags(n, at)
	case len(n.Children) > 0:
		return begin(at, children(n))
	case place < len(n.Positional):
		return begin(at, c.values(n.Positional[place], at))
	}
	return nil
}

func flagOf(n *kong.Node, name string) *kong.Flag {
	for _, group := range n.AllFlags(false) {
		for _, f := range group {
			if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) {
				return f
			}
		}
	}
	return nil
}

func childOf(n *kong.Node, name string) *kong.Node {
	for _, child := range n.Children {
		if child.Name == name {
			return child
		}
	}
	return nil
}

func children(n *kong.Node) []candidate {
	var out []candidate
	for _, child := range n.Children {
		if !child.Hidden {
			out = append(out, candidate{child.Name, child.Help})
		}
	}
	return out
}

// flags are the flags of a command, or the values of the one that stands there with
// its equals sign.
func (c completer) flags(n *kong.Node, at string) []candidate {
	if name, value, ok := strings.Cut(at, "="); ok {
		f := flagOf(n, name)
		if f == nil {
			return nil
		}
		var out []candidate
		for _, x := range begin(value, c.values(f.Value, value)) {
			out = append(out, candidate{name + "=" + x.word, x.note})
		}
		return out
	}
	var out []candidate
	for _, group := range n.AllFlags(true) {
		for _, f := range group {
			out = append(out, candidate{"--" + f.Name, f.Help})
		}
	}
	slices.SortFunc(out, func(x, y candidate) int { return cmp.Compare(x.word, y.word) })
	return begin(at, out)
}

func begin(at string, list []candidate) []candidate {
	return slices.DeleteFunc(list, func(x candidate) bool { return !strings.HasPrefix(x.word, at) })
}

// values are what an argument or a flag can be: the words of its enum, or what its
// tag says.
func (c completer) values(v *kong.Value, at string) []candidate {
	kind := v.Tag.Get("complete")
	if v.Enum != "" {
		return words(strings.Split(v.Enum, ",")...)
	}
	if list := fixedWords(kind); list != nil {
		if before, _, ok := cutLast(at, ","); ok { // a list: complete its last word
			for i := range list {
				list[i].word = before + "," + list[i].word
			}
		}
		return list
	}
	if kind == "" {
		return nil
	}
	return c.keys(kind)
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

func words(list ...string) []candidate {
	out := make([]candidate, len(list))
	for i, w := range list {
		out[i] = candidate{word: w}
	}
	return out
}

// fixedWords are the words of the contract.
func fixedWords(kind string) []candidate {
	switch kind {
	case "event-type":
		var out []candidate
		for _, k := range eventKinds() {
			out = append(out, candidate{k.Type, "comes of: " + strings.Join(k.Operations, ", ")})
		}
		return out
	case "scope":
		return words(append(credit.MerchantScopes(), credit.OperatorScopes()...)...)
	case "order-status":
		return words("CREATED", "AUTHORIZED", "CAPTURED", "CANCELED", "RETURNED")
	case "financing-status":
		return words("NONE", "ACTIVE", "PAID_OFF", "OVERDUE", "CHARGED_OFF")
	case "watched-status":
		return append(fixedWords("order-status"), fixedWords("financing-status")...)
	case "payment-status":
		return words("SCHEDULED", "PENDING", "SUCCEEDED", "FAILED", "PARTIALLY_REFUNDED", "REFUNDED", "RETURNED", "CANCELED")
	case "method":
		return words("ACH", "CARD", "CHECK", "WIRE", "CASH", "OTHER")
	case "reversal":
		return words("DUPLICATE", "WRONG_RECEIVER", "WRONG_AMOUNT", "WRONG_DATE")
	case "by-hand":
		return words("CHECK", "WIRE", "CASH", "OTHER")
	case "invoice-status":
		return words("OPEN", "PAID", "PAST_DUE", "VOID")
	case "payout-status":
		return words("PENDING", "SENT", "SETTLED", "FAILED")
	case "alarm-kind":
		return words("notice_overdue", "screening_open", "screening_report", "file_unsent", "file_unanswered", "late_return", "card_dispute", "return_rate", "bank_notice", "notice_due", "case_overdue", "application_review", "mail_failed", "receipt_unidentified", "credit_waiting", "refund_owed", "account_missing", "account_change", "account_at_several_companies", "reported_payment_withdrawn", "payouts_held", "payouts_limited", "merchant_debits", "clawback_unpaid", "company_suspended", "cards_stopped", "autopay_paused", "collection_stopped", "charge_off_proposed")
	case "notice-state":
		return words("unsent", "due_soon", "overdue", "late")
	case "mail-kind":
		return append(words("NOTICE", "INVOICE", "STATEMENT", "PAYOUT_ADVICE", "REVERSAL", "ACCOUNT_CHANGE"), letterWords()...)
	case "checkout-status":
		return words("OPEN", "PENDING_REVIEW", "ACCEPTED", "COMPLETED", "CANCELED", "DECLINED", "EXPIRED")
	case "application-status":
		return words("SUBMITTED", "IN_REVIEW", "INFORMATION_REQUESTED", "APPROVED", "DECLINED", "WITHDRAWN", "EXPIRED", "ESTIMATED")
	case "application-kind":
		return words("NEW", "LINE_INCREASE", "PREQUALIFICATION")
	case "case-status":
		return words("OPEN", "WAITING", "RESOLVED")
	case "person-role":
		return words("OWNER", "BUYER", "VIEWER")
	case "case-outcome":
		return words("UPHELD", "REJECTED", "ANSWERED")
	case "rail":
		return words("ACH", "CARD")
	case "transfer-status":
		return words("QUEUED", "SENT", "SETTLED", "FAILED", "RETURNED", "CANCELED")
	case "receipt-status":
		return words("OPEN", "IDENTIFIED", "RETURNED")
	case "screening-status":
		return words("OPEN", "CLEARED", "CONFIRMED")
	case "delivery-state":
		return words("PENDING", "SUCCEEDED", "PARKED", "CANCELED")
	}
	return nil
}

// letterWords are the kinds of mails of the buyer's side.
func letterWords() (out []candidate) {
	for _, t := range letter.Templates() {
		out = append(out, candidate{word: strings.ToUpper(string(t))})
	}
	return out
}

// keys asks the server that the environment names. Who has no token, or no server,
// gets no keys.
func (c completer) keys(kind string) []candidate {
	r := remote{URL: cmp.Or(c.a.getenv("TENOR_URL"), "http://localhost:8080"), TokenFile: c.a.getenv("TENOR_TOKEN_FILE")}
	quiet := *c.a
	quiet.errTerminal = false
	api, err := r.connect(&quiet)
	if err != nil {
		return nil
	}
	ctx, cancel := context.WithTimeout(c.ctx, c.a.wait(completeTimeout))
	defer cancel()
	api.Retries = 0
	page := client.Paging{Limit: 50}
	switch kind {
	case "order":
		return found(api.ListOrders(ctx, client.OrderFilter{}, page))(func(o *client.Order) candidate {
			return candidate{o.Key, strings.TrimSpace(o.MerchantOrderID + " " + dollars(o.Amount) + " " + o.Status)}
		})
	case "company":
		return found(api.ListCompanies(ctx, page))(func(x *client.Company) candidate { return candidate{x.ID, x.Name} })
	case "webhook":
		return found(api.ListWebhooks(ctx, page))(func(w *client.Webhook) candidate { return candidate{w.ID, w.URL} })
	case "merchant":
		return found(api.ListMerchants(ctx, page))(func(m *client.Merchant) candidate { return candidate{m.ID, m.Name} })
	}
	return nil
}

// found makes candidates of a page, and none of an error.
func found[T any](p *client.Page[T], err error) func(func(*T) candidate) []candidate {
	return func(of func(*T) candidate) []candidate {
		if err != nil {
			return nil
		}
		var out []candidate
		for i := range p.Data {
			out = append(out, of(&p.Data[i]))
		}
		return out
	}
}

// suggestion is what somebody may have meant by a word, as the end of a sentence.
func suggestion(word string, known []string) string {
	best, least := "", 3 // more letters than two is another word
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
