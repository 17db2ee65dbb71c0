package credential

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/base32"
	"fmt"
	"image"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/pquerna/otp"
	"github.com/pquerna/otp/hotp"
)

// One-time codes are those of RFC 6238 with what every authenticator app takes for granted.
const (
	period = 30 // seconds
	digits = otp.DigitsSix
)

// minSecret is the least length of a secret, 128 bits in base32: anybody could compute the codes
// of an empty one.
const minSecret = 26

// NewSecret returns a new secret of one-time codes, in base32.
func NewSecret() string {
	var b [20]byte
	_, _ = rand.Read(b[:]) // never fails
	return base32.StdEncoding.WithPadding(base32.NoPadding).EncodeToString(b[:])
}

// Step reports whether a code is right at an instant, or half a minute before or after, since
// clocks differ. It returns the step that the code is of, so that each is used once. Spaces in
// the code do not matter.
func Step(secret, code string, now time.Time) (step int64, right bool) {
	typed := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, code)
	if len(typed) != digits.Length() || len(secret) < minSecret {
		return 0, false
	}
	at := now.Unix() / period
	for _, s := range []int64{at, at - 1, at + 1} {
		want, err := hotp.GenerateCodeCustom(secret, uint64(s), hotp.ValidateOpts{Digits: digits, Algorithm: otp.AlgorithmSHA1})
		if err == nil && subtle.ConstantTimeCompare([]byte(want), []byte(typed)) == 1 {
			return s, true
		}
	}
	return 0, false
}

// Code returns the code of an instant, as an authenticator app shows it.
func Code(secret string, now time.Time) (string, error) {
	code, err := hotp.GenerateCodeCustom(secret, uint64(now.Unix()/period), hotp.ValidateOpts{Digits: digits, Algorithm: otp.AlgorithmSHA1})
	if err != nil {
		return "", fmt.Errorf("credential: one-time code: %w", err)
	}
	return code, nil
}

// Link writes a secret as authenticator apps read it.
func Link(issuer, account, secret string) string {
	q := url.Values{"secret": {secret}, "issuer": {issuer}}
	u := url.URL{Scheme: "otpauth", Host: "totp", Path: "/" + issuer + ":" + account, RawQuery: q.Encode()}
	return u.String()
}

// QRCode is a code to scan, as one path of an SVG picture of Size by Size units. The quiet border
// that scanners need is part of it.
type QRCode struct {
	Size int
	Path string
}

// border is the quiet border, in modules (ISO 18004).
const border = 4

// drawn is the width of the picture that is read back, in dots: so wide that each module is several
// of them.
const drawn = 1000

// QR draws the link of a secret as a code to scan.
func QR(link string) (QRCode, error) {
	key, err := otp.NewKeyFromURL(link)
	if err != nil {
		return QRCode{}, fmt.Errorf("credential: qr code: %w", err)
	}
	picture, err := key.Image(drawn, drawn)
	if err != nil {
		return QRCode{}, fmt.Errorf("credential: qr code: %w", err)
	}
	from, module := corner(picture)
	n := (drawn - 2*from) / module
	dark := func(x, y int) bool { return isDark(picture, from+x*module, from+y*module) }
	var b strings.Builder
	for y := range n {
		for x := 0; x < n; x++ {
			left := x
			for x < n && dark(x, y) {
				x++
			}
			if x > left {
				fmt.Fprintf(&b, "M%d %dh%dv1h-%dz", left+border, y+border, x-left, x-left)
			}
		}
	}
	return QRCode{Size: n + 2*border, Path: b.String()}, nil
}

// corner finds where a drawn code begins, in both directions, and how large its modules are: the
// mark in its corner begins with seven dark ones.
func corner(picture image.Image) (from, module int) {
	for !isDark(picture, from, from) {
		from++
	}
	end := from
	for isDark(picture, end, from) {
		end++
	}
	return from, (end - from) / 7
}

func isDark(picture image.Image, x, y int) bool {
	r, _, _, _ := picture.At(x, y).RGBA()
	return r == 0
}
