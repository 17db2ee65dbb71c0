// Package account says what an account at a bank of the United States must be, so that an
// entry of a bank's file can name it (F22, F41.11). The API asks it at the door, decisions
// ask it, and whoever makes a file asks it again: one rule, so that nothing is taken that a
// file cannot carry.
package account

import "strings"

// MaxNumber is how many characters an account number has at most: a record has room for no
// more.
const MaxNumber = 17

// Problem is why an account cannot stand in an entry of a file, as a sentence that names
// the member and never its value; "" if it can. The number is looked at apart (NumberProblem):
// most callers have it sealed.
func Problem(routing, accountType, holderType, name string) string {
	if !ValidRouting(routing) {
		return "routing_number is not one: nine digits, not all zero, the last of which checks the others."
	}
	if why := KindProblem(accountType, holderType); why != "" {
		return why
	}
	if !Writable(name) {
		return "holder_name must have letters or digits that a bank's file can hold: the Latin ones."
	}
	return ""
}

// KindProblem is why an account of a kind cannot stand in an entry, as Problem says it.
func KindProblem(accountType, holderType string) string {
	switch {
	case accountType != "CHECKING" && accountType != "SAVINGS":
		return "account_type is CHECKING or SAVINGS."
	case holderType != "BUSINESS" && holderType != "CONSUMER":
		return "holder_type is BUSINESS or CONSUMER: it decides how the account may be debited."
	}
	return ""
}

// NumberProblem is why a number cannot be an account's, as Problem says it.
func NumberProblem(number string) string {
	switch {
	case number == "" || len(number) > MaxNumber || strings.TrimSpace(number) != number || !printable(number):
		return "The account number needs 1 to 17 characters of ASCII, no space around them."
	case strings.Trim(number, "0") == "":
		return "The account number is nothing but zeros."
	}
	return ""
}

// ValidRouting reports whether a text can be a bank's routing number: nine digits of which the
// last checks the others (weights 3 7 1, (10 − sum mod 10) mod 10), and the first eight name
// a bank, so they are not all zero (F22).
func ValidRouting(number string) bool {
	if len(number) != 9 || strings.HasPrefix(number, "00000000") {
		return false
	}
	sum := 0
	for i, weight := range []int{3, 7, 1, 3, 7, 1, 3, 7, 1} {
		if number[i] < '0' || number[i] > '9' {
			return false
		}
		sum += weight * int(number[i]-'0')
	}
	return sum%10 == 0
}

// latin writes the letters from À to ÿ as plain ones, in order.
const latin = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo-ouuuuyty"

// ASCII writes a name with what records can hold: letters of Western Europe without their
// marks, anything else as a dash.
func ASCII(name string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= ' ' && r <= '~':
			return r
		case r >= 'À' && r <= 'ÿ':
			return rune(latin[r-'À'])
		}
		return '-'
	}, strings.TrimSpace(name))
}

// Writable reports whether a record can hold enough of a name to tell whose it is: a letter or
// a digit is among the characters that it has room for.
func Writable(name string) bool {
	return strings.ContainsFunc(Name(name), func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	})
}

// nameLength is how many characters of a name a record has room for.
const nameLength = 22

// Name is a holder's name as a record holds it.
func Name(name string) string {
	text := ASCII(name)
	return strings.TrimRight(text[:min(len(text), nameLength)], " ")
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
