package card

import (
	"fmt"
	"testing"
	"time"

	"tenor/internal/domain/money"
	"tenor/internal/ports/rails"
)

// wall is a clock controlled by a test.
type wall struct{ now time.Time }

func (w *wall) Now() time.Time { return w.now }

func newsOf(t *testing.T, s *Stripe) []rails.CardNews {
	t.Helper()
	list, err := s.News(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// payout adds a payout of n charges with a fee of 3.33 each to the processor's events, mixed with
// transactions of other systems.
func (p *processor) payout(id string, at time.Time, n int) {
	p.change(func() {
		parts := []object{{"id": "txn_" + id + "_payout", "type": "payout", "fee": 0, "source": object{"id": id}}}
		for i := range n {
			parts = append(parts, object{
				"id": fmt.Sprintf("txn_%s_%d", id, i), "type": "charge", "amount": 10465, "fee": 333, "net": 10132,
				"source": object{"id": "ch_1", "object": "charge", "payment_intent": fmt.Sprint("pi_", i), "metadata": object{"tenor_transfer": fmt.Sprint("trf_", id, "_", i)}},
			})
		}
		parts = append(parts,
			object{"id": "txn_" + id + "_other", "type": "charge", "fee": 59, "source": object{"id": "ch_2", "payment_intent": "pi_x", "metadata": object{"shop": "1"}}},
			object{"id": "txn_" + id + "_fee", "type": "stripe_fee", "fee": 0, "source": "fee_1"},
		)
		p.parts[id] = parts
		p.event("payout.paid", at, object{"id": id, "object": "payout", "status": "paid"})
	})
}

func (p *processor) event(kind string, at time.Time, about object) {
	e := object{"id": fmt.Sprintf("evt_%d", len(p.events)+1), "object": "event", "type": kind, "created": at.Unix(), "data": object{"object": about}}
	p.events = append([]object{e}, p.events...)
}

func TestNews(t *testing.T) {
	p, s := start(t)
	w := &wall{time.Date(2026, 6, 17, 12, 0, 0, 0, time.UTC)}
	s.cfg.Now = w.Now
	if list := newsOf(t, s); len(list) != 0 {
		t.Fatalf("%+v", list)
	}
	p.payout("po_1", w.now, 1)
	p.change(func() {
		p.parts["po_1"] = append(p.parts["po_1"], object{
			"id": "txn_r", "type": "refund", "amount": -500, "fee": 0, "source": object{"id": "re_1", "object": "refund", "payment_intent": "pi_0", "metadata": object{"tenor_transfer": "trf_r"}},
		})
	})
	if list := newsOf(t, s); len(list) != 0 {
		t.Errorf("asked again within the minute: %+v", list)
	}
	w.now = w.now.Add(time.Minute)
	list := newsOf(t, s)
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	want := rails.CardNews{ID: "evt_1-txn_po_1_0", Kind: "SETTLED", Reference: "pi_0", Key: "trf_po_1_0", Cost: money.MustParse("3.33")}
	if list[1] != want || list[0].Kind != "REFUND_SETTLED" || list[0].Key != "trf_r" {
		t.Errorf("%+v", list)
	}
	done := func(x rails.CardNews) {
		t.Helper()
		for range 2 {
			if err := s.Done(t.Context(), x.ID); err != nil {
				t.Fatal(err)
			}
		}
	}
	done(list[0])
	if again := newsOf(t, s); len(again) != 1 || again[0] != want {
		t.Errorf("%+v", again)
	}
	w.now = w.now.Add(time.Minute)
	if again := newsOf(t, s); len(again) != 1 || again[0] != want {
		t.Errorf("%+v", again)
	}
	done(want)
	for range 3 {
		w.now = w.now.Add(time.Minute)
		if again := newsOf(t, s); len(again) != 0 {
			t.Errorf("%+v", again)
		}
	}
	if n := p.count("GET /v1/balance_transactions"); n != 3 {
		t.Errorf("the payout was read %d times", n)
	}
	// A new process sees it again, under the same IDs.
	other := p.client(t, func(c *Config) { c.Now = w.Now })
	if again := newsOf(t, other); len(again) != 2 || again[1] != want {
		t.Errorf("%+v", again)
	}
}

// More than a page of events, and a payout of more than a page, in chronological order.
func TestNewsPages(t *testing.T) {
	p, s := start(t)
	w := &wall{time.Date(2026, 6, 17, 12, 0, 0, 0, time.UTC)}
	s.cfg.Now = w.Now
	p.payout("po_0", w.now.Add(-29*24*time.Hour), 250)
	for i := range 120 {
		p.payout(fmt.Sprint("po_", i+1), w.now.Add(time.Duration(i-200)*time.Minute), 1)
	}
	list := newsOf(t, s)
	if len(list) != 370 || list[0].Key != "trf_po_0_249" || list[369].Key != "trf_po_120_0" {
		t.Fatalf("%d news", len(list))
	}
	seen := map[string]bool{}
	for _, x := range list {
		if seen[x.ID] {
			t.Errorf("%s twice", x.ID)
		}
		seen[x.ID] = true
		if err := s.Done(t.Context(), x.ID); err != nil {
			t.Fatal(err)
		}
	}
	w.now = w.now.Add(time.Hour)
	if list := newsOf(t, s); len(list) != 0 {
		t.Errorf("%d news", len(list))
	}
	// An event that appears late, with an earlier time, is not missed.
	p.payout("po_late", w.now.Add(-50*time.Minute), 1)
	w.now = w.now.Add(time.Minute)
	if list := newsOf(t, s); len(list) != 1 || list[0].Key != "trf_po_late_0" {
		t.Errorf("%+v", list)
	}
}

func TestDisputes(t *testing.T) {
	p, s := start(t)
	w := &wall{time.Date(2026, 6, 17, 12, 0, 0, 0, time.UTC)}
	s.cfg.Now = w.Now
	if _, err := s.Charge(t.Context(), "trf_1", "pm_ok", 10465); err != nil {
		t.Fatal(err)
	}
	dispute := object{
		"id": "du_1", "object": "dispute", "amount": 10465, "charge": "ch_1", "payment_intent": "pi_1", "reason": "fraudulent", "status": "needs_response", "evidence_details": object{"due_by": w.now.Add(7 * 24 * time.Hour).Unix()},
		"balance_transactions": []object{{"id": "txn_d", "type": "adjustment", "amount": -10465, "fee": 1500, "net": -11965, "source": "du_1"}},
	}
	p.change(func() {
		p.intents = append(p.intents, object{"id": "pi_other", "metadata": map[string]string{}})
		p.event("charge.dispute.created", w.now, dispute) // does not mention money
		p.event("charge.dispute.funds_withdrawn", w.now, dispute)
		p.event("charge.dispute.funds_withdrawn", w.now, object{"id": "du_2", "payment_intent": "pi_other"})
		p.event("charge.dispute.funds_withdrawn", w.now, object{"id": "du_3", "payment_intent": nil})
		p.event("charge.dispute.funds_reinstated", w.now, dispute)
	})
	list := newsOf(t, s)
	if len(list) != 2 {
		t.Fatalf("%+v", list)
	}
	if x := list[0]; x.ID != "evt_2" || x.Kind != "DISPUTE" || x.Key != "trf_1" || x.Reference != "pi_1" || x.Cost != money.MustParse("15.00") || x.Code != "fraudulent" || !x.AnswerBy.Equal(w.now.Add(7*24*time.Hour)) {
		t.Errorf("%+v", x)
	}
	if x := list[1]; x.ID != "evt_5" || x.Kind != "DISPUTE_WON" || x.Key != "trf_1" || x.Cost != 0 || !x.AnswerBy.IsZero() {
		t.Errorf("%+v", x)
	}
}
