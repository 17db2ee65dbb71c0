package statement

import (
	"embed"
	"fmt"
	"html/template"
	"io"

	"codeberg.org/go-pdf/fpdf"
)

// Paper is the content of a statement, independent of its format.
type Paper struct {
	Title    string
	Subtitle string
	Facts    []Fact // next to the title: names and values
	Tables   []Table
	Notes    []string // below the tables
}

// Fact is a name and its value.
type Fact struct{ Name, Value string }

// Table is a table with a caption. Figure columns are right-aligned.
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

// HTML writes the paper as a self-contained page that prints well.
func (p Paper) HTML(w io.Writer) error { return page.Execute(w, p) }

const (
	margin    = 15.0 // mm
	pageWidth = 215.9 - 2*margin
	pageEnd   = 279.4 - (margin + 5) // where the footer begins
	lineHigh  = 5.5
	bodySize  = 8.0 // points, in tables
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
	translate := f.UnicodeTranslatorFromDescriptor("") // the core fonts know Windows-1252
	text := func(s string) string { return Latin(s, translate) }
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

// pdf draws the table. Text wider than its cell continues below, so that nothing is cut
// off; the column names are repeated on every page.
func (t Table) pdf(f *fpdf.Fpdf, text func(string) string) {
	f.Ln(4)
	f.SetFont("Helvetica", "B", 11)
	if f.GetY()+7+2*lineHigh > pageEnd { // a caption is never the last on its page
		f.AddPage()
	}
	f.MultiCell(0, 7, text(t.Caption), "", "L", false)
	names := make([]string, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = c.Name
	}
	head := func() { t.row(f, text, names, "B", "B", nil) }
	head()
	for _, r := range t.Rows {
		t.row(f, text, r, "", "", head)
	}
	if t.Total != nil {
		t.row(f, text, t.Total, "B", "T", head)
	}
}

// row draws one row, on one page if it fits on one. head starts a new page; nil for the
// head itself. The border is at the row's own upper or lower edge.
func (t Table) row(f *fpdf.Fpdf, text func(string) string, cells []string, style, border string, head func()) {
	f.SetFont("Helvetica", style, bodySize)
	parts := make([][][]byte, len(t.Columns))
	high := 1
	for i, c := range t.Columns {
		switch {
		case i >= len(cells):
		case c.Figure: // an amount is never broken
			parts[i] = [][]byte{[]byte(text(cells[i]))}
		default:
			parts[i] = f.SplitLines([]byte(text(cells[i])), c.Width*pageWidth)
			high = max(high, len(parts[i]))
		}
	}
	whole := float64(high) * lineHigh
	for k := range high {
		if over := f.GetY() + lineHigh; head != nil && (over > pageEnd || k == 0 && whole < pageEnd/2 && f.GetY()+whole > pageEnd) {
			f.AddPage()
			head()
			f.SetFont("Helvetica", style, bodySize)
		}
		edge := ""
		if border == "T" && k == 0 || border == "B" && k == high-1 {
			edge = border
		}
		for i, c := range t.Columns {
			align, value := "L", ""
			if c.Figure {
				align = "R"
			}
			if k < len(parts[i]) {
				value = string(parts[i][k])
			}
			wide, size := c.Width*pageWidth, bodySize
			if need := f.GetStringWidth(value) + 2*f.GetCellMargin(); c.Figure && need > wide {
				size *= wide / need
			}
			f.SetFontSize(size)
			f.CellFormat(wide, lineHigh, value, edge, 0, align, false, 0, "")
			f.SetFontSize(bodySize)
		}
		f.Ln(lineHigh)
	}
}
