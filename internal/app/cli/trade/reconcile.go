package trade

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// ReconcileCommand is the command "reconcile".
type ReconcileCommand struct {
	terminal.Remote
	terminal.ProgressFlag
	File        string            `arg:"" help:"Your list of orders: CSV with the columns merchant_order_id, amount and status, or a JSON array of objects with these members; - for standard input."`
	Format      string            `enum:"auto,csv,json" default:"auto" help:"auto decides by the file's name, or by its first character on standard input."`
	CreatedFrom terminal.DateFlag `placeholder:"DATE" help:"The list is complete for orders created on or after this business date."`
	CreatedTo   terminal.DateFlag `placeholder:"DATE" help:"The list is complete for orders created on or before this business date."`
	Differences bool              `help:"List each difference below the counts."`
}

func (ReconcileCommand) Examples() []string {
	return []string{
		"reconcile orders.csv", "reconcile orders.csv --created-from 2026-01-01 --created-to 2026-01-31 --differences",
		"reconcile orders.json --json",
	}
}

// Run is called by the parser. Differences are a separate error, so that a script notices them.
func (c *ReconcileCommand) Run(ctx context.Context, a *terminal.App) error {
	if err := terminal.InOrder("--created-from", c.CreatedFrom, "--created-to", c.CreatedTo); err != nil {
		return err
	}
	list, err := a.ReadAll(c.File)
	if err != nil {
		return &exit.Failure{Code: exit.Usage, Text: "read list", Err: err}
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	m := c.Meter(a, c.Output, "Sending "+terminal.Size(len(list)))
	var raw client.Response
	span := client.ReconciliationSpan{CreatedFrom: string(c.CreatedFrom), CreatedTo: string(c.CreatedTo)}
	r, err := api.Reconcile(ctx, bytes.NewReader(list), c.mediaType(list), span, client.Record(&raw), client.Progress(m.At))
	m.End()
	switch {
	case errors.Is(err, client.ErrListTooLarge):
		return &exit.Failure{Code: exit.Usage, Text: "the list is larger than 64 MiB", Hint: "Split it by date and give each part's range with --created-from and --created-to."}
	case err != nil:
		return err
	}
	if err := c.print(a, raw, r); err != nil || r.Clean() {
		return err
	}
	if c.JSON { // the report says everything, and nothing failed
		return &exit.Failure{Code: exit.CheckFailed, Told: true}
	}
	f := &exit.Failure{Code: exit.CheckFailed, Text: fmt.Sprintf("list and books differ: %d of %s unmatched, %s missing in the list",
		r.Rows-r.Matched, terminal.Counted(r.Rows, "row", "rows"), terminal.Counted(r.MissingThere, "order", "orders"))}
	if !c.Differences && !c.Plain && !c.Quiet {
		f.Hint = "Add --differences to list each difference."
	}
	return f
}

func (c *ReconcileCommand) mediaType(list []byte) string {
	isJSON := c.Format == "json"
	if c.Format == "auto" {
		switch strings.ToLower(filepath.Ext(c.File)) {
		case ".json":
			isJSON = true
		case ".csv":
		default:
			first := bytes.TrimLeft(list, " \t\r\n\ufeff")
			isJSON = bytes.HasPrefix(first, []byte("[")) || bytes.HasPrefix(first, []byte("{"))
		}
	}
	if isJSON {
		return client.JSON
	}
	return client.CSV
}

// print prints the counts, and each difference if requested. --plain prints the differences, -q
// their order numbers.
func (c *ReconcileCommand) print(a *terminal.App, raw client.Response, r *client.Reconciliation) error {
	t := terminal.NewTable("DIFFERENCE", "NUMBER", "ORDER", ">ROW", ">THEIRS", "", ">OURS", "")
	for _, d := range r.Differences {
		t.Row(append([]any{d.Kind, terminal.Maybe(d.MerchantOrderID), terminal.Maybe(d.OrderKey), terminal.Optional(d.Row)}, append(sideOf(d.Theirs), sideOf(d.Ours)...)...)...)
	}
	switch {
	case c.JSON:
		return terminal.Document(a.Out, raw.Body)
	case c.Plain:
		return t.Plain(a.Out)
	case c.Quiet:
		for _, d := range r.Differences {
			fmt.Fprintln(a.Out, terminal.Clean(d.MerchantOrderID))
		}
		return nil
	}
	counts := terminal.NewTable("RESULT", ">ROWS")
	for _, x := range []struct {
		name string
		n    int
	}{
		{"matched", r.Matched}, {"missing here", r.MissingHere}, {"missing in the list", r.MissingThere}, {"amount mismatch", r.AmountMismatch},
		{"status mismatch", r.StatusMismatch}, {"duplicate in the list", r.Duplicates},
	} {
		counts.Row(x.name, x.n)
	}
	if err := a.Show(counts); err != nil || !c.Differences || len(r.Differences) == 0 {
		return err
	}
	fmt.Fprintln(a.Out)
	if err := a.Show(t); err != nil {
		return err
	}
	if r.Truncated {
		c.Say(a, "More differences exist than are shown.")
	}
	return nil
}

func sideOf(s *client.OrderSide) []any {
	if s == nil {
		return []any{"", ""}
	}
	return []any{s.Amount, s.Status}
}
