package main

import (
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"tenor/internal/clock"
)

// The pages of a sandbox have forms, which the sandbox answers; those of a live
// deployment have none.
func TestFormsOfPages(t *testing.T) {
	const page = "/docs/api/createOrder"
	n := testNode(t)
	defer n.close()
	s, err := newServer(n, "http://localhost", clock.Wall{}.Now, quietLog(t.Output()))
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

	w := startSandbox(t, t.Cleanup)
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
