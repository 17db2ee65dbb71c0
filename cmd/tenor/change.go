package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"

	"tenor/client"
)

// change is a command that changes something on a server.
type change struct {
	remote
	IdempotencyKey string `placeholder:"KEY" help:"Key under which the change is made once; one is made if absent."`
	RetryLast      bool   `help:"Send the last change of this command again under its key: it has no second effect."`
	DryRun         bool   `help:"Show what would happen, and change nothing."`
}

// act makes a change and prints what came of it: say gives the sentence for people.
func act[T any](ctx context.Context, a *app, c *change, n noun[T], do func(*client.Client, ...client.Option) (*T, error), say func(*T) string) error {
	x, raw, err := send(ctx, a, c, n, do)
	if x == nil || err != nil {
		return err
	}
	return c.done(a, raw, n.key(x), n.row(x), clean(say(x)))
}

// send makes a change and returns what came of it. A dry run is printed, and there is
// nothing to return.
func send[T any](ctx context.Context, a *app, c *change, n noun[T], do func(*client.Client, ...client.Option) (*T, error)) (*T, client.Response, error) {
	var raw client.Response
	api, err := c.connect(a)
	if err != nil {
		return nil, raw, err
	}
	if c.DryRun {
		var preview client.Preview
		x, err := do(api, client.Record(&raw), client.DryRun(&preview))
		if err != nil {
			return nil, raw, err
		}
		return nil, raw, n.foretell(a, c.output, raw, x, &preview)
	}
	if err := c.draw(a, api.Address()); err != nil {
		return nil, raw, err
	}
	x, err := do(api, client.Record(&raw), client.IdempotencyKey(c.IdempotencyKey))
	if err != nil {
		return nil, raw, c.failed(ctx, err)
	}
	return x, raw, nil
}

// draw gives the change its key, and remembers it before the change is sent: if the
// answer is lost, it is not in doubt for ever.
func (c *change) draw(a *app, server string) error {
	switch {
	case c.RetryLast && c.IdempotencyKey != "":
		return &failure{code: exitUsage, text: "--retry-last and --idempotency-key cannot be used together"}
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
	if a.errTerminal {
		c.say(a, "%s", a.style(true, dim, "key "+c.IdempotencyKey+" · again: --retry-last"))
	}
	return nil
}

// failed adds the key to an error, for those that leave the change in doubt.
func (c *change) failed(ctx context.Context, err error) error {
	return &repeatable{key: c.IdempotencyKey, interrupted: ctx.Err() != nil && errors.Is(err, ctx.Err()), err: err}
}

// done says what changed. An answer that was given before says so.
func (c *change) done(a *app, raw client.Response, key string, row []any, text string) error {
	switch {
	case c.JSON:
		return document(a.out, raw.Body)
	case c.Plain:
		return record(a.out, row)
	case c.Quiet:
		_, err := fmt.Fprintln(a.out, clean(key))
		return err
	}
	if raw.Replayed() {
		text += " (done before under this idempotency key)"
	}
	_, err := fmt.Fprintln(a.out, text)
	return err
}

// foretell prints what a change would do.
func (n noun[T]) foretell(a *app, o output, raw client.Response, x *T, p *client.Preview) error {
	switch {
	case o.JSON:
		return document(a.out, raw.Body)
	case o.Plain:
		return record(a.out, n.row(x))
	case o.Quiet:
		return nil
	}
	fmt.Fprintln(a.out, "Dry run: nothing was changed. It would be:")
	fmt.Fprintln(a.out)
	if err := n.print(a, o, raw, x); err != nil {
		return err
	}
	if s := p.Schedule; s != nil {
		fmt.Fprintln(a.out, "\nSchedule")
		if err := a.show(scheduleTable(s)); err != nil {
			return err
		}
	}
	if len(p.Entries) > 0 {
		fmt.Fprintln(a.out, "\nPostings")
		if err := a.show(entriesTable(p.Entries, false)); err != nil {
			return err
		}
	}
	before, after := p.CreditLine.Before, p.CreditLine.After
	if before == after {
		return nil
	}
	fmt.Fprintln(a.out, "\nCredit line")
	t := newTable("", ">BEFORE", ">AFTER")
	t.row("limit", before.Limit, after.Limit)
	t.row("reserved", before.Reserved, after.Reserved)
	t.row("outstanding", before.Outstanding, after.Outstanding)
	t.row("on hold", before.OnHold, after.OnHold)
	t.row("available", before.Available, after.Available)
	return a.show(t)
}

// scheduleTable is the list of installments.
func scheduleTable(s *client.Schedule) *table {
	t := newTable(">NUMBER", "DUE", ">AMOUNT", ">PRINCIPAL", ">CHARGE", ">FEES", ">PAID", ">OUTSTANDING", "STATUS")
	for _, x := range s.Installments {
		t.row(x.Number, x.DueDate, x.Amount, x.Principal, x.FinanceCharge, x.Fees, x.AmountPaid, x.AmountOutstanding, x.Status)
	}
	return t
}

// entriesTable is a list of postings. For people an entry's own columns stand on its
// first line, for programs on each.
func entriesTable(list []client.Entry, plain bool) *table {
	t := newTable("DATE", "EVENT", "ACCOUNT", "NAME", ">DEBIT", ">CREDIT", "ENTRY")
	for _, e := range list {
		head := []any{e.BookDate, e.Event, e.ID}
		for i, x := range e.Postings {
			if i > 0 && !plain {
				head = []any{"", "", ""}
			}
			t.row(head[0], head[1], strconv.Itoa(x.Account), x.AccountName, side(x.Debit), side(x.Credit), head[2])
		}
	}
	return t
}

// mildly says how a change that was made at once is undone.
func (a *app) mildly(text, undo string) string { return text + " Undo: " + a.program + " " + undo }
