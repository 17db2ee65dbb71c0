package terminal

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"tenor/client"
)

// Dollars formats an amount for people: $1,200.00, -$5.00.
func Dollars(a client.Amount) string {
	cents, ok := a.Cents()
	if !ok {
		return Clean(string(a))
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

// Day formats a date for people without its year: Feb 15.
func Day(date string) string {
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return date
	}
	return t.Format("Jan 2")
}

// Instant formats an instant in UTC to the minute, "" if there is none.
func Instant(t *time.Time) string {
	if t == nil || t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04Z")
}

// Dash replaces an empty text with a dash.
func Dash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// Side is an amount that is left blank if it is zero, as in the empty column of a posting.
type Side client.Amount

// Maybe is a text that is shown as a dash if it is empty.
type Maybe string

// Optional is a number that is unset if it is zero.
type Optional int

// cell formats a value for people.
func cell(v any) string {
	switch v := v.(type) {
	case client.Amount:
		return Dollars(v)
	case Side:
		if cents, ok := client.Amount(v).Cents(); ok && cents == 0 {
			return ""
		}
		return Dollars(client.Amount(v))
	case Maybe:
		return Dash(Clean(string(v)))
	case time.Time:
		return Instant(&v)
	case *time.Time:
		return Instant(v)
	}
	return Clean(Field(v))
}

// Field formats a value for programs: amounts and instants as in the API, "" if unset.
func Field(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case Maybe:
		return string(v)
	case client.Amount:
		return string(v)
	case Side:
		return string(v)
	case Optional:
		if v == 0 {
			return ""
		}
		return strconv.Itoa(int(v))
	case int64:
		return strconv.FormatInt(v, 10)
	case time.Time:
		return Field(&v)
	case *time.Time:
		if v == nil || v.IsZero() {
			return ""
		}
		return v.UTC().Format(time.RFC3339Nano)
	case []string:
		return strings.Join(v, " ")
	}
	return fmt.Sprint(v)
}

// Record writes values as one tab-separated line.
func Record(w io.Writer, values []any) error {
	fields := make([]string, len(values))
	for i, v := range values {
		fields[i] = Clean(Field(v))
	}
	_, err := fmt.Fprintln(w, strings.Join(fields, "\t"))
	return err
}

// Table is a list. A column whose heading starts with > is right-aligned, as amounts are.
type Table struct {
	head []string
	rows [][]any
}

// NewTable returns an empty table with column headings.
func NewTable(head ...string) *Table { return &Table{head: head} }

// Row adds a row.
func (t *Table) Row(cells ...any) { t.rows = append(t.rows, cells) }

// print writes the table for people, and nothing if it is empty.
func (t *Table) print(w io.Writer) error {
	return t.styled(w, func(head string) string { return head })
}

// styled is print with a style for the heading line.
func (t *Table) styled(w io.Writer, style func(string) string) error {
	if len(t.rows) == 0 {
		return nil
	}
	lines := [][]string{make([]string, len(t.head))}
	right := map[int]bool{}
	for i, name := range t.head {
		lines[0][i], right[i] = strings.CutPrefix(name, ">")
	}
	for _, r := range t.rows {
		line := make([]string, len(r))
		for i, v := range r {
			line[i] = cell(v)
		}
		lines = append(lines, line)
	}
	for i, line := range columns(lines, right) {
		if i == 0 {
			line = style(line)
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// Plain writes the rows as records.
func (t *Table) Plain(w io.Writer) error {
	for _, r := range t.rows {
		if err := Record(w, r); err != nil {
			return err
		}
	}
	return nil
}

// Facts writes names and values line by line, without unset ones.
func Facts(w io.Writer, pairs ...any) error {
	var lines [][]string
	for i := 0; i+1 < len(pairs); i += 2 {
		if text := cell(pairs[i+1]); text != "" {
			lines = append(lines, []string{cell(pairs[i]), text})
		}
	}
	for _, line := range columns(lines, nil) {
		if _, err := fmt.Fprintln(w, line); err != nil {
			return err
		}
	}
	return nil
}

// columns formats rows of cells, two spaces apart.
func columns(rows [][]string, right map[int]bool) []string {
	var widths []int
	for _, r := range rows {
		for i, c := range r {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	lines := make([]string, len(rows))
	for n, r := range rows {
		var b strings.Builder
		for i, c := range r {
			pad := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c))
			if right[i] {
				b.WriteString(pad + c + "  ")
			} else {
				b.WriteString(c + pad + "  ")
			}
		}
		lines[n] = strings.TrimRight(b.String(), " ")
	}
	return lines
}
