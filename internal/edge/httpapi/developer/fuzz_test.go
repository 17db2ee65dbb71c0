package developer

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"tenor/internal/edge/auth"
)

// The properties of this file return what is wrong with a reader's result for a text, "" if
// nothing. Each takes the reader, so that TestFuzzCanFail can show that it detects one that
// is too lax.

// formProperty: in an accepted form every member occurs once and has a value, as the
// library reads it.
func formProperty(read func(string) (url.Values, error), body string) string {
	got, err := read(body)
	if err != nil {
		return ""
	}
	want, err := url.ParseQuery(body)
	if err != nil {
		return fmt.Sprintf("%q is taken, and the library says %v", body, err)
	}
	for name, list := range want {
		if len(list) != 1 || got.Has(name) != (list[0] != "") || got.Get(name) != list[0] {
			return fmt.Sprintf("%q: %s is read as %q", body, name, got[name])
		}
	}
	if len(got) > len(want) {
		return fmt.Sprintf("%q is read as %v", body, got)
	}
	return ""
}

func readFormText(body string) (url.Values, error) {
	r := httptest.NewRequest("POST", "/oauth/token", strings.NewReader(body))
	r.Header.Set("Content-Type", mediaForm)
	return readForm(httptest.NewRecorder(), r)
}

// basicProperty: accepted credentials are those that the library finds, with form escapes
// undone; formatted again they are read the same.
func basicProperty(read func(string) (auth.Credentials, bool), header string) string {
	c, ok := read(header)
	if !ok {
		return ""
	}
	r := http.Request{Header: http.Header{"Authorization": {header}}}
	user, password, found := r.BasicAuth()
	id, errID := url.QueryUnescape(user)
	secret, errSecret := url.QueryUnescape(password)
	if extra := strings.Count(header, "  ") > 0; !extra && (!found || errID != nil || errSecret != nil || id != c.Client || secret != string(c.Secret)) {
		return fmt.Sprintf("%q is read as %q, the library says %q, %q, %v", header, c.Client, id, secret, found)
	}
	again := "Basic " + base64.StdEncoding.EncodeToString([]byte(url.QueryEscape(c.Client)+":"+url.QueryEscape(string(c.Secret))))
	if d, ok := read(again); !ok || d != c {
		return fmt.Sprintf("%q is written and read as another", header)
	}
	return ""
}

func FuzzForm(f *testing.F) {
	f.Add("grant_type=client_credentials&scope=a+b", "Basic Y2xpOnNlY3JldA==")
	f.Add("a=1&a=2", "Basic "+base64.StdEncoding.EncodeToString([]byte("cli%5F1:a%3Ab")))
	f.Add("client_id=x&client_secret=", "basic  Og==")
	f.Add("%zz=1;b", "Bearer x")
	f.Fuzz(func(t *testing.T, body, header string) {
		if complaint := formProperty(readFormText, body); complaint != "" {
			t.Fatal(complaint)
		}
		if complaint := basicProperty(basic, header); complaint != "" {
			t.Fatal(complaint)
		}
		form, err := readFormText(body)
		if err != nil {
			return
		}
		c, err := credentials(http.Header{"Authorization": {header}}, form)
		if err == nil && form.Has("client_secret") {
			t.Fatalf("%q and %q: the client is taken, though it shows itself twice", body, header)
		}
		if err == nil && form.Has("client_id") && form.Get("client_id") != c.Client {
			t.Fatalf("%q and %q: %q is taken for %q", body, header, form.Get("client_id"), c.Client)
		}
	})
}

// TestFuzzCanFail gives each property a reader that is too lax, and one text. If one of
// them did not complain, its fuzz target would find nothing.
func TestFuzzCanFail(t *testing.T) {
	lax := map[string]string{
		"a form with a member twice": formProperty(url.ParseQuery, "a=1&a=2"),
		"a password cut at a second colon": basicProperty(func(string) (auth.Credentials, bool) {
			return auth.Credentials{Client: "a", Secret: "b"}, true
		}, "Basic "+base64.StdEncoding.EncodeToString([]byte("a:b:c"))),
	}
	for name, complaint := range lax {
		if complaint == "" {
			t.Errorf("not seen: %s", name)
		}
	}
}
