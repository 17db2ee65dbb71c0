package lending

import "tenor/internal/domain/credit"

// awaitsRelease reports whether autopay of an order waits for the release of its company's
// cards. A closed company is never released.
func awaitsRelease(d *credit.Draft, o *credit.Order) bool {
	c := d.Companies.Peek(o.Company)
	m := d.Methods.Peek(c.AutopayOf(o.Merchant).Method)
	return c.Servicing.Cards.Paused != "" && c.Status != credit.CompanyClosed && m != nil && m.Type.Can().Tried
}

// releaseCards lets a company's cards be charged again, and autopay collect what fell due in
// the meantime. Approving the company again calls it.
func releaseCards(d *credit.Draft, x *credit.Company) {
	u := &x.Servicing.Cards
	if u.Disputed = nil; u.Paused != "" {
		u.Paused = ""
		RecollectAll(d, x.ID, "")
	}
}
