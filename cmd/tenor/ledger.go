package main

import (
	"context"
	"fmt"

	"tenor/client"
)

type ledgerEntries struct {
	remote
	Order string `required:"" placeholder:"KEY" help:"The order." complete:"order"`
}

// Examples are shown by -h.
func (ledgerEntries) Examples() []string {
	return []string{"ledger entries --order ord_…", "ledger entries --order ord_… --plain"}
}

// Run is called by the parser. A posting is a record.
func (c *ledgerEntries) Run(ctx context.Context, a *app) error {
	a.subject = c.Order
	api, err := c.connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.OrderLedger(ctx, c.Order, client.Paging{}, client.Record(&raw)) // all of it is one page
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		return document(a.out, raw.Body)
	case c.Plain:
		return entriesTable(p.Data, true).plain(a.out)
	case c.Quiet:
		for i := range p.Data {
			fmt.Fprintln(a.out, clean(p.Data[i].ID))
		}
		return nil
	}
	if len(p.Data) == 0 {
		c.say(a, "Nothing found.")
	}
	return a.show(entriesTable(p.Data, false))
}
