package years

import (
	"fmt"
	"maps"
	"slices"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/compliance"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/lending"
	"tenor/internal/domain/merchants"
	"tenor/internal/domain/money"
	"tenor/internal/domain/payments"
	"tenor/internal/ports/screening"
	"tenor/internal/proof/sim"
	"tenor/internal/proof/sim/onrails"
)

// staffKinds returns what the lender's staff do with companies, merchants and the lender's own
// settings.
func staffKinds() []string {
	return []string{
		"suspend", "suspend", "hold", "shut", "cut line", "raise line", "unlink", "rename", "move house", "new company", "new merchant",
		"decide screening", "decide screening", "decide screening", "unfreeze", "report company", "withdraw report", "program", "lender", "age",
		"vouch", "merchant limits", "merchant shop", "confirm account", "confirm account", "confirm account", "confirm account", "confirm account",
	}
}

// staff generates what the lender's staff do; false if the kind is not one of these, nil if there
// is nobody to do it to.
func (p *cast) staff(kind string) (credit.Command, bool) {
	switch kind {
	case "suspend", "hold", "shut", "raise line", "unlink", "rename", "move house":
		return p.onCompany(kind), true
	case "new company":
		return p.newCompany(), true
	case "new merchant":
		if len(p.merchants) > 5 {
			return nil, true
		}
		return merchants.CreateMerchant{Title: p.draw.Number("Shop"), Settings: yearsSettings(p.y.Source.Intn(3))}, true
	case "decide screening":
		return p.decide(), true
	case "unfreeze":
		c, ok := onrails.One(p.draw, p.draw.Books.Companies, func(c *credit.Company) bool { return c.Servicing.Frozen != "" })
		if !ok { // nothing comes of it
			c = p.draw.Books.Companies[sim.Pick(p.y.Source, p.draw.Companies())]
		}
		return compliance.UnfreezeCompany{Company: c.ID, Reason: "looked into"}, true
	case "report company":
		return lending.ReportCompany{
			Company: sim.Pick(p.y.Source, p.draw.Companies()), Kind: sim.Pick(p.y.Source, []credit.ReportKind{credit.ReportBankruptcy, credit.ReportFraud}),
			On: p.draw.Today().AddDays(-p.y.Source.Intn(70)), Reason: "a letter",
		}, true
	case "withdraw report":
		c, ok := onrails.One(p.draw, p.draw.Books.Companies, func(c *credit.Company) bool { return len(c.Servicing.Reports) > 0 })
		if !ok {
			return nil, true
		}
		return lending.WithdrawReport{Company: c.ID, Kind: sim.Pick(p.y.Source, c.Servicing.Reports).Kind, Reason: "dismissed"}, true
	case "program":
		return p.program(), true
	case "lender":
		return p.lender(), true
	}
	return p.trust(kind)
}

// trust generates for whom and for what the lender gives its word.
func (p *cast) trust(kind string) (credit.Command, bool) {
	s := p.y.Source
	switch kind {
	case "vouch":
		m, ok := onrails.OneOf(p.draw, p.draw.Books.Methods, func(m *credit.PaymentMethod) bool { return m.Status != credit.MethodDisabled })
		if !ok {
			return nil, true
		}
		return payments.VouchForMethod{Method: m.ID, Verified: true, Consent: sim.Pick(s, []string{"", "letter"}), Reason: "a voided check"}, true
	case "merchant shop":
		origins := []string{fmt.Sprintf("https://shop%d.example", sim.Between(s, 1, 9))}
		return merchants.SetMerchantShop{Merchant: sim.Pick(s, p.merchants), Shop: credit.Shop{Origins: origins}, Reason: "its new shop"}, true
	case "merchant limits":
		limits := credit.Limits{Due: credit.Unlimited, Exposure: credit.Unlimited}
		if sim.Chance(s, 30) {
			limits.Exposure = money.Amount(sim.Between(s, 1_000_000, 9_000_000))
		}
		return merchants.SetMerchantLimits{Merchant: sim.Pick(s, p.merchants), Limits: limits, Reason: "audited accounts"}, true
	case "confirm account":
		m, ok := onrails.OneOf(p.draw, p.draw.Books.Merchants, func(m *credit.Merchant) bool { return m.Account.Pending != nil })
		if !ok {
			return nil, true
		}
		if sim.Chance(s, 40) {
			return merchants.CancelMerchantAccount{Merchant: m.ID, Reason: "not asked for"}, true
		}
		return merchants.ConfirmMerchantAccount{Merchant: m.ID}, true
	}
	return nil, false
}

// onCompany generates a status change of a company. A compliance review stops all of its money; a
// closed company continues to pay.
func (p *cast) onCompany(kind string) credit.Command {
	s := p.y.Source
	id := sim.Pick(s, p.draw.Companies())
	x, c := p.draw.Books.Companies[id], lending.UpdateCompany{Company: id}
	switch kind {
	case "suspend":
		c.Status, c.StatusCode = credit.CompanySuspended, sim.Pick(s, []string{"exposure", "compliance_review"})
	case "hold":
		c.Status, c.StatusCode = credit.CompanyOnHold, "papers"
	case "shut":
		if p.openCompanies() < 3 || !sim.Chance(s, 40) {
			return nil
		}
		c.Status, c.StatusCode = credit.CompanyClosed, sim.Pick(s, []string{credit.ClosedByRequest, "exposure"})
	case "raise line":
		limit := x.Limit + money.Amount(sim.Between(s, 1_000_000, 6_000_000))
		c.Limit = &limit
	case "unlink":
		if m := sim.Pick(s, p.merchants); slices.Contains(x.Linked, m) && sim.Chance(s, 40) {
			c.Unlink = []string{m}
		} else {
			c.Link = p.merchants
		}
	case "rename":
		name := p.draw.Number("Buyer")
		if sim.Chance(s, 50) {
			name = sim.Pick(s, listed())
		}
		c.LegalName = &name
	case "move house":
		c.BillingAddress = &lending.MapPatch[string]{Members: map[string]*string{"city": &kind}}
		c.Tier, c.Reasons = sim.Pick(s, []string{"A", "B", "C"}), []string{"credit_score"}
	}
	return c
}

func (p *cast) openCompanies() (n int) {
	for _, c := range p.draw.Books.Companies {
		if c.Status != credit.CompanyClosed {
			n++
		}
	}
	return n
}

// listed returns names of parties on the sanctions list.
func listed() []string {
	return []string{"Viktor Drakonov", "Ostrov Metallurgical Combine", "Santa Esperanza Shipping"}
}

// sanctions is the list with which nodes compare names: a new version from time to time.
func (y *Years) sanctions() *screening.List {
	var entries []screening.Entry
	for i, name := range listed() {
		entries = append(entries, screening.Entry{ID: fmt.Sprint("L-", i+1), Names: []string{name}})
	}
	version := y.days / 90
	if version%3 == 1 { // somebody with the same name as a shop was added
		entries = append(entries, screening.Entry{ID: "L-9", Names: []string{"Quarry Tools"}})
	}
	return screening.New(fmt.Sprint("v", version), entries)
}

func (p *cast) newCompany() credit.Command {
	if len(p.draw.Books.Companies) > 5 {
		return nil
	}
	c := lending.CreateCompany{
		Title: p.draw.Number("Newcomer"), Email: "accounts@newcomer.example", Status: credit.CompanyApproved, Tier: sim.Pick(p.y.Source, []string{"A", "B", "C"}), Limit: money.MustParse("40000.00"),
		Merchants: p.merchants, BillingAddress: credit.CompanyAddress{State: "NY", Country: "US"},
	}
	if sim.Chance(p.y.Source, 20) {
		c.LegalName = sim.Pick(p.y.Source, listed())
	}
	return c
}

// decide generates a decision on a screening: mostly that it is somebody else.
func (p *cast) decide() credit.Command {
	x, ok := onrails.OneOf(p.draw, p.draw.Books.Screenings, func(x *credit.Screening) bool { return x.Status != credit.ScreeningCleared })
	if !ok {
		return nil
	}
	return compliance.DecideScreening{Screening: x.ID, Confirmed: x.Status == credit.ScreeningOpen && sim.Chance(p.y.Source, 40), Reason: "compared"}
}

// program generates new terms of a merchant from a later day on: other discounts, fees and days.
// What was authorized before keeps its terms.
func (p *cast) program() credit.Command {
	s := p.y.Source
	m := sim.Pick(s, p.draw.Books.Merchants)
	x := yearsSettings(s.Intn(3))
	x.Terms = slices.Clone(x.Terms)
	for i := range x.Terms {
		x.Terms[i].DiscountRate += money.Rate(s.Intn(3) * 5000)
	}
	x.LateFeeGraceDays, x.LateFeeCap = sim.Pick(s, []int{0, 5, 10, 15}), sim.Pick(s, []money.Amount{0, 2500, 100_000})
	x.ReturnedPaymentFee, x.PayoutDelayDays = sim.Pick(s, []money.Amount{0, 1500, 2500}), s.Intn(4)
	x.GoodFundsDays, x.FirstGoodFundsDays = s.Intn(5), 3+s.Intn(5)
	x.ClawbackDebitDays, x.ClawbackWriteOff = 3+s.Intn(20), 25+s.Intn(90)
	x.TierRates = maps.Clone(x.TierRates)
	for _, tier := range []string{"A", "B", "C"} {
		x.TierRates[tier] += money.Rate(s.Intn(4) * 10_000)
	}
	return merchants.AddProgram{Merchant: m.ID, From: p.draw.Today() + 1 + calendar.Date(s.Intn(5)), Settings: x}
}

// lender generates a change of the lender's loss provision rates or name.
func (p *cast) lender() credit.Command {
	s := p.y.Source
	c := compliance.SetLender{}
	if sim.Chance(s, 30) {
		c.Creditor, c.Regulator = &credit.Party{Name: "Harbor Bank", Address: "1 Pier"}, &credit.Party{Name: "Office", Address: "2 Pier"}
		return c
	}
	c.ProvisionRates = map[credit.Bucket]money.Rate{}
	for i, b := range credit.Buckets() {
		if sim.Chance(s, 70) {
			c.ProvisionRates[b] = money.Rate(s.Intn(40_000 * (1 + i*4)))
		} else if sim.Chance(s, 30) {
			c.DropRates = append(c.DropRates, b)
		}
	}
	return c
}
