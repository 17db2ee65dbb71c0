package letter

import (
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"unicode"
)

// Maximum lengths of values, in characters, and sizes of lists.
const (
	maxText = 500
	maxName = 120
	maxLink = 2048
	maxList = 50
)

// read checks data against the sheet's fields. It returns all members, absent ones as empty
// values, so that a template can test each.
func (s sheet) read(data Data) (map[string]any, error) {
	fields := s.fields()
	for _, name := range slices.Sorted(maps.Keys(data)) {
		if !slices.ContainsFunc(fields, func(f Field) bool { return f.Name == name }) {
			return nil, fmt.Errorf("unknown member %q", name)
		}
	}
	members, groups := map[string]any{}, map[string]bool{}
	for _, f := range fields {
		value, err := f.read(data[f.Name])
		if err != nil {
			return nil, fmt.Errorf("member %q: %w", f.Name, err)
		}
		members[f.Name] = value
		if f.Group != "" && !empty(value) {
			for group, below := f.Group, true; below; group, _, below = cutLast(group) {
				groups[group] = true
			}
		}
	}
	for _, f := range fields {
		if empty(members[f.Name]) && !f.Optional && (f.Group == "" || groups[f.Group]) {
			return nil, fmt.Errorf("member %q is missing", f.Name)
		}
	}
	return members, nil
}

// cutLast splits off the last part of a group's name: report.score is within report.
func cutLast(group string) (outer, last string, ok bool) {
	i := strings.LastIndexByte(group, '.')
	if i < 0 {
		return "", group, false
	}
	return group[:i], group[i+1:], true
}

func empty(value any) bool {
	list, ok := value.([]string)
	return value == "" || ok && len(list) == 0
}

// read prepares a value for display.
func (f Field) read(value any) (any, error) {
	if most := f.Kind.lines(); most > 0 {
		list, err := lines(value)
		if err == nil && len(list) > most {
			err = fmt.Errorf("has %d lines, more than %d", len(list), most)
		}
		return list, err
	}
	if value == nil {
		return "", nil
	}
	given, ok := value.(string)
	if !ok {
		return nil, fmt.Errorf("is %T, not a string", value)
	}
	text := clean(given)
	switch {
	case text == "":
		return "", nil
	case f.Kind == Name:
		return cut(text, maxName), nil
	case f.Kind == Text:
		return cut(text, maxText), nil
	}
	return text, f.Kind.check(given)
}

// lines is the maximum number of lines in a value of the kind, 0 if it is not a list.
func (k Kind) lines() int {
	switch k {
	case List:
		return maxList
	case Reasons:
		return 4
	case Factors:
		return 5
	}
	return 0
}

// lines turns a value into a list. A line that becomes empty is an error: a notice with a
// gap is not a notice.
func lines(value any) ([]string, error) {
	var given []string
	switch value := value.(type) {
	case nil:
	case []string:
		given = value
	case []any:
		for _, x := range value {
			text, ok := x.(string)
			if !ok {
				return nil, fmt.Errorf("a line is %T, not a string", x)
			}
			given = append(given, text)
		}
	default:
		return nil, fmt.Errorf("is %T, not a list", value)
	}
	var list []string
	for _, text := range given {
		if text = cut(clean(text), maxText); text == "" {
			return nil, errors.New("a line is empty")
		}
		list = append(list, text)
	}
	return list, nil
}

// check refuses a value that is not of its kind. Values of these kinds are used, not only
// read, so none is repaired. No error repeats the value: a code and a link are secrets.
func (k Kind) check(given string) error {
	plain := !strings.ContainsFunc(given, func(r rune) bool { return r <= ' ' || r > '~' })
	switch k {
	case Digits:
		if len(given) != 6 || strings.Trim(given, "0123456789") != "" {
			return errors.New("is not six digits")
		}
	case Email:
		if !plain || strings.Count(given, "@") != 1 || len(given) > 254 || strings.ContainsAny(given, `<>"`) {
			return errors.New("is not an e-mail address")
		}
	case Link:
		u, err := url.Parse(given)
		if !plain || err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Hostname() == "" || u.User != nil ||
			len(given) > maxLink || strings.ContainsAny(given, "<>\"'`\\{}|^") {
			return errors.New("is not an http or https URL")
		}
	default:
		return fmt.Errorf("unknown kind %q", k)
	}
	return nil
}

// clean turns a text into one line: no control characters, nothing invisible or that
// changes the direction of its surroundings, one space between words.
func clean(text string) string {
	text = strings.Map(func(r rune) rune {
		switch {
		case unicode.IsSpace(r), unicode.IsControl(r), r == '\u2028', r == '\u2029':
			return ' '
		case unicode.Is(unicode.Cf, r) && r != '\u200c' && r != '\u200d': // joiners are part of some scripts
			return -1
		}
		return r
	}, strings.ToValidUTF8(text, "\ufffd"))
	return strings.Join(strings.Fields(text), " ")
}
