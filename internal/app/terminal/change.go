package terminal

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"

	"tenor/client"
	"tenor/internal/app/exit"
)

// Change is a command that changes something on a server.
type Change struct {
	Remote
	IdempotencyKey string `placeholder:"KEY" help:"Idempotency key: the change is made only once. Default: a generated key."`
	RetryLast      bool   `help:"Retry the last change of this command with the same idempotency key."`
	DryRun         bool   `help:"Show what would happen without changing anything."`
}

// Act makes a change and prints the result: say returns the sentence for people.
func Act[T any](ctx context.Context, a *App, c *Change, n Noun[T], do func(*client.Client, ...client.Option) (*T, error), say func(*T) string) error {
	x, raw, err := Send(ctx, a, c, n, do)
	if x == nil || err != nil {
		return err
	}
	return c.Done(a, raw, n.Key(x), n.Row(x), Clean(say(x)))
}

// Send makes a change and returns the result. A dry run is printed and returns nil.
func Send[T any](ctx context.Context, a *App, c *Change, n Noun[T], do func(*client.Client, ...client.Option) (*T, error)) (*T, client.Response, error) {
	var raw client.Response
	api, err := c.Connect(a)
	if err != nil {
		return nil, raw, err
	}
	if c.DryRun {
		var preview client.Preview
		x, err := do(api, client.Record(&raw), client.DryRun(&preview))
		if err != nil {
			return nil, raw, err
		}
		return nil, raw, n.preview(a, c.Output, raw, x, &preview)
	}
	if err := c.Draw(a, api.Address()); err != nil {
		return nil, raw, err
	}
	x, err := do(api, client.Record(&raw), client.IdempotencyKey(c.IdempotencyKey))
	if err != nil {
		return nil, raw, c.Failed(ctx, err)
	}
	return x, raw, nil
}

// Draw gives the change its key, and saves it before the change is sent, so that a lost response
// does not leave the change in doubt.
func (c *Change) Draw(a *App, server string) error {
	switch {
	case c.RetryLast && c.IdempotencyKey != "":
		return &exit.Failure{Code: exit.Usage, Text: "--retry-last and --idempotency-key cannot be used together"}
	case c.RetryLast:
		key, err := a.lastKey(server)
		if err != nil {
			return err
		}
		c.IdempotencyKey = key
	case c.IdempotencyKey == "":
		c.IdempotencyKey = "cli-" + rand.Text()
	}
	a.keepLast(server, c.IdempotencyKey)
	if a.ErrTerminal {
		c.Say(a, "%s", a.Style(true, Dim, "key "+c.IdempotencyKey+" · again: --retry-last"))
	}
	return nil
}

// Failed adds the key to an error, for errors that leave the change in doubt.
func (c *Change) Failed(ctx context.Context, err error) error {
	return &repeatable{key: c.IdempotencyKey, interrupted: ctx.Err() != nil && errors.Is(err, ctx.Err()), err: err}
}

// Done says what changed, and whether the answer is a replay.
func (c *Change) Done(a *App, raw client.Response, key string, row []any, text string) error {
	switch {
	case c.JSON:
		return Document(a.Out, raw.Body)
	case c.Plain:
		return Record(a.Out, row)
	case c.Quiet:
		_, err := fmt.Fprintln(a.Out, Clean(key))
		return err
	}
	if raw.Replayed() {
		text += " (already done under this idempotency key)"
	}
	_, err := fmt.Fprintln(a.Out, text)
	return err
}

// preview prints what a change would do.
func (n Noun[T]) preview(a *App, o Output, raw client.Response, x *T, p *client.Preview) error {
	switch {
	case o.JSON:
		return Document(a.Out, raw.Body)
	case o.Plain:
		return Record(a.Out, n.Row(x))
	case o.Quiet:
		return nil
	}
	fmt.Fprintln(a.Out, "Dry run, nothing was changed. The result would be:")
	fmt.Fprintln(a.Out)
	if err := n.print(a, o, raw, x); err != nil {
		return err
	}
	if s := p.Schedule; s != nil {
		fmt.Fprintln(a.Out, "\nSchedule")
		if err := a.Show(ScheduleTable(s)); err != nil {
			return err
		}
	}
	if len(p.Entries) > 0 {
		fmt.Fprintln(a.Out, "\nPostings")
		if err := a.Show(EntriesTable(p.Entries, false)); err != nil {
			return err
		}
	}
	before, after := p.CreditLine.Before, p.CreditLine.After
	if before == after {
		return nil
	}
	fmt.Fprintln(a.Out, "\nCredit line")
	t := NewTable("", ">BEFORE", ">AFTER")
	t.Row("limit", before.Limit, after.Limit)
	t.Row("reserved", before.Reserved, after.Reserved)
	t.Row("outstanding", before.Outstanding, after.Outstanding)
	t.Row("on hold", before.OnHold, after.OnHold)
	t.Row("available", before.Available, after.Available)
	return a.Show(t)
}

// ScheduleTable is a table of installments.
func ScheduleTable(s *client.Schedule) *Table {
	t := NewTable(">NUMBER", "DUE", ">AMOUNT", ">PRINCIPAL", ">CHARGE", ">FEES", ">PAID", ">OUTSTANDING", "STATUS")
	for _, x := range s.Installments {
		t.Row(x.Number, x.DueDate, x.Amount, x.Principal, x.FinanceCharge, x.Fees, x.AmountPaid, x.AmountOutstanding, x.Status)
	}
	return t
}

// EntriesTable is a table of postings. For people, an entry's own columns are on its first line
// only; for programs, on every line.
func EntriesTable(list []client.Entry, plain bool) *Table {
	t := NewTable("DATE", "EVENT", "ACCOUNT", "NAME", ">DEBIT", ">CREDIT", "ENTRY")
	for _, e := range list {
		head := []any{e.BookDate, e.Event, e.ID}
		for i, x := range e.Postings {
			if i > 0 && !plain {
				head = []any{"", "", ""}
			}
			t.Row(head[0], head[1], strconv.Itoa(x.Account), x.AccountName, Side(x.Debit), Side(x.Credit), head[2])
		}
	}
	return t
}

// WithUndo adds how to undo a change that was made without asking.
func (a *App) WithUndo(text, undo string) string { return text + " Undo: " + a.Program + " " + undo }
