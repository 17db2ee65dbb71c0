package paper

import (
	"io"
	"strconv"
	"strings"
	"time"

	"codeberg.org/go-pdf/fpdf"

	"tenor/internal/office/statement"
)

// The page, in mm: US letter.
const (
	margin    = 18.0
	wide      = 215.9 - 2*margin
	pageEnd   = 279.4 - 22.0 // where the footer begins
	lineHigh  = 4.7
	fontFace  = "Helvetica"
	bodySize  = 9.5 // points
	tableSize = 8.8
)

// allPages is a placeholder for the number of pages. No text of a paper contains it.
const allPages = "\x01"

// epoch dates the files: a paper states its own date, and the same paper must give the same
// bytes.
func epoch() time.Time { return time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC) }

// press prints one sheet.
type press struct {
	*fpdf.Fpdf
	text func(string) string // what the font can show of a text
}

// pdf writes the sheet as PDF. The core fonts have the letters of western Europe; other
// Latin letters lose their mark, and anything else becomes a question mark. The page shows
// all of them.
func (x sheet) pdf(w io.Writer) error {
	f := fpdf.New("P", "mm", "Letter", "")
	translate := f.UnicodeTranslatorFromDescriptor("")
	p := press{f, func(s string) string { return statement.Latin(s, translate) }}
	f.SetCatalogSort(true)
	f.SetCreationDate(epoch())
	f.SetModificationDate(epoch())
	f.SetLang(x.Language)
	f.SetTitle(x.Title+" – "+x.Lender, true)
	f.SetAuthor(x.Lender, true)
	f.SetMargins(margin, 16, margin)
	f.SetAutoPageBreak(true, 279.4-pageEnd)
	f.AliasNbPages(allPages)
	f.SetHeaderFunc(func() { p.head(x) })
	f.SetFooterFunc(func() { p.foot(x) })
	f.AddPage()
	p.begin(x)
	for i, s := range x.Sections {
		heading := s.Heading
		if x.Numbered {
			heading = strconv.Itoa(i+1) + ". " + heading
		}
		p.section(s, heading)
	}
	p.space(2*lineHigh + 4)
	p.Ln(2)
	p.soft(8.5)
	p.MultiCell(0, lineHigh, p.text(x.Contact), "", "L", false)
	return f.Output(w)
}

func (p press) font(style string, size float64) {
	p.SetFont(fontFace, style, size)
	p.SetTextColor(22, 25, 26)
}
func (p press) soft(size float64)   { p.SetFont(fontFace, "", size); p.SetTextColor(90, 98, 100) }
func (p press) accent(size float64) { p.SetFont(fontFace, "B", size); p.SetTextColor(0, 86, 95) }
func (p press) hair()               { p.SetDrawColor(217, 223, 224); p.SetLineWidth(.2) }
func (p press) rule()               { p.SetDrawColor(22, 25, 26); p.SetLineWidth(.25) }

// space starts a new page if less than this height is left on the current one.
func (p press) space(high float64) bool {
	if p.GetY()+high <= pageEnd {
		return false
	}
	p.AddPage()
	return true
}

// head is on every page: whose paper it is.
func (p press) head(x sheet) {
	p.accent(12)
	name := p.cut(p.text(x.Lender), wide*.55)
	p.CellFormat(wide*.55, 6, name, "", 0, "L", false, 0, "")
	p.soft(8.5)
	p.CellFormat(0, 6, p.cut(p.text(x.Address), wide*.45), "", 1, "R", false, 0, "")
	p.SetDrawColor(0, 86, 95)
	p.SetLineWidth(.9)
	p.Line(margin, p.GetY()+1.5, margin+wide, p.GetY()+1.5)
	p.SetY(p.GetY() + 8)
}

// cut truncates a text of the font to a width.
func (p press) cut(text string, most float64) string {
	if p.GetStringWidth(text) <= most-2 {
		return text
	}
	for text != "" && p.GetStringWidth(text+"...") > most-2 {
		text = text[:len(text)-1]
	}
	return strings.TrimRight(text, " ") + "..."
}

func (p press) foot(x sheet) {
	p.SetY(pageEnd + 5)
	p.hair()
	p.Line(margin, p.GetY(), margin+wide, p.GetY())
	p.SetY(p.GetY() + 1.5)
	p.soft(8)
	number := p.text(values{"{page}", strconv.Itoa(p.PageNo()), "{pages}", ""}.fill(x.Page)) + allPages
	p.CellFormat(wide/2, 5, p.text(x.Foot), "", 0, "L", false, 0, "")
	p.CellFormat(0, 5, number, "", 0, "R", false, 0, "")
}

// begin prints what is above the sections.
func (p press) begin(x sheet) {
	p.font("B", 20)
	p.MultiCell(0, 8.5, p.text(x.Title), "", "L", false)
	p.soft(10.5)
	p.MultiCell(0, 5.2, p.text(x.Sub), "", "L", false)
	p.Ln(4)
	p.pairs(x.Parties)
	if x.Lead != "" {
		p.Ln(1)
		p.font("", bodySize)
		p.MultiCell(0, lineHigh, p.text(x.Lead), "", "L", false)
	}
	if len(x.Figures) > 0 {
		p.Ln(3)
		p.figures(x.Figures)
	}
	p.Ln(5)
}

// pairs prints names and values in two columns; a long value continues below.
func (p press) pairs(all []pair) {
	half := wide / 2
	for i := 0; i < len(all); i += 2 {
		var cells [][][]byte
		high := 0
		for _, x := range all[i:min(i+2, len(all))] {
			p.font("B", bodySize)
			lines := p.SplitLines([]byte(p.text(x.Value)), half-4)
			cells, high = append(cells, lines), max(high, len(lines))
		}
		p.space(float64(min(high, 30)+1) * lineHigh)
		p.soft(8.5)
		for k := range cells {
			p.CellFormat(half, lineHigh, p.text(all[i+k].Label), "", 0, "L", false, 0, "")
		}
		p.Ln(lineHigh)
		p.font("B", bodySize)
		for n := range high {
			for _, lines := range cells {
				value := ""
				if n < len(lines) {
					value = string(lines[n])
				}
				p.CellFormat(half, lineHigh, value, "", 0, "L", false, 0, "")
			}
			p.Ln(lineHigh)
		}
		p.Ln(1.6)
	}
}

// figures prints the few that a buyer looks for first, in a box.
func (p press) figures(all []pair) {
	const high = 17.0
	each, y := wide/float64(len(all)), p.GetY()
	p.hair()
	p.RoundedRect(margin, y, wide, high, 2, "1234", "D")
	for i, x := range all {
		at := margin + float64(i)*each
		if i > 0 {
			p.Line(at, y, at, y+high)
		}
		p.SetXY(at+3, y+2.5)
		p.soft(8.5)
		label := p.text(x.Label)
		if need := p.GetStringWidth(label) + 4; need > each-4 {
			p.SetFontSize(8.5 * (each - 4) / need)
		}
		p.CellFormat(each-4, lineHigh, label, "", 0, "L", false, 0, "")
		p.SetXY(at+3, y+7.5)
		p.accent(15)
		p.CellFormat(each-4, 7, p.text(x.Value), "", 0, "L", false, 0, "")
	}
	p.SetXY(margin, y+high)
}

// section prints a part; its heading is never the last on a page.
func (p press) section(s section, heading string) {
	if s.Heading != "" {
		need := 7 + 3*lineHigh
		if s.Sign != nil {
			need += 40
		}
		p.space(need)
		p.font("B", 11)
		p.MultiCell(0, 6.5, p.text(heading), "", "L", false)
	}
	if s.Table != nil {
		p.table(*s.Table)
		p.Ln(1.5)
	}
	p.font("", bodySize)
	for _, t := range s.List {
		p.space(lineHigh)
		p.SetX(margin + 4)
		p.MultiCell(wide-4, lineHigh, p.text("•  "+t), "", "L", false)
	}
	if len(s.List) > 0 {
		p.Ln(1.2)
	}
	for _, t := range s.Text {
		if s.Table != nil {
			p.soft(8.5)
		}
		p.MultiCell(0, lineHigh, p.text(t), "", "L", false)
		p.Ln(1.2)
	}
	if s.Sign != nil {
		p.sign(s.Sign)
	}
	p.Ln(3.5)
}

// sign prints the lines to sign on.
func (p press) sign(all []pair) {
	p.Ln(3)
	for _, x := range all {
		p.space(9)
		p.soft(8.5)
		p.CellFormat(26, 7, p.text(x.Label), "", 0, "L", false, 0, "")
		p.font("B", bodySize)
		p.rule()
		p.CellFormat(wide*.55, 7, p.cut(p.text(x.Value), wide*.55), "B", 1, "L", false, 0, "")
	}
}
