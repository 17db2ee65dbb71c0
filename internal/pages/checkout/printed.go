package checkout

import (
	"tenor/internal/office/buyer"
	"tenor/internal/office/paper"
)

// Printed creates the documents of package paper. A lender without a name yet, as in a new
// sandbox, is called by the program's name.
type Printed struct{}

// Make implements Papers.
func (Printed) Make(x Paperwork) ([]buyer.Paper, error) {
	p := paper.Parties{
		Lender: x.Lender.Creditor.Name, LenderAddress: x.Lender.Creditor.Address, LenderContact: x.Lender.Contact,
		Merchant: x.Visit.Merchant.Name, Business: x.Visit.Company.LegalName, Signer: x.Signer, Title: x.Title, Order: x.Visit.Checkout.Of,
	}
	if p.Lender == "" {
		p.Lender = "Tenor"
	}
	if p.Business == "" {
		p.Business = x.Visit.Company.Name
	}
	return paper.Make(paper.Input{
		Parties: p, Disclosure: x.Offer.Disclosure, Amount: x.Visit.Checkout.Amount, On: x.Offer.Disclosure.CapturedOn, Language: x.Language, Master: x.Master, Autopay: x.Autopay,
	})
}

// Policy implements Papers.
func (Printed) Policy() string { return paper.Policy() }
