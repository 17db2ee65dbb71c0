package payments

import "tenor/internal/domain/credit"

// notePayer records who paid.
func notePayer(d *credit.Draft, p *credit.Payment, person string) {
	if person == "" {
		return
	}
	x := d.Companies.Edit(p.Company)
	x.Servicing.Payers = append(credit.Without(x.Servicing.Payers, func(y credit.Payer) bool { return y.Until != 0 && y.Until < d.Env.Today() }), credit.Payer{Payment: p.ID, Person: person})
}
