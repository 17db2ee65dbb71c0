package verify

import (
	"slices"
	"strings"
	"time"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/ledger"
	"tenor/internal/domain/money"
)

// holder is the owner of a payment's lines of collected money: an order, or a company with
// the merchant that reported the payment.
type holder struct{ of, merchant string }

// holds adds what a merchant holds of a payment to its owner's sum.
func (r *run) holds(p *credit.Payment) {
	if p.Held == 0 {
		return
	}
	at := holder{of: p.Order}
	if p.Order == "" {
		at = holder{store.CompanyKey(p.Company), p.Merchant}
	}
	if r.held == nil {
		r.held = map[holder]money.Amount{}
	}
	r.held[at] = r.held[at].Add(p.Held)
}

// held compares what merchants hold of payments with account 1210 (PA11): the account has
// no less, and exactly as much where no payout has covered an amount that its company does
// not know of yet.
func held(r *run) error {
	posted := map[holder]money.Amount{}
	for k, sum := range r.balances { // unordered: sums
		switch {
		case k.Account != ledger.DueFromMerchant:
		case k.Order != "":
			posted[holder{of: k.Order}] = posted[holder{of: k.Order}].Add(sum)
		case k.Company != 0:
			at := holder{store.CompanyKey(k.Company), k.Merchant}
			posted[at] = posted[at].Add(sum)
		}
	}
	coming, err := r.coming()
	if err != nil {
		return err
	}
	var owners []holder
	for x := range posted {
		owners = append(owners, x)
	}
	for x := range r.held {
		if _, ok := posted[x]; !ok {
			owners = append(owners, x)
		}
	}
	slices.SortFunc(owners, func(a, b holder) int { return strings.Compare(a.of+a.merchant, b.of+b.merchant) })
	for _, x := range owners {
		if err := r.each(0); err != nil {
			return err
		}
		if object := "money held of " + x.of; coming[x.of] && r.held[x] < posted[x] {
			r.broken("PA11", object, "payments add up to %s, less than the %s on 1210", r.held[x], posted[x])
		} else if !coming[x.of] {
			r.equal("PA11", object, "sum of payments, compared with 1210", r.held[x], posted[x])
		}
	}
	return nil
}

// coming returns the owners with a covered amount still to be freed.
func (r *run) coming() (map[string]bool, error) {
	out := map[string]bool{}
	far := time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC)
	for p := (store.Page{Limit: keysAtOnce}); ; {
		list, err := store.ListDueHeld(r.view, far, p)
		if err != nil {
			return nil, err
		}
		for _, x := range list {
			out[x.ID], p.AfterAt, p.AfterID = true, x.At, x.ID
		}
		if len(list) < p.Limit {
			return out, nil
		}
	}
}
