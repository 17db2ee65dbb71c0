// Package web is shared by the edges that serve pages: the headers of a page, sending a page, and
// files that never change under their names. It knows no page.
package web

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"
)

// Policy is the Content-Security-Policy of pages without Rules of their own: only a stylesheet,
// images and forms of their origin.
const Policy = "default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

// Harden sets the headers of every response with pages, including errors. forms means that pages
// have forms that change something: a browser must then say where a form comes from. secure means
// that the pages are served over https.
func Harden(h http.Header, forms, secure bool) {
	h.Set("Content-Security-Policy", Policy)
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Referrer-Policy", "no-referrer")
	if forms {
		h.Set("Referrer-Policy", "same-origin")
	}
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	if secure {
		h.Set("Strict-Transport-Security", "max-age=63072000")
	}
}

// Asset is a file that never changes under its name.
type Asset struct {
	Media string
	Body  []byte
	small func() []byte // compressed, on first use; nil if that does not make it smaller
}

// NewAsset returns a file with its bytes. It is sent compressed if that helps.
func NewAsset(media string, body []byte) Asset {
	return Asset{media, body, sync.OnceValue(func() []byte { return compressed(body) })}
}

// compressed returns a body in gzip's form, nil if that is not much smaller.
func compressed(body []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil
	}
	_, err = w.Write(body)
	if err = errors.Join(err, w.Close()); err != nil || b.Len() >= len(body)*9/10 {
		return nil
	}
	return b.Bytes()
}

// Sent returns how many bytes of the file are sent to a browser that accepts compression.
func (a Asset) Sent() int {
	if small := a.small(); small != nil {
		return len(small)
	}
	return len(a.Body)
}

// AssetPath returns the path of a file below prefix: its name with part of its hash.
func AssetPath(prefix, file string, body []byte) string {
	sum, ext := sha256.Sum256(body), path.Ext(file)
	return prefix + strings.TrimSuffix(path.Base(file), ext) + "-" + hex.EncodeToString(sum[:6]) + ext
}

// Serve sends a file to be cached forever.
func (a Asset) Serve(w http.ResponseWriter, r *http.Request) {
	a.ServeFor(w, r, "public, max-age=31536000, immutable")
}

// ServeFor sends a file that may change under its name, cached as the given Cache-Control says.
func (a Asset) ServeFor(w http.ResponseWriter, r *http.Request, kept string) {
	h := w.Header()
	h.Set("Content-Type", a.Media)
	h.Set("Cache-Control", kept)
	body := a.Body
	if small := a.small(); small != nil {
		h.Set("Vary", "Accept-Encoding")
		if takesGzip(r.Header.Values("Accept-Encoding")) {
			h.Set("Content-Encoding", "gzip")
			body = small
		}
	}
	Send(w, r, http.StatusOK, body)
}

// takesGzip reports whether a browser accepts gzip.
func takesGzip(accept []string) bool {
	for _, part := range strings.Split(strings.Join(accept, ","), ",") {
		coding, weight, _ := strings.Cut(part, ";")
		if !strings.EqualFold(strings.TrimSpace(coding), "gzip") {
			continue
		}
		weight = strings.ReplaceAll(strings.ToLower(weight), " ", "")
		return strings.Trim(strings.TrimPrefix(weight, "q="), "0.") != "" || weight == ""
	}
	return false
}

// Send writes a page. Its length is known, so HEAD returns it, too.
func Send(w http.ResponseWriter, r *http.Request, status int, body []byte) {
	h := w.Header()
	if h.Get("Content-Type") == "" {
		h.Set("Content-Type", "text/html; charset=utf-8")
	}
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(body) // a caller that is gone needs no response
	}
}
