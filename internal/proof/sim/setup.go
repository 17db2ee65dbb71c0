package sim

import (
	"fmt"
	"time"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/schedule"
)

// Operator returns the lender's own client.
func Operator() credit.Actor { return credit.Actor{Client: "ops", Operator: true} }

// Shop returns the client of a merchant.
func Shop(merchant string) credit.Actor {
	return credit.Actor{Client: "cli " + merchant, Merchant: merchant}
}

// Settings returns those of the n-th merchant: the first offers every plan, the second has
// bounds, a short window and unfunded external orders.
func Settings(n int) credit.Settings {
	s := lending.DefaultSettings()
	rate := func(text string) money.Rate { return money.MustParseRate(text) }
	discount := rate("0.030000")
	// The model does not know days past due, so there is no late fee, suspension or nonaccrual.
	s.LateFeeRate, s.SuspendDPD, s.NonaccrualDPD, s.ChargeOffDPD = 0, never, never, never
	s.Terms = []credit.Term{
		{Installments: 1, Plan: schedule.Net30, DiscountRate: discount},
		{Installments: 2, Plan: schedule.Zero, DiscountRate: rate("0.025500")},
		{Installments: 3, Plan: schedule.Zero, DiscountRate: discount},
		{Installments: 4, Plan: schedule.FlatFee, MonthlyFeeRate: rate("0.010000"), DiscountRate: discount},
		{Installments: 6, Plan: schedule.Amortized, ByTier: true, DiscountRate: discount},
		{Installments: 12, Plan: schedule.Amortized, AnnualRate: rate("0.149900"), DiscountRate: discount},
	}
	if n == 1 {
		s.Terms = append(s.Terms[:1], s.Terms[2:5]...)
		s.MinOrder, s.MaxOrder = money.MustParse("5.00"), money.MustParse("20000.00")
		s.RefundWindowDays, s.AuthorizationDays, s.ExtensionDays = 60, 10, 5
		s.ExternalFunding = credit.Unfunded
	}
	return s
}

// never is a number of days past due that no order reaches.
const never = 3650

// Limits returns the lines of the companies, in order.
func Limits() []money.Amount {
	return []money.Amount{money.MustParse("10000.00"), money.MustParse("3000.00"), money.MustParse("250000.00")}
}

// Found sets up a world: two merchants, and companies that share them so that their lines and
// links collide. The model accepts the requests that it made.
func Found(w *World, m *Model, companies int) error {
	do := func(c credit.Command) (string, error) {
		r := Request{Operator(), c}
		a := w.Do(r)
		if a.Err != nil || a.Code != "" {
			return "", fmt.Errorf("found: %s: %s %w", c.Name(), a.Code, a.Err)
		}
		m.Accept(w.Clock.Now(), r, a.ID)
		return a.ID, nil
	}
	var shops []string
	for n, name := range []string{"Harbor Supply", "Quarry Tools"} {
		id, err := do(merchants.CreateMerchant{Title: name, Settings: Settings(n), Limits: credit.Limits{Due: credit.Unlimited}})
		if err != nil {
			return err
		}
		shops = append(shops, id)
	}
	for n := range companies {
		linked := shops
		if n%3 == 1 {
			linked = shops[:1]
		}
		if _, err := do(lending.CreateCompany{
			Title: fmt.Sprint("Buyer ", n+1), Status: credit.CompanyApproved, Tier: string("ABC"[n%3]), Limit: Limits()[n%3], Merchants: linked,
			BillingAddress: credit.CompanyAddress{State: "NY", Country: "US"},
		}); err != nil {
			return err
		}
	}
	w.Clock.Set(w.Clock.Now().Add(time.Second))
	return nil
}
