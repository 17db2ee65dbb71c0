package sandbox

import (
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/money"
	"tenor/internal/domain/underwriting"
)

// Act is a later event for an application or its company.
type Act string

// The acts.
const (
	RequestDocuments Act = "REQUEST_DOCUMENTS"
	Approve          Act = "APPROVE"
	Decline          Act = "DECLINE"
	Suspend          Act = "SUSPEND"
)

// Step happens after the decision: immediately if both counts are 0.
type Step struct {
	Act         Act
	BankingDays int    // after the day of the decision
	Days        int    // calendar days, instead of banking days
	What        string // the documents requested
	want        want
}

// On returns the day on which a step happens, given the day of the decision.
func (s Step) On(decided calendar.Date) calendar.Date {
	if s.BankingDays > 0 {
		return decided.AddBankingDays(s.BankingDays)
	}
	return decided.AddDays(s.Days)
}

// want is the desired outcome of an application.
type want struct {
	decision underwriting.Decision
	tier     string       // of an approval
	limit    money.Amount // of an approval; 0: that of the tier
	half     bool         // of the amount requested, instead of limit
	reasons  []underwriting.Reason
}

// Outcome is a row in the table of magic EINs.
type Outcome struct {
	EIN  string `json:"ein"`
	Says string `json:"outcome"` // in one sentence

	// Screening is the minimum result of comparing names, "" for the actual result.
	Screening underwriting.Screening `json:"-"`
	// Duplicate means that the application counts as a duplicate. No other application with a magic
	// EIN does.
	Duplicate bool `json:"-"`
	// Ready is the number of the ready company with this EIN, 0 for none: an application with it is
	// a duplicate while that company exists.
	Ready int64 `json:"-"`
	// Later are the steps after the decision.
	Later []Step `json:"-"`

	script script
	want   want
}

// well returns the facts of an excellent business.
func well() script { return script{fico: 780, account: true} }

func approved(tier string) want {
	return want{decision: underwriting.Approved, tier: tier}
}

func approvedWith(limit string) want {
	return want{decision: underwriting.Approved, tier: "A", limit: money.MustParse(limit)}
}

func declined(reasons ...underwriting.Reason) want {
	return want{decision: underwriting.Declined, reasons: reasons}
}

func inReview() want { return want{decision: underwriting.InReview} }

// Outcomes returns the table of magic EINs, the only place that defines them.
func Outcomes() []Outcome {
	poor := script{fico: 610, thin: true}
	out := []Outcome{
		{EIN: magic(1), Says: "Approved, tier A, line $25,000.00.", script: well(), want: approvedWith("25000")},
		{EIN: magic(2), Says: "Approved, tier A, small line $250.00.", script: well(), want: approvedWith("250")},
		{EIN: magic(3), Says: "In review, approved after one business day.", script: well(), want: inReview(), Later: []Step{{Act: Approve, BankingDays: 1, want: approved("A")}}},
		{EIN: magic(4), Says: "Declined with two reasons: bankruptcy and credit score.", script: script{fico: 580, bankrupt: true}, want: declined(underwriting.Bankruptcy, underwriting.CreditScore)},
		{EIN: magic(5), Says: "Documents asked for.", script: well(), want: inReview(), Later: []Step{{Act: RequestDocuments, What: "The articles of organization, and the bank statements of the last three months."}}},
		{EIN: magic(6), Says: "The bureau times out once, then approved.", script: script{fico: 780, account: true, silentOnce: true}, want: approved("A")},
		{EIN: magic(7), Says: "Possible sanctions match: in review; declined if it is confirmed.", script: well(), want: inReview(), Screening: underwriting.ScreeningPossible},
		{EIN: magic(8), Says: "Approved, suspended 30 days later.", script: well(), want: approved("A"), Later: []Step{{Act: Suspend, Days: 30}}},
		{EIN: magic(11), Says: "Approved, tier B, at the limit of the scorecard.", want: approved("B")},
		{EIN: magic(12), Says: "Approved, tier C, at the limit of the scorecard.", script: script{fico: 655, thin: true}, want: approved("C")},
		{EIN: magic(13), Says: "Counter-offer: half of what was asked for.", script: well(), want: want{decision: underwriting.Approved, tier: "A", half: true}},
		{EIN: magic(14), Says: "Approved with $800.00: too small for a larger cart.", script: well(), want: approvedWith("800")},
		{EIN: magic(15), Says: "In review, declined after one business day.", script: poor, want: inReview(), Later: []Step{{Act: Decline, BankingDays: 1, want: declined(underwriting.CreditScore, underwriting.BusinessCreditFile)}}},
		{EIN: magic(30), Says: "Declined: credit score.", script: script{fico: 580}, want: declined(underwriting.CreditScore)},
		{EIN: magic(31), Says: "Declined: annual revenue.", want: declined(underwriting.AnnualRevenue)},
		{EIN: magic(32), Says: "Declined: identity unverified.", script: script{unproved: true}, want: declined(underwriting.IdentityUnverified)},
		{EIN: magic(33), Says: "Declined: state not served.", script: script{state: "XX"}, want: declined(underwriting.StateNotServed)},
		{EIN: magic(34), Says: "Declined: open bankruptcy.", script: script{bankrupt: true}, want: declined(underwriting.Bankruptcy)},
		{EIN: magic(41), Says: "Exact sanctions match: declined.", want: declined(underwriting.SanctionsMatch), Screening: underwriting.ScreeningExact},
		{EIN: magic(50), Says: "The bureau is silent: in review.", script: script{bureau: underwriting.Silent}, want: inReview()},
		{EIN: magic(51), Says: "The bureau is broken: in review.", script: script{bureau: underwriting.Broken}, want: inReview()},
		{EIN: magic(60), Says: "Taken for a duplicate: in review.", want: inReview(), Duplicate: true},
	}
	for n := range 10 {
		out = append(out, Outcome{EIN: magic(901 + n), Says: "Belongs to a ready company: an application with it is a duplicate.", Ready: 1_000_000_001 + int64(n)})
	}
	return out
}

// Inputs adds to the inputs of a decision what no port says: the minimum result of sanctions
// screening, and whether the application is a duplicate.
func (o Outcome) Inputs(in underwriting.Inputs) underwriting.Inputs {
	if o.Screening == underwriting.ScreeningExact || o.Screening != "" && in.Screening != underwriting.ScreeningExact {
		in.Screening = o.Screening
	}
	if o.Ready == 0 {
		in.Duplicate = o.Duplicate
	}
	return in
}

// Decide decides an application with the outcome's EIN. overridden reports that the scorecard
// decided otherwise: the caller records Source as the decider. No override clears a business
// whose names are found on a list, and none applies to a request for a higher line: the scorecard
// decides those.
func (o Outcome) Decide(p underwriting.Policy, in underwriting.Inputs, today calendar.Date) (out underwriting.Outcome, overridden bool) {
	f27 := underwriting.Decide(p, in, today)
	return o.want.over(p, in, f27, o.Screening)
}

// Then returns the decision of an APPROVE or DECLINE step, on its day.
func (o Outcome) Then(s Step, p underwriting.Policy, in underwriting.Inputs, today calendar.Date) (out underwriting.Outcome, overridden bool) {
	f27 := underwriting.Decide(p, in, today)
	return s.want.over(p, in, f27, o.Screening)
}

// over replaces the scorecard's decision with the desired outcome, if they differ.
func (w want) over(p underwriting.Policy, in underwriting.Inputs, f27 underwriting.Outcome, scripted underwriting.Screening) (underwriting.Outcome, bool) {
	found := in.Screening == underwriting.ScreeningPossible || in.Screening == underwriting.ScreeningExact
	if w.decision == "" || in.Kind == underwriting.LineIncrease || found && in.Screening != scripted {
		return f27, false
	}
	out := underwriting.Outcome{
		Policy: f27.Policy, Decision: w.decision, Points: f27.Points, Total: f27.Total, Missing: f27.Missing, Why: "The outcome of this EIN in a sandbox.",
	}
	switch w.decision {
	case underwriting.Approved:
		out.Tier, out.Limit = w.tier, w.granted(p, in)
		if out.CounterOffer = out.Limit < in.Requested; out.CounterOffer {
			out.Reasons = f27.Reasons
			if f27.Decision != underwriting.Approved || len(out.Reasons) == 0 {
				out.Reasons = []underwriting.Reason{underwriting.LimitMaximum}
			}
		}
	case underwriting.Declined:
		out.Reasons = w.reasons
	}
	if same(out, f27) {
		return f27, false
	}
	return out, true
}

// granted returns the desired limit. One from the scorecard is never below the minimum.
func (w want) granted(p underwriting.Policy, in underwriting.Inputs) money.Amount {
	switch {
	case w.limit != 0:
		return w.limit
	case w.half:
		half := in.Requested / 2
		return max(half-half%p.LimitStep, p.LimitStep)
	}
	tier, ok := p.Tier(w.tier)
	if !ok { // a policy without that name: the best one
		tier = p.Tiers[0]
	}
	return max(p.LimitOf(tier, in.Requested, in.AnnualRevenue), p.MinLimit)
}

func same(a, b underwriting.Outcome) bool {
	if a.Decision != b.Decision || a.Tier != b.Tier || a.Limit != b.Limit {
		return false
	}
	if a.Decision != underwriting.Declined {
		return true
	}
	if len(a.Reasons) != len(b.Reasons) {
		return false
	}
	for i, r := range a.Reasons {
		if r != b.Reasons[i] {
			return false
		}
	}
	return true
}
