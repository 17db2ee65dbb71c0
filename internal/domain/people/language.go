package people

import "tenor/internal/domain/credit"

// Applicant is the sender of an application as a mail recipient. If she has signed in since,
// her language is the one from then: the command has requested her person by e-mail.
func Applicant(d *credit.Draft, a *credit.Application) credit.Addressee {
	to := credit.Addressee{Contact: a.Contact, Language: a.Language}
	if id := d.State.Claims[credit.EmailClaim(a.Of)]; id != "" {
		if p := credit.PeekRecord[*credit.Person](d, id); p != nil && p.Language != "" {
			to.Language = p.Language
		}
	}
	return to
}

// SetLanguage records a person's language after she has chosen another one on the pages: mails
// queued from now on use it. Result is the *Person.
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
	return admitHerself(s, e, c.Person)
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

// Unspoken rejects a language that we do not write in.
func Unspoken() *credit.Rejection {
	return credit.ValidationFailed.Because("The language must be en-US or es-US.")
}

// admitHerself admits a command that the pages pass on for a person who has proved her e-mail.
func admitHerself(s *credit.State, e credit.Env, person string) *credit.Rejection {
	if r := credit.OwnPages(e); r != nil {
		return r
	}
	if p := s.Person(person); p == nil || !p.Proved() {
		return credit.NotFound.Because("There is no such person.")
	}
	return nil
}
