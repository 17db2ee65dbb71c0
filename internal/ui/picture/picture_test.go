package picture_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"hash/crc32"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"testing"

	"tenor/internal/ui/picture"
)

// drawn is a small picture in one of the two formats.
func drawn(t *testing.T, media string) []byte {
	t.Helper()
	m := image.NewNRGBA(image.Rect(0, 0, 3, 2))
	m.Set(1, 1, color.NRGBA{200, 30, 90, 255})
	var b bytes.Buffer
	var err error
	if media == picture.PNG {
		err = png.Encode(&b, m)
	} else {
		err = jpeg.Encode(&b, m, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// claiming is the beginning of a PNG that claims a size.
func claiming(width, height uint32) []byte {
	head := binary.BigEndian.AppendUint32([]byte("IHDR"), width)
	head = append(binary.BigEndian.AppendUint32(head, height), 8, 6, 0, 0, 0)
	out := append([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0, 13)
	return binary.BigEndian.AppendUint32(append(out, head...), crc32.ChecksumIEEE(head))
}

// The result is a picture of the same size and format, without anything hidden in the file.
func TestRedraw(t *testing.T) {
	for was, want := range map[string]string{picture.PNG: "png", picture.JPEG: "jpeg"} {
		out, err := picture.Redraw(append(drawn(t, was), "<script>hidden</script>"...))
		if err != nil {
			t.Fatal(err)
		}
		size, form, err := image.DecodeConfig(bytes.NewReader(out))
		if err != nil || form != want || size.Width != 3 || size.Height != 2 || bytes.Contains(out, []byte("hidden")) {
			t.Errorf("%s: %s of %d × %d, %v", was, form, size.Width, size.Height, err)
		}
	}
}

// A picture that is scaled down keeps its proportions and its colors, and a small one keeps its
// pixels. The result is a PNG.
func TestSmall(t *testing.T) {
	halves := func(w, h int) []byte { // the left half red, the right one transparent
		m := image.NewNRGBA(image.Rect(0, 0, w, h))
		for y := range h {
			for x := range w / 2 {
				m.SetNRGBA(x, y, color.NRGBA{255, 0, 0, 255})
			}
		}
		var b bytes.Buffer
		if err := png.Encode(&b, m); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	for _, x := range []struct{ w, h, wantW, wantH int }{{1000, 250, 320, 80}, {250, 1000, 80, 320}, {5000, 2, 320, 1}, {320, 320, 320, 320}, {8, 4, 8, 4}} {
		out, err := picture.Small(append(halves(x.w, x.h), "hidden"...), 320)
		if err != nil {
			t.Fatal(err)
		}
		m, err := png.Decode(bytes.NewReader(out))
		if err != nil || m.Bounds().Dx() != x.wantW || m.Bounds().Dy() != x.wantH || bytes.Contains(out, []byte("hidden")) {
			t.Fatalf("%d × %d becomes %v, %v", x.w, x.h, m.Bounds(), err)
		}
		left := color.NRGBAModel.Convert(m.At(0, 0))
		_, _, _, right := m.At(x.wantW-1, x.wantH-1).RGBA()
		if left != (color.NRGBA{255, 0, 0, 255}) || right != 0 {
			t.Errorf("%d × %d: left %v, right %d", x.w, x.h, left, right)
		}
	}
	if out, err := picture.Small(drawn(t, picture.JPEG), 320); err != nil || !bytes.HasPrefix(out, []byte("\x89PNG")) {
		t.Errorf("a JPEG: %v", err)
	}
}

func TestRedrawRefuses(t *testing.T) {
	for name, x := range map[string]struct {
		data []byte
		want error
	}{
		"nothing":        {nil, picture.ErrBroken},
		"a page":         {[]byte("<!doctype html><p>"), picture.ErrBroken},
		"an SVG":         {[]byte(`<svg xmlns="http://www.w3.org/2000/svg"></svg>`), picture.ErrBroken},
		"half of a PNG":  {drawn(t, picture.PNG)[:40], picture.ErrBroken},
		"half of a JPEG": {drawn(t, picture.JPEG)[:100], picture.ErrBroken},
		"a bomb":         {claiming(100_000, 100_000), picture.ErrLarge},
		"no width":       {claiming(0, 5), picture.ErrBroken},
	} {
		if _, err := picture.Redraw(x.data); !errors.Is(err, x.want) {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := picture.Small(x.data, 320); !errors.Is(err, x.want) {
			t.Errorf("%s, small: %v", name, err)
		}
	}
}
