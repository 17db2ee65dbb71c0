package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"tenor/internal/app/node"
	"tenor/internal/core/clock"
	"tenor/internal/proof/devtest"
)

// The pages of a sandbox have forms, which the sandbox processes; those of a live deployment have
// none.
func TestFormsOfPages(t *testing.T) {
	const page = "/docs/api/createOrder"
	n := testNode(t)
	defer n.Close()
	s, err := node.NewServer(n, "http://localhost", clock.Wall{}.Now, node.QuietLog(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	if code, body := ask(s, "GET", page); code != http.StatusOK || strings.Contains(body, `method="post"`) {
		t.Errorf("live: %d, or it has a form", code)
	}
	if code, _ := ask(s, "POST", page+"/try"); code != http.StatusMethodNotAllowed {
		t.Errorf("live: a form that is sent is answered %d", code)
	}

	for _, path := range []string{"", "/webhooks", "/mail", "/scenarios", "/enter", "/enter/x", "/receive/x", "/clock", "/assets/x"} {
		for _, method := range []string{"GET", "POST"} {
			if code, _ := ask(s, method, "/sandbox"+path); code != http.StatusNotFound && code != http.StatusUnauthorized {
				t.Errorf("live: %s /sandbox%s is answered %d", method, path, code)
			}
		}
	}

	w := devtest.Sandbox(t, t.Cleanup)
	a, err := http.PostForm(w.URL+page+"/try", url.Values{
		"token": {w.Token}, "body": {`{"company_id": 1000000001, "amount": 10.00}`}, "header.Idempotency-Key": {"pages-1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer a.Body.Close()
	text, err := io.ReadAll(a.Body)
	if err != nil || !strings.HasPrefix(a.Request.URL.Path, page+"/try/") || !strings.Contains(string(text), "201 Created") {
		t.Errorf("sandbox: %s answers %v: %s", a.Request.URL, err, text)
	}
}

// Browsers at / are redirected to the sandbox's pages, or to the documentation where money is
// real; programs are told what is where, as at any unknown address.
func TestFrontDoor(t *testing.T) {
	n := testNode(t)
	defer n.Close()
	live, err := node.NewServer(n, "http://localhost", clock.Wall{}.Now, node.QuietLog(t.Output()))
	if err != nil {
		t.Fatal(err)
	}
	w := devtest.Sandbox(t, t.Cleanup)
	for accept, want := range map[string][2]string{
		"text/html,application/xhtml+xml,*/*;q=0.8": {"303 /docs", "303 /sandbox"}, "application/json": {"404 ", "404 "}, "*/*": {"404 ", "404 "}, "": {"404 ", "404 "},
	} {
		r := httptest.NewRequest("GET", "/", nil)
		r.Header.Set("Accept", accept)
		a := httptest.NewRecorder()
		live.HTTP.Handler.ServeHTTP(a, r)
		if got := fmt.Sprint(a.Code, " ", a.Header().Get("Location")); got != want[0] || a.Header().Get("Vary") != "Accept" {
			t.Errorf("live, %q: %s, %v", accept, got, a.Header())
		}
		q, err := http.NewRequest("GET", w.URL+"/", nil)
		if err != nil {
			t.Fatal(err)
		}
		q.Header.Set("Accept", accept)
		b, err := http.DefaultTransport.RoundTrip(q)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(b.Body)
		b.Body.Close()
		if got := fmt.Sprint(b.StatusCode, " ", b.Header.Get("Location")); got != want[1] || b.StatusCode == 404 && !strings.Contains(string(body), `/docs"`) {
			t.Errorf("sandbox, %q: %s %s", accept, got, body)
		}
	}
}
