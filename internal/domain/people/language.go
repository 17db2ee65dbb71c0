package people

import "tenor/internal/domain/credit"

// Applicant is who has sent an application. Who has signed in since reads in the language of
// that: the command has asked for her by her e-mail.
func Applicant(d *credit.Draft, a *credit.Application) credit.Addressee {
	to := credit.Addressee{Contact: a.Contact, Language: a.Language}
	if id := d.State.Claims[credit.EmailClaim(a.Of)]; id != "" {
		if p := credit.PeekRecord[*credit.Person](d, id); p != nil && p.Language != "" {
			to.Language = p.Language
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

// Keys requests the person.
func (c SetLanguage) Keys(*credit.State, credit.Env) credit.Keys {
	return credit.Keys{Records: []credit.RecordKey{{Noun: credit.NounPerson, ID: c.Person}}}
}

func (c SetLanguage) Admit(s *credit.State, e credit.Env) *credit.Rejection {
	return credit.AdmitHerself(s, e, c.Person)
}

func (c SetLanguage) Decide(s *credit.State, e credit.Env) (credit.Changes, *credit.Rejection) {
	p := s.Person(c.Person)
	switch {
	case c.Language == "" || !credit.Spoken(c.Language):
		return credit.Changes{}, Unspoken()
	case p.Language == c.Language:
		return credit.Changes{Result: p}, nil
	}
	d := credit.NewDraft(s, e)
	p = credit.EditRecord[*credit.Person](d, c.Person)
	p.Language = c.Language
	return d.Done(p, false), nil
}

// Unspoken refuses a language in which nobody is written to.
func Unspoken() *credit.Rejection {
	return credit.ValidationFailed.Because("The language must be en-US or es-US.")
}
