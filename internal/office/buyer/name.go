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

// maxName is how long each part of a person's name may be, in characters.
const maxName = 60

// ErrName says that a text is no part of a name.
var ErrName = errors.New("buyer: invalid name")

// NameOf is a part of a person's name as it is kept. Letters greet with names and pass them on to
// whoever is invited: a name says nothing else, such as an address.
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

// Rename gives a person the name that she has typed, in a session with a fresh proof. What else
// is known of her stays. email is that with which she is signed in.
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
