package buyer

import (
	"cmp"
	"errors"
	"slices"

	"tenor/internal/credit"
	"tenor/internal/letter"
	"tenor/internal/mailer"
	"tenor/internal/money"
	"tenor/internal/statement"
	"tenor/internal/store"
)

// AccountPath is where a buyer's own pages are, below the address of the deployment.
const AccountPath = "/account"

// addressee is who a mail goes to. Whoever has changed her e-mail meanwhile is written to under
// the new one.
func (d *Desk) addressee(v store.View, m *credit.Mail) (to Contact, err error) {
	if err = d.Read(v, m.To, &to); !errors.Is(err, ErrErased) {
		return to, err
	}
	p, failed := Load[*credit.Person](v, m.Of)
	if failed != nil || p == nil {
		return to, errors.Join(err, failed)
	}
	return to, d.Read(v, p.Contact, &to)
}

// account gathers what mails about a company's account say: who changed what, for whom.
func (w *writer) account(s *credit.State) error {
	switch letter.Template(w.m.Template) {
	case letter.Invitation, letter.PeopleChanged, letter.BankChanged:
	case letter.AgreementCopy:
		return w.signed()
	default:
		return nil
	}
	who, err := w.nameOf(s.Person(w.m.Data["who"]))
	if err != nil {
		return err
	}
	by, err := w.nameOf(s.Person(w.m.Data["by"]))
	if err != nil {
		return err
	}
	w.data["person"], w.data["changed_by"], w.data["link"] = who, by, w.d.Base+AccountPath
	if w.m.Template != string(letter.PeopleChanged) {
		w.data["person"] = by
	}
	if role := mayDo(credit.Role(w.m.Data["role"]), w.m.Data["sum"]); role != "" {
		w.data["role"] = role
	}
	return nil
}

// nameOf is how somebody is called in a mail: by name, else by e-mail.
func (w *writer) nameOf(p *credit.Person) (string, error) {
	if p == nil {
		return "", nil
	}
	var c Contact
	err := w.d.Read(w.v, p.Contact, &c)
	if errors.Is(err, ErrErased) {
		err = nil
	}
	return cmp.Or(c.Name(), c.Email), err
}

// mayDo says what a role lets somebody do.
func mayDo(r credit.Role, sum string) string {
	switch r {
	case credit.RoleOwner:
		return "accept orders of any amount, pay, and change accounts and people"
	case credit.RoleBuyer:
		if limit, err := money.Parse(sum); err == nil {
			return "accept orders up to " + statement.Dollars(limit) + ", and pay"
		}
	case credit.RoleViewer:
		return "see orders and payments"
	}
	return ""
}

// signed is the copy of a master agreement that was signed outside a checkout.
func (w *writer) signed() error {
	doc, err := Load[*credit.Document](w.v, w.m.Of)
	if err != nil || doc == nil || doc.Kind != credit.DocumentMaster {
		return err
	}
	all, err := w.v.Records(credit.NounDocument, store.RecordFilter{Of: doc.Of}, store.Page{Limit: 20})
	if err != nil {
		return err
	}
	w.data["agreement"], w.data["accepted"], w.data["link"] = "Master agreement", w.day(doc.CreatedAt), w.d.Base+AccountPath
	slices.Reverse(all) // as they were filed
	for _, r := range all {
		x := r.(*credit.Document)
		if x.Kind != credit.DocumentMaster || x.ContentType != "application/pdf" {
			continue
		}
		_, data, err := w.d.Document(w.v, x.ID)
		if err != nil {
			return err
		}
		w.files = append(w.files, mailer.Attachment{Name: "master-agreement.pdf", Type: x.ContentType, Data: data})
	}
	return nil
}
