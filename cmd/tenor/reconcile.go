package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"tenor/client"
)

type reconcileCommand struct {
	remote
	progressFlag
	File        string   `arg:"" help:"Your own list of orders: CSV with the columns merchant_order_id, amount and status, or a JSON array of objects with these members. - is standard input."`
	Format      string   `enum:"auto,csv,json" default:"auto" help:"auto goes by the file's name, and without one by its first character."`
	CreatedFrom dateFlag `placeholder:"DATE" help:"The list is complete for orders created on or after this business date."`
	CreatedTo   dateFlag `placeholder:"DATE" help:"And on or before this one."`
	Differences bool     `help:"List each difference, below the counts."`
}

// Examples are shown by -h.
func (reconcileCommand) Examples() []string {
	return []string{
		"reconcile orders.csv", "reconcile orders.csv --created-from 2026-01-01 --created-to 2026-01-31 --differences",
		"reconcile orders.json --json",
	}
}

// Run is called by the parser. Differences are an error of their own, so that a
// script notices them.
func (c *reconcileCommand) Run(ctx context.Context, a *app) error {
	if err := inOrder("--created-from", c.CreatedFrom, "--created-to", c.CreatedTo); err != nil {
		return err
	}
	list, err := a.readAll(c.File)
	if err != nil {
		return &failure{code: exitUsage, text: "read list", err: err}
	}
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	m := c.meter(a, c.output, "Sending "+size(len(list)))
	var raw client.Response
	span := client.ReconciliationSpan{CreatedFrom: string(c.CreatedFrom), CreatedTo: string(c.CreatedTo)}
	r, err := api.Reconcile(ctx, bytes.NewReader(list), c.mediaType(list), span, client.Record(&raw), client.Progress(m.at))
	m.end()
	switch {
	case errors.Is(err, client.ErrListTooLarge):
		return &failure{code: exitUsage, text: "the list is larger than 64 MiB", hint: "Split it by date, and name the span of each part with --created-from and --created-to."}
	case err != nil:
		return err
	}
	if err := c.print(a, raw, r); err != nil || r.Clean() {
		return err
	}
	if c.JSON { // the report says it all, and nothing went wrong
		return &failure{code: exitCheckFailed, told: true}
	}
	f := &failure{code: exitCheckFailed, text: fmt.Sprintf("list and books differ: %d of %s unmatched, %s missing in the list",
		r.Rows-r.Matched, counted(r.Rows, "row", "rows"), counted(r.MissingThere, "order", "orders"))}
	if !c.Differences && !c.Plain && !c.Quiet {
		f.hint = "Each difference is listed with --differences."
	}
	return f
}

// counted is a number with the word for it.
func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

func (c *reconcileCommand) mediaType(list []byte) string {
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

// print prints the counts, and each difference if it was asked for. --plain prints
// the differences, -q their order numbers.
func (c *reconcileCommand) print(a *app, raw client.Response, r *client.Reconciliation) error {
	t := newTable("DIFFERENCE", "NUMBER", "ORDER", ">ROW", ">THEIRS", "", ">OURS", "")
	for _, d := range r.Differences {
		t.row(append([]any{d.Kind, maybe(d.MerchantOrderID), maybe(d.OrderKey), optional(d.Row)}, append(sideOf(d.Theirs), sideOf(d.Ours)...)...)...)
	}
	switch {
	case c.JSON:
		return document(a.out, raw.Body)
	case c.Plain:
		return t.plain(a.out)
	case c.Quiet:
		for _, d := range r.Differences {
			fmt.Fprintln(a.out, clean(d.MerchantOrderID))
		}
		return nil
	}
	counts := newTable("RESULT", ">ROWS")
	for _, x := range []struct {
		name string
		n    int
	}{
		{"matched", r.Matched}, {"missing here", r.MissingHere}, {"missing in the list", r.MissingThere}, {"other amount", r.AmountMismatch},
		{"other status", r.StatusMismatch}, {"twice in the list", r.Duplicates},
	} {
		counts.row(x.name, x.n)
	}
	if err := a.show(counts); err != nil || !c.Differences || len(r.Differences) == 0 {
		return err
	}
	fmt.Fprintln(a.out)
	if err := a.show(t); err != nil {
		return err
	}
	if r.Truncated {
		c.say(a, "There are more differences than are shown.")
	}
	return nil
}

func sideOf(s *client.OrderSide) []any {
	if s == nil {
		return []any{"", ""}
	}
	return []any{s.Amount, s.Status}
}
