package trade

import (
	"context"
	"errors"
	"time"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/app/terminal"
)

// OrderWatch is the command "orders watch".
type OrderWatch struct {
	terminal.Remote
	orderKeyed
	Until terminal.WordFlag `placeholder:"STATUS" help:"Stop when the order or its financing reaches this status." complete:"watched-status"`
	Every time.Duration     `default:"2s" help:"Polling interval."`
}

func (OrderWatch) Examples() []string {
	return []string{"orders watch ord_…", "orders watch ord_… --until CAPTURED", "orders watch ord_… --json"}
}

// Run is called by the parser. It prints existing events of an order first, then new ones as they
// arrive.
func (c *OrderWatch) Run(ctx context.Context, a *terminal.App) error {
	a.Subject = c.Key
	if c.Every <= 0 {
		return &exit.Failure{Code: exit.Usage, Text: "--every must be greater than zero"}
	}
	api, err := c.Connect(a)
	if err != nil {
		return err
	}
	w := watcher{c: c, a: a, api: api, until: string(c.Until)}
	for {
		if reached, err := w.look(ctx); err != nil || reached {
			return w.stopped(err)
		}
		if err := api.Clock.Sleep(ctx, c.Every); err != nil {
			return w.stopped(err)
		}
	}
}

// watcher follows one order.
type watcher struct {
	c     *OrderWatch
	a     *terminal.App
	api   *client.Client
	until string
	page  string // the cursor of the last page of events
	seen  int64  // sequence of the last event
	etag  string
}

// look prints new events, and reports whether the order has the awaited status. It reads the
// order first, so that the events of the status it shows exist by then.
func (w *watcher) look(ctx context.Context) (reached bool, err error) {
	if w.until != "" {
		if reached, err = w.status(ctx); err != nil {
			return false, err
		}
	}
	for {
		p, err := w.api.ListOrderEvents(ctx, w.c.Key, client.Paging{Limit: 100, Cursor: w.page})
		if err != nil {
			return false, err
		}
		for i := range p.Data {
			if e := &p.Data[i]; e.Sequence > w.seen {
				w.seen = e.Sequence
				if err := terminal.TellEvent(w.a, w.c.Output, e); err != nil {
					return false, err
				}
			}
		}
		if !p.HasMore || p.NextCursor == "" {
			return reached, nil
		}
		w.page = p.NextCursor
	}
}

// status reports whether the order has the awaited status.
func (w *watcher) status(ctx context.Context) (bool, error) {
	var raw client.Response
	options := []client.Option{client.Record(&raw)}
	if w.etag != "" {
		options = append(options, client.IfNoneMatch(w.etag))
	}
	o, err := w.api.Order(ctx, w.c.Key, options...)
	if errors.Is(err, client.ErrNotModified) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	w.etag = raw.ETag()
	return o.Status == w.until || o.FinancingStatus == w.until, nil
}

// stopped prints the position when the user interrupts.
func (w *watcher) stopped(err error) error {
	if err != nil && w.seen > 0 {
		w.c.Say(w.a, "Stopped after sequence %d of %s.", w.seen, w.c.Key)
	}
	return err
}
