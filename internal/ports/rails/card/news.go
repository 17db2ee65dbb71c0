package card

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"time"

	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
)

// kept is how long the processor keeps events; overlap is how far each poll goes back beyond the
// previous one, because events do not appear in order of their time.
const (
	kept    = 30 * 24 * time.Hour
	overlap = time.Hour
)

// newsState is what is known about the processor's events. It is lost with the process: then
// everything that the processor keeps is reported again, under the same IDs.
type newsState struct {
	from     time.Time // earlier events are done
	looked   time.Time // last successful poll
	open     []rails.CardNews
	done     map[string]bool      // IDs of news
	finished map[string]time.Time // events that are completely done, with their time
}

// event is one of the processor's events.
type event struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Created int64  `json:"created"`
	Data    struct {
		Object json.RawMessage `json:"object"`
	} `json:"data"`
}

// News lists payouts of charges and refunds with the processor's fee for each, and disputes that
// have taken or returned money, oldest first. It polls at most once in Every; in between it
// returns what is not done yet.
func (s *Stripe) News(ctx context.Context) ([]rails.CardNews, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n, now := &s.news, s.cfg.Now()
	if n.done == nil {
		n.done, n.finished, n.from = map[string]bool{}, map[string]time.Time{}, now.Add(-kept)
	}
	if !n.looked.IsZero() && now.Sub(n.looked) < s.cfg.Every {
		return slices.Clone(n.open), nil
	}
	events, err := s.events(ctx, n.from)
	if err != nil {
		return nil, err
	}
	n.open = nil
	for _, e := range events {
		if _, ok := n.finished[e.ID]; ok {
			continue
		}
		list, err := s.tell(ctx, e)
		if err != nil {
			return nil, fmt.Errorf("card: event %s: %w", e.ID, err)
		}
		list = slices.DeleteFunc(list, func(x rails.CardNews) bool { return n.done[x.ID] })
		if len(list) == 0 {
			n.finished[e.ID] = time.Unix(e.Created, 0)
		}
		n.open = append(n.open, list...)
	}
	n.looked = now
	if len(n.open) == 0 {
		n.from = now.Add(-overlap)
		clear(n.done) // their events are finished
		maps.DeleteFunc(n.finished, func(_ string, at time.Time) bool { return at.Before(n.from.Add(-overlap)) })
	}
	return slices.Clone(n.open), nil
}

// Done removes an item from the list. It is idempotent.
func (s *Stripe) Done(_ context.Context, id string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.news.done == nil {
		return nil
	}
	s.news.done[id] = true
	s.news.open = slices.DeleteFunc(s.news.open, func(x rails.CardNews) bool { return x.ID == id })
	return nil
}

// Events that move money between us and the processor.
const (
	payoutPaid        = "payout.paid"
	disputeWithdrawn  = "charge.dispute.funds_withdrawn"
	disputeReinstated = "charge.dispute.funds_reinstated"
)

// events lists the relevant events since an instant, oldest first.
func (s *Stripe) events(ctx context.Context, from time.Time) ([]event, error) {
	var out []event
	values := url.Values{"created[gte]": {strconv.FormatInt(from.Unix(), 10)}, "types[]": {payoutPaid, disputeWithdrawn, disputeReinstated}}
	err := s.list(ctx, "/v1/events", values, func(text json.RawMessage) (string, error) {
		var e event
		err := json.Unmarshal(text, &e)
		out = append(out, e)
		return e.ID, err
	})
	slices.Reverse(out) // the newest come first
	return out, err
}

// tell returns what an event says about our charges, ignoring those of other systems that use the
// same account.
func (s *Stripe) tell(ctx context.Context, e event) ([]rails.CardNews, error) {
	if e.Type == payoutPaid {
		var payout struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(e.Data.Object, &payout); err != nil || payout.ID == "" {
			return nil, errors.New("payout has no id")
		}
		return s.settled(ctx, e.ID, payout.ID)
	}
	var d struct {
		Intent       string        `json:"payment_intent"`
		Reason       string        `json:"reason"`
		Transactions []transaction `json:"balance_transactions"`
		Evidence     struct {
			DueBy int64 `json:"due_by"` // seconds; null or 0 if no response is possible
		} `json:"evidence_details"`
	}
	if err := json.Unmarshal(e.Data.Object, &d); err != nil {
		return nil, errors.New("dispute cannot be decoded")
	}
	if d.Intent == "" {
		return nil, nil
	}
	x, err := s.read(ctx, d.Intent)
	if err != nil || x.Metadata[metaKey] == "" {
		return nil, err
	}
	news := rails.CardNews{ID: e.ID, Kind: "DISPUTE", Reference: d.Intent, Key: x.Metadata[metaKey], Code: d.Reason, Message: "The holder of the card disputes the charge."}
	if e.Type == disputeReinstated {
		news.Kind, news.Message = "DISPUTE_WON", "The dispute was decided for us."
		return []rails.CardNews{news}, nil
	}
	if d.Evidence.DueBy > 0 {
		news.AnswerBy = time.Unix(d.Evidence.DueBy, 0).UTC()
	}
	for _, t := range d.Transactions {
		news.Cost = news.Cost.Add(t.Fee)
	}
	return []rails.CardNews{news}, nil
}

// transaction is a movement of our balance at the processor. Amounts are in cents.
type transaction struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Fee    money.Amount
	Source struct {
		Intent   string            `json:"payment_intent"`
		Metadata map[string]string `json:"metadata"`
	} `json:"source"`
}

// UnmarshalJSON reads a transaction whose source is an object, or an ID that is irrelevant here.
func (t *transaction) UnmarshalJSON(text []byte) error {
	var x struct {
		ID     string          `json:"id"`
		Type   string          `json:"type"`
		Fee    int64           `json:"fee"`
		Source json.RawMessage `json:"source"`
	}
	if err := json.Unmarshal(text, &x); err != nil {
		return err
	}
	t.ID, t.Type, t.Fee = x.ID, x.Type, money.Amount(x.Fee)
	if len(x.Source) == 0 || x.Source[0] != '{' {
		return nil
	}
	return json.Unmarshal(x.Source, &t.Source)
}

// settled returns the items of a payout to our bank.
func (s *Stripe) settled(ctx context.Context, id, payout string) ([]rails.CardNews, error) {
	var out []rails.CardNews
	values := url.Values{"payout": {payout}, "expand[]": {"data.source"}}
	err := s.list(ctx, "/v1/balance_transactions", values, func(text json.RawMessage) (string, error) {
		var t transaction
		if err := json.Unmarshal(text, &t); err != nil {
			return "", err
		}
		kind := map[string]string{"charge": "SETTLED", "payment": "SETTLED", "refund": "REFUND_SETTLED", "payment_refund": "REFUND_SETTLED"}[t.Type]
		if key := t.Source.Metadata[metaKey]; kind != "" && key != "" {
			out = append(out, rails.CardNews{ID: id + "-" + t.ID, Kind: kind, Reference: t.Source.Intent, Key: key, Cost: t.Fee})
		}
		return t.ID, nil
	})
	slices.Reverse(out)
	return out, err
}
