package invariant

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/domain/credit"
)

// events requires that each object's sequence continues without a gap, and that its readers
// are those of the object (EV1, EV6).
func (k *checker) events() error {
	last := map[credit.ObjectRef]int64{}
	for i := range k.c.Events {
		e := &k.c.Events[i]
		before, ok := last[e.Object]
		if !ok {
			before = k.s.EventSeq(e.Object)
		}
		if e.Sequence != before+1 {
			return violated("EV1", "event %s of %s %s has sequence %d after %d", e.Type, e.Object.Type, e.Object.ID, e.Sequence, before)
		}
		last[e.Object] = e.Sequence
		if kind := objectOf(e.Type); kind != e.Object.Type {
			return violated("EV1", "event %s is about %s %s", e.Type, e.Object.Type, e.Object.ID)
		}
		if err := k.readers(e); err != nil {
			return err
		}
	}
	return nil
}

// objectOf is the kind of object that an event type is about.
func objectOf(t credit.EventType) string {
	switch object, _, _ := strings.Cut(string(t), "."); object {
	case "installment", "schedule", "clawback":
		return "order"
	default:
		return object
	}
}

// readers requires that an event is for the merchant that may read its object, or for those
// linked to its company after the command (EV6).
func (k *checker) readers(e *credit.Event) error {
	merchant, company, found := k.ownerOf(e.Object)
	if !found || e.Merchant != merchant || e.Company != company {
		return violated("EV6", "event %s of %s %s belongs to the wrong merchant %q or company %d", e.Type, e.Object.Type, e.Object.ID, e.Merchant, e.Company)
	}
	var linked []string
	if e.Object.Type == "company" {
		linked = k.company(company).Linked
	}
	if !slices.Equal(e.Readers, linked) {
		return violated("EV6", "event %s of %s %s has the readers %v, want %v", e.Type, e.Object.Type, e.Object.ID, e.Readers, linked)
	}
	return nil
}

// ownerOf is the merchant and the company of an object after the command; false if the object
// is not loaded.
func (k *checker) ownerOf(o credit.ObjectRef) (merchant string, company int64, found bool) {
	switch o.Type {
	case "order":
		if x := k.order(o.ID); x != nil {
			return x.Merchant, x.Company, true
		}
	case "payment":
		if x := k.payment(o.ID); x != nil {
			return k.readerOf(x), x.Company, true
		}
	case "invoice":
		if x := k.invoice(o.ID); x != nil {
			return x.Merchant, x.Company, true
		}
	case "company":
		id, err := strconv.ParseInt(o.ID, 10, 64)
		if err == nil && k.company(id) != nil {
			return "", id, true
		}
	case "payout":
		if x := k.payout(o.ID); x != nil {
			return x.Merchant, 0, true
		}
	case "webhook":
		if x := k.endpoint(o.ID); x != nil && x.Enabled {
			return x.Merchant, 0, true
		}
	default:
		if x := k.record(credit.RecordKey{Noun: credit.Noun(o.Type), ID: o.ID}); x != nil {
			return cmp.Or(x.Head().Merchant, credit.OperatorOnly), x.Head().Company, true
		}
	}
	return "", 0, false
}

// record is a record after the command, nil if it is not loaded.
func (k *checker) record(key credit.RecordKey) credit.Record {
	if i := slices.IndexFunc(k.c.Records, func(r credit.Record) bool { return credit.KeyOf(r) == key }); i >= 0 {
		return k.c.Records[i]
	}
	return k.s.Records[key]
}

// readerOf is Draft.readerOf, derived independently from the records.
func (k *checker) readerOf(p *credit.Payment) string {
	switch o := k.order(p.Order); {
	case p.Order != "" && o != nil:
		return o.Merchant
	case p.Merchant != "":
		return p.Merchant
	}
	return credit.OperatorOnly
}

func (k *checker) payment(id string) *credit.Payment {
	for _, p := range k.c.Payments {
		if p.ID == id {
			return p
		}
	}
	return k.s.Payments[id]
}

func (k *checker) invoice(id string) *credit.Invoice {
	for _, i := range k.c.Invoices {
		if i.ID == id {
			return i
		}
	}
	return k.s.Invoices[id]
}

func (k *checker) payout(id string) *credit.Payout {
	for _, p := range k.c.Payouts {
		if p.ID == id {
			return p
		}
	}
	return k.s.Payouts[id]
}

func (k *checker) endpoint(id string) *credit.Endpoint {
	for _, x := range k.c.Endpoints {
		if x.ID == id {
			return x
		}
	}
	return k.s.Endpoints[id]
}
