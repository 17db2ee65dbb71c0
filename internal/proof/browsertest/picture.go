package browsertest

import (
	"bytes"
	"cmp"
	"context"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// Picture writes the whole page as a PNG into a directory.
func (x *Tab) Picture(dir, name string) {
	x.t.Helper()
	x.keep(chromedp.FullScreenshot(100), dir, name, false)
	// The picture has changed the page size, and where a click lands: set another size first, so
	// that restoring the former one takes effect.
	for _, h := range []int64{height - 1, height} {
		x.must(chromedp.EmulateViewport(x.view.Width, h))
		time.Sleep(50 * time.Millisecond) // the page cannot tell when: without scripts, its timers do not run
	}
}

// Print writes the visible part, or the whole page, as a PNG for documentation: with 256 colors,
// it needs a third of the bytes.
func (x *Tab) Print(dir, name string, whole bool) {
	x.t.Helper()
	call(x, emulation.SetScrollbarsHidden, emulation.SetScrollbarsHiddenParams{Hidden: true})
	high := int64(height)
	if whole { // a scrolled page shows its parts elsewhere, or not at all
		high = int64(eval[float64](x, "(scrollTo(0, 0), document.activeElement?.blur?.(), document.documentElement.scrollHeight)"))
	}
	for _, h := range []int64{high - 1, high} { // after a resize it has no scrollbars
		x.must(chromedp.EmulateViewport(x.view.Width, h))
	}
	eval[bool](x, "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")
	x.keep(chromedp.CaptureScreenshot(), dir, name, true)
}

func (x *Tab) keep(take chromedp.Action[[]byte], dir, name string, small bool) {
	x.t.Helper()
	ctx, cancel := context.WithTimeout(x.ctx, patience)
	defer cancel()
	body, err := chromedp.Run(ctx, take)
	if err == nil && small {
		body, err = shrink(body)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, name+".png"), body, 0o644)
	}
	if err != nil {
		x.t.Fatalf("browsertest: picture of %s: %v", x.URL(), err)
	}
}

// shrink re-encodes a PNG with its 256 most frequent colors, and replaces others with the nearest
// of them.
func shrink(body []byte) ([]byte, error) {
	from, err := png.Decode(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	seen, at := map[color.RGBA]int{}, from.Bounds()
	pixel := func(x, y int) color.RGBA { return color.RGBAModel.Convert(from.At(x, y)).(color.RGBA) }
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			seen[pixel(x, y)]++
		}
	}
	var often []color.RGBA
	for c := range seen {
		often = append(often, c)
	}
	slices.SortFunc(often, func(a, b color.RGBA) int {
		return cmp.Or(seen[b]-seen[a], cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B))
	})
	var palette color.Palette
	for _, c := range often[:min(256, len(often))] {
		palette = append(palette, c)
	}
	index := map[color.RGBA]uint8{}
	to := image.NewPaletted(at, palette)
	for y := at.Min.Y; y < at.Max.Y; y++ {
		for x := at.Min.X; x < at.Max.X; x++ {
			c := pixel(x, y)
			i, ok := index[c]
			if !ok {
				i = uint8(palette.Index(c))
				index[c] = i
			}
			to.SetColorIndex(x, y, i)
		}
	}
	var out bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&out, to)
	return out.Bytes(), err
}
