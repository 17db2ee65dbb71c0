package clockwork

import (
	"context"
	"encoding/json"
	"fmt"
	"sync/atomic"

	"tenor/internal/core/failpoint"
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/rails"
)

// Kinds of a processor's later messages.
const (
	cardSettled  = "SETTLED"
	cardRefunded = "REFUND_SETTLED"
	cardDispute  = "DISPUTE"
	cardWon      = "DISPUTE_WON"
)

// asked is how many charges are requested from a processor concurrently.
const asked = 8

// charges requests each sent card transfer without an outcome from the processor, several
// concurrently. The transfer's id is the idempotency key: on a retry after a kill, or after
// a lost answer, the processor answers as before and charges nothing (PO5).
func (t *turn) charges(ctx context.Context, r *Report) error {
	if t.s.cfg.Cards == nil {
		return nil
	}
	page := store.Page{Limit: pageSize}
	for {
		var list []*credit.Transfer
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
			list, err = store.ListTransfers(v, store.TransferFilter{Unanswered: true}, page)
			return err
		}); err != nil {
			return fmt.Errorf("clockwork: list open charges: %w", err)
		}
		var done, stuck atomic.Int64
		err := together(ctx, min(asked, t.s.cfg.InFlight), len(list), func(ctx context.Context, i int) error { return t.complete(ctx, list[i], &done, &stuck) })
		r.Charges, r.Stuck = r.Charges+int(done.Load()), r.Stuck+int(stuck.Load())
		if err != nil {
			return err
		}
		if len(list) < page.Limit {
			return t.news(ctx)
		}
		last := list[len(list)-1]
		page.AfterAt, page.AfterID = last.CreatedAt, last.ID
	}
}

// complete requests one transfer, and submits the outcome. Without one, a later turn
// retries with the same key.
func (t *turn) complete(ctx context.Context, x *credit.Transfer, done, stuck *atomic.Int64) error {
	c, err := t.charge(ctx, x)
	if err != nil {
		t.s.cfg.Log.Warn("clockwork: charge has no outcome yet", "transfer", x.ID, "error", err)
		return nil
	}
	if err := failpoint.Hit(failpoint.BeforeMark); err != nil {
		return err
	}
	res, err := t.patient(ctx, payments.CompleteCharge{
		Transfer: x.ID, Approved: c.Approved, Code: c.Code, Message: c.Message, Reference: c.Reference,
	})
	switch {
	case err != nil:
		return fmt.Errorf("clockwork: complete charge %s: %w", x.ID, err)
	case res.Rejection != nil:
		stuck.Add(1)
		t.s.cfg.Log.Error("clockwork: charge cannot be completed", "transfer", x.ID, "code", res.Rejection.Code, "detail", res.Rejection.Detail)
	default:
		done.Add(1)
	}
	return nil
}

// charge calls the processor: a charge by the card's token; money sent back, of a payment
// or of credit, by the reference of the original charge.
func (t *turn) charge(ctx context.Context, x *credit.Transfer) (rails.Charge, error) {
	if !x.Debit() {
		return t.s.cfg.Cards.Refund(ctx, x.ID, x.Reference, x.Amount)
	}
	s := credit.NewState()
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) error {
		return v.Load(s, credit.Keys{Methods: []string{x.Method}})
	}); err != nil {
		return rails.Charge{}, err
	}
	m := s.Methods[x.Method]
	if m == nil || m.Card == nil {
		return rails.Charge{Code: "no_card", Message: "The payment method has no card."}, nil
	}
	return t.s.cfg.Cards.Charge(ctx, x.ID, m.Card.Token, x.Amount)
}

// news stores the processor's messages as notices.
func (t *turn) news(ctx context.Context) error {
	list, err := t.s.cfg.Cards.News(ctx)
	if err != nil {
		return fmt.Errorf("clockwork: fetch card processor events: %w", err)
	}
	for _, x := range list {
		n, err := t.heard(ctx, x)
		if err != nil {
			return fmt.Errorf("clockwork: read card event %s: %w", x.ID, err)
		}
		if _, err := t.s.cfg.Backend.PutNotice(ctx, n); err != nil {
			return fmt.Errorf("clockwork: store card event %s: %w", x.ID, err)
		}
		if err := failpoint.Hit(failpoint.BeforeMark); err != nil {
			return err
		}
		if err := t.s.cfg.Cards.Done(ctx, x.ID); err != nil {
			return fmt.Errorf("clockwork: finish card event %s: %w", x.ID, err)
		}
	}
	return nil
}

// heard turns a message into a notice. A message about a charge that is not ours, such as
// one of another program with the same account, names no transfer: a person reviews it, and
// later messages do not wait for that.
func (t *turn) heard(ctx context.Context, x rails.CardNews) (n store.BankNotice, err error) {
	n = store.BankNotice{Rail: credit.Card, ID: x.ID, Kind: x.Kind, Transfer: x.Key, Code: x.Code, At: t.now}
	said := notice{NoticeDetails: store.NoticeDetails{Message: x.Message, Cost: x.Cost, Reference: x.Reference, AnswerBy: x.AnswerBy}}
	s := credit.NewState()
	if err := t.s.cfg.Backend.View(ctx, func(v store.View) error {
		return v.Load(s, credit.Keys{Transfers: []string{x.Key}})
	}); err != nil {
		return n, err
	}
	if y := s.Transfers[x.Key]; y == nil || !y.Rail.Can().Answer {
		n.Transfer, said.Key = "", x.Key
		t.s.cfg.Log.Warn("clockwork: no transfer matches a card event", "notice", x.ID, "kind", x.Kind, "key", x.Key)
	}
	n.Payload, err = json.Marshal(said)
	return n, err
}

// decided closes what waits for a person about a charge whose dispute was won: nothing is
// left to contest.
func (t *turn) decided(ctx context.Context, won store.BankNotice) error {
	page := store.Page{Limit: pageSize}
	for {
		var list []store.BankNotice
		if err := t.s.cfg.Backend.View(ctx, func(v store.View) (err error) {
			list, err = store.ListBankNotices(v, store.BankNoticeFilter{Waiting: true}, page)
			return err
		}); err != nil {
			return err
		}
		for _, n := range list {
			if n.Transfer != won.Transfer || n.Result != store.NoticeDisputed {
				continue
			}
			if err := t.s.cfg.Backend.ReviewNotice(ctx, n.Rail, n.ID, byProcessor, "The dispute was won.", t.now); err != nil {
				return err
			}
		}
		if len(list) < page.Limit {
			return nil
		}
		last := list[len(list)-1]
		page.AfterAt, page.AfterID = last.At, last.Key()
	}
}

// byProcessor stands in for the API client where the processor itself has ended a dispute.
const byProcessor = "processor"
