package bench

import (
	"context"
	"errors"
	"fmt"

	"tenor/internal/core/store"
	"tenor/internal/core/verify"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/schedule"
	"tenor/internal/edge/resource"
)

// settle stops the servers of a site and checks that the measurements are valid: everything
// acknowledged exists, the books balance, verify is clean.
func (r *runner) settle(ctx context.Context, s *site, what string) (err error) {
	if err := s.halt(); err != nil {
		r.invalid("%s: %v", what, err)
	}
	b, err := r.cfg.Open(ctx, s.target)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	defer func() { err = errors.Join(err, b.Close()) }()
	return r.check(ctx, b, s.shop, what)
}

// check reports what is wrong with a database; its error means that it could not check.
func (r *runner) check(ctx context.Context, b store.Backend, s *shop, what string) error {
	r.cfg.Progress(what+": check what was acknowledged", 0, 0)
	r.report.Acknowledged += s.acked.writes()
	err := b.View(ctx, func(v store.View) error {
		books, memo, err := store.Trial(v)
		if err != nil {
			return err
		}
		if books != 0 || memo != 0 {
			r.invalid("%s: the trial balance is %d cents, and %d in memo", what, books, memo)
		}
		return r.acknowledged(v, s, what)
	})
	if err != nil {
		return fmt.Errorf("check %s: %w", what, err)
	}
	if filled := max(len(s.orders), s.filled); int64(filled) > r.cfg.VerifyUpTo {
		r.note("%s: filled with %d orders, more than %d: checked for every acknowledged write and the trial balance, not by verify", what, filled, r.cfg.VerifyUpTo)
		return nil
	}
	return r.verify(ctx, b, what)
}

// What must be true of an acknowledged order.
const (
	isCaptured = 1 << iota
	isRefunded
)

// acknowledged looks for every acknowledged order and payment.
func (r *runner) acknowledged(v store.View, s *shop, what string) error {
	orders := make(map[string]uint8, len(s.orders)+len(s.acked.created))
	for _, keys := range [][]string{s.orders, s.acked.created} {
		for _, k := range keys {
			orders[k] = 0
		}
	}
	for _, k := range s.acked.captured {
		orders[k] |= isCaptured
	}
	for _, k := range s.acked.refunded {
		orders[k] |= isRefunded
	}
	promised := len(orders)
	err := store.EachOrder(v, func(o *credit.Order, l *schedule.Loan) error {
		marks, found := orders[o.Key]
		switch {
		case !found:
		case marks&isCaptured != 0 && (o.Status != credit.OrderCaptured || o.Captured != orderAmount || l == nil):
			r.invalid("%s: order %s was captured, but is %s", what, o.Key, o.Status)
		case marks&isRefunded != 0 && o.Refunded != refundAmount:
			r.invalid("%s: of order %s %s was refunded, but the order says %s", what, o.Key, refundAmount, o.Refunded)
		}
		delete(orders, o.Key)
		return nil
	})
	r.lost(what, "orders", orders, promised)
	if err != nil {
		return err
	}
	payments := make(map[string]uint8, len(s.acked.payments))
	for _, id := range s.acked.payments {
		payments[id] = 0
	}
	promised = len(payments)
	err = store.EachOf(v, store.PaymentNoun, func(p *credit.Payment) error {
		delete(payments, p.ID)
		return nil
	})
	r.lost(what, "payments", payments, promised)
	return err
}

// lost reports what was acknowledged but does not exist.
func (r *runner) lost(what, nouns string, missing map[string]uint8, promised int) {
	for key := range missing {
		r.invalid("%s: %d of %d %s that were acknowledged are not in the database, such as %s", what, len(missing), promised, nouns, key)
		return
	}
}

// verify recomputes the books.
func (r *runner) verify(ctx context.Context, b store.Backend, what string) error {
	found, err := verify.Run(ctx, b, verify.Options{
		Scratch: r.cfg.Scratch, Zone: r.cfg.Zone, EncodeEvent: encodeEvent, Wire: resource.APIVersion,
		Progress: func(done, total int) { r.cfg.Progress(what+": verify", done, total) },
	})
	if err != nil {
		return err
	}
	if !found.Clean() {
		v := found.Violations[0]
		r.invalid("%s: verify found %d violations, such as %s of %s: %s", what, len(found.Violations)+found.More, v.Invariant, v.Object, v.Detail)
	}
	return nil
}
