package trade

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// LedgerReconcile is the command "ledger reconcile".
type LedgerReconcile struct {
	terminal.Remote
	AsOf   terminal.DateFlag `placeholder:"DATE" help:"As of this day. Default: today."`
	Import string            `type:"existingfile" placeholder:"FILE" help:"First import this bank statement: CSV with the columns id,date,amount,reference. Existing lines are kept."`
}

func (LedgerReconcile) Examples() []string {
	return []string{"ledger reconcile", "ledger reconcile --import statement.csv", "ledger reconcile --as-of 2026-01-31 --json"}
}

// Run is called by the parser. Each open item is a record.
func (c *LedgerReconcile) Run(ctx context.Context, a *terminal.App) error {
	api, err := c.Connect(a)
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
		err = terminal.Document(a.Out, raw.Body)
	case c.Plain:
		err = openTable(r, true).Plain(a.Out)
	case c.Quiet:
		for _, x := range append(r.OpenLines, r.OpenEntries...) {
			fmt.Fprintln(a.Out, terminal.Clean(x.ID))
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
		return &exit.Failure{Code: exit.CheckFailed, Text: "the open items do not explain the difference", Hint: "Leave the data unchanged and check the books:\n  " + a.Program + " verify"}
	case open > 0:
		return &exit.Failure{Code: exit.CheckFailed, Text: fmt.Sprintf("%d items are open", open), Hint: c.next(a, r)}
	}
	return nil
}

// next says what to do about open items: most unmatched lines are money that came in and is not
// recorded yet.
func (c *LedgerReconcile) next(a *terminal.App, r *client.BankReconciliation) string {
	hint := a.Then("Match them:", "ledger match LINE … --entry ent_…")
	for _, x := range r.OpenLines {
		if cents, ok := x.Amount.Cents(); ok && cents > 0 {
			return hint + "\n" + a.Then("Or record the line as an unidentified receipt, which matches it:",
				"receipts record "+string(x.Amount)+" --received "+x.Date+" --reference "+pasted(x.Reference)+" --reason TEXT")
		}
	}
	return hint
}

// pasted makes a bank's text safe in a command line that the user copies: it is quoted, or
// replaced by TEXT.
func pasted(text string) string {
	for _, r := range text {
		if (r < 'a' || r > 'z') && (r < 'A' || r > 'Z') && (r < '0' || r > '9') && !strings.ContainsRune(" ._-/:#,", r) {
			return "TEXT"
		}
	}
	return "'" + text + "'"
}

// take imports the bank's lines.
func (c *LedgerReconcile) take(ctx context.Context, a *terminal.App, api *client.Client) error {
	f, err := os.Open(c.Import)
	if err != nil {
		return &exit.Failure{Code: exit.Refused, Text: "read the file", Err: err}
	}
	defer f.Close()
	taken, err := api.PutBankCSV(ctx, f)
	if err != nil {
		return err
	}
	c.Say(a, "%s, %d new, %d matched.", terminal.Counted(taken.Lines, "line", "lines"), taken.New, taken.Matched)
	return nil
}

func openTable(r *client.BankReconciliation, whole bool) *terminal.Table {
	t := terminal.NewTable("OPEN", "ID", "DATE", ">AMOUNT", ">AGE", "WHAT", "OWNER", "NOTE")
	for side, list := range [][]client.BankOpenItem{r.OpenLines, r.OpenEntries} {
		for _, x := range list {
			what := x.Reference
			if side == 1 && whole {
				what += " " + x.Cause
			}
			t.Row([]string{"LINE", "ENTRY"}[side], x.ID, x.Date, x.Amount, strconv.Itoa(x.Age), terminal.Maybe(what), terminal.Maybe(x.Owner), terminal.Maybe(x.Note))
		}
	}
	return t
}

func showReconciliation(a *terminal.App, r *client.BankReconciliation) error {
	proof := "equals the open items"
	if !r.Proven {
		proof = "DOES NOT EQUAL the open items"
	}
	if err := terminal.Facts(a.Out, "as of", r.AsOf, "bank", r.BankBalance, "ledger", r.LedgerBalance, "difference", r.Difference,
		"open lines", r.OpenLinesSum, "open entries", r.OpenEntriesSum, "proof", proof); err != nil {
		return err
	}
	if len(r.OpenLines)+len(r.OpenEntries) > 0 {
		fmt.Fprintln(a.Out)
		if err := a.Show(openTable(r, false)); err != nil {
			return err
		}
	}
	if len(r.Clearing) == 0 {
		return nil
	}
	fmt.Fprintln(a.Out)
	t := terminal.NewTable("CLEARING", "NAME", "FILE", "SETTLES", ">TRANSFERS", ">AMOUNT", "LATE")
	for _, x := range r.Clearing {
		late := ""
		if x.Late {
			late = "late"
		}
		t.Row(strconv.Itoa(x.Account), x.AccountName, terminal.Maybe(x.FileID), terminal.Maybe(x.SettlesOn), strconv.Itoa(x.Transfers), x.Amount, late)
	}
	return a.Show(t)
}

func bankMatchNoun() terminal.Noun[client.BankMatch] {
	return terminal.Noun[client.BankMatch]{
		Head: []string{"ID", "RULE", ">AMOUNT", "LINES", "ENTRIES", "MADE", "BY", "UNDONE"},
		Row: func(m *client.BankMatch) []any {
			return []any{m.ID, m.Rule, m.Amount, strings.Join(m.LineIDs, " "), strings.Join(m.EntryIDs, " "), m.MadeAt, terminal.Maybe(m.MadeBy), m.UndoneAt}
		},
		Key: func(m *client.BankMatch) string { return m.ID },
		Text: func(a *terminal.App, m *client.BankMatch) error {
			return terminal.Facts(a.Out, "id", m.ID, "rule", m.Rule, "amount", m.Amount, "lines", strings.Join(m.LineIDs, " "), "entries", strings.Join(m.EntryIDs, " "),
				"note", m.Note, "matched", m.MadeAt, "by", m.MadeBy, "undone", m.UndoneAt, "undone by", m.UndoneBy)
		},
	}
}

// LedgerMatches is the command "ledger matches".
type LedgerMatches struct {
	terminal.Remote
	terminal.Paging
}

func (LedgerMatches) Examples() []string {
	return []string{"ledger matches", "ledger matches --all --json"}
}

func (c *LedgerMatches) Run(ctx context.Context, a *terminal.App) error {
	return terminal.List(ctx, a, &c.Remote, c.Paging, bankMatchNoun(), func(api *client.Client, p client.Paging, o ...client.Option) (*client.Page[client.BankMatch], error) {
		return api.ListBankMatches(ctx, p, o...)
	})
}

// LedgerMatch is the command "ledger match".
type LedgerMatch struct {
	terminal.Remote
	Lines   []string `arg:"" optional:"" help:"IDs of bank lines."`
	Entries []string `name:"entry" placeholder:"ENT" help:"ID of an entry on account 1000: ent_…. Repeatable."`
	Note    string   `placeholder:"TEXT" help:"Note."`
}

func (LedgerMatch) Examples() []string {
	return []string{"ledger match 20260217-3 --entry ent_…", "ledger match 20260217-3 20260217-4 --entry ent_… --note 'two deposits'"}
}

func (c *LedgerMatch) Run(ctx context.Context, a *terminal.App) error {
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	m, err := api.CreateBankMatch(ctx, client.BankMatchRequest{LineIDs: c.Lines, EntryIDs: c.Entries, Note: c.Note}, client.Record(&raw))
	if err != nil {
		return err
	}
	return told(a, c.Output, bankMatchNoun(), raw, m, a.WithUndo(fmt.Sprintf("Matched %s.", terminal.Dollars(m.Amount)), "ledger unmatch "+m.ID))
}

// LedgerUnmatch is the command "ledger unmatch".
type LedgerUnmatch struct {
	terminal.Remote
	ID string `arg:"" help:"Match ID: mtc_…"`
}

func (LedgerUnmatch) Examples() []string { return []string{"ledger unmatch mtc_…"} }

func (c *LedgerUnmatch) Run(ctx context.Context, a *terminal.App) error {
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	m, err := api.UndoBankMatch(ctx, c.ID, client.Record(&raw))
	if err != nil {
		return err
	}
	return told(a, c.Output, bankMatchNoun(), raw, m, a.WithUndo("Unmatched. Its lines and entries are open again.", "ledger match "+strings.Join(m.LineIDs, " ")+" --entry "+strings.Join(m.EntryIDs, " --entry ")))
}

// LedgerAssign is the command "ledger assign".
type LedgerAssign struct {
	terminal.Remote
	ID    string `arg:"" help:"Bank line ID, or an entry on account 1000: ent_…"`
	Owner string `required:"" placeholder:"NAME" help:"Assignee."`
	Note  string `placeholder:"TEXT" help:"Note."`
}

func (LedgerAssign) Examples() []string {
	return []string{"ledger assign 20260323-1 --owner ann --note 'asked the bank'"}
}

func (c *LedgerAssign) Run(ctx context.Context, a *terminal.App) error {
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	to := client.Assignment{Owner: c.Owner, Note: c.Note}
	if strings.HasPrefix(c.ID, "ent_") {
		err = api.AssignEntry(ctx, c.ID, to)
	} else {
		err = api.AssignBankLine(ctx, c.ID, to)
	}
	switch {
	case err != nil:
		return err
	case c.JSON:
		return terminal.Document(a.Out, fmt.Appendf(nil, `{"id":%q,"owner":%q}`, c.ID, c.Owner))
	case c.Plain, c.Quiet:
		fmt.Fprintln(a.Out, terminal.Clean(c.ID))
		return nil
	}
	c.Say(a, "Assigned to %s: %s.", terminal.Clean(c.Owner), terminal.Clean(c.ID))
	return nil
}

// told prints the result of something that no command decides.
func told[T any](a *terminal.App, o terminal.Output, n terminal.Noun[T], raw client.Response, x *T, text string) error {
	switch {
	case o.JSON:
		return terminal.Document(a.Out, raw.Body)
	case o.Plain:
		t := terminal.NewTable(n.Head...)
		t.Row(n.Row(x)...)
		return t.Plain(a.Out)
	case o.Quiet:
		fmt.Fprintln(a.Out, terminal.Clean(n.Key(x)))
		return nil
	}
	fmt.Fprintln(a.Out, terminal.Clean(text))
	return nil
}
