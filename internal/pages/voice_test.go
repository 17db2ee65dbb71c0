package pages

import (
	"net/http/httptest"
	"testing"

	"tenor/internal/office/buyer"
	"tenor/internal/ui/design"
)

// A visitor gets the language that the address requests, otherwise what the browser prefers.
func TestWhichLanguage(t *testing.T) {
	all := Voices{{Language: design.English}, {Language: design.Spanish}}
	for _, c := range []struct {
		header, query string
		want          design.Language
	}{
		{"", "", design.English},
		{"es-US", "", design.Spanish},
		{"es-MX,es;q=0.9,en;q=0.8", "", design.Spanish},
		{"ES", "", design.Spanish},
		{"en-GB,es;q=0.9", "", design.English},
		{"fr-FR,fr;q=0.9,es;q=0.4,en;q=0.2", "", design.Spanish},
		{"en;q=0.2, es;q=0.7", "", design.Spanish},
		{"es;q=0", "", design.English},
		{"es;q=x", "", design.English},
		{"fr, de", "", design.English},
		{"esperanto", "", design.English},
		{"*", "", design.English},
		{"en-US", "?lang=es-US", design.Spanish},
		{"en-US", "?lang=es", design.Spanish},
		{"es-US", "?lang=en-US", design.English},
		{"es-US", "?lang=%3Cscript%3E", design.Spanish},
	} {
		r := httptest.NewRequest("GET", "/c/T"+c.query, nil)
		r.Header.Set("Accept-Language", c.header)
		call := Call{R: r}
		call.Greet(all)
		if call.Language != c.want {
			t.Errorf("%q %q is answered in %s", c.header, c.query, call.Language)
		}
	}
}

// Addresses carry the language if nothing else does, and the link at the foot keeps the page's
// query.
func TestAddressesCarryTheLanguage(t *testing.T) {
	c := Call{R: httptest.NewRequest("GET", "/account/pay?order=K&done=paid", nil), Language: design.Spanish, Preferred: design.English, Texts: Texts{"lang.other": "English"}}
	for address, want := range map[string]string{"/a": "/a?lang=es-US", "/a?b=c": "/a?b=c&lang=es-US", "/a?lang=es-US": "/a?lang=es-US"} {
		if got := c.Carrying(address); got != want {
			t.Errorf("%s is %s", address, got)
		}
	}
	if got := c.OtherLanguage(); got.Href != "/account/pay?lang=en-US&order=K" || got.Lang != "en-US" || got.Text != "English" {
		t.Errorf("the other language is behind %+v", got)
	}
	c.Session = &buyer.Session{}
	if got := c.Carrying("/a"); got != "/a" {
		t.Errorf("an address of a session is %s", got)
	}
	if got := c.Handing("/a"); got != "/a?lang=es-US" {
		t.Errorf("an address without that session is %s", got)
	}
}
