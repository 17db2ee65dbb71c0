package bench

import (
	"encoding/xml"
	"errors"
	"io"
	"strconv"
	"strings"
	"testing"
)

// The picture is well-formed; it has a bar for each throughput at the usual number of connections,
// as long as its figure says, and none for anything else.
func TestPicture(t *testing.T) {
	r := &Report{Version: "<1&2>", Rows: []*Row{
		{Database: SQLite, Workload: W1, Variant: grouped, Connections: usual, Unit: "requests/s", Value: spread{Median: 1000, Min: 900, Max: 2000}},
		{Database: Postgres, Workload: W1, Variant: grouped, Connections: usual, Unit: "requests/s", Value: spread{Median: 500, Min: 400, Max: 600}},
		{Database: SQLite, Workload: Ceiling, Variant: ceilingVariant, Unit: "orders/s", Value: spread{Median: 1500, Min: 1500, Max: 1500}},
		{Database: SQLite, Workload: W1, Variant: grouped, Connections: 16, Unit: "requests/s", Value: spread{Median: 7}},
		{Database: SQLite, Workload: W1, Variant: cpuVariant, Connections: usual, Unit: "µs", Value: spread{Median: 9000}},
		{Database: SQLite, Workload: W4, Variant: bareVariant, Connections: usual, Unit: "requests/s", Value: spread{Median: 9000}},
	}}
	var out strings.Builder
	if err := r.Picture(&out); err != nil {
		t.Fatal(err)
	}
	var widths []float64
	var texts []string
	for d := xml.NewDecoder(strings.NewReader(out.String())); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		switch x := token.(type) {
		case xml.StartElement:
			for _, a := range x.Attr {
				if x.Name.Local == "rect" && a.Name.Local == "width" {
					w, err := strconv.ParseFloat(a.Value, 64)
					if err != nil {
						t.Fatal(err)
					}
					widths = append(widths, w)
				}
			}
		case xml.CharData:
			texts = append(texts, string(x))
		}
	}
	if len(widths) != 3 || widths[1] != 1.5*widths[0] || 2*widths[2] != widths[0] {
		t.Errorf("bars of %v: wanted are those of SQLite, 1000 and 1500, then PostgreSQL's 500", widths)
	}
	all := strings.Join(texts, "\n")
	for _, want := range []string{"<1&2>", "1000 (900–2000)", "w1 group commit", "ceiling " + ceilingVariant, "500 (400–600)"} {
		if !strings.Contains(all, want) {
			t.Errorf("no %q in\n%s", want, all)
		}
	}
	var none strings.Builder
	if err := (&Report{}).Picture(&none); err != nil || !strings.HasSuffix(none.String(), "</svg>\n") {
		t.Errorf("of nothing: %v\n%s", err, none.String())
	}
}
