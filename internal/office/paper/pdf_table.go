package paper

// table prints a table. Text wider than its cell continues below; the column names are
// repeated on every page, and the caption is never the last on one.
func (p press) table(t table) {
	p.space(7 + 5*lineHigh)
	p.font("B", 11)
	p.MultiCell(0, 6.5, p.text(t.Caption), "", "L", false)
	names := make([]cell, len(t.Columns))
	for i, c := range t.Columns {
		names[i] = cell{[]string{c.Name}}
	}
	head := func() {
		p.row(t, names, false, nil)
		p.rule()
		p.Line(margin, p.GetY(), margin+wide, p.GetY())
		p.Ln(1)
	}
	head()
	for _, r := range t.Rows {
		p.row(t, r, false, head)
		p.hair()
		p.Line(margin, p.GetY()+.6, margin+wide, p.GetY()+.6)
		p.Ln(1.6)
	}
	if t.Total == nil {
		return
	}
	p.space(2 * lineHigh)
	p.rule()
	p.Line(margin, p.GetY()-1, margin+wide, p.GetY()-1)
	p.row(t, t.Total, true, head)
}

// row prints one row, on one page if it fits on one. head starts a new page; nil for the
// head itself.
func (p press) row(t table, cells []cell, total bool, head func()) {
	parts := make([][]string, len(t.Columns))
	high := 1
	for i, c := range t.Columns {
		p.style(i == 0 || total, head)
		for _, line := range cells[i].Lines {
			if c.Align == right {
				parts[i] = append(parts[i], p.text(line))
				continue
			}
			for _, s := range p.SplitLines([]byte(p.text(line)), c.Width*wide-3) {
				parts[i] = append(parts[i], string(s))
			}
		}
		high = max(high, len(parts[i]))
	}
	for k := range high {
		over := p.GetY()+lineHigh > pageEnd
		if whole := float64(high) * lineHigh; head != nil && (over || k == 0 && whole < pageEnd/2 && p.GetY()+whole > pageEnd) {
			p.AddPage()
			head()
		}
		for i, c := range t.Columns {
			p.style(i == 0 || total, head)
			value, at := "", "L"
			if k < len(parts[i]) {
				value = parts[i][k]
			}
			if c.Align == right {
				at = "R"
				if i+1 < len(t.Columns) && t.Columns[i+1].Align == left {
					value += "    " // space from the text next to it
				}
			}
			p.CellFormat(c.Width*wide, lineHigh, value, "", 0, at, false, 0, "")
		}
		p.Ln(lineHigh)
	}
}

// style sets the font of a cell: the head is light, first cells and totals are bold.
func (p press) style(strong bool, head func()) {
	switch {
	case head == nil:
		p.soft(8.2)
	case strong:
		p.font("B", tableSize)
	default:
		p.font("", tableSize)
	}
}
