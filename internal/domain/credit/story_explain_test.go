package credit_test

import (
	"fmt"
	"slices"
	"strings"

	"tenor/internal/domain/explain"
	"tenor/internal/domain/ledger"
)

// showExplained writes how an order's amounts with one of the prefixes came about: name,
// value, rule, inputs, and postings.
func (s *story) showExplained(key string, prefixes []string) {
	v := s.evidence(key)
	s.explained(key)
	for _, x := range explain.Explain(v) {
		name := s.shortened(x.Amount)
		if !slices.ContainsFunc(prefixes, func(p string) bool { return strings.HasPrefix(name, p) }) {
			continue
		}
		s.say("%s = %s by %s", name, x.Value, x.Rule)
		for _, i := range x.Inputs {
			s.say("    of %s: %s", s.shortened(i.Name), s.shortened(i.Value))
		}
		for _, ref := range x.Postings {
			i := slices.IndexFunc(v.Entries, func(e ledger.Entry) bool { return e.ID == ref.Entry })
			e := v.Entries[i]
			p := e.Postings[ref.Line]
			side := "D"
			if p.Amount < 0 {
				side, p.Amount = "C", -p.Amount
			}
			row := ""
			if p.Installment != 0 {
				row = fmt.Sprintf("/%d", p.Installment)
			}
			s.say("    in %s %s: %s %d%s %s", e.ValueDate, e.Event, side, p.Account, row, p.Amount)
		}
		if x.Unposted != 0 {
			s.say("    not posted: %s", x.Unposted)
		}
	}
}

// shortened writes a text with the story's own names instead of generated ones.
func (s *story) shortened(text string) string {
	for id, alias := range s.alias {
		text = strings.ReplaceAll(text, id, alias)
	}
	for i, r := range s.refundIDs() {
		text = strings.ReplaceAll(text, r, fmt.Sprintf("refund%d", i+1))
	}
	return text
}

// refundIDs lists the refunds of all orders, oldest first.
func (s *story) refundIDs() []string {
	var ids []string
	for _, o := range s.all.Orders {
		for _, r := range o.Refunds {
			ids = append(ids, r.ID)
		}
	}
	slices.Sort(ids)
	return ids
}
