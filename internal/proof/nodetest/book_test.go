//go:build linux

package nodetest

import (
	"fmt"
	"slices"
	"testing"

	"tenor/internal/domain/money"
)

// call is a request with its response.
type call struct {
	request request
	answer  answer
}

// inOrder sorts calls by their commit sequence, which must be unique.
func inOrder(t *testing.T, requests []request, answers []answer) []call {
	t.Helper()
	calls := make([]call, len(requests))
	for i := range calls {
		calls[i] = call{requests[i], answers[i]}
	}
	slices.SortFunc(calls, func(a, b call) int { return int(a.answer.seq() - b.answer.seq()) })
	for i, c := range calls {
		if c.answer.seq() == 0 || i > 0 && c.answer.seq() == calls[i-1].answer.seq() {
			t.Fatalf("%s: its sequence %q is none, or another one's: %s", c.request, c.answer.Seq, c.answer.Body)
		}
	}
	return calls
}

// book is the required state of one credit line after its decisions, in the order of their
// sequences: the tests' own arithmetic (CL1, CL2, RF1, PA3).
type book struct {
	limit    money.Amount
	reserved money.Amount
	used     money.Amount // outstanding principal
	held     money.Amount // principal paid with money that the merchant still has (F41.4)
	orders   map[string]*deal
}

// deal is an order in a book.
type deal struct {
	status                        string
	amount                        money.Amount // reserved while AUTHORIZED
	captured, refunded, principal money.Amount
}

func newBook(limit money.Amount) *book { return &book{limit: limit, orders: map[string]*deal{}} }

func (b *book) available() money.Amount { return b.limit - b.reserved - b.used - b.held }

func (b *book) line() line {
	return line{Limit: b.limit, Available: b.available(), Reserved: b.reserved, Outstanding: b.used, OnHold: b.held}
}

// wrong says what a decision should have been.
func (b *book) wrong(c call, format string, args ...any) error {
	return fmt.Errorf("at %s: %s %s: %d %s, but %s; the book is %+v", c.answer.Seq, c.request, c.request.Body, c.answer.Status, c.answer.code(),
		fmt.Sprintf(format, args...), b.line())
}

// decided compares a decision with the required one: "" for accepted, otherwise the code of the
// refusal.
func (b *book) decided(c call, want string) error {
	if c.answer.code() != want || c.answer.accepted() != (want == "") {
		return b.wrong(c, "expected %q", want)
	}
	return nil
}

// grows returns the required outcome of increasing the reserved amount.
func (b *book) grows(by money.Amount) string {
	if by > 0 && by > b.available() {
		return "insufficient_credit"
	}
	return ""
}

func (b *book) authorize(c call, amount money.Amount) error {
	want := b.grows(amount)
	if err := b.decided(c, want); err != nil || want != "" {
		return err
	}
	var o order
	if err := c.answer.read(&o); err != nil {
		return err
	}
	b.orders[o.Key] = &deal{status: "AUTHORIZED", amount: amount}
	b.reserved += amount
	return nil
}

// setAmount changes the reserved amount.
func (b *book) setAmount(c call, key string, amount money.Amount) error {
	d, want := b.orders[key], ""
	switch {
	case amount == d.amount: // unchanged
	case d.captured > 0:
		want = "amount_locked"
	case d.status == "CANCELED":
		want = "order_locked"
	case d.status == "AUTHORIZED":
		want = b.grows(amount - d.amount)
	}
	if err := b.decided(c, want); err != nil || want != "" || d.status != "AUTHORIZED" {
		return err
	}
	b.reserved += amount - d.amount
	d.amount = amount
	return nil
}

// capture ends the reservation and starts the loan. A second one changes nothing.
func (b *book) capture(c call, key string) error {
	d, want := b.orders[key], ""
	if d.status != "AUTHORIZED" && d.status != "CAPTURED" {
		want = "invalid_transition"
	}
	if err := b.decided(c, want); err != nil || d.status != "AUTHORIZED" {
		return err
	}
	b.reserved -= d.amount
	b.used += d.amount
	d.status, d.captured, d.principal = "CAPTURED", d.amount, d.amount
	return nil
}

// cancel releases the reservation. A second one changes nothing.
func (b *book) cancel(c call, key string) error {
	d, want := b.orders[key], ""
	if d.captured > 0 {
		want = "invalid_transition"
	}
	if err := b.decided(c, want); err != nil || d.status != "AUTHORIZED" {
		return err
	}
	b.reserved -= d.amount
	d.status = "CANCELED"
	return nil
}

// refund refunds what was captured, never more in total (RF1).
func (b *book) refund(c call, key string, amount money.Amount) error {
	d, want := b.orders[key], ""
	switch {
	case d.captured == 0:
		want = "order_not_captured"
	case amount > d.captured-d.refunded:
		want = "refund_exceeds_captured"
	}
	if err := b.decided(c, want); err != nil || want != "" {
		return err
	}
	d.refunded += amount
	if d.refunded == d.captured {
		d.status = "RETURNED"
	}
	b.held -= amount - b.lower(d, amount) // the payment is refunded through the merchant (F13.4)
	return nil
}

// pay reduces what is owed, but frees no credit line: the merchant has the money. The excess is
// the buyer's credit (PA3, F41.4).
func (b *book) pay(c call, key string, amount money.Amount) error {
	d, want := b.orders[key], ""
	if d.captured == 0 {
		want = "order_not_captured"
	}
	if err := b.decided(c, want); err != nil || want != "" {
		return err
	}
	b.held += b.lower(d, amount)
	return nil
}

// lower reduces the principal by an amount, as far as possible, and returns the reduction.
func (b *book) lower(d *deal, amount money.Amount) money.Amount {
	amount = min(amount, d.principal)
	d.principal -= amount
	b.used -= amount
	return amount
}
