// Package promotion is what a merchant's own pages may say about paying over time before
// anybody has applied: a sentence with its figures, and the terms behind it.
//
//	Of     what is offered for an amount
//	Text   a sentence about it: a template with a version
//
// The figures are those of a checkout's offers (credit.Offers), for a company of the
// default tier. A monthly amount is never shown without the number of payments and the APR.
package promotion

import (
	"embed"
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/domain/onboarding"
	"tenor/internal/ui/design"
)

// TermsPath is the path of the page with a promotion's terms.
const TermsPath = "/promotions/terms"

// English is the only language of the sentences so far.
const English = design.English

// Tier is the one whose rate is advertised: a company's, unless its record sets another.
const Tier = "A"

// tiers are all that a buyer may be given.
var tiers = [...]string{Tier, "B", "C"}

// Version is that of the sentences for new promotions. Sentences that were shown never
// change; other words are another version.
const Version = 1

// Plan is a way to pay that a merchant offers for an amount.
type Plan struct {
	onboarding.Offer
	// Highest is the APR in the tier where it is highest, in hundredths of a percent.
	Highest int64
}

// Promotion is what may be said about an amount. Without plans and without a maximum there
// is nothing to say.
type Promotion struct {
	Amount money.Amount
	Plans  []Plan // fewest installments first
	// Maximum is the most that the merchant offers, if the amount is above it.
	Maximum money.Amount
}

// Of returns what a program offers for an amount today to an unknown business. Below the
// program's minimum that is nothing.
func Of(p *credit.Program, amount money.Amount, today calendar.Date) Promotion {
	x := Promotion{Amount: amount}
	if p == nil {
		return x
	}
	if most := p.Settings.MaxOrder; most != 0 && amount > most {
		x.Maximum = most
		return x
	}
	highest := map[int]int64{}
	for _, tier := range tiers {
		for _, o := range onboarding.Offers(p, &credit.Company{Tier: tier}, amount, nil, today) {
			n := o.Terms.Installments
			highest[n] = max(highest[n], o.Disclosure.APR)
			if tier == Tier {
				x.Plans = append(x.Plans, Plan{Offer: o})
			}
		}
	}
	for i := range x.Plans {
		x.Plans[i].Highest = highest[x.Plans[i].Terms.Installments]
	}
	return x
}

// Eligible reports whether there is anything to say.
func (x Promotion) Eligible() bool { return len(x.Plans) > 0 || x.Maximum > 0 }

// Shown is the plan that the sentence is about: the one with the smallest payments. It is
// nil where no figures are shown.
func (x Promotion) Shown() *Plan {
	if len(x.Plans) == 0 {
		return nil
	}
	return &x.Plans[len(x.Plans)-1]
}

// Writer writes the sentences of one version in one language.
type Writer struct {
	language design.Language
	texts    map[string]string
}

//go:embed texts/*.json
var files embed.FS

// NewWriter reads the sentences of a version in a language.
func NewWriter(l design.Language, version int) (Writer, error) {
	b, err := files.ReadFile("texts/" + string(l) + "." + strconv.Itoa(version) + ".json")
	if err != nil {
		return Writer{}, fmt.Errorf("promotion: no texts of version %d in %s: %w", version, l, err)
	}
	w := Writer{language: l}
	if err := json.Unmarshal(b, &w.texts); err != nil {
		return Writer{}, fmt.Errorf("promotion: texts of version %d in %s: %w", version, l, err)
	}
	return w, nil
}

// Text is the sentence that a merchant's page shows; "" if there is nothing to say.
func (w Writer) Text(x Promotion) string {
	switch p := x.Shown(); {
	case x.Maximum > 0:
		return w.say("up_to", "maximum", w.language.Money(x.Maximum))
	case p == nil:
		return ""
	case p.Disclosure.Count == 1:
		return w.of("one", *p)
	case p.Highest > p.Disclosure.APR:
		return w.of("many.from", *p)
	default:
		return w.of("many", *p)
	}
}

// Example describes a plan with all its figures.
func (w Writer) Example(p Plan) string {
	switch x := p.Disclosure; {
	case x.Count == 1:
		return w.of("example.one", p)
	case x.FirstPayment != x.Payment:
		return w.of("example.uneven", p)
	case x.LastPayment != x.Payment:
		return w.of("example.last", p)
	}
	return w.of("example.many", p)
}

// Range describes the range of a plan's APR.
func (w Writer) Range(p Plan) string {
	if p.Highest > p.Disclosure.APR {
		return w.of("range", p)
	}
	return w.of("range.one", p)
}

// Purpose states what it is for, and that nobody has been approved yet.
func (w Writer) Purpose() string { return w.say("purpose") }

// of returns a sentence about a plan.
func (w Writer) of(key string, p Plan) string {
	x, m := p.Disclosure, w.language.Money
	return w.say(key,
		"amount", m(x.Funding), "count", strconv.Itoa(x.Count), "days", strconv.Itoa(x.CapturedOn.DaysUntil(x.FirstDueDate)), "payment", m(x.Payment), "first", m(x.FirstPayment),
		"last", m(x.LastPayment), "charge", m(x.FinanceCharge), "total", m(x.TotalPayments), "apr", Percent(x.APR), "highest", Percent(p.Highest))
}

// say returns a sentence with its placeholders filled.
func (w Writer) say(key string, pairs ...string) string {
	var all []string
	for i := 0; i < len(pairs); i += 2 {
		all = append(all, "{"+pairs[i]+"}", pairs[i+1])
	}
	return strings.NewReplacer(all...).Replace(w.texts[key])
}

// Percent formats hundredths of a percent: 12.00%.
func Percent(hundredths int64) string {
	return fmt.Sprintf("%d.%02d%%", hundredths/100, hundredths%100)
}
