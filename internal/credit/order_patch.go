package credit

import (
	"maps"
	"slices"

	"tenor/internal/money"
)

// apply returns the order with the patch's fields, and the members that changed
// with their old values. A value equal to the stored one is no change.
func (c UpdateOrder) apply(old *Order) (*Order, map[string]any) {
	o := *old
	changed := map[string]any{}
	if c.MerchantOrderID != nil && c.MerchantOrderID.Value != old.MerchantOrderID {
		changed["merchant_order_id"] = nullable(old.MerchantOrderID)
		o.MerchantOrderID = c.MerchantOrderID.Value
	}
	if c.Amount != nil && *c.Amount != old.Amount {
		changed["amount"] = old.Amount
		o.Amount = *c.Amount
	}
	if c.Installments != nil && c.Installments.Value != old.Installments {
		changed["installments"] = nil
		if old.Installments != 0 {
			changed["installments"] = old.Installments
		}
		o.Installments = c.Installments.Value
	}
	if c.Cart != nil && !slices.Equal(c.Cart.Value, old.Cart) {
		changed["cart_items"] = append([]CartItem{}, old.Cart...)
		o.Cart = c.Cart.Value
	}
	if c.MerchantStatus != nil && c.MerchantStatus.Value != old.MerchantStatus {
		changed["merchant_status"] = nullable(old.MerchantStatus)
		o.MerchantStatus = c.MerchantStatus.Value
	}
	c.applyObjects(&o, old, changed)
	return &o, changed
}

func nullable(s string) any {
	if s == "" {
		return nil
	}
	return s
}

func (c UpdateOrder) applyObjects(o, old *Order, changed map[string]any) {
	if c.Charges != nil {
		next := chargesOn(c.Charges, old.Charges)
		if !equal(next, old.Charges) {
			changed["charges"] = old.Charges
			o.Charges = next
		}
	}
	if c.Shipping != nil {
		if next := addressOn(c.Shipping, old.Shipping); !equal(next, old.Shipping) {
			changed["shipping_address"] = old.Shipping
			o.Shipping = next
		}
	}
	if c.Billing != nil {
		if next := addressOn(c.Billing, old.Billing); !equal(next, old.Billing) {
			changed["billing_address"] = old.Billing
			o.Billing = next
		}
	}
	if c.Metadata != nil {
		next := map[string]string{}
		if !c.Metadata.Null {
			maps.Copy(next, old.Metadata)
		}
		for _, k := range slices.Sorted(maps.Keys(c.Metadata.Members)) {
			delete(next, k)
			if v := c.Metadata.Members[k]; v != nil {
				next[k] = *v
			}
		}
		if !maps.Equal(next, old.Metadata) {
			changed["metadata"] = maps.Clone(old.Metadata)
			o.Metadata = next
		}
	}
}

func equal[T comparable](a, b *T) bool {
	return a == b || a != nil && b != nil && *a == *b
}

// chargesOn merges the patch into the stored charges.
func chargesOn(p *MapPatch[money.Amount], old *Charges) *Charges {
	if p.Null {
		return nil
	}
	next := Charges{}
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
func addressOn(p *MapPatch[string], old *Address) *Address {
	if p.Null {
		return nil
	}
	next := Address{}
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
