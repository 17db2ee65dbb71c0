package buyer

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode"

	"tenor/internal/domain/credit"
	"tenor/internal/domain/people"
)

// maxName is the maximum length of each part of a person's name, in characters.
const maxName = 60

// ErrName means that a text is not part of a name.
var ErrName = errors.New("buyer: invalid name")

// NameOf returns a part of a person's name as it is stored. Letters greet people by name
// and pass names on to invited people: so a name must not carry anything else, such as a
// URL.
func NameOf(text string) (string, error) {
	text = strings.Join(strings.Fields(text), " ")
	strange := func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsMark(r) && !strings.ContainsRune(" .,'’-", r)
	}
	if text == "" || len([]rune(text)) > maxName || strings.ContainsFunc(text, strange) || hasHost(text) {
		return "", ErrName
	}
	return text, nil
}

// Rename gives a person the typed name, in a session with a fresh proof. The person's other
// data stays. email is the address used to sign in.
func (d *Desk) Rename(ctx context.Context, p *credit.Person, first, last, email, address string) error {
	who, err := d.Contact(ctx, p)
	if err != nil {
		return err
	}
	if who.FirstName, err = NameOf(first); err != nil {
		return err
	}
	if who.LastName, err = NameOf(last); err != nil {
		return err
	}
	who.Email = cmp.Or(who.Email, email)
	kept, err := d.Keep(who)
	if err != nil {
		return err
	}
	_, err = d.do(ctx, people.NamePerson{Person: p.ID, Was: p.Contact, Contact: kept.ID, Secrets: []credit.Secret{kept}}, address)
	return err
}
