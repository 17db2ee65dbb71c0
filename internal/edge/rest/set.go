package rest

import (
	"cmp"
	"net/mail"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tenor/internal/edge/rest/value"
)

// setText parses a scalar from its text into v, which has the rule's own type. It is used
// for body, query and path; the decoder has checked the JSON type.
func (r *rule) setText(v reflect.Value, text string) *value.Violation {
	switch r.kind {
	case kindString:
		s, bad := r.text(text)
		if bad != nil {
			return bad
		}
		v.SetString(s)
	case kindInt:
		n, bad := parseInteger(text, r.bounds)
		if bad != nil {
			return bad
		}
		v.SetInt(n)
	case kindBool:
		if text != "true" && text != "false" {
			return badBool
		}
		v.SetBool(text == "true")
	case kindValue:
		return r.value.Set(v, text, r.bounds)
	case kindInstant:
		t, bad := value.Instant(text)
		if bad != nil {
			return bad
		}
		v.Set(reflect.ValueOf(t))
	default:
		return r.badType()
	}
	return nil
}

// text checks a string against the rule and returns it in normal form C.
func (r *rule) text(s string) (string, *value.Violation) {
	s, ok := cleanText(s, r.multiline)
	if !ok {
		return "", badText
	}
	if len(s) > r.maxLen && utf8.RuneCountInString(s) > r.maxLen {
		return "", &value.Violation{Code: "too_long", Detail: "The text has more than " + strconv.Itoa(r.maxLen) + " characters."}
	}
	if r.minLen > 0 && utf8.RuneCountInString(s) < r.minLen {
		return "", &value.Violation{Code: "too_short", Detail: "The text has fewer than " + strconv.Itoa(r.minLen) + " characters."}
	}
	if upper := strings.ToUpper(s); r.caseless && strings.ToLower(s) == s && slices.Contains(r.enum, upper) {
		s = upper
	}
	if r.enum != nil && !slices.Contains(r.enum, s) {
		return "", &value.Violation{Code: "not_in_enum", Detail: "The value is not one of " + cmp.Or(r.listed, strings.Join(r.enum, ", ")) + "."}
	}
	if r.pattern != nil && !r.pattern.MatchString(s) || !formatted(r.format, s) {
		return "", r.badForm()
	}
	return s, nil
}

// badForm is the violation for a text of the wrong form, with an example of the right one.
func (r *rule) badForm() *value.Violation {
	detail := "The text does not have the required format"
	switch {
	case r.prefix != "":
		detail += ": an ID that starts with " + r.prefix
	case r.example != "":
		detail += ", such as " + r.example
	}
	return &value.Violation{Code: "wrong_format", Detail: detail + "."}
}

// formatted checks the formats that are more than documentation.
func formatted(format, s string) bool {
	switch format {
	case "email":
		a, err := mail.ParseAddress(s)
		return err == nil && a.Address == s && strings.Contains(s[strings.LastIndexByte(s, '@'):], ".")
	case "uri":
		u, err := url.Parse(s)
		return err == nil && u.Scheme != "" && u.Host != ""
	}
	return true
}
