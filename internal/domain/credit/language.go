package credit

import "slices"

// Languages are those in which people are written to.
func Languages() []string { return []string{MailLanguage, "es-US"} }

// MailLanguage is the language of a mail to somebody who has chosen none.
const MailLanguage = "en-US"

// Spoken reports that a language is one of them, or that none is known.
func Spoken(language string) bool { return language == "" || slices.Contains(Languages(), language) }

// Addressee is who a mail goes to.
type Addressee struct {
	Contact  string // handle of the vault
	Language string // in which she reads, "" if that is not known
	Person   string // "" of somebody who is no person yet
}

// Addressee is the person as somebody who is written to.
func (p *Person) Addressee() Addressee { return Addressee{p.Contact, p.Language, p.ID} }
