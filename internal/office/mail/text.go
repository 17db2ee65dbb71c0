package mail

import (
	"strings"
	"unicode/utf8"

	"tenor/internal/office/statement"
)

// text formats a paper with only lines and spaces.
func text(p statement.Paper) string {
	var b strings.Builder
	b.WriteString(p.Title + "\n")
	if p.Subtitle != "" {
		b.WriteString(p.Subtitle + "\n")
	}
	b.WriteString("\n")
	width := 0
	for _, f := range p.Facts {
		width = max(width, utf8.RuneCountInString(f.Name))
	}
	for _, f := range p.Facts {
		b.WriteString(strings.TrimRight(padded(f.Name, width, false)+"  "+f.Value, " ") + "\n")
	}
	for _, t := range p.Tables {
		table(&b, t)
	}
	for _, n := range p.Notes {
		b.WriteString("\n")
		for _, line := range wrapped(n) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

// lineWide is the recommended maximum length of a message line, in characters (RFC 5322).
const lineWide = 78

// wrapped breaks a text into lines between its words. A longer word has a line of its own.
func wrapped(text string) []string {
	var lines []string
	line := ""
	for _, word := range strings.Fields(text) {
		if line != "" && utf8.RuneCountInString(line)+1+utf8.RuneCountInString(word) > lineWide {
			lines, line = append(lines, line), ""
		}
		line = strings.TrimLeft(line+" "+word, " ")
	}
	return append(lines, line)
}

// table formats a table: figures right-aligned.
func table(b *strings.Builder, t statement.Table) {
	var head []string
	for _, c := range t.Columns {
		head = append(head, c.Name)
	}
	rows := append([][]string{head}, t.Rows...)
	if t.Total != nil {
		rows = append(rows, t.Total)
	}
	widths := make([]int, len(t.Columns))
	for _, row := range rows {
		for i := range min(len(row), len(widths)) {
			widths[i] = max(widths[i], utf8.RuneCountInString(row[i]))
		}
	}
	b.WriteString("\n" + t.Caption + "\n")
	for _, row := range rows {
		var cells []string
		for i := range min(len(row), len(widths)) {
			cells = append(cells, padded(row[i], widths[i], t.Columns[i].Figure))
		}
		b.WriteString(strings.TrimRight(strings.Join(cells, "  "), " ") + "\n")
	}
}

func padded(s string, width int, right bool) string {
	fill := strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
	if right {
		return fill + s
	}
	return s + fill
}
