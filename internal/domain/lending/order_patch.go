package lending

import (
	"maps"
	"slices"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
)

// apply returns the order with the patch's fields.
func (c UpdateOrder) apply(old *credit.Order) *credit.Order {
	o := *old
	if c.MerchantOrderID != nil {
		o.MerchantOrderID = c.MerchantOrderID.Value
	}
	if c.Amount != nil {
		o.Amount = *c.Amount
	}
	if c.Installments != nil {
		o.Installments = c.Installments.Value
	}
	if c.Cart != nil {
		o.Cart = c.Cart.Value
	}
	if c.MerchantStatus != nil {
		o.MerchantStatus = c.MerchantStatus.Value
	}
	if c.Charges != nil {
		o.Charges = chargesOn(c.Charges, old.Charges)
	}
	if c.Shipping != nil {
		o.Shipping = addressOn(c.Shipping, old.Shipping)
	}
	if c.Billing != nil {
		o.Billing = addressOn(c.Billing, old.Billing)
	}
	if c.Metadata != nil {
		o.Metadata = metadataOn(c.Metadata, old.Metadata)
	}
	return &o
}

// previousDetailsOf lists the members that a patch changed. A value equal to the stored one is
// not a change.
func previousDetailsOf(was, now *credit.Order) credit.Previous {
	p := credit.Previous{}
	credit.Differs(p, "merchant_order_id", was.MerchantOrderID, now.MerchantOrderID)
	credit.Differs(p, "amount", was.Amount, now.Amount)
	credit.Differs(p, "installments", was.Installments, now.Installments)
	credit.PreviousDetails(p, was, now)
	return p
}

func metadataOn(p *MapPatch[string], old map[string]string) map[string]string {
	next := map[string]string{}
	if !p.Null {
		maps.Copy(next, old)
	}
	for _, k := range slices.Sorted(maps.Keys(p.Members)) {
		delete(next, k)
		if v := p.Members[k]; v != nil {
			next[k] = *v
		}
	}
	return next
}

// chargesOn merges the patch into the stored charges.
func chargesOn(p *MapPatch[money.Amount], old *credit.Charges) *credit.Charges {
	if p.Null {
		return nil
	}
	next := credit.Charges{}
	if old != nil {
		next = *old
	}
	for _, m := range []struct {
		name  string
		field *money.Amount
	}{
		{"total", &next.Total}, {"shipping", &next.Shipping}, {"tax", &next.Tax},
		{"discount_amount", &next.DiscountAmount}, {"grand_total", &next.GrandTotal},
	} {
		if v, ok := p.Members[m.name]; ok {
			*m.field = 0
			if v != nil {
				*m.field = *v
			}
		}
	}
	return &next
}

// addressOn merges the patch into a stored address.
func addressOn(p *MapPatch[string], old *credit.Address) *credit.Address {
	if p.Null {
		return nil
	}
	next := credit.Address{}
	if old != nil {
		next = *old
	}
	for _, m := range []struct {
		name  string
		field *string
	}{
		{"first_name", &next.FirstName}, {"last_name", &next.LastName}, {"company_name", &next.CompanyName},
		{"email", &next.Email}, {"phone_number", &next.PhoneNumber}, {"address1", &next.Address1},
		{"address2", &next.Address2}, {"city", &next.City}, {"state", &next.State}, {"zip", &next.Zip},
		{"country", &next.Country},
	} {
		if v, ok := p.Members[m.name]; ok {
			*m.field = ""
			if v != nil {
				*m.field = *v
			}
		}
	}
	return &next
}
