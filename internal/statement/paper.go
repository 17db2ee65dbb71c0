package statement

import (
	"embed"
	"fmt"
	"html/template"
	"io"

	"codeberg.org/go-pdf/fpdf"
)

// Paper is what a statement looks like, whatever it is printed on.
type Paper struct {
	Title    string
	Subtitle string
	Facts    []Fact // beside the title: names and their values
	Tables   []Table
	Notes    []string // below
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// Table is a table with a caption. Columns of figures are aligned right.
type Table struct {
	Caption string
	Columns []Column
	Rows    [][]string
	Total   []string // nil for none
}

// Column is a column of a table. Width is its share of the page.
type Column struct {
	Name   string
	Figure bool
	Width  float64
}

//go:embed paper.html
var files embed.FS

var page = template.Must(template.ParseFS(files, "paper.html"))

// HTML writes the paper as a page that needs nothing else and prints well.
func (p Paper) HTML(w io.Writer) error { return page.Execute(w, p) }

const (
	margin    = 15.0 // mm
	pageWidth = 215.9 - 2*margin
	lineHigh  = 5.5
)

// PDF writes the paper as PDF, US letter. The same paper gives the same bytes.
func (p Paper) PDF(w io.Writer) error {
	f := fpdf.New("P", "mm", "Letter", "")
	f.SetCatalogSort(true)
	f.SetCreationDate(epoch())
	f.SetModificationDate(epoch())
	f.SetMargins(margin, margin, margin)
	f.SetAutoPageBreak(true, margin+5)
	f.SetTitle(p.Title, true)
	f.AliasNbPages("")
	f.SetFooterFunc(func() {
		f.SetY(-margin)
		f.SetFont("Helvetica", "", 8)
		f.CellFormat(0, lineHigh, fmt.Sprintf("%d / {nb}", f.PageNo()), "", 0, "R", false, 0, "")
	})
	text := f.UnicodeTranslatorFromDescriptor("") // the core fonts know Latin-1
	f.AddPage()
	f.SetFont("Helvetica", "B", 16)
	f.MultiCell(0, 8, text(p.Title), "", "L", false)
	f.SetFont("Helvetica", "", 10)
	f.MultiCell(0, lineHigh, text(p.Subtitle), "", "L", false)
	f.Ln(3)
	for _, x := range p.Facts {
		f.SetFont("Helvetica", "B", 9)
		f.CellFormat(45, lineHigh, text(x.Name), "", 0, "L", false, 0, "")
		f.SetFont("Helvetica", "", 9)
		f.MultiCell(0, lineHigh, text(x.Value), "", "L", false)
	}
	for _, t := range p.Tables {
		t.pdf(f, text)
	}
	f.Ln(4)
	f.SetFont("Helvetica", "", 8)
	for _, n := range p.Notes {
		f.MultiCell(0, 4.5, text(n), "", "L", false)
	}
	return f.Output(w)
}

func (t Table) pdf(f *fpdf.Fpdf, text func(string) string) {
	f.Ln(4)
	f.SetFont("Helvetica", "B", 11)
	f.MultiCell(0, 7, text(t.Caption), "", "L", false)
	row := func(cells []string, border string) {
		for i, c := range t.Columns {
			align, value := "L", ""
			if c.Figure {
				align = "R"
			}
			if i < len(cells) {
				value = fitting(f, text(cells[i]), c.Width*pageWidth-2)
			}
			f.CellFormat(c.Width*pageWidth, lineHigh, value, border, 0, align, false, 0, "")
		}
		f.Ln(lineHigh)
	}
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	f.SetFont("Helvetica", "B", 8)
	row(names, "B")
	f.SetFont("Helvetica", "", 8)
	for _, r := range t.Rows {
		row(r, "")
	}
	if t.Total != nil {
		f.SetFont("Helvetica", "B", 8)
		row(t.Total, "T")
	}
}

// fitting cuts a text that is wider than its cell.
func fitting(f *fpdf.Fpdf, s string, width float64) string {
	if f.GetStringWidth(s) <= width {
		return s
	}
	for len(s) > 0 && f.GetStringWidth(s+"...") > width {
		s = s[:len(s)-1] // a byte is a character here: the text is translated already
	}
	return s + "..."
}
