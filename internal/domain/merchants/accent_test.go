package merchants

import (
	"fmt"
	"math"
	"strings"
	"testing"
)

// The integer contrast matches WCAG 2.2 over all grays and a grid of colors.
func TestContrastOfWhite(t *testing.T) {
	channel := func(c int) float64 {
		if x := float64(c) / 255; x > 0.04045 {
			return math.Pow((x+0.055)/1.055, 2.4)
		}
		return float64(c) / 255 / 12.92
	}
	var colors [][3]int
	for c := range 256 {
		colors = append(colors, [3]int{c, c, c})
	}
	for r := 0; r < 256; r += 51 {
		for g := 0; g < 256; g += 51 {
			for b := 0; b < 256; b += 51 {
				colors = append(colors, [3]int{r, g, b})
			}
		}
	}
	for _, c := range colors {
		want := 105 / (0.2126*channel(c[0]) + 0.7152*channel(c[1]) + 0.0722*channel(c[2]) + 0.05)
		got, ok := whiteOn(fmt.Sprintf("#%02x%02x%02x", c[0], c[1], c[2]))
		if !ok || math.Abs(float64(got)-want) > 1.0001 || float64(got) > want+1e-4 {
			t.Errorf("%v: %d, want %f", c, got, want)
		}
	}
}

// The lightest accepted gray is #767676; the message says by how much a lighter one misses.
func TestAccentIsRefused(t *testing.T) {
	for color, want := range map[string]string{
		"#767676": "", "#000000": "", "#0b5cad": "", "#777777": "4.47:1", "#ffffff": "1.00:1", "#ff0000": "3.99:1", "#FFCC00": "1.51:1",
		"": "hexadecimal", "#fff": "hexadecimal", "red": "hexadecimal", "#12345g": "hexadecimal", "#-12345": "hexadecimal", "#+12345": "hexadecimal", "#1_2345": "hexadecimal",
	} {
		r := refuseAccent(color)
		if (r == nil) != (want == "") || r != nil && !strings.Contains(r.Detail, want) {
			t.Errorf("%q: %v", color, r)
		}
	}
}
