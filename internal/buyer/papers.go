package buyer

import (
	"bytes"
	"fmt"

	"tenor/internal/credit"
	"tenor/internal/money"
	"tenor/internal/statement"
)

// DisclosurePaper is a disclosure as people read it (F21): of an order or checkout of a name.
func DisclosurePaper(name string, x credit.Disclosure) statement.Paper {
	dollars := statement.Dollars
	p := statement.Paper{
		Title: "Financing disclosure", Subtitle: name,
		Facts: []statement.Fact{
			{Name: "Funding provided", Value: dollars(x.Funding)}, {Name: "Finance charge", Value: dollars(x.FinanceCharge)},
			{Name: "Annual percentage rate", Value: fmt.Sprintf("%d.%02d %%", x.APR/100, x.APR%100)}, {Name: "Total of payments", Value: dollars(x.TotalPayments)},
			{Name: "Payments", Value: fmt.Sprintf("%d, %s each, the last one %s", x.Count, dollars(x.Payment), dollars(x.LastPayment))},
			{Name: "Average monthly payment", Value: dollars(x.Average)}, {Name: "Term", Value: fmt.Sprintf("%d months", x.TermMonths)},
			{Name: "First payment", Value: statement.Day(x.FirstDueDate)}, {Name: "Form", Value: fmt.Sprintf("%s, version %d", x.Template, x.Text)},
		},
		Tables: []statement.Table{{Caption: "Schedule, if the order ships on " + statement.Day(x.CapturedOn), Columns: []statement.Column{
			{Name: "No.", Figure: true, Width: 1}, {Name: "Due", Width: 3}, {Name: "Payment", Figure: true, Width: 2}, {Name: "Principal", Figure: true, Width: 2}, {Name: "Charge", Figure: true, Width: 2},
		}}},
		Notes: disclosureNotes(x),
	}
	t := &p.Tables[0]
	var principal, charge money.Amount
	for _, r := range x.Rows {
		principal, charge = principal.Add(r.Principal), charge.Add(r.Charge)
		t.Rows = append(t.Rows, []string{fmt.Sprint(r.Number), statement.Day(r.DueDate), dollars(r.Amount), dollars(r.Principal), dollars(r.Charge)})
	}
	t.Total = []string{"", "Total", dollars(x.TotalPayments), dollars(principal), dollars(charge)}
	return p
}

func disclosureNotes(x credit.Disclosure) []string {
	recipient := "The whole amount is paid to the merchant; nothing is paid to you."
	if x.Recipient != 0 {
		recipient = "Of the amount " + statement.Dollars(x.Recipient) + " is paid to you."
	}
	notes := []string{
		recipient,
		"You may pay early at any time without a penalty. What has not been charged by then is not owed.",
		fmt.Sprintf("Avoidable fees: a late fee of %s %% of what is late, at most %s, from %d days after a due date on; %s for a payment that comes back.",
			x.LateFeeRate.String(), statement.Dollars(x.LateFeeCap), x.LateFeeGrace, statement.Dollars(x.ReturnedPayment)),
		"No collateral is taken, and nobody guarantees it personally.",
	}
	if x.Signature {
		notes = append(notes, "The recipient signs this disclosure before the financing is accepted.")
	}
	return notes
}

// shown are the papers of an offer that a sandbox's buyer accepts, as page and as PDF: the
// disclosure, the agreement that has its figures, and what is signed once.
func (d *Desk) shown(v Visit, o credit.Offer) ([]Paper, error) {
	paper := DisclosurePaper("Order "+v.Checkout.Of, o.Disclosure)
	kinds := []string{credit.DocumentDisclosure, credit.DocumentAgreement}
	if v.Company != nil && v.Company.Servicing.Unsigned {
		kinds = append(kinds, credit.DocumentMaster)
	}
	var out []Paper
	for _, kind := range kinds {
		p := paper
		switch kind {
		case credit.DocumentAgreement:
			p.Title = "Financing agreement"
		case credit.DocumentMaster:
			p = statement.Paper{Title: "Master agreement", Subtitle: v.Company.Name, Notes: []string{"It holds for every order that the company accepts in this sandbox."}}
		}
		var page, pdf bytes.Buffer
		if err := p.HTML(&page); err != nil {
			return nil, err
		}
		if err := p.PDF(&pdf); err != nil {
			return nil, err
		}
		for _, form := range []struct {
			contentType string
			data        []byte
		}{{"text/html", page.Bytes()}, {"application/pdf", pdf.Bytes()}} {
			out = append(out, Paper{Kind: kind, Template: o.Disclosure.Template, Text: o.Disclosure.Text, Language: credit.MailLanguage, ContentType: form.contentType, Data: form.data})
		}
	}
	return out, nil
}
