package portal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	gotoken "go/token"
	gotypes "go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/getkin/kin-openapi/openapi3"

	"tenor/internal/proof/suite"
)

// everySnippet writes the code of every operation into a folder, and returns the files by
// language.
func everySnippet(t *testing.T) map[string][]string {
	t.Helper()
	files := map[string][]string{}
	dir := t.TempDir()
	ext := map[string]string{"curl": "sh", "go": "go", "php": "php", "javascript": "mjs", "python": "py"}
	for name, p := range map[string]*Portal{
		"real": realPortal(t), "quoted": open(t, written(`a'b"c\d$e`+"`f`"+`{g}%h!#&;<>`)),
	} {
		for _, op := range p.site.contract.operations {
			v := p.site.operationView(op)
			if len(v.Snippets) != 5 {
				t.Fatalf("%s has %d snippets", op.id, len(v.Snippets))
			}
			for _, s := range v.Snippets {
				file := filepath.Join(dir, fmt.Sprintf("%s-%s.%s", name, op.id, ext[s.Name]))
				if err := os.WriteFile(file, []byte(s.Code), 0o644); err != nil {
					t.Fatal(err)
				}
				files[s.Name] = append(files[s.Name], file)
			}
		}
	}
	return files
}

// need finds a program. Without it the test is skipped, or fails if skipping is not allowed.
func need(t *testing.T, program, install string) {
	t.Helper()
	suite.Program(t, install, program)
}

// Programs that parse files in their own language without running them; one process reads all
// files of a language.
const (
	readScripts = `const vm = require("vm"), fs = require("fs");
for (const name of process.argv.slice(1)) new vm.SourceTextModule(fs.readFileSync(name, "utf8"), { identifier: name });`
	readPython = `import ast, sys
for name in sys.argv[1:]:
    ast.parse(open(name, encoding="utf-8").read(), name)`
	readPHP = `foreach (array_slice($argv, 1) as $name) {
    try {
        eval('return;' . substr(file_get_contents($name), strlen('<?php')));
    } catch (ParseError $e) {
        fwrite(STDERR, $name . ': ' . $e->getMessage() . PHP_EOL);
        exit(1);
    }
}`
	readShell = `for name in "$@"; do sh -n "$name" || exit 1; done`
)

// reader is a program that parses code.
type reader struct {
	language, program, install string
	args                       []string
}

var readers = []reader{
	{"curl", "sh", "dash", []string{"-c", readShell, "sh"}},
	{"php", "php", "php-cli", []string{"-r", readPHP, "--"}},
	{"javascript", "node", "nodejs", []string{"--experimental-vm-modules", "--no-warnings", "-e", readScripts}},
	{"python", "python3", "python3", []string{"-c", readPython}},
}

func (r reader) read(files ...string) error {
	out, err := exec.Command(r.program, append(slices.Clone(r.args), files...)...).CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w\n%s", err, out)
	}
	return nil
}

// TestSnippetsAreRight parses every piece of code in its own language.
func TestSnippetsAreRight(t *testing.T) {
	files := everySnippet(t)
	for _, r := range readers {
		t.Run(r.language, func(t *testing.T) {
			need(t, r.program, r.install)
			if len(files[r.language]) < 25 {
				t.Fatalf("only %d files", len(files[r.language]))
			}
			if err := r.read(files[r.language]...); err != nil {
				t.Error(err)
			}
		})
	}
	t.Run("go", func(t *testing.T) { compile(t, files["go"]) })
}

// compile type-checks programs against the client of this checkout.
func compile(t *testing.T, files []string) {
	t.Helper()
	if len(files) < 25 {
		t.Fatalf("only %d files", len(files))
	}
	fset := gotoken.NewFileSet()
	imports := importer.ForCompiler(fset, "gc", exportData(t))
	for _, name := range files {
		f, err := parser.ParseFile(fset, name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Error(err)
			continue
		}
		config := gotypes.Config{Importer: imports, Error: func(err error) { t.Error(err) }}
		_, _ = config.Check("main", fset, []*ast.File{f}, nil) // its errors have been reported
	}
}

// exportData gets the compiled packages that programs import from the go command.
func exportData(t *testing.T) func(path string) (io.ReadCloser, error) {
	t.Helper()
	cmd := exec.Command("go", "list", "-export", "-deps", "-f", "{{.ImportPath}} {{.Export}}",
		"tenor/client", "context", "encoding/json", "fmt", "io", "log", "net/http", "os", "strings", "time",
		"crypto/hmac", "crypto/sha256", "encoding/base64", "strconv")
	cmd.Env, cmd.Stderr = append(os.Environ(), "CGO_ENABLED=0"), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	files := map[string]string{}
	for _, line := range strings.Split(string(out), "\n") {
		if path, file, ok := strings.Cut(line, " "); ok && file != "" {
			files[path] = file
		}
	}
	return func(path string) (io.ReadCloser, error) {
		if files[path] == "" {
			return nil, errors.New("no program may import " + path)
		}
		return os.Open(files[path])
	}
}

// TestChecksOfCodeCanFail breaks a program in each language.
func TestChecksOfCodeCanFail(t *testing.T) {
	dir := t.TempDir()
	write := func(name, code string) string {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(code), 0o644); err != nil {
			t.Fatal(err)
		}
		return file
	}
	fset := gotoken.NewFileSet()
	f, err := parser.ParseFile(fset, write("a.go", "package main\nimport \"tenor/client\"\nfunc main() { client.Nothing() }\n"), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	config := gotypes.Config{Importer: importer.ForCompiler(fset, "gc", exportData(t))}
	if _, err := config.Check("main", fset, []*ast.File{f}, nil); err == nil {
		t.Error("a method that does not exist is taken")
	}
	broken := map[string]string{"curl": "curl 'x\n", "php": "<?php\necho [;\n", "javascript": "const a = {;\n", "python": "a = {\n"}
	good := map[string]string{"curl": "curl 'x'\n", "php": "<?php\necho [1][0];\n", "javascript": "const a = await 1;\n", "python": "a = {}\n"}
	for _, r := range readers {
		t.Run(r.language, func(t *testing.T) {
			need(t, r.program, r.install)
			if err := r.read(write("good-"+r.language, good[r.language])); err != nil {
				t.Error(err)
			}
			if err := r.read(write("good-"+r.language, good[r.language]), write("broken-"+r.language, broken[r.language])); err == nil {
				t.Error("a broken program is taken")
			}
		})
	}
}

// TestCurlIsOneCommand runs the shell code with a curl that prints its arguments: quoting has not
// changed a byte of address or body.
func TestCurlIsOneCommand(t *testing.T) {
	need(t, "sh", "dash")
	dir := t.TempDir()
	fake := filepath.Join(dir, "curl")
	if err := os.WriteFile(fake, []byte("#!/bin/sh\nprintf '%s\\0' \"$@\"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	odd := `a'b"c\d$e` + "`f`" + `{g}%h!#&;<> $(id)`
	p := open(t, written(odd))
	c := newCall(p.site.contract.find("makeOrder"), p.site.examples["makeOrder"])
	cmd := exec.Command("sh", "-c", c.curl())
	cmd.Env = []string{"PATH=" + dir + string(os.PathListSeparator) + os.Getenv("PATH"), "TENOR_URL=http://x", "TENOR_TOKEN=tnr"}
	out, err := cmd.Output()
	if err != nil {
		t.Fatal(err)
	}
	args := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	var want, got any
	if err := json.Unmarshal([]byte(args[len(args)-1]), &got); err != nil {
		t.Fatalf("the body %q: %v", args[len(args)-1], err)
	}
	if err := json.Unmarshal([]byte(p.site.contract.find("makeOrder").body.example.pretty()), &want); err != nil {
		t.Fatal(err)
	}
	if fmt.Sprint(got) != fmt.Sprint(want) || args[1] != "http://x"+c.target() || args[3] != "Authorization: Bearer tnr" {
		t.Errorf("curl is called with %q", args)
	}
}

// TestRequestsKeepTheContract validates the requests in the code samples against the contract:
// every member is known and has its type, and required members are present.
func TestRequestsKeepTheContract(t *testing.T) {
	c := realConfig(t)
	p := open(t, c)
	doc, err := openapi3.NewLoader().LoadFromData(c.OpenAPI)
	if err != nil {
		t.Fatal(err)
	}
	for id := range p.site.examples {
		if p.site.contract.find(id) == nil && !slices.Contains(p.site.eventTypes(), id) {
			t.Errorf("there is no operation and no event %s", id)
		}
	}
	for _, op := range p.site.contract.operations {
		call := newCall(op, p.site.examples[op.id])
		if call.body.kind == absent {
			if op.body.required && op.body.media[0] == "application/json" { // a file is the caller's own
				t.Errorf("%s: the code sends no body", op.id)
			}
			continue
		}
		content := doc.Paths.Value(op.path).GetOperation(op.method).RequestBody.Value.Content
		schema := content[op.body.media[0]].Schema.Value
		var body any
		d := json.NewDecoder(bytes.NewReader([]byte(call.body.pretty())))
		if err := d.Decode(&body); err != nil {
			t.Error(err)
		} else if err := schema.VisitJSON(body, openapi3.VisitAsRequest()); err != nil {
			t.Errorf("%s: %v", op.id, err)
		}
		for _, part := range strings.Split(call.query, "&") {
			name, _, _ := strings.Cut(part, "=")
			if name != "" && len(op.parameters) > 0 && !hasParameter(op, name) {
				t.Errorf("%s has no parameter %s", op.id, name)
			}
		}
	}
}

func hasParameter(op *operation, name string) bool {
	for _, p := range op.in("query") {
		if p.name == name {
			return true
		}
	}
	return false
}
