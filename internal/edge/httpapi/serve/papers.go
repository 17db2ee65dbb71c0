package serve

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"

	"tenor/internal/core/store"
	"tenor/internal/domain/calendar"
	"tenor/internal/domain/credit"
	"tenor/internal/edge/rest"
	"tenor/internal/office/statement"
)

// The media types of papers.
const (
	MediaHTML = "text/html"
	MediaPDF  = "application/pdf"
)

// Papers are the media types of what both people and programs read.
func Papers() []string { return []string{rest.MediaJSON, MediaHTML, MediaPDF} }

// Signs is the lender as its papers name it: only what the lender has set for itself.
func Signs(v store.View) (statement.Lender, error) {
	x, err := LenderIn(v)
	if err != nil {
		return statement.Lender{}, err
	}
	return signature(x.Settings.Creditor, x.Settings.Contact), nil
}

// SignedOn is the lender as papers named it at the end of the month of a day, or as they
// name it now if that month is not over.
func SignedOn(v store.View, day calendar.Date) (statement.Lender, error) {
	x, err := LenderIn(v)
	if err != nil {
		return statement.Lender{}, err
	}
	by := x.Settings.SignedOn(day)
	return signature(by.Creditor, by.Contact), nil
}

func signature(creditor credit.Party, contact string) statement.Lender {
	return statement.Lender{Name: cmp.Or(creditor.Name, "Tenor"), Contact: cmp.Or(contact, creditor.Address)}
}

// Print answers with a paper in the requested format. Its tag is computed from its bytes:
// the same paper always has the same tag.
func Print(c *rest.Call, p statement.Paper) (rest.Answer, error) {
	write, contentType := p.HTML, MediaHTML+"; charset=utf-8"
	if c.Accepted == MediaPDF {
		write, contentType = p.PDF, MediaPDF
	}
	a, err := Printed(write, contentType)
	if c.Accepted == MediaHTML { // it has its own style and nothing else
		a.Header = http.Header{"Content-Security-Policy": {"default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'"}}
	}
	return a, err
}

// Printed answers with a text whose tag is computed from its bytes.
func Printed(write func(io.Writer) error, contentType string) (rest.Answer, error) {
	var out bytes.Buffer
	if err := write(&out); err != nil {
		return rest.Answer{}, err
	}
	sum := sha256.Sum256(out.Bytes())
	return rest.Answer{Raw: out.Bytes(), ContentType: contentType, ETag: `"` + hex.EncodeToString(sum[:16]) + `"`}, nil
}
