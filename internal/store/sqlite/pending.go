package sqlite

// This file holds the place of what is being built.

import (
	"context"
	"time"

	"tenor/internal/credit"
	"tenor/internal/store"
)

func (db *DB) ClientByID(context.Context, string) (credit.Client, bool, error) { panic("pending") }
func (db *DB) Lease(context.Context, string, string, time.Time, time.Time) (store.Lease, bool, error) {
	panic("pending")
}
func (db *DB) Release(context.Context, store.Lease) error { panic("pending") }
func (db *DB) Record(context.Context, store.Work) error   { panic("pending") }
func (db *DB) Purge(context.Context, store.Retention, int) (int, error) {
	panic("pending")
}
func (v *view) Stream(string, store.Place, int) ([]store.EventRow, error) { panic("pending") }
func (v *view) Event(string, string) (*store.EventRow, bool, error)       { panic("pending") }
func (v *view) Span(string, time.Time, time.Time, store.Place, int) ([]store.EventRow, error) {
	panic("pending")
}
func (v *view) Clients(string, store.Page) ([]*credit.Client, error)     { panic("pending") }
func (v *view) Endpoints(string, store.Page) ([]*credit.Endpoint, error) { panic("pending") }
func (v *view) EndpointVersions(func(store.EndpointVersion) error) error { panic("pending") }
func (v *view) Resends(int64, int) ([]store.ResendRow, error)            { panic("pending") }
func (v *view) Deliveries(store.DeliveryFilter, store.Page) ([]store.Delivery, error) {
	panic("pending")
}
func (v *view) Delivery(string) (*store.Delivery, []store.Attempt, error) { panic("pending") }
func (v *view) Pending(string, int) ([]store.Delivery, error)             { panic("pending") }
func (v *view) Backlog() (map[string]int, error)                          { panic("pending") }
func (v *view) Cursors() ([]store.Cursor, error)                          { panic("pending") }
func (v *view) EachReader(func(store.ReaderRow) error) error              { panic("pending") }
func (v *view) EachClient(func(*credit.Client) error) error               { panic("pending") }
func (v *view) EachDelivery(func(store.Delivery) error) error             { panic("pending") }
