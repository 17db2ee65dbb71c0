package resource

import (
	"tenor/internal/domain/explain"
	"tenor/internal/domain/money"
)

// Explanation traces every amount of an order to the rule that produced it, the rule's
// inputs, and the ledger.
type Explanation struct {
	OrderKey string            `json:"order_key" doc:"The order." example:"ord_01KAG7Q2M8X4T6W2Y9Z0A1B2C3"`
	Amounts  []ExplainedAmount `json:"amounts" doc:"Each amount of the order, its schedule and its payoff today, once."`
	Entries  []Entry           `json:"entries" doc:"Every entry with a posting on the order, in order of posting."`
}

// ExplainedAmount is one amount with its reasons.
type ExplainedAmount struct {
	Name     string             `json:"name" doc:"Name of the amount in its resource, with the number of an installment or the ID of a refund or fee in brackets." example:"schedule.installments[3].finance_charge"`
	Value    money.Amount       `json:"value" doc:"The amount." example:"6.72"`
	Rule     string             `json:"rule" pattern:"^F[0-9]{1,2}$" doc:"Rule of the specification." example:"F9"`
	RuleText string             `json:"rule_text" doc:"The rule in a sentence." example:"Prepayments and refunds shorten the loan from its end."`
	Inputs   []ExplainedInput   `json:"inputs" doc:"Inputs of the rule."`
	Entries  []string           `json:"entries" doc:"Entries whose postings make up the amount; empty for projected or derived amounts." example:"[\"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H\"]"`
	Postings []ExplainedPosting `json:"postings" doc:"Those postings: their sum, as debits or credits, equals value less unposted."`
	Unposted money.Amount       `json:"unposted" doc:"Part of the value not posted yet, or never posted if the lender does not fund the order; 0.00 if there are no postings." example:"0.00"`
}

// ExplainedInput is one input of a rule.
type ExplainedInput struct {
	Name  string `json:"name" doc:"What it is." example:"principal for 14 days from 2026-04-01"`
	Value string `json:"value" doc:"Its value, as shown elsewhere." example:"507.93"`
}

// ExplainedPosting identifies a line of an entry.
type ExplainedPosting struct {
	EntryID string `json:"entry_id" doc:"The entry." example:"ent_01KB0A4E7W0S8V6X4Z2B0D8F6H"`
	Line    int    `json:"line" doc:"Index in the entry's postings, from 0." example:"1"`
}

// NewExplanation returns the resource of an order's explanations with the entries they are
// based on.
func NewExplanation(order string, amounts []explain.Explanation, entries []Entry) Explanation {
	if entries == nil {
		entries = []Entry{}
	}
	return Explanation{OrderKey: order, Amounts: convert(amounts, newExplainedAmount), Entries: entries}
}

func newExplainedAmount(x *explain.Explanation) ExplainedAmount {
	return ExplainedAmount{
		Name: x.Amount, Value: x.Value, Rule: x.Rule, RuleText: explain.RuleText(x.Rule),
		Inputs:  convert(x.Inputs, func(i *explain.Input) ExplainedInput { return ExplainedInput{i.Name, i.Value} }),
		Entries: x.Entries(),
		Postings: convert(x.Postings, func(p *explain.PostingRef) ExplainedPosting {
			return ExplainedPosting{p.Entry, p.Line}
		}),
		Unposted: x.Unposted,
	}
}
