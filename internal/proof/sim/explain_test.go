package sim

import (
	"context"
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/core/store/memory"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/explain"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/edge/resource"
)

var brackets = regexp.MustCompile(`\[.*\]`)

// After any business, every amount shown on an order's resources has an explanation with the same
// value, and the explanation's postings add up to it (P13).
func TestEverythingIsExplained(t *testing.T) {
	amounts, posted, kinds := 0, 0, map[string]bool{}
	for _, seed := range seedsOf(t, 25) {
		r, err := NewRun(memory.New(), NewRand(seed), 3)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Drive(150); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		for _, key := range r.Model.Orders() {
			x, err := r.explain(key)
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			for name, want := range x.shown {
				got, found := x.explained[name]
				if !found || got.Value != want {
					t.Fatalf("seed %d: %s of %s is shown as %s, explained as %s (%t)", seed, name, key, want, got.Value, found)
				}
				amounts++
			}
			for name, e := range x.explained {
				if err := x.sum(e); err != nil {
					t.Fatalf("seed %d: %s of %s: %v", seed, name, key, err)
				}
				if len(e.Postings) > 0 {
					posted++
					kinds[brackets.ReplaceAllString(name, "[]")] = true
				}
			}
		}
	}
	t.Logf("%d amounts shown, %d traced to postings, of %d kinds", amounts, posted, len(kinds))
	if posted == 0 || !kinds["captured_amount"] || !kinds["schedule.total_paid"] {
		t.Errorf("traced: %q", slices.Sorted(maps.Keys(kinds)))
	}
}

// explained is an order as its resources show it, with its explanation.
type explained struct {
	shown     map[string]money.Amount
	explained map[string]explain.Explanation
	evidence  explain.Evidence
}

func (r *Run) explain(key string) (*explained, error) {
	v := explain.Evidence{Day: r.Today()}
	err := r.World.DB.View(context.Background(), func(view store.View) error {
		state := credit.NewState()
		if err := view.Load(state, credit.Keys{Orders: []string{key}, History: []string{key}}); err != nil {
			return err
		}
		v.Order, v.Loan, v.History = state.Orders[key], state.Loans[key], state.History[key]
		if err := view.Load(state, credit.Keys{Companies: []int64{v.Order.Company}}); err != nil {
			return err
		}
		for _, c := range state.Credits[v.Order.Company] {
			v.Credits = append(v.Credits, c.Credit)
		}
		rows, err := store.EntriesOf(view, key)
		for i := range rows {
			v.Entries = append(v.Entries, rows[i].Entry)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	x := &explained{map[string]money.Amount{}, map[string]explain.Explanation{}, v}
	x.show("", resource.NewOrder(v.Order))
	if v.Loan != nil {
		l := v.Loan.Standing(v.Credits, v.Day)
		x.show("schedule.", resource.NewSchedule(v.Order, l, v.Day))
		x.show("payoff.", resource.NewPayoff(v.Order, v.Day, l.Payoff(v.Day), true))
	}
	for _, e := range explain.Explain(v) {
		if _, twice := x.explained[e.Amount]; twice {
			return nil, fmt.Errorf("%s of %s is explained twice", e.Amount, key)
		}
		x.explained[e.Amount] = e
	}
	return x, nil
}

// show collects the amounts of a resource by name. The shop's own totals and prices are not ours
// to explain.
func (x *explained) show(prefix string, shown any) {
	v := reflect.ValueOf(shown)
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		switch m := v.Field(i).Interface().(type) {
		case money.Amount:
			x.shown[prefix+name] = m
		case *resource.Terms:
			if m != nil {
				x.show(prefix+name+".", *m)
			}
		case []resource.Installment:
			for _, row := range m {
				x.show(fmt.Sprintf("%s%s[%d].", prefix, name, row.Number), row)
			}
		case []resource.Refund:
			for _, refund := range m {
				x.show(fmt.Sprintf("%s%s[%s].", prefix, name, refund.ID), refund)
			}
		}
	}
}

// sum adds up the postings that an explanation cites.
func (x *explained) sum(e explain.Explanation) error {
	total := money.Amount(0)
	for _, ref := range e.Postings {
		i := slices.IndexFunc(x.evidence.Entries, func(y ledger.Entry) bool { return y.ID == ref.Entry })
		if i < 0 {
			return fmt.Errorf("names entry %s, which is not there", ref.Entry)
		}
		total += x.evidence.Entries[i].Postings[ref.Line].Amount
	}
	posted := e.Value - e.Unposted
	if len(e.Postings) > 0 && total != posted && -total != posted {
		return fmt.Errorf("is %s with %s unposted, its postings come to %s", e.Value, e.Unposted, total)
	}
	l := x.evidence.Loan
	stands := l == nil || slices.Equal(l.Standing(x.evidence.Credits, x.evidence.Day).Rows, l.Rows)
	funded := x.evidence.Order.Terms == nil || !x.evidence.Order.Terms.Unfunded
	if e.Unposted != 0 && stands && funded {
		return fmt.Errorf("is %s and %s of it is posted nowhere", e.Value, e.Unposted)
	}
	return nil
}
