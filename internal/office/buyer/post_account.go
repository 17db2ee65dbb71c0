package buyer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/domain/money"
	"tenor/internal/office/letter"
	"tenor/internal/ports/mailer"
)

// AccountPath is the path of a buyer's own pages, below the URL of the deployment.
const AccountPath = "/account"

// addressee is the recipient of a mail. Somebody whose email address has changed meanwhile
// gets it at the new one.
func (d *Desk) addressee(v store.View, m *credit.Mail) (to Contact, err error) {
	if err = d.Read(v, m.To, &to); !errors.Is(err, ErrErased) {
		return to, err
	}
	p, failed := Load[*credit.Person](v, cmp.Or(m.Person, m.Of))
	if failed != nil || p == nil {
		return to, errors.Join(err, failed)
	}
	return to, d.Read(v, p.Contact, &to)
}

// account collects the data of mails about a company's account: who changed what, for whom.
func (w *writer) account(s *credit.State) error {
	switch letter.Template(w.m.Template) {
	case letter.Invitation, letter.PeopleChanged, letter.BankChanged:
	case letter.AgreementCopy:
		return w.signed()
	case letter.AgreementOnPaper:
		return w.onPaper(s.Companies[w.m.Company])
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
	if w.m.Data["by"] == "" && w.m.Template != string(letter.BankChanged) {
		by = w.words.Say("staff", fmt.Sprint(w.data["lender"]))
	}
	w.data["person"], w.data["changed_by"], w.data["link"] = who, by, w.d.Base+AccountPath
	if w.m.Template != string(letter.PeopleChanged) {
		w.data["person"] = by
	}
	if role := w.mayDo(credit.Role(w.m.Data["role"]), w.m.Data["sum"]); role != "" {
		w.data["role"] = role
	}
	return nil
}

// nameOf is how a mail refers to a person: by name, else by email address.
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

// mayDo describes what a role permits.
func (w *writer) mayDo(r credit.Role, sum string) string {
	limit, err := money.Parse(sum)
	if r == credit.RoleBuyer && err != nil {
		return ""
	}
	text, _ := w.words.Find("role."+string(r), w.dollars(limit))
	return text
}

// signed adds the copy of a master agreement that was signed outside a checkout.
func (w *writer) signed() error {
	doc, err := Load[*credit.Document](w.v, w.m.Of)
	if err != nil || doc == nil || doc.Kind != credit.DocumentMaster {
		return err
	}
	all, err := store.ListRecords(w.v, credit.NounDocument, store.RecordFilter{Of: doc.Of}, store.Page{Limit: 20})
	if err != nil {
		return err
	}
	proof, err := w.d.proofIn(w.v, all)
	if err != nil {
		return err
	}
	if proof != nil {
		w.data["person"] = proof.Name
	}
	w.data["agreement"], w.data["accepted"], w.data["link"] = w.words.Say("agreement.master"), w.day(doc.CreatedAt), w.d.Base+AccountPath
	slices.Reverse(all) // in the order of filing
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

// onPaper adds what owners read about a master agreement signed on paper.
func (w *writer) onPaper(c *credit.Company) error {
	if c == nil {
		return nil
	}
	_, proof, err := w.d.Signed(w.v, c)
	if err != nil || proof == nil {
		return err
	}
	w.data["person"], w.data["accepted"], w.data["link"] = proof.Name, w.date(c.Servicing.OnPaper.On), w.d.Base+AccountPath+"/sign"
	return nil
}
