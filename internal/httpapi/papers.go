package httpapi

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"

	"tenor/internal/statement"
	"tenor/internal/store"
)

const (
	mediaHTML = "text/html"
	mediaPDF  = "application/pdf"
)

// papers are the media types of what people read as well as programs.
func papers() []string { return []string{mediaJSON, mediaHTML, mediaPDF} }

// signs is the lender as its papers name it: what the lender has set for itself, and
// nothing else.
func signs(v store.View) (statement.Lender, error) {
	x, err := lenderIn(v)
	if err != nil {
		return statement.Lender{}, err
	}
	return statement.Lender{
		Name: cmp.Or(x.Settings.Creditor.Name, "Tenor"), Contact: cmp.Or(x.Settings.Contact, x.Settings.Creditor.Address),
	}, nil
}

// print answers with a paper in the form that was asked for. Its tag is made of its
// bytes: the same paper always has the same.
func print(c *Call, p statement.Paper) (Answer, error) {
	write, contentType := p.HTML, mediaHTML+"; charset=utf-8"
	if c.Accepted == mediaPDF {
		write, contentType = p.PDF, mediaPDF
	}
	a, err := printed(write, contentType)
	if c.Accepted == mediaHTML { // it brings its own style and nothing else
		a.Header = http.Header{"Content-Security-Policy": {"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}}
	}
	return a, err
}

// printed answers with a text whose tag is made of its bytes.
func printed(write func(io.Writer) error, contentType string) (Answer, error) {
	var out bytes.Buffer
	if err := write(&out); err != nil {
		return Answer{}, err
	}
	sum := sha256.Sum256(out.Bytes())
	return Answer{Raw: out.Bytes(), ContentType: contentType, ETag: `"` + hex.EncodeToString(sum[:16]) + `"`}, nil
}
