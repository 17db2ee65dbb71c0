package credit

import "slices"

// Languages are those in which people are written to.
func Languages() []string { return []string{MailLanguage, "es-US"} }

// MailLanguage is the language of a mail to somebody who has chosen none.
const MailLanguage = "en-US"

// spoken reports that a language is one of them, or that none is known.
func spoken(language string) bool { return language == "" || slices.Contains(Languages(), language) }

// addressee is who a mail goes to.
type addressee struct {
	contact  string // handle of the vault
	language string // in which she reads, "" if that is not known
	person   string // "" of somebody who is no person yet
}

// Addressee is the person as somebody who is written to.
func (p *Person) Addressee() addressee { return addressee{p.Contact, p.Language, p.ID} }

// applicant is who has sent an application. Who has signed in since reads in the language of
// that: the command has asked for her by her e-mail.
func (d *Draft) applicant(a *Application) addressee {
	to := addressee{contact: a.Contact, language: a.Language}
	if id := d.State.Claims[emailClaim(a.Of)]; id != "" {
		if p := PeekRecord[*Person](d, id); p != nil && p.Language != "" {
			to.language = p.Language
		}
	}
	return to
}

// SetLanguage records in which language a person reads, once she has chosen another one in the
// pages: mails that are queued from now on are in it. Result is the *Person.
type SetLanguage struct {
	Person   string `json:"person"`
	Language string `json:"language"`
}

func (SetLanguage) Name() string { return "person.language" }

// Keys asks for the person.
func (c SetLanguage) Keys(*State, Env) Keys {
	return Keys{Records: []RecordKey{{NounPerson, c.Person}}}
}

func (c SetLanguage) Admit(s *State, e Env) *Rejection { return admitHerself(s, e, c.Person) }

func (c SetLanguage) Decide(s *State, e Env) (Changes, *Rejection) {
	p := s.Person(c.Person)
	switch {
	case c.Language == "" || !spoken(c.Language):
		return Changes{}, unspoken()
	case p.Language == c.Language:
		return Changes{Result: p}, nil
	}
	d := NewDraft(s, e)
	p = EditRecord[*Person](d, c.Person)
	p.Language = c.Language
	return d.Done(p, false), nil
}

func unspoken() *Rejection {
	return ValidationFailed.Because("The language must be en-US or es-US.")
}
