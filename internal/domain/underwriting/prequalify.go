package underwriting

import (
	"errors"
	"fmt"
	"strconv"

	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
)

// Given are the facts of a prequalification. Nil members were not given.
type Given struct {
	Score         *Score        `json:"owner_score,omitzero"`
	AnnualRevenue *money.Amount `json:"annual_revenue,omitzero"`
	Months        *int          `json:"months_in_business,omitzero"`
	Bank          *Bank         `json:"bank,omitzero"` // its balance counts if Requested is given
	BusinessFile  *BusinessFile `json:"business_file,omitzero"`
	Requested     *money.Amount `json:"requested_limit,omitzero"`
}

// Prequalification is an estimate, not an approval. A refusal needs a notice too (F27, F28).
type Prequalification struct {
	Policy   int            `json:"policy_version"`
	Pass     bool           `json:"pass"`
	Messages []string       `json:"messages"`
	Points   []FactorPoints `json:"points,omitzero"` // of the given factors
	Total    int            `json:"total"`           // × 100 / their maximum, rounded down
	Tier     string         `json:"tier,omitzero"`
	Limit    money.Amount   `json:"estimated_limit"` // 0.00 without a revenue
	Reasons  []Reason       `json:"reasons,omitzero"`
}

// ErrNothingGiven means that a prequalification has no factor to score.
var ErrNothingGiven = errors.New("underwriting: no factors given")

// notApproval ends every answer.
const notApproval = "This is an estimate, not an approval."

// Prequalify scores only the given factors, without a bureau report (F27). It passes with the
// points of a tier.
func Prequalify(p Policy, g Given) (Prequalification, error) {
	out := Prequalification{Policy: p.Version, Points: p.givenPoints(g)}
	total, most := 0, 0
	for _, f := range out.Points {
		total, most = total+f.Points, most+f.Max
	}
	if most == 0 {
		return out, ErrNothingGiven
	}
	out.Total = total * 100 / most
	if out.refuse(p, g); len(out.Reasons) > 0 {
		return out, nil
	}
	tier, ok := p.tier(out.Total)
	if !ok {
		return out.fails(fmt.Sprintf("These figures reach %d of 100 points; %d are needed.", out.Total, p.Tiers[len(p.Tiers)-1].From), Lost(out.Points)), nil
	}
	if g.AnnualRevenue == nil {
		out.Pass, out.Tier, out.Messages = true, tier.Name, []string{"These figures are those of tier " + tier.Name + ". " + notApproval}
		return out, nil
	}
	asked := p.MaxLimit
	if g.Requested != nil {
		asked = *g.Requested
	}
	limit := p.LimitOf(tier, asked, *g.AnnualRevenue)
	if limit < p.MinLimit {
		return out.fails("The estimated limit is below the least of $"+grouped(p.MinLimit)+".", []Reason{AnnualRevenue}), nil
	}
	out.Pass, out.Tier, out.Limit = true, tier.Name, limit
	out.Messages = []string{"The estimated limit is $" + grouped(limit) + " in tier " + tier.Name + ". " + notApproval}
	return out, nil
}

// refuse applies what declines at once among the given facts.
func (q *Prequalification) refuse(p Policy, g Given) {
	if g.Score != nil && p.scoreTooLow(*g.Score) {
		text := "Minimum FICO score is " + strconv.Itoa(p.Scores[0].From) + "."
		if g.Score.FICO == 0 {
			text = "Minimum FICO scale is " + strconv.Itoa(p.Scores[0].Scale) + "."
		}
		*q = q.fails(text, []Reason{CreditScore})
	}
	if g.AnnualRevenue != nil && *g.AnnualRevenue < p.MinRevenue {
		*q = q.fails("Minimum annual revenue is $"+grouped(p.MinRevenue)+".", []Reason{AnnualRevenue})
	}
}

func (q Prequalification) fails(message string, reasons []Reason) Prequalification {
	q.Messages, q.Reasons = append(q.Messages, message), append(q.Reasons, reasons...)
	return q
}

// givenPoints are the points of the given factors, in table order.
func (p Policy) givenPoints(g Given) []FactorPoints {
	in := Inputs{Bank: g.Bank, BusinessFile: g.BusinessFile, FormedOn: calendar.None, RegistryFormedOn: calendar.None}
	if g.Score != nil {
		in.OwnerScore = *g.Score
	}
	if g.AnnualRevenue != nil {
		in.AnnualRevenue = *g.AnnualRevenue
	}
	if g.Requested != nil {
		in.Requested = *g.Requested
	}
	present := []bool{
		in.OwnerScore.Valid(), g.AnnualRevenue != nil, g.Months != nil, g.Bank != nil && g.Requested != nil, g.Bank != nil, g.BusinessFile != nil,
	}
	var out []FactorPoints
	for i, f := range p.points(in, calendar.None) {
		if f.Factor == TimeInBusiness && present[i] {
			f.Points = p.monthsPoints(*g.Months)
		}
		if present[i] {
			out = append(out, f)
		}
	}
	return out
}

// grouped formats an amount with commas, and without cents if there are none.
func grouped(a money.Amount) string {
	dollars, cents := int64(a)/100, int64(a)%100
	text := strconv.FormatInt(dollars, 10)
	for i := len(text) - 3; i > 0; i -= 3 {
		text = text[:i] + "," + text[i:]
	}
	if cents != 0 {
		text += fmt.Sprintf(".%02d", cents)
	}
	return text
}
