package httpapi_test

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"math/rand/v2"
	"strings"
	"testing"
)

// photograph returns a JPEG of a given size, in Base64, with hidden trailing data. With
// noise it is large.
func photograph(t *testing.T, side int, noise bool) string {
	t.Helper()
	m := image.NewRGBA(image.Rect(0, 0, side, side))
	rng := rand.New(rand.NewPCG(1, 2))
	for i := range m.Pix {
		if m.Pix[i] = 200; noise {
			m.Pix[i] = uint8(rng.Uint32())
		}
	}
	m.Set(0, 0, color.White)
	var b bytes.Buffer
	if err := jpeg.Encode(&b, m, nil); err != nil {
		t.Fatal(err)
	}
	b.WriteString("hidden")
	return base64.StdEncoding.EncodeToString(b.Bytes())
}

// Staff set how a merchant presents itself. Absent members keep their values, null clears
// them, and a refusal says why, with the color's contrast.
func TestMerchantShows(t *testing.T) {
	h := newHouse(t)
	path := "/v1/operator/merchants/" + h.a + "/shop"
	set := func(status int, members string) reply {
		t.Helper()
		return h.must(status, "ops", "PUT", path, `{"origins":[],"reason":"its looks"`+members+`}`)
	}
	made := set(200, `,"support_email":"help@harbor.example","support_phone":"+1 212 555 0142","terms_url":"https://harbor.example/terms","accent_color":"#0B5CAD","logo":"`+photograph(t, 640, false)+`"`)
	shop := made.body["shop"].(map[string]any)
	if shop["accent_color"] != "#0b5cad" || shop["support_email"] != "help@harbor.example" || len(fmt.Sprint(shop["logo_sha256"])) != 64 || strings.Contains(made.raw, "vlt_") {
		t.Errorf("made %s", made.raw)
	}
	if same := set(200, ""); same.raw != made.raw {
		t.Errorf("nothing more is named: %s", same.raw)
	}
	if again := set(200, `,"logo":"`+photograph(t, 640, false)+`"`); again.raw != made.raw {
		t.Errorf("the same picture: %s", again.raw)
	}
	gone := set(200, `,"logo":null,"terms_url":null`).body["shop"].(map[string]any)
	if gone["logo_sha256"] != nil || gone["terms_url"] != nil || gone["accent_color"] != "#0b5cad" {
		t.Errorf("taken away: %v", gone)
	}
	for members, want := range map[string]string{
		`,"accent_color":"#777777"`:                  "4.47:1",
		`,"accent_color":"red"`:                      "accent_color",
		`,"support_email":"help"`:                    "support_email",
		`,"support_phone":"call us"`:                 "support_phone",
		`,"terms_url":"http://harbor.example/terms"`: "terms_url",
		`,"terms_url":"javascript:alert(1)"`:         "terms_url",
		`,"logo":"!"`:                                "Base64",
		`,"logo":"` + photograph(t, 700, true) + `"`: "logo",
		`,"logo":"` + base64.StdEncoding.EncodeToString([]byte("<svg onload='x'/>")) + `"`: "not a readable PNG or JPEG",
	} {
		if r := set(422, members); !strings.Contains(r.raw, want) || strings.Contains(r.raw, "alert") {
			t.Errorf("%.60s: %.300s", members, r.raw)
		}
	}
	h.must(403, "a", "PUT", path, `{"origins":[],"accent_color":"#000000","reason":"mine"}`)
}
