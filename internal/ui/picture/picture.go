// Package picture re-encodes pictures sent by others: only what can be seen is kept of a file,
// and no metadata or trailing data.
package picture

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"image/png"
	"net/http"
)

// The accepted media types of pictures.
const (
	PNG  = "image/png"
	JPEG = "image/jpeg"
)

// MaxPixels is the maximum size of a picture: it is decoded in memory, whatever its file says.
const MaxPixels = 40_000_000

// quality is the quality of an encoded JPEG.
const quality = 90

// Why a file is refused.
var (
	ErrBroken = errors.New("picture: the file is no picture that can be read")
	ErrLarge  = errors.New("picture: the picture has more than 40 million pixels")
)

// Redraw decodes a PNG or JPEG and encodes it in the same format. The format is detected from its
// content.
func Redraw(data []byte) ([]byte, error) {
	drawn, media, err := read(data)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if media == PNG {
		err = png.Encode(&out, drawn)
	} else {
		err = jpeg.Encode(&out, drawn, &jpeg.Options{Quality: quality})
	}
	if err != nil {
		return nil, fmt.Errorf("picture: write it: %w", err)
	}
	return out.Bytes(), nil
}

// Small decodes a PNG or JPEG and encodes it as a PNG that is no wider and no higher than side,
// with the same proportions.
func Small(data []byte, side int) ([]byte, error) {
	drawn, _, err := read(data)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := png.Encode(&out, shrunk(drawn, side)); err != nil {
		return nil, fmt.Errorf("picture: write it: %w", err)
	}
	return out.Bytes(), nil
}

// read decodes a picture that is not too large.
func read(data []byte) (drawn image.Image, media string, err error) {
	if media = http.DetectContentType(data); media != PNG && media != JPEG {
		return nil, "", ErrBroken
	}
	size, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil || size.Width < 1 || size.Height < 1 {
		return nil, "", ErrBroken
	}
	if size.Width > MaxPixels/size.Height {
		return nil, "", ErrLarge
	}
	if drawn, _, err = image.Decode(bytes.NewReader(data)); err != nil {
		return nil, "", ErrBroken
	}
	return drawn, media, nil
}

// shrunk scales a picture down to fit: each pixel is the mean of those it replaces.
func shrunk(from image.Image, side int) image.Image {
	b := from.Bounds()
	w, h := b.Dx(), b.Dy()
	if most := max(w, h); most > side {
		w, h = max(1, w*side/most), max(1, h*side/most)
	}
	to := image.NewRGBA64(image.Rect(0, 0, w, h))
	for y := range h {
		top, bottom := b.Min.Y+y*b.Dy()/h, b.Min.Y+(y+1)*b.Dy()/h
		for x := range w {
			to.SetRGBA64(x, y, mean(from, image.Rect(b.Min.X+x*b.Dx()/w, top, b.Min.X+(x+1)*b.Dx()/w, bottom)))
		}
	}
	flat := image.NewNRGBA(to.Bounds()) // eight bits are enough for the eye
	draw.Draw(flat, flat.Bounds(), to, image.Point{}, draw.Src)
	return flat
}

// mean returns the mean color of a non-empty part of a picture.
func mean(from image.Image, part image.Rectangle) color.RGBA64 {
	var r, g, b, a, n uint64
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			cr, cg, cb, ca := from.At(x, y).RGBA()
			r, g, b, a, n = r+uint64(cr), g+uint64(cg), b+uint64(cb), a+uint64(ca), n+1
		}
	}
	return color.RGBA64{R: uint16(r / n), G: uint16(g / n), B: uint16(b / n), A: uint16(a / n)}
}
