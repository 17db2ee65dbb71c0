package years

import (
	"context"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/proof/sim"
)

// handle is one node's scheduler's view of the store: every call may be lost, including reads.
type handle struct {
	store.Backend
	n *node
}

func (h handle) View(ctx context.Context, fn func(store.View) error) error {
	return h.n.call(func() error { return h.Backend.View(ctx, fn) })
}

func (h handle) Unfiled(ctx context.Context, limit int) (list []*credit.Transfer, err error) {
	err = h.n.call(func() error { list, err = store.Unfiled(ctx, h.Backend, limit); return err })
	return list, err
}

func (h handle) PutFile(ctx context.Context, f store.BankFile, transfers []string) (out store.BankFile, entries []store.BankEntry, err error) {
	err = h.n.call(func() error { out, entries, err = h.Backend.PutFile(ctx, f, transfers); return err })
	return out, entries, err
}

func (h handle) Files(ctx context.Context, state store.FileState, limit int) (list []store.BankFile, err error) {
	err = h.n.call(func() error { list, err = store.Files(ctx, h.Backend, state, limit); return err })
	return list, err
}

func (h handle) FileEntries(ctx context.Context, file string) (list []store.BankEntry, err error) {
	err = h.n.call(func() error { list, err = store.FileEntries(ctx, h.Backend, file); return err })
	return list, err
}

func (h handle) MoveFile(ctx context.Context, id string, to store.FileState, at time.Time) error {
	return h.n.call(func() error { return h.Backend.MoveFile(ctx, id, to, at) })
}

func (h handle) EntryByTrace(ctx context.Context, trace int64) (list []store.BankEntry, err error) {
	err = h.n.call(func() error { list, err = store.EntryByTrace(ctx, h.Backend, trace); return err })
	return list, err
}

func (h handle) PutNotice(ctx context.Context, x store.BankNotice) (fresh bool, err error) {
	err = h.n.call(func() error { fresh, err = h.Backend.PutNotice(ctx, x); return err })
	h.n.y.reach(err == nil && !fresh, sim.NoticeTwice)
	return fresh, err
}

func (h handle) OpenNotices(ctx context.Context, limit int) (list []store.BankNotice, err error) {
	err = h.n.call(func() error { list, err = store.OpenNotices(ctx, h.Backend, limit); return err })
	return list, err
}

func (h handle) CloseNotice(ctx context.Context, rail credit.Method, id, result string, at time.Time) error {
	return h.n.call(func() error { return h.Backend.CloseNotice(ctx, rail, id, result, at) })
}

func (h handle) ReviewNotice(ctx context.Context, rail credit.Method, id, by, note string, at time.Time) error {
	return h.n.call(func() error { return h.Backend.ReviewNotice(ctx, rail, id, by, note, at) })
}

func (h handle) Setting(ctx context.Context, name string) (value []byte, found bool, err error) {
	err = h.n.call(func() error { value, found, err = store.Setting(ctx, h.Backend, name); return err })
	return value, found, err
}

func (h handle) PutSetting(ctx context.Context, name string, value []byte) error {
	return h.n.call(func() error { return h.Backend.PutSetting(ctx, name, value) })
}

func (h handle) BankLines(ctx context.Context, open bool, p store.Page) (list []store.BankLine, err error) {
	err = h.n.call(func() error { list, err = store.BankLines(ctx, h.Backend, open, p); return err })
	return list, err
}

func (h handle) PutMatches(ctx context.Context, list []store.BankMatch) error {
	return h.n.call(func() error { return h.Backend.PutMatches(ctx, list) })
}

// Lease counts what happens to the lease.
func (h handle) Lease(ctx context.Context, name, holder string, now, until time.Time) (l store.Lease, ours bool, err error) {
	err = h.n.call(func() error { l, ours, err = h.Backend.Lease(ctx, name, holder, now, until); return err })
	h.n.y.reach(err == nil && !ours, sim.LeaseHeld)
	return l, ours, err
}
