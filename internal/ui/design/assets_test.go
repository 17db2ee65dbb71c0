package design

import (
	"bytes"
	"compress/gzip"
	"io"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// firstPage is the most that a browser may have to fetch to show a first page.
const firstPage = 60 << 10

// The first page of a checkout with everything it needs stays below 60 KB, and the browser does
// not have to fetch anything from elsewhere.
func TestFirstPageIsSmall(t *testing.T) {
	all, a := parsed(t), assets(t)
	css, icon := a.Files[a.CSS], a.Files[a.Icon]
	for _, p := range pages {
		page := render(t, all, p.template, p.view(a))
		sent, raw := len(page)+css.Sent()+icon.Sent(), len(page)+len(css.Body)+len(icon.Body)
		t.Logf("%-9s page %5d B, stylesheet %d B (%d B compressed): %d B sent, %d B if nothing is compressed", p.name, len(page), len(css.Body), css.Sent(), sent, raw)
		if p.name != "sink" && sent > firstPage {
			t.Errorf("%s: %d bytes, more than %d", p.name, sent, firstPage)
		}
		if p.name != "sink" && strings.Contains(page, a.Font) {
			t.Errorf("%s: a checkout uses the system's fonts", p.name)
		}
	}
	if css.Sent() > 16<<10 {
		t.Errorf("the stylesheet has %d bytes: it has to leave room for pages", css.Sent())
	}
	if got := regexp.MustCompile(`url\(["']?(?:https?:|/)`).FindString(string(css.Body)); got != "" {
		t.Errorf("the stylesheet fetches something: %s", got)
	}
	for _, script := range []string{a.Copy, a.Docs, a.Search} {
		if n := len(a.Files[script].Body); n == 0 || n > 4<<10 {
			t.Errorf("%s has %d bytes, none or more than 4 KB", script, n)
		}
	}
}

// Files are compressed only for clients that accept it; they are cached forever.
func TestAssetsAreServed(t *testing.T) {
	a := assets(t)
	for accept, zipped := range map[string]bool{"gzip, br": true, "br": false, "": false, "gzip;q=0": false, "gzip;q=0.5": true, "GZIP": true, "*": false} {
		r, w := httptest.NewRequest("GET", a.CSS, nil), httptest.NewRecorder()
		r.Header.Set("Accept-Encoding", accept)
		a.Files[a.CSS].Serve(w, r)
		body := w.Body.Bytes()
		if got := w.Header().Get("Content-Encoding") == "gzip"; got != zipped {
			t.Errorf("%q: compressed %v", accept, got)
		}
		if zipped {
			z, err := gzip.NewReader(bytes.NewReader(body))
			if err != nil {
				t.Fatal(err)
			}
			if body, err = io.ReadAll(z); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(body, a.Files[a.CSS].Body) || w.Header().Get("Vary") != "Accept-Encoding" || w.Header().Get("Cache-Control") != "public, max-age=31536000, immutable" {
			t.Errorf("%q: %d bytes, %v", accept, len(body), w.Header())
		}
	}
	font := regexp.MustCompile(`url\((inter-[0-9a-f]{12}\.woff2)\)`).FindStringSubmatch(string(a.Files[a.Font].Body))
	if font == nil || len(a.Files["/assets/"+font[1]].Body) < 40<<10 {
		t.Errorf("the font's stylesheet names no font of ours: %v", font)
	}
	if f := a.Files["/assets/"+font[1]]; f.Sent() != len(f.Body) {
		t.Error("a font is compressed twice")
	}
	if len(a.Files) != 8 {
		t.Errorf("%d files", len(a.Files))
	}
}
