package buyer

import (
	"tenor/internal/credit"
	"tenor/internal/letter"
	"tenor/internal/store"
)

// Notice is the letter of the notice that an application owes, or was sent: what the mail
// says, or what it would have said to an applicant who wants paper (F28). An error is
// ErrErased once the applicant is.
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
