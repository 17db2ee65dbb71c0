package design

import (
	"fmt"
	"math"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// tokens reads the colors of a block in the stylesheet's source, as luminances.
func tokens(t *testing.T, source, block string) map[string]float64 {
	t.Helper()
	_, rest, found := strings.Cut(source, block+" {")
	body, _, closed := strings.Cut(rest, "\n}")
	if !found || !closed {
		t.Fatalf("the stylesheet has no block %s", block)
	}
	out := map[string]float64{}
	for _, m := range regexp.MustCompile(`--([a-z-]+): oklch\(([0-9.]+) ([0-9.]+) ([0-9.]+)\);`).FindAllStringSubmatch(body, -1) {
		var c [3]float64
		for i := range c {
			v, err := strconv.ParseFloat(m[2+i], 64)
			if err != nil {
				t.Fatal(err)
			}
			c[i] = v
		}
		out[m[1]] = luminance(c[0], c[1], c[2])
	}
	return out
}

// luminance returns the WCAG 2.2 luminance of an OKLCH color, with the matrices of Björn
// Ottosson's https://bottosson.github.io/posts/oklab/. The rows for red, green and blue are
// weighted as in sRGB, each within the range of a screen.
func luminance(lightness, chroma, hue float64) float64 {
	a, b := chroma*math.Cos(hue*math.Pi/180), chroma*math.Sin(hue*math.Pi/180)
	l := math.Pow(lightness+0.3963377774*a+0.2158037573*b, 3)
	m := math.Pow(lightness-0.1055613458*a-0.0638541728*b, 3)
	s := math.Pow(lightness-0.0894841775*a-1.2914855480*b, 3)
	in := func(x float64) float64 { return min(max(x, 0), 1) }
	return 0.2126*in(4.0767416621*l-3.3077115913*m+0.2309699292*s) +
		0.7152*in(-1.2684380046*l+2.6097574011*m-0.3413193965*s) +
		0.0722*in(-0.0041960863*l-0.7034186147*m+1.7076147010*s)
}

func contrast(a, b float64) float64 { return (max(a, b) + 0.05) / (min(a, b) + 0.05) }

// Text has a contrast of at least 4.5:1 with its background, and what shows a control or the
// focus 3:1, in light and dark mode.
func TestContrast(t *testing.T) {
	source, err := os.ReadFile("src/input.css")
	if err != nil {
		t.Fatal(err)
	}
	for _, block := range []string{"\n:root", ":root.auto"} {
		c := tokens(t, string(source), block)
		for _, pair := range []struct {
			front, back string
			least       float64
		}{
			{"foreground", "background", 7}, {"foreground", "card", 7}, {"foreground", "muted", 7},
			{"muted-foreground", "background", 4.5}, {"muted-foreground", "card", 4.5}, {"muted-foreground", "muted", 4.5},
			{"primary-foreground", "primary", 4.5}, {"sandbox-foreground", "sandbox", 4.5},
			{"good", "card", 4.5}, {"warn", "card", 4.5}, {"bad", "card", 4.5}, {"good", "background", 4.5}, {"warn", "background", 4.5}, {"bad", "background", 4.5},
			{"input", "card", 3}, {"input", "background", 3}, {"ring", "card", 3}, {"ring", "background", 3}, {"primary", "card", 3}, {"bad", "muted", 3},
		} {
			front, ok := c[pair.front]
			back, also := c[pair.back]
			if got := contrast(front, back); !ok || !also || got < pair.least {
				t.Errorf("%s: %s on %s has %.2f:1, less than %g:1", strings.TrimSpace(block), pair.front, pair.back, got, pair.least)
			}
		}
	}
	checkCode(t, string(source))
	for _, known := range []struct {
		l, c, h float64
		want    string
	}{{1, 0, 0, "21.00"}, {0, 0, 0, "1.00"}, {0.627955, 0.257683, 29.2339, "5.25"}} { // white, black and red on black
		if got := fmt.Sprintf("%.2f", contrast(luminance(known.l, known.c, known.h), 0)); got != known.want {
			t.Errorf("a contrast of %s is %s", known.want, got)
		}
	}
}

// checkCode checks the same for the colors of code: on the calm card of a page, light and dark,
// and on a terminal, which is always dark.
func checkCode(t *testing.T, source string) {
	t.Helper()
	light, dark := tokens(t, source, "\n:root"), tokens(t, source, ":root.auto")
	terminal := tokens(t, source, ".codebox:not(.calm), .tabs.ready, .code")
	for _, kind := range []string{word, text, number, comment, name} {
		for at, pair := range map[string][2]float64{
			"light card": {light["hl-"+kind], light["card"]}, "dark card": {dark["hl-"+kind], dark["card"]},
			"terminal": {terminal["hl-"+kind], light["code"]}, "dark terminal": {terminal["hl-"+kind], dark["code"]},
		} {
			if got := contrast(pair[0], pair[1]); got < 4.5 {
				t.Errorf("%s: a %s of code has %.2f:1", at, kind, got)
			}
		}
	}
}
