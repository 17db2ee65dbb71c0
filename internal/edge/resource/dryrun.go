package resource

import (
	"bytes"
	"fmt"
	"io"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/schedule"
)

// DryRun is what a call would do. Identifiers and instants that only the real call
// generates are null.
type DryRun[T any] struct {
	Result     T                `json:"result" doc:"The resource the call would return."`
	Schedule   *Schedule        `json:"schedule" nullable:"true" doc:"The order's schedule after the call; null if it has none."`
	Entries    []Entry          `json:"entries" doc:"What the call would post."`
	CreditLine CreditLineChange `json:"credit_line" doc:"The company's credit line."`
}

// CreditLineChange is a credit line before and after a call.
type CreditLineChange struct {
	Before CreditLine `json:"before" doc:"As it is."`
	After  CreditLine `json:"after" doc:"After the call."`
}

// NewDryRun returns what a command would do: its changes, shown by the resource that the
// call would return, the order's schedule afterwards (nil if it has none) and the company
// before and after.
func NewDryRun[T any](result T, s *Schedule, c credit.Changes, before, after *credit.Company) DryRun[T] {
	return DryRun[T]{
		Result: result, Schedule: s,
		Entries:    convert(c.Entries, func(e *ledger.Entry) Entry { return NewEntry(e, 0) }),
		CreditLine: CreditLineChange{Before: NewCreditLine(before), After: NewCreditLine(after)},
	}
}

// EncodeDryRun encodes a dry run of changes decided at an instant, with null for that
// instant, for what follows from it, and for every identifier that the changes generated.
func EncodeDryRun[D any](d D, c credit.Changes, now time.Time) ([]byte, error) {
	b, err := Encode(d)
	if err != nil {
		return nil, err
	}
	undrawn := drawnIDs(c, now)
	for _, t := range drawnInstants(c, now) {
		undrawn[instant(t).Format(time.RFC3339Nano)] = true
	}
	out, err := blank(b, undrawn)
	if err != nil {
		return nil, fmt.Errorf("encode dry run: %w", err)
	}
	return out, nil
}

// drawnInstants returns the instant of the decision and those that follow from it.
func drawnInstants(c credit.Changes, now time.Time) []time.Time {
	out := []time.Time{now}
	for _, o := range c.Orders {
		if o.AuthorizedAt.Equal(now) {
			out = append(out, o.ExpiresAt)
		}
	}
	return out
}

// drawnIDs collects the identifiers of everything created at the instant.
func drawnIDs(c credit.Changes, now time.Time) map[string]bool {
	ids := map[string]bool{}
	for _, e := range c.Entries {
		ids[e.ID] = true
	}
	for _, e := range c.Money {
		ids[e.ID] = ids[e.ID] || ownName(e.Kind) && e.At.Equal(now)
	}
	for _, t := range c.Transfers {
		ids[t.ID] = ids[t.ID] || t.CreatedAt.Equal(now)
	}
	for _, p := range c.Payouts {
		ids[p.ID] = ids[p.ID] || p.CreatedAt.Equal(now)
	}
	for _, o := range c.Orders {
		ids[o.Key] = ids[o.Key] || o.CreatedAt.Equal(now)
		for _, r := range o.Refunds {
			ids[r.ID] = ids[r.ID] || r.CreatedAt.Equal(now)
		}
	}
	for _, i := range c.Invoices {
		ids[i.ID] = ids[i.ID] || i.IssuedAt.Equal(now)
	}
	for _, p := range c.Payments {
		ids[p.ID] = ids[p.ID] || p.CreatedAt.Equal(now)
		for _, r := range p.Refunds {
			ids[r.ID] = ids[r.ID] || r.CreatedAt.Equal(now)
		}
	}
	return ids
}

// ownName reports whether a money event's identifier is its own, rather than that of an
// order, a payment or a refund.
func ownName(k schedule.EventKind) bool {
	switch k {
	case schedule.EventReturn, schedule.EventCreditUse, schedule.EventFee, schedule.EventWaiver, schedule.EventChargeOff, schedule.EventReversal,
		schedule.EventReschedule, schedule.EventReamortize:
		return true
	}
	return false
}

// blank copies a JSON text and writes null for the listed strings. Names of members stay.
func blank(text []byte, listed map[string]bool) ([]byte, error) {
	in, out := jsontext.NewDecoder(bytes.NewReader(text)), new(bytes.Buffer)
	enc := jsontext.NewEncoder(out)
	for {
		kind := in.PeekKind()
		if kind == '{' || kind == '}' || kind == '[' || kind == ']' {
			token, err := in.ReadToken()
			if err != nil {
				return nil, err
			}
			if err := enc.WriteToken(token); err != nil {
				return nil, err
			}
			continue
		}
		v, err := in.ReadValue()
		if err == io.EOF {
			return bytes.TrimSuffix(out.Bytes(), []byte("\n")), nil
		}
		if err != nil {
			return nil, err
		}
		if kind == '"' && !isName(in) && listed[string(v[1:len(v)-1])] {
			v = jsontext.Value("null")
		}
		if err := enc.WriteValue(v); err != nil {
			return nil, err
		}
	}
}

// isName reports whether the last token read is the name of a member: the first of a pair.
func isName(in *jsontext.Decoder) bool {
	kind, n := in.StackIndex(in.StackDepth())
	return kind == '{' && n%2 == 1
}
