package main

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tenor/client"
	"tenor/internal/calendar"
)

// What the contract says of a value whatever the server's data are, the parser knows:
// it refuses the rest with the exit code of a wrong line, and no server is asked.

// maxPage is the most items of a page.
const maxPage = 100

// pageSize is how many items of a list are asked for.
type pageSize int

// UnmarshalText reads a number from 1 to 100.
func (f *pageSize) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > maxPage {
		return fmt.Errorf("%q is not a number from 1 to %d; --all reads everything", text, maxPage)
	}
	*f = pageSize(n)
	return nil
}

// dateFlag is a date, "" if it is not given.
type dateFlag string

// UnmarshalText reads YYYY-MM-DD.
func (f *dateFlag) UnmarshalText(text []byte) error {
	if _, err := calendar.Parse(string(text)); err != nil {
		return fmt.Errorf("%q is not a date such as 2026-01-31", text)
	}
	*f = dateFlag(text)
	return nil
}

// inOrder refuses a span that ends before it begins.
func inOrder(fromFlag string, from dateFlag, toFlag string, to dateFlag) error {
	if from != "" && to != "" && from > to { // their texts are ordered as they are
		return &failure{code: exitUsage, text: fmt.Sprintf("%s %s is before %s %s", toFlag, to, fromFlag, from)}
	}
	return nil
}

// pastFlag asks for a thing as it stood. Whether a moment is past the server says: it
// goes by the business clock, which in a sandbox is not that of this machine.
type pastFlag struct {
	AsOf momentFlag `placeholder:"DATE" help:"As the books stood at the end of this past business date, or at this past instant."`
}

func (f pastFlag) options() []client.Option {
	if f.AsOf == "" {
		return nil
	}
	return []client.Option{client.AsOfDate(string(f.AsOf))}
}

// momentFlag is a date or an instant, "" if it is not given.
type momentFlag string

// UnmarshalText reads YYYY-MM-DD, or an instant of RFC 3339.
func (f *momentFlag) UnmarshalText(text []byte) error {
	_, err := calendar.Parse(string(text))
	if err != nil {
		_, err = time.Parse(time.RFC3339Nano, string(text))
	}
	if err != nil {
		return fmt.Errorf("%q is neither a date such as 2026-01-31 nor an instant such as 2026-01-31T14:00:00Z", text)
	}
	*f = momentFlag(text)
	return nil
}

// versioned makes a change conditional on the version that the caller has seen.
type versioned struct {
	IfVersion versionFlag `placeholder:"N" help:"Refuse it if the version is another by now."`
}

func (f versioned) options() []client.Option {
	if f.IfVersion == 0 {
		return nil
	}
	return []client.Option{client.IfMatch(`"` + strconv.Itoa(int(f.IfVersion)) + `"`)}
}

// versionFlag is the version of a resource, 0 if it is not given.
type versionFlag int

// UnmarshalText reads a number from 1.
func (f *versionFlag) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return fmt.Errorf("%q is not a version, which is a number from 1", text)
	}
	*f = versionFlag(n)
	return nil
}

// wordFlag is one of the contract's words; "" if it is not given. Its tag complete says
// which.
type wordFlag string

// Decode reads a word, in capitals or not.
func (f *wordFlag) Decode(c *kong.DecodeContext) error {
	var text string
	if err := c.Scan.PopValueInto("word", &text); err != nil {
		return err
	}
	var known []string
	for _, k := range fixedWords(c.Value.Tag.Get("complete")) {
		if strings.EqualFold(text, k.word) {
			*f = wordFlag(k.word)
			return nil
		}
		known = append(known, k.word)
	}
	meant := suggestion(text, known)
	if meant == "" {
		meant = suggestion(strings.ToUpper(text), known)
	}
	return errors.New(fmt.Sprintf("%q is none of %s", text, strings.Join(known, ", ")) + meant)
}
