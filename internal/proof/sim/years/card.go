package years

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
	"tenor/internal/ports/rails/fake"
	"tenor/internal/proof/sim"
)

// charged is what the processor has done under a key.
type charged struct {
	amount   int64 // positive for a charge, negative for money that goes back
	approved bool
	cost     int64 // kept when it paid out
	settled  bool
	disputed bool
	won      bool
	fees     int64
	until    time.Time // when a dispute is decided
	ref      string
}

// cash is what the processor has paid out for it.
func (c *charged) cash() int64 {
	sum := -c.fees
	if c.settled {
		sum += c.amount - c.cost
	}
	if c.disputed && !c.won {
		sum -= c.amount
	}
	return sum
}

// told is news from the processor: from an instant on, possibly repeated.
type told struct {
	rails.CardNews
	from  time.Time
	again bool
}

// hear collects the processor's news, records it, and puts it where the lender finds it.
// Sometimes a cardholder disputes a charge, or loses the dispute.
func (b *bankSide) hear() {
	now, cards := b.y.Clock.Now(), b.fake.Cards()
	for _, key := range sim.SortedKeys(b.charges) {
		c := b.charges[key]
		if c.until.IsZero() || c.until.After(now) {
			continue
		}
		c.until = time.Time{}
		switch {
		case !c.disputed:
			if err := cards.Dispute(c.ref, "fraudulent"); err != nil && !errors.Is(err, fake.ErrState) {
				b.y.never("%w", err)
			}
			if sim.Chance(b.y.Source, 50) {
				c.until = now.Add(time.Duration(1+b.y.Source.Intn(60)) * 24 * time.Hour)
			}
		case !c.won:
			if err := cards.Win(c.ref); err != nil && !errors.Is(err, fake.ErrState) {
				b.y.never("%w", err)
			}
		}
	}
	list, err := cards.News(context.Background())
	if err != nil {
		b.y.never("%w", err)
	}
	for _, x := range list {
		b.note(x)
		n := &told{CardNews: x, from: now, again: b.y.struck(b.y.Mix.NewsTwice, "news twice")}
		if b.y.struck(b.y.Mix.Late, "news late") {
			n.from = now.Add(time.Duration(1+b.y.Source.Intn(72)) * time.Hour)
		}
		for _, before := range b.news { // news of one charge comes in order
			if before.Key == x.Key && before.from.After(n.from) {
				n.from = before.from
			}
		}
		b.news = append(b.news, n)
		if err := cards.Done(context.Background(), x.ID); err != nil {
			b.y.never("%w", err)
		}
	}
}

// note records the processor's news in its own accounts.
func (b *bankSide) note(x rails.CardNews) {
	c := b.charges[x.Key]
	if amount, done := b.unheard[x.Key]; c == nil && done { // its answer was lost, and nobody has retried yet
		c = &charged{amount: amount, approved: true}
		b.charges[x.Key] = c
	}
	if c == nil {
		b.y.never("the processor speaks of %s, which nobody has asked for", x.Key)
		return
	}
	switch x.Kind {
	case "SETTLED", "REFUND_SETTLED":
		c.settled, c.cost = true, int64(x.Cost)
	case "DISPUTE":
		c.disputed, c.fees = true, int64(x.Cost)
		b.y.Situations.Reached(sim.Disputed)
		b.y.reach(!c.settled, sim.DisputedBeforePaidOut)
	case "DISPUTE_WON":
		c.won = true
		b.y.Situations.Reached(sim.DisputeWon)
	}
}

// cardLine is one node's connection to the processor.
type cardLine struct {
	b *bankSide
	n *node
}

// Charge implements rails.Processor.
func (l cardLine) Charge(ctx context.Context, key, token string, amount money.Amount) (rails.Charge, error) {
	return l.ask(key, int64(amount), func() (rails.Charge, error) {
		return l.b.fake.Cards().Charge(ctx, key, token, amount)
	})
}

// Refund implements rails.Processor.
func (l cardLine) Refund(ctx context.Context, key, charge string, amount money.Amount) (rails.Charge, error) {
	return l.ask(key, -int64(amount), func() (rails.Charge, error) {
		return l.b.fake.Cards().Refund(ctx, key, charge, amount)
	})
}

// ask calls the processor over a connection that loses requests and answers.
func (l cardLine) ask(key string, amount int64, do func() (rails.Charge, error)) (answer rails.Charge, err error) {
	err = l.n.call(func() error {
		y := l.b.y
		if y.struck(y.Mix.LineDown, "line down") {
			return errLost
		}
		l.b.asked++
		x, err := do()
		if err != nil {
			if !errors.Is(err, fake.ErrLost) {
				y.never("PO5: the processor refuses %s: %w", key, err)
			} else {
				l.b.unheard[key] = amount
			}
			return errLost
		}
		if l.b.charges[key] == nil {
			c := &charged{amount: amount, approved: x.Approved, ref: x.Reference}
			l.b.charges[key] = c
			y.reach(!x.Approved && amount > 0, sim.Declined)
			y.reach(!x.Approved && amount < 0, sim.CardRefundDeclined)
			y.reach(x.Approved && amount < 0, sim.CardRefund)
			if x.Approved && amount > 0 && y.struck(y.Mix.Disputed, "dispute") {
				hours := 40 * 24
				if sim.Chance(y.Source, 30) {
					hours = 20 // before it is paid out
				}
				c.until = y.Clock.Now().Add(time.Duration(1+y.Source.Intn(hours)) * time.Hour)
			}
		} else {
			y.Situations.Reached(sim.ChargedAgainByKey)
		}
		if y.struck(y.Mix.Unheard, "the processor's answer lost") {
			return errLost
		}
		answer = x
		return nil
	})
	return answer, err
}

// News implements rails.Processor.
func (l cardLine) News(context.Context) (list []rails.CardNews, err error) {
	err = l.n.call(func() error {
		if l.b.y.struck(l.b.y.Mix.LineDown, "line down") {
			return errLost
		}
		for _, x := range l.b.news {
			if !x.from.After(l.b.y.Clock.Now()) {
				list = append(list, x.CardNews)
			}
		}
		return nil
	})
	return list, err
}

// Done implements rails.Processor. Some news comes a second time.
func (l cardLine) Done(_ context.Context, id string) error {
	return l.n.call(func() error {
		l.b.news = slices.DeleteFunc(l.b.news, func(x *told) bool {
			if x.ID != id || x.from.After(l.b.y.Clock.Now()) {
				return false
			}
			if x.again {
				l.b.y.Situations.Reached(sim.NewsTwice)
				x.again, x.from = false, l.b.y.Clock.Now().Add(time.Duration(1+l.b.y.Source.Intn(50))*time.Hour)
				return false
			}
			l.b.heard = append(l.b.heard, told{CardNews: x.CardNews, from: l.b.y.Clock.Now()})
			return true
		})
		return nil
	})
}

// tokenOf picks a card: most pay.
func (y *Years) tokenOf() string {
	switch {
	case y.chance(y.Mix.Declined):
		return "tok_decline_insufficient_funds"
	case sim.Chance(y.Source, 10):
		return fake.TokenLost
	}
	return "tok_" + strings.Repeat("x", 1+y.Source.Intn(9))
}
