package clientgen

import (
	"flag"
	"io"
	"log/slog"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"tenor/internal/edge/httpapi"
	"tenor/internal/edge/httpapi/serve"
	"tenor/internal/edge/rest"
	"tenor/internal/office/buyer"
)

var rewriteClient = flag.Bool("rewrite-client", false, "write the generated files of package client anew")

const client = "../../../client"

// nobody rejects everyone: only the contract is needed.
type nobody struct{ rest.Authenticator }

// source is the complete contract, including a sandbox's part.
func source(t *testing.T) Source {
	t.Helper()
	table := httpapi.Table(&serve.Service{Desk: &buyer.Desk{}, Controls: struct{ serve.Controls }{}})
	api, err := httpapi.New(rest.Config{
		BaseURL: "http://localhost:8080", Authenticator: nobody{}, CursorKey: make([]byte, 32), Now: time.Now, Log: slog.New(slog.NewTextHandler(io.Discard, nil)),
	}, table)
	if err != nil {
		t.Fatal(err)
	}
	text, _, err := api.Contract()
	if err != nil {
		t.Fatal(err)
	}
	s := Source{Contract: text, Slow: map[string]bool{}, Comments: []string{"../../edge/resource", "../../edge/httpapi"}}
	for _, o := range table {
		s.Slow[o.ID] = o.Slow
	}
	for _, c := range httpapi.Codes() {
		s.Codes = append(s.Codes, Code{Name: c.Name, Status: c.Status, Title: c.Title})
	}
	return s
}

// The generated files of the client match the contract.
func TestClientIsGenerated(t *testing.T) {
	files, err := Files(source(t))
	if err != nil {
		t.Fatal(err)
	}
	have, err := filepath.Glob(filepath.Join(client, "*_gen.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range have {
		if files[filepath.Base(path)] != nil {
			continue
		}
		if !*rewriteClient {
			t.Errorf("%s is made of nothing any more; run make generate", path)
		} else if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(files)) {
		path := filepath.Join(client, name)
		if *rewriteClient {
			if err := os.WriteFile(path, files[name], 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if text, err := os.ReadFile(path); err != nil || string(text) != string(files[name]) {
			t.Errorf("%s is not what the contract says; run make generate and review the difference (%v)", path, err)
		}
	}
}
