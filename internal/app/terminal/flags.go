package terminal

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/alecthomas/kong"

	"tenor/client"
	"tenor/internal/app/exit"
	"tenor/internal/domain/calendar"
)

// The parser checks what the contract says about a value regardless of the server's data. It
// refuses an invalid value with the exit code for wrong usage, without calling a server.

// MaxPage is the maximum number of items per page.
const MaxPage = 100

// pageSize is the requested number of items per page.
type pageSize int

// UnmarshalText parses a number from 1 to 100.
func (f *pageSize) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 || n > MaxPage {
		return fmt.Errorf("%q is not a number from 1 to %d; use --all to read everything", text, MaxPage)
	}
	*f = pageSize(n)
	return nil
}

// DateFlag is a date, "" if it is not given.
type DateFlag string

// UnmarshalText parses YYYY-MM-DD.
func (f *DateFlag) UnmarshalText(text []byte) error {
	if _, err := calendar.Parse(string(text)); err != nil {
		return fmt.Errorf("%q is not a date such as 2026-01-31", text)
	}
	*f = DateFlag(text)
	return nil
}

// InOrder refuses a span that ends before it begins.
func InOrder(fromFlag string, from DateFlag, toFlag string, to DateFlag) error {
	if from != "" && to != "" && from > to { // ISO dates sort as text
		return &exit.Failure{Code: exit.Usage, Text: fmt.Sprintf("%s %s is before %s %s", toFlag, to, fromFlag, from)}
	}
	return nil
}

// PastFlag asks for an object as of a past time. The server decides whether a time is past: it
// uses the business clock, which in a sandbox is not this machine's.
type PastFlag struct {
	AsOf MomentFlag `placeholder:"DATE" help:"As of the end of this past business date, or this past instant."`
}

// Options returns the options of a call: none, or the time.
func (f PastFlag) Options() []client.Option {
	if f.AsOf == "" {
		return nil
	}
	return []client.Option{client.AsOfDate(string(f.AsOf))}
}

// MomentFlag is a date or an instant, "" if it is not given.
type MomentFlag string

// UnmarshalText parses YYYY-MM-DD, or an RFC 3339 instant.
func (f *MomentFlag) UnmarshalText(text []byte) error {
	_, err := calendar.Parse(string(text))
	if err != nil {
		_, err = time.Parse(time.RFC3339Nano, string(text))
	}
	if err != nil {
		return fmt.Errorf("%q is not a date such as 2026-01-31 or an instant such as 2026-01-31T14:00:00Z", text)
	}
	*f = MomentFlag(text)
	return nil
}

// Versioned makes a change conditional on the version that the caller has seen.
type Versioned struct {
	IfVersion versionFlag `placeholder:"N" help:"Fail if the version has changed."`
}

// Options returns the options of a call: none, or the version.
func (f Versioned) Options() []client.Option {
	if f.IfVersion == 0 {
		return nil
	}
	return []client.Option{client.IfMatch(`"` + strconv.Itoa(int(f.IfVersion)) + `"`)}
}

// versionFlag is the version of a resource, 0 if it is not given.
type versionFlag int

// UnmarshalText parses a number from 1.
func (f *versionFlag) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 1 {
		return fmt.Errorf("%q is not a version number (1 or more)", text)
	}
	*f = versionFlag(n)
	return nil
}

// WordFlag is one of the contract's words; "" if it is not given. Its complete tag says which.
type WordFlag string

// Decode parses a word, in any case.
func (f *WordFlag) Decode(c *kong.DecodeContext) error {
	var text string
	if err := c.Scan.PopValueInto("word", &text); err != nil {
		return err
	}
	var known []string
	for _, k := range FixedWords(c.Value.Tag.Get("complete")) {
		if strings.EqualFold(text, k.Word) {
			*f = WordFlag(k.Word)
			return nil
		}
		known = append(known, k.Word)
	}
	meant := Suggestion(text, known)
	if meant == "" {
		meant = Suggestion(strings.ToUpper(text), known)
	}
	return errors.New(fmt.Sprintf("%q is not one of %s", text, strings.Join(known, ", ")) + meant)
}
