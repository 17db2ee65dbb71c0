package lending

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
)

// disclosedBefore is what was disclosed for an order before a capture of it or of a part of
// it, and who accepted it; false if nothing was. It is what the buyer accepted in a checkout,
// else the figures since the authorization.
func disclosedBefore(d *credit.Draft, o *credit.Order, s *credit.Settings) (x Disclosure, accepted string, ok bool) {
	key := o.Key
	if o.Parent != "" {
		key = o.Parent
	}
	was := d.State.Orders[key]
	if was == nil || was.Terms == nil {
		return Disclosure{}, "", false
	}
	terms, amount, on := *was.Terms, was.Amount, d.Env.Zone.Date(was.AuthorizedAt)
	if a := Acceptance(d, was); a != nil {
		terms, amount, on, accepted = a.Terms, a.Amount, d.Env.Zone.Date(a.At), a.Person
	}
	x, r := Disclose(terms, s, amount, on)
	return x, accepted, r == nil
}

// says reports whether two disclosures have the same figures and dates.
func (x Disclosure) says(y Disclosure) bool {
	x.CapturedOn, y.CapturedOn = calendar.None, calendar.None
	return x.Digest() == y.Digest()
}

// discloseAgain notifies the owners of a company, and whoever accepted the order, that it was
// captured with figures other than disclosed: on another day, for another amount, or in part
// (F21).
func discloseAgain(d *credit.Draft, o *credit.Order) {
	if o.External || !d.KnowsPeople(d.Companies.Peek(o.Company)) {
		return
	}
	s := &d.State.Merchants[o.Merchant].VersionOf(o.Program).Settings
	before, accepted, ok := disclosedBefore(d, o, s)
	if !ok {
		return
	}
	if now, r := Disclose(*o.Terms, s, o.Captured, o.CaptureDate); r == nil && !now.says(before) {
		d.TellMoney(o.Company, "new_disclosure", accepted, credit.MaxReturnedMails, map[string]string{"of": o.Key, "on": before.CapturedOn.String()})
	}
}
