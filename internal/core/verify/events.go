package verify

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// payload is the part common to all events.
type payload struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Sequence int64  `json:"sequence"`
}

// events counts the events of each object and compares each with its payload (EV1, EV4).
func events(r *run) error {
	last := map[credit.ObjectRef]int64{}
	heads, err := r.recordHeads()
	if err != nil {
		return err
	}
	if err := store.Each(r.view, &store.Events, func(e store.EventRow) error {
		if e.ID == "" {
			r.broken("EV4", fmt.Sprintf("commit %d", e.Q), "has events that cannot be read")
			return r.each(e.Q)
		}
		object := "event " + e.ID
		if e.Sequence != last[e.Object]+1 {
			r.broken("EV1", object, "has sequence %d, but the last of its object is %d (%s %s)", e.Sequence, last[e.Object], e.Object.Type, e.Object.ID)
		}
		last[e.Object] = e.Sequence
		var p payload
		if err := json.Unmarshal(e.Payload, &p); err != nil || p != (payload{e.ID, string(e.Type), e.Sequence}) {
			r.broken("EV4", object, "its payload does not match: %q, %q, %d: %v", p.ID, p.Type, p.Sequence, err)
		}
		if h, ok := heads[e.Object]; ok {
			r.checkRecordReader(object, e, h)
		} else {
			r.checkReader(object, e)
		}
		return r.each(e.Q)
	}); err != nil {
		return err
	}
	if err := store.EachOf(r.view, store.InvoiceNoun, func(i *credit.Invoice) error {
		r.sequence(credit.ObjectRef{Type: "invoice", ID: i.ID}, i.EventSeq, last)
		return r.ctx.Err()
	}); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(r.orders)) {
		r.sequence(credit.ObjectRef{Type: "order", ID: key}, r.orders[key].eventSeq, last)
	}
	for _, id := range slices.Sorted(maps.Keys(r.paid)) {
		r.sequence(credit.ObjectRef{Type: "payment", ID: id}, r.paid[id].eventSeq, last)
	}
	for _, id := range slices.Sorted(maps.Keys(r.companies)) {
		r.sequence(credit.ObjectRef{Type: "company", ID: store.CompanyKey(id)}, r.companies[id].EventSeq, last)
	}
	for _, id := range slices.Sorted(maps.Keys(r.endpoints)) {
		r.sequence(credit.ObjectRef{Type: "webhook", ID: id}, r.endpoints[id].now().EventSeq, last)
	}
	for _, id := range slices.Sorted(maps.Keys(r.payouts)) {
		r.sequence(credit.ObjectRef{Type: "payout", ID: id}, r.payouts[id].eventSeq, last)
	}
	for ref, h := range heads { // unordered: each by itself
		r.sequence(ref, h.EventSeq, last)
	}
	for ref := range last {
		r.broken("EV1", ref.Type+" "+ref.ID, "has events but does not exist")
	}
	return nil
}

// sequence compares the last event of an object with the object.
func (r *run) sequence(o credit.ObjectRef, stored int64, last map[credit.ObjectRef]int64) {
	if stored != last[o] {
		r.broken("EV1", o.Type+" "+o.ID, "records %d events, but has %d", stored, last[o])
	}
	delete(last, o)
}

// checkReader checks that an event has the company and merchant of its object (AU1).
func (r *run) checkReader(object string, e store.EventRow) {
	company, merchant := e.Company, e.Merchant
	switch e.Object.Type {
	case "order":
		if o := r.orders[e.Object.ID]; o != nil {
			company, merchant = o.company, o.merchant
		}
	case "payment":
		if p := r.paid[e.Object.ID]; p != nil {
			company, merchant = p.company, p.merchant
			if o := r.orders[p.order]; o != nil {
				merchant = o.merchant
			}
			if merchant == "" {
				merchant = credit.OperatorOnly
			}
		}
	case "payout":
		if p := r.payouts[e.Object.ID]; p != nil {
			company, merchant = 0, p.merchant
		}
	case "webhook":
		if h := r.endpoints[e.Object.ID]; h != nil {
			company, merchant = 0, h.now().Merchant
		}
	case "company":
		if merchant = ""; e.Object.ID != fmt.Sprint(e.Company) {
			company = 0
		}
	}
	if company != e.Company || merchant != e.Merchant {
		r.broken("AU1", object, "is for the wrong company %d or merchant %q", e.Company, e.Merchant)
	}
}
