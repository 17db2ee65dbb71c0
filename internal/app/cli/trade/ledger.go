package trade

import (
	"context"
	"fmt"

	"tenor/client"
	"tenor/internal/app/terminal"
)

// LedgerEntries is the command "ledger entries".
type LedgerEntries struct {
	terminal.Remote
	Order string `required:"" placeholder:"KEY" help:"Order key: ord_…" complete:"order"`
}

func (LedgerEntries) Examples() []string {
	return []string{"ledger entries --order ord_…", "ledger entries --order ord_… --plain"}
}

// Run is called by the parser. Each posting is a record.
func (c *LedgerEntries) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Order
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	var raw client.Response
	p, err := api.OrderLedger(ctx, c.Order, client.Record(&raw))
	if err != nil {
		return err
	}
	switch {
	case c.JSON:
		return terminal.Document(a.Out, raw.Body)
	case c.Plain:
		return terminal.EntriesTable(p.Data, true).Plain(a.Out)
	case c.Quiet:
		for i := range p.Data {
			fmt.Fprintln(a.Out, terminal.Clean(p.Data[i].ID))
		}
		return nil
	}
	if len(p.Data) == 0 {
		c.Say(a, "Nothing found.")
	}
	return a.Show(terminal.EntriesTable(p.Data, false))
}
