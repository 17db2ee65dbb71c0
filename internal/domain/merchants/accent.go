package merchants

import (
	"fmt"
	"math/big"
	"strconv"

	"tenor/internal/domain/credit"
)

// minContrast is the minimum contrast of text with its background, in hundredths (WCAG 2.2,
// 1.4.3).
const minContrast = 450

// channelUnit is full luminance of one channel; the channel weights sum to 10,000.
const channelUnit = 1_000_000_000

// light is the luminance of an sRGB channel, in parts of channelUnit, rounded down: ((c/255 +
// 0.055) / 1.055) ^ 2.4, or c/255/12.92 for small c. It uses no floating point, so that every
// machine decides the same.
func light(c int64) int64 {
	if c <= 10 { // up to 0.04045
		return c * channelUnit * 100 / (255 * 1292)
	}
	// The greatest n with (n / channelUnit) ^ 5 ≤ ((1000c + 14025) / 269025) ^ 12.
	power := func(x, e int64) *big.Int { return new(big.Int).Exp(big.NewInt(x), big.NewInt(e), nil) }
	most := new(big.Int).Mul(power(1000*c+14025, 12), power(channelUnit, 5))
	of := power(269025, 12)
	low, high := int64(0), int64(channelUnit)
	for low < high {
		n := (low + high + 1) / 2
		if new(big.Int).Mul(power(n, 5), of).Cmp(most) <= 0 {
			low = n
		} else {
			high = n - 1
		}
	}
	return low
}

// whiteOn is the contrast of white text on a color of the form #rrggbb, in hundredths, rounded
// down; false if it is not such a color.
func whiteOn(color string) (hundredths int64, ok bool) {
	if len(color) != 7 || color[0] != '#' {
		return 0, false
	}
	rgb, err := strconv.ParseUint(color[1:], 16, 32)
	if err != nil {
		return 0, false
	}
	c := int64(rgb)
	luminance := 2126*light(c>>16) + 7152*light(c>>8&255) + 722*light(c&255)
	const white, flare = 10_000 * channelUnit, 500 * channelUnit // 1 and 0.05
	return (white + flare) * 100 / (luminance + flare), true
}

// refuseAccent rejects a color on which white text is not readable.
func refuseAccent(color string) *credit.Rejection {
	contrast, ok := whiteOn(color)
	switch {
	case !ok:
		return credit.ValidationFailed.Because("A color must be # and six hexadecimal digits, such as #0b5cad.")
	case contrast < minContrast:
		return credit.ValidationFailed.Because(fmt.Sprintf("White text on this color has a contrast of %d.%02d:1; at least %d.%02d:1 is required. Choose a darker color.",
			contrast/100, contrast%100, minContrast/100, minContrast%100))
	}
	return nil
}
