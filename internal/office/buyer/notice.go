package buyer

import (
	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/office/letter"
)

// Notice returns the letter of the notice that an application requires, or that was sent:
// what the mail says, or what it would have said to an applicant who wants paper (F28). The
// error is ErrErased once the applicant has been erased.
func (d *Desk) Notice(v store.View, a *credit.Application) (Letter, error) {
	if id := a.Duty.Mail; id != "" {
		if m, err := Load[*credit.Mail](v, id); err != nil || m != nil {
			if err != nil {
				return Letter{}, err
			}
			return d.compose(v, m)
		}
	}
	template := map[credit.NoticeKind]letter.Template{
		credit.NoticeDecline: letter.Declined, credit.NoticeCounterOffer: letter.CounterOffer, credit.NoticeIncomplete: letter.DocumentsWanted,
	}[a.Duty.Kind]
	m := &credit.Mail{
		RecordHead: credit.RecordHead{Of: a.ID, Merchant: a.Merchant, CreatedAt: a.UpdatedAt}, Template: string(template), Text: credit.MailText(string(template)),
		Language: credit.MailLanguage, To: a.Contact,
	}
	return d.compose(v, m)
}

// OwnerNotice returns the letter to an owner who did not apply but whose credit report was
// used (15 USC 1681m), and the owner's home address. The error is ErrErased once the owner
// has been erased.
func (d *Desk) OwnerNotice(v store.View, a *credit.Application) (Letter, credit.CompanyAddress, error) {
	var f Form
	if err := d.Read(v, a.Form, &f); err != nil {
		return Letter{}, credit.CompanyAddress{}, err
	}
	who := question("", f).Vouches()
	m := &credit.Mail{
		RecordHead: credit.RecordHead{Of: a.ID, Merchant: a.Merchant, CreatedAt: a.UpdatedAt}, Template: string(letter.ReportUsed), Text: credit.MailText(string(letter.ReportUsed)),
		Language: credit.MailLanguage,
	}
	w, err := d.writerOf(v, m, Contact{FirstName: who.FirstName, LastName: who.LastName})
	if err != nil {
		return Letter{}, credit.CompanyAddress{}, err
	}
	w.owner = true
	l, err := w.write()
	at := who.Address
	return l, credit.CompanyAddress{Street: at.Street, City: at.City, State: at.State, PostalCode: at.PostalCode, Country: "US"}, err
}
