package portal

import (
	"errors"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"sync"
	"testing"
	"time"

	"tenor/docs"
	"tenor/internal/domain/outcome"
	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

const testBase = "http://localhost:8080"

// realContract is the contract of the API, generated once for all tests.
var realContract = sync.OnceValues(func() ([]byte, error) {
	api, err := httpapi.New(rest.Config{
		BaseURL: testBase, Authenticator: nobody{}, CursorKey: make([]byte, 32), Now: time.Now,
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}, httpapi.Table(&serve.Service{Desk: &buyer.Desk{}}))
	if err != nil {
		return nil, err
	}
	doc, _, err := api.Contract()
	return doc, err
})

// nobody accepts no token: the contract does not depend on it.
type nobody struct{ rest.Authenticator }

// realConfig is the portal's configuration in the program.
func realConfig(t *testing.T) Config {
	t.Helper()
	doc, err := realContract()
	if err != nil {
		t.Fatal(err)
	}
	c := Config{OpenAPI: doc, BaseURL: testBase, Version: "0.0.0-test", Docs: docs.Files, Events: outcome.EventTable(), States: outcome.StatusTable()}
	c.Examples = recordedExamples(t)
	for _, code := range httpapi.Codes() {
		c.Codes = append(c.Codes, Code{Name: code.Name, Status: code.Status, Title: code.Title})
	}
	return c
}

func open(t *testing.T, c Config) *Portal {
	t.Helper()
	if c.Docs == nil {
		c.Docs = noFiles{}
	}
	p, err := New(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// recordedExamples are written by tests of the API; there are none without that file.
func recordedExamples(t *testing.T) map[string]Example {
	t.Helper()
	text, err := os.ReadFile("../../../api/examples.json")
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		t.Fatal(err)
	}
	all, err := ReadExamples(text)
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// realPortal is what the program serves, created once for the tests that do not change it.
func realPortal(t *testing.T) *Portal {
	t.Helper()
	c := realConfig(t)
	p, err := sharedPortal(c)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

var sharedPortal = func() func(Config) (*Portal, error) {
	var once sync.Once
	var p *Portal
	var err error
	return func(c Config) (*Portal, error) {
		once.Do(func() { p, err = New(c) })
		return p, err
	}
}()

// noFiles is an empty docs folder.
type noFiles struct{}

// Open finds nothing.
func (noFiles) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func get(p *Portal, address string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	p.ServeHTTP(w, httptest.NewRequest(http.MethodGet, address, nil))
	return w
}
