package console

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
	"tenor/internal/domain/permit"
	"tenor/internal/office/books"
	"tenor/internal/ui/design"
)

const (
	// bookedDays is how many days of an account's postings a page reads.
	bookedDays = 366
	// exportTime is how long a file of entries may hold the snapshot that it is read from.
	exportTime = 5 * time.Minute
)

// shownPostings is up to how many postings of an account a page shows.
const shownPostings = 500

// dayOf is a day of the address, or another if there is none; false if it cannot be read.
func (v *visit) dayOf(name string, other calendar.Date) (calendar.Date, bool) {
	text := v.r.URL.Query().Get(name)
	if text == "" {
		return other, true
	}
	day, err := calendar.Parse(text)
	return day, err == nil
}

// ledger shows the trial balance of a day: each account leads to its postings.
func (v *visit) ledger() error {
	day, ok := v.dayOf("date", v.today())
	if !ok || day > v.today() {
		return v.bare(http.StatusNotFound, "lost")
	}
	var trial books.Trial
	var open []calendar.Date
	err := v.desk().Store.View(v.r.Context(), func(w store.View) error {
		balances, err := w.TrialBalance(store.BookFilter{From: calendar.None, To: day})
		if err != nil {
			return err
		}
		trial = books.TrialOf(balances)
		open, err = v.openMonths(w)
		return err
	})
	if err != nil {
		return err
	}
	title, m, subject := v.say("nav.ledger"), v.language().Money, v.ledgerSubject(open)
	difference := design.Figure{Label: v.say("ledger.difference"), Value: m(trial.Debits.Sub(trial.Credits))}
	if !trial.Balanced() {
		difference.Note = v.say("ledger.unbalanced")
	}
	p := page{
		Shell: v.shell("ledger", title), Title: design.Title{Text: title, Lead: v.say("ledger.lead", v.language().LongDay(day))},
		TopActs: v.topActs(subject), Impossible: v.impossible(subject), Notice: v.did(subject),
		Figures: []design.Figure{{Label: v.say("ledger.debits"), Value: m(trial.Debits)}, {Label: v.say("ledger.credits"), Value: m(trial.Credits)}, difference},
		Filter:  v.filterOf("ledger", v.narrowed("date"), []design.Field{v.typedIn(v.narrowed("date"), "date", "date")}),
		Tables:  []titled{{ID: "trial", Title: v.say("ledger.trial"), Table: v.trialTable(trial, day)}},
	}
	return v.show(http.StatusOK, p)
}

func (v *visit) trialTable(trial books.Trial, day calendar.Date) design.Table {
	t := design.Table{Caption: v.say("ledger.trial"), Columns: []design.Column{{Text: v.say("col.account")}, {Text: v.say("debit"), Number: true}, {Text: v.say("credit"), Number: true}}, Empty: &design.Empty{Text: v.say("ledger.empty"), Command: "tenor ledger trial-balance"}}
	from := day.StartOfMonth()
	for _, l := range trial.Lines {
		debit, credit := v.language().Money(l.Balance), ""
		if l.Balance < 0 {
			debit, credit = "", v.language().Money(-l.Balance)
		}
		q := url.Values{"from": {from.String()}, "to": {day.String()}}
		t.Rows = append(t.Rows, design.Row{Cells: []design.Cell{
			{Text: strconv.Itoa(int(l.Account)) + " " + l.Account.Name(), Href: Prefix + "/ledger/" + strconv.Itoa(int(l.Account)) + "?" + q.Encode()}, {Text: debit}, {Text: credit},
		}})
	}
	return t
}

// account shows the postings of an account between two days, from its balance before to its balance
// after.
func (v *visit) account() error {
	n, err := strconv.Atoi(v.r.PathValue("account"))
	a := ledger.Account(n)
	to, okTo := v.dayOf("to", v.today())
	from, okFrom := v.dayOf("from", to.StartOfMonth())
	if err != nil || a.Name() == "" || !okTo || !okFrom || from > to {
		return v.bare(http.StatusNotFound, "lost")
	}
	if from.DaysUntil(to) >= bookedDays {
		return v.bare(http.StatusRequestEntityTooLarge, "years")
	}
	var before, moved money.Amount
	var rows []design.Row
	lines := 0
	err = v.desk().Store.View(v.r.Context(), func(w store.View) error {
		balances, err := w.TrialBalance(store.BookFilter{From: calendar.None, To: from.AddDays(-1)})
		if err != nil {
			return err
		}
		before = balances[a]
		return store.EachEntryOf(w, store.BookFilter{From: from, To: to}, func(e store.EntryRow) error {
			for _, x := range e.Postings {
				if x.Account != a {
					continue
				}
				if moved, lines = moved.Add(x.Amount), lines+1; lines <= shownPostings {
					rows = append(rows, v.accountRow(e, x))
				}
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	name := strconv.Itoa(n) + " " + a.Name()
	q := v.narrowed("from", "to")
	p := page{
		Shell: v.shell("ledger", name), Crumbs: []design.Link{{Text: v.say("nav.ledger"), Href: Prefix + "/ledger?date=" + to.String()}, {Text: name}},
		Title:  design.Title{Text: name, Lead: v.say("ledger.between", v.language().Day(from), v.language().Day(to))},
		Filter: v.filterOf("ledger/"+strconv.Itoa(n), q, []design.Field{v.typedIn(q, "from", "date"), v.typedIn(q, "to", "date")}),
		Figures: []design.Figure{{Label: v.say("ledger.before"), Value: v.language().Money(before)}, {Label: v.say("ledger.moved"), Value: v.language().Money(moved), Note: v.say("ledger.lines."+few(lines), lines)},
			{Label: v.say("ledger.after"), Value: v.language().Money(before.Add(moved))}},
		Tables: []titled{{ID: "postings", Table: design.Table{Caption: v.say("act.postings"), Columns: []design.Column{
			{Text: v.say("col.entry")}, {Text: v.say("ledger.booked"), From: "sm"}, {Text: v.say("ledger.value"), From: "lg"}, {Text: v.say("debit"), Number: true, From: "sm"}, {Text: v.say("credit"), Number: true, From: "sm"},
		}, Rows: rows, Empty: &design.Empty{Text: v.say("act.unposted"), Command: "tenor ledger entries"}}}},
	}
	if v.visitor.May(permit.Export) > permit.None {
		p.Title.Act = &design.Button{Text: v.say("list.csv"), Small: true, Href: Prefix + "/ledger.csv?" + url.Values{"from": {from.String()}, "to": {to.String()}}.Encode()}
	}
	if lines > shownPostings {
		p.Notice = &design.Notice{Icon: "circle-alert", Title: v.say("ledger.first", shownPostings, lines), Text: v.say("ledger.first.text")}
	}
	return v.show(http.StatusOK, p)
}

// accountRow is one posting, which leads to what it is about.
func (v *visit) accountRow(e store.EntryRow, x ledger.Posting) design.Row {
	debit, credit := v.language().Money(x.Amount), ""
	if x.Amount < 0 {
		debit, credit = "", v.language().Money(-x.Amount)
	}
	side := v.say("debit") + " " + debit
	if x.Amount < 0 {
		side = v.say("credit") + " " + credit
	}
	about := design.Cell{Text: worded(strings.ToLower(e.Event)), Detail: e.Cause, Narrow: side}
	switch {
	case x.Order != "":
		about.Href, about.Detail = Prefix+"/orders/"+x.Order+"/ledger", x.Order
	case x.Payment != "":
		about.Href, about.Detail = Prefix+"/payments/"+x.Payment, x.Payment
	}
	return design.Row{Cells: []design.Cell{about, {Text: v.language().Day(e.BookDate), Soft: true}, {Text: v.language().Day(e.ValueDate), Soft: true}, {Text: debit}, {Text: credit}}}
}

// ledgerCSV is all entries between two days as a file, one row for each posting. That they were
// exported is in the audit log before the first leaves.
func (v *visit) ledgerCSV() error {
	to, okTo := v.dayOf("to", v.today())
	from, okFrom := v.dayOf("from", to.StartOfMonth())
	if !okTo || !okFrom {
		return v.bare(http.StatusNotFound, "lost")
	}
	if err := v.desk().Record(v.r.Context(), v.visitor, "exportEntries", from.String()+" "+to.String(), v.address); err != nil {
		return err
	}
	v.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
	v.w.Header().Set("Content-Disposition", `attachment; filename="entries.csv"`)
	ctx, cancel := context.WithTimeout(v.r.Context(), exportTime)
	defer cancel()
	err := v.desk().Store.View(ctx, func(w store.View) error {
		return books.WriteCSV(v.w, func(fn func(store.EntryRow) error) error {
			return store.EachEntryOf(w, store.BookFilter{From: from, To: to}, fn)
		})
	})
	if err != nil && v.config.Log != nil {
		v.config.Log.Error("an export broke off", "list", "entries", "error", err.Error())
	}
	if err != nil {
		panic(http.ErrAbortHandler) // a file that ends early must not look whole
	}
	return nil
}

// openMonths are the months that have ended and are not closed, the earliest first: months are
// closed in order.
func (v *visit) openMonths(w store.View) (out []calendar.Date, err error) {
	closed, err := store.AllOf(w, store.PeriodNoun)
	if err != nil {
		return nil, err
	}
	next, err := books.FirstBooked(w)
	if err != nil || next == calendar.None {
		return nil, err
	}
	next = next.StartOfMonth()
	for _, p := range closed {
		next = max(next, p.Month.EndOfMonth().AddDays(1))
	}
	for ; next.EndOfMonth() < v.today(); next = next.EndOfMonth().AddDays(1) {
		out = append(out, next)
	}
	return out, nil
}

// ledgerSubject is the books as their acts' pages name them.
func (v *visit) ledgerSubject(open []calendar.Date) *subject {
	sides := []design.Option{{Value: "IN", Text: v.say("ledger.in")}, {Value: "OUT", Text: v.say("ledger.out")}}
	var months []design.Option
	for _, d := range open {
		months = append(months, design.Option{Value: d.String(), Text: v.say("ledger.month.of", v.language().Day(d), v.language().Day(d.EndOfMonth()))})
	}
	return &subject{section: "ledger", path: "/ledger", name: v.say("nav.ledger"), lead: v.language().LongDay(v.today()), acts: []act{
		{name: "fund", permission: permit.Post, fields: []field{
			v.amountOf("amount", "orders.amount", 0, ""), v.pick("side", "ledger.side", "IN", sides...), {Field: design.Field{Name: "reference", Label: v.say("act.reference"), Hint: v.say("ledger.reference")}},
		}, command: func(g given) credit.Command {
			c := compliance.MoveFunding{Amount: g.amounts["amount"], Reference: g.texts["reference"]}
			if g.texts["side"] == "OUT" {
				c.Amount = -c.Amount
			}
			return c
		}},
		act{name: "close-month", permission: permit.Post, fields: []field{v.pick("month", "ledger.month", first(months), months...)}, read: v.closing}.possible(len(months) > 0, "unended"),
	}}
}

// closing closes a month with the debits that its books have once nothing before is in progress.
func (v *visit) closing(g given) (credit.Command, error) {
	month, err := calendar.Parse(g.texts["month"])
	if err != nil {
		return nil, err
	}
	c := compliance.ClosePeriod{Month: month, ReadAt: v.desk().Now()}
	if err := v.desk().Settle(v.r.Context()); err != nil {
		return nil, err
	}
	err = v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		c.Debits, c.First, err = books.Closing(w, month)
		return err
	})
	return c, err
}

func findLedgerSubject(v *visit) (*subject, error) {
	var open []calendar.Date
	err := v.desk().Store.View(v.r.Context(), func(w store.View) (err error) {
		open, err = v.openMonths(w)
		return err
	})
	return v.ledgerSubject(open), err
}
