package main

import (
	"fmt"
	"io"
	"strings"
	"text/tabwriter"
	"time"
	"unicode/utf8"

	"tenor/client"
	"tenor/internal/money"
)

// dollars writes an amount for people: $1,200.00, -$5.00.
func dollars(a client.Amount) string {
	cents, ok := a.Cents()
	if !ok {
		return string(a)
	}
	text, sign := string(client.OfCents(cents)), ""
	if cents < 0 {
		text, sign = text[1:], "-"
	}
	whole, frac, _ := strings.Cut(text, ".")
	for i := len(whole) - 3; i > 0; i -= 3 {
		whole = whole[:i] + "," + whole[i:]
	}
	return sign + "$" + whole + "." + frac
}

// day writes a date for people without its year: Feb 15.
func day(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("Jan 2")
}

// instant writes an instant in UTC to the minute, "" if there is none.
func instant(t *time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

// dash stands for what is not set.
func dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// clean keeps a text of somebody else on its line and away from the terminal.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f || r >= 0x80 && r < 0xa0 {
			return '?'
		}
		return r
	}, s)
}

// table is a list for people. A column whose head begins with > is aligned to the
// right, as amounts are.
type table struct {
	head []string
	rows [][]string
}

func newTable(head ...string) *table { return &table{head: head} }

func (t *table) row(cells ...string) {
	for i := range cells {
		cells[i] = clean(cells[i])
	}
	t.rows = append(t.rows, cells)
}

// print writes the table, and nothing if it is empty.
func (t *table) print(w io.Writer) error {
	if len(t.rows) == 0 {
		return nil
	}
	head := append([]string(nil), t.head...)
	for i, name := range head {
		name, right := strings.CutPrefix(name, ">")
		head[i] = name
		if !right {
			continue
		}
		width := utf8.RuneCountInString(name)
		for _, r := range t.rows {
			width = max(width, utf8.RuneCountInString(r[i]))
		}
		head[i] = fmt.Sprintf("%*s", width, name)
		for _, r := range t.rows {
			r[i] = fmt.Sprintf("%*s", width, r[i])
		}
	}
	return columns(w, append([][]string{head}, t.rows...))
}

// facts writes names and values below each other, without those that are not set.
func facts(w io.Writer, pairs ...string) error {
	var rows [][]string
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			rows = append(rows, []string{pairs[i], clean(pairs[i+1])})
		}
	}
	return columns(w, rows)
}

func columns(w io.Writer, rows [][]string) error {
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, r := range rows {
		fmt.Fprintln(out, strings.TrimRight(strings.Join(r, "\t"), " \t"))
	}
	return out.Flush()
}

// amount writes an amount of our own records for people.
func amount(m money.Amount) string { return dollars(client.Amount(m.String())) }
