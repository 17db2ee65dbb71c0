package lending

import (
	"strconv"

	"tenor/internal/domain/credit"
)

// Money that a merchant reports is on 1210 until a payout nets it or the merchant remits it.
// It reduces what the buyer owes at once, but frees no line until then (F41.4). Payment.Held
// is the part of a payment that is on 1210, and the principal that this part pays stays on
// hold. The sum over an owner's payments is its balance on 1210. A payout sees no company, so
// FreeHeld reconciles the two afterwards.

// FreeHeld frees what payouts and remittances have covered of the money that merchants hold on
// an order or of a company's payments: oldest allocations first, then the oldest excess
// (F41.4). It is idempotent. Result is the *Company.
type FreeHeld struct {
	Of string `json:"of"` // an order, or a company's identifier
}

func (FreeHeld) Name() string { return "payment.free_held" }

// Keys requests the order or the company with its lines and the held payments.
func (c FreeHeld) Keys(s *credit.State, _ credit.Env) credit.Keys {
	if company, err := strconv.ParseInt(c.Of, 10, 64); err == nil {
		return credit.Keys{Companies: []int64{company}, Lines: []string{c.Of}}
	}
	k := OrderKeys(s, c.Of)
	k.Lines = []string{c.Of}
	return k
}

func (c FreeHeld) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	if company, err := strconv.ParseInt(c.Of, 10, 64); err == nil {
		return AdmitAccount(s, e, company)
	}
	return AdmitOrder(s, e, c.Of)
}

func (c FreeHeld) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	d := credit.NewDraft(s, e)
	company, err := strconv.ParseInt(c.Of, 10, 64)
	if err != nil {
		company = s.Orders[c.Of].Company
	}
	for _, x := range heldOwners(d, c.Of) {
		d.FreeHeld(x)
	}
	if len(d.Changes.Lines) == 0 && len(d.Changes.Payments) == 0 {
		return credit.Changes{Result: s.Companies[company]}, nil
	}
	return d.Done(d.Companies.Peek(company), false), nil
}

// heldOwners are the owners of collected money under a lines key, sorted.
func heldOwners(d *credit.Draft, of string) []credit.LineOwner {
	var out []credit.LineOwner
	for _, id := range d.State.OrderLines[of] {
		if l := d.Lines.Peek(id); l.Kind == credit.LineCollected {
			out = append(out, l.Owner())
		}
	}
	return credit.SortedOwners(out)
}
