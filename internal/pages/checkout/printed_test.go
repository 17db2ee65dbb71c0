package checkout

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"tenor/internal/core/store"
	"tenor/internal/domain/credit"
	"tenor/internal/ports/mailer"
	"tenor/internal/proof/smtptest"
)

// Before accepting, documents are shown as they will be stored, without a signature; the stored
// ones name the signer.
func TestPrintedPapers(t *testing.T) {
	r := newRig(t)
	c := r.config
	c.Papers = Printed{}
	r.serve(c)
	x, token := r.begin(1_200_00)
	b := r.browser(token).signIn("avery@alderkitchens.example").fill("00-0000001").want("decision")
	b.get("terms").to("accept")
	for _, step := range []string{"agreement", "disclosure", "master"} {
		w := b.paper(step)
		if text := w.Body.String(); w.Code != http.StatusOK || !strings.HasPrefix(w.Header().Get("Content-Type"), "text/html") || !strings.Contains(text, "Example Lender") || strings.Contains(text, "Avery Alder") {
			t.Errorf("%s: %d, %s", step, w.Code, w.Header().Get("Content-Type"))
		}
		if got := w.Header().Get("Content-Security-Policy"); got != (Printed{}).Policy() || !strings.Contains(got, "default-src 'none'") || w.Header().Get("Cache-Control") != "no-store" {
			t.Errorf("%s is shown with %q", step, got)
		}
		w = b.paper(step + ".pdf")
		if w.Code != http.StatusOK || !bytes.HasPrefix(w.Body.Bytes(), []byte("%PDF-")) || w.Header().Get("Content-Disposition") != `attachment; filename="`+step+`.pdf"` {
			t.Errorf("%s.pdf: %d, %v", step, w.Code, w.Header())
		}
	}
	if text := b.paper("disclosure").Body.String(); !strings.Contains(text, "42.35") || !strings.Contains(text, "1,242.35") {
		t.Error("the disclosure lacks its figures")
	}
	b.get("accept").want("accept").post("accept", "name", "Avery Alder", "agree", "yes", "master", "yes").want("done")
	kept := 0
	r.view(func(v store.View) error {
		for _, id := range r.visit(x).Checkout.Accepted.Documents {
			d, data, err := r.Document(v, id)
			if err != nil {
				return err
			}
			if kept++; d.ContentType != "application/pdf" && d.Kind != credit.DocumentDisclosure && !bytes.Contains(data, []byte("Avery Alder")) {
				t.Errorf("%s does not say who has signed", d.Kind)
			}
		}
		return nil
	})
	if kept != 6 {
		t.Errorf("%d papers are kept", kept)
	}
	r.mailsCopy()
}

// mailsCopy sends the mail: the copy of what was accepted has its documents attached.
func (r *rig) mailsCopy() {
	r.t.Helper()
	server := smtptest.Start(r.t, smtptest.Options{})
	port, err := mailer.New(mailer.Config{URL: server.URL(), From: "Tenor <mail@lender.example>", Roots: server.Roots()})
	if err != nil {
		r.t.Fatal(err)
	}
	r.Mail = port
	if _, err := r.SendMails(r.t.Context(), "test"); err != nil {
		r.t.Fatal(err)
	}
	for _, m := range server.Messages() {
		p := m.Parse(r.t)
		if !strings.HasPrefix(p.Subject, "Your copy") {
			continue
		}
		var names []string
		for _, a := range p.Attachments {
			if names = append(names, a.Name); a.Type != "application/pdf" || !bytes.HasPrefix(a.Data, []byte("%PDF-")) {
				r.t.Errorf("%s is no PDF", a.Name)
			}
		}
		slices.Sort(names)
		if !slices.Equal(names, []string{"agreement.pdf", "disclosure.pdf", "master-agreement.pdf"}) || !strings.Contains(p.Text, "Accepted by: Avery Alder") {
			r.t.Errorf("the copy has %v:\n%s", names, p.Text)
		}
		return
	}
	r.t.Error("no copy was mailed")
}

// paper requests a document, which is not a page of the checkout.
func (b *browser) paper(step string) *httptest.ResponseRecorder {
	b.t.Helper()
	q := httptest.NewRequest(http.MethodGet, b.path(step), nil)
	for _, c := range b.cookies {
		q.AddCookie(&http.Cookie{Name: c.Name, Value: c.Value})
	}
	w := httptest.NewRecorder()
	b.pages.ServeHTTP(w, q)
	return w
}
