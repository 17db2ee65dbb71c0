package docs_test

import (
	"bytes"
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var rewriteLicences = flag.Bool("rewrite-licences", false, "write docs/licences anew from the module cache")

// TestLicences compares docs/licences with the modules that are part of the
// binary on any of its platforms: each is listed with its licence and has its
// whole text, because that is what the licences ask of a binary.
func TestLicences(t *testing.T) {
	want := map[string][]byte{}
	var index strings.Builder
	for _, m := range shipped(t) {
		text, main := licenceText(t, m)
		file := strings.ReplaceAll(m.path, "/", "_") + ".txt"
		want[file] = text
		fmt.Fprintf(&index, "%s %s %s\n", m.path, spdx(t, m.path, main), file)
	}
	for _, name := range embedded(t) {
		file := "npm_" + strings.ReplaceAll(name, "/", "_") + ".txt"
		text, err := os.ReadFile(filepath.Join("licences", file)) // written by make generate, and compared by the test of the stylesheet
		if err != nil {
			t.Fatal(err)
		}
		want[file] = text
		fmt.Fprintf(&index, "npm:%s %s %s\n", name, spdx(t, name, text), file)
	}
	want["index.txt"] = []byte(index.String())
	if *rewriteLicences {
		for name, text := range want {
			if err := os.WriteFile(filepath.Join("licences", name), text, 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for name, text := range want {
		have, err := os.ReadFile(filepath.Join("licences", name))
		if err != nil || !bytes.Equal(have, text) {
			t.Errorf("licences/%s is not what the modules say (%v); run go test ./docs -run Licences -rewrite-licences", name, err)
		}
	}
	files, err := os.ReadDir("licences")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		if want[f.Name()] == nil {
			t.Errorf("licences/%s belongs to no module of the binary", f.Name())
		}
	}
}

// embedded lists the npm packages of which a part is in the binary: the stylesheet is
// made of them, its icons and its font are theirs. What only makes it is not among them.
func embedded(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile("../internal/ui/design/src/package.json")
	if err != nil {
		t.Fatal(err)
	}
	var list struct{ Dependencies map[string]string }
	if err := json.Unmarshal(text, &list); err != nil || len(list.Dependencies) == 0 {
		t.Fatalf("%d packages, %v", len(list.Dependencies), err)
	}
	return slices.Sorted(maps.Keys(list.Dependencies))
}

type module struct{ path, dir string }

// shipped lists the modules of the binary, and Go's own library.
func shipped(t *testing.T) []module {
	t.Helper()
	seen := map[string]string{"go": strings.TrimSpace(run(t, nil, "go", "env", "GOROOT"))}
	for _, platform := range []string{"linux", "darwin", "windows"} {
		out := run(t, []string{"GOOS=" + platform, "GOARCH=amd64", "CGO_ENABLED=0"},
			"go", "list", "-deps", "-f", "{{with .Module}}{{if not .Main}}{{.Path}} {{.Dir}}{{end}}{{end}}", "../cmd/tenor", "../internal/pages/portal")
		for _, line := range strings.Split(out, "\n") {
			if path, dir, ok := strings.Cut(line, " "); ok {
				seen[path] = dir
			}
		}
	}
	if len(seen) < 5 {
		t.Fatalf("only %d modules found", len(seen))
	}
	var list []module
	for path, dir := range seen {
		list = append(list, module{path, dir})
	}
	slices.SortFunc(list, func(a, b module) int { return cmp.Compare(a.path, b.path) })
	return list
}

func run(t *testing.T, env []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Env, cmd.Stderr = append(os.Environ(), env...), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s %v: %v", name, args, err)
	}
	return string(out)
}

var licenceFile = regexp.MustCompile(`^(?i:licen[cs]e|copying|notice)([-.].*)?$`)

// licenceText joins the files in which a module tells its licence, and those of
// what it has taken from others; main is its own licence alone.
func licenceText(t *testing.T, m module) (all, main []byte) {
	t.Helper()
	files, err := os.ReadDir(m.dir)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	for _, f := range files {
		if f.IsDir() || !licenceFile.MatchString(f.Name()) {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.dir, f.Name()))
		if err != nil {
			t.Fatal(err)
		}
		if out.Len() > 0 {
			fmt.Fprintf(&out, "\n----- %s\n\n", f.Name())
		}
		text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
		out.Write(text)
		if main == nil {
			main = text // LICENSE sorts before LICENSE-OTHER
		}
	}
	if out.Len() == 0 {
		t.Fatalf("module %s has no licence", m.path)
	}
	return out.Bytes(), main
}

// spdx names a licence by the words that only it has.
func spdx(t *testing.T, path string, text []byte) string {
	t.Helper()
	flat := strings.ToLower(strings.Join(strings.Fields(string(text)), " "))
	switch {
	case strings.Contains(flat, "sil open font license version 1.1"):
		return "OFL-1.1"
	case strings.Contains(flat, "apache license version 2.0"):
		return "Apache-2.0"
	case strings.Contains(flat, "permission to use, copy, modify, and/or distribute this software"), strings.Contains(flat, "permission to use, copy, modify, and distribute this software"):
		return "ISC"
	case strings.Contains(flat, "permission is hereby granted, free of charge"):
		return "MIT"
	case strings.Contains(flat, "this is free and unencumbered software released into the public domain"):
		return "Unlicense"
	case strings.Contains(flat, "redistribution and use in source and binary forms"):
		if strings.Contains(flat, "neither the name") {
			return "BSD-3-Clause"
		}
		return "BSD-2-Clause"
	}
	t.Fatalf("the licence of %s is not one that is known here", path)
	return ""
}
