package verify

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
)

// recordTables returns the names of the tables that records reads.
func recordTables() (out []string) {
	for _, t := range store.RecordTables {
		out = append(out, t.Table.Name)
	}
	return append(out, store.Vault.Name)
}

// records checks each record of the buyer's side against the rules of its kind, its links
// and its vault entries (RC1, RC2, RC3).
func records(r *run) error {
	handles, waiting := map[string]bool{}, map[int64]int{}
	for _, m := range r.merchants {
		if id := m.Shop.Logo.Content; id != "" {
			handles[id] = true
		}
	}
	for _, t := range store.RecordTables {
		if err := store.EachRecord(r.view, t.Noun, func(x credit.Record) error {
			h, object := x.Head(), fmt.Sprint(t.Noun, " ", x.Head().ID)
			if why := credit.RecordFlaw(x); why != "" {
				r.broken("RC2", object, "%s", why)
			}
			if h.Merchant != "" && r.merchants[h.Merchant] == nil {
				r.broken("RC1", object, "belongs to merchant %s, which does not exist", h.Merchant)
			}
			if h.Company != 0 && r.companies[h.Company] == nil {
				r.broken("RC1", object, "belongs to company %d, which does not exist", h.Company)
			}
			switch x := x.(type) {
			case *credit.Checkout:
				r.acceptedOrder(object, x)
			case *credit.Person:
				r.roles(object, x)
			case *credit.Note:
				r.noteLinks(object, x)
			case *credit.Case:
				r.caseLinks(object, x)
				if x.Status != credit.CaseResolved {
					waiting[x.Company]++
				}
			}
			for _, id := range x.Secrets() {
				handles[id] = true
			}
			return r.each(0)
		}); err != nil {
			return err
		}
	}
	r.places(waiting)
	return r.vault(handles)
}

// vault checks that the vault contains exactly these handles (RC3).
func (r *run) vault(handles map[string]bool) error {
	found := map[string]bool{}
	if err := store.EachSecret(r.view, func(id string, _ []byte) error {
		if found[id] = true; !handles[id] {
			r.broken("RC3", "secret "+id, "belongs to no record")
		}
		return r.each(0)
	}); err != nil {
		return err
	}
	for _, id := range slices.Sorted(maps.Keys(handles)) {
		if !found[id] {
			r.broken("RC3", "secret "+id, "is not in the vault")
		}
	}
	return nil
}

// noteLinks checks that what a note is about exists, and belongs to its company. Applications are
// records themselves.
func (r *run) noteLinks(object string, x *credit.Note) {
	kind, id, _ := strings.Cut(x.Of, "/")
	found, company := false, int64(0)
	switch kind {
	case "order":
		if o := r.orders[id]; o != nil {
			found, company = true, o.company
		}
	case "payment":
		if p := r.paid[id]; p != nil {
			found, company = true, p.company
		}
	case "company":
		company = store.CompanyID(id)
		found = r.companies[company] != nil
	case "merchant":
		found = r.merchants[id] != nil
	case "application":
		return
	}
	if !found || company != x.Company {
		r.broken("RC1", object, "is about %s, which does not exist or does not belong to company %d", x.Of, x.Company)
	}
}

// caseLinks checks that a case is about something of its company, and takes a place while
// it waits.
func (r *run) caseLinks(object string, x *credit.Case) {
	if key := x.Order(); key != "" {
		if o := r.orders[key]; o == nil || o.company != x.Company || x.Merchant != "" && o.merchant != x.Merchant {
			r.broken("RC1", object, "is about order %s, which does not belong to its company or merchant", key)
		}
	}
	if id := x.Payment(); id != "" {
		if p := r.paid[id]; p == nil || p.company != x.Company {
			r.broken("RC1", object, "is about payment %s, which does not belong to its company", id)
		}
	}
	c := r.companies[x.Company]
	if x.Status != credit.CaseResolved && c != nil && !slices.Contains(c.Servicing.Cases.Open, credit.OpenPlace{ID: x.ID, Kind: x.Kind, Merchant: x.Merchant}) {
		r.broken("RC2", object, "is open, but holds no slot of company %d", x.Company)
	}
}

// places checks that no company has taken more places than it has waiting cases.
func (r *run) places(waiting map[int64]int) {
	for _, id := range slices.Sorted(maps.Keys(r.companies)) {
		if n := len(r.companies[id].Servicing.Cases.Open); n != waiting[id] {
			r.broken("RC2", "company "+store.CompanyKey(id), "has %d case slots in use, but %d open cases", n, waiting[id])
		}
	}
}

// roles checks that a person acts only for companies that exist.
func (r *run) roles(object string, p *credit.Person) {
	for _, role := range p.Roles {
		if r.companies[role.Company] == nil {
			r.broken("RC1", object, "has a role at company %d, which does not exist", role.Company)
		}
	}
}

// acceptedOrder checks that what a buyer accepted matches the order.
func (r *run) acceptedOrder(object string, c *credit.Checkout) {
	o := r.orders[c.Of]
	switch {
	case c.Accepted == nil:
		if o != nil && !c.Direct {
			r.broken("RC2", object, "has order %s, but was not accepted", c.Of)
		}
	case o == nil:
		r.broken("RC2", object, "was accepted, but order %s does not exist", c.Of)
	case c.Status == credit.CheckoutCompleted && o.status == credit.OrderCreated:
		r.broken("RC2", object, "is COMPLETED, but its order is CREATED")
	}
}

// recordNames adds the names that records hold. Of several checkouts for the same thing the
// last one holds its name: the one that no other followed.
func (r *run) recordNames(take func(credit.Claim, string)) error {
	followed := map[string]bool{}
	if err := store.EachRecord(r.view, credit.NounCheckout, func(x credit.Record) error {
		followed[x.(*credit.Checkout).Before] = true
		return nil
	}); err != nil {
		return err
	}
	for _, t := range store.RecordTables {
		if err := store.EachRecord(r.view, t.Noun, func(x credit.Record) error {
			for _, c := range x.Claims() {
				if c.Kind != credit.ClaimRemoteID || !followed[x.Head().ID] {
					take(c, x.Head().ID)
				}
			}
			return nil
		}); err != nil {
			return err
		}
	}
	return nil
}

// taxNumber checks that the owner of a tax number is a company, or an undecided
// application.
func (r *run) taxNumber(c credit.Claim, owner string) error {
	if id, err := strconv.ParseInt(owner, 10, 64); err == nil && r.companies[id] != nil {
		return nil
	}
	s := credit.NewState()
	if err := r.view.Load(s, credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounApplication, ID: owner}}}); err != nil {
		return err
	}
	if a := s.Application(owner); a == nil || a.Decided() || a.Business.EIN != c.Name {
		r.broken("OR8", string(c.Kind)+" "+c.Name, "is claimed for %q, which is neither a company nor an open application with this tax id", owner)
	}
	return nil
}

// recordHeads returns what events of records are compared with.
func (r *run) recordHeads() (map[credit.ObjectRef]credit.RecordHead, error) {
	all := map[credit.ObjectRef]credit.RecordHead{}
	for _, t := range store.RecordTables {
		if err := store.EachRecord(r.view, t.Noun, func(x credit.Record) error {
			if h := *x.Head(); h.EventSeq != 0 || t.Noun == credit.NounApplication || t.Noun == credit.NounCheckout {
				all[credit.ObjectRef{Type: string(t.Noun), ID: h.ID}] = h
			}
			return r.ctx.Err()
		}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// checkRecordReader checks that a record's event is for the record's merchant, and for its
// company, or for none if it had none yet (AU1).
func (r *run) checkRecordReader(object string, e store.EventRow, h credit.RecordHead) {
	if e.Merchant != cmp.Or(h.Merchant, credit.OperatorOnly) || e.Company != 0 && e.Company != h.Company {
		r.broken("AU1", object, "is for the wrong company %d or merchant %q", e.Company, e.Merchant)
	}
}
