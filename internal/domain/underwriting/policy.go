package underwriting

import (
	"errors"
	"fmt"
	"slices"

	"tenor/internal/domain/money"
)

// ScoreBand gives points for an owner's score: a FICO value from From on, or the place
// Scale on the scale of 1 to 5.
type ScoreBand struct {
	From   int `json:"from"`
	Scale  int `json:"fico_scale"`
	Points int `json:"points"`
}

// RevenueBand gives points for an annual revenue from From on.
type RevenueBand struct {
	From   money.Amount `json:"from"`
	Points int          `json:"points"`
}

// MonthsBand gives points for months in business from From on.
type MonthsBand struct {
	From   int `json:"from"`
	Points int `json:"points"`
}

// Tier is what a total from From on earns: a line of a share of the annual revenue.
type Tier struct {
	Name  string     `json:"name"`
	From  int        `json:"from"`
	Share money.Rate `json:"share"`
}

// Policy is one version of the scorecard (F27), with F26's requirements for a higher line. A
// version never changes: other numbers are another version, so that past decisions can be
// repeated.
type Policy struct {
	Version int `json:"version"`

	// What declines at once. A score below the first band does too.
	States        []string     `json:"states"` // states in which credit is granted
	Unregistered  []EntityType `json:"unregistered"`
	MinOwnerShare money.Rate   `json:"min_owner_share"` // of the largest owner, if there is no control person
	MinRevenue    money.Amount `json:"min_revenue"`

	Needs []Source `json:"needs"` // a person decides if any is missing

	// The factors. Bands are sorted, the lowest first; points never fall.
	Scores        []ScoreBand   `json:"scores"`
	Revenues      []RevenueBand `json:"revenues"`
	Months        []MonthsBand  `json:"months"`
	BalancePoints int           `json:"balance_points"` // the average balance covers a month's payment
	ReturnsPoints int           `json:"returns_points"` // no returned item
	FilePoints    int           `json:"file_points"`    // a business file that is clean

	// The payment that an average balance must cover: level, on the requested limit (F1).
	PaymentRows int        `json:"payment_rows"`
	PaymentRate money.Rate `json:"payment_rate"` // a year

	Tiers      []Tier       `json:"tiers"`       // the best first
	ReviewFrom int          `json:"review_from"` // below the last tier a person decides, below this it is DECLINED
	MaxLimit   money.Amount `json:"max_limit"`
	MinLimit   money.Amount `json:"min_limit"`
	LimitStep  money.Amount `json:"limit_step"` // limits are rounded down to it

	// What a higher line requires (F26).
	IncreaseDPD          int        `json:"increase_dpd"` // the days past due of an order that rule it out
	IncreaseInstallments int        `json:"increase_installments"`
	IncreaseAge          int        `json:"increase_age"` // days since the line was opened
	IncreaseUse          money.Rate `json:"increase_use"` // of the line, to be exceeded
	IncreaseBureauDays   int        `json:"increase_bureau_days"`
	IncreaseShare        money.Rate `json:"increase_share"` // the most by which a line rises
	IncreaseSpan         int        `json:"increase_span"`  // within this many days
}

// Versions are all policies that have decided something, the current one last. None is ever
// changed or removed: its decisions are repeated with it.
func Versions() []Policy { return []Policy{Default()} }

// Version is the policy of a version; false if this program has none.
func Version(n int) (Policy, bool) {
	all := Versions()
	i := slices.IndexFunc(all, func(p Policy) bool { return p.Version == n })
	if i < 0 {
		return Policy{}, false
	}
	return all[i], true
}

// Default is the policy of F27 with its numbers. States are the fifty and the District of
// Columbia.
func Default() Policy {
	return Policy{
		Version: 1,
		States: []string{
			"AK", "AL", "AR", "AZ", "CA", "CO", "CT", "DC", "DE", "FL", "GA", "HI", "IA", "ID", "IL", "IN", "KS", "KY", "LA", "MA", "MD", "ME", "MI", "MN", "MO",
			"MS", "MT", "NC", "ND", "NE", "NH", "NJ", "NM", "NV", "NY", "OH", "OK", "OR", "PA", "RI", "SC", "SD", "TN", "TX", "UT", "VA", "VT", "WA", "WI", "WV", "WY",
		},
		Unregistered:  []EntityType{SoleProprietor, Partnership},
		MinOwnerShare: money.MustParseRate("0.25"),
		MinRevenue:    money.MustParse("40000"),
		Needs:         []Source{SourceRegistry, SourceScreening, SourceOwnerScore},

		Scores: []ScoreBand{{600, 2, 0}, {650, 3, 15}, {700, 4, 25}, {750, 5, 35}},
		Revenues: []RevenueBand{
			{money.MustParse("40000"), 5}, {money.MustParse("100000"), 10}, {money.MustParse("250000"), 20}, {money.MustParse("1000000"), 25},
		},
		Months:        []MonthsBand{{0, 0}, {12, 5}, {24, 10}, {60, 15}},
		BalancePoints: 10, ReturnsPoints: 5, FilePoints: 10,
		PaymentRows: 12, PaymentRate: money.MustParseRate("0.18"),

		Tiers:      []Tier{{"A", 70, money.MustParseRate("0.12")}, {"B", 50, money.MustParseRate("0.08")}, {"C", 35, money.MustParseRate("0.04")}},
		ReviewFrom: 25,
		MaxLimit:   money.MustParse("50000"), MinLimit: money.MustParse("500"), LimitStep: money.MustParse("100"),

		IncreaseDPD: 1, IncreaseInstallments: 3, IncreaseAge: 60, IncreaseUse: money.MustParseRate("0.5"),
		IncreaseBureauDays: 90, IncreaseShare: money.MustParseRate("0.5"), IncreaseSpan: 90,
	}
}

// Check returns an error for the first setting with which a policy would not decide as F27
// says: bands out of order, points that fall as facts improve, an unknown source.
func (p Policy) Check() error {
	switch {
	case p.Version < 1:
		return errors.New("policy: version must be 1 or more")
	case len(p.States) == 0:
		return errors.New("policy: states must name at least one")
	case p.MinOwnerShare < 0 || p.MinRevenue < 0:
		return errors.New("policy: min_owner_share and min_revenue must not be negative")
	case p.BalancePoints < 0 || p.ReturnsPoints < 0 || p.FilePoints < 0:
		return errors.New("policy: points must not be negative")
	case p.PaymentRows < 1 || p.PaymentRows > 36 || p.PaymentRate < 0:
		return errors.New("policy: payment_rows must be 1 to 36, payment_rate not negative")
	case p.LimitStep < 1 || p.MinLimit < p.LimitStep || p.MaxLimit < p.MinLimit:
		return errors.New("policy: limit_step, min_limit and max_limit must be positive and in this order")
	case p.IncreaseDPD < 1 || min(p.IncreaseInstallments, p.IncreaseAge, p.IncreaseBureauDays, p.IncreaseSpan) < 0 || p.IncreaseUse < 0 || p.IncreaseShare < 0:
		return errors.New("policy: requirements for a higher line must not be negative, increase_dpd at least 1")
	}
	for _, s := range p.States {
		if len(s) != 2 || s[0] < 'A' || s[0] > 'Z' || s[1] < 'A' || s[1] > 'Z' {
			return fmt.Errorf("policy: states: %q is not two letters", s)
		}
	}
	for _, s := range p.Needs {
		if !slices.Contains(sources(), s) {
			return fmt.Errorf("policy: needs: unknown source %q", s)
		}
	}
	return errors.Join(p.checkBands(), p.checkTiers())
}

func (p Policy) checkBands() error {
	if len(p.Scores) == 0 || len(p.Revenues) == 0 || len(p.Months) == 0 {
		return errors.New("policy: scores, revenues and months must have at least one band each")
	}
	for i, b := range p.Scores {
		if b.Points < 0 || b.From < 300 || b.From > 850 || b.Scale < 1 || b.Scale > 5 || i > 0 && (b.From <= p.Scores[i-1].From || b.Scale <= p.Scores[i-1].Scale || b.Points < p.Scores[i-1].Points) {
			return fmt.Errorf("policy: scores: band %d is out of order or bounds", i+1)
		}
	}
	for i, b := range p.Revenues {
		if b.Points < 0 || i > 0 && (b.From <= p.Revenues[i-1].From || b.Points < p.Revenues[i-1].Points) {
			return fmt.Errorf("policy: revenues: band %d is out of order", i+1)
		}
	}
	for i, b := range p.Months {
		if b.Points < 0 || i > 0 && (b.From <= p.Months[i-1].From || b.Points < p.Months[i-1].Points) {
			return fmt.Errorf("policy: months: band %d is out of order", i+1)
		}
	}
	return nil
}

func (p Policy) checkTiers() error {
	if len(p.Tiers) == 0 {
		return errors.New("policy: tiers must name at least one")
	}
	for i, t := range p.Tiers {
		if t.Name == "" || t.Share <= 0 || t.From < p.ReviewFrom {
			return fmt.Errorf("policy: tiers: tier %d must have a name, a share and a lower bound above review_from", i+1)
		}
		if i > 0 && (t.From >= p.Tiers[i-1].From || t.Share > p.Tiers[i-1].Share) {
			return fmt.Errorf("policy: tiers: tier %d is out of order", i+1)
		}
	}
	return nil
}

// Tier is the tier of a name; false if the policy has none.
func (p Policy) Tier(name string) (Tier, bool) {
	i := slices.IndexFunc(p.Tiers, func(t Tier) bool { return t.Name == name })
	if i < 0 {
		return Tier{}, false
	}
	return p.Tiers[i], true
}

// tier is the best tier that a total reaches.
func (p Policy) tier(total int) (Tier, bool) {
	i := slices.IndexFunc(p.Tiers, func(t Tier) bool { return total >= t.From })
	if i < 0 {
		return Tier{}, false
	}
	return p.Tiers[i], true
}

func (p Policy) registered(e EntityType) bool { return !slices.Contains(p.Unregistered, e) }

// serves reports whether credit is granted in a state; an unknown state is not refused.
func (p Policy) serves(state string) bool { return state == "" || slices.Contains(p.States, state) }
