package fake

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
)

// Tokens with a special meaning. Any other token that begins with tok_ is approved.
//
//	tok_decline_CODE   declined with the code: tok_decline_insufficient_funds
//	tok_expired        declined: expired_card
//	tok_lost_answer    approved, but the response to the first call is lost
//	tok_dispute        approved and settled, then disputed five banking days later
const (
	TokenOK      = "tok_ok"
	TokenExpired = "tok_expired"
	TokenLost    = "tok_lost_answer"
	TokenDispute = "tok_dispute"

	declinePrefix = "tok_decline_"
)

// answering is how long a response to a dispute is accepted.
const answering = 7 * 24 * time.Hour

// DisputeFee is what the network charges for a dispute.
const DisputeFee money.Amount = 15_00

// cardCost returns the processor's fee for a charge: half_up(2.9 % × amount) + 0.30.
func cardCost(amount money.Amount) money.Amount { return money.MulDiv(amount, 29, 1000).Add(30) }

// ErrLost means that the response was lost: it is unknown whether the card was charged, until the
// call is retried with the same key.
var ErrLost = errors.New("fake: the processor did not answer")

// cardState is the processor's state.
type cardState struct {
	Charges map[string]*charge `json:"charges"` // by key
	Refunds map[string]*refund `json:"refunds"`
	News    []news             `json:"news"`
}

type charge struct {
	Token    string       `json:"token"`
	Amount   money.Amount `json:"amount"`
	Answer   rails.Charge `json:"answer"`
	Refunded money.Amount `json:"refunded"`
	Disputed time.Time    `json:"disputed"` // since when, zero if it never is
	Won      bool         `json:"won"`
}

// open reports whether a dispute of the charge is undecided.
func (x *charge) open(now time.Time) bool { return x.disputed(now) && !x.Won }

func (x *charge) disputed(now time.Time) bool { return !x.Disputed.IsZero() && !x.Disputed.After(now) }

type refund struct {
	Charge string       `json:"charge"`
	Amount money.Amount `json:"amount"`
	Answer rails.Charge `json:"answer"`
}

// news is something that the processor will report.
type news struct {
	At   time.Time      `json:"at"`
	News rails.CardNews `json:"news"`
}

// Cards is the processor that goes with the bank: one clock, one state.
type Cards struct{ b *Bank }

// Cards returns the processor.
func (b *Bank) Cards() *Cards { return &Cards{b} }

// Charge charges a card at once. The same key gives the same result as before; with another token
// or amount it returns ErrTaken.
func (c *Cards) Charge(_ context.Context, key, token string, amount money.Amount) (rails.Charge, error) {
	defer c.b.enter()()
	s := &c.b.s
	if old := s.Cards.Charges[key]; old != nil {
		if old.Token != token || old.Amount != amount {
			return rails.Charge{}, fmt.Errorf("%w: key %s", ErrTaken, key)
		}
		return old.Answer, nil
	}
	if key == "" || amount <= 0 {
		return rails.Charge{}, fmt.Errorf("fake: invalid charge of %s with key %q", amount, key)
	}
	x := &charge{Token: token, Amount: amount}
	s.Cards.Charges[key] = x
	if code := declines(token); code != "" {
		x.Answer = rails.Charge{Reference: c.b.number("ch"), Code: code, Message: "The card was declined: " + strings.ReplaceAll(code, "_", " ") + "."}
		return x.Answer, nil
	}
	x.Answer = rails.Charge{Approved: true, Reference: c.b.number("ch")}
	today := c.b.zone.Date(s.Now)
	c.say(c.b.opening(today, 2), rails.CardNews{Kind: "SETTLED", Reference: x.Answer.Reference, Key: key, Cost: cardCost(amount)})
	switch token {
	case TokenDispute:
		x.Disputed = c.b.opening(today, 7)
		c.say(x.Disputed, dispute(key, x, "fraudulent"))
	case TokenLost:
		return rails.Charge{}, ErrLost
	}
	return x.Answer, nil
}

// declines returns the code with which a token is declined, "" if it is not.
func declines(token string) string {
	code, ok := strings.CutPrefix(token, declinePrefix)
	switch {
	case ok && code != "":
		return code
	case token == TokenExpired:
		return "expired_card"
	case !strings.HasPrefix(token, "tok_"):
		return "invalid_token"
	}
	return ""
}

// Refund refunds part of a charge, never more than is left of it. The same key gives the same
// result as before.
func (c *Cards) Refund(_ context.Context, key, reference string, amount money.Amount) (rails.Charge, error) {
	defer c.b.enter()()
	s := &c.b.s
	if old := s.Cards.Refunds[key]; old != nil {
		if old.Charge != reference || old.Amount != amount {
			return rails.Charge{}, fmt.Errorf("%w: key %s", ErrTaken, key)
		}
		return old.Answer, nil
	}
	_, x := c.byReference(reference)
	if x == nil || key == "" || amount <= 0 {
		return rails.Charge{}, fmt.Errorf("%w: charge %s", ErrUnknown, reference)
	}
	r := &refund{Charge: reference, Amount: amount}
	s.Cards.Refunds[key] = r
	switch {
	case x.open(s.Now):
		r.Answer = rails.Charge{Reference: c.b.number("re"), Code: "charge_disputed", Message: "The charge is disputed."}
	case amount > x.Amount.Sub(x.Refunded):
		r.Answer = rails.Charge{Reference: c.b.number("re"), Code: "charge_already_refunded", Message: "No more is left of the charge."}
	default:
		x.Refunded = x.Refunded.Add(amount)
		r.Answer = rails.Charge{Approved: true, Reference: c.b.number("re")}
		c.say(c.b.opening(c.b.zone.Date(s.Now), 2), rails.CardNews{Kind: "REFUND_SETTLED", Reference: reference, Key: key})
	}
	return r.Answer, nil
}

// Dispute makes a card's holder dispute a charge at once.
func (c *Cards) Dispute(reference, code string) error {
	defer c.b.enter()()
	key, x := c.byReference(reference)
	switch {
	case x == nil || !x.Answer.Approved:
		return fmt.Errorf("%w: charge %s", ErrUnknown, reference)
	case !x.Disputed.IsZero():
		return fmt.Errorf("%w: charge %s", ErrState, reference)
	}
	x.Disputed = c.b.s.Now
	c.say(c.b.s.Now, dispute(key, x, code))
	return nil
}

// Win decides a dispute for the lender at once.
func (c *Cards) Win(reference string) error {
	defer c.b.enter()()
	key, x := c.byReference(reference)
	switch {
	case x == nil || !x.disputed(c.b.s.Now):
		return fmt.Errorf("%w: no dispute of charge %s", ErrUnknown, reference)
	case x.Won:
		return fmt.Errorf("%w: charge %s", ErrState, reference)
	}
	x.Won = true
	c.say(c.b.s.Now, rails.CardNews{Kind: "DISPUTE_WON", Reference: reference, Key: key, Message: "The dispute was decided for you."})
	return nil
}

func dispute(key string, x *charge, code string) rails.CardNews {
	return rails.CardNews{
		Kind: "DISPUTE", Reference: x.Answer.Reference, Key: key, Cost: DisputeFee, Code: code, Message: "The holder of the card disputes the charge.",
		AnswerBy: x.Disputed.Add(answering),
	}
}

// News lists what was reported and is not done, oldest first.
func (c *Cards) News(context.Context) ([]rails.CardNews, error) {
	defer c.b.enter()()
	var due []news
	for _, n := range c.b.s.Cards.News {
		if !n.At.After(c.b.s.Now) {
			due = append(due, n)
		}
	}
	slices.SortStableFunc(due, func(a, b news) int { return cmp.Or(a.At.Compare(b.At), strings.Compare(a.News.ID, b.News.ID)) })
	var out []rails.CardNews
	for _, n := range due {
		out = append(out, n.News)
	}
	return out, nil
}

// Done removes an item from the list. It is idempotent.
func (c *Cards) Done(_ context.Context, id string) error {
	defer c.b.enter()()
	c.b.s.Cards.News = slices.DeleteFunc(c.b.s.Cards.News, func(n news) bool { return n.News.ID == id })
	return nil
}

func (c *Cards) say(at time.Time, n rails.CardNews) {
	n.ID = c.b.number("evt")
	c.b.s.Cards.News = append(c.b.s.Cards.News, news{at, n})
}

func (c *Cards) byReference(reference string) (key string, x *charge) {
	for k, x := range c.b.s.Cards.Charges {
		if x.Answer.Reference == reference {
			return k, x
		}
	}
	return "", nil
}

// number returns a new ID. IDs are in ascending order as text.
func (b *Bank) number(prefix string) string {
	b.s.Seq++
	return fmt.Sprintf("%s_fake_%08d", prefix, b.s.Seq)
}
