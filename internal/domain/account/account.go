// Package account defines which accounts at a bank in the United States can appear in an entry
// of a bank file (F22, F41.11). The API checks it on input, decisions check it, and file
// builders check it again. It is a single rule, so that nothing is accepted that a file cannot
// carry.
package account

import "strings"

// MaxNumber is the maximum length of an account number: a record has no room for more.
const MaxNumber = 17

// Problem is why an account cannot appear in an entry of a file, as a sentence that names the
// member and never its value; "" if it can. The number is checked separately (NumberProblem),
// because most callers have it sealed.
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

// KindProblem is why an account of a kind cannot appear in an entry, in the form of Problem.
func KindProblem(accountType, holderType string) string {
	switch {
	case accountType != "CHECKING" && accountType != "SAVINGS":
		return "account_type is CHECKING or SAVINGS."
	case holderType != "BUSINESS" && holderType != "CONSUMER":
		return "holder_type is BUSINESS or CONSUMER: it decides how the account may be debited."
	}
	return ""
}

// NumberProblem is why a number cannot be an account number, in the form of Problem.
func NumberProblem(number string) string {
	switch {
	case number == "" || len(number) > MaxNumber || strings.TrimSpace(number) != number || !printable(number):
		return "The account number needs 1 to 17 characters of ASCII, no space around them."
	case strings.Trim(number, "0") == "":
		return "The account number is nothing but zeros."
	}
	return ""
}

// ValidRouting reports whether a text can be a bank's routing number: nine digits, the last of
// which is a check digit (weights 3 7 1, (10 − sum mod 10) mod 10), and the first eight, which
// identify a bank, are not all zero (F22).
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

// latin maps the letters from À to ÿ to plain ones, in order.
const latin = "AAAAAAACEEEEIIIIDNOOOOOxOUUUUYTsaaaaaaaceeeeiiiidnooooo-ouuuuyty"

// ASCII converts a name to what records can hold: letters of Western Europe without
// diacritics, anything else as a dash.
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

// Writable reports whether a record can hold enough of a name to identify its holder: the part
// that fits contains a letter or a digit.
func Writable(name string) bool {
	return strings.ContainsFunc(Name(name), func(r rune) bool {
		return r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z'
	})
}

// nameLength is the maximum length of a name in a record.
const nameLength = 22

// Name is a holder's name as written in a record.
func Name(name string) string {
	text := ASCII(name)
	return strings.TrimRight(text[:min(len(text), nameLength)], " ")
}

func printable(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })
}
