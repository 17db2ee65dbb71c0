package console

import (
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/explain"
	"tenor/internal/domain/ledger"
	"tenor/internal/ui/design"
)

// explain traces each amount of an order to its rule, the rule's inputs, and its postings.
func (v *visit) explain(w store.View, s *credit.State, x *orderBook) (err error) {
	o := x.order
	if err := w.Load(s, credit.Keys{Companies: []int64{o.Company}, History: []string{o.Key}}); err != nil {
		return err
	}
	if x.entries, err = store.EntriesOf(w, o.Key); err != nil {
		return err
	}
	var posted []ledger.Entry
	for _, e := range x.entries {
		posted = append(posted, e.Entry)
	}
	x.amounts = explain.Explain(explain.Evidence{
		Order: o, Loan: x.loan, Credits: explain.Held(s.Credits[o.Company]), History: s.History[o.Key], Entries: posted, Day: v.today(),
	})
	return nil
}

// explainTable has an amount a row: below it what made it, and the lines that add up to it.
func (v *visit) explainTable(x *orderBook) design.Table {
	t := design.Table{Caption: v.say("tab.explain"), Columns: []design.Column{{Text: v.say("explain.amount")}, {Text: v.say("explain.rule"), From: "sm"}, {Text: v.say("explain.value"), Number: true}}}
	lines := map[string][]ledger.Posting{}
	for _, e := range x.entries {
		lines[e.ID] = e.Postings
	}
	for _, a := range x.amounts {
		why := []string{explain.RuleText(a.Rule)}
		for _, in := range a.Inputs {
			why = append(why, in.Name+": "+in.Value)
		}
		var from []ledger.Posting
		for _, p := range a.Postings {
			from = append(from, lines[p.Entry][p.Line])
		}
		if len(from) > 0 {
			why = append(why, v.say("explain.posted", v.posted(from)))
		}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: worded(a.Amount), Detail: strings.Join(why, " · "), Strong: true}, {Text: a.Rule, Soft: true}, {Text: v.language().Money(a.Value), Strong: true},
		}})
	}
	return t
}
