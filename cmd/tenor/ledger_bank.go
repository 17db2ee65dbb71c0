package main

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"tenor/client"
)

type ledgerReconcile struct {
	remote
	AsOf   dateFlag `placeholder:"DATE" help:"Last day that counts; absent: today."`
	Import string   `type:"existingfile" placeholder:"FILE" help:"First add the lines of the bank's statement: CSV with the columns id,date,amount,reference. Lines that are there stay."`
}

// Examples are shown by -h.
func (ledgerReconcile) Examples() []string {
	return []string{"ledger reconcile", "ledger reconcile --import statement.csv", "ledger reconcile --as-of 2026-01-31 --json"}
}

// Run is called by the parser. What is open is a record.
func (c *ledgerReconcile) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	if c.Import != "" {
		if err := c.take(ctx, a, api); err != nil {
			return err
		}
	}
	var raw client.Response
	r, err := api.BankReconciliation(ctx, string(c.AsOf), client.Record(&raw))
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		err = document(a.out, raw.Body)
	case c.Plain:
		err = openTable(r, true).plain(a.out)
	case c.Quiet:
		for _, x := range append(r.OpenLines, r.OpenEntries...) {
			fmt.Fprintln(a.out, clean(x.ID))
		}
	default:
		err = showReconciliation(a, r)
	}
	if err != nil {
		return err
	}
	open := len(r.OpenLines) + len(r.OpenEntries)
	switch {
	case !r.Proven:
		return &failure{code: exitCheckFailed, text: "the open items do not explain the difference", hint: "Keep the data as they are, and have them checked:\n  " + a.program + " verify"}
	case open > 0:
		return &failure{code: exitCheckFailed, text: fmt.Sprintf("%d items are open", open), hint: c.next(a, r)}
	}
	return nil
}

// next is what to do about what is open: most lines that nobody has found are money that
// came in and is not recorded yet.
func (c *ledgerReconcile) next(a *app, r *client.BankReconciliation) string {
	hint := a.then("Say what they are:", "ledger match LINE … --entry ent_…")
	for _, x := range r.OpenLines {
		if cents, ok := x.Amount.Cents(); ok && cents > 0 {
			return hint + "\n" + a.then("Record a line that nobody can place; it is matched then:",
				"receipts record "+string(x.Amount)+" --received "+x.Date+" --reference "+pasted(x.Reference)+" --reason TEXT")
		}
	}
	return hint
}

// pasted is a text of a bank as it can stand in a command line that somebody copies: in
// quotes, or not at all.
func pasted(text string) string {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(" ._-/:#,", r) {
			return "TEXT"
		}
	}
	return "'" + text + "'"
}

// take adds the bank's lines.
func (c *ledgerReconcile) take(ctx context.Context, a *app, api *client.Client) error {
	f, err := os.Open(c.Import)
	if err != nil {
		return &failure{code: exitRefused, text: "read the file", err: err}
	}
	defer f.Close()
	taken, err := api.PutBankCSV(ctx, f)
	if err != nil {
		return err
	}
	c.say(a, "%s, of which %d are new. %d matched.", counted(taken.Lines, "line", "lines"), taken.New, taken.Matched)
	return nil
}

func openTable(r *client.BankReconciliation, whole bool) *table {
	t := newTable("OPEN", "ID", "DATE", ">AMOUNT", ">AGE", "WHAT", "OWNER", "NOTE")
	for side, list := range [][]client.BankOpenItem{r.OpenLines, r.OpenEntries} {
		for _, x := range list {
			what := x.Reference
			if side == 1 && whole {
				what += " " + x.Cause
			}
			t.row([]string{"LINE", "ENTRY"}[side], x.ID, x.Date, x.Amount, strconv.Itoa(x.Age), maybe(what), maybe(x.Owner), maybe(x.Note))
		}
	}
	return t
}

func showReconciliation(a *app, r *client.BankReconciliation) error {
	proof := "is what stands open"
	if !r.Proven {
		proof = "IS NOT what stands open"
	}
	if err := facts(a.out, "as of", r.AsOf, "bank", r.BankBalance, "ledger", r.LedgerBalance, "difference", r.Difference,
		"open lines", r.OpenLinesSum, "open entries", r.OpenEntriesSum, "proof", proof); err != nil {
		return err
	}
	if len(r.OpenLines)+len(r.OpenEntries) > 0 {
		fmt.Fprintln(a.out)
		if err := a.show(openTable(r, false)); err != nil {
			return err
		}
	}
	if len(r.Clearing) == 0 {
		return nil
	}
	fmt.Fprintln(a.out)
	t := newTable("CLEARING", "NAME", "FILE", "SETTLES", ">TRANSFERS", ">AMOUNT", "LATE")
	for _, x := range r.Clearing {
		late := ""
		if x.Late {
			late = "late"
		}
		t.row(strconv.Itoa(x.Account), x.AccountName, maybe(x.FileID), maybe(x.SettlesOn), strconv.Itoa(x.Transfers), x.Amount, late)
	}
	return a.show(t)
}

func bankMatchNoun() noun[client.BankMatch] {
	return noun[client.BankMatch]{
		head: []string{"ID", "RULE", ">AMOUNT", "LINES", "ENTRIES", "MADE", "BY", "UNDONE"},
		row: func(m *client.BankMatch) []any {
			return []any{m.ID, m.Rule, m.Amount, strings.Join(m.LineIDs, " "), strings.Join(m.EntryIDs, " "), m.MadeAt, maybe(m.MadeBy), m.UndoneAt}
		},
		key: func(m *client.BankMatch) string { return m.ID },
		text: func(a *app, m *client.BankMatch) error {
			return facts(a.out, "id", m.ID, "rule", m.Rule, "amount", m.Amount, "lines", strings.Join(m.LineIDs, " "), "entries", strings.Join(m.EntryIDs, " "),
				"note", m.Note, "made", m.MadeAt, "by", m.MadeBy, "undone", m.UndoneAt, "undone by", m.UndoneBy)
		},
	}
}

type ledgerMatches struct {
	remote
	paging
}

// Examples are shown by -h.
func (ledgerMatches) Examples() []string {
	return []string{"ledger matches", "ledger matches --all --json"}
}

// Run is called by the parser.
func (c *ledgerMatches) Run(ctx context.Context, a *app) error {
	return list(ctx, a, &c.remote, c.paging, bankMatchNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.BankMatch], error) {
		return api.ListBankMatches(ctx, p, o...)
	})
}

type ledgerMatch struct {
	remote
	Lines   []string `arg:"" optional:"" help:"Identifiers of lines of the bank."`
	Entries []string `name:"entry" placeholder:"ENT" help:"Identifier of an entry on 1000: ent_…; it may be given again."`
	Note    string   `placeholder:"TEXT" help:"What is known of it."`
}

// Examples are shown by -h.
func (ledgerMatch) Examples() []string {
	return []string{"ledger match 20260217-3 --entry ent_…", "ledger match 20260217-3 20260217-4 --entry ent_… --note 'two deposits'"}
}

// Run is called by the parser.
func (c *ledgerMatch) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	m, err := api.CreateBankMatch(ctx, client.BankMatchRequest{LineIDs: c.Lines, EntryIDs: c.Entries, Note: c.Note}, client.Record(&raw))
	if err != nil {
		return err
	}
	return told(a, c.output, bankMatchNoun(), raw, m, a.mildly(fmt.Sprintf("Matched %s.", dollars(m.Amount)), "ledger unmatch "+m.ID))
}

type ledgerUnmatch struct {
	remote
	ID string `arg:"" help:"Identifier of the match: mtc_…"`
}

// Examples are shown by -h.
func (ledgerUnmatch) Examples() []string { return []string{"ledger unmatch mtc_…"} }

// Run is called by the parser.
func (c *ledgerUnmatch) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	m, err := api.UndoBankMatch(ctx, c.ID, client.Record(&raw))
	if err != nil {
		return err
	}
	return told(a, c.output, bankMatchNoun(), raw, m, a.mildly("Its lines and entries are open again.", "ledger match "+strings.Join(m.LineIDs, " ")+" --entry "+strings.Join(m.EntryIDs, " --entry ")))
}

type ledgerAssign struct {
	remote
	ID    string `arg:"" help:"A line of the bank, or an entry on 1000: ent_…"`
	Owner string `required:"" placeholder:"NAME" help:"Who sees to it."`
	Note  string `placeholder:"TEXT" help:"What is known of it."`
}

// Examples are shown by -h.
func (ledgerAssign) Examples() []string {
	return []string{"ledger assign 20260323-1 --owner ann --note 'asked the bank'"}
}

// Run is called by the parser.
func (c *ledgerAssign) Run(ctx context.Context, a *app) error {
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	if strings.HasPrefix(c.ID, "ent_") {
		err = api.AssignEntry(ctx, c.ID, c.Owner, c.Note)
	} else {
		err = api.AssignBankLine(ctx, c.ID, c.Owner, c.Note)
	}
	switch {
	case err != nil:
		return err
	case c.JSON:
		return document(a.out, fmt.Appendf(nil, `{"id":%q,"owner":%q}`, c.ID, c.Owner))
	case c.Plain, c.Quiet:
		fmt.Fprintln(a.out, clean(c.ID))
		return nil
	}
	c.say(a, "%s sees to %s.", clean(c.Owner), clean(c.ID))
	return nil
}

// told prints what came of something that no command decides.
func told[T any](a *app, o output, n noun[T], raw client.Response, x *T, text string) error {
	switch {
	case o.JSON:
		return document(a.out, raw.Body)
	case o.Plain:
		t := newTable(n.head...)
		t.row(n.row(x)...)
		return t.plain(a.out)
	case o.Quiet:
		fmt.Fprintln(a.out, clean(n.key(x)))
		return nil
	}
	fmt.Fprintln(a.out, clean(text))
	return nil
}
