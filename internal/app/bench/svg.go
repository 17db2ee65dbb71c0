package bench

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
	"strings"
)

// Measures of the picture, in its own units.
const (
	pictureWidth = 720
	labelWidth   = 230 // in front of the bars
	valueWidth   = 150 // behind the longest one
	barHeight    = 18
	barPitch     = 28
	groupGap     = 34 // for the name of a database
)

const pictureTitle = "Requests or orders a second: median, lowest and highest round"

// Picture writes the throughput of the run as an SVG: a bar for each median, with a line from the
// lowest to the highest round. It follows the reader's light or dark colors.
func (r *Report) Picture(w io.Writer) error {
	bars := r.bars()
	longest := 0.0
	for _, x := range bars {
		longest = max(longest, x.Value.Max)
	}
	p := &picture{scale: (pictureWidth - labelWidth - valueWidth) / max(longest, 1), y: 16}
	p.text(0, "name", "start", pictureTitle)
	for i, x := range bars {
		if i == 0 || bars[i-1].Database != x.Database {
			p.group(x.Database)
		}
		p.bar(x)
	}
	about := r.about()[:2]
	for _, line := range about {
		p.y += 16
		p.text(0, "about", "start", line)
	}
	_, err := fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" role="img" aria-label="%s">
<style>text{font:13px system-ui,sans-serif;fill:#1f2430}.about{font-size:11px;fill:#5b6270}.name{font-weight:600}rect{fill:#3b6fd4}path{stroke:#1f2430;stroke-width:1.5;fill:none}
@media (prefers-color-scheme:dark){text{fill:#e6e8ee}.about{fill:#a0a7b5}rect{fill:#6d98ef}path{stroke:#e6e8ee}}</style>
%s</svg>
`, pictureWidth, p.y+10, pictureWidth, p.y+10, escaped(pictureTitle+": "+strings.Join(about, ", ")), p.out.String())
	return err
}

// bars are the measurements of throughput, databases together: those of the usual number of
// connections, and what has none.
func (r *Report) bars() []*Row {
	var out []*Row
	for _, x := range r.Rows {
		if (x.Unit == "requests/s" || x.Unit == "orders/s") && (x.Connections == usual || x.Connections == 0) && x.Variant != bareVariant && x.Value.Median > 0 {
			out = append(out, x)
		}
	}
	first := func(database string) int {
		return slices.IndexFunc(out, func(x *Row) bool { return x.Database == database })
	}
	slices.SortStableFunc(out, func(a, b *Row) int { return first(a.Database) - first(b.Database) })
	return out
}

// picture is what has been drawn so far.
type picture struct {
	out   strings.Builder
	scale float64 // units for one request a second
	y     int
}

func (p *picture) group(name string) {
	p.y += groupGap
	p.text(0, "name", "start", name)
	p.y += 12
}

func (p *picture) bar(x *Row) {
	at := func(v float64) float64 { return labelWidth + v*p.scale }
	middle := float64(p.y) + barHeight/2
	fmt.Fprintf(&p.out, "<rect x=\"%d\" y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\"/>\n", labelWidth, p.y, x.Value.Median*p.scale, barHeight)
	fmt.Fprintf(&p.out, "<path d=\"M%.1f %.1fH%.1fM%.1f %.1fv8M%.1f %.1fv8\"/>\n", at(x.Value.Min), middle, at(x.Value.Max), at(x.Value.Min), middle-4, at(x.Value.Max), middle-4)
	p.y += barHeight - 4
	p.text(labelWidth-10, "", "end", x.Workload+" "+x.Variant)
	p.text(int(at(x.Value.Max))+8, "", "start", number(x.Value.Median)+" ("+minMax(x.Value)+")")
	p.y += barPitch - barHeight + 4
}

// text writes a line at the present height.
func (p *picture) text(x int, class, anchor, s string) {
	fmt.Fprintf(&p.out, "<text x=\"%d\" y=\"%d\" class=\"%s\" text-anchor=\"%s\">%s</text>\n", x, p.y, class, anchor, escaped(s))
}

func escaped(s string) string {
	var b strings.Builder
	_ = xml.EscapeText(&b, []byte(s)) // a builder takes everything
	return b.String()
}
