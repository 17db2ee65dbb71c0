package demo

import (
	"fmt"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/domain/underwriting"
	"tenor/internal/edge/httpapi/sandboxapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/office/buyer"
)

// formerCheckout is a checkout from the demo's history, and what happens to it.
type formerCheckout struct {
	before int    // days before the history ends; 0: at its end
	name   string // of the business
	ein    string // with which it applies; "": company buys, or nobody comes
	// company is a known company, 0 for none.
	company int64
	then    func(h *historian, d *buyer.Desk, x *credit.Checkout) error
}

// formerCheckouts end in every status of a checkout and of an application except SUBMITTED, which
// is never final.
func formerCheckouts() []formerCheckout {
	accepts := func(h *historian, d *buyer.Desk, x *credit.Checkout) error {
		return d.Stand(h.ctx, buyer.Stand{Checkout: x.ID, Installments: 3, Papers: papersOf(d)})
	}
	return []formerCheckout{
		{90, "Acacia Cycles", "00-0000004", 0, nil}, // declined at once
		{60, "Maple Hardware", "", 1000000101, func(h *historian, d *buyer.Desk, x *credit.Checkout) error { return d.Leave(h.ctx, x.ID, "") }},
		{50, "Banyan Books", "", 0, nil},             // nobody comes
		{40, "Catalpa Clinic", "00-0000005", 0, nil}, // the requested documents do not come
		{30, "Dulcimer Deli", "00-0000060", 0, func(h *historian, d *buyer.Desk, x *credit.Checkout) error {
			v, err := d.Visit(h.ctx, x.ID)
			if err != nil {
				return err
			}
			return d.Withdraw(h.ctx, v.Application.ID, "")
		}},
		{3, "Ebony Electric", "00-0000005", 0, nil}, // documents are requested
		{2, "Fuchsia Farms", "00-0000011", 0, func(h *historian, _ *buyer.Desk, x *credit.Checkout) error {
			_, err := h.ask("completes "+x.Of, x.Merchant, onboarding.CompleteCheckout{Checkout: x.ID})
			return err
		}},
		{1, "Gum Tree Glass", "00-0000060", 0, nil}, // needs manual review
		{0, "Larch Logistics", "", 1000000102, accepts},
		{0, "Hawthorn Hotel", "", 0, nil}, // stays open
	}
}

// buyers plans the checkouts and prequalifications of the history, up to its last day.
func (h *historian) buyers(base string, wall func() time.Time, last int) error {
	d, err := h.Node.NewDesk(base, wall, nil)
	if err != nil {
		return err
	}
	commands := 0
	d.Seed = func() [16]byte { commands++; return h.draw(fmt.Sprint("history of buyers ", commands)) }
	for i, c := range formerCheckouts() {
		if c.before == 0 {
			h.lately = append(h.lately, func() error { return h.checkout(d, c, i) })
			continue
		}
		h.on(last-c.before, func() error { return h.checkout(d, c, i) })
	}
	for i, score := range []int{760, 420} { // an approval and a denial
		h.on(last-20-i, func() error { return h.prequalify(d, i, score) })
	}
	return nil
}

// checkout opens a checkout, and lets the buyer and the shop act in it.
func (h *historian) checkout(d *buyer.Desk, x formerCheckout, n int) error {
	to := buyer.Contact{Email: fmt.Sprintf("owner-%d@example.test", n+1), FirstName: "Sandbox", LastName: "Buyer", Company: x.name}
	kept, err := d.Keep(to)
	if err != nil {
		return err
	}
	c := onboarding.CreateCheckout{
		Amount: money.Amount(640_00 + 35_00*int64(n)), Mode: onboarding.ModeRedirect, Buyer: kept.ID, Company: x.company, RemoteID: fmt.Sprintf("H-cart-%d", n+1),
		ReturnURL: "http://localhost:3000/done", CancelURL: "http://localhost:3000/cart", Secrets: []credit.Secret{kept},
	}
	if err := d.Address(&c); err != nil {
		return err
	}
	made, err := h.ask("checkout of "+x.name, h.shops[n%2], c)
	if err != nil {
		return fmt.Errorf("checkout of %s: %w", x.name, err)
	}
	opened := made.Result.(*credit.Checkout)
	if x.ein != "" {
		if err := d.Stand(h.ctx, buyer.Stand{Checkout: opened.ID, EIN: x.ein, Installments: 3, Papers: papersOf(d)}); err != nil {
			return fmt.Errorf("checkout of %s: %w", x.name, err)
		}
	}
	if x.then == nil {
		return nil
	}
	if err := x.then(h, d, opened); err != nil {
		return fmt.Errorf("checkout of %s: %w", x.name, err)
	}
	return nil
}

// prequalify requests an estimate with the owner's score.
func (h *historian) prequalify(d *buyer.Desk, n, score int) error {
	revenue := money.Amount(300_000_00)
	e := buyer.Estimate{
		Applicant: buyer.Applicant{FirstName: "Sandbox", LastName: "Buyer", Email: fmt.Sprintf("lead-%d@example.test", n+1)},
		Business:  buyer.EstimateBusiness{LegalName: []string{"Iris Interiors LLC", "Jasmine Jewelry LLC"}[n]},
		Figures:   credit.Figures{Given: underwriting.Given{Score: &underwriting.Score{FICO: score}, AnnualRevenue: &revenue}},
	}
	c, err := d.Prequalification(e)
	if err != nil {
		return err
	}
	_, err = h.ask("estimate "+e.Business.LegalName, h.shops[0], c)
	return err
}

// lateBuyers are in a checkout when the history ends.
func (h *historian) lateBuyers() error {
	for _, do := range h.lately {
		if err := do(); err != nil {
			return err
		}
	}
	return nil
}

// papersOf returns what a past buyer accepts, as the API does for a buyer played by a sandbox.
func papersOf(d *buyer.Desk) func(buyer.Visit, onboarding.Offer) ([]buyer.Paper, error) {
	return sandboxapi.API{Service: &serve.Service{Zone: d.Zone, Now: d.Now}}.PapersOf
}
